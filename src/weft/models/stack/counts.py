"""The moves of parsed sentences as arrays, each with what the parser knew when it made it.

A move is the number ``kind * labels + label`` with the kinds shift, reduce₁ and reduce₂. Label 0
is ⋆, and so move 0 is shift(⋆).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from weft.arrays import FloatArray, IntArray
from weft.derivations.stack.table import SHIFT
from weft.errors import EvidenceError
from weft.grammars.transforms.moves import states_of
from weft.structures.moves import END, Move, Reduce, Shift


@dataclass(frozen=True, slots=True, eq=False)
class MoveCounts:
    """The distinct moves of parses, each with how often it was made.

    Attributes:
        labels: The labels that the stack may have, by their numbers: ⋆, and the others sorted.
        looks: The terminals, likewise.
        start: The number of the start symbol among the labels.
        tops: [moves], the label on top of the stack before each, ascending.
        below: [moves], the label below it.
        nexts: [moves], which of the looks is next.
        moves: [moves], the moves.
        counts: [moves], how often each was made.
        parts: [moves], in which part of the corpus.
    """

    labels: tuple[str, ...]
    looks: tuple[str, ...]
    start: int
    tops: IntArray
    below: IntArray
    nexts: IntArray
    moves: IntArray
    counts: FloatArray
    parts: IntArray


def count_moves(
    parses: Sequence[Sequence[Move]], weights: Sequence[float] | None = None, *, parts: int = 10
) -> MoveCounts:
    """Return the moves of parses as arrays.

    >>> from weft.grammars.transforms import moves_of
    >>> from weft.structures.tree import Tree
    >>> counts = count_moves([moves_of(Tree("NP", ("DT", "NN")))])
    >>> counts.labels, counts.looks, counts.labels[counts.start]
    (('⋆', 'DT', 'NN', 'NP'), ('⋆', 'DT', 'NN'), 'NP')
    >>> [counts.labels[top] for top in counts.tops]
    ['⋆', 'DT', 'NN', 'NP']

    Args:
        parses: The moves of each tree; see :func:`~weft.grammars.transforms.moves.moves_of`.
        weights: How often each counts; once by default. Those of weight zero are left out.
        parts: Into how many parts the corpus falls, for deleted interpolation: consecutive parses,
            since those of one text resemble each other, which unseen texts do not.

    Raises:
        EvidenceError: If there is no parse, or they end in several start symbols.
    """
    given = [1.0] * len(parses) if weights is None else weights
    used = [(moves, weight) for moves, weight in zip(parses, given, strict=True) if weight > 0]
    if not used:
        raise EvidenceError("there are no moves to count: give trees")
    labels = _numbered(move.label for moves, _ in used for move in moves)
    looks = _numbered(move.label for moves, _ in used for move in moves if isinstance(move, Shift))
    rows: list[tuple[int, int, int, int]] = []
    starts: set[str] = set()
    for moves, _ in used:
        states = states_of(moves)
        starts.add(states[-1].top)
        for (top, below, coming), move in zip(states, moves, strict=True):
            # Before every move of a parse some shift is still to come.
            ahead = looks[coming.label] if coming else 0
            rows.append((labels[top], labels[below], ahead, number_of(move, labels)))
    lengths = [len(moves) for moves, _ in used]
    parted = np.repeat(np.arange(len(used)) * parts // len(used), lengths)
    columns = (*np.array(rows, np.int64).T, parted)
    sizes = len(labels), len(labels), len(looks), 3 * len(labels), parts
    keys, places = np.unique(np.ravel_multi_index(columns, sizes), return_inverse=True)
    each = np.repeat([float(weight) for _, weight in used], lengths)
    tops, second, nexts, numbers, parted = np.unravel_index(keys, sizes)
    return MoveCounts(
        tuple(labels),
        tuple(looks),
        labels[_only(starts)],
        tops,
        second,
        nexts,
        numbers,
        np.bincount(places.reshape(-1), each).astype(np.float64),
        parted,
    )


def _numbered(found: Iterable[str]) -> dict[str, int]:
    names = sorted(set(found) - {END})
    return {name: number for number, name in enumerate([END, *names])}


def number_of(move: Move, labels: Mapping[str, int]) -> int:
    """Return the number of a move, given those of labels.

    Raises:
        KeyError: If there is no such label.

    >>> number_of(Reduce(2, "NP"), {"⋆": 0, "NP": 1})
    5
    """
    kind = move.size if isinstance(move, Reduce) else SHIFT
    return kind * len(labels) + labels[move.label]


def _only(starts: set[str]) -> str:
    if len(starts) > 1:
        raise EvidenceError(
            f"the trees have {len(starts)} labels at their roots, {', '.join(sorted(starts)[:3])} "
            "among them: put one root over all of them (the clean-up 'top')"
        )
    return next(iter(starts))
