"""Clean-ups of trees, against plain recursion and against the figures of a real treebank."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trees import TREES, deep, tree
from weft.corpora.trees import cleaning
from weft.corpora.trees.cleaning import STEPS, USUAL, clean, find_steps, plain_label
from weft.errors import OptionError
from weft.structures.tree import Tree, is_preterminal, leaves, subtrees

MARKED = TREES.flatmap(
    lambda one: st.sampled_from(["-NONE-", ",", "NP-1"]).map(
        lambda label: cleaning.relabel(one, lambda old: label if old == "VP" else old)
    )
)


def plainly(one: Tree, goes: set[str], empties: bool) -> Tree | None:
    """What is left without words of some tags, by recursion."""
    if is_preterminal(one):
        return None if one.label in goes else one
    below = [c if isinstance(c, str) else plainly(c, goes, empties) for c in one.children]
    left = tuple(c for c in below if c is not None)
    return None if not left and (one.children or empties) else Tree(one.label, left)


@given(one=MARKED)
def test_what_goes_is_what_recursion_leaves_out(one: Tree) -> None:
    assert cleaning.without_traces(one) == plainly(one, {"-NONE-"}, False)
    assert cleaning.without_punctuation(one) == plainly(one, {",", ":", "``", "''", "."}, False)
    bare = cleaning.without_empties(one)
    assert bare == plainly(one, set(), True)
    assert (bare is None) == (not list(leaves(one)))


@given(one=MARKED)
def test_steps_done_twice_do_no_more(one: Tree) -> None:
    for name, step in STEPS.items():
        once = clean(one, [step]) if name != "words" else None
        if once is not None:
            assert step(once) == once, name


@given(one=MARKED)
def test_no_label_stands_over_nothing_but_itself(one: Tree) -> None:
    after = cleaning.without_repeats(one)
    for each in subtrees(after):
        if len(each.children) == 1 and isinstance(each.children[0], Tree):
            assert each.children[0].label != each.label
    assert list(leaves(after)) == list(leaves(one))


@pytest.mark.parametrize(
    ("label", "plain"),
    [
        ("NP", "NP"),
        ("NP-SBJ-1", "NP"),
        ("NP=2", "NP"),
        ("ADVP|PRT", "ADVP"),
        ("PRT|ADVP-CLR", "PRT"),
        ("-LRB-", "-LRB-"),
        ("-NONE-", "-NONE-"),
        ("PRP$", "PRP$"),
        ("``", "``"),
        ("", ""),
        ("|", "|"),
    ],
)
def test_labels(label: str, plain: str) -> None:
    assert plain_label(label) == plain
    assert cleaning.without_functions(Tree(label, (Tree(label, ("a",)),))).label == plain


@pytest.mark.parametrize(
    ("text", "without", "top"),
    [
        ("(ROOT (S (A a)))", "(S (A a))", "(TOP (S (A a)))"),
        ("(TOP (ROOT (S (A a))))", "(S (A a))", "(TOP (S (A a)))"),
        ("(S (TOP (A a)))", "(S (TOP (A a)))", "(TOP (S (TOP (A a))))"),
        ("(S1 (A a) (B b))", "(S1 (A a) (B b))", "(TOP (A a) (B b))"),
        ("(A a)", "(A a)", "(TOP (A a))"),
        ("(TOP a)", "(TOP a)", "(TOP (TOP a))"),
        ("(TOP)", "(TOP)", "(TOP)"),
    ],
)
def test_roots(text: str, without: str, top: str) -> None:
    assert cleaning.without_root(tree(text)) == tree(without)
    assert cleaning.with_top(tree(text)) == tree(top)


def test_all_steps_of_a_sentence() -> None:
    sentence = tree(
        "(S (NP-SBJ-1 (-NONE- *)) (ADVP|PRT (RB now)) (VP (VB run) (NP (NP (NN home)))) (. !))"
    )
    assert clean(sentence) == tree("(TOP (S (ADVP (RB now)) (VP (VB run) (NP (NN home))) (. !)))")
    steps = find_steps("traces, functions,repeats,punctuation,root,words")
    assert clean(sentence, steps) == tree("(S (ADVP RB) (VP VB (NP NN)))")
    assert clean(tree("(S (NP (-NONE- *)))")) is None
    assert clean(sentence, find_steps("")) is sentence


def test_steps_by_name() -> None:
    assert find_steps("historical,traces,functions,repeats,top") == USUAL
    with pytest.raises(
        OptionError,
        match=r"no clean-up 'trace': did you mean traces\? There are traces, emp",
    ):
        find_steps("functions,trace")
    with pytest.raises(OptionError, match="no clean-up ''"):
        find_steps("functions,")


def test_deep_trees() -> None:
    one = deep()
    for step in STEPS.values():
        assert step(one) is not None
