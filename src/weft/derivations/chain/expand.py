"""A trellis written out as a forest: one vertex a state, one edge a transition.

This is the specification of :class:`~weft.derivations.chain.trellis.Trellis`, for sentences small
enough to enumerate; the contract tests compare the two.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np

from weft.derivations.chain.rows import RowTable
from weft.derivations.chain.scoring import free_weights
from weft.derivations.chain.trellis import Trellis
from weft.derivations.feature_map import from_lists
from weft.derivations.forest import Forest, Weighted
from weft.structures.hypergraph import hypergraph
from weft.structures.occurrences import Occurrences

Weight = tuple[int, float]
"""A coordinate of θ and its feature's value."""


def to_forest(trellis: Trellis) -> Forest:
    """Return the same members as explicit hypergraphs, for a trellis with free weights."""
    members = [_member(trellis, member) for member in range(len(trellis))]
    return Forest(members, free_weights(trellis.scoring).size)


def _member(trellis: Trellis, member: int) -> Weighted:
    topology, sets = trellis.topology, trellis.members.sets[member]
    order, boundary = topology.order, topology.tags
    allowed = [[boundary]] * order + [trellis.sets[number] for number in sets] + [[boundary]]
    vertices: dict[tuple[int, tuple[int, ...]], int] = {}
    edges: list[tuple[int, tuple[int, ...]]] = []
    features: list[list[Weight]] = []
    start = (order - 1, (boundary,) * order)
    vertices[start] = 0
    edges.append((0, ()))
    features.append([])
    for position in range(order, len(allowed)):
        # The last step's heads are all one vertex, the root.
        final = position == len(allowed) - 1
        histories = product(*allowed[position - order : position + 1])
        steps = sorted(histories, key=lambda tags: (tags[1:], tags[0]))
        for tags in steps:
            tail = vertices.get((position - 1, tags[:-1]))
            if tail is None or topology.forbidden[tags[-2], tags[-1]]:
                continue
            head_key = (position, (boundary,) if final else tags[1:])
            head = vertices.setdefault(head_key, len(vertices))
            edges.append((head, (tail,)))
            features.append(list(_step(trellis, member, position - order, tags)))
    if (len(allowed) - 1, (boundary,)) not in vertices:
        edges, features, vertices = [], [], {start: 0}
    return _weighted(edges, features, len(vertices), free_weights(trellis.scoring).size)


def _weighted(
    edges: list[tuple[int, tuple[int, ...]]], features: list[list[Weight]], vertices: int, size: int
) -> Weighted:
    matrix = from_lists([[weight for weight, _ in several] for several in features], size)
    values = np.array([value for several in features for _, value in several], np.float64)
    return Weighted(
        hypergraph(vertices, edges), np.zeros(len(edges)), replace(matrix, values=values)
    )


def _step(trellis: Trellis, member: int, token: int, tags: tuple[int, ...]) -> Iterator[Weight]:
    """The features of the step to a token (or past the end), given its tag and those before."""
    topology = trellis.topology
    for ngrams, start in (
        (topology.bigrams, topology.bigram_start),
        (topology.trigrams, topology.trigram_start),
    ):
        size = ngrams.shape[1]
        matches = (ngrams == tags[-size:]).all(axis=1) if size <= len(tags) else []
        yield from ((start + int(place), 1.0) for place in np.flatnonzero(matches))
    sentence = int(trellis.members.sentences[member])
    if token == int(trellis.lengths[sentence]):
        return
    at = int(trellis.lengths[:sentence].sum()) + token
    scoring = free_weights(trellis.scoring)
    yield from _row(scoring.occurrences, scoring.tag_rows, at, tags[-1])
    if (parts := scoring.part_rows) is not None:
        for part in parts.of_tag(tags[-1]).tolist():
            yield from _row(scoring.occurrences, parts.table, at, part)
    if scoring.pair_rows is not None:
        pair = tags[-2] * topology.width + tags[-1]
        yield from _row(scoring.occurrences, scoring.pair_rows, at, pair)


def _row(occurrences: Occurrences, table: RowTable, token: int, column: int) -> Iterator[Weight]:
    for place in range(*occurrences.offsets[token : token + 2]):
        attribute = occurrences.attributes[place]
        value = 1.0 if occurrences.values is None else float(occurrences.values[place])
        for weight in range(*table.offsets[attribute : attribute + 2]):
            if table.columns[weight] == column:
                yield table.start + weight, value
