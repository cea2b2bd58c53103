"""Sets of derivations made of others: several taken together as one, and pools of members.

A pool is a member that is the sum over several members of another set:

    log Z_pool = log Σ_k Z_k,    E_pool[f] = Σ_k p_k E_k[f],    p_k = Z_k / Z_pool.

Its best derivation is the best of its members' best ones, and its entropy is that of the choice
among the members with the expected entropy within them, Σ_k p_k (H_k − log p_k).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import numpy as np

from weft.arrays import BoolArray, FloatArray, IntArray, flatten
from weft.derivations.derivation_set import DerivationSet, Hits, OnlySums, Parts, Ranked
from weft.ranking import by_value, ranked
from weft.structures.evidence import Evidence, OneOf, Sentence
from weft.structures.lattice import Lattice


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
        return derive_kinds(
            self.owners,
            lambda number, members: ask(
                self.sets[number].select(self.places[members]),
                [observed[member] for member in members.tolist()],
            ),
        )

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


def derive_kinds(
    kinds: IntArray, derive: Callable[[int, IntArray], DerivationSet]
) -> DerivationSet:
    """Return members of several kinds, those of each kind from a set of its own.

    Args:
        kinds: [members].
        derive: From a kind and its members to their set, or to one member that they share.
    """
    sets: list[DerivationSet] = []
    owners, places = np.zeros_like(kinds), np.zeros_like(kinds)
    for kind in np.unique(kinds).tolist():
        members = np.flatnonzero(kinds == kind)
        sets.append(derive(kind, members))
        owners[members], places[members] = len(sets) - 1, np.arange(len(members)) % len(sets[-1])
    alone = len(sets) == 1 and len(sets[0]) == len(kinds)
    return sets[0] if alone else Union(sets, owners, places)


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


class Pooled(OnlySums):
    """Sums over disjoint members of another set.

    Args:
        derivations: The set.
        pools: The members that each pool sums over, at least one; several may have the same.
    """

    why = (
        "a pool is of several sentences, and parts of one sentence's derivations are no parts of "
        "another's: ask its sentences one by one"
    )

    def __init__(self, derivations: DerivationSet, pools: Sequence[Sequence[int]]) -> None:
        self._derivations = derivations
        self._pools = pools
        self._offsets, members = flatten(pools)
        self._members = np.array(members, np.int64)

    def __len__(self) -> int:
        return len(self._pools)

    def log_partition(self, theta: FloatArray) -> FloatArray:
        """[pools]: log Z, -inf where no member has a derivation."""
        return self._totals(self._derivations.log_partition(theta))

    def evaluate(
        self, theta: FloatArray, coefficients: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return log Z [pools] and Σ_k c_k E_k[f] [θ], in two sweeps: shares come first."""
        totals, shares = self._shares(theta)
        shares *= np.repeat(coefficients, np.diff(self._offsets))
        weights = np.bincount(self._members, shares, minlength=len(self._derivations))
        return totals, self._derivations.evaluate(theta, weights.astype(np.float64))[1]

    def _shares(self, theta: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return log Z [pools], and p_k of each pool's members one after the other."""
        values = self._derivations.log_partition(theta)
        totals = self._totals(values)
        base = np.repeat(totals, np.diff(self._offsets))
        # Of pools that are empty or infinite nothing is expected.
        logs = np.full(len(base), -np.inf)
        np.subtract(values[self._members], base, out=logs, where=np.isfinite(base))
        return totals, np.exp(logs)

    def best(self, theta: FloatArray) -> tuple[FloatArray, list[Any]]:
        """Return the score [pools] and the derivation of each pool's best."""
        scores, found = self._derivations.best(theta)
        best = self._best(scores)
        return scores[best], [found[place] for place in best.tolist()]

    def follow(self, theta: FloatArray, coefficients: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the best scores [pools] and Σ_k c_k f(best_k) [θ], in two sweeps."""
        best = self._best(self._derivations.best(theta)[0])
        weights = np.bincount(best, coefficients, minlength=len(self._derivations))
        scores, gradient = self._derivations.follow(theta, weights.astype(np.float64))
        return scores[best], gradient

    def _best(self, scores: FloatArray) -> IntArray:
        """[pools]: the member with the best score, the first of equals."""
        chosen = [each[int(ranked(scores[list(each)], least=1.0)[0])] for each in self._pools]
        return np.array(chosen, np.int64)

    def kbest(self, theta: FloatArray, count: int) -> list[Ranked]:
        """Return the best ``count`` derivations of each pool."""
        found = self._derivations.kbest(theta, count)
        together = ([pair for member in pool for pair in found[member]] for pool in self._pools)
        return [by_value(each, lambda pair: pair[0], least=1.0)[:count] for each in together]

    def sample(
        self, theta: FloatArray, rng: np.random.Generator, count: int = 1
    ) -> list[list[Any]]:
        """Draw a member, and a derivation of it."""
        _, shares = self._shares(theta)
        found: list[list[Any]] = []
        for place, pool in enumerate(self._pools):
            probs = shares[self._offsets[place] : self._offsets[place + 1]]
            if not probs.sum():
                found.append([])
                continue
            drawn = rng.choice(np.array(pool), size=count, p=probs / probs.sum())
            several = self._derivations.select(drawn.astype(np.int64)).sample(theta, rng)
            found.append([each for [each] in several])
        return found

    def entropy(self, theta: FloatArray) -> FloatArray:
        """[pools]: the entropy of each distribution over derivations, in nats."""
        _, shares = self._shares(theta)
        within = self._derivations.entropy(theta)[self._members]
        logs = np.log(shares, where=shares > 0, out=np.zeros_like(shares))
        owners = np.repeat(np.arange(len(self)), np.diff(self._offsets))
        sums = np.bincount(owners, shares * (within - logs), minlength=len(self))
        return sums.astype(np.float64)

    def select(self, members: IntArray) -> Pooled:
        """Return some pools, in the order given."""
        return Pooled(self._derivations, [self._pools[member] for member in members.tolist()])

    def impossible(self, member: int) -> int | None:
        """The first token that no derivation of a pool gets past; None if there is none."""
        places = [self._derivations.impossible(each) for each in self._pools[member]]
        return None if None in places else places[0]

    def _totals(self, values: FloatArray) -> FloatArray:
        if not len(self):
            return np.empty(0)
        totals: FloatArray = np.logaddexp.reduceat(values[self._members], self._offsets[:-1])
        return totals


def pool(
    evidences: Sequence[Evidence],
    derive: Callable[[Sequence[Evidence]], DerivationSet],
    *,
    spell: bool = False,
) -> Pooled:
    """Return what agrees with each piece of evidence, where some say "one of several".

    Args:
        evidences: The evidence.
        derive: From evidence of any other kind to its derivations.
        spell: Whether the strings of lattices are listed, too.

    Raises:
        LimitError: If a lattice has too many strings to list.
    """
    numbers: dict[object, int] = {}
    parts: list[Evidence] = []

    def number(evidence: Evidence) -> int:
        if evidence not in numbers:
            numbers[evidence] = len(parts)
            parts.append(evidence)
        return numbers[evidence]

    pools = [[number(part) for part in _parts(evidence, spell)] for evidence in evidences]
    return Pooled(derive(parts), pools)


def _parts(evidence: Evidence, spell: bool) -> list[Evidence]:
    if spell and isinstance(evidence.tokens, Lattice):
        return [Evidence(Sentence((words,))) for words in evidence.tokens.strings()]
    if isinstance(evidence.tokens, OneOf):
        return [Evidence(sentence) for sentence in evidence.tokens.sentences]
    return [evidence]


@singledispatch
def with_rivals(
    derivations: DerivationSet, rival: BoolArray, own: Sequence[int], observed: Sequence[Any]
) -> DerivationSet:
    """Return members that are what was observed together with its best rival, and others.

    Sets that do this faster than by pools register how.

    Args:
        derivations: The members.
        rival: Whether each becomes what was observed of it, with its best rival. [members]
        own: The member that is what was observed of each. [members]
        observed: The evidence of that. [members]
    """

    def derive(is_rival: int, members: IntArray) -> DerivationSet:
        found = derivations.select(members)
        return found.without([observed[each] for each in members.tolist()]) if is_rival else found

    pools = [
        [own[place], place] if is_rival else [place]
        for place, is_rival in enumerate(rival.tolist())
    ]
    return Pooled(derive_kinds(rival.astype(np.int64), derive), pools)
