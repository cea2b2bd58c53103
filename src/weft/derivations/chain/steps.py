"""The steps of a chain over all words: a state is a tag, or a pair of tags for order 2."""

from __future__ import annotations

import numpy as np

from weft.arrays import FloatArray
from weft.derivations.chain.topology import Topology
from weft.derivations.chain.vocabulary import WordSums
from weft.grammars.sums.steps import StepWeights


def with_words(topology: Topology, words: WordSums) -> FloatArray:
    """[groups, width, width]: the log-weights of transitions, those of all words added."""
    table, totals = words.steps.transitions.copy(), words.totals[:, : topology.tags]
    table[:, :, : topology.tags] += totals if topology.order == 1 else totals[:, None, :]
    return table


def steps_of(topology: Topology, table: FloatArray) -> StepWeights:
    """Return the steps that are in a table of transitions [groups, width, width], as logs."""
    tags = topology.tags
    if topology.order == 1:
        used = table[0]
        return StepWeights(used[tags, :tags], used[None, :tags, :tags], used[:tags, tags])
    begin = np.full((tags + 1, tags), -np.inf)
    begin[tags] = table[tags, tags, :tags]
    end = np.ascontiguousarray(table[:tags, : tags + 1, tags].T)
    return StepWeights(begin, table[:tags, : tags + 1, :tags], end)


def table_of(topology: Topology, steps: StepWeights, missing: float = 0.0) -> FloatArray:
    """Return the table [groups, width, width] that some steps are in."""
    tags, width = topology.tags, topology.width
    if topology.order == 1:
        table = np.full((1, width, width), missing)
        table[0, tags, :tags], table[0, :tags, :tags] = steps.begin, steps.go[0]
        table[0, :tags, tags] = steps.end
        return table
    table = np.full((width, width, width), missing)
    table[tags, tags, :tags] = steps.begin[tags]
    table[:tags, : tags + 1, :tags] = steps.go
    table[:tags, : tags + 1, tags] = steps.end.T
    return table
