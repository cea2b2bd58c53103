"""Tightness by the radius is what the partition function says."""

import math

import numpy as np
import pytest
from hypothesis import given

from random_grammars import small_grammars, weighted
from strategies import quick
from weft.grammars.sums.partition import partition
from weft.grammars.sums.tightness import tightness
from weft.structures.grammar import Grammar, Rule, grammar, reweight


@quick
@given(small_grammars())
def test_tight_grammars_have_a_sum_of_one(rules: Grammar) -> None:
    totals = np.bincount(rules.heads, np.exp(rules.weights), len(rules.nonterminals))
    with np.errstate(divide="ignore", invalid="ignore"):
        weights = rules.weights - np.log(totals[rules.heads])
    proper = reweight(rules, np.where(np.isnan(weights), -np.inf, weights))
    found = tightness(proper)
    total = partition(proper)
    if found.proper and found.certain:
        assert found.tight == (abs(total.log_value) <= max(total.error, 1e-9))


def test_known_answers() -> None:
    assert tightness(weighted([("S", "S S", 0.5), ("S", "a", 0.5)])).tight
    assert not tightness(weighted([("S", "S S", 0.5), ("S", "a", 0.5)])).certain
    assert tightness(weighted([("S", "S S", 0.6), ("S", "a", 0.4)])).tight is False
    # Lost to a symbol that never ends, without any radius.
    lost = tightness(weighted([("S", "B", 0.5), ("S", "a", 0.5), ("B", "B", 1.0)]))
    assert (lost.proper, lost.tight, lost.certain) == (True, False, True)
    # What is not reached is not asked for.
    assert tightness(weighted([("S", "a", 1.0), ("B", "B B", 3.0)])).tight
    found = tightness(weighted([("S", "a A", 1.0), ("A", "a", 0.5), ("A", "b", 0.75)]))
    assert (found.proper, found.tight) == (False, None)
    assert found.improper == ("A", pytest.approx(1.25))
    assert math.isnan(found.radius)


def test_large_components() -> None:
    ring = [Rule(f"X{n}", (f"X{(n + 1) % 600}",) * 2, math.log(0.4)) for n in range(600)]
    ring += [Rule(f"X{n}", (), math.log(0.6)) for n in range(600)]
    assert tightness(grammar(ring)).radius == pytest.approx(0.8)
