"""Orders that do not hang on the last bits of numbers."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from weft.ranking import TIE, by_value, first_largest, ranked, reaching, runs_of, shared_ranks

NOISE = 1e-12
NUMBERS = st.one_of(
    st.sampled_from([0.0, 1.0, -1.0, 0.1 + 0.2, 0.3, 1e10, -np.inf, np.inf]),
    st.floats(-1e6, 1e6, allow_nan=False),
)


@st.composite
def several(draw: st.DrawFn) -> tuple[list[float], list[float], list[str]]:
    """Numbers with many ties, the same with other last digits, and names."""
    few = draw(st.lists(NUMBERS, min_size=1, max_size=4))
    values = draw(st.lists(st.sampled_from(few), min_size=1, max_size=9))
    noise = st.floats(-NOISE, NOISE)
    one, two = ([v * (1 + draw(noise)) for v in values] for _ in range(2))
    names = [draw(st.sampled_from("abc")) for _ in values]
    return one, two, names


def _clear(values, least):
    """No two neighbours are so near to the bound of agreement that noise moves them across."""
    ordered = -np.sort(-np.array(values))
    both = np.isfinite(ordered[:-1]) & np.isfinite(ordered[1:])
    before, after = ordered[:-1][both], ordered[1:][both]
    bound = TIE * np.maximum(np.maximum(abs(before), abs(after)), least)
    return bool((abs(before - after - bound) >= 0.1 * bound).all())


@given(several(), st.sampled_from([0.0, 1.0]))
def test_last_digits_change_no_order(numbers, least):
    one, two, names = numbers
    assume(_clear(one, least) and _clear(two, least))
    pairs = [list(zip(names, range(len(names)), each, strict=True)) for each in (one, two)]
    orders = [by_value(each, lambda p: p[2], lambda p: p[0], least=least) for each in pairs]
    assert [each[:2] for each in orders[0]] == [each[:2] for each in orders[1]]
    assert ranked(one, least=least).tolist() == ranked(two, least=least).tolist()
    assert shared_ranks(one, least=least) == shared_ranks(two, least=least)
    finite = [np.nan_to_num(each, posinf=1e300, neginf=-1e300) for each in (one, two)]
    assert int(first_largest(finite[0])) == int(first_largest(finite[1]))


@given(several())
def test_an_order_is_that_of_the_numbers_but_within_runs(numbers):
    values, _, names = numbers
    order = ranked(values, lambda places: [names[place] for place in places.tolist()]).tolist()
    assert sorted(order) == list(range(len(values)))
    runs = runs_of(-np.sort(-np.array(values)))
    sorted_runs = dict(zip(sorted(values, reverse=True), runs.tolist(), strict=True))
    keys = [(sorted_runs[values[place]], names[place], place) for place in order]
    assert keys == sorted(keys)
    assert ranked(values, count=2).tolist() == ranked(values).tolist()[:2]


def test_runs_go_as_far_as_neighbours_agree():
    """Agreement is not transitive: three in a row are one run, though the ends are apart."""
    step = 0.9 * TIE
    row = np.array([1.0, 1.0 - step, 1.0 - 2 * step, 0.5])
    assert runs_of(row).tolist() == [0, 0, 0, 1]
    assert by_value(row.tolist()[::-1], float, lambda value: value)[:3] == row[2::-1].tolist()
    assert first_largest(row) == 0
    assert first_largest(row[::-1]) == 2  # the first that agrees with the largest


def test_small_numbers_differ_unless_they_are_logarithms():
    assert ranked([1e-12, 3e-12]).tolist() == [1, 0]
    assert ranked([1e-12, 3e-12], least=1.0).tolist() == [0, 1]
    assert ranked([-np.inf, np.nan, np.inf, -np.inf]).tolist() == [2, 0, 3, 1]
    assert ranked([]).tolist() == shared_ranks([]) == []
    assert by_value([], float) == []


def test_names_are_only_asked_for_where_they_decide():
    asked = []

    def names(places):
        asked.append(places.tolist())
        return ["b", "a"]

    assert ranked([3.0, 2.0, 2.0, 1.0, 1.0], names, 2).tolist() == [0, 2]
    assert asked == [[1, 2]]


def test_what_reaches_a_bound_is_as_large_but_for_last_digits():
    rows = np.array([[0.3, 0.1 + 0.2, 0.1], [0.1 + 0.2, 0.3, 0.1], [0.2, 0.2 - 1e-16, 0.1]])
    bounds = (0.1 + 0.2, 0.3, 0.5)
    assert all(reaching(rows, least).sum(axis=1).tolist() == [2, 2, 2] for least in bounds)
    assert reaching(rows[0], 0.1).all()
