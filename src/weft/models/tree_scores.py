"""How good a parser's trees are."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from weft.arrays import FloatArray
from weft.evaluate.bracket_parameters import BracketParameters
from weft.evaluate.brackets import WHOLE, BracketScores, bracket_scores
from weft.models.answers import Decoder
from weft.models.model import Judge
from weft.models.tree_parser import TreeParser, put_words
from weft.structures.evidence import Example
from weft.structures.tree import Tree


def assess_parser(
    parser: TreeParser,
    corpus: Sequence[Example],
    parameters: BracketParameters = WHOLE,
    *,
    threads: int | None = None,
    decoder: Decoder | None = None,
) -> BracketScores:
    """Compare a parser's trees with those of a corpus; a sentence without a tree counts.

    A sentence whose trees cannot be kept in memory has none. Labels stay whole, unless parameters
    cut them: the clean-up ``functions`` has done so where a treebank's labels have functions.
    """
    labelled = [each for each in corpus if isinstance(each.parse, Tree)]
    gold = [(each.parse, each.tokens) for each in labelled if isinstance(each.parse, Tree)]
    found = _predict(parser, labelled, decoder, threads)
    return bracket_scores(
        [put_words(tree, tokens) for tree, tokens in gold],
        [
            None if tree is None else put_words(tree, tokens)
            for tree, (_, tokens) in zip(found, gold, strict=True)
        ],
        parameters,
        sources=[tokens.source for _, tokens in gold],
    )


def _predict(
    parser: TreeParser,
    corpus: Sequence[Example],
    decoder: Decoder | None,
    threads: int | None,
) -> list[Tree | None]:
    large = parser.too_large(corpus, threads)
    kept = corpus if large is None else large.kept()
    found = parser.predict([each.tokens for each in kept], decoder, threads)
    if large is None:
        return found
    trees = iter(found)
    return [None if flag else next(trees) for flag in large.flags.tolist()]


def sentence_bits(
    parser: TreeParser, corpus: Sequence[Example], marginal: FloatArray
) -> tuple[float, int]:
    """Return what sentences say in bits, and how many words they have, ends being words.

    Sentences without a probability, or with words that the parser does not know, are left out.

    Args:
        parser: A parser that is a distribution over sentences.
        corpus: The sentences.
        marginal: [sentences], their log-probabilities.
    """
    closed = [parser.model.closed([example.tokens.words]) for example in corpus]
    possible = np.isfinite(marginal) & np.array(closed, np.bool_)
    sizes = np.array([len(example.tokens) + 1 for example in corpus])
    bits = -math.fsum(marginal[possible].tolist()) / math.log(2)
    return bits, int(sizes[possible].sum())


def bracket_judge(
    parser_at: Callable[[FloatArray], TreeParser],
    corpus: Sequence[Example],
    threads: int | None = None,
) -> Judge | None:
    """Return the F-score of the best trees' labelled brackets, as a function of the weights.

    Args:
        parser_at: From weights to the parser.
        corpus: The examples; those with trees count.
        threads: How many threads to use, all by default; no result depends on it.

    Returns:
        The function; None if no example has a tree.
    """
    if not any(isinstance(each.parse, Tree) for each in corpus):
        return None
    return lambda theta: assess_parser(parser_at(theta), corpus, threads=threads).overall.f1
