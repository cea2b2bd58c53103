"""Paired tests against enumeration in exact arithmetic, and against SciPy."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from weft.errors import OptionError
from weft.evaluate import significance
from weft.evaluate.chunks import ChunkCounts
from weft.evaluate.significance import (
    PairedTest,
    accuracy,
    bootstrap,
    compare,
    compare_taggings,
    f1,
    mcnemar,
    randomisation,
)
from weft.evaluate.tagging import tagging_scores

Exact = Callable[[list[int]], Fraction]


def exact_accuracy(totals: list[int]) -> Fraction:
    return Fraction(totals[0], totals[1]) if totals[1] else Fraction(0)


def exact_f1(totals: list[int]) -> Fraction:
    return Fraction(2 * totals[0], sum(totals[1:])) if sum(totals[1:]) else Fraction(0)


# A token is right or wrong; of chunks, no more are correct than there are.
ACCURACY = st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3)).map(
    lambda t: ([min(t[0], t[2]), t[2]], [min(t[1], t[2]), t[2]])
)
CHUNKS = st.tuples(*[st.integers(0, 2)] * 5).map(
    lambda t: ([min(t[:3]), t[0], t[1]], [min(t[0], t[3], t[4]), t[0], t[3]])
)
KINDS = [(ACCURACY, accuracy, exact_accuracy), (CHUNKS, f1, exact_f1)]
each_kind = pytest.mark.parametrize(("pairs", "statistic", "exact"), KINDS, ids=["accuracy", "f1"])


class Listed:
    """Random numbers that are all possible ones, one after the other."""

    def __init__(self, base: int, places: int) -> None:
        self.rows = itertools.product(range(base), repeat=places)

    def integers(
        self, low: int, high: int, size: tuple[int, int], dtype: type = np.int64
    ) -> np.ndarray:
        assert low == 0
        rows = np.array(list(itertools.islice(self.rows, size[0])), dtype).reshape(size)
        assert rows.max(initial=0) < high
        return rows


def total(rows: list[list[int]]) -> list[int]:
    return [sum(column) for column in zip(*rows, strict=True)]


def swapped_differences(
    left: list[list[int]], right: list[list[int]], exact: Exact
) -> Iterator[Fraction]:
    for swaps in itertools.product([False, True], repeat=len(left)):
        pairs = [(b, a) if swap else (a, b) for a, b, swap in zip(left, right, swaps, strict=True)]
        yield exact(total([b for _, b in pairs])) - exact(total([a for a, _ in pairs]))


def drawn_differences(
    left: list[list[int]], right: list[list[int]], exact: Exact
) -> Iterator[Fraction]:
    for drawn in itertools.product(range(len(left)), repeat=len(left)):
        yield exact(total([right[k] for k in drawn])) - exact(total([left[k] for k in drawn]))


@each_kind
@given(data=st.data())
def test_randomisation_counts_as_enumeration_does(pairs, statistic, exact, data) -> None:
    left, right = map(list, zip(*data.draw(st.lists(pairs, min_size=1, max_size=6)), strict=True))
    observed = abs(exact(total(right)) - exact(total(left)))
    everything = [abs(each) >= observed for each in swapped_differences(left, right, exact)]
    rounds = len(everything)
    found = randomisation(
        np.array(left), np.array(right), statistic, Listed(2, len(left)), rounds=rounds
    )
    assert found == (1 + sum(everything)) / (1 + rounds)


@each_kind
@given(data=st.data())
def test_bootstrap_counts_as_enumeration_does(pairs, statistic, exact, data) -> None:
    left, right = map(list, zip(*data.draw(st.lists(pairs, min_size=1, max_size=4)), strict=True))
    check_bootstrap(left, right, statistic, exact)


def test_equal_differences_that_rounding_parts() -> None:
    # A draw gives -4/7, and the whole -2/7: rounded, their difference falls short of 2/7.
    left, right = [[2, 3], [2, 3], [1, 1]], [[0, 3], [2, 3], [1, 1]]
    check_bootstrap(left, right, accuracy, exact_accuracy)


def check_bootstrap(left, right, statistic, exact) -> None:
    observed = exact(total(right)) - exact(total(left))
    differences = list(drawn_differences(left, right, exact))
    rounds = len(differences)
    low, high, p_value = bootstrap(
        np.array(left),
        np.array(right),
        statistic,
        Listed(len(left), len(left)),
        rounds=rounds,
        level=0.8,
    )
    as_far = sum(abs(each - observed) >= abs(observed) for each in differences)
    assert p_value == (1 + as_far) / (1 + rounds)
    expected = np.quantile([float(each) for each in differences], [0.1, 0.9])
    np.testing.assert_allclose([low, high], expected, atol=1e-12)


@each_kind
def test_random_samples_are_near_enumeration(pairs, statistic, exact, rng) -> None:
    del pairs
    width = 2 if statistic is accuracy else 3
    for _ in range(5):
        left = np.sort(rng.integers(0, 9, (8, width)), axis=1)
        right = np.sort(rng.integers(0, 9, (8, width)), axis=1)
        rounds = 20_000
        found = compare(left, right, statistic, rounds=rounds)
        observed = exact(total(right.tolist())) - exact(total(left.tolist()))
        swapped = list(swapped_differences(left.tolist(), right.tolist(), exact))
        share = sum(abs(each) >= abs(observed) for each in swapped) / len(swapped)
        error = 5 * math.sqrt(0.25 / rounds) + 1 / rounds
        assert found.p_value == pytest.approx(share, abs=error)
        assert found.difference == pytest.approx(float(observed))
        assert found.low <= found.difference <= found.high


def test_randomisation_is_scipys_permutation_test(rng) -> None:
    sizes = rng.integers(5, 20, 10)
    left, right = (rng.binomial(sizes, rate) for rate in (0.7, 0.85))
    expected = stats.permutation_test(
        (left, right),
        lambda a, b: b.sum() - a.sum(),
        permutation_type="samples",
        vectorized=False,
        n_resamples=math.inf,
    )
    found = compare(
        np.stack([left, sizes], axis=1), np.stack([right, sizes], axis=1), rounds=40_000
    )
    assert found.p_value == pytest.approx(expected.pvalue, abs=0.01)


class TestMcNemar:
    @pytest.mark.parametrize("trials", [*range(1, 25), 301])
    def test_exact_fractions(self, trials: int) -> None:
        for wins in range(trials + 1):
            tail = sum(math.comb(trials, k) for k in range(min(wins, trials - wins) + 1))
            expected = min(Fraction(1), Fraction(2 * tail, 2**trials))
            marks = np.arange(trials) < wins
            found = mcnemar(marks, ~marks)
            assert (found.only_first, found.only_second) == (wins, trials - wins)
            assert found.p_value == pytest.approx(float(expected), rel=1e-13)

    @pytest.mark.parametrize(("wins", "trials"), [(4_800, 10_000), (19, 2_000), (7_000, 20_000)])
    def test_scipy(self, wins: int, trials: int) -> None:
        marks = np.arange(trials) < wins
        expected = stats.binomtest(wins, trials).pvalue
        assert mcnemar(marks, ~marks).p_value == pytest.approx(expected, rel=1e-9)

    def test_agreement_counts_for_nothing(self) -> None:
        first, second = [1, 1, 0, 0, 1], [1, 0, 1, 0, 1]
        assert mcnemar(first, second).p_value == 1.0
        assert mcnemar(first * 3, second * 3).p_value == 1.0
        assert mcnemar([], []).p_value == 1.0
        assert mcnemar([1, 1, 1], [1, 1, 1]).only_first == 0

    def test_lengths(self) -> None:
        with pytest.raises(ValueError, match="equally long"):
            mcnemar([1, 0], [1])


class TestCompare:
    left = np.array([[9, 10], [8, 10], [10, 10], [7, 10], [3, 5]])
    right = np.array([[10, 10], [8, 10], [9, 10], [9, 10], [4, 5]])

    def test_a_seed_gives_the_same_figures(self) -> None:
        once = compare(self.left, self.right, seed=3, rounds=500)
        assert once == compare(self.left, self.right, seed=3, rounds=500)
        assert once != compare(self.left, self.right, seed=4, rounds=500)

    def test_batches_hold_all_rounds(self, monkeypatch: pytest.MonkeyPatch) -> None:
        drawn = []

        def statistic(totals: np.ndarray) -> np.ndarray:
            drawn.append(totals.shape[:-1])
            return accuracy(totals)

        monkeypatch.setattr(significance, "_BATCH", 60)
        compare(self.left, self.right, statistic, rounds=100)
        assert sum(shape[0] for shape in drawn if shape) == 400
        assert max(shape[0] for shape in drawn if shape) == 12

    def test_the_same_system_twice(self) -> None:
        same = compare(self.left, self.left)
        assert (same.difference, same.low, same.high) == (0, 0, 0)
        assert same.p_value == same.bootstrap_p_value == 1

    def test_order_of_the_two(self) -> None:
        there, back = compare(self.left, self.right), compare(self.right, self.left)
        assert there.p_value == back.p_value
        assert (there.low, there.high) == pytest.approx((-back.high, -back.low))

    def test_a_large_difference_is_significant(self) -> None:
        wrong = np.array([[5, 10]] * 40)
        found = compare(wrong, wrong + np.array([3, 0]))
        assert found.p_value == found.bootstrap_p_value == 1 / 10_001
        assert (found.low, found.high) == pytest.approx((0.3, 0.3))

    @pytest.mark.parametrize("bad", [[1, 2], [[0.5, 1.0]], np.empty((0, 2), int), [[1, 1], [2, 2]]])
    def test_what_are_no_counts(self, bad: object) -> None:
        with pytest.raises(ValueError, match=r"whole numbers|different shapes"):
            compare(np.array(bad), self.left)

    @pytest.mark.parametrize("options", [{"rounds": 0}, {"level": 1.0}, {"level": 0.0}])
    def test_impossible_options(self, options: dict[str, float]) -> None:
        with pytest.raises(OptionError, match=r"rounds|level"):
            compare(self.left, self.right, **options)


class TestTaggings:
    gold = (("A", "B", None, frozenset("AB")), (None,), ("A",))
    first = (("A", "A", "A", "B"), ("A",), ("B",))
    second = (("A", "B", "B", "C"), ("A",), ("A",))

    def test_counts_are_those_of_tagging_scores(self) -> None:
        comparison, tokens = compare_taggings(self.gold, self.first, self.second, rounds=10)
        for found, tags in ((comparison.first, self.first), (comparison.second, self.second)):
            assert found == tagging_scores(self.gold, tags, tags, {}).accuracy
        assert (tokens.only_first, tokens.only_second) == (1, 2)
        counts = [[2, 3], [0, 0], [0, 1]], [[2, 3], [0, 0], [1, 1]]
        assert comparison == compare(*counts, rounds=10)

    def test_lengths(self) -> None:
        with pytest.raises(ValueError, match="3 gold sentences but 2 predicted"):
            compare_taggings(self.gold, self.first[:2], self.second)
        with pytest.raises(ValueError, match="sentence 3 has 1 gold labels but 2 predicted"):
            compare_taggings(self.gold, self.first, (*self.second[:2], ("A", "A")))


@given(counts=st.tuples(*[st.integers(0, 9)] * 3))
def test_f1_is_that_of_chunks(counts: tuple[int, int, int]) -> None:
    gold, predicted = counts[0] + counts[1], counts[0] + counts[2]
    expected = ChunkCounts(gold, predicted, counts[0]).f1
    assert f1(np.array([counts[0], gold, predicted])) == expected


def test_verdicts_and_json():
    """The limit itself is not below 0.05; what is not finite is null."""
    test = PairedTest(0.5, 0.75, 0.0, 0.5, 0.95, 0.05, 0.05, 999)
    assert test.verdict == "not significant"
    assert replace(test, p_value=0.049).verdict == "better"
    assert replace(test, p_value=0.049, second=0.25).verdict == "worse"
    assert replace(test, level=0.9, p_value=0.1).verdict == "not significant"
    found = replace(test, high=math.inf).as_json()
    assert (found["difference"], found["high"], found["rounds"]) == (0.25, None, 999)
    assert found["verdict"] == "not significant"
