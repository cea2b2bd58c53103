"""The moves of a shift-reduce parser, and what it knows when it chooses one.

A parser reads a sentence from left to right and keeps a stack of labels. A move changes the stack:

    shift(t)      puts the next terminal, t, on top
    reduce₁(c)    takes the label on top away, and puts c there
    reduce₂(c)    takes the two labels on top away, and puts c there

The stack is empty at first, and what is not there is ⋆: s₁ = s₂ = ⋆. The sentence, too, is followed
by ⋆, and the last move of every parse is shift(⋆): it leaves a stack of two labels, ⋆ on top of the
start symbol.

Reference: Johnson (2001), "Joint and conditional estimation of tagging and parsing models",
section 4.
"""

from __future__ import annotations

from typing import NamedTuple

END = "⋆"
"""What stands for an absent label of the stack, and for the end of the sentence."""


class Shift(NamedTuple):
    """The next terminal is put on the stack.

    Attributes:
        label: What comes on top: a terminal, or the tag of a word; ``END`` at the end.
        word: The word, where terminals are words that have tags; else None.
    """

    label: str
    word: str | None = None

    def __str__(self) -> str:
        return f"shift({self.label if self.word is None else f'{self.label} {self.word}'})"


class Reduce(NamedTuple):
    """Labels on top of the stack give way to one.

    Attributes:
        size: How many are taken away, 1 or 2.
        label: What comes on top.
    """

    size: int
    label: str

    def __str__(self) -> str:
        return f"reduce{self.size}({self.label})"


Move = Shift | Reduce
"""A move of the parser."""

ACCEPT = Shift(END)
"""The last move of every parse."""


class State(NamedTuple):
    """What a parser knows when it chooses a move.

    Attributes:
        top: The label on top of the stack, s₁; ``END`` if the stack is empty.
        below: The label below it, s₂; ``END`` if there is none.
        next: The shift that will follow: its terminal is the look-ahead. With words that have tags,
            its word is: the tag is for the parser to find. None if the parser does not look ahead.
    """

    top: str
    below: str
    next: Shift | None = None


def is_possible(move: Move, state: State, start: str) -> bool:
    """Say whether a move is possible; those that are not have probability zero.

    There must be as many labels on the stack as are reduced; shift(⋆) is possible where the stack
    has nothing but the start symbol; nothing is possible after it; and a parser that looks ahead
    shifts what it sees.

    >>> is_possible(Reduce(1, "NP"), State("NN", END), "S")
    True
    >>> is_possible(Reduce(2, "NP"), State("NN", END), "S")
    False
    >>> is_possible(ACCEPT, State("S", END), "S"), is_possible(ACCEPT, State("S", "NP"), "S")
    (True, False)
    >>> is_possible(Shift("NN"), State("DT", END, Shift("JJ")), "S")
    False

    Args:
        move: The move.
        state: The stack, and what is next.
        start: The start symbol.
    """
    if state.top == END and state.below != END:
        return False
    if isinstance(move, Reduce):
        return (state.top if move.size == 1 else state.below) != END
    if move.label == END and (state.top, state.below) != (start, END):
        return False
    return state.next is None or _is_of(move, state.next)


def _is_of(move: Shift, coming: Shift) -> bool:
    """Whether a shift is of what comes next; of a word, with any tag."""
    if END in (move.label, coming.label) or coming.word is None:
        return move.label == coming.label
    return move.word == coming.word
