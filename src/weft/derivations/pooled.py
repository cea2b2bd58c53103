"""Pools: members that are each the sum over several members of another set.

log Z_pool = log Σ_k Z_k,    E_pool[f] = Σ_k (Z_k / Z_pool) E_k[f],    k in the pool.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from weft.arrays import FloatArray, flatten
from weft.derivations.derivation_set import DerivationSet
from weft.structures.evidence import Evidence, OneOf


class Pooled:
    """Sums over disjoint members of another set.

    Args:
        derivations: The set.
        pools: The members that each pool sums over, at least one; several may have the same.
    """

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
        values = self._derivations.log_partition(theta)
        totals = self._totals(values)
        base = np.where(np.isneginf(totals), 0.0, totals)
        sizes = np.diff(self._offsets)
        shares = np.exp(values[self._members] - np.repeat(base, sizes))
        shares *= np.repeat(coefficients, sizes)
        weights = np.bincount(self._members, shares, minlength=len(values))
        return totals, self._derivations.evaluate(theta, weights.astype(np.float64))[1]

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
    evidences: Sequence[Evidence], derive: Callable[[Sequence[Evidence]], DerivationSet]
) -> Pooled:
    """Return what agrees with each piece of evidence, where some say "one of several".

    Args:
        evidences: The evidence.
        derive: From evidence of any other kind to its derivations.
    """
    numbers: dict[object, int] = {}
    parts: list[Evidence] = []

    def number(evidence: Evidence) -> int:
        if evidence not in numbers:
            numbers[evidence] = len(parts)
            parts.append(evidence)
        return numbers[evidence]

    pools = [[number(part) for part in _parts(evidence)] for evidence in evidences]
    return Pooled(derive(parts), pools)


def _parts(evidence: Evidence) -> list[Evidence]:
    if isinstance(evidence.tokens, OneOf):
        return [Evidence(sentence) for sentence in evidence.tokens.sentences]
    return [evidence]
