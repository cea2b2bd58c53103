"""Members of several sets of derivations, taken together as one set."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weft.arrays import FloatArray, IntArray
from weft.derivations.derivation_set import DerivationSet


class Union:
    """The members of several sets, in an order of their own.

    Args:
        sets: The sets, over the same θ.
        owners: [members], the set that each member belongs to.
        places: [members], which of that set's members it is.
    """

    def __init__(self, sets: Sequence[DerivationSet], owners: IntArray, places: IntArray) -> None:
        self._sets = tuple(sets)
        self._owners = owners
        self._places = places

    def __len__(self) -> int:
        return len(self._owners)

    def log_partition(self, theta: FloatArray) -> FloatArray:
        """[members]: log Z, -inf where a member has no derivation."""
        return self._gather([each.log_partition(theta) for each in self._sets])

    def evaluate(
        self, theta: FloatArray, coefficients: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return log Z [members] and Σ_k c_k E_k[f] [θ]."""
        values, gradient = [], np.zeros_like(theta)
        for number, each in enumerate(self._sets):
            mine = self._owners == number
            shares = np.zeros(len(each))
            # Several members may be one and the same, such as everything.
            np.add.at(shares, self._places[mine], coefficients[mine])
            log_partition, part = each.evaluate(theta, shares)
            values.append(log_partition)
            gradient += part
        return self._gather(values), gradient

    def impossible(self, member: int) -> int | None:
        """The first token that no derivation of a member gets past; None if there is none."""
        owner, place = int(self._owners[member]), int(self._places[member])
        return self._sets[owner].impossible(place)

    def _gather(self, values: Sequence[FloatArray]) -> FloatArray:
        gathered = np.empty(len(self))
        for number, each in enumerate(values):
            mine = self._owners == number
            gathered[mine] = each[self._places[mine]]
        return gathered
