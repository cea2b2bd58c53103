"""How good a parser's trees are."""

from __future__ import annotations

from collections.abc import Sequence

from weft.arrays import FloatArray
from weft.evaluate.bracket_parameters import BracketParameters
from weft.evaluate.brackets import COLLINS, BracketScores, bracket_scores
from weft.models.answers import Decoder
from weft.models.grammar.model import GrammarModel
from weft.models.grammar.parser import Parser, put_words
from weft.models.model import Judge
from weft.structures.evidence import Evidence, Example
from weft.structures.tree import Tree


def assess_parser(
    parser: Parser,
    corpus: Sequence[Example],
    parameters: BracketParameters = COLLINS,
    *,
    threads: int | None = None,
    decoder: Decoder | None = None,
) -> BracketScores:
    """Compare a parser's trees with those of a corpus; a sentence without a tree counts."""
    gold = [(each.parse, each.tokens) for each in corpus if isinstance(each.parse, Tree)]
    found = parser.predict([tokens for _, tokens in gold], decoder, threads)
    return bracket_scores(
        [put_words(tree, tokens) for tree, tokens in gold],
        [
            None if tree is None else put_words(tree, tokens)
            for tree, (_, tokens) in zip(found, gold, strict=True)
        ],
        parameters,
        sources=[tokens.source for _, tokens in gold],
    )


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
