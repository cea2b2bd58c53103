"""Every family with every criterion on every kind of data: it obeys the laws, or says why not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from contracts.models import (
    EVERY,
    FAMILIES,
    SMOOTH,
    among_neighbours,
    by_definition,
    flat,
    listing,
    reason,
    weights_of,
)
from oracles import finite_difference
from weft.criteria import (
    Criterion,
    Unit,
    complete,
    conditional,
    contrast,
    input_only,
    joint,
    marginal,
)
from weft.errors import NotDefined
from weft.models.instances import DATA
from weft.train.grid import cells, undefined

families = pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
criteria = pytest.mark.parametrize("criterion", EVERY.values(), ids=EVERY)
smooth = pytest.mark.parametrize("criterion", SMOOTH.values(), ids=SMOOTH)


def corpora(family, criterion):
    """The data of a cell that exists, by their kind."""
    return [] if reason(family, criterion) else [family.corpora[data] for data in DATA]


@families
@criteria
def test_what_does_not_exist_says_why(family, criterion):
    for data in DATA:
        why, no_gradient = undefined(family.model, family.corpora[data], criterion)
        expected = reason(family, criterion)
        assert (why is None) == (expected is None), why
        if expected:
            with pytest.raises(NotDefined, match=expected):
                contrast(family.model, family.corpora[data], criterion)
            continue
        steep = flat(family, criterion)
        assert (no_gradient is None) == (steep is None), no_gradient
        if steep:
            objective = contrast(family.model, family.corpora[data], criterion)
            with pytest.raises(NotDefined, match=steep):
                objective(np.zeros(family.model.parameters.size))


@families
@criteria
def test_values_are_what_the_definition_says(family, criterion, rng):
    theta = weights_of(family, rng)
    for corpus in corpora(family, criterion):
        found = contrast(family.model, corpus, criterion).per_example(theta)
        if criterion.denominator == input_only:
            ties = family.name == "selection, listed"
            expected = [by_definition(criterion, listing(family, e, theta), ties) for e in corpus]
        else:
            expected = among_neighbours(family, criterion, corpus, theta)
        if expected is not None:
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
        assert np.isfinite(found).all()
        if criterion.unit is Unit.EXAMPLE:
            assert (found <= 1e-12).all()


@families
@smooth
def test_gradients_equal_finite_differences(family, criterion, rng):
    if flat(family, criterion):
        return  # which test_what_does_not_exist_says_why looks at
    theta = weights_of(family, rng)
    for corpus in corpora(family, criterion):
        objective = contrast(family.model, corpus, criterion)
        value, gradient = objective(theta)
        weights = np.array([each.weight for each in corpus])
        worth = objective.per_example(theta)
        linked = criterion.link.value(worth) if criterion.unit is Unit.EXAMPLE else worth
        assert value == pytest.approx(weights @ linked)
        for direction in rng.normal(size=(2, len(theta))):
            slope = finite_difference(lambda t, o=objective: o(t)[0], theta, direction)
            assert gradient @ direction == pytest.approx(slope, rel=1e-5, abs=1e-6)


@families
@smooth
def test_threads_do_not_change_a_bit(family, criterion, rng):
    theta = weights_of(family, rng)
    for corpus in corpora(family, criterion):
        one, two = (contrast(family.model, [*corpus] * 3, criterion, each) for each in (1, 2))
        assert (one.per_example(theta) == two.per_example(theta)).all()
        if not flat(family, criterion):
            assert one(theta)[0] == two(theta)[0]
            assert (one(theta)[1] == two(theta)[1]).all()


@families
def test_equal_sets_are_worth_nothing(family, rng):
    theta = weights_of(family, rng)
    same = [Criterion("same", view, view) for view in (complete, input_only)]
    pairs = [(same[0], data) for data in DATA] + [(same[1], "raw"), (conditional, "raw")]
    for criterion, data in pairs:
        objective = contrast(family.model, family.corpora[data], criterion)
        np.testing.assert_allclose(objective.per_example(theta), 0.0, atol=1e-12)
        if family.kind != "tables":
            value, gradient = objective(theta)
            assert value == pytest.approx(0.0, abs=1e-11)
            np.testing.assert_allclose(gradient, 0.0, atol=1e-11)


@families
def test_joint_is_conditional_and_marginal(family, rng):
    if reason(family, joint):
        return  # which test_what_does_not_exist_says_why looks at
    theta = weights_of(family, rng)
    for data in DATA:
        parts = [
            contrast(family.model, family.corpora[data], each).per_example(theta)
            for each in (joint, conditional, marginal)
        ]
        np.testing.assert_allclose(parts[0], parts[1] + parts[2], atol=1e-9)


@families
@smooth
def test_weights_of_minus_infinity_give_no_nan(family, criterion, rng):
    """What becomes impossible is worth -inf, and what stays possible keeps its value."""
    theta = weights_of(family, rng)
    if not len(theta):
        return
    theta[rng.integers(len(theta), size=2)] = -np.inf
    for corpus in corpora(family, criterion):
        objective = contrast(family.model, corpus, criterion)
        worth = objective.per_example(theta)
        assert not np.isnan(worth).any()
        value, gradient = objective(theta)
        assert not np.isnan(value)
        assert not np.isnan(gradient).any()


def test_the_table_is_the_one_of_the_laws():
    found = {(cell.family, cell.criterion, cell.data): cell for cell in cells()}
    assert len(found) == len(FAMILIES) * (len(EVERY) - 2) * len(DATA)
    for (family, criterion, _), cell in found.items():
        assert (cell.reason is None) == (reason(FAMILIES[family], EVERY[criterion]) is None)
        assert cell.reason is None or cell.flat == cell.reason


@families
def test_a_cost_of_nothing_is_no_cost(family, rng):
    theta = weights_of(family, rng)
    for data in DATA:
        corpus = family.corpora[data]
        free = contrast(family.model, corpus, conditional).per_example(theta)
        tiny = replace(conditional, name="tiny", cost=1e-12)
        found = contrast(family.model, corpus, tiny).per_example(theta)
        np.testing.assert_allclose(found, free, atol=1e-9)
