"""Deleted interpolation against plain loops: counts, events, EM, and proper distributions."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.errors import OptionError
from weft.models.smoothing.counts import count_table
from weft.models.smoothing.interpolation import (
    Interpolation,
    deleted_events,
    held_out_events,
    interpolate,
    powers_of_two,
)
from weft.models.smoothing.mixtures import (
    Events,
    Mixture,
    climb,
    fit_mixture,
    join_events,
    merge_sparse,
)

OUTCOMES = 4


def random_events(rng, events=60):
    """Contexts from narrow to wide, outcomes, counts and parts."""
    first, second = rng.integers(4, size=events), rng.integers(3, size=events)
    outcomes = np.minimum(rng.integers(OUTCOMES, size=events), first)
    contexts = [first * 3 + second, second, np.zeros(events, np.int64)]
    counts = rng.choice([0.25, 1.0, 2.0], events)  # sums and differences are exact
    return contexts, outcomes, counts, rng.integers(5, size=events)


@given(st.integers(0, 2**32 - 1), st.integers(0, 40))
def test_tables_equal_counting_by_hand(seed, events):
    rng = np.random.default_rng(seed)
    contexts = rng.integers(5, size=events) * 10**15
    outcomes = rng.integers(OUTCOMES, size=events)
    counts = rng.uniform(0.5, 2.0, events)
    table = count_table(contexts, outcomes, OUTCOMES, counts)
    pairs, totals = Counter(), Counter()
    for context, outcome, count in zip(contexts.tolist(), outcomes.tolist(), counts, strict=True):
        pairs[context, outcome] += count
        totals[context] += count
    for context in (*range(0, 5 * 10**15, 10**15), 7):
        where = np.array(context)
        assert table.seen(where) == pytest.approx(totals[context])
        expected = [
            pairs[context, outcome] / totals[context] if totals[context] else 0.0
            for outcome in range(OUTCOMES)
        ]
        np.testing.assert_allclose(table.rows(where), expected)
        np.testing.assert_allclose(table.probs(where, np.arange(OUTCOMES)), expected)


def test_rows_keep_the_shape_of_their_contexts():
    table = count_table(np.array([0, 1, 1]), np.array([2, 0, 3]), OUTCOMES)
    contexts = np.array([[0, 5], [1, 0]])
    rows = table.rows(contexts)
    assert rows.shape == (2, 2, OUTCOMES)
    np.testing.assert_array_equal(rows[0, 1], 0.0)
    np.testing.assert_array_equal(rows[1, 0], [0.5, 0.0, 0.0, 0.5])


@pytest.mark.parametrize("seed", range(5))
def test_deleting_by_subtraction_equals_counting_the_other_parts(seed):
    contexts, outcomes, counts, parts = random_events(np.random.default_rng(seed))
    together = deleted_events(contexts, outcomes, counts, parts)
    for part in range(5):
        mine = parts == part
        tables = [
            count_table(where[~mine], outcomes[~mine], OUTCOMES, counts[~mine])
            for where in contexts
        ]
        alone = held_out_events(
            tables, [where[mine] for where in contexts], outcomes[mine], counts[mine]
        )
        np.testing.assert_allclose(together.probs[mine], alone.probs, atol=1e-12)
        np.testing.assert_array_equal(together.defined[mine], alone.defined)
        np.testing.assert_array_equal(together.buckets[mine], alone.buckets)
        np.testing.assert_array_equal(together.counts[mine], alone.counts)


def test_leaving_one_out_makes_a_single_occurrence_unknown():
    contexts = [np.array([0, 1, 1]), np.zeros(3, np.int64)]
    events = deleted_events(contexts, np.array([0, 1, 1]), np.full(3, 0.1), np.arange(3))
    assert events.defined.tolist() == [[False, True], [True, True], [True, True]]
    np.testing.assert_allclose(events.probs, [[0.0, 0.0], [1.0, 0.5], [1.0, 0.5]])


def test_events_of_parts_are_joined_in_order(rng):
    contexts, outcomes, counts, parts = random_events(rng)
    whole = deleted_events(contexts, outcomes, counts, parts)
    halves = [
        Events(whole.probs[run], whole.defined[run], whole.buckets[run], whole.counts[run])
        for run in (slice(0, 20), slice(20, None))
    ]
    joined = join_events(halves)
    for name in ("probs", "defined", "buckets", "counts"):
        np.testing.assert_array_equal(getattr(joined, name), getattr(whole, name))


def objective(probs, groups, counts, weights, prior) -> float:
    total = 0.0
    for event, group in enumerate(groups):
        mass = sum(p * w for p, w in zip(probs[event], weights[group], strict=True))
        total += counts[event] * math.log(mass) if mass > 0 else 0.0
    used = [[w for w in row if w > 0] for row in weights]
    return total + sum(prior / len(row) * math.log(w) for row in used for w in row)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("prior", [0.0, 1.0])
def test_em_never_decreases_and_reaches_the_maximum(seed, prior):
    rng = np.random.default_rng(seed)
    probs = rng.uniform(size=(40, 2)) * (rng.uniform(size=(40, 2)) > 0.2)
    groups, counts = rng.integers(2, size=40), rng.uniform(0.5, 2.0, 40)
    start = np.full((2, 2), 0.5)
    weights, trace = climb(probs, groups, counts, start, prior, 2000, tolerance=1e-13)
    assert len(trace) > 2
    assert (np.diff(trace) >= -1e-9).all()
    assert trace[-1] == pytest.approx(objective(probs, groups, counts, weights, prior))
    np.testing.assert_allclose(weights.sum(axis=1), 1.0)
    # The objective is concave in the one free weight of each group: no grid point is higher.
    for group in range(2):
        for share in np.linspace(0.001, 0.999, 99):
            other = weights.copy()
            other[group] = share, 1 - share
            assert objective(probs, groups, counts, other, prior) <= trace[-1] + 1e-6


def test_events_without_any_probability_change_nothing():
    probs = np.array([[0.2, 0.6], [0.5, 0.1], [0.0, 0.0]])
    start, counts = np.full((1, 2), 0.5), np.ones(3)
    with_them, _ = climb(probs, np.zeros(3, np.int64), counts, start)
    without, _ = climb(probs[:2], np.zeros(2, np.int64), counts[:2], start)
    np.testing.assert_array_equal(with_them, without)


@pytest.mark.parametrize(("prior", "least"), [(0.0, 0.0), (1.0, 1e-3)])
def test_a_prior_keeps_useless_components(prior, least, rng):
    probs = rng.uniform(size=(10, 2)) * [1.0, 0.0]
    weights, trace = climb(probs, np.zeros(10, np.int64), np.ones(10), np.full((1, 2), 0.5), prior)
    assert (np.diff(trace) >= 0).all()
    assert least <= weights[0, 1] < 0.1


def test_components_that_start_at_zero_stay_there(rng):
    probs = rng.uniform(size=(10, 3))
    start = np.array([[0.5, 0.0, 0.5]])
    weights, _ = climb(probs, np.zeros(10, np.int64), np.ones(10), start)
    assert weights[0, 1] == 0.0
    assert (weights[0, [0, 2]] > 0).all()


@pytest.mark.parametrize("seed", range(5))
def test_a_mixture_is_a_proper_distribution_that_equals_its_definition(seed):
    rng = np.random.default_rng(seed)
    contexts, outcomes, counts, parts = random_events(rng)
    mixed = interpolate(contexts, outcomes, OUTCOMES, parts, counts=counts)
    first, second = np.arange(6)[:, None], np.arange(4)  # beyond what occurred, too
    everywhere = [first * 3 + second, second, np.array(0)]
    rows = mixed.rows(everywhere)
    assert rows.shape == (6, 4, OUTCOMES)
    np.testing.assert_allclose(rows.sum(axis=-1), 1.0)
    assert (rows >= 0).all()
    for a in range(6):
        for b in range(4):
            where = [np.array(a * 3 + b), np.array(b), np.array(0)]
            tables = [each.rows(w) for each, w in zip(mixed.components, where, strict=True)]
            seen = [float(c.seen(w)) for c, w in zip(mixed.components, where, strict=True)]
            pattern = sum(2**i for i, count in enumerate(seen) if count > 0)
            bucket = 0 if seen[0] == 0 else 1 + max(0, math.floor(math.log2(seen[0])))
            buckets = mixed.mixture.weights.shape[1]
            weights = mixed.mixture.weights[pattern, min(bucket, buckets - 1)]
            expected = sum(w * table for w, table in zip(weights, tables, strict=True))
            np.testing.assert_allclose(rows[a, b], expected, atol=1e-12)
    every = np.arange(OUTCOMES)
    deeper = [where[..., None] for where in np.broadcast_arrays(*everywhere)]
    np.testing.assert_allclose(mixed.probs(deeper, every), rows, atol=1e-12)


def test_undefined_components_have_no_weight_and_the_others_sum_to_one(rng):
    contexts, outcomes, counts, parts = random_events(rng)
    weights = fit_mixture(deleted_events(contexts, outcomes, counts, parts)).weights
    for pattern in range(8):
        defined = [bool(pattern & 1 << i) for i in range(3)]
        assert (weights[pattern][:, ~np.array(defined)] == 0).all()
        assert (weights[pattern][:, defined] > 0).all()
        np.testing.assert_allclose(weights[pattern].sum(axis=1), 1.0 if pattern else 0.0)


def test_weights_follow_what_predicts_well():
    """Where the narrow context decides, its weight is large; where it misleads, small."""
    rng = np.random.default_rng(5)
    narrow = np.tile(np.arange(4), 200)
    noise = rng.integers(OUTCOMES, size=800)
    parts = np.arange(800) % 10
    for outcomes, low, high in ((narrow, 0.9, 1.0), (noise, 0.0, 0.7)):
        mixed = interpolate([narrow, narrow * 0], outcomes, OUTCOMES, parts)
        weight = mixed.weights([np.array([0]), np.array([0])])[0, 0]
        assert low < weight < high


def test_any_function_may_choose_the_buckets(rng):
    wide = np.repeat([0, 1], [300, 60])
    narrow, outcomes = wide * 2 + rng.integers(2, size=360), rng.integers(OUTCOMES, size=360)

    def often(seen):
        return np.where(seen[1] > 100.0, 1, 0)

    mixed = interpolate([narrow, wide], outcomes, OUTCOMES, np.arange(360) % 5, bucket_of=often)
    assert mixed.mixture.weights.shape == (4, 2, 2)
    chosen = mixed.weights([np.array([0, 2]), np.array([0, 1])])
    np.testing.assert_array_equal(chosen, mixed.mixture.weights[3][[1, 0]])
    assert (chosen[0] != chosen[1]).all()


@given(st.lists(st.floats(0, 100), min_size=1, max_size=12), st.floats(0.1, 100))
def test_merged_buckets_are_neighbours_with_enough_events(sizes, enough):
    groups = merge_sparse(np.array(sizes), enough)
    assert groups[0] == 0
    assert set(np.diff(groups)) <= {0, 1}
    if groups[-1] > 0:
        assert (np.bincount(groups, sizes) >= enough * (1 - 1e-12)).all()


@given(st.floats(0, 2**40))
def test_buckets_are_powers_of_two(count):
    bucket = int(powers_of_two([np.array([count])])[0])
    if count == 0:
        assert bucket == 0
    elif bucket == 1:
        assert count < 2
    else:
        assert 2 ** (bucket - 1) <= count < 2**bucket


def test_without_held_out_events_components_share_evenly():
    nothing = Events(
        np.empty((0, 2)), np.empty((0, 2), np.bool_), np.empty(0, np.int64), np.empty(0)
    )
    weights = fit_mixture(nothing).weights
    np.testing.assert_array_equal(weights[:, 0], [[0, 0], [1, 0], [0, 1], [0.5, 0.5]])


def test_buckets_beyond_the_last_are_the_last():
    mixture = Mixture(np.array([[[0.0], [0.0]], [[1.0], [1.0]]]))
    table = count_table(np.zeros(1000, np.int64), np.zeros(1000, np.int64), 2)
    assert Interpolation((table,), mixture).probs([np.array(0)], np.array(0)) == 1.0


def test_too_many_components_are_refused():
    with pytest.raises(OptionError, match="1 to 8"):
        fit_mixture(
            Events(np.ones((1, 9)), np.ones((1, 9), np.bool_), np.zeros(1, np.int64), np.ones(1))
        )
