"""Transforms of trees: what they promise, their inverses, and Johnson's figure."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import quick
from trees import LABELS, TREES, deep, tree
from weft.errors import LimitError, OptionError
from weft.grammars.heads import find_head_rules, first_child, last_child
from weft.grammars.induce import grammar_of, rule_numbers
from weft.grammars.transforms import (
    add_root,
    annotate,
    binarise_by_head,
    binarise_left,
    binarise_right,
    collapse,
    head_outward,
    is_made,
    markovise,
    remove_annotation,
    unbinarise,
    uncollapse,
    unmarkovise,
)
from weft.grammars.transforms.labels import join_labels, part_label, protect, unprotect
from weft.structures.tree import Tree, leaves, subtrees

Transform = Callable[[Tree], Tree]
COLLINS = find_head_rules("collins")

BINARISATIONS: dict[str, Transform] = {
    "left": binarise_left,
    "left, order 0": lambda one: binarise_left(one, 0),
    "left, order 2": lambda one: binarise_left(one, 2),
    "left, without parents": lambda one: binarise_left(one, parent=False),
    "right": binarise_right,
    "right, order 0": lambda one: binarise_right(one, 0, parent=False),
    "right, order 1": lambda one: binarise_right(one, 1),
    "outward": lambda one: head_outward(one, COLLINS),
    "outward, order 0": lambda one: head_outward(one, COLLINS, 0),
    "outward, order 1": lambda one: head_outward(one, COLLINS, 1),
    "outward from the middle": lambda one: head_outward(one, middle),
    "head, Collins": lambda one: binarise_by_head(one, COLLINS),
    "head, first": lambda one: binarise_by_head(one, first_child),
    "head, last": lambda one: binarise_by_head(one, last_child),
    "head, middle": lambda one: binarise_by_head(one, lambda node: len(node.children) // 2),
}
OTHERS: dict[str, tuple[Transform, Transform]] = {
    "parents": (annotate, remove_annotation),
    "order 1": (lambda one: annotate(one, 1), remove_annotation),
    "grandparents, tags": (lambda one: annotate(one, 3, tags=True), remove_annotation),
    "collapsed": (collapse, uncollapse),
    "collapsed root and tags": (lambda one: collapse(one, root=True, tags=True), uncollapse),
    "markovised": (lambda one: markovise(one, 1, 2), unmarkovise),
    "markovised by heads": (lambda one: markovise(one, 0, 3, COLLINS), unmarkovise),
}
ALL = {name: (transform, unbinarise) for name, transform in BINARISATIONS.items()} | OTHERS


def middle(node: Tree) -> int:
    return len(node.children) // 2


@pytest.mark.parametrize("name", ALL)
@quick
@given(one=TREES)
def test_inverses(name: str, one: Tree) -> None:
    transform, inverse = ALL[name]
    assert inverse(transform(one)) == one
    assert list(leaves(transform(one))) == list(leaves(one))


@pytest.mark.parametrize("first", ["left", "outward, order 1", "parents", "collapsed"])
@pytest.mark.parametrize("second", ["left", "head, middle", "parents", "collapsed"])
@quick
@given(one=TREES)
def test_inverses_of_one_after_the_other(first: str, second: str, one: Tree) -> None:
    (transform, inverse), (later, undo) = ALL[first], ALL[second]
    assert inverse(undo(later(transform(one)))) == one


@pytest.mark.parametrize("name", BINARISATIONS)
@quick
@given(one=TREES)
def test_at_most_two_children_and_no_node_too_many(name: str, one: Tree) -> None:
    after = BINARISATIONS[name](one)
    assert all(len(each.children) <= 2 for each in subtrees(after))
    new = sum(is_made(each.label) for each in subtrees(after))
    assert new == sum(max(0, len(each.children) - 2) for each in subtrees(one))


@pytest.mark.parametrize("name", ["left", "right", "outward", "outward from the middle"])
@quick
@given(trees=st.lists(TREES, min_size=1, max_size=4))
def test_without_an_order_trees_keep_their_probabilities(name: str, trees: list[Tree]) -> None:
    trees = [add_root(each, "the root") for each in trees]
    plain, _ = grammar_of(trees)
    binary, _ = grammar_of(map(BINARISATIONS[name], trees))
    for each in trees:
        before = plain.weights[rule_numbers(plain, each)].sum()
        after = binary.weights[rule_numbers(binary, BINARISATIONS[name](each))].sum()
        assert after == pytest.approx(before, abs=1e-12)


def test_an_order_makes_children_a_markov_chain() -> None:
    trees = [tree("(X a b c d)"), tree("(X a b b b)"), tree("(X b b c d)"), tree("(X d c c b)")]
    binary, _ = grammar_of([binarise_right(each, 1) for each in trees])
    probs = np.exp(binary.weights)
    ways = {
        (rule.head, rule.body[-1] if isinstance(rule.body[-1], str) else rule.body[-1].text): prob
        for rule, prob in zip(binary.rules(), probs, strict=True)
    }
    # What begins with c goes on four times: twice by a last d, once by a last b, once by c.
    assert ways["@X~'c", "d"] == pytest.approx(2 / 4)
    assert ways["@X~'c", "@X~'c"] == pytest.approx(1 / 4)
    assert ways["@X~'c", "b"] == pytest.approx(1 / 4)


def test_the_figure_of_johnson() -> None:
    sentence = tree("(VP (ADVP RB) MD (VBZ v) (NP NN) (PP IN) (SBAR S))")
    assert binarise_by_head(sentence, lambda node: 2 if node.label == "VP" else 0) == tree(
        "(VP (ADVP RB) (@VBZ-1 MD (@VBZ-2 (@VBZ-2 (@VBZ-2 (VBZ v) (NP NN)) (PP IN)) (SBAR S))))"
    )


def test_labels_that_end_like_new_ones_are_not_new() -> None:
    one = tree("(NP (NP-2 (DT a) (JJ b)) (NP-1 (NN c)) (@NP-2 d) (NN e))")
    after = binarise_by_head(one, first_child)
    assert after == tree(
        r"(NP (@NP-2-2 (@NP-2-2 (NP-2 (DT a) (JJ b)) (NP-1 (NN c))) (\@NP-2 d)) (NN e))"
    )
    assert unbinarise(after) == one


def test_orders_name_the_last_that_were_joined() -> None:
    flat = tree("(X a b c d)")
    assert binarise_left(flat, 1) == tree("(X (@X~'c (@X~'b a b) c) d)")
    assert binarise_right(flat, 2) == tree("(X a (@X~'b~'c b (@X~'c~'d c d)))")
    assert head_outward(flat, lambda _: 1, 1) == tree("(X a (@X~'b~>~'d (@X~'b~>~'c b c) d))")
    assert head_outward(flat, lambda _: 3, 1) == tree("(X a (@X~'d~<~'b b (@X~'d~<~'c c d)))")
    assert head_outward(flat, lambda _: 2) == tree("(X a (@X~'c~<~'b~>~'d b (@X~'c~>~'d c d)))")


def test_annotation() -> None:
    one = tree("(A (B (C (D d) (E e)) b))")
    assert annotate(one, 2) == tree("(A (B^A (C^B (D d) (E e)) b))")
    assert annotate(one, 3, tags=True) == tree("(A (B^A (C^B^A (D^C^B d) (E^C^B e)) b))")
    assert annotate(one, 1) == one
    assert annotate(tree("(A^B (C\\ (D (E e))))")) == tree(r"(A\^B (C\\^A\^B (D^C\\ (E e))))")


def test_heads_are_found_by_plain_labels() -> None:
    one = tree("(S (VP (MD m) (VP v w) (NP n o)))")
    assert markovise(one, 0, 2, COLLINS) == tree(
        "(S (VP^S (@VP^S~MD~> (MD m) (VP^VP v w)) (NP^VP n o)))"
    )


def test_collapsing() -> None:
    one = tree("(TOP (S (VP (VB go) (NP (NP (NN home))))))")
    assert collapse(one) == tree("(TOP (S+VP (VB go) (NP+NP (NN home))))")
    assert collapse(one, root=True) == tree("(TOP+S+VP (VB go) (NP+NP (NN home)))")
    assert collapse(one, tags=True) == tree("(TOP (S+VP (VB go) (NP+NP+NN home)))")
    assert collapse(tree("(A+B (C))")) == tree(r"(A\+B (C))")
    assert collapse(tree("(A+B (C))"), root=True) == tree(r"(A\+B+C)")


@given(one=TREES)
def test_collapsed_trees_have_no_chains(one: Tree) -> None:
    after = collapse(one, root=True, tags=True)
    assert not any(
        len(each.children) == 1 and isinstance(each.children[0], Tree) for each in subtrees(after)
    )


@given(names=st.lists(st.text("a+\\^@'", max_size=4), min_size=1, max_size=4), label=LABELS)
def test_labels_of_several_names(names: list[str], label: str) -> None:
    for mark in "+^~":
        assert part_label(join_labels(names, mark), mark) == names
    assert unprotect(protect(label)) == label
    assert not is_made(protect(label))


def test_refusals() -> None:
    with pytest.raises(ValueError, match="the root '@NP' is a node that binarisation made"):
        unbinarise(tree("(@NP a b)"))
    for binarise in (binarise_left, binarise_right):
        with pytest.raises(OptionError, match="0 or more, or None, not -1"):
            binarise(tree("(X a)"), -1)
    with pytest.raises(OptionError, match="0 or more, or None, not -1"):
        head_outward(tree("(X a)"), first_child, -1)
    with pytest.raises(OptionError, match="at least 1, the label itself, not 0"):
        annotate(tree("(X a)"), 0)
    with pytest.raises(ValueError, match="'X' has 3 children, but its head is 3"):
        binarise_by_head(tree("(X a b c)"), lambda node: len(node.children))


@pytest.mark.slow
def test_deep_and_wide_trees() -> None:
    one, wide = deep(), Tree("X", ("a",) * 20_000)
    for transform, inverse in ALL.values():
        assert inverse(transform(one)) == one
    for name in ("left, order 2", "right, order 1", "outward, order 1", "head, middle"):
        after = BINARISATIONS[name](wide)
        assert unbinarise(after) == wide
    with pytest.raises(LimitError, match=r"'@X~'a~'a.*…', has 5,\d+ characters"):
        binarise_left(wide)
