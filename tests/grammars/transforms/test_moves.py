"""Trees as moves and moves as trees: one to one, with the states of the stack on the way."""

from __future__ import annotations

import pytest
from hypothesis import given

from trees import TAGGED, TREES, deep, tree
from weft.errors import EvidenceError
from weft.grammars.heads import find_head_rules
from weft.grammars.transforms import (
    binarise_by_head,
    moves_of,
    states_of,
    tree_of,
    unbinarise,
    without_words,
)
from weft.structures.moves import ACCEPT, END, Move, Reduce, Shift, State, is_possible
from weft.structures.tree import Tree, leaves, preterminals, subtrees

COLLINS = find_head_rules("collins")


def recursive(node: Tree | str) -> list[Move]:
    """The moves of a tree without the last one, in the obvious way."""
    if isinstance(node, str):
        return [Shift(node)]
    below = [move for child in node.children for move in recursive(child)]
    return [*below, Reduce(len(node.children), node.label)]


def binary(one: Tree) -> Tree:
    return binarise_by_head(one, COLLINS)


@given(one=TAGGED)
def test_moves_are_those_of_recursion_and_make_the_tree(one: Tree) -> None:
    after = binary(one)
    moves = moves_of(after)
    assert moves == [*recursive(after), ACCEPT]
    assert tree_of(moves) == after
    assert unbinarise(tree_of(moves)) == one
    assert [move.label for move in moves if isinstance(move, Shift)] == [*leaves(one), END]


@given(one=TAGGED)
def test_tags_with_words(one: Tree) -> None:
    after = binary(one)
    moves = moves_of(after, words=True)
    assert tree_of(moves) == after
    shifts = [move for move in moves if isinstance(move, Shift)]
    assert shifts == [*(Shift(each.label, *each.children) for each in preterminals(after)), ACCEPT]
    assert len(moves) == sum(1 for _ in subtrees(after)) + 1


@given(one=TAGGED)
def test_words_change_no_label_of_the_stack(one: Tree) -> None:
    over = Tree("TOP", (binary(one),))
    with_words, over_tags = moves_of(over, words=True), moves_of(without_words(over))
    assert [state[:2] for state in states_of(with_words)] == [
        state[:2] for state in states_of(over_tags)
    ]


@given(one=TAGGED)
def test_every_move_of_a_parse_is_possible(one: Tree) -> None:
    for words in (False, True):
        after = binary(one)
        moves = moves_of(after, words=words)
        states = states_of(moves)
        assert states[0][:2] == (END, END)
        assert states[-1] == State(after.label, END, ACCEPT)
        for move, state in zip(moves, states, strict=True):
            assert is_possible(move, state, after.label)
            assert not isinstance(move, Shift) or move == state.next


def test_states_by_hand() -> None:
    moves = moves_of(tree("(S (NP DT NN) (VP VBZ))"))
    assert states_of(moves) == [
        State(END, END, Shift("DT")),
        State("DT", END, Shift("NN")),
        State("NN", "DT", Shift("VBZ")),
        State("NP", END, Shift("VBZ")),
        State("VBZ", "NP", ACCEPT),
        State("VP", "NP", ACCEPT),
        State("S", END, ACCEPT),
    ]


@given(one=TREES)
def test_other_trees_are_refused(one: Tree) -> None:
    fits = all(1 <= len(each.children) <= 2 for each in subtrees(one))
    if fits:
        assert tree_of(moves_of(one)) == one
    else:
        with pytest.raises(EvidenceError, match=r"has (no|\d) children.*binarise"):
            moves_of(one)


@pytest.mark.parametrize(
    ("text", "words", "message"),
    [
        ("(S (NP) (VP go))", False, "'NP' has no children"),
        ("(S)", False, "'S' has no children"),
        ("(S a b c)", False, "'S' has 3 children"),
        ("(S (⋆ a))", False, "the label '⋆' stands for the end"),
        ("(S a ⋆)", False, "the label '⋆' stands for the end"),
        ("(S (⋆ a))", True, "the label '⋆' stands for the end"),
        ("(S (DT a) b)", True, r"the word 'b' has no tag of its own: write it as \(TAG b\)"),
        ("(S a b)", True, "the word 'a' has no tag"),
    ],
)
def test_refused_trees(text: str, words: bool, message: str) -> None:
    with pytest.raises(EvidenceError, match=message):
        moves_of(tree(text), words=words)


@pytest.mark.parametrize(
    ("moves", "message"),
    [
        ([], "leave the stack empty"),
        ([ACCEPT], "leave the stack ⋆"),
        ([Shift("a"), ACCEPT], "leave the stack a ⋆"),
        ([Shift("a"), Reduce(1, "A")], "leave the stack A"),
        ([Shift("a"), Reduce(1, "A"), Shift("b"), ACCEPT], "leave the stack A b ⋆"),
        ([Shift("a"), Reduce(2, "A"), ACCEPT], r"move 2, reduce2\(A\): the stack has 1 label$"),
        ([Reduce(1, "A"), ACCEPT], r"move 1, reduce1\(A\): the stack has 0 labels"),
        ([Shift("a"), ACCEPT, Reduce(1, "A")], r"move 2, shift\(⋆\): shift\(⋆\) is the last move"),
        ([Shift("a"), Reduce(1, "A"), Shift("a")], r"move 3, shift\(a\): shift\(⋆\) is the last"),
        ([Shift("a"), Reduce(0, "A"), ACCEPT], "move 2"),
        ([Shift("a"), Shift("a"), Shift("a"), Reduce(3, "A"), ACCEPT], "move 4"),
    ],
)
def test_refused_moves(moves: list[Move], message: str) -> None:
    with pytest.raises(EvidenceError, match=message):
        tree_of(moves)


def test_a_word_may_look_like_the_end() -> None:
    one = tree("(S (SYM ⋆) (NN a))")
    moves = moves_of(one, words=True)
    assert tree_of(moves) == one
    assert states_of(moves)[0].next == Shift("SYM", END)


def test_deep_trees() -> None:
    one = deep()
    moves = moves_of(one)
    assert tree_of(moves) == one
    assert len(states_of(moves)) == len(moves)
