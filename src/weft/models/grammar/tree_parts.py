"""What was observed of trees: right labels over spans, best rivals, and agreement.

A part of a tree is a label over a span, (X, i, j), as the grammar has it: with its annotation, and
nodes that only make trees binary are none. It is wrong if no observed tree has it. Of a sentence
whose tree is known these are the labelled spans of other trees; where only some constituents or
tags are known, what crosses them and what the grammar does not allow beside them.

    cost(y) = the number of nodes of y that are wrong parts
    t(X, i, j) = log p(the tree has a node X over i … j),    for each part of what was observed

The trees with a node X over i … j are those that agree with that constituent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from weft.arrays import FloatArray, IntArray
from weft.derivations.best import BestPaths
from weft.errors import DivergenceError
from weft.grammars.transforms import is_made
from weft.models.grammar.phrases import phrases_of
from weft.structures.constituents import Constituents, Span
from weft.structures.evidence import Evidence, Label, Sentence
from weft.structures.tree import Tree, is_preterminal, leaves, placed_subtrees

if TYPE_CHECKING:
    from weft.models.grammar.charts import Charts


class Cells(NamedTuple):
    """Labels over spans of one member, as charts number them.

    Attributes:
        spans: Numbers of spans. [cells]
        labels: Numbers of labels. [cells]
    """

    spans: IntArray
    labels: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Charge:
    """What labels over spans cost: so much a label, and nothing where they are right.

    Attributes:
        costs: [nonterminals].
        right: For each member the cells that cost nothing.
    """

    costs: FloatArray
    right: Sequence[Cells]

    def select(self, members: Sequence[int]) -> Charge:
        """Return the charges of some members."""
        return Charge(self.costs, [self.right[member] for member in members])

    def scores(self, offsets: IntArray) -> FloatArray:
        """[spans, nonterminals], given where the spans of members begin."""
        scores = np.tile(self.costs, (int(offsets[-1]), 1))
        for first, cells in zip(offsets.tolist(), self.right, strict=False):
            scores[first + cells.spans, cells.labels] = 0.0
        return scores


def span_number(states: int, start: int, end: int) -> int:
    """Return the number of a span among those between this many states.

    >>> from weft.derivations.chart.members import spans_of
    >>> [int(span_number(4, *span)) for span in zip(*spans_of(4), strict=True)]
    [0, 1, 2, 3, 4, 5]
    """
    return start * (2 * states - start - 1) // 2 + end - start - 1


def charge_of(charts: Charts, observed: Sequence[Evidence], cost: float) -> Charge:
    """Return what wrong parts cost, given what was observed of each member."""
    grammar = charts.model.grammar
    costs = np.array([0.0 if is_made(label) else cost for label in grammar.nonterminals])
    right = [_right(charts, each) for each in observed]
    partly = [place for place, cells in enumerate(right) if cells is None]
    if partly:
        # Weights at which every sum converges; a part is possible if it has any probability.
        sizes = np.bincount(grammar.heads, minlength=len(grammar.nonterminals))
        weights = -1.0 - np.log(sizes[grammar.heads])
        charted = charts.over([observed[place] for place in partly])
        for place, found in zip(partly, charted.possible(weights), strict=True):
            right[place] = Cells(*np.nonzero(found))
    return Charge(costs, [cells for cells in right if cells is not None])


def _right(charts: Charts, observed: Evidence) -> Cells | None:
    """The parts of a tree that is known; None where it is not known in full."""
    if not isinstance(observed.parse, Tree):
        return None
    shaped = charts.model.shaped(observed.parse)
    states = 1 + len(list(leaves(shaped)))
    cells = {
        (span_number(states, start, end), charts.model.labels[label])
        for label, start, end in phrases_of(shaped)
        if label in charts.model.labels
    }
    spans, labels = zip(*sorted(cells), strict=True) if cells else ((), ())
    return Cells(np.array(spans, np.int64), np.array(labels, np.int64))


def pieces(charts: Charts, observed: Evidence) -> Iterator[Evidence]:
    """Yield what was observed piece by piece: each with one constituent, or one token's tag."""
    tokens = observed.tokens
    if isinstance(observed.parse, Tree):
        found = phrases_of(charts.model.shaped(observed.parse))
        spans = [Span(start, end, label) for label, start, end in found]
    else:
        spans = list(observed.parse.spans) if observed.parse is not None else []
    for span in dict.fromkeys(spans):
        yield Evidence(tokens, parse=Constituents((span,)))
    labels = observed.analysis or ()
    for place, label in enumerate(labels):
        if label is not None:
            others: list[Label] = [None] * len(labels)
            others[place] = label
            yield Evidence(tokens, analysis=tuple(others))


