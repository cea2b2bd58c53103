from __future__ import annotations

import numpy as np
import pytest

from oracles import finite_difference
from weft.derivations.chart.all_trees import AllTrees
from weft.structures.grammar import Rule, Terminal, grammar

PAIRS = grammar([Rule("S", ("S", "S")), Rule("S", ("A",)), Rule("A", (Terminal("a"),))])


def test_the_sum_is_the_least_solution_of_its_equation():
    theta = np.log([0.2, 0.5, 0.6])
    z = float(np.exp(AllTrees(PAIRS).log_partition(theta)[0]))
    assert z == pytest.approx(0.2 * z * z + 0.3)
    assert z < 1 / (2 * 0.2)  # the smaller root


def test_the_gradient_is_that_of_finite_differences():
    theta = np.log([0.2, 0.5, 0.6])
    found = AllTrees(PAIRS)
    values, gradient = found.evaluate(theta, np.array([-2.0]))
    assert values == found.log_partition(theta)
    for axis, slope in zip(np.eye(3), gradient, strict=True):
        assert slope == pytest.approx(-2 * finite_difference(found.log_partition, theta, axis)[0])


@pytest.mark.parametrize("weights", [[1.0, 1.0, 1.0], [0.5, 1.0, 0.5]])
def test_outside_the_domain_and_on_its_edge_it_is_infinite(weights):
    values, gradient = AllTrees(PAIRS).evaluate(np.log(weights), np.ones(1))
    assert values == np.inf
    assert not gradient.any()
