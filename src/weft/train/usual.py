"""What training does where nothing is named: criterion, optimiser, penalty and patience.

Everybody who trains reads these: ``weft.fit``, recipes, the command line and the estimators.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from weft.criteria import (
    Criterion,
    Gaussian,
    Penalty,
    complete,
    conditional,
    exponential,
    joint,
    marginal,
)
from weft.criteria.batches import is_single
from weft.criteria.guides import has_closed_form, has_kinks, is_hinge
from weft.criteria.objective import CorpusTerm
from weft.models.model import Spec
from weft.optimise.annealing import Annealing
from weft.optimise.em import EM
from weft.optimise.frank_wolfe import FrankWolfe
from weft.optimise.mert import LineSearchAscent
from weft.optimise.online import PassiveAggressive, Perceptron
from weft.optimise.search import Search
from weft.optimise.stochastic import SGD
from weft.optimise.subgradient import Subgradient
from weft.optimise.variational import VariationalBayes
from weft.structures.stream import Corpus, Stream
from weft.train.penalty_scale import scaled


def usual_criterion(spec: Spec[Any], corpus: Corpus) -> Criterion:
    """Return the criterion that suits a model: what it is a distribution of.

    A model of sentences with their labels makes both likely, or the sentences alone where no
    example has a label. Others make labels likely, given their sentences.

    >>> from weft import Cfg, Chain, example
    >>> corpus = [example(["the", "dog"], ["DT", "NN"])]
    >>> usual_criterion(Chain(), corpus).name, usual_criterion(Cfg(normalisation="joint"), []).name
    ('conditional', 'joint')
    """
    if not spec.is_joint:
        return conditional
    if not corpus or isinstance(corpus, Stream):
        return joint
    return marginal if all(map(is_unlabelled, corpus)) else joint


def is_unlabelled(example: Any) -> bool:
    """Whether nothing is known of an example but its sentence."""
    known: bool = example.evidence() == example.evidence(labelled=False)
    return known


def usual_optimiser(
    spec: Spec[Any], criterion: Criterion | None, penalty: Penalty | None
) -> Any | None:
    """Return the optimiser that a criterion asks for; None if it is content with any.

    Counts are the best weights of an HMM or a PCFG, where what is added to them is no Gaussian.

    Kinks stop what searches along lines, and do not stop what makes a step per example. Margins
    with a penalty have a dual, in which Frank–Wolfe knows how far the optimum is. The kinks of
    rivals are blunt, and L-BFGS gets along them. Weights that are normalised have subgradient
    ascent where a penalty says how long steps are, and others what says so itself. A difference
    of best scores that no cost keeps apart is highest where all scores are the same: it is the way
    of the weights that counts, and not its end, and so that way is gone by the perceptron's rule.

    >>> from weft import Chain, Gaussian
    >>> from weft.criteria import conditional, margin, perceptron
    >>> usual_optimiser(Chain(), perceptron, Gaussian())
    Perceptron(epochs=20, tolerance=0.0001, seed=0, averaged=True)
    >>> usual_optimiser(Chain(), margin(), Gaussian())
    FrankWolfe(epochs=1000, tolerance=0.0, seed=0, batch=1, gap=0.001, inner=10, only_concave=True)
    >>> usual_optimiser(Chain(), conditional, Gaussian()) is None
    True

    Args:
        spec: The family.
        criterion: What is compared; None for what is counted.
        penalty: What large weights cost; None for the family's own.
    """
    if criterion is None:
        return None
    if has_closed_form(criterion) and spec.has_closed_form and not isinstance(penalty, Gaussian):
        return EM()
    if not has_kinks(criterion):
        return None
    hinge = is_hinge(criterion) and spec.linear
    if is_hinge(criterion) and not criterion.cost:
        return Perceptron() if hinge else SGD()
    if penalty is None or _is_everywhere(penalty):
        if not is_hinge(criterion):
            return None  # the kinks of rivals are blunt
        return FrankWolfe(only_concave=True) if hinge else Subgradient()
    return PassiveAggressive() if hinge else SGD()


def or_other(optimiser: Any) -> bool:
    """Whether another optimiser is taken where this one cannot be: nobody has named it."""
    return isinstance(optimiser, FrankWolfe) and optimiser.only_concave


def concave_or_other(optimiser: Any, objectives: Sequence[CorpusTerm], size: int) -> Any:
    """Return an optimiser, or subgradient ascent where the usual one of margins has no dual.

    Several right answers of an example, as partial labels have them, are not concave; of streams
    no answers are kept.

    Args:
        optimiser: How the weights move.
        objectives: The criteria on their corpora.
        size: The number of weights.
    """
    if or_other(optimiser) and not all(is_single(each, size) for each in objectives):
        return Subgradient()
    return optimiser


SLACK = 10.0
"""By how much σ is larger where an example is worth no more than 1: variances 100 times."""


def usual_penalty(criterion: Criterion | None, penalty: Penalty) -> Penalty:
    """Return the penalty that goes with a criterion, given the one that goes with a likelihood.

    The log-probabilities of examples fall without bound as weights grow small, and so a likelihood
    is never given up for the sake of a penalty. Probabilities fall to 0 and no further: where good
    weights cost more than all examples together are worth, the best weights are those that cost
    nothing. A penalty that is relative to the sizes of features is left as it is.

    >>> from weft.criteria import conditional, expected_accuracy
    >>> str(usual_penalty(conditional, Gaussian(10.0)))
    'gaussian:10'
    >>> str(usual_penalty(expected_accuracy, Gaussian(10.0, {"bigram": 1.0})))
    'gaussian:1000,bigram=100'
    """
    if criterion is None or criterion.link is not exponential:
        return penalty
    if not isinstance(penalty, Gaussian) or penalty.relative:
        return penalty
    return scaled(penalty, SLACK)


PATIENCE = 20
"""After how many iterations without a gain on held-out examples training usually ends."""


def usual_patience(
    criterion: Criterion | None, optimiser: Any, search: Search | None
) -> int | None:
    """Return the patience of a training with held-out examples; None for never.

    Labels that are not learnt from should not choose the weights either. A step that counts has
    nothing to wait for. A walk and a search from several starts go through worse weights on
    purpose.

    >>> from weft.criteria import conditional, marginal
    >>> from weft.optimise.lbfgs import LBFGS
    >>> usual_patience(conditional, LBFGS(), Search())
    20
    >>> usual_patience(marginal, LBFGS(), Search()) is None
    True
    """
    if criterion is None or criterion.numerator is not complete:
        return None
    if isinstance(optimiser, EM | VariationalBayes | Annealing | LineSearchAscent):
        return None
    return None if search is not None and search.climbs() > 1 else PATIENCE


def most_iterations(optimiser: Any) -> int | None:
    """Return how many iterations a climb has at most; None where that is not known.

    >>> from weft.optimise.lbfgs import LBFGS
    >>> most_iterations(LBFGS(max_iterations=50)), most_iterations(Perceptron(epochs=7))
    (50, 7)
    """
    names = ("max_iterations", "epochs", "pieces")
    return next((getattr(optimiser, name) for name in names if hasattr(optimiser, name)), None)


def _is_everywhere(penalty: Penalty) -> bool:
    """Whether every weight costs something."""
    if not isinstance(penalty, Gaussian):
        return False
    return all(map(math.isfinite, (penalty.variance, *penalty.kinds.values())))
