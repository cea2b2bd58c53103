"""Marks of optimality: which analyses are there, and in which order."""

import pytest

from lfg.reading import CONFIG, read
from weft.commands.lfg.suites import Expectation
from weft.lfg.analyses import ListedAnalyses
from weft.lfg.optimality import Optimality
from weft.lfg.parser import LfgParser


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


def test_ungrammatical_analyses_have_a_star():
    lexicon = "a V * { Bad $ o::* | Bad $ o::* (^ X)=y }.\nb V * { Bad $ o::* | (^ X)=y }."
    parser = LfgParser(read("S --> V.", lexicon, config=f"{CONFIG} OPTIMALITYORDER *Bad."))
    assert [parser.parse(word).numbers for word in "ab"] == ["*2", "1+1"]
    assert Expectation(1, "a", 2, is_starred=True).is_met(parser.parse("a"))
    assert not Expectation(1, "a", 2).is_met(parser.parse("a"))


def test_the_plain_solver_gives_the_star():
    rules = "S --> { V | T: Bad $ o::*; }. T --> S."
    config = f"{CONFIG} OPTIMALITYORDER *Bad."
    found = LfgParser(read(rules, "b V * Bad $ o::*.", config=config)).parse("b")
    assert isinstance(found, ListedAnalyses)
    assert (found.numbers, repr(found)) == ("*1", "<*1 analysis of 'b'>")
