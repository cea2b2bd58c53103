from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from oracles import finite_difference
from weft.derivations.feature_map import from_lists
from weft.derivations.known import Counted
from weft.derivations.reparametrise import Weighting, normalise_weights

MEMBERS = st.lists(st.lists(st.integers(0, 4), max_size=6), min_size=1, max_size=4)
WEIGHTS = st.lists(st.floats(-3, 3), min_size=5, max_size=5).map(np.array)
GROUPS = np.array([0, 1, 0, 2, 1])


@given(members=MEMBERS, theta=WEIGHTS)
def test_scores_are_sums_of_weights(members, theta):
    found = Counted(from_lists(members, 5))
    assert len(found) == len(members)
    assert np.allclose(found.log_partition(theta), [sum(theta[f] for f in m) for m in members])
    assert found.impossible(0) is None


@given(members=MEMBERS, theta=WEIGHTS, seed=st.integers(0, 9))
def test_gradients_are_those_of_finite_differences(members, theta, seed):
    coefficients = np.random.default_rng(seed).normal(size=len(members))
    features = from_lists(members, 5)
    for found in (Counted(features), Counted(features, weighting=Weighting(5, groups=GROUPS))):
        values, gradient = found.evaluate(theta, coefficients)
        assert np.allclose(values, found.log_partition(theta))
        for axis, slope in zip(np.eye(5), gradient, strict=True):
            expected = finite_difference(found.log_partition, theta, axis)
            assert np.isclose(slope, coefficients @ expected, atol=1e-6)


@given(theta=WEIGHTS)
def test_groups_sum_to_one(theta):
    probs = np.exp(normalise_weights(theta, GROUPS))
    assert np.allclose(np.bincount(GROUPS, probs), 1)
    assert np.allclose(normalise_weights(theta + 700, GROUPS), normalise_weights(theta, GROUPS))


def test_what_is_excluded_stays_so():
    theta = np.array([-np.inf, 0.0, 1.0, -np.inf, 0.0])
    found = normalise_weights(theta, GROUPS)
    assert found[0] == found[3] == -np.inf
    assert found[2] == 0.0
    assert not np.isnan(found).any()
