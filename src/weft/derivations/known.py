"""Members whose sum is known: those that sum to one, and those that are one derivation each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from weft.arrays import FloatArray, IntArray
from weft.derivations.derivation_set import DerivationSet, Hits, OneEach, Parts, Ranked
from weft.derivations.feature_map import FeatureMap
from weft.derivations.reparametrise import Weighting
from weft.errors import NotDefined


class Certain:
    """Members with log Z = 0 and no expectations: what is normalised step by step sums to one.

    What is asked of single derivations is answered by the derivations themselves.

    Args:
        members: How many there are.
        spelt: Returns these derivations; None where they are those of all sentences.

    >>> Certain(2).log_partition(np.ones(3))
    array([0., 0.])
    """

    def __init__(self, members: int = 1, spelt: Callable[[], DerivationSet] | None = None) -> None:
        self._members = members
        self._spelt = spelt

    def __len__(self) -> int:
        return self._members

    @cached_property
    def _derivations(self) -> DerivationSet:
        if self._spelt is None:
            raise NotDefined(
                "all sentences with all their analyses sum to one here, and single analyses are "
                "of one sentence"
            )
        return self._spelt()

    def log_partition(self, theta: FloatArray) -> FloatArray:  # noqa: ARG002
        """[members]: zeros."""
        return np.zeros(self._members)

    def evaluate(
        self,
        theta: FloatArray,
        coefficients: FloatArray,  # noqa: ARG002
    ) -> tuple[FloatArray, FloatArray]:
        """Return zeros: the sum does not change with θ."""
        return np.zeros(self._members), np.zeros_like(theta)

    def best(self, theta: FloatArray) -> tuple[FloatArray, list[Any]]:
        """Return the score [members] and the derivation of each member's best."""
        return self._derivations.best(theta)

    def follow(self, theta: FloatArray, coefficients: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the best scores [members] and Σ_k c_k ∇ score of these [θ]."""
        return self._derivations.follow(theta, coefficients)

    def kbest(self, theta: FloatArray, count: int) -> list[Ranked]:
        """Return the best ``count`` derivations of each member."""
        return self._derivations.kbest(theta, count)

    def sample(
        self, theta: FloatArray, rng: np.random.Generator, count: int = 1
    ) -> list[list[Any]]:
        """Draw derivations of each member."""
        return self._derivations.sample(theta, rng, count)

    def marginals(self, theta: FloatArray) -> tuple[FloatArray, list[FloatArray]]:
        """Return log Z [members] and how often parts are expected."""
        return self._derivations.marginals(theta)

    def entropy(self, theta: FloatArray) -> FloatArray:
        """[members]: the entropy of each distribution over derivations, in nats."""
        return self._derivations.entropy(theta)

    def impossible(self, member: int) -> int | None:  # noqa: ARG002
        """None: something always has a derivation."""
        return None

    def charged(self, observed: Sequence[Any], cost: float) -> DerivationSet:
        """Return the same derivations with wrong parts adding to the score: no longer one."""
        return self._derivations.charged(observed, cost)

    def without(self, observed: Sequence[Any]) -> DerivationSet:
        """Return the best derivation of each member that was not observed."""
        return self._derivations.without(observed)

    def parts(self, observed: Sequence[Any]) -> Parts:
        """Return the observed parts of each member."""
        return self._derivations.parts(observed)

    def hits(self, observed: Sequence[Any]) -> Hits:
        """Return whether the best derivations are observed ones."""
        return self._derivations.hits(observed)

    def select(self, members: IntArray) -> Certain:
        """Return some members, in the order given."""
        if self._spelt is None:
            return Certain(len(members))
        return Certain(len(members), lambda: self._derivations.select(members))


class Counted(OneEach):
    """Members that are one derivation each, log Z = θ·f(d) and E[f] = f(d): what is known in full.

    Args:
        features: The weights that the derivation of each member has.
        shown: From a member to its derivation, where it is more than features.
        weighting: How the weights are made of θ; by default they are θ.

    >>> from weft.derivations.feature_map import from_lists
    >>> Counted(from_lists([[0, 2, 0], []], 3)).log_partition(np.array([1.0, 5.0, 10.0]))
    array([12.,  0.])
    """

    why = "a derivation that is known in full has no rival and no parts in doubt"

    def __init__(
        self,
        features: FeatureMap,
        shown: Callable[[int], Any] | None = None,
        weighting: Weighting | None = None,
    ) -> None:
        self._features = features
        self._shown = shown
        self._weighting = weighting or Weighting(features.size)

    def __len__(self) -> int:
        return len(self._features)

    def log_partition(self, theta: FloatArray) -> FloatArray:
        """[members]: the score of each derivation."""
        return self._features.scores(self._weighting.weights(theta))

    def evaluate(
        self, theta: FloatArray, coefficients: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the scores [members] and the gradient of Σ_k c_k score_k [θ]."""
        weights = self._weighting.weights(theta)
        counts = self._features.gradient(coefficients)
        return self._features.scores(weights), self._weighting.gradient(weights, counts)

    def best(self, theta: FloatArray) -> tuple[FloatArray, list[Any]]:
        """Return the scores [members] and the derivations."""
        shown = self._shown or self._features.row
        return self.log_partition(theta), [shown(member) for member in range(len(self))]

    def follow(self, theta: FloatArray, coefficients: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the same as :meth:`evaluate`: the sum is of one derivation."""
        return self.evaluate(theta, coefficients)

    def impossible(self, member: int) -> int | None:  # noqa: ARG002
        """None: there is the derivation."""
        return None

    def charged(self, observed: Sequence[Any], cost: float) -> Counted:  # noqa: ARG002
        """Return the same: what is observed has no wrong parts."""
        return self

    def select(self, members: IntArray) -> Counted:
        """Return some members, in the order given."""
        shown, features = self._shown or self._features.row, self._features.rows(members)
        return Counted(features, lambda member: shown(int(members[member])), self._weighting)