class SpanParts:
    """The observed parts of trees, t = log p(the tree has the part).

    Of each part the trees that have it are summed over apart: as many charts as there are parts.

    Args:
        charts: The members.
        observed: What was observed of each.

    Attributes:
        owners: [parts], the member that each belongs to.
    """

    def __init__(self, charts: Charts, observed: Sequence[Evidence]) -> None:
        self._charts = charts
        several = [list(pieces(charts, each)) for each in observed]
        self.owners = np.repeat(np.arange(len(several)), [len(each) for each in several])
        self._pieces = [piece for each in several for piece in each]
        self._bounds = self._batches()
        self._kept = charts.over(self._pieces) if len(self._bounds) == 2 else None

    def _batches(self) -> list[int]:
        """Where batches of parts begin and end: their charts are made anew, which saves memory."""
        width = len(self._charts.model.grammar.nonterminals)
        bounds, cells = [0], 0
        for place, piece in enumerate(self._pieces):
            length = len(piece.tokens) if isinstance(piece.tokens, Sentence) else 0
            cells += length * (length + 1) // 2 * width
            if cells > self._charts.most_scores and place + 1 < len(self._pieces):
                bounds.append(place + 1)
                cells = 0
        return [*bounds, len(self._pieces)]

    def _several(self) -> Iterator[tuple[slice, Charts]]:
        for first, last in zip(self._bounds, self._bounds[1:], strict=False):
            charts = self._kept or self._charts.over(self._pieces[first:last])
            yield slice(first, last), charts

    def log_probs(self, theta: FloatArray) -> FloatArray:
        """[parts]: t; -inf where no tree has the part, or the sums diverge."""
        totals = self._charts.log_partition(theta)[self.owners]
        values = np.full(len(self._pieces), -np.inf)
        for some, charts in self._several():
            values[some] = charts.log_partition(theta)
        finite = np.isfinite(values) & np.isfinite(totals)
        return np.where(finite, np.minimum(values - np.where(finite, totals, 0.0), 0.0), -np.inf)

    def slope(
        self,
        theta: FloatArray,
        slopes: FloatArray,
        log_probs: FloatArray,  # noqa: ARG002
    ) -> FloatArray:
        """Return Σ_j slope_j ∇t_j [θ]: what is expected with each part, less without."""
        totals = np.bincount(self.owners, slopes, minlength=len(self._charts))
        gradient = -self._charts.evaluate(theta, totals.astype(np.float64))[1]
        for some, charts in self._several():
            gradient += charts.evaluate(theta, slopes[some])[1]
        return gradient


def agrees(charts: Charts, tree: Tree, observed: Evidence) -> bool:
    """Say whether a tree of the grammar is one of those that were observed."""
    if isinstance(observed.parse, Tree):
        return tree == charts.model.shaped(observed.parse)
    nodes = list(_nodes(tree))
    labels = observed.analysis or ()
    for node, start, _ in nodes:
        if is_preterminal(node) and labels and not _fits(node.label, labels[start]):
            return False
    if observed.parse is None:
        return True
    known = {(node.label, start, end) for node, start, end in nodes}
    spans = {(start, end) for _, start, end in nodes}
    return all(
        (start, end) in spans if label is None else (label, start, end) in known
        for start, end, label in observed.parse.spans
    )


def _fits(tag: str, label: Label) -> bool:
    return label is None or tag in ({label} if isinstance(label, str) else label)


def _nodes(tree: Tree) -> Iterator[tuple[Tree, int, int]]:
    """The nodes with words, each with its span."""
    return (each for each in placed_subtrees(tree) if each[1] < each[2])


