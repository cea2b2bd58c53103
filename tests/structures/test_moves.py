"""Which moves a shift-reduce parser may make: the list of Johnson (2001, section 4)."""

from __future__ import annotations

import pytest

from weft.structures.moves import ACCEPT, END, Move, Reduce, Shift, State, is_possible

EMPTY, ONE, TWO = State(END, END), State("NN", END), State("NN", "DT")
START, START_ABOVE, DONE = State("S", END), State("S", "DT"), State(END, "S")


@pytest.mark.parametrize(
    ("move", "states"),
    [
        (Shift("DT"), [EMPTY, ONE, TWO, START, START_ABOVE]),
        (Reduce(1, "NP"), [ONE, TWO, START, START_ABOVE]),
        (Reduce(2, "NP"), [TWO, START_ABOVE]),
        (ACCEPT, [START]),
    ],
    ids=str,
)
def test_what_the_stack_allows(move: Move, states: list[State]) -> None:
    every = [EMPTY, ONE, TWO, START, START_ABOVE, DONE]
    assert [each for each in every if is_possible(move, each, "S")] == states


def test_what_is_next_is_what_may_be_shifted() -> None:
    ahead = State("NN", "DT", Shift("VBZ"))
    assert is_possible(Shift("VBZ"), ahead, "S")
    assert not is_possible(Shift("VB"), ahead, "S")
    assert is_possible(Reduce(2, "NP"), ahead, "S")
    assert not is_possible(ACCEPT, State("S", END, Shift("VBZ")), "S")
    assert not is_possible(Shift("VBZ"), State("S", END, ACCEPT), "S")
    assert is_possible(ACCEPT, State("S", END, ACCEPT), "S")
    assert not is_possible(ACCEPT, State("S", "NP", ACCEPT), "S")


def test_a_word_that_is_next_may_have_any_tag() -> None:
    ahead = State("S", END, Shift("VBZ", "flies"))
    assert is_possible(Shift("NNS", "flies"), ahead, "S")
    assert not is_possible(Shift("VBZ", "runs"), ahead, "S")
    assert not is_possible(ACCEPT, ahead, "S")
    # A word may look like the end of a sentence.
    assert not is_possible(ACCEPT, State("S", END, Shift("SYM", END)), "S")


def test_names() -> None:
    moves = [Shift("DT"), Shift("DT", "the"), Reduce(1, "NP"), Reduce(2, "@NN-1"), ACCEPT]
    assert " ".join(map(str, moves)) == (
        "shift(DT) shift(DT the) reduce1(NP) reduce2(@NN-1) shift(⋆)"
    )
    assert len(set(moves)) == 5
