"""Sums by length and growth rates: against listed trees, counting numbers and known answers."""

import math

import numpy as np
import pytest
from hypothesis import given

from random_grammars import small_grammars, weighted
from strategies import quick
from weft.errors import DivergenceError, EvidenceError, LimitError
from weft.grammars.sums.growth import growth, require_finite_lengths, scale_weights
from weft.grammars.sums.lengths import endless_cycle, length_sums
from weft.grammars.sums.partition import partition, terminal_counts
from weft.structures.grammar import Grammar, reweight


def sums_by_length(rules: Grammar, longest: int, rounds: int = 3000) -> np.ndarray:
    """Z_n by repeating the equations on power series that are cut off."""
    sums = np.zeros((len(rules.nonterminals), longest + 1))
    words = terminal_counts(rules).astype(int)
    for _ in range(rounds):
        new = np.zeros_like(sums)
        for number in range(rules.rule_count):
            product = np.zeros(longest + 1)
            if words[number] <= longest:
                product[words[number]] = math.exp(rules.weights[number])
            for symbol in rules.body(number).tolist():
                if symbol >= 0:
                    product = np.convolve(product, sums[symbol])[: longest + 1]
            new[rules.heads[number]] += product
        new[new > 1e30] = 1e30
        if np.allclose(new, sums, rtol=1e-14, atol=0):
            break
        sums = new
    return sums[rules.start]


@quick
@given(small_grammars(most_symbols=3))
def test_sums_are_those_of_power_series(rules: Grammar) -> None:
    found = length_sums(rules, 6)
    wanted = sums_by_length(rules, 6)
    for value, other in zip(found, wanted, strict=True):
        if value == math.inf:
            assert other > 100
        elif other < 1e20:
            assert math.exp(value) == pytest.approx(other, rel=1e-6)


@quick
@given(small_grammars(heaviest=-32))
def test_lengths_add_up_to_everything(rules: Grammar) -> None:
    total = partition(rules).log_value
    sums = np.exp(length_sums(rules, 60))
    if np.isfinite(total):
        assert sums.sum() <= math.exp(total) * (1 + 1e-9)
        if sums[-1] < 1e-12 * sums.sum() and sums[-2] < 1e-12 * sums.sum():
            assert sums.sum() == pytest.approx(math.exp(total), rel=1e-6)


def test_catalan_numbers() -> None:
    found = np.exp(length_sums(weighted([("A", "A A", 1.0), ("A", "a", 1.0)]), 20))
    assert found[1:] == pytest.approx([math.comb(2 * n, n) / (n + 1) for n in range(20)])


def test_infinite_lengths_are_named() -> None:
    unary = weighted([("A", "A A", 1.0), ("A", "B", 1.0), ("B", "A", 1.0), ("A", "a", 1.0)])
    assert set(endless_cycle(unary)) == {"A", "B"}
    assert length_sums(unary, 2).tolist() == [-math.inf, math.inf, math.inf]
    with pytest.raises(DivergenceError, match=r"cycle (A -> B -> A|B -> A -> B) can be gone round"):
        require_finite_lengths(unary)
    # ε may be infinite, too, and a cycle may need an empty neighbour.
    empty = weighted([("S", "a", 1.0), ("S", "E", 1.0), ("E", "E E", 0.6), ("E", "", 0.6)])
    assert endless_cycle(empty) == ("E",)
    assert length_sums(empty, 1).tolist() == [math.inf, 0.0]
    beside = weighted([("S", "E S", 0.5), ("S", "a", 1.0), ("E", "", 1.0), ("E", "b", 1.0)])
    assert endless_cycle(beside) == ()
    heavier = weighted([("S", "E S", 0.5), ("S", "a", 1.0), ("E", "", 2.0), ("E", "b", 1.0)])
    assert endless_cycle(heavier) == ("S",)


def test_an_empty_critical_recursion_is_no_infinite_length() -> None:
    rules = weighted([("S", "E a", 1.0), ("E", "E E", 0.5), ("E", "", 0.5)])
    assert endless_cycle(rules) == ()


def test_limits() -> None:
    rules = weighted([("A", "A A", 1.0), ("A", "a", 1.0)])
    with pytest.raises(LimitError, match="ask for shorter"):
        length_sums(rules, 10**9)
    with pytest.raises(ValueError, match="0 or more"):
        length_sums(rules, -1)
    with pytest.raises(EvidenceError, match="no tree at all"):
        growth(weighted([("A", "A A", 1.0)]))


@pytest.mark.parametrize(
    ("rules", "rate", "attained"),
    [
        ([("A", "A A", 1.0), ("A", "a", 1.0)], 4.0, True),  # Catalan numbers
        ([("S", "a S", 0.5), ("S", "b S", 0.7), ("S", "", 3.0)], 1.2, False),  # a chain
        ([("S", "a S b", 1.0), ("S", "c", 1.0)], 1.0, False),
        ([("S", "a", 5.0), ("S", "b c", 1.0)], 0.0, True),  # a longest string
        ([("S", "A b", 5.0), ("A", "A", 0.5), ("A", "a", 1.0)], 0.0, True),  # and a cycle in it
        ([("S", "S S", 1.0), ("S", "S", 1.0), ("S", "a", 1.0)], math.inf, False),  # example 2
        ([("S", "a S", 1e200), ("S", "", 1.0)], 1e200, False),
        # F = ½ F² + ½ F + t: branch point at t = 1/8.
        ([("S", "S S", 0.5), ("S", "S", 0.5), ("S", "a", 1.0)], 8.0, True),
        # Motzkin numbers: M = 1 + t M + t² M².
        ([("M", "", 1.0), ("M", "a M", 1.0), ("M", "a M b M", 1.0)], 3.0, True),
    ],
)
def test_growth_rates(rules: list[tuple[str, str, float]], rate: float, attained: bool) -> None:
    found = growth(weighted(rules))
    assert math.exp(found.log_rate) == pytest.approx(rate, rel=1e-10)
    assert found.attained == attained
    if rate == 0:
        assert found.log_rate == -math.inf
    if 0 < rate < math.inf:
        assert abs(found.log_rate - math.log(rate)) <= found.error


def test_growth_is_the_limit_of_the_sums() -> None:
    rules = weighted(
        [("S", "S A", 0.7), ("S", "a", 1.0), ("A", "A S b", 0.3), ("A", "b", 0.5), ("A", "A", 0.1)]
    )
    sums = length_sums(rules, 400)
    ratio = sums[400] - sums[399]
    # Branch points have Z_n ~ ρⁿ n^(-3/2).
    assert ratio - 1.5 * math.log(399 / 400) == pytest.approx(growth(rules).log_rate, abs=1e-4)


def test_scaling_divides_by_length() -> None:
    rules = weighted([("S", "S S", 0.7), ("S", "a b", 1.0), ("S", "", 0.1)])
    before, after = length_sums(rules, 8), length_sums(scale_weights(rules, 0.3), 8)
    np.testing.assert_allclose(after[::2], before[::2] - 0.3 * np.arange(0, 9, 2))
    assert length_sums(reweight(rules, rules.weights), 8).tolist() == before.tolist()
