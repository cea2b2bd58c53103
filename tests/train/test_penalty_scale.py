from dataclasses import replace

import numpy as np
import pytest

from parse_sets import random_examples
from weft import commands
from weft.corpora.bundled import bundled_parses
from weft.criteria import Gaussian, conditional, contrast
from weft.errors import OptionError
from weft.models.instances import instances
from weft.models.selection.spec import Selection
from weft.recipes import find_recipe, fit_recipe
from weft.train import fit
from weft.train.crossvalidation import deal
from weft.train.penalty_scale import SCALES, choose_penalty, scaled

USUAL = Gaussian(4.0, relative=True)


def estimate(penalty, seen, leaving):
    return fit(Selection(), seen, penalty=penalty, progress=lambda _: leaving())


def test_it_is_the_one_under_which_held_out_examples_are_the_likeliest(rng):
    corpus = random_examples(rng, 15, features=4)
    chosen = choose_penalty(Selection(), corpus, conditional, USUAL, estimate, seed=3)
    dealt = deal(len(corpus), 5, 3)
    expected = {}
    for scale in SCALES:
        penalty, total = Gaussian(4.0 * scale**2, relative=True), 0.0
        for fold in range(5):
            seen = [each for each, own in zip(corpus, dealt, strict=True) if own != fold]
            test = [each for each, own in zip(corpus, dealt, strict=True) if own == fold]
            selector = fit(Selection(), seen, penalty=penalty)
            total += contrast(selector.model, test, conditional).value(selector.weights)
        expected[str(penalty)] = total / len(corpus)
    assert chosen.values == pytest.approx(expected, rel=1e-6)
    assert str(chosen.penalty) == max(expected, key=expected.get)
    assert f"{chosen.penalty}, by 5-fold cross-validation (relative:0.06 " in str(chosen)


def test_of_equals_the_strongest_is_taken(rng):
    corpus = random_examples(rng, 6)
    alike = fit(Selection(), corpus)
    chosen = choose_penalty(Selection(), corpus, conditional, USUAL, lambda *_: alike)
    assert len({*chosen.values.values()}) == 1
    assert chosen.penalty == scaled(USUAL, min(SCALES))


def test_one_example_leaves_the_usual_one(rng):
    corpus = random_examples(rng, 1)
    selector = fit_recipe(find_recipe("parse-selection"), corpus)
    assert selector.notes["penalty"] == "relative:7"
    assert "the usual one: there is too little" in selector.notes["penalty_chosen"]


@pytest.mark.parametrize(
    ("name", "instance"),
    [
        ("crf", "free chain"),
        ("memm", "free chain"),
        ("mrf", "free chain of single words"),  # whose held-out words are not all known
        ("wcfg-crf", "grammar, free"),  # whose held-out rules are not
        ("parse-selection", "selection, mixed"),
    ],
)
def test_every_family_with_a_gaussian_has_it(name, instance):
    corpus = [*instances()[instance].corpora["complete"]] * 2
    plan = replace(find_recipe(name), tuned=True)
    trained = fit_recipe(plan, corpus)
    chosen = trained.notes["penalty_chosen"]
    assert chosen.startswith(f"{trained.notes['penalty']}, by 5-fold cross-validation (")
    assert trained.notes["penalty"] in [str(scaled(plan.penalty, scale)) for scale in SCALES]
    assert np.isfinite(trained.weights).all()


@pytest.mark.parametrize("name", ["hmm", "max-correct", "pcfg-mcle", "johnson-4"])
def test_others_refuse_it(name, tmp_path):
    with pytest.raises(OptionError, match="--penalty auto chooses the scale of a Gaussian"):
        commands.train(tmp_path / "m.weft", ["x.tagged"], recipe=name, penalty="auto")


@pytest.mark.parametrize("optimiser", ["line-search", "annealing", "pa"])
def test_optimisers_without_a_penalty_leave_it_as_it_is(optimiser, tmp_path):
    criterion = "margin" if optimiser == "pa" else "accuracy"
    asked = {"recipe": "parse-selection", "optimiser": optimiser, "criterion": criterion}
    path = tmp_path / "m.weft"
    found = commands.train(path, [bundled_parses()], **asked).trained.notes
    assert ("penalty_chosen" in found, found["penalty"]) == (False, "none")
    with pytest.raises(OptionError, match=f"{optimiser} takes no penalty"):
        commands.train(path, [bundled_parses()], **asked, penalty="auto")


def test_a_penalty_that_is_named_is_kept(tmp_path):
    training = commands.train(
        tmp_path / "m.weft", [bundled_parses()], recipe="parse-selection", penalty="relative:2"
    )
    assert training.trained.notes["penalty"] == "relative:2"
    assert "penalty_chosen" not in training.trained.notes


@pytest.mark.slow
def test_it_is_chosen_anew_for_every_fold():
    """Out of the box, probabilities are better than those of analyses that are all alike."""
    found = commands.crossvalidate(bundled_parses(), penalty="auto", folds=5)
    assert found.rows["parse-selection"]["neg_log_pl"] < found.rows["baseline"]["neg_log_pl"]
    usual = commands.crossvalidate(bundled_parses(), penalty="relative:7", folds=5)
    assert usual.rows["parse-selection"]["neg_log_pl"] > usual.rows["baseline"]["neg_log_pl"]
