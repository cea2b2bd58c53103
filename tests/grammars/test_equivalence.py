"""Comparisons of two weightings: a proof, or trees that tell them apart."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from random_grammars import small_grammars, trees_below, weighted
from strategies import quick
from weft.errors import DivergenceError, EvidenceError
from weft.grammars.equivalence import same_conditional, same_trees
from weft.grammars.forms.notation import parse_grammar
from weft.grammars.normalise import normalise, normalise_conditional
from weft.grammars.sums.growth import scale_weights
from weft.grammars.sums.lengths import endless_cycle
from weft.grammars.sums.partition import partition
from weft.grammars.trim import trim_grammar
from weft.structures.grammar import Grammar, reweight
from weft.structures.tree import leaves


@quick
@given(small_grammars(heaviest=-16))
def test_conversions_keep_trees(rules: Grammar) -> None:
    if not np.isfinite(partition(rules).log_value):
        return
    converted = normalise(rules).grammar
    assert same_trees(rules, converted, tolerance=1e-7).same
    assert same_conditional(rules, converted, tolerance=1e-7).same


@quick
@given(small_grammars())
def test_scaling_keeps_trees_given_strings(rules: Grammar) -> None:
    if trim_grammar(rules).rule_count:
        assert same_conditional(rules, scale_weights(rules, 0.75)).same


def test_theorem_1_keeps_trees_given_strings() -> None:
    rules = weighted([("S", "S S", 2.0), ("S", "A", 3.0), ("A", "S a", 1.0), ("A", "b", 4.0)])
    assert endless_cycle(rules) == ()
    with pytest.raises(DivergenceError):
        normalise(rules)
    found = normalise_conditional(rules)
    assert same_conditional(rules, found.grammar, tolerance=1e-7).same
    assert same_trees(rules, found.grammar).same is False


@quick
@given(small_grammars(), st.data())
def test_answers_are_right_about_small_trees(rules: Grammar, data: st.DataObject) -> None:
    if not trim_grammar(rules).rule_count:
        return
    shifts = data.draw(
        st.lists(
            st.sampled_from([0.0, 0.0, 0.0, 0.5]),
            min_size=rules.rule_count,
            max_size=rules.rule_count,
        )
    )
    other = reweight(rules, rules.weights + np.array(shifts))
    listed = [
        (tree, math.fsum(shifts[number] for number in used))
        for tree, used in trees_below(rules, rules.start, 6)
    ]
    verdict = same_trees(rules, other)
    if verdict.same:
        assert len({shift for _, shift in listed}) <= 1
    else:
        one, two = verdict.trees
        assert one != two
        assert verdict.ratios[0] != pytest.approx(verdict.ratios[1])
    given_strings = same_conditional(rules, other, most_trees=300)
    by_string: dict[tuple[str, ...], set[float]] = {}
    for tree, shift in listed:
        by_string.setdefault(tuple(leaves(tree)), set()).add(shift)
    if given_strings.same:
        assert all(len(shifts) == 1 for shifts in by_string.values())
    elif given_strings.same is False:
        one, two = given_strings.trees
        assert one != two
        assert list(leaves(one)) == list(leaves(two))
        assert given_strings.ratios[0] != pytest.approx(given_strings.ratios[1])
    if any(len(shifts) > 1 for shifts in by_string.values()) and len(listed) < 300:
        assert given_strings.same is False


def test_words_may_weigh_what_they_like_given_the_string() -> None:
    rules = parse_grammar("S -> S S | 'a' | 'b'")
    heavier = reweight(rules, np.array([0.0, 1.0, -2.0]))
    assert same_trees(rules, heavier).same is False
    assert same_conditional(rules, heavier).same


def test_an_unambiguous_grammar_is_beyond_proof() -> None:
    """S → A B with A → a | a a and so on: sums depend on the string, but not by its words alone."""
    rules = parse_grammar("S -> 'a' | 'a' 'a' | 'a' 'a' 'a'")
    other = reweight(rules, np.array([0.0, 1.0, 0.0]))
    verdict = same_conditional(rules, other)
    assert verdict.same is None
    assert verdict.trees_tried == 3


def test_a_rule_that_only_one_has() -> None:
    rules = parse_grammar("S -> A | B\nA -> 'a'\nB -> 'a' | 'b'")
    other = reweight(rules, np.array([0.0, -math.inf, 0.0, 0.0, 0.0]))
    verdict = same_trees(rules, other)
    assert verdict.same is False
    assert {str(tree) for tree in verdict.trees} >= {"Tree('(S (B a))')"}
    given_strings = same_conditional(rules, other)
    assert given_strings.same is False
    assert {str(tree) for tree in given_strings.trees} == {
        "Tree('(S (A a))')",
        "Tree('(S (B a))')",
    }


def test_refusals() -> None:
    with pytest.raises(ValueError, match="the same rules in the same order"):
        same_trees(parse_grammar("S -> 'a'"), parse_grammar("S -> 'b'"))
    with pytest.raises(EvidenceError, match="without trees"):
        same_trees(parse_grammar("S -> S"), parse_grammar("S -> S"))
