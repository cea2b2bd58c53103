"""Tables of moves against plain loops: counts, what is impossible, and where nothing was seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import quick
from trees import TAGGED, tree
from weft.derivations.stack.table import MoveTable
from weft.errors import EvidenceError
from weft.grammars.heads import find_head_rules
from weft.grammars.transforms import add_root, binarise_by_head, moves_of, states_of, without_words
from weft.models.smoothing.interpolation import interpolate
from weft.models.stack.counts import MoveCounts, count_moves
from weft.models.stack.tables import (
    Shifts,
    Unseen,
    conditional_moves,
    joint_moves,
)
from weft.structures.moves import ACCEPT, END, Move, Reduce, Shift, State, is_possible
from weft.structures.tree import Tree

COLLINS = find_head_rules("collins")
TREEBANKS = st.lists(TAGGED, min_size=1, max_size=6)
START = "the start"

Probs = Mapping[tuple[str, str, str], Mapping[Move, float]]


def parses_of(trees: list[Tree]) -> list[list[Move]]:
    over_tags = [without_words(add_root(each, START)) for each in trees]
    return [moves_of(binarise_by_head(each, COLLINS)) for each in over_tags]


def random_tree(rng: np.random.Generator, depth: int = 3) -> Tree:
    """A tree of few labels, with the root's among them, and few tags."""
    if not depth or rng.random() < 0.3:
        return Tree(str(rng.choice(["a", "b", "c"])), ("word",))
    below = [random_tree(rng, depth - 1) for _ in range(rng.choice([1, 2, 3]))]
    return Tree(str(rng.choice(["X", "Y", START], p=[0.5, 0.4, 0.1])), tuple(below))


def as_probs(arrays: MoveTable, counts: MoveCounts) -> Probs:
    """By the labels on top and below and what is next, the moves with their probabilities."""
    looks = counts.looks if arrays.looks > 1 else ("",)
    assert arrays.looks == len(looks)
    found: dict[tuple[str, str, str], dict[Move, float]] = {}
    for top, row_of in zip(counts.labels, arrays.rows.tolist(), strict=True):
        for below, row in zip(counts.labels, row_of, strict=True):
            for look, name in enumerate(looks):
                context = row * arrays.looks + look
                where = slice(*arrays.offsets[context : context + 2]) if row >= 0 else slice(0)
                numbers = arrays.moves[where].tolist()
                assert numbers == sorted(set(numbers))
                probs = np.exp(arrays.scores[where]).tolist()
                found[top, below, name] = {
                    move_of(number, counts): prob
                    for number, prob in zip(numbers, probs, strict=True)
                }
    return found


def move_of(number: int, counts: MoveCounts) -> Move:
    kind, label = divmod(number, len(counts.labels))
    name = counts.labels[label]
    return Reduce(kind, name) if kind else Shift(name)


def state_of(top: str, below: str, look: str) -> State:
    return State(top, below, Shift(look) if look else None)


def every_move(counts: MoveCounts) -> set[Move]:
    return {move_of(number, counts) for number in counts.moves.tolist()}


@quick
@given(trees=TREEBANKS)
def test_joint_tables_are_relative_frequencies(trees: list[Tree]) -> None:
    parses = parses_of(trees)
    seen: Counter[tuple[str, str, Move]] = Counter()
    for moves in parses:
        seen.update((s.top, s.below, m) for s, m in zip(states_of(moves), moves, strict=True))
    totals: Counter[tuple[str, str]] = Counter()
    for (top, below, _), count in seen.items():
        totals[top, below] += count
    counts = count_moves(parses)
    for unseen in (Unseen.BACK_OFF, Unseen.LOSE):
        found = as_probs(joint_moves(counts, unseen), counts)
        for (top, below), total in totals.items():
            expected = {m: n / total for (t, b, m), n in seen.items() if (t, b) == (top, below)}
            assert found[top, below, ""] == pytest.approx(expected)
    lost = as_probs(joint_moves(counts, Unseen.LOSE), counts)
    assert {(t, b) for (t, b, _), moves in lost.items() if moves} == set(totals)


