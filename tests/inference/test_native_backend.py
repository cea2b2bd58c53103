import numpy as np
import pytest

from weft import _native
from weft.structures.hypergraph import hypergraph

graph = hypergraph(2, [(0, ()), (1, (0, 0))])
good = {
    "heads": graph.heads,
    "tail_offsets": graph.tail_offsets,
    "tails": graph.tails,
    "vertex_count": 2,
    "weights": np.zeros(2),
}
functions = pytest.mark.parametrize(
    "function",
    [
        _native.hypergraph_inside_outside,
        _native.hypergraph_viterbi,
        _native.hypergraph_best_through,
    ],
)


@functions
@pytest.mark.parametrize(
    "wrong",
    [
        {"heads": graph.heads.astype(np.int64)},
        {"tail_offsets": graph.tail_offsets.astype(np.int32)},
        {"tails": np.zeros((1, 2), np.int32)},
        {"weights": np.zeros(2, np.float32)},
        {"weights": np.zeros(4)[::2]},
    ],
    ids=["heads", "offsets", "tails", "single precision", "strided"],
)
def test_arrays_of_another_type_or_layout_are_refused(function, wrong):
    with pytest.raises(TypeError, match="incompatible function arguments"):
        function(**{**good, **wrong})


@functions
@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"vertex_count": 0}, "needs a vertex"),
        ({"tail_offsets": graph.tail_offsets[:2]}, "one tail offset an edge and one more"),
        ({"tails": graph.tails[:1]}, "the last tail offset"),
        ({"weights": np.zeros(3)}, "one number per edge"),
    ],
    ids=["vertices", "offsets", "tails", "weights"],
)
def test_arrays_of_other_lengths_are_refused(function, wrong, message):
    with pytest.raises(ValueError, match=message):
        function(**{**good, **wrong})


def test_directions_are_checked_too():
    with pytest.raises(ValueError, match="one number per edge"):
        _native.hypergraph_tangent(**good, direction=np.zeros(3))
    with pytest.raises(TypeError):
        _native.hypergraph_tangent(**good, direction=np.zeros(2, np.int64))
