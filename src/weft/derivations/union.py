"""Members of several sets of derivations, taken together as one set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft.arrays import FloatArray, IntArray
from weft.derivations.derivation_set import DerivationSet, Hits, Parts, Ranked


class Union:
    """The members of several sets, in an order of their own.

    Args:
        sets: The sets, over the same θ.
        owners: [members], the set that each member belongs to.
        places: [members], which of that set's members it is.
    """

    def __init__(self, sets: Sequence[DerivationSet], owners: IntArray, places: IntArray) -> None:
        self.sets = tuple(sets)
        self.owners = owners
        self.places = places

    def __len__(self) -> int:
        return len(self.owners)

    def log_partition(self, theta: FloatArray) -> FloatArray:
        """[members]: log Z, -inf where a member has no derivation."""
        return self._gather([each.log_partition(theta) for each in self.sets])

    def evaluate(
        self, theta: FloatArray, coefficients: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return log Z [members] and Σ_k c_k E_k[f] [θ]."""
        return self._collect(theta, coefficients, lambda each, shares: each.evaluate(theta, shares))

    def follow(self, theta: FloatArray, coefficients: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the best scores [members] and Σ_k c_k f(best_k) [θ]."""
        return self._collect(theta, coefficients, lambda each, shares: each.follow(theta, shares))

    def _collect(
        self,
        theta: FloatArray,
        coefficients: FloatArray,
        ask: Callable[[DerivationSet, FloatArray], tuple[FloatArray, FloatArray]],
    ) -> tuple[FloatArray, FloatArray]:
        values, gradient = [], np.zeros_like(theta)
        for number, each in enumerate(self.sets):
            mine = self.owners == number
            shares = np.zeros(len(each))
            # Several members may be one and the same, such as everything.
            np.add.at(shares, self.places[mine], coefficients[mine])
            found, part = ask(each, shares)
            values.append(found)
            gradient += part
        return self._gather(values), gradient

    def best(self, theta: FloatArray) -> tuple[FloatArray, list[Any]]:
        """Return the score [members] and the derivation of each member's best."""
        found = [each.best(theta) for each in self.sets]
        return self._gather([each[0] for each in found]), self._pick([each[1] for each in found])

    def kbest(self, theta: FloatArray, count: int) -> list[Ranked]:
        """Return the best ``count`` derivations of each member."""
        return self._pick([each.kbest(theta, count) for each in self.sets])

    def sample(
        self, theta: FloatArray, rng: np.random.Generator, count: int = 1
    ) -> list[list[Any]]:
        """Draw derivations of each member; members that are one and the same share them."""
        return self._pick([each.sample(theta, rng, count) for each in self.sets])

    def marginals(self, theta: FloatArray) -> tuple[FloatArray, list[FloatArray]]:
        """Return log Z [members] and how often parts are expected."""
        found = [each.marginals(theta) for each in self.sets]
        return self._gather([each[0] for each in found]), self._pick([each[1] for each in found])

    def entropy(self, theta: FloatArray) -> FloatArray:
        """[members]: the entropy of each distribution over derivations, in nats."""
        return self._gather([each.entropy(theta) for each in self.sets])

    def charged(self, observed: Sequence[Any], cost: float) -> DerivationSet:
        """Return the same derivations, each wrong part adding to the score."""
        return self._rebuilt(lambda each, mine: each.charged(mine, cost), observed)

    def without(self, observed: Sequence[Any]) -> DerivationSet:
        """Return the best derivation of each member that was not observed."""
        return self._rebuilt(lambda each, mine: each.without(mine), observed)

    def parts(self, observed: Sequence[Any]) -> Parts:
        """Return the observed parts of each member, set after set."""
        pairs = [
            (members, self.sets[number].select(self.places[members]).parts(mine))
            for number, members, mine in self._split(observed)
        ]
        return _Parts(tuple(pairs))

    def hits(self, observed: Sequence[Any]) -> Hits:
        """Return whether the best derivations are observed ones."""
        pairs = [
            (members, self.sets[number].select(self.places[members]).hits(mine))
            for number, members, mine in self._split(observed)
        ]
        return _Hits(tuple(pairs))

    def select(self, members: IntArray) -> DerivationSet:
        """Return some members, in the order given; of one set, if they all belong to it."""
        owners, places = self.owners[members], self.places[members]
        sets, within = [], np.zeros_like(places)
        for place, number in enumerate(np.unique(owners).tolist()):
            mine = owners == number
            sets.append(self.sets[number].select(places[mine]))
            owners, within = np.where(mine, place, owners), np.where(mine, np.cumsum(mine), within)
        return sets[0] if len(sets) == 1 else Union(sets, owners, within - 1)

    def _split(self, observed: Sequence[Any]) -> list[tuple[int, IntArray, list[Any]]]:
        """Each set that is asked, with its members and what was observed of them."""
        found = []
        for number in np.unique(self.owners).tolist():
            members = np.flatnonzero(self.owners == number)
            found.append((number, members, [observed[member] for member in members.tolist()]))
        return found

    def _rebuilt(
        self, ask: Callable[[DerivationSet, list[Any]], DerivationSet], observed: Sequence[Any]
    ) -> DerivationSet:
        sets: list[DerivationSet] = []
        owners, places = np.zeros(len(self), np.int64), np.zeros(len(self), np.int64)
        for number, members, mine in self._split(observed):
            owners[members], places[members] = len(sets), np.arange(len(members))
            sets.append(ask(self.sets[number].select(self.places[members]), mine))
        return Union(sets, owners, places)

    def impossible(self, member: int) -> int | None:
        """The first token that no derivation of a member gets past; None if there is none."""
        owner, place = int(self.owners[member]), int(self.places[member])
        return self.sets[owner].impossible(place)

    def _gather(self, values: Sequence[FloatArray]) -> FloatArray:
        gathered = np.empty(len(self))
        for number, each in enumerate(values):
            mine = self.owners == number
            gathered[mine] = each[self.places[mine]]
        return gathered

    def _pick(self, values: Sequence[list[Any]]) -> list[Any]:
        pairs = zip(self.owners.tolist(), self.places.tolist(), strict=True)
        return [values[owner][place] for owner, place in pairs]


@dataclass(frozen=True, slots=True, eq=False)
class _Parts:
    """The parts of several sets, with the members that these have together."""

    several: tuple[tuple[IntArray, Parts], ...]

    @property
    def owners(self) -> IntArray:
        return np.concatenate([members[parts.owners] for members, parts in self.several])

    def log_probs(self, theta: FloatArray) -> FloatArray:
        return np.concatenate([parts.log_probs(theta) for _, parts in self.several])

    def slope(self, theta: FloatArray, slopes: FloatArray, log_probs: FloatArray) -> FloatArray:
        gradient, first = np.zeros_like(theta), 0
        for _, parts in self.several:
            mine = slice(first, first + len(parts.owners))
            gradient += parts.slope(theta, slopes[mine], log_probs[mine])
            first = mine.stop
        return gradient


@dataclass(frozen=True, slots=True, eq=False)
class _Hits:
    several: tuple[tuple[IntArray, Hits], ...]

    @property
    def landscape(self) -> None:
        return None

    def shares(self, theta: FloatArray) -> FloatArray:
        found = np.zeros(sum(len(members) for members, _ in self.several))
        for members, hits in self.several:
            found[members] = hits.shares(theta)
        return found
