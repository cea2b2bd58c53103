"""Fewer features: how good models of some are; see :mod:`weft.papers.johnson_et_al1999`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from weft.evaluate.selection import Judgements, SelectionScores
from weft.features.compile import unpack_parses
from weft.models.selection.scores import Judge, judge
from weft.models.selection.spec import Selection
from weft.papers.selection.estimators import SelectionCorpus, estimators
from weft.structures.alternatives import FeatureName, Selected, alternatives, row_features
from weft.train import selection_curve
from weft.train.crossvalidation import deal
from weft.train.selection.scale import JOHNSON

MOST_CORRECT = ("max-correct", "line search")
"""What maximises the number of right choices: simulated annealing, as in the paper, and line
search."""


@dataclass(frozen=True, slots=True)
class FewerFeatures:
    """Models of the same few features, in one fold.

    Attributes:
        training: How good pseudo-likelihood is on what it was estimated from.
        judged: By estimator, its choices in the test sentences.
    """

    training: SelectionScores
    judged: dict[str, Judgements]


def fold_curve(
    corpus: SelectionCorpus,
    sizes: Sequence[int],
    fold: int,
    folds: int,
    *,
    few: int = 0,
    steps: int | None = None,
    seed: int = 0,
    threads: int | None = None,
) -> dict[int, FewerFeatures]:
    """Return how good models of each number of features are, those added first that help most.

    Args:
        corpus: The sentences.
        sizes: The numbers of features, growing; those beyond what there is are left out.
        fold: Which of the folds is tested on.
        folds: How many there are.
        few: Up to this many features, the number of right choices is maximised, too.
        steps: How many changes simulated annealing tries, if not what the recipe says.
        seed: Deals sentences to folds.
        threads: How many to use; no result depends on it.
    """
    dealt = deal(len(corpus.examples), folds, seed).tolist()
    pairs = list(zip(corpus.examples, dealt, strict=True))
    seen = [each for each, own in pairs if own != fold]
    test = [each for each, own in pairs if own == fold]
    points = selection_curve(Selection(), seen, test, sizes, penalty=JOHNSON, threads=threads)
    # The number of right choices is counted analysis by analysis.
    listed = [[unpack_parses(each) for each in part] for part in (seen, test)] if few else []
    every = estimators(steps)
    names: set[FeatureName] = set()
    found, judged = {}, None
    for point in points:
        names.update(point.added)
        judged = judged or Judge(point.selector.model, test, threads)
        own = {"pseudo-likelihood": judged(point.selector.weights)}
        if point.features <= few:
            some = [[_restricted(each, names) for each in part] for part in listed]
            for name in MOST_CORRECT:
                selector = every[name](some[0])
                own[name] = judge(selector.model, selector.weights, some[1])
        found[point.features] = FewerFeatures(point.training, own)
    return found


def _restricted(example: Selected, names: set[FeatureName]) -> Selected:
    """The same with these features alone."""
    tokens = example.tokens
    rows = [
        {name: value for name, value in row_features(tokens, [row]).items() if name in names}
        for row in range(len(tokens))
    ]
    return Selected(alternatives(rows, tokens.base.tolist()), example.analysis, example.weight)
