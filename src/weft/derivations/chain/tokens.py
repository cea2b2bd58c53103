"""The probabilities of single tags, and how they change with θ.

    t_j = log p(y_j is an observed tag of token j),    Σ_j c_j ∇t_j = Cov[f, G],

G(y) the sum of c_j / p_j over the tokens whose tag in y is an observed one. That is how
expectations change as the scores of observed tags rise at the rates c_j / p_j, and one
forward-backward pass on numbers with derivatives finds it for all tokens together.

References: Altun, Johnson and Hofmann (2003), "Investigating Loss Functions and Optimization
Methods for Discriminative Learning of Label Sequences"; Pearlmutter (1994), "Fast exact
multiplication by the Hessian".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from weft.arrays import FloatArray
from weft.kernels import kernels

if TYPE_CHECKING:
    from weft.derivations.chain.trellis import Trellis


class Tokens:
    """The tokens of the members of a trellis, with the tags observed of them.

    Args:
        trellis: The members.
        observed: For each member the number of each token's set of observed tags.

    Attributes:
        owners: [tokens], the member that each token belongs to.
    """

    def __init__(self, trellis: Trellis, observed: Sequence[Sequence[int]]) -> None:
        self._trellis = trellis
        self._observed = trellis.flat(observed)
        lengths = [len(sets) for sets in trellis.members.sets]
        self.owners = trellis.flat([[k] * length for k, length in enumerate(lengths)]).astype(
            np.int64
        )

    def log_probs(self, theta: FloatArray) -> FloatArray:
        """[tokens]: the log-probability of the observed tags; -inf where they are impossible."""
        log_probs = np.empty(len(self._observed))
        trellis = self._trellis
        for _, batch, arguments in trellis.scored(trellis.scores.at(theta, once=True)):
            observed, found = self._observed[batch.labels], log_probs[batch.labels]
            kernels.chain_observed(*arguments, observed, found, trellis.threads)
        return log_probs

    def slope(self, theta: FloatArray, slopes: FloatArray, log_probs: FloatArray) -> FloatArray:
        """Return Σ_j slope_j ∇t_j [θ], given t [tokens]."""
        with np.errstate(divide="ignore"):
            # A tag that has no probability has no slope either, or the value were infinite.
            rates = np.log(slopes) - np.where(np.isneginf(log_probs), 0.0, log_probs)
        return self.gradient(theta, rates)

    def gradient(self, theta: FloatArray, log_rates: FloatArray) -> FloatArray:
        """Return the covariance of features and G, [θ].

        Args:
            theta: The weights.
            log_rates: [tokens], the log of what each token with an observed tag adds to G.
        """
        trellis = self._trellis
        steps = trellis.scores.at(theta)
        expectations = steps.expectations()
        totals = np.zeros_like(steps.transitions)
        for number, batch, arguments in trellis.scored(steps):
            kernels.chain_tangent(
                *arguments,
                self._observed[batch.labels],
                log_rates[batch.labels],
                *expectations.marginals(number),
                totals,
                trellis.threads,
            )
            expectations.collect(number)
        return expectations.finish(totals)
