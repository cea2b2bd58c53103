"""Optimisers that go over the corpus in passes, through fit: families, threads, seeds, refusals."""

from __future__ import annotations

import numpy as np
import pytest

from weft.corpora import bundled
from weft.criteria import Gaussian, accuracy, conditional, contrast, margin, perceptron
from weft.errors import NotDefined, OptionError
from weft.models import Chain
from weft.models.instances import instances
from weft.optimise.frank_wolfe import FrankWolfe
from weft.optimise.lbfgs import LBFGS
from weft.optimise.online import AROW, PassiveAggressive, Perceptron
from weft.optimise.search import Search
from weft.optimise.stochastic import SGD, AdaGrad, Adam
from weft.optimise.subgradient import Subgradient
from weft.train import fit

SMOOTH = {"sgd": SGD, "adagrad": AdaGrad, "adam": Adam, "subgradient": Subgradient}
LINEAR = {
    "perceptron": Perceptron,
    "pa": PassiveAggressive,
    "arow": AROW,
    "frank-wolfe": FrankWolfe,
}
FAMILIES = instances()
# Models with weights, of each kind: those of grammars and packed forests look at all of them.
FEW = ("free chain", "grammar, phrases", "selection, listed", "selection, packed")


@pytest.mark.parametrize("optimiser", [*SMOOTH, *LINEAR])
def test_the_bundled_corpus_is_learnt(optimiser):
    """Far better than the most frequent tag, 14 % of the tokens."""
    kind = {**SMOOTH, **LINEAR}[optimiser]
    criterion = margin() if optimiser in LINEAR else conditional
    train, test = bundled("train")[:80], bundled("test")[:60]
    tagger = fit(
        Chain(), train, criterion=criterion, optimiser=kind(epochs=8), development=test, patience=0
    )
    assert tagger.trace[-1].accuracy > 0.7
    assert tagger.notes["stopped"]
    assert tagger.notes["penalty"] == ("none" if optimiser in list(LINEAR)[:3] else "gaussian:10")
    tags = tagger.tag([each.tokens for each in test])
    pairs = [
        (gold, guess)
        for each, mine in zip(test, tags, strict=True)
        for gold, guess in zip(each.analysis, mine, strict=True)
    ]
    assert tagger.trace[-1].accuracy == pytest.approx(np.mean([a == b for a, b in pairs]))


@pytest.mark.parametrize("optimiser", [*SMOOTH, *LINEAR])
def test_threads_do_not_change_a_bit_and_seeds_do(optimiser):
    kind = {**SMOOTH, **LINEAR}[optimiser]
    criterion = margin() if optimiser in LINEAR else conditional
    corpus = bundled("train")[:40]

    def weights(threads, seed):
        options = {"criterion": criterion, "optimiser": kind(epochs=3), "threads": threads}
        return fit(Chain(), corpus, search=Search(seed=seed), **options).weights.tobytes()

    assert weights(1, 0) == weights(2, 0) != weights(1, 5)


@pytest.mark.parametrize("name", FEW)
@pytest.mark.parametrize("optimiser", [*SMOOTH, *LINEAR])
def test_every_family_is_climbed(name, optimiser):
    family = FAMILIES[name]
    kind = {**SMOOTH, **LINEAR}[optimiser]
    criterion = margin() if optimiser in LINEAR else conditional
    options = {"criterion": criterion, "penalty": Gaussian(1.0)}
    corpus = family.corpora["complete"]
    best = fit(family.spec, corpus, optimiser=LBFGS(), **options).trace
    found = fit(family.spec, corpus, optimiser=kind(epochs=60), **options).trace
    assert np.isfinite(found[-1].value)
    assert max(step.gradient_norm for step in found) > 0
    # Two examples of each family contradict each other, and only penalties settle that.
    if kind not in (Perceptron, PassiveAggressive, AROW):
        assert found[-1].value > best[0].value + 0.5 * (best[-1].value - best[0].value)


def test_margins_have_one_solution():
    """The gap is small, and subgradients come close to the same value from below."""
    options = {"criterion": margin(), "penalty": Gaussian(0.01)}
    corpus = bundled("train")[:30]
    one = fit(Chain(), corpus, optimiser=FrankWolfe(), **options)
    last = one.trace[-1]
    assert one.notes["stopped"] == "the duality gap is small"
    assert last.gradient_norm <= 1e-3 * abs(last.value)
    problem = contrast(one.model, corpus, margin())
    precise = Gaussian(0.01).objective(one.model.parameters)
    whole = problem + precise
    assert whole(one.weights)[0] == pytest.approx(last.value)
    other = fit(Chain(), corpus, optimiser=Subgradient(epochs=100, tolerance=0.0), **options)
    value = whole(other.weights)[0]
    assert last.value + last.gradient_norm >= value > 1.02 * last.value


@pytest.mark.parametrize("optimiser", LINEAR)
def test_scores_that_are_not_linear_are_refused(optimiser):
    corpus = bundled("train")[:5]
    with pytest.raises(OptionError, match="linear in the weights"):
        fit(Chain(), corpus, criterion=conditional, optimiser=LINEAR[optimiser]())
    memm = Chain(normalisation="conditional")
    with pytest.raises(OptionError, match="linear in the weights"):
        fit(memm, corpus, criterion=perceptron, optimiser=LINEAR[optimiser]())


def test_what_has_no_gradient_and_what_cools_is_refused():
    corpus = bundled("train")[:5]
    with pytest.raises(NotDefined, match="step function"):
        fit(Chain(), corpus, criterion=accuracy, optimiser=SGD())
    with pytest.raises(OptionError, match="leave anneal at 1"):
        fit(Chain(), corpus, optimiser=SGD(), search=Search(anneal=0.5))
