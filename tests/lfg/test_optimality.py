"""Marks of optimality: which analyses are there, and in which order."""

import pytest

from weft.lfg.optimality import Optimality


def rank(order, *marked):
    """Analyses, each called by its marks, best first; and how many are optimal."""
    groups = tuple(tuple(each.strip("()").split(",")) for each in order.split())
    return Optimality(groups).rank([(each, each.split()) for each in marked])


@pytest.mark.parametrize(
    ("order", "marked", "expected"),
    [
        ("A B", ["A", "B B", ""], (["", "B B", "A"], 1)),
        ("A +B", ["", "B", "B B", "A B B B"], (["B B", "B", "", "A B B B"], 1)),
        ("(A,B) C", ["A", "B", "C", "A B"], (["C", "A", "B", "A B"], 1)),
        ("A", ["x", "", "x x"], (["x", "", "x x"], 3)),
        ("A NOGOOD B", ["A", "B", "NOGOOD"], (["B"], 1)),
        ("A STOPPOINT B", ["A", "B", ""], (["", "B"], 1)),
        ("A STOPPOINT B", ["A", "A A"], (["A", "A A"], 1)),
        ("A STOPPOINT B STOPPOINT C", ["A", "B"], (["B"], 1)),
        ("+P UNGRAMMATICAL A", ["A A", "P"], (["A A", "P"], 1)),
        ("B *A", ["A", "B"], (["B", "A"], 1)),
        ("A CSTRUCTURE B", ["A", "B B"], (["B B", "A"], 1)),
        ("A", [], ([], 0)),
    ],
)
def test_order(order, marked, expected):
    assert rank(order, *marked) == expected
