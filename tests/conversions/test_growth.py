"""Growth rates against eigenvalues and plain recursion, also of weights beyond all floats."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from random_taggers import OPTIONS, random_tagger
from strategies import quick
from weft.conversions.growth import growth_rate, log_growth, log_steps
from weft.conversions.push import log_scale_for, push, shortest_sentence
from weft.errors import DivergenceError, OptionError
from weft.grammars.sums.steps import StepWeights
from weft.structures.evidence import Evidence, example


def steps_with(go) -> StepWeights:
    size = len(go)
    return StepWeights(np.zeros(size), np.array([go], float), np.zeros(size))


logs = st.one_of(st.floats(-5, 5), st.just(-np.inf))
matrices = st.integers(1, 6).flatmap(
    lambda n: st.lists(st.lists(logs, min_size=n, max_size=n), min_size=n, max_size=n)
)


@quick
@given(matrices)
def test_growth_is_the_largest_eigenvalue(go):
    expected = np.abs(np.linalg.eigvals(np.exp(np.array(go)))).max()
    # A nilpotent block of size n has eigenvalues that are rounded to ε^(1/n).
    found = np.exp(log_growth(steps_with(go)))
    assert found == pytest.approx(expected, rel=1e-9, abs=3e-3)
    if found == 0:
        power = np.linalg.matrix_power((np.array(go) > -np.inf).astype(np.int64), len(go))
        assert not power.any()


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("name", OPTIONS)
def test_growth_is_what_longer_sentences_gain(rng, name, order):
    """Z_n by recursion over n, each step's weight a sum over words listed one by one."""
    tagger = random_tagger(rng, name, order, "none", 1.0)
    rate = growth_rate(tagger.model, tagger.weights)
    steps = log_steps(tagger.model, tagger.weights)
    begin, end, go = steps.begin.reshape(-1), steps.end.reshape(-1), steps.matrix(-np.inf)
    several = [list(product(tagger.model.vocabulary, repeat=n)) for n in (1, 2, 3)]
    brute = [
        np.logaddexp.reduce(
            tagger.model.derivations([Evidence(example(w).tokens) for w in each]).log_partition(
                tagger.weights
            )
        )
        for each in several
    ]
    mass, totals = begin, []
    for _ in range(400):
        totals.append(np.logaddexp.reduce(mass + end))
        mass = np.logaddexp.reduce(mass[:, None] + go, axis=0)
    np.testing.assert_allclose(totals[:3], brute, atol=1e-9)
    assert np.exp((totals[-1] - totals[-101]) / 100) == pytest.approx(rate, rel=1e-6)


@pytest.mark.parametrize("size", [1e3, 1e6])
def test_weights_beyond_all_floats(rng, size):
    """A cycle whose arcs nearly cancel; a diagonal change of scale leaves the radius as it is."""
    assert log_growth(steps_with([[-np.inf, size], [-size, -np.inf]])) == pytest.approx(0.0)
    go = rng.normal(size=(5, 5))
    potential = size * rng.normal(size=5)
    changed = go + potential - potential[:, None]
    expected = np.log(np.abs(np.linalg.eigvals(np.exp(go))).max())
    assert log_growth(steps_with(changed)) == pytest.approx(expected, abs=1e-15 * size * 1e3)
    assert log_growth(steps_with(go + size)) == pytest.approx(expected + size)
    ends = StepWeights(-potential, changed[None], -potential)
    pushed = push(ends, expected + 0.5)
    rows = np.logaddexp(np.logaddexp.reduce(pushed.go, axis=1), pushed.end)
    np.testing.assert_allclose(rows, 0.0, atol=1e-9 * size / 1e3)


def test_periodic_and_reducible_matrices():
    cycle = np.full((3, 3), -np.inf)
    cycle[0, 1], cycle[1, 2], cycle[2, 0] = np.log([2, 3, 4])
    assert log_growth(steps_with(cycle)) == pytest.approx(np.log(24) / 3)
    two = np.full((4, 4), 1.0)
    two[2:, :2] = -np.inf
    two[:2, :2] = 0.0
    assert log_growth(steps_with(two)) == pytest.approx(1 + np.log(2))


@quick
@given(st.integers(1, 5), st.integers(0, 2**32 - 1), st.floats(1.001, 1e5), st.sampled_from([1, 4]))
def test_scales_give_the_mean_length(size, seed, length, spread):
    rng = np.random.default_rng(seed)
    begin, end = spread * rng.normal(size=(2, size))
    steps = StepWeights(begin, spread * rng.normal(size=(1, size, size)), end)
    growth = log_growth(steps)
    scale = log_scale_for(steps, growth, length)
    assert scale > growth
    pushed = push(steps, scale)
    # The mean length is the sum of P(length ≥ n), and a chain that stops sums to one.
    go = np.exp(pushed.go)
    visits = np.linalg.solve((np.eye(size) - go).T, np.exp(pushed.begin))
    assert visits.sum() == pytest.approx(length, rel=1e-6)
    assert visits @ np.exp(pushed.end) == pytest.approx(1.0, rel=1e-6)


def test_lengths_that_no_number_gives_are_refused():
    """Only a cycle that weighs e⁻⁶⁰ makes sentences long: next to its pole, then, or not at all."""
    go = np.array([[-np.inf, -60.0], [-np.inf, 0.0]])
    steps = StepWeights(np.array([0.0, -np.inf]), go[None], np.array([0.0, 0.0]))
    with pytest.raises(OptionError, match="lengths change faster than numbers can tell"):
        log_scale_for(steps, log_growth(steps), 5.0)


def test_the_shortest_sentence():
    nothing = -np.inf
    go = np.full((3, 3), nothing)
    go[0, 1], go[1, 2], go[2, 2] = 0.0, 0.0, -1.0
    steps = StepWeights(np.array([0, nothing, nothing]), go[None], np.array([nothing, nothing, 0]))
    assert shortest_sentence(steps) == 3
    scale = log_scale_for(steps, log_growth(steps), 4.0)
    assert push(steps, scale).mean_length == pytest.approx(4.0)
    with pytest.raises(OptionError, match="shortest sentence has 3 words"):
        log_scale_for(steps, log_growth(steps), 3.0)


def test_a_scale_below_the_growth_rate_is_noticed():
    with pytest.raises(DivergenceError, match="above the growth rate"):
        push(steps_with(np.zeros((2, 2))), np.log(1.9))


def test_a_memm_does_not_grow(rng):
    memm = random_tagger(rng, "plain", 1, "conditional")
    with pytest.raises(OptionError, match="convert it into an MRF first"):
        growth_rate(memm.model, memm.weights)


def test_a_proper_hmm_does_not_grow(rng):
    hmm = random_tagger(rng, "plain", 2, "joint")
    assert growth_rate(hmm.model, hmm.weights) < 1
