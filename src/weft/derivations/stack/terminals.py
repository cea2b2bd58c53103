"""The terminals of a sentence as a parser reads them: one per word, or several to choose from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from weft.arrays import FloatArray, IndexArray, IntArray, offsets_of


@dataclass(frozen=True, slots=True, eq=False)
class Terminals:
    """A lattice of terminals. An *opening* is the shift of one of them.

    Nodes are in order; those before all words are starts, and the last is the end. Where the parser
    looks ahead, a node knows which terminal is next.

    Attributes:
        positions: [nodes], how many words are before each.
        looks: [nodes], what is looked ahead to; zeros where nothing is.
        sources: [openings], the node that each leaves, ascending.
        labels: [openings], the label that comes on the stack.
        scores: [openings], what is added to the score of the shift.
        target_offsets: [openings + 1].
        targets: The nodes that each opening may lead to.
    """

    positions: IndexArray
    looks: IndexArray
    sources: IndexArray
    labels: IndexArray
    scores: FloatArray
    target_offsets: IntArray
    targets: IndexArray

    @property
    def starts(self) -> int:
        """How many nodes, from the first on, a sentence may begin at."""
        return int(np.searchsorted(self.positions, 1))

    def follow(self, labels: Sequence[int]) -> tuple[list[int], list[int]]:
        """Return the openings of some labels, one per word, and the nodes that each leads to.

        Raises:
            LookupError: If there is no such way.
        """
        openings: list[int] = []
        sources, chosen = self.sources.tolist(), self.labels.tolist()
        positions = self.positions.tolist()
        place = {
            (positions[source], label): opening
            for opening, (source, label) in enumerate(zip(sources, chosen, strict=True))
        }
        for position, label in enumerate(labels):
            openings.append(place[position, label])
        nodes = [sources[opening] for opening in openings[1:]]
        return openings, [*nodes, len(positions) - 1]


def terminals_of(
    choices: Sequence[Sequence[tuple[int, float]]], looks: Sequence[Sequence[int]] | None = None
) -> Terminals:
    """Return the terminals of a sentence, given the labels of each word with their scores.

    >>> terminals_of([[(1, 0.0)], [(1, -0.5), (2, -1.0)]]).targets
    array([1, 2, 2], dtype=int32)

    Args:
        choices: The labels of each word.
        looks: What is looked ahead to before each label of each word, and last at the end; None
            where nothing is. A word with equal looks has one node, with others several.
    """
    if looks is None:
        looks = [[0] * len(each) for each in choices] + [[0]]
    nodes: list[tuple[int, int]] = []
    numbers: dict[tuple[int, int], int] = {}
    # A word without labels has a node, too, at which every parse ends.
    before = [list(dict.fromkeys(each)) or [0] for each in looks]
    for position, each in enumerate(before):
        for look in each:
            numbers[position, look] = len(nodes)
            nodes.append((position, look))
    sources, labels, scores, targets = [], [], [], []
    for position, some in enumerate(choices):
        mine = sorted(
            (numbers[position, look], label, score)
            for (label, score), look in zip(some, looks[position], strict=True)
        )
        after = [numbers[position + 1, look] for look in before[position + 1]]
        for source, label, score in mine:
            sources.append(source)
            labels.append(label)
            scores.append(score)
            targets.append(after)
    return Terminals(
        np.array([position for position, _ in nodes], np.int32),
        np.array([look for _, look in nodes], np.int32),
        np.array(sources, np.int32),
        np.array(labels, np.int32),
        np.array(scores, np.float64),
        offsets_of(map(len, targets)),
        np.array([node for each in targets for node in each], np.int32),
    )
