"""Passes over sentences in which weights change all the time, where there is a kernel for it.

The kernels do for chains with free weights what :mod:`weft.optimise.online` and
:mod:`weft.optimise.stochastic` say, without going back to Python after each sentence or batch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from weft.arrays import FloatArray, IndexArray, IntArray, offsets_of
from weft.derivations.best import BestPaths
from weft.derivations.chain.scoring import LogLinear
from weft.derivations.chain.trellis import Trellis
from weft.derivations.derivation_set import DerivationSet
from weft.kernels import kernels

RULES = ("perceptron", "pa", "pa-1", "pa-2", "arow")
"""The rules that the kernel has, in the order of their numbers there."""

_AT_ONCE = 16_384  # examples or batches, so that an interrupt is noticed

_MOST_TRIPLES = 2**21  # the kernels have tables of all triples of tags


class ChainPasses:
    """Passes over examples that are pairs of members of a trellis: the observed, and its rivals.

    Args:
        trellis: The members.
        scoring: Its weights.
        numerators: [examples].
        denominators: [examples].
        weights: [examples], how often each counts.
        best: Whether the best sequences are compared, and not sums over all.
    """

    def __init__(
        self,
        trellis: Trellis,
        scoring: LogLinear,
        numerators: IntArray,
        denominators: IntArray,
        weights: FloatArray,
        best: bool,
    ) -> None:
        self.best = best
        self._topology = trellis.topology
        sentences = trellis.members.sentences[numerators]
        starts, labels = trellis.labels
        pairs, triples = _numbers(trellis)
        occurrences, table = scoring.occurrences, scoring.tag_rows
        self._arguments = (
            trellis.sets.offsets,
            trellis.sets.tags,
            trellis.sets.bias,
            occurrences.offsets,
            table.offsets[:-1].astype(np.int32)[occurrences.attributes],
            np.diff(table.offsets).astype(np.int32)[occurrences.attributes],
            occurrences.values,
            table.columns,
            table.start,
            pairs,
            triples,
            offsets_of(trellis.lengths)[sentences],
            trellis.lengths[sentences].astype(np.int64),
            starts[numerators],
            starts[denominators],
            labels,
            weights,
        )

    def answer(
        self,
        rule: str,
        strength: float,
        order: IntArray,
        arrays: Mapping[str, FloatArray],
        before: int,
    ) -> tuple[float, int]:
        """Go over examples; see :meth:`weft.optimise.batches.Terms.sweep`."""
        topology, total, changes = self._topology, 0.0, 0
        for first in range(0, len(order), _AT_ONCE):
            value, changed = kernels.chain_online(
                topology.order,
                topology.tags,
                topology.table(arrays["weights"]),
                *self._arguments,
                np.ascontiguousarray(order[first : first + _AT_ONCE]),
                RULES.index(rule),
                strength,
                before + first,
                arrays["weights"],
                arrays.get("drift"),
                arrays.get("variances"),
            )
            total, changes = total + value, changes + changed
        return total, changes

    def ascend(
        self,
        groups: Sequence[IntArray],
        rate: float,
        factor: float,
        weights: FloatArray,
        sums: FloatArray | None,
    ) -> float:
        """Make a step on each batch; see :meth:`weft.optimise.batches.Terms.ascend`."""
        topology, total = self._topology, 0.0
        for first in range(0, len(groups), _AT_ONCE):
            some = groups[first : first + _AT_ONCE]
            total += kernels.chain_ascent(
                topology.order,
                topology.tags,
                topology.table(weights),
                *self._arguments,
                np.concatenate(some),
                offsets_of(map(len, some)),
                rate,
                factor,
                weights,
                sums,
            )
        return total


def passes_of(
    derivations: DerivationSet, numerators: IntArray, denominators: IntArray, weights: FloatArray
) -> ChainPasses | None:
    """Return passes over examples, each a pair of members; None where batches must serve.

    They do where many tags make many triples few of which have a weight: batches sum over these.
    """
    trellis = derivations.every if type(derivations) is BestPaths else derivations
    if not isinstance(trellis, Trellis):
        return None
    scoring = trellis.scoring
    if not isinstance(scoring, LogLinear) or scoring.paired or scoring.part_rows is not None:
        return None
    topology = trellis.topology
    large = topology.order == 2 and topology.width**3 > _MOST_TRIPLES
    if large and topology.cells is not None:
        return None
    best = trellis is not derivations
    return ChainPasses(trellis, scoring, numerators, denominators, weights, best)


def _numbers(trellis: Trellis) -> tuple[IndexArray, IndexArray | None]:
    """The weight of each pair of tags, and of each three, or -1."""
    topology = trellis.topology
    width = topology.width
    pairs = np.full((width, width), -1, np.int32)
    pairs[tuple(topology.bigrams.T)] = topology.bigram_start + np.arange(len(topology.bigrams))
    if topology.order == 1:
        return pairs.reshape(-1), None
    triples = np.full((width, width, width), -1, np.int32)
    numbers = topology.trigram_start + np.arange(len(topology.trigrams))
    triples[tuple(topology.trigrams.T)] = numbers
    return pairs.reshape(-1), triples.reshape(-1)
