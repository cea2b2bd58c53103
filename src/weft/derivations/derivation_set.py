"""What every set of derivations can do, however it is stored.

A derivation is a tag sequence, a tree, a derivation of a hypergraph or the number of an analysis:
each family gives its own, in the same places. What was *observed* of a member is given as the
evidence that picks its observed derivations out; a *part* of a derivation (a tag of a token, a
label over a span, an edge) is wrong if no observed derivation has it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

import numpy as np

from weft.arrays import FloatArray, IntArray
from weft.errors import NotDefined

if TYPE_CHECKING:
    from weft.derivations.landscape import ChoiceLandscape

Ranked = list[tuple[float, Any]]
"""Derivations with their scores, best ones first."""


class Parts(Protocol):
    """The observed parts of members, t = log p(a derivation has the part)."""

    @property
    def owners(self) -> IntArray:
        """[parts]: the member that each belongs to."""
        ...

    def log_probs(self, theta: FloatArray) -> FloatArray:
        """[parts]: t; -inf where no derivation has the part."""
        ...

    def slope(self, theta: FloatArray, slopes: FloatArray, log_probs: FloatArray) -> FloatArray:
        """Return Σ_j slope_j ∇t_j [θ], given t [parts]; a slope of -inf's is 0."""
        ...


class Hits(Protocol):
    """Whether the best derivations of members are observed ones."""

    def shares(self, theta: FloatArray) -> FloatArray:
        """[members]: 1 where the best derivation was observed, else 0; a share of several best."""
        ...

    @property
    def landscape(self) -> Callable[[FloatArray], ChoiceLandscape] | None:
        """What annealing walks on, given weights of members.

        None where a change of one weight is not followed apart from the others.
        """
        ...


class DerivationSet(Protocol):
    """Several sums over derivations, its *members*, of one model.

    Weights of examples, links and shared denominators all come as coefficients: the gradient of
    Σ_k c_k log Z_k is Σ_k c_k E_k[f].

    Raises:
        NotDefined: By methods that have no meaning for a set, with the reason.
    """

    def __len__(self) -> int:
        """The number of members."""
        ...

    def log_partition(self, theta: FloatArray) -> FloatArray:
        """[members]: log Z, -inf where a member has no derivation."""
        ...

    def evaluate(
        self, theta: FloatArray, coefficients: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return log Z [members] and Σ_k c_k E_k[f] [θ], in one sweep."""
        ...

    def best(self, theta: FloatArray) -> tuple[FloatArray, list[Any]]:
        """Return the score [members] and the derivation of each member's best; -inf for none."""
        ...

    def follow(self, theta: FloatArray, coefficients: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the best scores [members] and Σ_k c_k f(best_k) [θ]: a maximum for the sum."""
        ...

    def kbest(self, theta: FloatArray, count: int) -> list[Ranked]:
        """Return the best ``count`` derivations of each member, or all that there are."""
        ...

    def sample(
        self, theta: FloatArray, rng: np.random.Generator, count: int = 1
    ) -> list[list[Any]]:
        """Draw derivations of each member in proportion to their weights; none where it has none.

        They are drawn independently of each other.
        """
        ...

    def marginals(self, theta: FloatArray) -> tuple[FloatArray, list[FloatArray]]:
        """Return log Z [members], and how often parts are expected in each member's derivations."""
        ...

    def entropy(self, theta: FloatArray) -> FloatArray:
        """[members]: the entropy of each distribution over derivations, in nats."""
        ...

    def impossible(self, member: int) -> int | None:
        """The first token that no derivation of a member gets past; None if there is none.

        -1 where no derivation is possible, and it is not known which token is to blame.
        """
        ...

    def charged(self, observed: Sequence[Any], cost: float) -> DerivationSet:
        """Return the same derivations, each wrong part adding to the score.

        Args:
            observed: The evidence of what was observed of each member.
            cost: What a wrong part adds, at least 0.
        """
        ...

    def without(self, observed: Sequence[Any]) -> DerivationSet:
        """Return members of which only the best derivation counts that was not observed."""
        ...

    def parts(self, observed: Sequence[Any]) -> Parts:
        """Return the observed parts of each member."""
        ...

    def hits(self, observed: Sequence[Any]) -> Hits:
        """Return whether the best derivations are observed ones."""
        ...

    def select(self, members: IntArray) -> DerivationSet:
        """Return some members, in the order given; one may be there several times."""
        ...


class OnlySums:
    """Refuses what is asked of single derivations.

    Attributes:
        why: The reason.
    """

    why = "there are no single derivations here, but only their sum"

    def _refuse(self) -> NoReturn:
        raise NotDefined(self.why)

    def best(self, theta: FloatArray) -> tuple[FloatArray, list[Any]]:  # noqa: ARG002
        """Refuse."""
        self._refuse()

    def follow(
        self,
        theta: FloatArray,  # noqa: ARG002
        coefficients: FloatArray,  # noqa: ARG002
    ) -> tuple[FloatArray, FloatArray]:
        """Refuse."""
        self._refuse()

    def kbest(self, theta: FloatArray, count: int) -> list[Ranked]:  # noqa: ARG002
        """Refuse."""
        self._refuse()

    def sample(
        self,
        theta: FloatArray,  # noqa: ARG002
        rng: np.random.Generator,  # noqa: ARG002
        count: int = 1,  # noqa: ARG002
    ) -> list[list[Any]]:
        """Refuse."""
        self._refuse()

    def marginals(self, theta: FloatArray) -> tuple[FloatArray, list[FloatArray]]:  # noqa: ARG002
        """Refuse."""
        self._refuse()

    def entropy(self, theta: FloatArray) -> FloatArray:  # noqa: ARG002
        """Refuse."""
        self._refuse()

    def charged(self, observed: Sequence[Any], cost: float) -> DerivationSet:  # noqa: ARG002
        """Refuse."""
        self._refuse()

    def without(self, observed: Sequence[Any]) -> DerivationSet:  # noqa: ARG002
        """Refuse."""
        self._refuse()

    def parts(self, observed: Sequence[Any]) -> Parts:  # noqa: ARG002
        """Refuse."""
        self._refuse()

    def hits(self, observed: Sequence[Any]) -> Hits:  # noqa: ARG002
        """Refuse."""
        self._refuse()

    def select(self, members: IntArray) -> DerivationSet:  # noqa: ARG002
        """Refuse."""
        self._refuse()


class OneEach(OnlySums, ABC):
    """Members of which one derivation counts, which is their best: log Z is its score."""

    why = "only one derivation of each member counts here, and so there is nothing to compare it to"

    @abstractmethod
    def __len__(self) -> int:
        """The number of members."""

    def kbest(self, theta: FloatArray, count: int) -> list[Ranked]:
        """Return the derivation, if any is asked for and there is one."""
        scores, found = self.best(theta)
        return [
            [(score, each)] if count and score > -np.inf else []
            for score, each in zip(scores.tolist(), found, strict=True)
        ]

    def sample(
        self,
        theta: FloatArray,
        rng: np.random.Generator,  # noqa: ARG002
        count: int = 1,
    ) -> list[list[Any]]:
        """Return the derivation this many times: nothing else can be drawn."""
        return [[each for _, each in ranked] * count for ranked in self.kbest(theta, 1)]

    def entropy(self, theta: FloatArray) -> FloatArray:  # noqa: ARG002
        """[members]: zeros."""
        return np.zeros(len(self))
