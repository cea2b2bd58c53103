"""Analyses as bags of features: what does not fit together never reaches a kernel."""

import numpy as np
import pytest

from weft.structures.alternatives import Alternatives, Picked, Selected, alternatives
from weft.structures.hypergraph import hypergraph

TWO = alternatives([{("rule", "a"): 2.0}, {("rule", "b"): 1.0}])
GOOD = {
    "names": (("rule", "a"),),
    "offsets": np.array([0, 1, 1]),
    "columns": np.array([0], np.int32),
    "values": np.array([2.0]),
    "base": np.zeros(2),
}


@pytest.mark.parametrize("rows", [(99,), (-1,), (2**40,), (0, 2), (0.5,), (), ("0",)])
def test_rows_that_are_not_there_are_refused(rows):
    for kind in (Picked, Selected):
        with pytest.raises(ValueError, match="must be some of 0 to 1"):
            kind(TWO, rows)


def test_a_row_is_picked_once():
    for kind in (Picked, Selected):
        with pytest.raises(ValueError, match="once"):
            kind(TWO, (1, 1))
    assert Picked(TWO, (np.int64(1), 0)).analysis == (1, 0)
    assert Picked(TWO).analysis is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"columns": np.array([1], np.int32)}, "columns"),
        ({"columns": np.array([-1], np.int32)}, "columns"),
        ({"columns": np.array([[0]], np.int32)}, "columns"),
        ({"offsets": np.array([0, 2, 1])}, "offsets"),
        ({"offsets": np.array([0, 1])}, "offsets"),
        ({"offsets": np.array([0, 2**62, 1])}, "offsets"),
        ({"values": np.array([np.nan])}, "value must be finite"),
        ({"values": np.ones(2)}, "one for each entry"),
        ({"base": np.array([0.0, np.nan])}, "base weight"),
        ({"base": np.array([0.0, np.inf])}, "base weight"),
        ({"base": np.zeros((2, 1))}, "offsets"),
        ({"forest": hypergraph(1, [(0, ())])}, "2 rows for 1 edges"),
    ],
)
def test_arrays_are_checked(change, message):
    assert len(Alternatives(**GOOD)) == 2
    with pytest.raises(ValueError, match=message):
        Alternatives(**{**GOOD, **change})
