"""The brute force of shift-reduce parsers, against what can be said without it."""

from __future__ import annotations

import itertools
import math

import pytest

from stacks import MoveProbs, all_parses, best_parse, probs_of, sums_of
from trees import tree
from weft.grammars.transforms import moves_of, tree_of
from weft.models.stack.counts import count_moves
from weft.models.stack.tables import Unseen, conditional_moves, joint_moves, scores_of
from weft.structures.moves import END, Move, Reduce, Shift, State

TREES = [
    "(S (A a) (B b))",
    "(S (A a a) (B b))",
    "(S (A a) (B (A a) b))",
    "(S (B (A a)))",
    "(S (A a) (B b))",
]
# A becomes B and B becomes A.
CYCLIC = [*TREES, "(S (A (B (A a))) (B b))", "(S (A (B b)))"]


def tables(texts: list[str], look: bool = False, unseen: Unseen = Unseen.BACK_OFF) -> MoveProbs:
    counts = count_moves([moves_of(tree(text)) for text in texts])
    if look:
        return probs_of(conditional_moves(counts, unseen), counts.labels, counts.looks)
    return probs_of(joint_moves(counts, unseen), counts.labels)


def sentences(longest: int) -> list[tuple[str, ...]]:
    return [
        words
        for length in range(1, longest + 1)
        for words in itertools.product("ab", repeat=length)
    ]


def test_a_parse_by_hand() -> None:
    def probs(state: State) -> dict[Move, float]:
        if state.top == END:
            return {Shift("a"): 1.0}
        if state.top == "a":
            return (
                {Shift("a"): 0.4, Reduce(1, "S"): 0.6}
                if state.below == END
                else {
                    Shift("a"): 0.1,
                    Reduce(1, "S"): 0.2,
                    Reduce(2, "S"): 0.7,
                }
            )
        return {Shift(END): 0.9, Shift("a"): 0.1} if state.below == END else {Reduce(2, "S"): 1.0}

    one = all_parses(["a"], probs, unaries=3)
    assert one == {tuple(moves_of(tree("(S a)"))): pytest.approx(0.6 * 0.9)}
    two = all_parses(["a", "a"], probs, unaries=3)
    expected = {
        "(S a a)": 0.4 * 0.7 * 0.9,
        "(S a (S a))": 0.4 * 0.2 * 0.9,
        "(S (S a) a)": 0.6 * 0.1 * 0.7 * 0.9,
        "(S (S a) (S a))": 0.6 * 0.1 * 0.2 * 0.9,
    }
    assert two == {
        tuple(moves_of(tree(text))): pytest.approx(prob) for text, prob in expected.items()
    }
    assert tree_of(best_parse(["a", "a"], probs, unaries=3)) == tree("(S a a)")
    sums = sums_of(["a", "a"], probs)
    assert sums.total == pytest.approx(sum(expected.values()))
    assert sums.prefixes == pytest.approx([1.0, 1.0, 0.4 + 0.06])
    assert sums.visits[1] == pytest.approx({("a",): 1.0, ("S",): 0.6})


@pytest.mark.parametrize("look", [False, True])
def test_stacks_and_sequences_have_the_same_sum(look: bool) -> None:
    probs = tables(TREES, look, Unseen.LOSE)
    for words in sentences(4):
        listed = all_parses(words, probs, unaries=9)
        assert sums_of(words, probs).total == pytest.approx(math.fsum(listed.values()))
        assert all(tree_of(moves).label == "S" for moves in listed)


def test_cycles_are_summed() -> None:
    probs = tables(CYCLIC)
    for words in sentences(3):
        total = sums_of(words, probs).total
        bounded = [
            math.fsum(all_parses(words, probs, unaries=most).values()) for most in (1, 3, 9, 27)
        ]
        assert bounded == sorted(bounded)
        assert bounded[-1] == pytest.approx(total, rel=1e-6)
        assert bounded[-1] <= total * (1 + 1e-12)


@pytest.mark.parametrize("texts", [TREES, CYCLIC])
def test_no_probability_is_lost_where_tables_back_off(texts: list[str]) -> None:
    """What begins with some words ends there, or goes on with one of the words."""
    probs = tables(texts)
    for words in sentences(3):
        on = [sums_of((*words, word), probs).prefixes[-1] for word in "ab"]
        sums = sums_of(words, probs)
        assert sums.prefixes[-1] == pytest.approx(sums.total + math.fsum(on))


def test_probability_is_lost_at_pairs_that_were_not_seen() -> None:
    """Two a's become A or B, but B was never at the bottom of a stack, and A never over c."""
    probs = tables(["(S (A a a) b)", "(S c (B a a))"], unseen=Unseen.LOSE)
    assert sums_of("aab", probs).total == pytest.approx(1 / 4)
    assert sums_of("caa", probs).total == pytest.approx(1 / 4)
    assert sums_of("aa", probs).prefixes == pytest.approx([1.0, 1 / 2, 1 / 2])
    on = [sums_of(("a", "a", word), probs).prefixes[-1] for word in "abc"]
    assert on == pytest.approx([0.0, 1 / 4, 0.0])


def test_given_what_is_next_parses_of_a_sentence_sum_to_at_most_one() -> None:
    probs = tables(TREES, look=True)
    totals = [sums_of(words, probs).total for words in sentences(4)]
    assert all(0 <= total <= 1 + 1e-12 for total in totals)
    assert sums_of(["a", "b"], probs).total > 0.5


@pytest.mark.parametrize("look", [False, True])
def test_scores_of_parses_are_logs_of_their_probabilities(look: bool) -> None:
    counts = count_moves([moves_of(tree(text)) for text in TREES])
    arrays = conditional_moves(counts) if look else joint_moves(counts)
    probs = probs_of(arrays, counts.labels, counts.looks if look else ())
    for moves, prob in all_parses("aab", probs, unaries=2).items():
        assert scores_of(moves, arrays, counts).sum() == pytest.approx(math.log(prob))
    for text in ("(S (A c) (B b))", "(S (C a) (B b))", "(A a b)"):
        assert scores_of(moves_of(tree(text)), arrays, counts).min() == -math.inf
