"""Scores of tokens are sums of their attributes' weights, compiled or not."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from weft.arrays import offsets_of
from weft.derivations.chain.rows import DirectSums, RowExpectations, Rows, RowSums, RowTable
from weft.structures.occurrences import Occurrences

START = 5


def random_table(rng, attributes: int, width: int) -> RowTable:
    """Rows of all lengths, none included."""
    rows = [np.flatnonzero(rng.random(width) < rng.random()) for _ in range(attributes)]
    columns = np.concatenate(rows).astype(np.int32)
    return RowTable(offsets_of(map(len, rows)), columns, START, width)


def random_occurrences(rng, tokens: int, attributes: int, valued: bool) -> Occurrences:
    offsets = offsets_of(rng.integers(0, 12, tokens))
    numbers = rng.integers(0, attributes, offsets[-1]).astype(np.int32)
    return Occurrences(offsets, numbers, rng.normal(size=offsets[-1]) if valued else None)


def plain_scores(table: RowTable, occurrences: Occurrences, theta: np.ndarray) -> np.ndarray:
    scores = np.zeros((len(occurrences.offsets) - 1, table.width))
    for place, token in enumerate(occurrences.tokens):
        value = 1.0 if occurrences.values is None else occurrences.values[place]
        attribute = occurrences.attributes[place]
        for weight in range(*table.offsets[attribute : attribute + 2]):
            scores[token, table.columns[weight]] += value * theta[table.start + weight]
    return scores


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("valued", [False, True])
@pytest.mark.parametrize("width", [8, 24, 64])
def test_scores_equal_the_plain_sums(rng, width, valued, threads):
    table = random_table(rng, 40, width)
    occurrences = random_occurrences(rng, 300, 40, valued)
    theta = rng.normal(size=START + len(table) + 3)
    bounds = np.array([0, 0, 130, 299, 300])
    expected = plain_scores(table, occurrences, theta)
    compiled = RowSums(Rows(table, occurrences, bounds, threads), theta)
    direct = DirectSums(table, occurrences, bounds, theta, threads)
    for number, (first, last) in enumerate(pairwise(bounds)):
        for sums in (compiled, direct):
            scores = sums.scores(number)
            np.testing.assert_allclose(scores, expected[first:last], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("valued", [False, True])
@pytest.mark.parametrize("width", [8, 24, 64, 200])
def test_expectations_equal_the_plain_sums(rng, width, valued, threads):
    """What is expected of a weight is the slope of the scores, times the marginals."""
    table = random_table(rng, 40, width)
    occurrences = random_occurrences(rng, 300, 40, valued)
    bounds = np.array([0, 0, 130, 299, 300])
    rows = Rows(table, occurrences, bounds, threads)
    gradient = rng.normal(size=START + len(table) + 3)
    marginals = rng.random((300, width))
    theta = rng.normal(size=len(gradient))
    expected = theta @ gradient + (plain_scores(table, occurrences, theta) * marginals).sum()
    expectations = RowExpectations(rows, gradient)
    for number, (first, last) in enumerate(pairwise(bounds)):
        expectations.marginals(number)[:] = marginals[first:last]
        expectations.collect(number)
    expectations.finish()
    assert theta @ gradient == pytest.approx(expected, rel=1e-11)


def test_rows_are_wide_narrow_or_entries(rng):
    """All three kinds are among what is tested here."""
    rows = Rows(
        random_table(rng, 40, 64), random_occurrences(rng, 300, 40, False), np.array([0, 300]), 1
    )
    [batch] = rows.batches
    assert all(len(each.items) for each in (batch.wide, batch.narrow, batch.entries))