def mixed_by_hand(counts: MoveCounts, shifts: Shifts, labels: int) -> Probs:
    """P(m | …, w) with the weights of deleted interpolation, without what is impossible.

    Args:
        labels: How many labels of the stack are looked at.
    """
    keys = np.array([counts.tops, counts.below])[:labels]
    places = np.zeros(len(counts.tops), np.int64)
    for key in keys:
        places = places * 1_000 + key
    size = 3 * len(counts.labels) + 1
    any_shift = [isinstance(m := move_of(n, counts), Shift) and m != ACCEPT for n in counts.moves]
    outcomes = np.where(any_shift if shifts is Shifts.TOGETHER else False, size - 1, counts.moves)
    mixed = interpolate(
        [places * 1_000 + counts.nexts, places],
        outcomes,
        size,
        counts.parts,
        counts=counts.counts,
    )
    found = {}
    for top, s1 in enumerate(counts.labels):
        for below, s2 in enumerate(counts.labels):
            place = np.array((0, top, top * 1_000 + below)[labels])
            rows = mixed.rows([place * 1_000 + np.arange(len(counts.looks)), place]).tolist()
            for name, row in zip(counts.looks, rows, strict=True):
                probs: Counter[Move] = Counter()
                for number in np.flatnonzero(row).tolist():
                    together = number == size - 1
                    move = Shift(name) if together else move_of(number, counts)
                    shown = not together or name != END
                    if shown and is_possible(move, state_of(s1, s2, name), START):
                        probs[move] += row[number]
                total = sum(probs.values())
                found[s1, s2, name] = {move: prob / total for move, prob in probs.items()}
    return found


@pytest.mark.parametrize("shifts", Shifts)
@pytest.mark.parametrize("seed", range(4))
def test_conditional_tables_are_interpolated(shifts: Shifts, seed: int) -> None:
    rng = np.random.default_rng(seed)
    counts = count_moves(parses_of([random_tree(rng) for _ in range(12)]), parts=3)
    levels = [mixed_by_hand(counts, shifts, labels) for labels in (2, 1, 0)]
    lost = as_probs(conditional_moves(counts, Unseen.LOSE, shifts), counts)
    backed = as_probs(conditional_moves(counts, Unseen.BACK_OFF, shifts), counts)
    for context in lost:
        after = context[0] == END != context[1]
        assert lost[context] == pytest.approx(levels[0][context])
        first = next((level[context] for level in levels if level[context]), {})
        assert backed[context] == pytest.approx({} if after else first)


@pytest.mark.parametrize("seed", range(3))
def test_joint_tables_may_be_interpolated(seed: int) -> None:
    """Whether to shift by both labels and the one on top, and what is shifted by nothing, too."""
    rng = np.random.default_rng(seed)
    counts = count_moves(parses_of([random_tree(rng) for _ in range(30)]), parts=3)
    labels = len(counts.labels)
    shifts = (counts.moves > 0) & (counts.moves < labels)
    keys = [counts.tops * labels + counts.below, counts.tops, counts.tops * 0]
    acts = interpolate(
        keys[:2],
        np.where(shifts, 3 * labels, counts.moves),
        3 * labels + 1,
        counts.parts,
        counts=counts.counts,
    )
    mine = [each[shifts] for each in (*keys, counts.moves, counts.parts, counts.counts)]
    terminals = interpolate(mine[:3], mine[3], labels, mine[4], counts=mine[5])
    found = as_probs(joint_moves(counts, Unseen.INTERPOLATE), counts)
    plain = as_probs(joint_moves(counts), counts)
    for pair in np.unique(keys[0]).tolist():
        top, below = divmod(pair, labels)
        here = [np.array([each]) for each in (pair, top, 0)]
        [made] = acts.rows(here[:2])
        probs = {move_of(each, counts): made[each] for each in range(labels, 3 * labels)}
        probs[ACCEPT] = made[0]
        for number, share in enumerate(terminals.rows(here)[0, 1:].tolist(), 1):
            probs[move_of(number, counts)] = made[-1] * share
        s1, s2 = counts.labels[top], counts.labels[below]
        able = {m: p for m, p in probs.items() if p and is_possible(m, state_of(s1, s2, ""), START)}
        total = sum(able.values())
        assert found[s1, s2, ""] == pytest.approx({m: p / total for m, p in able.items()})
        # What was seen there is still there, and where something is shifted anything may be.
        assert set(plain[s1, s2, ""]) <= set(found[s1, s2, ""])
        if any(isinstance(move, Shift) and move != ACCEPT for move in plain[s1, s2, ""]):
            assert {Shift(tag) for tag in "abc"} <= set(found[s1, s2, ""])


