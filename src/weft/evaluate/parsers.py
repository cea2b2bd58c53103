"""How good a parser's trees are."""

from __future__ import annotations

from collections.abc import Sequence

from weft.evaluate.bracket_parameters import BracketParameters
from weft.evaluate.brackets import COLLINS, BracketScores, bracket_scores
from weft.models.parser import Parser, worded
from weft.structures.evidence import Example
from weft.structures.tree import Tree


def assess_parser(
    parser: Parser,
    corpus: Sequence[Example],
    parameters: BracketParameters = COLLINS,
    *,
    threads: int | None = None,
) -> BracketScores:
    """Compare a parser's trees with those of a corpus; a sentence without a tree counts."""
    gold = [(each.parse, each.tokens) for each in corpus if isinstance(each.parse, Tree)]
    found = parser.parse([tokens for _, tokens in gold], threads)
    return bracket_scores(
        [worded(tree, tokens) for tree, tokens in gold],
        [
            None if parse is None else worded(parse.tree, tokens)
            for parse, (_, tokens) in zip(found, gold, strict=True)
        ],
        parameters,
        sources=[tokens.source for _, tokens in gold],
    )
