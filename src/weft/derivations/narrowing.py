"""Sets of derivations over the weights that they look at, and no others.

A few sentences look at a few of a million weights. Renumbered, these are all that an evaluation
reads and writes, so that it costs as much as the sentences, and not as much as the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import singledispatch

import numpy as np

from weft.arrays import IntArray, offsets_of, ranges
from weft.derivations.analyses import Analyses
from weft.derivations.best import BestPaths
from weft.derivations.chain.locally_normalised import ConditionallyNormalised
from weft.derivations.chain.rows import RowTable
from weft.derivations.chain.scoring import LogLinear, Scoring
from weft.derivations.chain.trellis import Trellis
from weft.derivations.combine import Union
from weft.derivations.derivation_set import DerivationSet
from weft.derivations.known import Certain


@singledispatch
def narrow(derivations: DerivationSet) -> tuple[IntArray | None, DerivationSet]:
    """Return the coordinates that a set looks at, ascending, and the set over these.

    Returns:
        None and the set itself, where it may look at all: grammars, sums over all sentences.
    """
    return None, derivations


@narrow.register
def _of_best(best: BestPaths) -> tuple[IntArray | None, DerivationSet]:
    if type(best) is not BestPaths or isinstance(best.every, Union):
        return None, best
    coordinates, inner = narrow(best.every)
    return coordinates, BestPaths(inner)


@narrow.register
def _of_union(union: Union) -> tuple[IntArray | None, DerivationSet]:
    """Beside sums that are one whatever the weights, a single set can be narrowed."""
    free = [number for number, each in enumerate(union.sets) if not isinstance(each, Certain)]
    if len(free) != 1:
        return None, union
    coordinates, small = narrow(union.sets[free[0]])
    sets = [small if number == free[0] else each for number, each in enumerate(union.sets)]
    return coordinates, Union(sets, union.owners, union.places)


@narrow.register
def _of_analyses(analyses: Analyses) -> tuple[IntArray, Analyses]:
    whole = analyses.bags.features
    found, features = np.unique(whole.features, return_inverse=True)
    small = replace(whole, features=features.astype(np.int32), size=len(found))
    bags = replace(analyses.bags, features=small)
    narrowed = Analyses(bags, analyses.members, analyses.threads, analyses.order)
    return found.astype(np.int64), narrowed


@narrow.register
def _of_trellis(trellis: Trellis) -> tuple[IntArray | None, DerivationSet]:
    coordinates, scoring = _of_scoring(trellis.scoring)
    if coordinates is None:
        return None, trellis
    free = scoring.free if isinstance(scoring, ConditionallyNormalised) else scoring
    assert isinstance(free, LogLinear)  # noqa: S101
    small = Trellis(
        free.topology,
        trellis.lengths,
        scoring,
        trellis.members,
        trellis.sets,
        trellis.threads,
        trellis.reader,
    )
    return coordinates, small


def _of_scoring(scoring: Scoring) -> tuple[IntArray | None, Scoring]:
    if isinstance(scoring, ConditionallyNormalised):
        coordinates, free = _of_weights(scoring.free)
        return coordinates, replace(scoring, free=free)
    return _of_weights(scoring) if isinstance(scoring, LogLinear) else (None, scoring)


def _of_weights(free: LogLinear) -> tuple[IntArray, LogLinear]:
    """The n-grams, and the rows of the attributes that occur."""
    topology = free.topology
    bigrams, trigrams = len(topology.bigrams), len(topology.trigrams)
    parts = [
        topology.bigram_start + np.arange(bigrams),
        topology.trigram_start + np.arange(trigrams),
    ]
    used, attributes = np.unique(free.occurrences.attributes, return_inverse=True)
    tables: list[RowTable] = []
    for table in free.tables:
        lengths = np.diff(table.offsets)[used]
        mine = ranges(table.offsets[:-1][used], lengths)
        start = sum(map(len, parts))
        tables.append(RowTable(offsets_of(lengths), table.columns[mine], start, table.width))
        parts.append(table.start + mine)
    part_rows = free.part_rows and free.part_rows.with_table(tables.pop())
    small = replace(
        free,
        topology=replace(topology, bigram_start=0, trigram_start=bigrams),
        occurrences=replace(free.occurrences, attributes=attributes.astype(np.int32)),
        tag_rows=tables[0],
        pair_rows=tables[1] if len(tables) > 1 else None,
        part_rows=part_rows,
    )
    return _ascending(parts), small


def _ascending(parts: Sequence[IntArray]) -> IntArray:
    """The coordinates of all parts; every model has them in this order."""
    return np.concatenate(parts).astype(np.int64)
