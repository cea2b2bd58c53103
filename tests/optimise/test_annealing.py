import itertools

import numpy as np
import pytest

from parse_sets import both_ways, matrix, random_examples
from weft.criteria import accuracy, contrast
from weft.errors import OptionError
from weft.features.properties import properties
from weft.features.templates import templates
from weft.models import Chain, prepare
from weft.models.selection.model import prepare_selection
from weft.models.selection.spec import Selection
from weft.optimise.annealing import Annealing, Plain
from weft.optimise.solution import Reason
from weft.structures.evidence import example
from weft.train import fit


def landscape_of(rng, sentences=8, features=3):
    corpus = random_examples(rng, sentences, features=features)
    model = prepare_selection(Selection(), corpus)
    return contrast(model, corpus, accuracy), model, corpus


def optimum(model, corpus):
    """The largest number of right choices over a grid, which is fine enough for few features."""
    best = 0.0
    dense = [matrix(model, each.tokens) for each in corpus]
    for theta in itertools.product(np.linspace(-1, 1, 11), repeat=model.parameters.size):
        total = 0.0
        for features, each in zip(dense, corpus, strict=True):
            scores = features @ np.array(theta)
            top = np.flatnonzero(scores >= scores.max() - 1e-12)
            total += each.weight * np.isin(top, each.analysis).mean()
        best = max(best, total)
    return best


@pytest.mark.parametrize("seed", range(4))
def test_it_finds_the_optimum_where_that_can_be_enumerated(seed):
    objective, model, corpus = landscape_of(np.random.default_rng(seed))
    size = model.parameters.size
    solution = Annealing(steps=20_000, hot=2.0).maximise(objective.landscape(), np.zeros(size))
    assert solution.value >= optimum(model, corpus) - 1e-9
    assert solution.value == pytest.approx(objective.value(solution.weights))


def test_the_native_walk_is_the_plain_one(rng):
    objective, model, _ = landscape_of(rng, features=5)
    size = model.parameters.size
    annealing = Annealing(steps=3000, seed=3)
    native = annealing.maximise(objective.landscape(), np.zeros(size))
    plain = annealing.maximise(Plain(objective.value), np.zeros(size))
    np.testing.assert_array_equal(native.weights, plain.weights)
    assert [step.value for step in native.trace] == pytest.approx(
        [step.value for step in plain.trace]
    )


def packed(rng):
    shown = properties("rules grandparents")
    corpus = [both_ways(rng, shown)[0] for _ in range(12)]
    return prepare_selection(Selection(shown, relevance=0), corpus), corpus


def tagged(rng):
    words, tags = "abcdefghijklmnopqrstuvwxyz", "XYZ"
    corpus = []
    for _ in range(30):
        drawn = rng.integers(len(words), size=int(rng.integers(1, 4)))
        labels = [tags[(int(n) + int(rng.random() < 0.2)) % 3] for n in drawn]
        corpus.append(example([words[n] for n in drawn], labels))
    corpus.append(corpus[0])  # two members that look at one sentence
    chain = Chain(templates=templates("word[0] word[-1]"), pair_templates=templates("word[0]"))
    return prepare(chain, corpus), corpus


@pytest.mark.parametrize("family", [packed, tagged])
def test_what_is_remembered_is_what_is_found_anew(rng, family):
    model, corpus = family(rng)
    objective, size = contrast(model, corpus, accuracy), model.parameters.size
    theta = Annealing(steps=1000).maximise(Plain(objective.value), np.zeros(size)).weights
    met = set()
    for _ in range(200):
        trial = theta.copy()
        trial[rng.integers(size)] += 5.0 * rng.normal()
        found = objective.per_example(trial)
        np.testing.assert_array_equal(found, contrast(model, corpus, accuracy).per_example(trial))
        met.add(found.tobytes())
        theta = trial if rng.random() < 0.5 else theta
    assert len(met) > 2
    np.testing.assert_array_equal(objective.per_example(theta), objective.per_example(theta))


