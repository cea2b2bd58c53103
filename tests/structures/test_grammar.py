from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.structures.constituents import Constituents, Span
from weft.structures.evidence import Evidence, Sentence
from weft.structures.grammar import Grammar, Rule, Terminal, grammar, reweight, shown
from weft.structures.tree import Tree

SYMBOLS = st.sampled_from(["S", "NP", "a"]) | st.builds(Terminal, st.sampled_from(["a", "b"]))
RULES = st.lists(
    st.builds(
        Rule,
        st.sampled_from(["S", "NP"]),
        st.lists(SYMBOLS, max_size=3).map(tuple),
        st.floats(-5, 5) | st.just(-math.inf),
    ),
    min_size=1,
    unique_by=lambda rule: rule[:2],
)


@given(rules=RULES)
def test_rules_come_back_in_their_order(rules: list[Rule]) -> None:
    made = grammar(rules)
    assert list(made.rules()) == rules
    assert made.nonterminals[made.start] == rules[0].head
    assert not made.weights.flags.writeable


@given(rules=RULES)
def test_other_weights_leave_the_rules(rules: list[Rule]) -> None:
    made = reweight(grammar(rules), np.zeros(len(rules)))
    assert [rule[:2] for rule in made.rules()] == [rule[:2] for rule in rules]
    assert not made.weights.any()


def test_a_terminal_is_not_a_nonterminal_of_that_name() -> None:
    made = grammar([Rule("a", (Terminal("a"), "a"))])
    assert made.rule(0).body == (Terminal("a"), "a")
    assert shown(made.rule(0)) == "a -> 'a' a"


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ([Rule("S", ("S",)), Rule("S", ("S",), -1.0)], "the rule S -> S comes twice"),
        ([Rule("S", (), math.nan)], "the log-weight of S -> must be finite or -inf, not nan"),
        ([Rule("S", (), math.inf)], "not inf"),
        ([], "a grammar without rules needs a start symbol"),
    ],
)
def test_what_is_no_grammar_is_refused(rules: list[Rule], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        grammar(rules)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"heads": [1]}, "rule 0: there is no nonterminal 1"),
        ({"bodies": [1]}, "rule 0: there is no symbol 1"),
        ({"bodies": [-2]}, "rule 0: there is no symbol -2"),
        ({"body_offsets": [0, 2]}, "must ascend from 0 to their end"),
        ({"weights": [0.0, 0.0]}, "as many weights"),
        ({"start": 1}, "the start symbol 1 is none of 1 nonterminals"),
        ({"nonterminals": ("S", "S")}, "the nonterminal 'S' is listed twice"),
    ],
)
def test_arrays_are_checked(change: dict[str, object], message: str) -> None:
    good = {
        "nonterminals": ("S",),
        "terminals": ("a",),
        "start": 0,
        "heads": [0],
        "body_offsets": [0, 1],
        "bodies": [-1],
        "weights": [0.0],
    }
    Grammar(**good)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=message):
        Grammar(**{**good, **change})  # type: ignore[arg-type]


SPANS = st.tuples(st.integers(0, 4), st.integers(1, 3)).map(lambda s: Span(s[0], s[0] + s[1]))


@given(spans=st.lists(SPANS, max_size=4))
def test_spans_cross_or_not(spans: list[Span]) -> None:
    crossing = any(a.start < b.start < a.end < b.end for a in spans for b in spans)
    if crossing:
        with pytest.raises(ValueError, match="cross"):
            Constituents(tuple(spans))
    else:
        assert Constituents(tuple(spans)).spans == tuple(spans)


def test_a_parse_is_of_its_sentence() -> None:
    dog = Sentence((("the", "dog"),))
    tree = Tree("NP", ("the", "dog"))
    assert Evidence(dog, parse=tree).parse is tree
    with pytest.raises(ValueError, match="not the leaves"):
        Evidence(dog, parse=Tree("NP", ("a", "dog")))
    with pytest.raises(ValueError, match="2 tokens, but a constituent"):
        Evidence(dog, parse=Constituents((Span(1, 3),)))
    with pytest.raises(ValueError, match="belong to the tokens of one sentence"):
        Evidence(None, parse=tree)


@pytest.mark.parametrize("heads", [[2**32], [0.9], [True], ["0"]])
def test_numbers_are_not_changed_into_others(heads):
    with pytest.raises(ValueError, match="heads must"):
        Grammar(("S",), ("a",), 0, heads, [0, 1], [-1], [0.0])  # type: ignore[arg-type]


def test_offsets_that_wrap_are_refused():
    offsets = np.array([0, 2**62, -(2**62) - 1, 3])
    with pytest.raises(ValueError, match="must ascend"):
        Grammar(("S",), ("a",), 0, np.zeros(3, np.int32), offsets, [0, 0, 0], np.zeros(3))


def test_a_name_that_comes_twice_among_many_is_found_at_once():
    names = (*map(str, range(100_000)), "99999")
    with pytest.raises(ValueError, match="'99999' is listed twice"):
        Grammar(names, (), 0, [], [0], [], [])  # type: ignore[arg-type]
