"""Scores of tokens are sums of their attributes' weights, compiled or not."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from weft.arrays import offsets_of
from weft.derivations.chain.rows import DirectSums, Rows, RowSums, RowTable
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
