import math

import numpy as np
import pytest

from weft.inference import tangent
from weft.inference.backends import native, reference
from weft.structures.hypergraph import hypergraph

backends = pytest.mark.parametrize("backend", [reference, native], ids=["reference", "native"])
choice = hypergraph(1, [(0, ()), (0, ()), (0, ())])


@backends
def test_the_variance_of_a_choice(backend):
    probs = np.array([0.5, 0.25, 0.25])
    direction = np.array([1.0, -2.0, 4.0])
    change, marginal_changes = tangent(choice, np.log(probs), direction, backend)
    assert change == pytest.approx(1.0)
    np.testing.assert_allclose(marginal_changes, probs * (direction - 1.0), atol=1e-15)


@backends
def test_the_direction_of_an_impossible_edge_does_not_matter(backend):
    change, marginal_changes = tangent(
        choice, [0.0, -math.inf, 0.0], np.array([1.0, 1e300, 3.0]), backend
    )
    assert change == pytest.approx(2.0)
    np.testing.assert_allclose(marginal_changes, [-0.5, 0.0, 0.5], rtol=1e-14)


@backends
def test_nothing_changes_where_there_is_no_derivation(backend):
    change, marginal_changes = tangent(choice, [-math.inf] * 3, np.ones(3), backend)
    assert (change, marginal_changes.tolist()) == (0.0, [0.0, 0.0, 0.0])


@backends
@pytest.mark.parametrize("rate", [math.nan, math.inf, -math.inf])
def test_a_direction_must_be_finite(backend, rate):
    with pytest.raises(ValueError, match=f"edge 2 has the direction {rate}"):
        tangent(choice, np.zeros(3), [0.0, 0.0, rate], backend)


@backends
def test_a_change_beyond_the_largest_float_is_refused(backend):
    pair = hypergraph(2, [(0, ()), (1, (0, 0))])
    with pytest.raises(OverflowError):
        tangent(pair, np.zeros(2), [-1e308, 0.0], backend)
