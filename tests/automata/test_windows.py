"""Windows against the strings that they are windows of."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from machines import String, string_sets, trie
from strategies import quick
from weft.automata import NEIGHBOURHOODS, from_lattice, minimise, split_windows, to_lattice, windows
from weft.errors import LimitError
from weft.structures.lattice import Lattice, arcs_of, lattice

small = st.integers(0, 2)


def window(string: list[int], place: int, before: int, after: int) -> tuple[int, ...]:
    """The window as it is defined: numbers inside, negated distances outside."""
    size = len(string)
    return tuple(
        string[at] if 0 <= at < size else at if at < 0 else size - 1 - at
        for at in range(place - before, place + after + 1)
    )


def paths(strings: Lattice) -> list[list[int]]:
    """Every path as its arcs."""
    arcs = list(arcs_of(strings))
    found, waiting = [], [(0, [])]
    while waiting:
        state, path = waiting.pop()
        if strings.final[state]:
            found.append(path)
        waiting += [(arc[2], [*path, n]) for n, arc in enumerate(arcs) if arc[0] == state]
    return found


def needed(strings: Lattice, before: int, after: int) -> set[tuple]:
    """The different (arc, window) pairs of a lattice: what a split one needs arcs for."""
    found = set()
    for path in paths(strings):
        string = [int(strings.arc_symbols[arc]) for arc in path]
        found |= {(arc, window(string, i, before, after)) for i, arc in enumerate(path)}
    return found


@quick
@given(string_sets, small, small)
def test_split_lattices_have_the_strings_and_unique_windows(strings, before, after):
    minimal = to_lattice(minimise(from_lattice(trie(sorted(strings)))), "abc")
    split = split_windows(minimal, before, after)
    assert sorted(split.strings()) == sorted(strings)
    assert split.symbols == minimal.symbols
    table = windows(split, before, after)
    assert table.shape == (split.arc_count, before + 1 + after)
    for path in paths(split):
        string = [int(split.arc_symbols[arc]) for arc in path]
        for place, arc in enumerate(path):
            assert tuple(table[arc]) == window(string, place, before, after)


@quick
@given(string_sets, small, small)
def test_no_state_is_split_without_need(strings, before, after):
    minimal = to_lattice(minimise(from_lattice(trie(sorted(strings)))), "abc")
    futures = set()
    for string in strings:
        for cut in range(1, len(string) + 1):
            numbers = ["abc".index(word) for word in string]
            ahead = window(numbers, cut - 1, 0, after)[1:]
            rest = frozenset(
                other[cut:]
                for other in strings
                if other[:cut] == string[:cut]
                and window(["abc".index(word) for word in other], cut - 1, 0, after)[1:] == ahead
            )
            past = window(numbers, cut - 1, before, 0)[1:] if rest != {()} else None
            futures.add((past, ahead, rest))
    assert split_windows(minimal, before, after).state_count == 1 + len(futures)


@pytest.mark.parametrize("name", NEIGHBOURHOODS)
@pytest.mark.parametrize(("before", "after"), [(0, 0), (1, 0), (0, 1), (1, 1), (2, 1), (0, 3)])
def test_neighbourhoods_with_windows(name: str, before: int, after: int) -> None:
    sentences: list[String] = [tuple("abab"), tuple("aabca"), tuple("abcde"), ("a",)]
    for words in sentences:
        whole = NEIGHBOURHOODS[name](words)
        split = split_windows(whole, before, after)
        assert set(split.strings()) == set(whole.strings())
        assert split.count() == whole.count()
        assert split.deterministic or after
        # Each arc of the split lattice is needed for some (arc, window) of the whole one.
        table = windows(split, before, after)
        assert {tuple(row) for row in table} == {pair[1] for pair in needed(whole, before, after)}


def test_a_window_of_nothing_changes_nothing():
    whole = NEIGHBOURHOODS["delortrans1"](["natural", "language", "is", "a", "thing"])
    split = split_windows(whole, 0, 0)
    assert split.targets.tolist() == whole.targets.tolist()
    assert windows(whole, 0, 0).tolist() == [[symbol] for symbol in whole.arc_symbols.tolist()]


def test_windows_that_are_not_unique_are_refused():
    strings = lattice([(0, "a", 1), (0, "b", 1), (1, "c", 2), (1, "d", 2)], [2])
    with pytest.raises(ValueError, match=r"arc 2 has several windows of 1 symbols before and 0"):
        windows(strings, 1, 0)
    with pytest.raises(ValueError, match="arc 0 has several windows"):
        windows(strings, 0, 1)
    for function in (windows, split_windows):
        with pytest.raises(ValueError, match="0 or more symbols"):
            function(strings, -1, 0)


def test_ends_are_windows_too():
    strings = lattice([(0, "a", 1), (1, "b", 2)], [1, 2])
    split = split_windows(strings, 0, 1)
    assert windows(split, 0, 1).tolist() == [[0, 1], [0, -1], [1, -1]]
    assert list(split.strings()) == [("a", "b"), ("a",)]


def test_blow_ups_are_refused():
    arcs = [(i, str(word), i + 1) for i in range(6) for word in range(20)]
    strings = lattice(arcs, [6])
    for before, after in ((4, 0), (0, 4)):
        with pytest.raises(LimitError, match="would be more than 1,000"):
            split_windows(strings, before, after, limit=1000)


def test_the_table_is_read_only():
    table = windows(Lattice.from_sentence(["a", "b", "a"]), 2, 1)
    assert table.tolist() == [[-2, -1, 0, 1], [-1, 0, 1, 0], [0, 1, 0, -1]]
    with pytest.raises(ValueError, match="read-only"):
        table[0] = np.zeros(4)
    assert list(itertools.chain(*windows(Lattice.from_sentence([]), 1, 1))) == []
