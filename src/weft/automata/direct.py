"""Neighbourhoods written down directly, as minimal deterministic lattices.

Each function knows the futures that a prefix of a neighbour can have, and makes one state of each.
With x the sentence, xᵢ… its words from number i (from 0) to the end, the futures are

=============  ======================================================================
main i         all that one change in xᵢ… can make of it, and xᵢ… itself
rest i         xᵢ… alone: the change is behind
either i       xᵢ… or xᵢ₊₁…: the change is behind, but there are two ways to see it
swapped i      xᵢ₊₁ came in the place of xᵢ: xᵢ and xᵢ₊₂…, or, if xᵢ may be deleted, xᵢ₊₂…
set S          xⱼ… for every j in S: where the deleted span ended is yet open
=============  ======================================================================

Two words that are equal are not transposed, and of a run of equal words the first is deleted, so
that no string is made twice. From u on, the first number with all of x_u… equal, the futures of
main coincide with simpler ones. Different futures are different states: nothing is left to
minimise. :mod:`weft.automata.neighbourhoods` makes the same lattices by transducers. The states are
made and numbered in ``native/neighbourhoods.hpp``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

import numpy as np
import numpy.typing as npt

from weft.arrays import IndexArray, IntArray, freeze
from weft.automata.transducer import MOST_ARCS, check_size
from weft.kernels import kernels
from weft.structures.lattice import Lattice, number_states

_Arrays = tuple[IntArray, IndexArray, IndexArray, npt.NDArray[np.uint8]]


def deletions(words: Sequence[str]) -> Lattice:
    """Return the sentence and what remains of it without one of its words.

    >>> list(deletions(["a", "rose", "is"]).strings())
    [('a', 'rose'), ('a', 'rose', 'is'), ('a', 'is'), ('rose', 'is')]
    """
    return _made(words, kernels.deletions)


def transpositions(words: Sequence[str]) -> Lattice:
    """Return the sentence, and the sentence with two neighbouring words exchanged.

    >>> list(transpositions(["a", "rose", "is"]).strings())
    [('a', 'rose', 'is'), ('a', 'is', 'rose'), ('rose', 'a', 'is')]
    """
    return _made(words, kernels.transpositions)


def deletions_and_transpositions(words: Sequence[str]) -> Lattice:
    """Return the sentence, and what deleting or transposing can make of it.

    >>> list(deletions_and_transpositions(["a", "rose"]).strings())
    [('a',), ('a', 'rose'), ('rose',), ('rose', 'a')]
    """
    return _made(words, kernels.deletions_and_transpositions)


def span_deletions(words: Sequence[str], limit: int = MOST_ARCS) -> Lattice:
    """Return the sentence and what remains of it without one span of words.

    >>> list(span_deletions(["a", "rose", "is"]).strings())
    [('a',), ('a', 'rose'), ('a', 'rose', 'is'), ('a', 'is'), ('rose', 'is'), ('is',)]

    Raises:
        LimitError: If the lattice would have more than ``limit`` arcs, or places in its sets.
    """

    def build(numbers: IndexArray) -> _Arrays:
        found = kernels.span_deletions(numbers, limit)
        check_size(limit + (found is None), limit, "the arcs of the spans")
        return cast(_Arrays, found)

    return _made(words, build)


def _made(words: Sequence[str], build: Callable[[IndexArray], _Arrays]) -> Lattice:
    """Return the lattice that is built of a sentence's numbers.

    Its arrays are what the constructor would check, which takes longer than to make them: the tests
    hold them to it.
    """
    numbers, symbols = number_states(words)
    offsets, arc_symbols, targets, final = build(np.array(numbers, np.int32))
    made = object.__new__(Lattice)
    object.__setattr__(made, "symbols", symbols)
    object.__setattr__(made, "arc_offsets", freeze(offsets))
    object.__setattr__(made, "arc_symbols", freeze(arc_symbols))
    object.__setattr__(made, "targets", freeze(targets))
    object.__setattr__(made, "final", freeze(final.view(np.bool_)))
    return made
