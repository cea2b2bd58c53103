"""Sets of derivations whose weights are made of θ: the derivations are those of the free weights.

    w = w(θ),    ∂/∂θ = (∂w/∂θ)ᵀ E

where E are the expectations, or the features of the best derivations, at w.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft.arrays import FloatArray, IntArray
from weft.derivations.derivation_set import DerivationSet, Hits, Parts, Ranked


class Reparametrised(ABC):
    """A set of derivations with other coordinates.

    Args:
        free: The same derivations with free weights.
    """

    def __init__(self, free: DerivationSet) -> None:
        self._free = free

    @abstractmethod
    def weights(self, theta: FloatArray) -> FloatArray:
        """Return the weights w that θ comes to."""

    @abstractmethod
    def gradient(self, theta: FloatArray, expected: FloatArray) -> FloatArray:
        """Return the gradient in θ [θ], given that in the weights."""

    @abstractmethod
    def over(self, free: DerivationSet) -> Reparametrised:
        """Return other derivations with the same coordinates."""

    def __len__(self) -> int:
        return len(self._free)

    def log_partition(self, theta: FloatArray) -> FloatArray:
        """[members]: log Z, −inf where a member has no derivation."""
        return self._free.log_partition(self.weights(theta))

    def evaluate(
        self, theta: FloatArray, coefficients: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return log Z [members] and the gradient of Σ_k c_k log Z_k [θ]."""
        values, expected = self._free.evaluate(self.weights(theta), coefficients)
        return values, self.gradient(theta, expected)

    def best(self, theta: FloatArray) -> tuple[FloatArray, list[Any]]:
        """Return the score [members] and the derivation of each member's best."""
        return self._free.best(self.weights(theta))

    def follow(self, theta: FloatArray, coefficients: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the best scores [members] and the gradient of Σ_k c_k score_k [θ]."""
        values, features = self._free.follow(self.weights(theta), coefficients)
        return values, self.gradient(theta, features)

    def kbest(self, theta: FloatArray, count: int) -> list[Ranked]:
        """Return the best ``count`` derivations of each member."""
        return self._free.kbest(self.weights(theta), count)

    def sample(
        self, theta: FloatArray, rng: np.random.Generator, count: int = 1
    ) -> list[list[Any]]:
        """Draw derivations of each member."""
        return self._free.sample(self.weights(theta), rng, count)

    def marginals(self, theta: FloatArray) -> tuple[FloatArray, list[FloatArray]]:
        """Return log Z [members] and how often parts are expected."""
        return self._free.marginals(self.weights(theta))

    def entropy(self, theta: FloatArray) -> FloatArray:
        """[members]: the entropy of each distribution over derivations, in nats."""
        return self._free.entropy(self.weights(theta))

    def impossible(self, member: int) -> int | None:
        """The first token that no derivation of a member gets past; None if there is none."""
        return self._free.impossible(member)

    def charged(self, observed: Sequence[Any], cost: float) -> Reparametrised:
        """Return the same derivations, each wrong part adding to the score."""
        return self.over(self._free.charged(observed, cost))

    def without(self, observed: Sequence[Any]) -> Reparametrised:
        """Return the best derivation of each member that was not observed."""
        return self.over(self._free.without(observed))

    def parts(self, observed: Sequence[Any]) -> Parts:
        """Return the observed parts of each member."""
        return _Parts(self, self._free.parts(observed))

    def hits(self, observed: Sequence[Any]) -> Hits:
        """Return whether the best derivations are observed ones."""
        return _Hits(self, self._free.hits(observed))

    def select(self, members: IntArray) -> Reparametrised:
        """Return some members, in the order given."""
        return self.over(self._free.select(members))


@dataclass(frozen=True, slots=True, eq=False)
class _Parts:
    derivations: Reparametrised
    free: Parts

    @property
    def owners(self) -> IntArray:
        return self.free.owners

    def log_probs(self, theta: FloatArray) -> FloatArray:
        return self.free.log_probs(self.derivations.weights(theta))

    def slope(self, theta: FloatArray, slopes: FloatArray, log_probs: FloatArray) -> FloatArray:
        expected = self.free.slope(self.derivations.weights(theta), slopes, log_probs)
        return self.derivations.gradient(theta, expected)


@dataclass(frozen=True, slots=True, eq=False)
class _Hits:
    derivations: Reparametrised
    free: Hits

    @property
    def landscape(self) -> None:
        return None

    def shares(self, theta: FloatArray) -> FloatArray:
        return self.free.shares(self.derivations.weights(theta))
