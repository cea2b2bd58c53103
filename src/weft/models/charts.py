"""Charts of a grammar model: trees over sentences, scored by rules and by features of phrases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from weft.arrays import FloatArray, IndexArray
from weft.derivations.chart import Chart
from weft.derivations.chart_grammar import ChartGrammar
from weft.derivations.chart_members import spans_of
from weft.derivations.grouped import grouped_gradient
from weft.errors import OptionError
from weft.models.options import Normalisation
from weft.models.phrases import PhraseTable
from weft.structures.evidence import Evidence, Sentence
from weft.structures.tree import Tree

if TYPE_CHECKING:
    from weft.models.grammar_model import GrammarModel

_MOST_SCORES = 4_000_000
"""How many scores of spans are made at a time, 8 bytes each."""


class Charts:
    """Members that are the trees of a sentence or a lattice, θ being a grammar model's.

    Args:
        model: The model.
        rules: Its grammar, laid out for charts.
        evidences: Sentences or lattices, with what is known of their trees.
        threads: How many threads to use; no result depends on it.

    Raises:
        OptionError: If words vary and the model looks at them, or has classes for them.
    """

    def __init__(
        self,
        model: GrammarModel,
        rules: ChartGrammar,
        evidences: Sequence[Evidence],
        threads: int | None = None,
    ) -> None:
        self._model = model
        spelt = [_spelt(model, evidence) for evidence in evidences]
        # Scores of spans take memory, and so they are made for some members at a time.
        bounds = _bounds(spelt, len(model.grammar.nonterminals) if model.tables else 0)
        self._bounds = bounds
        self._parts = [
            _Part(model, Chart(rules, spelt[first:last], threads), spelt[first:last])
            for first, last in pairwise(bounds)
        ]

    def __len__(self) -> int:
        return self._bounds[-1]

    def log_partition(self, theta: FloatArray) -> FloatArray:
        """[members]: log Z; −inf where a member has no tree, +inf where the sum diverges."""
        weights = self._model.rule_weights(theta)
        parts = [part.chart.log_partition(weights, part.spans(theta)) for part in self._parts]
        return np.concatenate([np.empty(0), *parts])

    def evaluate(
        self, theta: FloatArray, coefficients: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return log Z [members] and the gradient of Σ_k c_k log Z_k [θ]."""
        model = self._model
        weights = model.rule_weights(theta)
        gradient = np.zeros_like(theta)
        rules = gradient[: model.grammar.rule_count]
        values = [np.empty(0)]
        for part, shares in zip(self._parts, self._split(coefficients), strict=True):
            if model.tables:
                found = part.chart.sweep(weights, shares, part.spans(theta))
                values.append(found.values)
                rules += found.rules
                part.collect(found.spans, shares, gradient)
            else:
                log_partition, expected = part.chart.evaluate(weights, shares)
                values.append(log_partition)
                rules += expected
        if model.head_weights is not None:
            np.add.at(gradient, model.head_weights, rules)
        if model.normalisation is not Normalisation.NONE:
            gradient = grouped_gradient(weights, model.groups, gradient)
        return np.concatenate(values), gradient

    def best(self, theta: FloatArray) -> list[tuple[Tree, float] | None]:
        """Return the best tree of each member and its score; None where it has none.

        Raises:
            DivergenceError: If there is no best tree, because a cycle gains weight.
        """
        weights = self._model.rule_weights(theta)
        found: list[tuple[Tree, float] | None] = []
        for part in self._parts:
            scores, trees = part.chart.best(weights, part.spans(theta))
            for tree, score in zip(trees, scores.tolist(), strict=True):
                found.append(None if tree is None else (tree, score))
        return found

    def entropy(self, theta: FloatArray) -> FloatArray:
        """[members]: the entropy of each distribution over trees, in nats.

        Raises:
            OptionError: If the model has features of phrases.
        """
        if self._model.tables:
            raise OptionError("entropies are of grammars without features of phrases")
        weights = self._model.rule_weights(theta)
        return np.concatenate([np.empty(0), *(part.chart.entropy(weights) for part in self._parts)])

    def impossible(self, member: int) -> int | None:
        """The first token that no tree of a member gets past; None if there is a tree."""
        number = int(np.searchsorted(self._bounds, member, side="right")) - 1
        return self._parts[number].chart.impossible(member - self._bounds[number])

    def _split(self, coefficients: FloatArray) -> Iterator[FloatArray]:
        for first, last in pairwise(self._bounds):
            yield coefficients[first:last]


class _Part:
    """Some members, with the rows of the features of their spans."""

    def __init__(self, model: GrammarModel, chart: Chart, evidences: Sequence[Evidence]) -> None:
        self.chart = chart
        self._tables = model.tables
        self._rows = [_rows(table, evidences) for table in model.tables]

    def spans(self, theta: FloatArray) -> FloatArray | None:
        """[spans, nonterminals]: the scores of phrases; None without such features."""
        if not self._tables:
            return None
        scores = (
            table.scores(theta)[rows] for table, rows in zip(self._tables, self._rows, strict=True)
        )
        total = next(scores)
        for each in scores:
            total += each
        return total

    def collect(self, marginals: FloatArray, shares: FloatArray, gradient: FloatArray) -> None:
        """Add the expectations of the features of phrases to a gradient [θ]."""
        sizes = np.diff(self.chart.span_offsets)
        weighted = marginals * np.repeat(shares, sizes)[:, None]
        for table, rows in zip(self._tables, self._rows, strict=True):
            sums = np.zeros(table.weights.shape)
            np.add.at(sums, rows, weighted)
            known = table.weights >= 0
            gradient[table.weights[known]] += sums[known]


def _rows(table: PhraseTable, evidences: Sequence[Evidence]) -> IndexArray:
    found = [np.empty(0, np.int32)]
    for evidence in evidences:
        words = evidence.tokens.words if isinstance(evidence.tokens, Sentence) else ()
        starts, ends = spans_of(len(words) + 1)
        found.append(table.rows(words, starts, ends))
    return np.concatenate(found)


def _spelt(model: GrammarModel, evidence: Evidence) -> Evidence:
    """The evidence with the grammar's terminals for words."""
    tokens = evidence.tokens
    if isinstance(tokens, Sentence):
        if model.lexicon is None:
            return evidence
        terminals = model.lexicon.terminals(tokens.words)
        return replace(evidence, tokens=Sentence((terminals,), source=tokens.source))
    if model.tables or model.lexicon is not None:
        raise OptionError(
            "where words vary, a grammar can neither have features of phrases nor classes of "
            "unknown words: use features=none and rare=0"
        )
    return evidence


def _bounds(evidences: Sequence[Evidence], width: int) -> list[int]:
    """Where parts begin and end."""
    bounds, scores = [0], 0
    for place, evidence in enumerate(evidences):
        length = len(evidence.tokens.words) if isinstance(evidence.tokens, Sentence) else 0
        scores += length * (length + 1) // 2 * width
        if scores > _MOST_SCORES:
            bounds.append(place + 1)
            scores = 0
    if bounds[-1] < len(evidences) or len(bounds) == 1:
        bounds.append(len(evidences))
    return bounds
