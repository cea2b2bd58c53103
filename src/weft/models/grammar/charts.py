"""Charts of a grammar model: trees over sentences, scored by rules and by features of phrases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from weft.arrays import BoolArray, FloatArray, IndexArray, IntArray, broken_and_kept
from weft.derivations.chart.chart import Chart
from weft.derivations.chart.grammar import ChartGrammar
from weft.derivations.chart.limits import Flags
from weft.derivations.chart.members import spans_of
from weft.derivations.chart.product import ProductChart
from weft.derivations.derivation_set import Ranked
from weft.errors import DivergenceError, NotDefined
from weft.grammars.transforms import is_made
from weft.models.grammar.phrases import PhraseTable
from weft.models.grammar.tree_parts import Cells, Charge, SpanParts, TreeHits, TreeRivals, charge_of
from weft.ranking import rounded
from weft.structures.evidence import Evidence, Sentence
from weft.structures.tree import Tree

if TYPE_CHECKING:
    from weft.models.grammar.model import GrammarModel

MOST_SCORES = 4_000_000
"""How many scores of spans are made at a time, 8 bytes each, if nothing is said."""


class Charts:
    """Members that are the trees of a sentence or a lattice, θ being a grammar model's.

    Args:
        model: The model.
        rules: Its grammar, or that of its canonical trees, laid out for charts.
        evidences: Sentences or lattices, with what is known of their trees.
        threads: How many threads to use; no result depends on it.
        charges: What is added where labels span that no observed tree has.
        closed: For each member, which labels may not span where; None where all may.
        most_scores: How many scores of spans are made at a time; no result depends on it, but for
            rounding.

    Raises:
        NotDefined: If words vary and the model looks at them.
    """

    def __init__(
        self,
        model: GrammarModel,
        rules: ChartGrammar,
        evidences: Sequence[Evidence],
        threads: int | None = None,
        *,
        charges: Sequence[Charge] = (),
        closed: Sequence[Cells] | None = None,
        most_scores: int = MOST_SCORES,
    ) -> None:
        self.model = model
        self.rules = rules
        self.evidences = tuple(evidences)
        self.threads = threads
        self.most_scores = most_scores
        self._charges = tuple(charges)
        self._closed = closed
        spelt = [spell_evidence(model, evidence) for evidence in evidences]
        # Scores of spans take memory, and so they are made for some members at a time.
        width = len(model.grammar.nonterminals) if model.tables or charges else 0
        self._bounds = _bounds(spelt, width, most_scores)
        self._parts = [
            _Part(
                model,
                _chart(
                    model, rules, spelt[some], threads, _allowed(model, spelt[some], closed, some)
                ),
                spelt[some],
                [each.select(range(*some.indices(len(spelt)))) for each in self._charges],
            )
            for some in (slice(first, last) for first, last in pairwise(self._bounds))
        ]

    def __len__(self) -> int:
        return self._bounds[-1]

    def log_partition(self, theta: FloatArray) -> FloatArray:
        """[members]: log Z; −inf where a member has no tree, +inf where the sum diverges."""
        weights = self.model.rule_weights(theta)
        parts = [part.chart.log_partition(weights, part.spans(theta)) for part in self._parts]
        return np.concatenate([np.empty(0), *parts])

    def evaluate(
        self, theta: FloatArray, coefficients: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return log Z [members] and the gradient of Σ_k c_k log Z_k [θ]."""
        model = self.model
        weights = model.rule_weights(theta)
        rules, phrases = np.zeros_like(weights), np.zeros_like(theta)
        values = [np.empty(0)]
        for part, shares in zip(self._parts, self._split(coefficients), strict=True):
            if model.tables or self._charges:
                found = part.chart.sweep(weights, shares, part.spans(theta))
                values.append(found.values)
                rules += found.rules
                part.collect(found.spans, shares, phrases)
            else:
                log_partition, expected = part.chart.evaluate(weights, shares)
                values.append(log_partition)
                rules += expected
        return np.concatenate(values), model.weighting.gradient(weights, rules) + phrases

    def best(self, theta: FloatArray) -> tuple[FloatArray, list[Tree | None]]:
        """Return the score [members] and the best tree of each member; None where it has none.

        Raises:
            DivergenceError: If there is no best tree, because a cycle gains weight.
        """
        weights = self.model.rule_weights(theta)
        found = [part.chart.best(weights, part.spans(theta)) for part in self._parts]
        scores = np.concatenate([np.empty(0), *(scores for scores, _ in found)])
        return scores, [tree for _, trees in found for tree in trees]

    def fewest(self, theta: FloatArray) -> list[Tree | None]:
        """Return the tree of each member that breaks the fewest rules, and of these the best.

        A weight of -inf is a rule; of rules that are normalised, a probability of zero is.
        """
        broken, kept = broken_and_kept(theta)
        if self.model.weighting.groups is None:
            rules = self.model.rule_weights(broken), self.model.rule_weights(kept)
        else:
            rules = broken_and_kept(self.model.rule_weights(theta))
        return [
            tree
            for part in self._parts
            for tree in part.chart.fewest(*rules, part.spans(broken), part.spans(kept))
        ]

    def follow(self, theta: FloatArray, coefficients: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the best scores [members] and the gradient of Σ_k c_k score_k [θ].

        Where a cycle gains weight there is no best tree: scores are then +inf, as sums are.
        """
        try:
            scores, trees = self.best(theta)
        except DivergenceError:
            return np.full(len(self), np.inf), np.zeros_like(theta)
        return scores, self.features(theta, trees, coefficients)

    def features(
        self, theta: FloatArray, trees: Sequence[Tree | None], coefficients: FloatArray
    ) -> FloatArray:
        """Return the gradient of Σ_k c_k score(tree_k) [θ], a tree per member."""
        found = [
            self.model.coordinates(tree, self.model.terminals(evidence.tokens.words))
            if tree is not None and isinstance(evidence.tokens, Sentence)
            else []
            for evidence, tree in zip(self.evidences, trees, strict=True)
        ]
        return self.model.counted(found).evaluate(theta, coefficients)[1]

    def kbest(self, theta: FloatArray, count: int) -> list[Ranked]:
        """Return the best ``count`` trees of each member with their scores, best ones first.

        Raises:
            DivergenceError: If there are no best trees, because a cycle does not lose weight.
        """
        weights = self.model.rule_weights(theta)
        found: list[Ranked] = []
        for part in self._parts:
            found.extend(map(list, part.chart.kbest(weights, count, part.spans(theta))))
        return found

    def sample(
        self, theta: FloatArray, rng: np.random.Generator, count: int = 1
    ) -> list[list[Tree]]:
        """Draw trees of each member in proportion to their weights."""
        weights = self.model.rule_weights(theta)
        found: list[list[Tree]] = []
        for part in self._parts:
            found.extend(part.chart.sample(weights, rng, count, part.spans(theta)))
        return found

    def marginals(self, theta: FloatArray) -> tuple[FloatArray, list[FloatArray]]:
        """Return log Z [members] and how often labels are expected over spans.

        For each member [spans, nonterminals], in the order of
        :func:`~weft.derivations.chart.members.spans_of`.
        """
        weights = self.model.rule_weights(theta)
        found = [part.chart.span_posteriors(weights, part.spans(theta)) for part in self._parts]
        values = np.concatenate([np.empty(0), *(values for values, _ in found)])
        return values, [each for _, several in found for each in several]

    def surest(self, theta: FloatArray) -> list[Tree | None]:
        """Return each member's tree with the fewest wrong and missing labels over spans expected.

        That is the tree with the most Σ 2 p(label over span) − 1; nodes that only make a tree
        binary do not count.

        Where labels over one span gain in each round of a cycle of unary rules, as S → SBAR → S
        where both are expected, these rules are charged what stops that, and no more.

        Reference: Goodman (1996), "Parsing Algorithms and Metrics".
        """
        labels = self.model.grammar.nonterminals
        bounds = _bounds(self.evidences, len(labels), self.most_scores)
        if len(bounds) > len(self._bounds):  # a gain per label and span is too much at a time
            some = [self.select(np.arange(*pair)) for pair in pairwise(bounds)]
            return [tree for each in some for tree in each.surest(theta)]
        weights = self.model.rule_weights(theta)
        possible = np.where(np.isneginf(weights), -np.inf, 0.0)
        named = np.array([0.0 if is_made(label) else 1.0 for label in labels])
        found: list[Tree | None] = []
        for part in self._parts:
            _, several = part.chart.span_posteriors(weights, part.spans(theta))
            probs = np.concatenate([np.empty((0, len(labels))), *several])
            gains = np.where(probs > 0, named * rounded(2.0 * probs - 1.0), -np.inf)
            values, trees = part.chart.best_where_any(possible, gains)
            for member in np.flatnonzero(np.isposinf(values)).tolist():
                own = slice(*part.chart.span_offsets[member : member + 2].tolist())
                trees[member] = _acyclic(part.chart.alone(member), possible, gains[own])
            found.extend(trees)
        return found

    def entropy(self, theta: FloatArray) -> FloatArray:
        """[members]: the entropy of each distribution over trees, in nats."""
        weights = self.model.rule_weights(theta)
        parts = [part.chart.entropy(weights, part.spans(theta)) for part in self._parts]
        return np.concatenate([np.empty(0), *parts])

    def possible(self, weights: FloatArray) -> list[BoolArray]:
        """[spans, nonterminals] for each member: whether some tree has a label over a span.

        Args:
            weights: Log-weights of rules at which all sums converge. [rules]
        """
        found = [part.chart.span_posteriors(weights)[1] for part in self._parts]
        return [each > 0 for several in found for each in several]

    def impossible(self, member: int) -> int | None:
        """The first token that no tree of a member gets past; None if there is a tree."""
        number = int(np.searchsorted(self._bounds, member, side="right")) - 1
        return self._parts[number].chart.impossible(member - self._bounds[number])

    def charged(self, observed: Sequence[Evidence], cost: float) -> Charts:
        """Return the same trees, each label over a span that no observed tree has adding to them.

        Nodes that only make a tree binary are not charged.
        """
        charge = charge_of(self, observed, cost)
        return self.over(self.evidences, charges=(*self._charges, charge), closed=self._closed)

    def without(self, observed: Sequence[Evidence]) -> TreeRivals:
        """Return the best tree of each member that was not observed."""
        return TreeRivals(self, observed)

    def parts(self, observed: Sequence[Evidence]) -> SpanParts:
        """Return the observed labels over spans."""
        return SpanParts(self, observed)

    def hits(self, observed: Sequence[Evidence]) -> TreeHits:
        """Return whether the best trees are observed ones."""
        return TreeHits(self, observed)

    def select(self, members: IntArray) -> Charts:
        """Return some members, in the order given."""
        some = members.tolist()
        return self.over(
            [self.evidences[member] for member in some],
            charges=[each.select(some) for each in self._charges],
            closed=None if self._closed is None else [self._closed[member] for member in some],
        )

    def over(
        self,
        evidences: Sequence[Evidence],
        *,
        charges: Sequence[Charge] = (),
        closed: Sequence[Cells] | None = None,
    ) -> Charts:
        """Return other members of the same model."""
        return Charts(
            self.model,
            self.rules,
            evidences,
            self.threads,
            charges=charges,
            closed=closed,
            most_scores=self.most_scores,
        )

    def _split(self, coefficients: FloatArray) -> Iterator[FloatArray]:
        for first, last in pairwise(self._bounds):
            yield coefficients[first:last]


def _chart(
    model: GrammarModel,
    rules: ChartGrammar,
    evidences: Sequence[Evidence],
    threads: int | None,
    allowed: Flags | None,
) -> Chart | ProductChart:
    if model.product is None:
        return Chart(rules, evidences, threads, allowed=allowed)
    return ProductChart(model.grammar, model.product, rules, evidences, threads, allowed=allowed)


def _acyclic(chart: Chart | ProductChart, weights: FloatArray, gains: FloatArray) -> Tree | None:
    """The best tree of one member, whose unary rules are charged the least that ends all rounds."""
    lengths = np.diff(chart.grammar.body_offsets)
    # With empty rules, longer ones have rounds, too.
    charged = lengths == 1 if lengths.all() else lengths > 0
    low, high = 0.0, 2.0 * float(gains.max(initial=0.0)) + 1.0
    [best] = chart.best_where_any(weights - high * charged, gains)[1]
    for _ in range(_HALVINGS):
        charge = 0.5 * (low + high)
        [value], [tree] = chart.best_where_any(weights - charge * charged, gains)
        if np.isposinf(value):
            low = charge
        else:
            high, best = charge, tree
    return best


_HALVINGS = 15  # of a charge


class _Part:
    """Some members, with the rows of the features of their spans."""

    def __init__(
        self,
        model: GrammarModel,
        chart: Chart | ProductChart,
        evidences: Sequence[Evidence],
        charges: Sequence[Charge],
    ) -> None:
        self.chart = chart
        self._phrases = model.phrases
        self._rows = [_rows(table, evidences) for table in model.tables]
        self._charges = charges
        self._width = len(model.grammar.nonterminals)

    def spans(self, theta: FloatArray) -> FloatArray | None:
        """[spans, nonterminals]: the scores of phrases; None where there are none."""
        if not self._rows and not self._charges:
            return None
        scores = [
            *(each.scores(self.chart.span_offsets) for each in self._charges),
            *(
                features.scores(theta).reshape(-1, self._width)[rows]
                for features, rows in zip(self._phrases, self._rows, strict=True)
            ),
        ]
        total = scores[0]
        for each in scores[1:]:
            total += each
        return total

    def collect(self, marginals: FloatArray, shares: FloatArray, gradient: FloatArray) -> None:
        """Add the expectations of the features of phrases to a gradient [θ]."""
        if not self._rows:
            return
        sizes = np.diff(self.chart.span_offsets)
        weighted = marginals * np.repeat(shares, sizes)[:, None]
        for features, rows in zip(self._phrases, self._rows, strict=True):
            sums = np.zeros((len(features) // self._width, self._width))
            np.add.at(sums, rows, weighted)
            gradient += features.gradient(sums.reshape(-1))


def _allowed(
    model: GrammarModel,
    evidences: Sequence[Evidence],
    closed: Sequence[Cells] | None,
    some: slice,
) -> Flags | None:
    """[spans, nonterminals]: whether each label may span; None where all may."""
    if closed is None:
        return None
    found = [np.ones((0, len(model.grammar.nonterminals)), np.uint8)]
    for evidence, cells in zip(evidences, closed[some], strict=True):
        states = len(evidence.tokens) + 1 if isinstance(evidence.tokens, Sentence) else 1
        allowed = np.ones((states * (states - 1) // 2, found[0].shape[1]), np.uint8)
        allowed[cells.spans, cells.labels] = 0
        found.append(allowed)
    return np.concatenate(found)


def _rows(table: PhraseTable, evidences: Sequence[Evidence]) -> IndexArray:
    found = [np.empty(0, np.int32)]
    for evidence in evidences:
        words = evidence.tokens.words if isinstance(evidence.tokens, Sentence) else ()
        starts, ends = spans_of(len(words) + 1)
        found.append(table.rows(words, starts, ends))
    return np.concatenate(found)


def spell_evidence(model: GrammarModel, evidence: Evidence) -> Evidence:
    """The evidence with the grammar's terminals for words."""
    tokens = evidence.tokens
    if isinstance(tokens, Sentence):
        if model.lexicon is None:
            return evidence
        terminals = model.lexicon.terminals(tokens.words)
        return replace(evidence, tokens=Sentence((terminals,), source=tokens.source))
    if model.tables:
        raise NotDefined(
            "a span of a lattice has no first word and no last, which features of phrases look at: "
            "ask for its strings one by one"
        )
    return evidence


def _bounds(evidences: Sequence[Evidence], width: int, most: int) -> list[int]:
    """Where parts begin and end."""
    bounds, scores = [0], 0
    for place, evidence in enumerate(evidences):
        length = len(evidence.tokens.words) if isinstance(evidence.tokens, Sentence) else 0
        scores += length * (length + 1) // 2 * width
        if scores > most:
            bounds.append(place + 1)
            scores = 0
    if bounds[-1] < len(evidences) or len(bounds) == 1:
        bounds.append(len(evidences))
    return bounds