@pytest.mark.parametrize("seed", range(8))
def test_every_stack_has_a_distribution(seed: int) -> None:
    rng = np.random.default_rng(seed)
    counts = count_moves(parses_of([random_tree(rng) for _ in range(1 + seed)]))
    known = every_move(counts)
    several = [
        moves(counts, unseen)
        for moves in (joint_moves, conditional_moves)
        for unseen in (Unseen.BACK_OFF, Unseen.INTERPOLATE)
    ]
    for arrays in several:
        for context, moves in as_probs(arrays, counts).items():
            state = state_of(*context)
            able = {move for move in known if is_possible(move, state, START)}
            assert bool(moves) == bool(able)
            assert set(moves) <= able
            assert sum(moves.values()) == pytest.approx(1.0 if able else 0.0)


def test_weights_count_as_often() -> None:
    trees = [tree("(S a b)"), tree("(S a)"), tree("(S b)")]
    parses = [moves_of(each) for each in trees]
    weighted = count_moves(parses, [2.0, 1.0, 0.0])
    repeated = count_moves([parses[0], parses[0], parses[1]])
    assert weighted.labels == repeated.labels
    one, other = joint_moves(weighted), joint_moves(repeated)
    for name in ("rows", "offsets", "moves", "scores"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def test_what_is_next_decides() -> None:
    """After a noun, a verb that is next makes it a subject, and a noun that is next does not."""
    trees = [tree("(S (NP N) V)"), tree("(S (NP N N) V)")] * 40
    counts = count_moves([moves_of(each) for each in trees])
    joint = as_probs(joint_moves(counts), counts)
    assert joint["N", END, ""] == pytest.approx({Reduce(1, "NP"): 0.5, Shift("N"): 0.5})
    given_next = as_probs(conditional_moves(counts), counts)
    assert given_next["N", END, "V"][Reduce(1, "NP")] > 0.98
    assert given_next["N", END, "N"][Shift("N")] > 0.98
    # No noun followed a subject; but something was shifted there, and so the noun is.
    assert given_next["NP", END, "N"] == pytest.approx({Shift("N"): 1.0})
    apart = conditional_moves(counts, Unseen.LOSE, Shifts.APART)
    assert as_probs(apart, counts)["NP", END, "N"] == {}


def test_refusals() -> None:
    with pytest.raises(EvidenceError, match="there are no moves to count: give trees"):
        count_moves([])
    parses = [moves_of(tree("(S a)")), moves_of(tree("(NP a)"))]
    with pytest.raises(EvidenceError, match=r"2 labels at their roots, NP, S among them.*'top'"):
        count_moves(parses)
    with pytest.raises(EvidenceError, match="there are no moves to count"):
        count_moves(parses, [0.0, 0.0])
    assert count_moves(parses, [1.0, 0.0]).labels == (END, "S", "a")
    assert every_move(count_moves(parses[:1])) == {Shift("a"), Reduce(1, "S"), ACCEPT}
