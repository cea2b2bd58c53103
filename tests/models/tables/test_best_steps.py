"""The best sequences of sparse steps are those of every step tried, ties included.

All numbers are sums of few powers of two, so that steps are exact in whatever order they are added,
and many of them are equal.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from weft.arrays import FloatArray, IndexArray, offsets_of
from weft.kernels import StepMixtures

ITEMS, CLASSES = 5, 4


@dataclass(frozen=True)
class Steps:
    """Mixtures written out: see native/mixture.hpp for N, P, B and W."""

    weights: FloatArray
    defaults: IndexArray
    kinds: IndexArray
    classes: IndexArray  # [items, tags + 1], -1 where the default is taken
    own: FloatArray  # N, [items, tags + 1, tags + 1]
    shares: FloatArray  # P, [items, tags + 1]
    base: FloatArray  # B, [tags + 1, tags + 1]
    wide: FloatArray  # W, [2, tags + 1]
    final: FloatArray

    @property
    def size(self) -> int:
        return len(self.final)

    def written_out(self, item: int, *, begins: bool) -> FloatArray:
        """[tags + 1, tags + 1]: what each step weighs."""
        usual = self.defaults[self.kinds[item]]
        classes = np.where(self.classes[item] < 0, usual, self.classes[item])
        own, share, tag, wide = self.weights[classes].T[:, :, None]
        rest = share * self.shares[item] + wide * self.wide[int(begins)]
        return rest + tag * self.base + own * self.own[item]

    def kernel(self) -> StepMixtures:
        """The same for the kernel, without what is nothing."""
        owners, tags = np.nonzero(self.classes >= 0)
        base, shares, own = map(entries, (self.base, self.shares, self.own[owners, tags]))
        rows = offsets_of(np.bincount(owners, minlength=ITEMS))
        named = tags.astype(np.int32), self.classes[owners, tags]
        given = self.size - 1, self.weights, self.defaults, self.wide
        return StepMixtures(*given, *base, self.kinds, *shares, rows, *named, *own, self.final)


def entries(table: FloatArray) -> tuple[object, ...]:
    rows, columns = np.nonzero(table)
    offsets = offsets_of(np.bincount(rows, minlength=len(table)))
    return offsets, columns.astype(np.int32), table[rows, columns]


def powers(rng: np.random.Generator, lowest: int, *shape: int) -> FloatArray:
    return 2.0 ** rng.integers(lowest, 1, shape)


def some(rng: np.random.Generator, share: float, *shape: int) -> FloatArray:
    return powers(rng, -6, *shape) * (rng.random(shape) < share)


def steps_of(rng: np.random.Generator, tags: int, *, shares: bool, lowers: bool) -> Steps:
    """Random mixtures; ``lowers``: some entries of B take from what the back-off has."""
    size = tags + 1
    weights = powers(rng, -4, CLASSES, 4)
    wide = powers(rng, -8, 2, size)
    base = some(rng, 0.4, size, size)
    if lowers:
        weights[:, 2] = 1.0
        less = -weights[:, 3].min() / 2 * np.vstack([np.repeat(wide[:1], tags, axis=0), wide[1:]])
        base = np.where(rng.random((size, size)) < 0.4, less, base)
    has = rng.random((ITEMS, size)) < 0.3
    classes = np.where(has, rng.integers(0, CLASSES, has.shape), -1).astype(np.int32)
    return Steps(
        weights,
        rng.integers(0, CLASSES, (2, size)).astype(np.int32),
        rng.integers(0, 2, ITEMS).astype(np.int32),
        classes,
        some(rng, 0.3, ITEMS, size, size) * has[:, :, None],
        some(rng, 0.3 * shares, ITEMS, size),
        base,
        wide,
        powers(rng, -3, size),
    )


def try_all(steps: Steps, items: list[int], factors: FloatArray) -> tuple[float, list[int]]:
    """Every tag before every tag, of equals the lowest; ``factors``: [tokens, tags]."""
    tags, score, backs = steps.size - 1, 0.0, []
    arriving = np.append(np.zeros(tags), 1.0)
    for place, item in enumerate(items):
        ways = arriving[:, None] * steps.written_out(item, begins=not place)
        backs.append(ways.argmax(axis=0))
        out = ways.max(axis=0)[:tags] * factors[place]
        score += np.log(out.max())
        arriving = np.append(out / out.max(), 0.0)
    ends = arriving * steps.final
    found = [int(ends.argmax())]
    for back in reversed(backs[1:]):
        found.append(int(back[found[-1]]))
    return score + np.log(ends.max()), found[::-1]


def find_best(steps: Steps, items: list[int], factors: FloatArray) -> tuple[float, list[int]]:
    length, size = factors.shape[0], steps.size
    emission = np.column_stack([factors, np.zeros(length)])
    sets = [np.flatnonzero(row).astype(np.int32) for row in factors]
    scores, tags = np.empty(1), np.empty(length, np.int32)
    whole, numbers = np.array([0, length]), np.arange(length, dtype=np.int32)
    steps.kernel().best(
        whole,
        np.array(items, np.int32),
        np.array(items[-1:], np.int32),
        numbers,
        emission,
        None,
        offsets_of([len(each) for each in sets]),
        np.concatenate(sets),
        np.ones((length, size)),
        np.array([0, 1]),
        whole,
        numbers,
        scores,
        tags,
        1,
    )
    return float(scores[0]), tags.tolist()


@pytest.mark.parametrize("shares", [False, True], ids=["", "shares"])
@pytest.mark.parametrize("lowers", [False, True], ids=["", "lowers"])
@pytest.mark.parametrize("barred", [0.0, 0.5])
def test_the_best_of_ranked_steps_is_that_of_all(rng, shares, lowers, barred):
    for _ in range(150):
        tags = int(rng.integers(2, 12))
        steps = steps_of(rng, tags, shares=shares, lowers=lowers)
        items = rng.integers(0, ITEMS, rng.integers(1, 7)).tolist()
        factors = powers(rng, -12, len(items), tags)
        factors[rng.random(factors.shape) < barred] = 0.0
        factors[np.arange(len(items)), rng.integers(0, tags, len(items))] = 0.25
        expected, sequence = try_all(steps, items, factors)
        score, found = find_best(steps, items, factors)
        assert score == pytest.approx(expected, abs=1e-12)
        assert found == sequence


def test_such_steps_tie_and_fall_below_the_back_off(rng):
    """Else the test above would not try what it is for."""
    ties = lower = 0
    for _ in range(20):
        steps = steps_of(rng, 8, shares=True, lowers=True)
        table = steps.written_out(0, begins=False)[:8, :8]
        assert (table > 0).all()
        ties += int(((table == table.max(axis=0)).sum(axis=0) > 1).sum())
        lower += int((steps.base < 0).sum())
    assert ties > 10
    assert lower > 10
