from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given

from machines import string_sets, trie
from strategies import quick
from weft.errors import LimitError
from weft.structures.lattice import Lattice, accepts, arcs_of, lattice, path_lengths
from weft.structures.sausage import Sausage


@quick
@given(string_sets)
def test_a_lattice_is_the_set_it_was_made_of(strings):
    made = trie(sorted(strings))
    assert sorted(made.strings()) == sorted(strings)
    assert made.count() == len(strings)
    for length in range(4):
        for words in itertools.product("abcd", repeat=length):
            assert accepts(made, words) == (words in strings)


@quick
@given(string_sets)
def test_lengths_of_paths_are_those_of_the_strings(strings):
    made = trie(sorted(strings))
    shortest, longest = path_lengths(made)
    assert (shortest[0], longest[0]) == (min(map(len, strings)), max(map(len, strings)))
    for source, _, target in arcs_of(made):
        assert shortest[source] <= shortest[target] + 1
        assert longest[source] >= longest[target] + 1


def test_strings_come_in_order_a_prefix_first():
    made = trie([("b", "a"), ("a",), ("b",), ("a", "b"), ()])
    assert made.symbols == ("a", "b")
    assert list(made.strings()) == [(), ("a",), ("a", "b"), ("b",), ("b", "a")]


def test_a_sentence():
    made = Lattice.from_sentence(["a", "rose", "is", "a", "rose"])
    assert made.symbols == ("a", "rose", "is")
    assert list(made.strings()) == [("a", "rose", "is", "a", "rose")]
    assert (made.state_count, made.arc_count, made.deterministic) == (6, 5, True)
    assert list(Lattice.from_sentence([]).strings()) == [()]
    with pytest.raises(ValueError, match="split it first"):
        Lattice.from_sentence("rose")


def test_types_are_those_of_the_kernels():
    made = lattice([(0, "a", 1), (0, "b", 2), (1, "b", 2)], [2])
    arrays = (made.arc_offsets, made.arc_symbols, made.targets, made.final, made.sources)
    assert [array.dtype for array in arrays] == ["i8", "i4", "i4", "?", "i4"]
    assert made.arc_offsets.tolist() == [0, 2, 3, 3]
    assert made.sources.tolist() == [0, 0, 1]


def test_arrays_are_copies_that_cannot_be_written():
    targets = np.array([1], np.int32)
    made = Lattice(("a",), np.array([0, 1, 1]), np.array([0]), targets, np.array([False, True]))
    targets[:] = 7
    assert made.targets.tolist() == [1]
    for array in (made.targets, made.final, made.arc_offsets, made.arc_symbols):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_counts_are_exact_however_large():
    width, length = 3, 200
    arcs = [(i, word, i + 1) for i in range(length) for word in "abc"]
    assert lattice(arcs, [length]).count() == width**length


def test_a_listing_is_bounded_and_lazy():
    arcs = [(i, word, i + 1) for i in range(400) for word in "ab"]
    made = lattice(arcs, [400])
    with pytest.raises(LimitError, match=r"over 2\^400 strings, more than 1,000,000"):
        made.strings()
    assert len(next(made.strings(limit=made.count()))) == 400
    with pytest.raises(LimitError, match="there are 4 strings, more than 3; raise the limit"):
        Sausage(("a", "b"), 2).strings(3)


@pytest.mark.parametrize(
    ("arcs", "final", "message"),
    [
        ([], [], "no path leads from state 0 to a final one"),
        ([(0, "a", 0)], [0], "arc 0 leads from state 0 to 0"),
        ([(0, "a", 1), (1, "a", 0)], [1], "arc 1 leads from state 1 to 0"),
        ([(0, "a", 2), (1, "a", 2)], [2], "no path leads to state 1; leave it out"),
        ([(0, "a", 1), (0, "b", 2)], [2], "no path leads from state 1 to a final one"),
        ([(0, "a", 1), (0, "a", 1)], [1], "arc 1 repeats arc 0"),
        ([(0, "a", 10**12)], [10**12], "no path can lead to all of"),
        ([(-1, "a", 1)], [1], "numbered from 0"),
        ([(0, "a", 1)], [-1], "numbered from 0"),
        ([(0, "a", 1), (0, "a", 2)], [1, 2], "two paths, through states 1 and 2"),
        (
            [(0, "a", 1), (0, "a", 2), (1, "b", 3), (2, "b", 3), (3, "c", 4)],
            [4],
            "two paths, through states 3 and 3",
        ),
    ],
)
def test_what_is_no_lattice_is_refused(arcs, final, message):
    with pytest.raises(ValueError, match=message):
        lattice(arcs, final)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"symbols": ("a", "a")}, "'a' is there twice"),
        ({"arc_offsets": [0, 1]}, "2 states need 3 offsets, not 2"),
        ({"arc_offsets": [1, 1, 1]}, "ascend from 0 to the number of arcs, 2"),
        ({"arc_offsets": [0, 3, 2]}, "ascend from 0 to the number of arcs, 2"),
        ({"arc_symbols": [0]}, "2 targets as many symbols, not 1"),
        ({"arc_symbols": [0, 2]}, "arc 1 has symbol 2, but there are 2"),
        ({"arc_symbols": [1, 0]}, "arc 1 repeats arc 0 or belongs before it"),
        ({"arc_symbols": [0.5, 1]}, "a row of integers, not float64"),
        ({"targets": [1, 2]}, "arc 1 leads from state 0 to 2"),
        ({"targets": [1, 2**40]}, "targets must lie between 0 and"),
        ({"final": [[True]]}, "states, in a row"),
        ({"final": []}, "needs between 1 and"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(change, message):
    parts = {
        "symbols": ("a", "b"),
        "arc_offsets": [0, 2, 2],
        "arc_symbols": [0, 1],
        "targets": [1, 1],
        "final": [False, True],
    }
    assert Lattice(**parts).count() == 2
    with pytest.raises(ValueError, match=message):
        Lattice(**{**parts, **change})


def test_one_path_a_string_is_enough():
    made = lattice([(0, "a", 1), (0, "a", 2), (1, "b", 3), (2, "c", 3)], [3])
    assert not made.deterministic
    assert list(made.strings()) == [("a", "b"), ("a", "c")]
    assert accepts(made, "ac")
    assert not accepts(made, "a")


@pytest.mark.parametrize("length", [0, 1, 3])
def test_a_sausage_is_its_lattice(length):
    sausage = Sausage(("a", "b", "c"), length)
    made = sausage.lattice()
    strings = list(itertools.product("abc", repeat=length))
    assert list(sausage.strings()) == list(made.strings()) == strings
    assert sausage.count() == made.count() == len(strings)
    assert sausage.arc_count == made.arc_count


def test_sausages_that_are_refused():
    for symbols, length, message in (
        (("a", "a"), 1, "twice"),
        ((), 1, "no string of length 1"),
        (("a",), -1, "no string of length -1"),
    ):
        with pytest.raises(ValueError, match=message):
            Sausage(symbols, length)
    with pytest.raises(LimitError, match="6 arcs, more than 5"):
        Sausage(("a", "b"), 3).lattice(5)
