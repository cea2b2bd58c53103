"""How good the trees of a grammar model are, while it is estimated."""

from __future__ import annotations

from collections.abc import Sequence

from weft.arrays import FloatArray
from weft.evaluate.brackets import bracket_scores
from weft.models.grammar.model import GrammarModel
from weft.models.model import Judge
from weft.models.tree_parser import put_words
from weft.structures.evidence import Evidence, Example
from weft.structures.tree import Tree


def bracket_judge(
    model: GrammarModel, corpus: Sequence[Example], threads: int | None = None
) -> Judge | None:
    """Return the F-score of the best trees' labelled brackets, as a function of the weights.

    Args:
        model: The model.
        corpus: Examples; those with trees are compiled once.
        threads: How many threads to use, all by default; no result depends on it.

    Returns:
        The function; None if no example has a tree.
    """
    pairs = [(each.parse, each.tokens) for each in corpus if isinstance(each.parse, Tree)]
    gold = [put_words(tree, tokens) for tree, tokens in pairs]
    sources = [tokens.source for _, tokens in pairs]
    charts = model.chart([Evidence(tokens) for _, tokens in pairs], threads)

    def score(theta: FloatArray) -> float:
        found = [
            None if best is None else put_words(model.restored(best, tokens.words), tokens)
            for best, (_, tokens) in zip(charts.best(theta)[1], pairs, strict=True)
        ]
        return bracket_scores(gold, found, sources=sources).overall.f1

    return score if gold else None
