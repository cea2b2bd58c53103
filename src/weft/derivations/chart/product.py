"""Charts of a product of a grammar, asked and answering in rules and labels of that grammar.

The rules of the product that were made of one rule have its weight, and its expectation is the sum
of theirs; likewise its nonterminals.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weft.arrays import FloatArray, IntArray
from weft.derivations.chart.chart import Chart, ChartSums
from weft.derivations.chart.grammar import ChartGrammar
from weft.derivations.chart.limits import Flags
from weft.grammars.transforms.canonical_grammar import CanonicalGrammar
from weft.grammars.transforms.rebuild import relabel
from weft.structures.evidence import Evidence
from weft.structures.grammar import Grammar
from weft.structures.tree import Tree


class ProductChart:
    """Members that are the trees of a product; its methods are those of a :class:`Chart`.

    Args:
        grammar: The grammar.
        product: What was made of it.
        rules: The product, laid out for charts.
        evidences: Sentences or lattices, with what is known of their trees.
        threads: How many threads to use; no result depends on it.
        allowed: Whether each nonterminal may span; None where all may. [spans, nonterminals]
    """

    def __init__(
        self,
        grammar: Grammar,
        product: CanonicalGrammar,
        rules: ChartGrammar,
        evidences: Sequence[Evidence],
        threads: int | None = None,
        *,
        allowed: Flags | None = None,
    ) -> None:
        self.grammar = grammar
        self._product = product
        spread = None if allowed is None else allowed[:, product.owners]
        self._chart = Chart(rules, evidences, threads, allowed=spread)

    @property
    def span_offsets(self) -> IntArray:
        """[members + 1]: where the spans of each member begin, and where the last ends."""
        return self._chart.span_offsets

    def log_partition(self, theta: FloatArray, spans: FloatArray | None = None) -> FloatArray:
        """[members]: log Z."""
        return self._chart.log_partition(self._rules(theta), self._spans(spans))

    def evaluate(
        self, theta: FloatArray, coefficients: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return log Z [members] and the expectations of rules [rules]."""
        values, rules = self._chart.evaluate(self._rules(theta), coefficients)
        return values, self._of_rules(rules)

    def sweep(
        self, theta: FloatArray, coefficients: FloatArray, spans: FloatArray | None = None
    ) -> ChartSums:
        """Return log Z, the expectations of rules, and the marginals of spans."""
        found = self._chart.sweep(self._rules(theta), coefficients, self._spans(spans))
        return ChartSums(found.values, self._of_rules(found.rules), self._of_spans(found.spans))

    def alone(self, member: int) -> ProductChart:
        """Return a chart of one member."""
        found = object.__new__(ProductChart)
        found.grammar, found._product = self.grammar, self._product
        found._chart = self._chart.alone(member)
        return found

    def best(
        self, theta: FloatArray, spans: FloatArray | None = None
    ) -> tuple[FloatArray, list[Tree | None]]:
        """Return the best score [members] and the best tree of each member."""
        values, trees = self._chart.best(self._rules(theta), self._spans(spans))
        return values, list(map(self._tree, trees))

    def best_where_any(
        self, theta: FloatArray, spans: FloatArray | None = None
    ) -> tuple[FloatArray, list[Tree | None]]:
        """Return the same, with +inf and None for members in which a cycle gains weight."""
        values, trees = self._chart.best_where_any(self._rules(theta), self._spans(spans))
        return values, list(map(self._tree, trees))

    def fewest(
        self,
        broken: FloatArray,
        theta: FloatArray,
        span_broken: FloatArray | None = None,
        spans: FloatArray | None = None,
    ) -> list[Tree | None]:
        """Return the tree of each member that breaks the fewest rules, and of these the best."""
        found = self._chart.fewest(
            self._rules(broken), self._rules(theta), self._spans(span_broken), self._spans(spans)
        )
        return list(map(self._tree, found))

    def kbest(
        self, theta: FloatArray, count: int, spans: FloatArray | None = None
    ) -> list[list[tuple[float, Tree]]]:
        """Return the best ``count`` trees of each member with their scores, best ones first."""
        found = self._chart.kbest(self._rules(theta), count, self._spans(spans))
        return [[(score, self._named(tree)) for score, tree in several] for several in found]

    def sample(
        self,
        theta: FloatArray,
        rng: np.random.Generator,
        count: int = 1,
        spans: FloatArray | None = None,
    ) -> list[list[Tree]]:
        """Draw ``count`` trees of each member in proportion to their weights."""
        found = self._chart.sample(self._rules(theta), rng, count, self._spans(spans))
        return [list(map(self._named, several)) for several in found]

    def span_posteriors(
        self, theta: FloatArray, spans: FloatArray | None = None
    ) -> tuple[FloatArray, list[FloatArray]]:
        """Return log Z [members] and how often each nonterminal is expected over each span."""
        values, several = self._chart.span_posteriors(self._rules(theta), self._spans(spans))
        return values, list(map(self._of_spans, several))

    def entropy(self, theta: FloatArray, spans: FloatArray | None = None) -> FloatArray:
        """[members]: the entropy of each distribution over trees, in nats."""
        return self._chart.entropy(self._rules(theta), self._spans(spans))

    def impossible(self, member: int) -> int | None:
        """The first token that no tree of a member gets past; None if there is a tree."""
        return self._chart.impossible(member)

    def _rules(self, theta: FloatArray) -> FloatArray:
        return theta[self._product.origins]

    def _spans(self, spans: FloatArray | None) -> FloatArray | None:
        return None if spans is None else np.ascontiguousarray(spans[:, self._product.owners])

    def _of_rules(self, expected: FloatArray) -> FloatArray:
        found = np.bincount(self._product.origins, expected, self.grammar.rule_count)
        return found.astype(np.float64)

    def _of_spans(self, marginals: FloatArray) -> FloatArray:
        count = len(self.grammar.nonterminals)
        found = marginals[:, :count].copy()
        # What comes after the grammar's own nonterminals are further states of some of them.
        np.add.at(found.T, self._product.owners[count:], marginals[:, count:].T)
        return found

    def _tree(self, tree: Tree | None) -> Tree | None:
        return None if tree is None else self._named(tree)

    def _named(self, tree: Tree) -> Tree:
        return relabel(tree, self._product.label)
