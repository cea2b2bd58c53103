"""Heads by the table of Collins (1999), worked by hand, and tables of users."""

from __future__ import annotations

import io

import pytest

from weft.errors import FormatError, OptionError
from weft.grammars.heads import HeadRules, HeadSearch, find_head_rules, last_child, read_head_rules
from weft.structures.tree import Tree


def read(text: str) -> HeadRules:
    return read_head_rules(io.BytesIO(text.encode()))


@pytest.mark.parametrize(
    ("label", "children", "head"),
    [
        ("S", "NP VP .", 1),
        ("S", "S , NP VP", 3),  # VP comes before S in the list
        ("S", "NP NP .", 0),  # the leftmost NP
        ("S", "ADVP X", 0),  # nothing of the list: the leftmost
        ("VP", "MD RB VP", 0),
        ("VP", "ADVP VBZ NP", 1),
        ("VP", "TO VP", 0),
        ("PP", "IN NP", 0),
        ("PP", "ADVP IN IN NP", 2),  # the rightmost IN
        ("PP", "NP X", 1),  # nothing of the list: the rightmost
        ("ADVP", "RB RB", 1),
        ("NP", "DT NN POS", 2),
        ("NP", "DT JJ NN NN", 3),
        ("NP", "NN DT NP", 0),  # a noun before an NP, wherever it stands
        ("NP", "NP PP NP", 0),  # the leftmost NP
        ("NP", "DT CD", 1),
        ("NP", "$ CD X", 0),  # $ before CD
        ("NP", "DT JJ X", 1),
        ("NP", "DT X Y", 2),
        ("NP", "NP CC NP", 0),
        ("NP", "NN CC NN", 0),  # the rightmost noun, but it is behind a conjunction
        ("NP", "NN , NN CC NN", 2),
        ("NP", "CC NN", 1),  # nothing is before the conjunction
        ("VP", "VB CC VB", 0),
        ("UCP", "ADJP CC NP", 0),
        ("QP", "RB $ CD", 1),
        ("WHNP", "WP$ NN", 0),
        ("NX", "NX CC NX", 0),
        ("TOP", "A B", 1),
    ],
)
def test_the_table_of_collins(label: str, children: str, head: int) -> None:
    collins = find_head_rules("collins")
    words = Tree(label, tuple(children.split()))
    phrases = Tree(label, tuple(Tree(name, ("w",)) for name in children.split()))
    assert collins(words) == head
    assert collins(phrases) == head


def test_the_table_has_all_labels_of_the_treebank() -> None:
    labels = " ".join(sorted(find_head_rules("collins").searches))
    assert labels == (
        "* ADJP ADVP CONJP FRAG INTJ LST NAC NP NX PP PRN PRT QP RRC S SBAR SBARQ SINV SQ UCP VP "
        "WHADJP WHADVP WHNP WHPP"
    )


def test_ways_to_search() -> None:
    rules = read("# ours\n\nA any-left b c\nB any-right b c\nC left c b\nD right c b\n* left\n")
    found = {label: rules(Tree(label, tuple("xbcbcx"))) for label in "ABCDE"}
    assert found == {"A": 1, "B": 4, "C": 2, "D": 4, "E": 0}
    assert [rules(Tree(label, ("x", "y"))) for label in "ABCD"] == [0, 1, 0, 1]


def test_searches_follow_each_other() -> None:
    rules = read("A last b\nA left c\nA right d\n")
    assert rules(Tree("A", tuple("bcdb"))) == 3
    assert rules(Tree("A", tuple("bcdx"))) == 1
    assert rules(Tree("A", tuple("bdxx"))) == 1
    assert rules(Tree("A", tuple("bxxx"))) == 3
    assert rules.searches["A"] == (
        HeadSearch("last", ("b",)),
        HeadSearch("left", ("c",)),
        HeadSearch("right", ("d",)),
    )


def test_without_rules_the_first_is_the_head() -> None:
    assert HeadRules({})(Tree("A", ("b", "c"))) == 0
    assert last_child(Tree("A", ("b", "c"))) == 1


@pytest.mark.parametrize(
    "line", ["VP", "VP up VB", "* coordinated", "VP coordinated CC", "VP: left VB"]
)
def test_lines_that_are_no_rules(line: str) -> None:
    if line == "VP: left VB":
        assert read(line).searches["VP:"] == (HeadSearch("left", ("VB",)),)
        return
    with pytest.raises(FormatError, match="expected a label and one of left, right") as caught:
        read(f"# comment\nS left VP\n{line}\n")
    assert caught.value.line == 3


def test_names_and_empty_nodes() -> None:
    with pytest.raises(OptionError, match="no table of head rules 'magerman'; there are collins"):
        find_head_rules("magerman")
    with pytest.raises(ValueError, match="'NP' without children has no head"):
        find_head_rules("collins")(Tree("NP", ()))
