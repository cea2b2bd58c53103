"""Evidence laid out for charts: a lattice for each member, and what its trees may not have."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from weft.arrays import IndexArray, IntArray, ScalarT, offsets_of
from weft.derivations.chart.grammar import ChartGrammar
from weft.derivations.chart.limits import Flags, SpanLimits, limits
from weft.errors import EvidenceError
from weft.kernels import kernels
from weft.structures.constituents import Constituents
from weft.structures.evidence import Evidence, Label, Sentence
from weft.structures.lattice import Lattice


@dataclass(frozen=True, slots=True, eq=False)
class ChartMembers:
    """Members laid out for the kernels; made by :func:`chart_members`.

    Attributes:
        topology: The grammar, with what arcs may be read as.
        members: The lattices.
        states: How many states each member has. [members]
        sources: Where each comes from, for messages.
        unknown: The first token of each that is no terminal of the grammar, or -1. [members]
        limits: What trees may not have, and must have.
    """

    topology: kernels.ChartTopology
    members: kernels.ChartMembers
    states: IntArray
    sources: tuple[str, ...]
    unknown: IntArray
    limits: SpanLimits

    @property
    def span_offsets(self) -> IntArray:
        """[members + 1]: where the spans of each member begin, and where the last ends."""
        return offsets_of(self.states * (self.states - 1) // 2)


def spans_of(states: int) -> tuple[IntArray, IntArray]:
    """Return the starts and the ends of all spans between states, as charts number them.

    >>> spans_of(3)
    (array([0, 0, 1]), array([1, 2, 2]))
    """
    starts, ends = np.triu_indices(states, 1)
    return starts, ends


def chart_members(chart: ChartGrammar, evidences: Sequence[Evidence]) -> ChartMembers:
    """Lay evidence out for charts.

    Args:
        chart: The grammar.
        evidences: Sentences or lattices, with what is known of their tags and constituents.

    Raises:
        EvidenceError: If evidence has no tokens, or its parse is a whole tree.
    """
    builder = _ArcBuilder(chart)
    for number, evidence in enumerate(evidences):
        builder.take(evidence, number)
    return builder.finish()


class _ArcBuilder:
    """Arcs and states, member after member."""

    def __init__(self, chart: ChartGrammar) -> None:
        self.chart = chart
        self.numbers = {text: number for number, text in enumerate(chart.grammar.terminals)}
        self.labels = {text: number for number, text in enumerate(chart.grammar.nonterminals)}
        self.entries: dict[tuple[int, ...], int] = {}
        self.states: list[int] = []
        self.degrees: list[IntArray] = []
        self.arcs: list[tuple[IndexArray, IndexArray, IndexArray]] = []
        self.final: list[Flags] = []
        self.sources: list[str] = []
        self.unknown: list[int] = []
        self.known: dict[int, Constituents] = {}

    def take(self, evidence: Evidence, number: int) -> None:
        tokens = evidence.tokens
        if isinstance(tokens, Sentence):
            self.sources.append(tokens.source or f"sentence {number + 1}")
            self._take_sentence(tokens, evidence)
        elif isinstance(tokens, Lattice):
            self.sources.append(f"lattice {number + 1}")
            self._take_lattice(tokens)
        else:
            raise EvidenceError(
                f"a chart needs the tokens of a sentence, or a lattice of them, not {tokens!r}"
            )
        if isinstance(evidence.parse, Constituents):
            self.known[number] = evidence.parse
        elif evidence.parse is not None:
            raise EvidenceError(
                f"{self.sources[-1]}: the tree is known, and so there is nothing to sum over; "
                "count its rules (weft.grammars.induce.rule_numbers)"
            )

    def _take_sentence(self, tokens: Sentence, evidence: Evidence) -> None:
        count = len(tokens)
        terminals = np.array([self.numbers.get(word, -1) for word in tokens.words], np.int32)
        entries = terminals
        if evidence.analysis is not None:
            pairs = zip(terminals.tolist(), evidence.analysis, strict=True)
            entries = np.array([self._entry(t, label) for t, label in pairs], np.int32)
        targets = np.arange(1, count + 1, dtype=np.int32)
        states = np.arange(count + 1)
        self._add(states < count, (terminals, entries, targets), states == count)

    def _take_lattice(self, tokens: Lattice) -> None:
        words = np.array([self.numbers.get(word, -1) for word in tokens.symbols], np.int32)
        terminals = words[tokens.arc_symbols]
        degrees = np.diff(tokens.arc_offsets)
        self._add(degrees, (terminals, terminals, tokens.targets), tokens.final)

    def _add(
        self,
        degrees: npt.ArrayLike,
        arcs: tuple[IndexArray, IndexArray, IndexArray],
        final: npt.ArrayLike,
    ) -> None:
        self.degrees.append(np.asarray(degrees, np.int64))
        self.final.append(np.asarray(final, np.uint8))
        self.states.append(len(self.final[-1]))
        self.arcs.append(arcs)
        missing = np.flatnonzero(arcs[0] < 0)
        self.unknown.append(int(missing[0]) if len(missing) else -1)

    def _entry(self, terminal: int, label: Label) -> int:
        """What an arc may be read as: the edges X → terminal where X is a tag that it may have."""
        if terminal < 0 or label is None:
            return terminal
        tags = {label} if isinstance(label, str) else label
        names = self.chart.grammar.nonterminals
        first = self.chart.bounds[3]
        kept = tuple(
            edge
            for edge in self.chart.entries[terminal]
            if self.chart.edges[first + edge].rule < 0
            or self.chart.edges[first + edge].empties
            or names[self.chart.edges[first + edge].target] in tags
        )
        return len(self.chart.entries) + self.entries.setdefault(kept, len(self.entries))

    def finish(self) -> ChartMembers:
        topology = self.chart.topology
        if self.entries:
            topology = self.chart.layout.topology([*self.chart.entries, *self.entries])
        terminals, entries, targets = (
            _joined((arcs[place] for arcs in self.arcs), np.int32) for place in range(3)
        )
        members = kernels.chart_members(
            offsets_of(self.states),
            offsets_of(_joined(self.degrees, np.int64)),
            terminals,
            entries,
            targets,
            _joined(self.final, np.uint8),
        )
        return ChartMembers(
            topology,
            members,
            np.array(self.states, np.int64),
            tuple(self.sources),
            np.array(self.unknown, np.int64),
            limits(self.known, np.array(self.states, np.int64), self.labels),
        )


def _joined(parts: Iterable[npt.NDArray[ScalarT]], kind: type[ScalarT]) -> npt.NDArray[ScalarT]:
    """One array of all parts, of a kind that an empty list does not tell."""
    return np.concatenate([np.zeros(0, kind), *parts]).astype(kind)
