"""M. Johnson (2001), "Joint and conditional estimation of tagging and parsing models", section 2.

Table 1 compares a probabilistic grammar over tags that is estimated jointly (MLE, relative
frequencies) with one estimated conditionally (MCLE), under the same sum-to-one constraints, by

    −log P(y)   −log P(y | x)   −log P(x)      of the training trees
    precision   recall                         of labelled brackets, on test trees

:mod:`weft.papers.rows.johnson2001` makes it of treebanks that have parts, with a third row for free
weights, whose conditional likelihood has the same supremum, and a bootstrap test of the F-scores.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from weft.corpora.bundled import bundled_trees
from weft.corpora.trees.cleaning import USUAL, with_top
from weft.corpora.trees.treebanks import REDWOODS, read_tree_part, read_treebank
from weft.criteria import conditional, contrast, joint, marginal, no_penalty
from weft.evaluate.brackets import BracketCounts, BracketScores
from weft.grammars.normalise import normalise_to_length
from weft.grammars.transforms import without_words
from weft.models.answers import Decoder
from weft.models.grammar.parser import Parser
from weft.models.grammar.spec import Cfg
from weft.models.options import Normalisation
from weft.models.tree_scores import assess_parser
from weft.optimise.em import EM
from weft.optimise.lbfgs import LBFGS
from weft.structures.evidence import Evidence, Example
from weft.train import fit
from weft.train.report import Watched

PAPER: Mapping[str, tuple[float, float, float, float, float]] = {
    "MLE": (13857.0, 1833.0, 12025.0, 0.815, 0.789),
    "MCLE": (13896.0, 1769.0, 12127.0, 0.817, 0.794),
}
"""Table 1, on the ATIS treebank: 1,088 trees to train on, 294 to test on."""

FREE = "free"
ESTIMATORS = ("MLE", "MCLE", FREE)
"""Relative frequencies; conditional with weights that sum to one; and with free weights."""

THAT = "that.mrg"
"""What the treebank that comes with the package is called."""

_THAT_PARTS = {"train": (0, 2, 3, 5), "dev": (1,), "test": (4,)}  # sentences, modulo 6

PATIENCE = 10
"""After this many iterations without a gain on held-out trees, conditional training ends."""


@dataclass(frozen=True, slots=True)
class ParsingRow:
    """An estimator, and what its grammar says of the trees.

    Attributes:
        name: MLE, MCLE, or free weights.
        joint: −log P(y) of the training trees; None where all trees have no finite sum.
        conditional: −log P(y | x).
        marginal: −log P(x); None likewise.
        counts: The brackets of the test trees.
        iterations: How many training took.
        stopped: Why it ended.
    """

    name: str
    joint: float | None
    conditional: float
    marginal: float | None
    counts: BracketCounts
    iterations: int
    stopped: str

    def as_json(self) -> dict[str, Any]:
        """Return every figure, ready for JSON; shares are fractions."""
        counts = self.counts
        return {
            **{key: value for key, value in asdict(self).items() if key != "counts"},
            "precision": counts.precision,
            "recall": counts.recall,
            "f1": counts.f1,
            "exact_match": counts.exact_match,
        }


def read_over_tags(corpus_name: str, part: str) -> list[Example]:
    """Return the trees of a part of a treebank, after the usual clean-ups, over tags.

    Of the trees that come with the package, every sixth is for tests, and another for development.
    """
    if corpus_name == THAT:
        places = _THAT_PARTS[part]
        return [each for place, each in enumerate(read_whole()) if place % 6 in places]
    clean = ((with_top,) if corpus_name == REDWOODS else USUAL) + (without_words,)
    return read_tree_part(corpus_name, part, clean=clean)


def read_whole() -> list[Example]:
    """Return all trees that come with the package, over tags."""
    return read_treebank(bundled_trees(), clean=(*USUAL, without_words))


def estimate(
    name: str,
    parts: Mapping[str, list[Example]],
    iterations: int,
    threads: int | None = None,
) -> Parser:
    """Estimate a grammar over tags: by one of :data:`ESTIMATORS`.

    Conditional estimation starts from the MLE, as in the paper, and keeps the weights that make
    the development trees the likeliest given their sentences.

    Args:
        name: The estimator.
        parts: The trees of the parts ``train`` and ``dev``.
        iterations: The largest number of iterations of conditional estimation.
        threads: How many threads to use, all by default; no result depends on it.
    """
    shape = Cfg() if name == FREE else Cfg(Normalisation.JOINT)
    if name == "MLE":
        return fit(shape, parts["train"], criterion=joint, optimiser=EM(), threads=threads)
    return fit(
        shape,
        parts["train"],
        criterion=conditional,
        penalty=no_penalty,
        optimiser=LBFGS(max_iterations=iterations),
        development=parts["dev"],
        patience=PATIENCE,
        watched=Watched.CRITERION,
        threads=threads,
    )


def judge_row(
    name: str, parser: Parser, parts: Mapping[str, list[Example]], threads: int | None = None
) -> tuple[ParsingRow, BracketScores]:
    """Return the row of a grammar, and the scores of its parses of the test trees."""
    scores = assess_parser(parser, parts["test"], threads=threads, decoder=Decoder.VITERBI)
    return _row(name, parser, parts["train"], scores, threads), scores


def count_kept(parser: Parser, corpus: list[Example], threads: int | None = None) -> int:
    """Return how many sentences have a best tree that is still one after conversion.

    Trees with the same rules are equally good, and rounding decides between them: so it is seen
    whether the converted grammar's tree has the highest score under the free weights. Its sentences
    are half as long on average as the corpus's: the nearer the scale is to the least that will do,
    the less exact is the conversion.
    """
    length = 0.5 * sum(len(example.tokens) for example in corpus) / len(corpus)
    converted = replace(parser, weights=normalise_to_length(parser.grammar, length).grammar.weights)
    sentences = [example.tokens for example in corpus]
    both = (each.parse(sentences, threads, decoder=Decoder.VITERBI) for each in (parser, converted))
    kept = 0
    for tokens, before, after in zip(sentences, *both, strict=True):
        if before is None or after is None:
            kept += before is after
            continue
        tree = Evidence(tokens, parse=after.tree)
        [score] = parser.model.trees([tree]).log_partition(parser.weights)
        kept += math.isclose(score, before.score, rel_tol=1e-9)
    return kept


def _row(
    name: str, parser: Parser, corpus: list[Example], scores: BracketScores, threads: int | None
) -> ParsingRow:
    values = [
        -math.fsum(contrast(parser.model, corpus, each, threads).per_example(parser.weights))
        for each in (joint, conditional, marginal)
    ]
    finite = [value if math.isfinite(value) else None for value in values]
    last = parser.trace[-1]
    return ParsingRow(
        name,
        finite[0],
        values[1],
        finite[2],
        scores.overall,
        last.iteration,
        parser.notes["stopped"],
    )
