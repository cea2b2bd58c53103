"""Pools: members that are each the sum over several members of another set.

log Z_pool = log Σ_k Z_k,    E_pool[f] = Σ_k p_k E_k[f],    p_k = Z_k / Z_pool,    k in the pool.

The best derivation of a pool is the best of its members' best ones, and its entropy is that of the
choice among the members with the expected entropy within them, Σ_k p_k (H_k − log p_k).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from weft.arrays import FloatArray, IntArray, flatten
from weft.derivations.derivation_set import DerivationSet, OnlySums, Ranked
from weft.structures.evidence import Evidence, OneOf, Sentence
from weft.structures.lattice import Lattice


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
        chosen = [each[int(np.argmax(scores[list(each)]))] for each in self._pools]
        return np.array(chosen, np.int64)

    def kbest(self, theta: FloatArray, count: int) -> list[Ranked]:
        """Return the best ``count`` derivations of each pool."""
        found = self._derivations.kbest(theta, count)
        together = ([pair for member in pool for pair in found[member]] for pool in self._pools)
        return [sorted(each, key=lambda pair: -pair[0])[:count] for each in together]

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


def pooled(
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
