"""Trees of the largest expected number of right brackets.

A bracket is a label over a span. Its gain is the probability that the tree has it, less a charge;
of all sets of brackets that do not cross, one per span, the best is found by

    G(i, k) = max(0, max_X p(X over i … k) − charge) + max_{i < m < k} G(i, m) + G(m, k).

Charge 0 gives the most right brackets expected (labelled recall); ½ weighs a wrong bracket like a
missing one.

Reference: Goodman (1996), "Parsing algorithms and metrics", ACL, section 3.
"""

from __future__ import annotations

import numpy as np

from weft.arrays import FloatArray, IndexArray, IntArray
from weft.derivations.chart.chart import Chart
from weft.derivations.chart.members import spans_of
from weft.errors import EvidenceError
from weft.ranking import first_largest, rounded
from weft.structures.evidence import Sentence
from weft.structures.tree import Tree


def best_brackets(chart: Chart, theta: FloatArray, charge: float = 0.0) -> list[Tree | None]:
    """Return the tree of the best brackets of each member; None where it has no tree.

    A tree's root is the best label of the whole sentence. Words that are not alone in a bracket
    are children of the smallest one around them.

    >>> from weft.structures.evidence import Evidence, sentence
    >>> from weft.structures.grammar import Rule, Terminal, grammar
    >>> rules = grammar([Rule("S", ("S", "S")), Rule("S", (Terminal("a"),))])
    >>> best_brackets(Chart(rules, [Evidence(sentence(["a", "a"]))]), np.zeros(2))
    [Tree('(S (S a) (S a))')]

    Args:
        chart: The members, sentences.
        theta: The log-weights of rules. [rules]
        charge: What a bracket costs, between 0 and 1.

    Raises:
        EvidenceError: If a member is a lattice.
        DivergenceError: If a sum over trees diverges.
    """
    values, marginals = chart.span_posteriors(theta)
    trees: list[Tree | None] = []
    for evidence, value, probs in zip(chart.evidences, values.tolist(), marginals, strict=True):
        if not isinstance(evidence.tokens, Sentence):
            raise EvidenceError("brackets are over the words of one sentence, not of a lattice")
        words = evidence.tokens.words
        possible = value > -np.inf and bool(words)
        trees.append(_tree(chart, words, probs, charge) if possible else None)
    return trees


def _tree(chart: Chart, words: tuple[str, ...], probs: FloatArray, charge: float) -> Tree:
    count = len(words)
    starts, ends = spans_of(count + 1)
    labels = np.zeros((count + 1, count + 1), np.int32)
    gains = np.zeros((count + 1, count + 1))
    labels[starts, ends] = first_largest(probs)
    gains[starts, ends] = np.maximum(rounded(probs.max(axis=1) - charge), 0.0)
    splits = _splits(gains.copy())
    names = chart.grammar.nonterminals
    made: dict[tuple[int, int], tuple[Tree | str, ...]] = {}
    order = [(0, count)]
    for start, end in order:
        if end - start > 1:
            middle = int(splits[start, end])
            order += [(start, middle), (middle, end)]
    for start, end in reversed(order):
        below: tuple[Tree | str, ...] = (words[start],)
        if end - start > 1:
            middle = int(splits[start, end])
            below = (*made[start, middle], *made[middle, end])
        bracketed = gains[start, end] > 0 or (start, end) == (0, count)
        made[start, end] = (Tree(names[labels[start, end]], below),) if bracketed else below
    [tree] = made[0, count]
    return tree if isinstance(tree, Tree) else Tree(names[chart.grammar.start], (tree,))


def _splits(best: FloatArray) -> IndexArray:
    """Where each span is best divided; all spans of a width at once. ``best`` becomes G."""
    states = len(best)
    splits = np.zeros((states, states), np.int32)
    for width in range(2, states):
        starts: IntArray = np.arange(states - width)
        middles = starts[:, None] + np.arange(1, width)
        ends = starts + width
        sums = best[starts[:, None], middles] + best[middles, ends[:, None]]
        chosen = first_largest(sums)
        splits[starts, ends] = middles[starts, chosen]
        best[starts, ends] += sums[starts, chosen]
    return splits
