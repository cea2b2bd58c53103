"""Variational Bayes for models that are made of distributions: EM on beliefs about them.

Instead of one distribution p, a Dirichlet belief with parameters a is kept about each. From the
prior's α, an iteration is

    θ̃_j = ψ(a_j) − ψ(Σ_k a_k)        weights of which exp sums to less than one
    a_j  = α_j + expected count of j at θ̃

and what never falls is a lower bound of the log-probability of the observed,

    Σ_i log Z_i(θ̃) − Σ KL(Dirichlet(a) ‖ Dirichlet(α)).

Since exp ψ(a) is about a − ½, small counts count for less than in EM: with a small α the search
prefers distributions with few outcomes. What is kept in the end is the mean of each belief.

References: MacKay (1997), "Ensemble learning for hidden Markov models"; Johnson (2007), "Why
doesn't EM find good HMM POS-taggers?", section 3.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from weft.arrays import BoolArray, FloatArray, IntArray, freeze
from weft.errors import OptionError
from weft.optimise.em import EM
from weft.optimise.keeping import telling
from weft.optimise.solution import Callback, Solution, Step
from weft.settings import setting


@dataclass(frozen=True, slots=True, eq=False)
class VariationalBound:
    """What variational Bayes climbs, over the parameters a of the beliefs.

    Attributes:
        expect: From weights θ to Σ log Z and the expected counts [θ].
        prior: [θ], α, above 0 for what belongs to a distribution.
        groups: [θ], the number of the distribution that a weight belongs to.
        members: [θ], whether it belongs to any.
        others: [θ], the weights of what belongs to none.
    """

    expect: Callable[[FloatArray], tuple[float, FloatArray]]
    prior: FloatArray
    groups: IntArray
    members: BoolArray
    others: FloatArray

    def __post_init__(self) -> None:
        if not (self.prior[self.members] > 0).all():
            raise OptionError(
                "variational Bayes needs a prior above 0 for every probability, such as the "
                "penalty dirichlet:0.1"
            )

    def __call__(self, theta: FloatArray) -> tuple[float, FloatArray]:
        """Return the bound and the expected counts at beliefs [θ]."""
        beliefs = theta
        logs = self._logs(beliefs)
        value, counts = self.expect(self._placed(logs))
        return value - self._divergence(beliefs[self.members], logs), counts

    def penalty(self, theta: FloatArray) -> float:
        """Return what the beliefs' distance from the prior costs."""
        return -self._divergence(theta[self.members], self._logs(theta))

    def reestimate(self, counts: FloatArray) -> FloatArray:
        """Return the beliefs that the prior and expected counts give."""
        return counts + self.prior

    def mean(self, beliefs: FloatArray) -> FloatArray:
        """[θ]: the log of the mean of each belief."""
        mine = beliefs[self.members]
        return self._placed(np.log(mine) - np.log(self._sums(mine)))

    def _logs(self, beliefs: FloatArray) -> FloatArray:
        """[members]: θ̃."""
        from scipy.special import digamma  # slow to import, and rarely needed

        mine = beliefs[self.members]
        logs: FloatArray = digamma(mine) - digamma(self._totals(mine))[self.groups[self.members]]
        return logs

    def _divergence(self, beliefs: FloatArray, logs: FloatArray) -> float:
        """The sum of the divergences of the beliefs from the prior."""
        from scipy.special import gammaln

        prior = self.prior[self.members]
        terms = gammaln(prior) - gammaln(beliefs) + (beliefs - prior) * logs
        used = np.bincount(self.groups[self.members]) > 0
        wholes = gammaln(self._totals(beliefs)[used]) - gammaln(self._totals(prior)[used])
        return float(terms.sum() + wholes.sum())

    def _totals(self, members: FloatArray) -> FloatArray:
        """[groups]: the sum of each distribution; 1 for numbers that no distribution has."""
        sums = np.bincount(self.groups[self.members], members)
        return np.where(sums > 0, sums, 1.0)

    def _sums(self, members: FloatArray) -> FloatArray:
        sums: FloatArray = self._totals(members)[self.groups[self.members]]
        return sums

    def _placed(self, logs: FloatArray) -> FloatArray:
        weights = self.others.copy()
        weights[self.members] = logs
        return weights


@dataclass(frozen=True, slots=True)
class VariationalBayes:
    """Expectation maximisation over beliefs about distributions.

    Attributes:
        max_iterations: The largest number of iterations.
        tolerance: The relative gain of an iteration below which the search ends.
    """

    max_iterations: int = setting(100, "the largest number of iterations", key="iterations")
    tolerance: float = setting(1e-6, "the relative gain of an iteration below which training ends")

    def __post_init__(self) -> None:
        EM(self.max_iterations, self.tolerance)  # which says what is wrong with them

    def maximise(
        self, bound: VariationalBound, start: FloatArray, callback: Callback | None = None
    ) -> Solution:
        """Climb from the beliefs that the counts at weights ``start`` give.

        The solution's weights, and those that the callback sees, are the means of beliefs; its
        value is the bound.
        """

        def tell(step: Step, beliefs: FloatArray) -> bool | None:
            return callback(step, freeze(bound.mean(beliefs))) if callback else None

        beliefs = bound.reestimate(bound.expect(start)[1])
        solution = EM(self.max_iterations, self.tolerance).maximise(
            bound, beliefs, telling(callback, tell)
        )
        return replace(solution, weights=freeze(bound.mean(solution.weights)))
