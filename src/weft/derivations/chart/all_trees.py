"""All trees of a grammar, over all its sentences: one sum, from the partition function.

    log Z(θ) = log Z^S of the grammar with log-weights θ,    E[f_r] = ∂ log Z / ∂θ_r

Reference: Smith and Johnson (2007), "Weighted and Probabilistic Context-Free Grammars Are Equally
Expressive", section 2.
"""

from __future__ import annotations

import numpy as np

from weft.arrays import FloatArray
from weft.derivations.derivation_set import OnlySums
from weft.derivations.reparametrise import Weighting
from weft.errors import DivergenceError
from weft.grammars.sums.partition import expected_counts, partition
from weft.structures.grammar import Grammar, reweight


class AllTrees(OnlySums):
    """One member: every tree of a grammar.

    Where the sum diverges, or is finite but the expected size of a tree is not, log Z is +inf: θ
    lies outside the domain, or on its edge.

    Args:
        grammar: The rules; its own weights do not matter.
        weighting: How the log-weights of rules are made of θ; by default they are θ.
    """

    why = "all sentences are in this sum, and single trees are of one sentence"

    def __init__(self, grammar: Grammar, weighting: Weighting | None = None) -> None:
        self._grammar = grammar
        self._weighting = weighting or Weighting(grammar.rule_count)

    def __len__(self) -> int:
        return 1

    def log_partition(self, theta: FloatArray) -> FloatArray:
        """[1]: log Z; −inf where the grammar has no tree, +inf where the sum diverges."""
        weights = self._weighting.weights(theta)
        return np.array([partition(reweight(self._grammar, weights)).log_value])

    def evaluate(
        self, theta: FloatArray, coefficients: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return log Z [1] and c E[f] [θ]; zeros for what is infinite."""
        weights = self._weighting.weights(theta)
        grammar = reweight(self._grammar, weights)
        sums = partition(grammar)
        values = np.array([sums.log_value])
        if not np.isfinite(sums.log_value):
            return values, np.zeros_like(theta)
        try:
            expected = coefficients[0] * expected_counts(grammar, sums)
        except DivergenceError:
            return np.array([np.inf]), np.zeros_like(theta)
        return values, self._weighting.gradient(weights, expected)

    def impossible(self, member: int) -> int | None:  # noqa: ARG002
        """None: the grammar is not asked for any sentence."""
        return None
