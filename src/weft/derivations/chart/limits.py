"""What is known of trees as limits on charts: which spans are closed, and what must be in others.

Where a tree is known to have a constituent over the words a … b − 1, no node crosses it; no right
side has a boundary strictly within it, unless the whole right side is; and of the nodes that span
it, a chain of unary expansions, one has the known label.

Reference: Pereira and Schabes (1992), "Inside-Outside Reestimation from Partially Bracketed
Corpora", section 2, where constituents only may not be crossed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from weft.arrays import IndexArray, IntArray, flatten, offsets_of
from weft.errors import LimitError
from weft.kernels import kernels
from weft.structures.constituents import Constituents

Flags = npt.NDArray[np.uint8]

MOST_LABELS = 8
"""Of a span more labels may not be known: time grows with their subsets."""


@dataclass(frozen=True, slots=True, eq=False)
class SpanLimits:
    """Limits on the trees of all members, span after span; made by :func:`limits`.

    Attributes:
        allowed: Whether a nonterminal may span; None where all may. [spans, nonterminals]
        prefixes: Whether the beginning of a right side may span; None where it always may. [spans]
        required: The number of the set of labels that must span, or -1. [spans]
        requirements: These sets.
    """

    allowed: Flags | None
    prefixes: Flags | None
    required: IndexArray | None
    requirements: kernels.ChartRequirements


def limits(
    known: Mapping[int, Constituents], states: IntArray, labels: Mapping[str, int]
) -> SpanLimits:
    """Return the limits that known constituents are.

    Args:
        known: What is known of some members.
        states: The number of states of each member. [members]
        labels: The numbers of nonterminals.

    Raises:
        LimitError: If more than ``MOST_LABELS`` labels are known of one span.
    """
    if not known:
        none = kernels.chart_requirements(np.zeros(1, np.int64), np.zeros(0, np.int32))
        return SpanLimits(None, None, None, none)
    offsets = offsets_of(states * (states - 1) // 2).tolist()
    allowed = np.ones((offsets[-1], len(labels)), np.uint8)
    prefixes = np.ones(offsets[-1], np.uint8)
    required = np.full(offsets[-1], -1, np.int32)
    sets: list[list[int]] = []
    for member, constituents in known.items():
        mine = slice(offsets[member], offsets[member + 1])
        starts, ends = np.triu_indices(int(states[member]), 1)
        for (start, end), names in _by_span(constituents).items():
            crossing = (starts < start) & (start < ends) & (ends < end)
            crossing |= (start < starts) & (starts < end) & (end < ends)
            allowed[mine][crossing] = 0
            prefixes[mine][crossing] = 0
            required[mine][(starts == start) & (ends == end)] = len(sets)
            sets.append(sorted(labels[name] for name in names if name in labels))
            if not names <= labels.keys():  # no tree has such a label
                allowed[mine] = 0
            if len(names) > MOST_LABELS:
                raise LimitError(
                    f"more than {MOST_LABELS} labels are known of the span {start}–{end}: leave "
                    "some of them out"
                )
    set_offsets, flat = flatten(sets)
    requirements = kernels.chart_requirements(set_offsets, np.array(flat, np.int32))
    return SpanLimits(allowed, prefixes, required, requirements)


def _by_span(constituents: Constituents) -> dict[tuple[int, int], set[str]]:
    """The labels that are known of each span; none where only the brackets are."""
    found: dict[tuple[int, int], set[str]] = {}
    for span in constituents.spans:
        names = found.setdefault((span.start, span.end), set())
        if span.label is not None:
            names.add(span.label)
    return found