@pytest.mark.parametrize("family", [packed, tagged])
def test_single_weights_are_asked_of_some_members(rng, family, monkeypatch):
    model, corpus = family(rng)
    objective, size = contrast(model, corpus, accuracy), model.parameters.size
    asked, find = [], objective.hits._find

    def told(theta, members):
        asked.append(len(corpus) if members is None else len(members))
        return find(theta, members)

    monkeypatch.setattr(objective.hits, "_find", told)
    Annealing(steps=200).maximise(Plain(objective.value), np.zeros(size))
    assert np.mean(asked) < len(corpus) / 2


def test_a_walk_goes_on_where_it_was(rng):
    objective, model, _ = landscape_of(rng, features=5)
    size = model.parameters.size
    annealing = Annealing(steps=6000, seed=1)
    landscape = objective.landscape()
    start = annealing.begin(landscape, np.zeros(size))
    whole = annealing.advance(landscape, start, 6000)
    parts = start
    for _ in range(4):
        parts = annealing.advance(objective.landscape(), parts, 2000)
    assert (whole.step, whole.generator) == (parts.step, parts.generator)
    assert (whole.value, whole.best_value) == (parts.value, parts.best_value)
    np.testing.assert_array_equal(whole.weights, parts.weights)
    np.testing.assert_array_equal(whole.best_weights, parts.best_weights)


def test_the_seed_decides_and_the_best_is_kept(rng):
    objective, model, corpus = landscape_of(rng, sentences=30, features=6)
    size = model.parameters.size
    found = [
        Annealing(steps=4000, seed=seed).maximise(objective.landscape(), np.zeros(size))
        for seed in (0, 0, 1)
    ]
    np.testing.assert_array_equal(found[0].weights, found[1].weights)
    assert (found[0].weights != found[2].weights).any()
    values = [step.value for step in found[0].trace]
    assert values == sorted(values)
    assert found[0].value >= objective.value(np.zeros(size))
    selector = fit(
        Selection(), corpus, criterion=accuracy, optimiser=Annealing(steps=4000), threads=1
    )
    np.testing.assert_array_equal(selector.weights, found[0].weights)


def test_the_callback_stops_it_and_an_interrupt_too():
    def interrupt(step, _):
        if step.iteration == 2:
            raise KeyboardInterrupt

    landscape = Plain(lambda theta: -float(theta @ theta))
    annealing = Annealing(steps=20_000)
    stopped = annealing.maximise(landscape, np.ones(2), lambda step, _: step.iteration == 3)
    assert stopped.reason is Reason.STOPPED
    assert len(stopped.trace) == 4
    assert annealing.maximise(landscape, np.ones(2), interrupt).reason is Reason.INTERRUPTED


def test_harmful_changes_are_kept_as_often_as_the_temperature_says():
    """On a ladder of two values one apart, the share of the lower is 1 / (1 + exp(1 / T))."""
    temperature = 0.7

    def value(theta):
        return 1.0 if float(theta[0]) % 2 < 1 else 0.0

    annealing = Annealing(steps=40_000, hot=temperature, cold=temperature, spread=50.0)
    seen = []
    plain = Plain(value)
    walk = annealing.begin(plain, np.zeros(1))
    for _ in range(40):
        walk = annealing.advance(plain, walk, 1000)
        seen.append(walk.value)
    # The walk forgets where it was within a few steps: its ends of batches are a sample.
    expected = 1 / (1 + np.exp(-1 / temperature))
    assert np.mean(seen) == pytest.approx(expected, abs=0.2)
    assert 0.0 in seen


def test_options_are_checked():
    for options in ({"steps": -1}, {"hot": 0.1, "cold": 1.0}, {"spread": 0.0}, {"cold": 0.0}):
        with pytest.raises(OptionError, match="of annealing"):
            Annealing(**options)


def test_without_weights_there_is_nothing_to_walk_on():
    solution = Annealing(steps=10).maximise(Plain(lambda theta: 3.0), np.zeros(0))  # noqa: ARG005
    assert solution.value == 3.0
