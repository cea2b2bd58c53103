"""How good the trees of a grammar model are, while it is estimated."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from weft.arrays import FloatArray
from weft.evaluate.brackets import WHOLE, bracket_scores
from weft.models.grammar.model import GrammarModel
from weft.models.grammar.room import large_charts
from weft.models.model import Judge
from weft.models.tree_parser import TreeParser, put_words
from weft.structures.evidence import Evidence, Example
from weft.structures.tree import Tree


def bracket_judge(
    parser_at: Callable[[FloatArray], TreeParser],
    model: GrammarModel,
    corpus: Sequence[Example],
    threads: int | None = None,
) -> Judge | None:
    """Return the F-score of the chosen trees' labelled brackets, as a function of the weights.

    A sentence whose chart cannot be kept in memory has no tree, which counts.

    Args:
        parser_at: From weights to the parser, which knows how trees are chosen.
        model: The model.
        corpus: Examples; those with trees are compiled once.
        threads: How many threads to use, all by default; no result depends on it.

    Returns:
        The function; None if no example has a tree.
    """
    labelled = [each for each in corpus if isinstance(each.parse, Tree)]
    pairs = [(each.parse, each.tokens) for each in labelled if isinstance(each.parse, Tree)]
    gold = [put_words(tree, tokens) for tree, tokens in pairs]
    sources = [tokens.source for _, tokens in pairs]
    large = large_charts(model, labelled, threads)
    flags = [False] * len(pairs) if large is None else large.flags.tolist()
    able = [place for place, flag in enumerate(flags) if not flag]
    evidences = [Evidence(pairs[place][1]) for place in able]
    charts = model.chart(evidences, threads)

    def score(theta: FloatArray) -> float:
        found: list[Tree | None] = [None] * len(pairs)
        chosen = parser_at(theta).predict_from(evidences, charts)
        for place, tree in zip(able, chosen, strict=True):
            found[place] = None if tree is None else put_words(tree, pairs[place][1])
        return bracket_scores(gold, found, WHOLE, sources=sources).overall.f1

    return score if gold else None