class TreeHits:
    """Whether the best trees are observed ones; of several the one that the chart finds.

    Args:
        charts: The members.
        observed: What was observed of each.
    """

    def __init__(self, charts: Charts, observed: Sequence[Evidence]) -> None:
        self._charts = charts
        self._observed = observed

    @property
    def landscape(self) -> None:
        """None: all weights are looked at anew."""
        return

    def shares(self, theta: FloatArray) -> FloatArray:
        """[members]: 1 where the best tree was observed, else 0."""
        _, trees = self._charts.best(theta)
        return np.array(
            [
                float(tree is not None and agrees(self._charts, tree, each))
                for tree, each in zip(trees, self._observed, strict=True)
            ]
        )


class TreeRivals(BestPaths):
    """The best tree of each member that was not observed.

    Where a tree is known it is the best or the second best. Where pieces of it are known, a tree
    was not observed if it lacks one of them: the best of the trees without each.

    Args:
        charts: The members.
        observed: What was observed of each.
    """

    def __init__(self, charts: Charts, observed: Sequence[Evidence]) -> None:
        super().__init__(charts)
        self._charts = charts
        self._observed = observed
        several = [list(_lacking(charts, each)) for each in observed]
        self._owners = [place for place, each in enumerate(several) for _ in each]
        variants = [variant for each in several for variant in each]
        self._variants = charts.over(
            [evidence for evidence, _ in variants], closed=[cells for _, cells in variants]
        )

    def best(self, theta: FloatArray) -> tuple[FloatArray, list[Tree | None]]:
        """Return the score [members] and the tree; -inf and None where there is no other."""
        scores = np.full(len(self._charts), -np.inf)
        trees: list[Tree | None] = [None] * len(self._charts)
        for owner, (score, tree) in zip(self._owners, self._found(theta), strict=True):
            if score > scores[owner]:
                scores[owner], trees[owner] = score, tree
        return scores, trees

    def _found(self, theta: FloatArray) -> list[tuple[float, Tree | None]]:
        """The best tree of each variant that does not agree with what was observed."""
        count = 2
        while True:
            ranked = self._variants.kbest(theta, count)
            found: list[tuple[float, Tree | None]] = []
            for owner, trees in zip(self._owners, ranked, strict=True):
                others = (
                    pair
                    for pair in trees
                    if not agrees(self._charts, pair[1], self._observed[owner])
                )
                found.append(next(others, (-np.inf, None)))
            waiting = (
                tree is None and len(trees) == count
                for (_, tree), trees in zip(found, ranked, strict=True)
            )
            if not any(waiting):
                return found
            count *= 4

    def follow(self, theta: FloatArray, coefficients: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the scores [members], +inf without a best, and the gradient of Σ_k c_k score_k."""
        try:
            scores, trees = self.best(theta)
        except DivergenceError:
            return np.full(len(self), np.inf), np.zeros_like(theta)
        return scores, self._charts.features(theta, trees, coefficients)


def _lacking(charts: Charts, observed: Evidence) -> Iterator[tuple[Evidence, Cells]]:
    """Yield sets of trees that together are those which do not agree with what was observed."""
    alone = Evidence(observed.tokens)
    nothing = Cells(np.zeros(0, np.int64), np.zeros(0, np.int64))
    if isinstance(observed.parse, Tree):
        yield alone, nothing
        return
    numbers = charts.model.labels
    states = len(observed.tokens) + 1 if isinstance(observed.tokens, Sentence) else 1
    for piece in pieces(charts, observed):
        if isinstance(piece.parse, Constituents):
            [(start, end, label)] = piece.parse.spans
            labels = [number for name, number in numbers.items() if label in (None, name)]
            spans = np.full(len(labels), span_number(states, start, end))
            yield alone, Cells(spans, np.array(labels, np.int64))
        else:
            known = piece.analysis or ()
            others = tuple(
                None if label is None else frozenset(n for n in numbers if not _fits(n, label))
                for label in known
            )
            yield replace(alone, analysis=others), nothing
