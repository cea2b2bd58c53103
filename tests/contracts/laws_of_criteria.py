"""Laws of a family with every criterion on every kind of data; see ``laws.py``."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from unittest.mock import patch

import numpy as np
import pytest

from contracts.models import among_neighbours, by_definition, weights_of
from oracles import finite_difference
from weft.criteria import (
    Criterion,
    Total,
    Unit,
    accuracy,
    complete,
    conditional,
    contrast,
    input_only,
    joint,
    margin,
    marginal,
)
from weft.criteria.batches import ExampleTerms, Part
from weft.errors import NotDefined, OptionError
from weft.models.instances import DATA
from weft.optimise.batches import Problem
from weft.optimise.frank_wolfe import FrankWolfe
from weft.optimise.lbfgs import LBFGS
from weft.optimise.solution import Reason
from weft.optimise.subgradient import Subgradient
from weft.train import fit
from weft.train.grid import undefined
from workers import Here


def corpora(subject, criterion):
    """The data of a cell that exists, by their kind."""
    return [] if subject.reason(criterion) else [subject.corpora[data] for data in DATA]


def what_does_not_exist_says_why(family, criterion):
    for data in DATA:
        why, no_gradient = undefined(family.model, family.corpora[data], criterion)
        expected = family.reason(criterion)
        assert (why is None) == (expected is None), why
        if expected:
            with pytest.raises(NotDefined, match=expected):
                contrast(family.model, family.corpora[data], criterion)
            continue
        steep = family.flat(criterion)
        assert (no_gradient is None) == (steep is None), no_gradient
        if steep:
            objective = contrast(family.model, family.corpora[data], criterion)
            with pytest.raises(NotDefined, match=steep):
                objective(np.zeros(family.model.parameters.size))


def values_are_what_the_definition_says(family, criterion, rng):
    theta = weights_of(family, rng)
    for corpus in corpora(family, criterion):
        found = contrast(family.model, corpus, criterion).per_example(theta)
        if criterion.denominator == input_only:
            ties = family.name == "selection, listed"
            expected = [
                by_definition(criterion, family.listing(family.model, e, theta), ties)
                for e in corpus
            ]
        else:
            expected = among_neighbours(family, criterion, corpus, theta)
        if expected is not None:
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
        assert np.isfinite(found).all()
        if criterion.unit is Unit.EXAMPLE:
            assert (found <= 1e-12).all()


def gradients_equal_finite_differences(family, criterion, rng):
    if family.flat(criterion):
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


def batches_add_up_to_the_whole(family, criterion, rng):
    if family.flat(criterion):
        return  # as above
    theta = weights_of(family, rng)
    for corpus in corpora(family, criterion):
        whole = contrast(family.model, corpus, criterion)
        terms = ExampleTerms(family.model, [Part(1.0, corpus, criterion, whole)])
        value, gradient = terms(theta)
        numbers = rng.permutation(len(terms))
        total, together = 0.0, np.zeros_like(theta)
        for some in (numbers[:1], numbers[1:]):
            batch = terms.batch(some)
            found, slope = batch(theta[batch.places])
            total += found
            together[batch.places] += slope
        assert total == pytest.approx(value, rel=1e-9, abs=1e-12)
        np.testing.assert_allclose(together, gradient, rtol=1e-8, atol=1e-9)


def parts_on_workers_add_up_to_the_whole(family, criterion, rng):
    theta = weights_of(family, rng)
    for corpus in corpora(family, criterion):
        twice = [*corpus, *corpus]  # whose sums are shared
        whole, workers = contrast(family.model, twice, criterion), Here()
        with patch("weft.criteria.spread.part_count", lambda _: 2):
            spread = contrast(family.model, twice, criterion, workers=workers)
        assert workers.parts == 2
        np.testing.assert_allclose(
            spread.per_example(theta), whole.per_example(theta), rtol=1e-12, atol=1e-12
        )
        assert [*spread.impossible(theta)] == [*whole.impossible(theta)]
        if not family.flat(criterion):
            (value, gradient), (expected, slope) = spread(theta), whole(theta)
            assert value == pytest.approx(expected, rel=1e-12, abs=1e-12)
            np.testing.assert_allclose(gradient, slope, rtol=1e-8, atol=1e-11)


def threads_do_not_change_a_bit(family, criterion, rng):
    theta = weights_of(family, rng)
    for corpus in corpora(family, criterion):
        one, two = (contrast(family.model, [*corpus] * 3, criterion, each) for each in (1, 2))
        assert (one.per_example(theta) == two.per_example(theta)).all()
        if not family.flat(criterion):
            assert one(theta)[0] == two(theta)[0]
            assert (one(theta)[1] == two(theta)[1]).all()


def weights_of_minus_infinity_give_no_nan(family, criterion, rng):
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


def equal_sets_are_worth_nothing(family, rng):
    theta = weights_of(family, rng)
    same = [Criterion("same", view, view) for view in (complete, input_only)]
    pairs = [(same[0], data) for data in DATA] + [(same[1], "raw"), (conditional, "raw")]
    for criterion, data in pairs:
        objective = contrast(family.model, family.corpora[data], criterion)
        np.testing.assert_allclose(objective.per_example(theta), 0.0, atol=1e-12)
        if not family.flat(conditional):
            value, gradient = objective(theta)
            assert value == pytest.approx(0.0, abs=1e-11)
            np.testing.assert_allclose(gradient, 0.0, atol=1e-11)


def joint_is_conditional_and_marginal(family, rng):
    if family.reason(joint):
        return  # which test_what_does_not_exist_says_why looks at
    theta = weights_of(family, rng)
    for data in DATA:
        parts = [
            contrast(family.model, family.corpora[data], each).per_example(theta)
            for each in (joint, conditional, marginal)
        ]
        np.testing.assert_allclose(parts[0], parts[1] + parts[2], atol=1e-9)


def a_cost_of_nothing_is_no_cost(family, rng):
    theta = weights_of(family, rng)
    for data in DATA:
        corpus = family.corpora[data]
        free = contrast(family.model, corpus, conditional).per_example(theta)
        tiny = replace(conditional, name="tiny", cost=1e-12)
        found = contrast(family.model, corpus, tiny).per_example(theta)
        np.testing.assert_allclose(found, free, atol=1e-9)


def estimation_climbs_or_says_why_not(family, criterion):
    """The criterion is no lower than at other weights, where there is something to climb."""
    corpus, few = family.corpora["complete"], LBFGS(max_iterations=5)
    why = family.reason(criterion) or family.flat(criterion)
    if why:
        with pytest.raises(OptionError, match=why):
            fit(family.spec, corpus, criterion=criterion, optimiser=few)
        return
    found = fit(family.spec, corpus, criterion=criterion, optimiser=few)
    assert found.notes["criterion"].startswith(criterion.name.partition(":")[0])
    values = [step.value for step in found.trace]
    # Where several are the best, the slope of one of them need not lead upwards.
    sums = criterion.totals == (Total.SUM, Total.SUM)
    # A likelihood may have led to the top already.
    top = len(values) == 1 and found.notes["stopped"] == Reason.GRADIENT and "start" in found.notes
    steep = sums and found.trace[0].gradient_norm > 1e-6 and not top
    assert values[-1] > values[0] if steep else values[-1] >= values[0]


def right_choices_along_a_line_are_those_of_all_derivations(family, rng):
    """Between the places where any two lines of a sentence meet, nothing changes."""
    if family.reason(accuracy) or family.spec.free(family.model) is not family.model:
        return
    size, reach = family.model.parameters.size, 5.0
    theta = weights_of(family, rng)
    alone = np.zeros(size)
    alone[: min(size, 1)] = 1.0
    for corpus, direction in product(corpora(family, accuracy), (rng.normal(size=size), alone)):
        objective = contrast(family.model, corpus, accuracy)
        first, places, jumps = objective.steps().along(theta, direction, reach)
        meetings = _meetings(family, corpus, theta, direction)
        ends = np.unique([-reach, *meetings[abs(meetings) < reach], reach])
        middles = 0.5 * (ends[1:] + ends[:-1])[np.diff(ends) > 1e-6]
        found = [first + jumps[places <= t].sum() for t in middles]
        expected = [objective.value(theta + t * direction) for t in middles]
        np.testing.assert_allclose(found, expected, atol=1e-9)


def _meetings(family, corpus, theta, direction):
    """Where any two derivations of the same sentence have the same score along a line."""
    found = []
    for each in corpus:
        at = [family.listing(family.model, each, theta + t * direction) for t in (0.0, 1.0)]
        with np.errstate(all="ignore"):  # of derivations that a dictionary excludes
            scores, slopes = at[0].scores, at[1].scores - at[0].scores
            found.append(((scores[:, None] - scores) / (slopes - slopes[:, None])).ravel())
    every = np.concatenate(found)
    return every[np.isfinite(every)]


def margins_have_one_solution(family, rng):
    """Frank–Wolfe's bound holds for all weights; another optimiser comes to the same ones."""
    hinge, model, corpus = margin(), family.model, family.corpora["complete"]
    if family.flat(hinge):
        return
    linear = family.spec.free(model) is model
    part = Part(1.0, corpus, hinge, contrast(model, corpus, hinge))
    terms = ExampleTerms(model, [part], linear=linear, threads=1)
    size = terms.size
    problem = Problem(terms, rng.uniform(0.5, 2.0, size), 0.3 * rng.normal(size=size))
    exact = FrankWolfe(epochs=1000, gap=1e-6)
    if not linear:
        with pytest.raises(OptionError, match="linear in the weights"):
            exact.maximise(problem, problem.centre)
        return
    one = exact.maximise(problem, problem.centre)
    other = Subgradient(epochs=300, tolerance=0.0).maximise(problem, problem.centre)
    gap = one.gradient_norm
    assert one.reason is Reason.GAP
    assert gap <= 1e-6 * max(1.0, abs(one.value))
    near, random = one.weights + 0.1 * rng.normal(size=size), rng.normal(size=size)
    bounded = [problem.value(theta) for theta in (near, random, problem.centre)]
    assert max(*bounded, other.value) <= one.value + gap + 1e-9
    assert other.value == pytest.approx(one.value, rel=0.1, abs=0.1)
    # F is strongly concave: ½ |θ − θ*|² ≤ F(θ*) − F(θ), lengths taken by the precisions.
    far = np.sqrt(2 * (one.value + gap - other.value)) + np.sqrt(2 * gap) + 1e-6
    assert np.sqrt(2 * problem.penalty(problem.centre + one.weights - other.weights)) <= far
