"""Ways to compute the same sums: plainly (``reference``), or fast (``native``).

A backend is a module, or any object, with the functions of :class:`Backend`. Backends assume
what the functions of :mod:`weft.inference` have checked.
"""

from __future__ import annotations

from typing import Protocol

from weft.arrays import FloatArray, IndexArray
from weft.structures.hypergraph import Hypergraph


class Backend(Protocol):
    """The sums that have a fast form.

    Weights and directions are contiguous float64 that are checked already. [edges]
    """

    def inside_outside(
        self, hypergraph: Hypergraph, weights: FloatArray, /
    ) -> tuple[float, FloatArray]:
        """Return log Z and the marginal of each edge."""

    def viterbi(self, hypergraph: Hypergraph, weights: FloatArray, /) -> tuple[float, IndexArray]:
        """Return the best score, and the best edge into each vertex.

        Of equally good edges it is the first; −1 stands where there is none.
        """

    def tangent(
        self, hypergraph: Hypergraph, weights: FloatArray, direction: FloatArray, /
    ) -> tuple[float, FloatArray]:
        """Return the directional derivatives of log Z and of the marginal of each edge."""
