"""Training on workers comes to what training here does; that sums do is a law."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import weft
from weft.corpora import bundled
from weft.criteria import find_criterion, joint
from weft.errors import EvidenceError, OptionError
from weft.models.instances import instances
from weft.optimise.annealing import Annealing
from weft.optimise.em import EM
from weft.optimise.lbfgs import LBFGS
from weft.optimise.mert import LineSearchAscent
from weft.optimise.stochastic import SGD
from weft.optimise.subgradient import Subgradient
from weft.recipes import fit_recipe, plan_recipe
from weft.train import fit
from weft.train.checkpoints import Checkpoint
from workers import Here

CORPUS = bundled("train")[:40]
FEW = LBFGS(max_iterations=5)
ESTIMATED = {name: each for name, each in instances().items() if not each.spec.counted}


def check_same(estimate):
    workers = Here()
    here, there = estimate(None), estimate(workers)
    assert workers.parts > 1
    assert workers.asked >= len(there.trace) > 0
    values = [[step.value for step in each.trace] for each in (here, there)]
    np.testing.assert_allclose(*values, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(there.weights, here.weights, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", ESTIMATED)
def test_models_of_every_family_come_to_the_same(name):
    spec, corpus = ESTIMATED[name].spec, ESTIMATED[name].corpora["complete"]
    check_same(lambda workers: fit(spec, corpus, optimiser=FEW, cluster=workers))


@pytest.mark.parametrize("name", ["hidden Markov model", "grammar, pcfg", "grammar, words"])
def test_counts_that_are_expected_come_to_the_same(name):
    spec, corpora, few = ESTIMATED[name].spec, ESTIMATED[name].corpora, EM(max_iterations=1)
    corpus = [*corpora["complete"], *corpora["partial"]]
    check_same(lambda workers: fit(spec, corpus, criterion=joint, optimiser=few, cluster=workers))


@pytest.mark.parametrize(
    ("recipe", "settings"),
    [
        ("hmm-em", "restarts=1"),
        ("hmm", "optimiser=variational-bayes"),
        ("hmm", "criterion=conditional"),
        ("crf", "criterion=expected-accuracy"),
        ("crf", "optimiser=conjugate-gradient"),
    ],
)
def test_other_optimisers_and_guides_come_to_the_same(recipe, settings):
    plan = plan_recipe(recipe, settings=dict([settings.split("="), ("iterations", "5")]))
    check_same(lambda workers: fit_recipe(plan, CORPUS, cluster=workers))


@pytest.mark.parametrize("optimiser", [SGD(), Subgradient(), Annealing(), LineSearchAscent()])
def test_optimisers_of_single_examples_are_refused(optimiser):
    with pytest.raises(OptionError, match="leave it out, or name lbfgs"):
        fit(weft.Chain(), CORPUS, optimiser=optimiser, cluster=Here())


@pytest.mark.parametrize(
    ("optimiser", "name"),
    [
        *((None, name) for name in ("margin", "perceptron", "accuracy")),  # rivals have L-BFGS
        *product((SGD(), Annealing()), ("margin", "perceptron", "rival", "accuracy")),
    ],
)
def test_criteria_that_need_these_are_refused_without_advice_to_take_others(name, optimiser):
    usual = Annealing() if name == "accuracy" else None
    with pytest.raises(OptionError, match=f"leave it out, as {name} needs such an optimiser$"):
        fit(
            weft.Chain(),
            CORPUS,
            criterion=find_criterion(name),
            optimiser=optimiser or usual,
            cluster=Here(),
        )


def test_tables_are_refused():
    with pytest.raises(OptionError, match="tables are counted, which takes no cluster"):
        fit(weft.Tables(), CORPUS, cluster=Here())


def test_labels_of_an_hmm_are_counted_by_workers():
    workers, plan = Here(), plan_recipe("hmm")
    found = fit_recipe(plan, CORPUS, cluster=workers)
    assert workers.parts > 0 < workers.asked
    np.testing.assert_array_equal(found.weights, fit_recipe(plan, CORPUS).weights)


def test_a_sentence_without_a_derivation_is_named():
    chain = weft.Chain(dictionary={"u": frozenset({"A"}), "v": frozenset({"B"})})
    corpus = [weft.example(["v"], ["B"]), weft.example(["v", "u"], ["B", "B"])]
    with pytest.raises(EvidenceError, match=r"example 2.*token 2"):
        fit(chain, corpus, cluster=Here())


def test_a_checkpoint_of_a_cluster_goes_on_with_one(tmp_path):
    kept = Checkpoint(tmp_path / "c", every=0.0)
    first = fit(weft.Chain(), CORPUS, optimiser=FEW, checkpoint=kept, cluster=Here())
    again = fit(weft.Chain(), CORPUS, optimiser=FEW, checkpoint=kept, cluster=Here())
    assert first.weights.tobytes() == again.weights.tobytes()
    with pytest.raises(OptionError, match="cluster used"):
        fit(weft.Chain(), CORPUS, optimiser=FEW, checkpoint=kept)
