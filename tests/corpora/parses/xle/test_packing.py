"""Packed forests of XLE's files have the readings of plain enumeration, each with its features."""

import io
from collections import Counter

import numpy as np
import pytest

from parse_sets import derivations
from weft.corpora.parses.xle.contexts import ALWAYS, Diagrams
from weft.corpora.parses.xle.files import read_xle
from weft.corpora.parses.xle.packing import RULE, find_reading, pack
from weft.errors import FormatError
from weft.structures.parse_set import Packed, PackedEdge, ParseSet
from xle_files import RandomFile, random_file


def read_one(text: str) -> ParseSet:
    [found] = read_xle(io.BytesIO(text.encode()))
    return found


def bags(found: ParseSet) -> list[tuple[Counter, tuple[int, ...]]]:
    """The features of every derivation, and its edges."""
    if not isinstance(found.analyses, Packed):
        return [(Counter(found.analyses[0].features), ())]
    edges = found.analyses.edges
    result = []
    for _, used in derivations(found.analyses):
        bag: Counter = Counter()
        for number in used:
            bag.update(edges[number].features)
        result.append((bag, used))
    return result


def as_sorted(counters) -> list:
    return sorted(sorted(each.items()) for each in counters)


@pytest.mark.parametrize("choices", [0, 1, 2, 3, 5])
@pytest.mark.parametrize("trial", range(12))
def test_one_derivation_for_each_reading(choices: int, trial: int) -> None:
    made = random_file(np.random.default_rng([choices, trial]), choices)
    found = bags(read_one(made.text()))
    expected = [made.features(chosen) for chosen in made.readings()]
    assert as_sorted(bag for bag, _ in found) == as_sorted(expected)


@pytest.mark.parametrize("trial", range(20))
def test_right_edges_make_the_readings_that_were_selected(trial: int) -> None:
    rng = np.random.default_rng([trial, 7])
    made = random_file(rng, 4)
    chosen = made.readings()[int(rng.integers(len(made.readings())))]
    for name in sorted(chosen):
        if rng.random() < 0.7:
            made.selected.append((name, 1))
    found = read_one(made.text())
    right = [reading for reading in made.readings() if made.is_right(reading)]
    if not made.selected:
        assert found.right is None
        return
    inside = [bag for bag, used in bags(found) if set(used) <= set(found.right)]
    assert as_sorted(inside) == as_sorted(made.features(each) for each in right)
    used = {number for _, each in bags(found) if set(each) <= set(found.right) for number in each}
    assert used == set(found.right)


def test_a_selection_in_a_context_is_one_only_there() -> None:
    made = RandomFile(
        [(["A1", "A2"], 1), (["B1", "B2"], 1)],
        facts=[(name, ("eq", ("attr", 0, "X"), name)) for name in ("A1", "A2", "B1", "B2")],
        selected=[("B1", "A1"), ("B2", "A2")],
    )
    found = read_one(made.text())
    inside = [set(bag) for bag, used in bags(found) if set(used) <= set(found.right)]
    assert sorted(map(sorted, inside)) == [
        ["value X=A1", "value X=B1"],
        ["value X=A2", "value X=B2"],
    ]


def test_many_independent_choices_need_few_edges() -> None:
    made = RandomFile([([f"C{k}a", f"C{k}b"], 1) for k in range(200)])
    made.facts = [(f"C{k}a", ("eq", ("attr", 0, "X"), f"v{k}")) for k in range(200)]
    found = read_one(made.text())
    assert len(found.analyses.edges) == 1 + 2 * 200


def test_contexts_of_two_choices_widen_the_forest_between_them() -> None:
    diagrams = Diagrams()
    first, middle, last = (diagrams.add_choice(2, ALWAYS) for _ in range(3))
    both = diagrams.both(diagrams.alternative(first, 1), diagrams.alternative(last, 1))
    narrow = pack(diagrams, [])
    wide = pack(diagrams, [("x", both)])
    assert (len(narrow.packed.edges), len(wide.packed.edges)) == (7, 1 + 2 + 4 + 4)
    assert narrow.readings == wide.readings == 8
    assert middle == 1


def test_a_reading_is_found_by_its_features() -> None:
    rng = np.random.default_rng(5)
    for _ in range(10):
        made = random_file(rng, 4)
        found = read_one(made.text())
        for chosen in made.readings():
            wanted = made.features(chosen)
            used = find_reading(found.analyses, wanted)
            bag: Counter = Counter()
            for number in used:
                bag.update(found.analyses.edges[number].features)
            assert bag == wanted
        assert find_reading(found.analyses, {"never": 1.0}) is None


def test_features_that_are_missing_or_too_many_make_another_reading() -> None:
    packed = Packed((PackedEdge("top", RULE, features={"x": 2.0}),), "top")
    assert find_reading(packed, {"x": 2.0}) == (0,)
    assert find_reading(packed, {"x": 1.0}) is None
    assert find_reading(packed, {"x": 3.0}) is None


def test_the_names_of_edges_are_the_alternatives_of_the_reading() -> None:
    rng = np.random.default_rng(11)
    for _ in range(10):
        made = random_file(rng, 4)
        found = read_one(made.text())
        names = [
            frozenset(found.analyses.edges[number].name for number in used) - {""}
            for _, used in bags(found)
        ]
        assert sorted(map(sorted, names)) == sorted(map(sorted, made.readings()))


def test_selections_that_no_reading_has_are_refused_even_if_each_is_possible() -> None:
    made = RandomFile(
        [(["A1", "A2"], 1), (["B1", "B2"], 1), (["C1", "C2"], 1)],
        selected=[("A1", "C1"), ("B1", "C2")],
    )
    assert not any(made.is_right(chosen) for chosen in made.readings())
    with pytest.raises(FormatError, match="no reading has all alternatives"):
        read_one(made.text())
