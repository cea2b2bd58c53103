"""What no tree uses, and what may be ambiguous without end."""

import numpy as np
from hypothesis import given

from random_grammars import small_grammars, trees_below, weighted
from strategies import quick
from weft.grammars.sums.partition import partition
from weft.grammars.trim import ambiguous_cycle, trim_grammar, useful_rules, useless
from weft.structures.grammar import Grammar
from weft.structures.tree import leaves


def test_each_reason() -> None:
    rules = weighted(
        [
            ("S", "a", 1.0),
            ("S", "U", 1.0),
            ("S", "L a", 1.0),
            ("S", "b", 0.0),
            ("L", "L a", 1.0),
            ("R", "a", 1.0),
            ("W", "", 0.0),
        ]
    )
    found = useless(rules)
    assert found.undefined == ("U",)
    assert found.unproductive == ("L", "W")
    assert found.unreachable == ("R",)
    assert [rule.head for rule in found.impossible] == ["S", "W"]
    assert len(found.rules) == 6
    assert trim_grammar(rules).rules() == (rules.rule(0),)


def test_without_trees() -> None:
    rules = weighted([("S", "S", 1.0)])
    assert trim_grammar(rules).rule_count == 0
    assert trim_grammar(rules).nonterminals == ("S",)
    assert ambiguous_cycle(rules) == ()


def test_a_cycle_needs_neighbours_that_become_nothing() -> None:
    first = [("S", "S A", 1.0), ("S", "a", 1.0), ("A", "a", 1.0)]
    assert ambiguous_cycle(weighted(first)) == ()
    assert ambiguous_cycle(weighted([*first, ("A", "", 1.0)])) == ("S",)
    assert ambiguous_cycle(weighted([*first, ("A", "", 0.0)])) == ()
    assert ambiguous_cycle(weighted([("S", "S a", 1.0), ("S", "", 1.0)])) == ()


@quick
@given(small_grammars())
def test_useful_rules_are_those_of_small_trees(rules: Grammar) -> None:
    listed = {used for _, tree in trees_below(rules, rules.start, 8) for used in tree}
    useful = set(np.flatnonzero(useful_rules(rules)).tolist())
    assert listed <= useful
    # A tree of 8 rules is large enough for most, not for all; a missing one needs a larger.
    short = trim_grammar(rules)
    assert short.rule_count == len(useful)
    assert useful_rules(short).all()
    assert partition(short).log_value == partition(rules).log_value or np.isclose(
        partition(short).log_value, partition(rules).log_value, rtol=1e-9
    )


@quick
@given(small_grammars(most_symbols=2))
def test_ambiguity_without_end_shows_in_small_trees(rules: Grammar) -> None:
    cycle = ambiguous_cycle(rules)
    short = trim_grammar(rules)
    pumped = False
    for tree, used in trees_below(short, short.start, 7):
        pumped = pumped or _repeats(tree)
        assert len(used) <= 7
    if pumped:
        assert cycle
    if cycle:
        assert set(cycle) <= set(short.nonterminals)


def _repeats(tree: object) -> bool:
    """Whether a node has one of its own label below it with the same words."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        below = [each for each in node.children if not isinstance(each, str)]
        waiting += below
        words = list(leaves(node))
        while below:
            other = below.pop()
            if list(leaves(other)) == words:
                if other.label == node.label:
                    return True
                below += [each for each in other.children if not isinstance(each, str)]
    return False
