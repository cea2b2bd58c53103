"""Fewer features: how good models of some are; see :mod:`weft.papers.johnson_et_al1999`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from weft.evaluate.selection import Judgements, SelectionScores
from weft.models.selection.scores import Judge, judge
from weft.models.selection.selector import Selector
from weft.models.selection.spec import Selection
from weft.papers.selection.estimators import (
    MAXIMISERS,
    SelectionCorpus,
    Watch,
    estimators,
)
from weft.structures.alternatives import FeatureName, Selected, alternatives, row_features
from weft.train import selection_curve
from weft.train.crossvalidation import deal
from weft.train.selection.scale import JOHNSON

SIZES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
"""The numbers of features of the curve."""


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """How good models of some number of features are, over all folds.

    Attributes:
        features: How many.
        training: Over the training parts, summed.
        test: Over the test parts, summed.
        neg_log_pl: Of the test parts.
    """

    features: int
    training: float | None
    test: float | None
    neg_log_pl: float


def curve(
    corpus: SelectionCorpus,
    sizes: Sequence[int] = SIZES,
    *,
    folds: int = 5,
    seed: int = 0,
    threads: int | None = None,
    watch: Watch | None = None,
) -> list[CurvePoint]:
    """Add features a few at a time, the most useful first, and say how good each number is."""
    say = watch or (lambda _: None)
    found: dict[int, list[tuple[SelectionScores, SelectionScores]]] = {size: [] for size in sizes}
    for fold in range(folds):
        say(f"{corpus.name}: curve, fold {fold + 1} of {folds}")
        for size, pair in fold_curve(corpus, sizes, fold, folds, seed, threads).items():
            found[size].append((pair[0], pair[1].scores()))
    return [
        CurvePoint(
            size,
            _share([each for each, _ in pairs]),
            _share([each for _, each in pairs]),
            sum(each.neg_log_pl for _, each in pairs),
        )
        for size, pairs in found.items()
        if len(pairs) == folds
    ]


def fold_curve(
    corpus: SelectionCorpus,
    sizes: Sequence[int],
    fold: int,
    folds: int,
    seed: int = 0,
    threads: int | None = None,
) -> dict[int, tuple[SelectionScores, Judgements]]:
    """Return how good models of each number of features are on what they are estimated from.

    Beside it stands what is known of their choices in the fold's test sentences.
    """
    dealt = deal(len(corpus.examples), folds, seed).tolist()
    pairs = list(zip(corpus.examples, dealt, strict=True))
    seen = [each for each, own in pairs if own != fold]
    test = [each for each, own in pairs if own == fold]
    points = selection_curve(Selection(), seen, test, sizes, penalty=JOHNSON, threads=threads)
    found, judged = {}, None
    for point in points:
        judged = judged or Judge(point.selector.model, test, threads)
        found[point.features] = point.training, judged(point.selector.weights)
    return found


def few_features(
    corpus: SelectionCorpus,
    sizes: Sequence[int] = (10, 20, 50, 100, 200),
    *,
    folds: int = 5,
    seed: int = 0,
    steps: int | None = None,
    maximiser: str = MAXIMISERS[0],
    watch: Watch | None = None,
) -> dict[int, tuple[float | None, float | None]]:
    """Return C of pseudo-likelihood and of max-correct for models of the same few features.

    The features are those that forward selection finds; with few, the paper says, the number of
    right choices is the better thing to maximise.
    """
    say = watch or (lambda _: None)
    likely, most = (
        estimators(steps, maximiser)[name] for name in ("pseudo-likelihood", "max-correct")
    )
    dealt = deal(len(corpus.examples), folds, seed).tolist()
    found: dict[int, list[tuple[SelectionScores, SelectionScores]]] = {size: [] for size in sizes}
    for fold in range(folds):
        say(f"{corpus.name}: few features, fold {fold + 1} of {folds}")
        pairs = list(zip(corpus.examples, dealt, strict=True))
        seen = [each for each, own in pairs if own != fold]
        test = [each for each, own in pairs if own == fold]
        names: set[FeatureName] = set()
        for point in selection_curve(Selection(), seen, test, sizes):
            names.update(point.added)
            parts = [[_restricted(each, names) for each in part] for part in (seen, test)]
            scores = [_scores(estimate(parts[0]), parts[1]) for estimate in (likely, most)]
            found[point.features].append((scores[0], scores[1]))
    return {
        size: (_share([one for one, _ in pairs]), _share([other for _, other in pairs]))
        for size, pairs in found.items()
        if len(pairs) == folds
    }


def _restricted(example: Selected, names: set[FeatureName]) -> Selected:
    tokens = example.tokens
    rows = [
        {name: value for name, value in row_features(tokens, [row]).items() if name in names}
        for row in range(len(tokens))
    ]
    return Selected(alternatives(rows, tokens.base.tolist()), example.analysis, example.weight)


def _scores(selector: Selector, test: Sequence[Selected]) -> SelectionScores:
    return judge(selector.model, selector.weights, test).scores()


def _share(scores: Sequence[SelectionScores]) -> float | None:
    total = sum(each.ambiguous for each in scores)
    return sum(each.correct for each in scores) / total if total else None
