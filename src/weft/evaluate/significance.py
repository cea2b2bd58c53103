"""Whether one of two systems is better, or was lucky: paired tests on one test set.

What is compared is a statistic of sums of counts over sentences: with c the counts of a
sentence, accuracy is Σ right / Σ tokens and F1 is 2 Σ correct / (Σ gold + Σ predicted). Let δ be
the second system's statistic minus the first's.

- *Exact McNemar*, over tokens: of the n tokens that exactly one of the two tags right, the number
  that is the first's is binomial(n, ½) if the systems are equally good. Tokens of one sentence
  are not independent, so that it sees too much significance where mistakes come together.
- *Approximate randomisation*, over sentences: if the systems are equally good, swapping their
  answers to any of the sentences gives a δ* as likely as δ. The p-value is the share of
  |δ*| ≥ |δ| among random swaps and δ itself.
- *Bootstrap*, over sentences: sentences drawn with replacement give δ*, whose quantiles bound
  δ; its p-value is the share of |δ* − δ| ≥ |δ|, again with δ itself.

All p-values are two-sided.

References: Q. McNemar (1947), Psychometrika 12; E. Noreen (1989), Computer-intensive methods for
testing hypotheses, chapter 2; B. Efron and R. Tibshirani (1993), An introduction to the
bootstrap, chapters 13 and 16.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from weft.arrays import BoolArray, FloatArray, IntArray
from weft.errors import OptionError
from weft.evaluate.tagging import is_right
from weft.structures.evidence import Label

Statistic = Callable[[IntArray], FloatArray]
"""From sums of counts, [..., counts], to a number for each of them, [...]."""

ROUNDS = 10_000
"""How many random samples are drawn, if nothing is said."""

_BATCH = 1 << 20
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class McNemar:
    """The exact test of McNemar.

    Attributes:
        only_first: The tokens that the first system alone has right.
        only_second: Those that the second alone has right.
        p_value: How probable so unequal a division, or one less equal, is by chance.
    """

    only_first: int
    only_second: int
    p_value: float


@dataclass(frozen=True, slots=True)
class PairedTest:
    """Two systems on the sentences of one test set.

    Attributes:
        first: The first system's statistic.
        second: The second's.
        low: The lower end of the bootstrap's confidence interval of the difference.
        high: Its upper end.
        level: How often such an interval holds the true difference, such as 0.95.
        p_value: By approximate randomisation.
        bootstrap_p_value: By the bootstrap.
        rounds: The number of samples that each of the two drew.
    """

    first: float
    second: float
    low: float
    high: float
    level: float
    p_value: float
    bootstrap_p_value: float
    rounds: int

    @property
    def difference(self) -> float:
        """The second minus the first."""
        return self.second - self.first

    @property
    def verdict(self) -> str:
        """What the difference says of the second: better, worse, or nothing that is sure."""
        if self.p_value >= round(1 - self.level, 12):  # 1 - 0.95 is more than 0.05
            return "not significant"
        return "better" if self.difference > 0 else "worse"

    def as_json(self) -> dict[str, Any]:
        """Return every figure and the verdict, ready for JSON; null where one is not finite."""
        figures = {"difference": self.difference, **asdict(self)}
        shown = {key: each if math.isfinite(each) else None for key, each in figures.items()}
        return {**shown, "verdict": self.verdict}


def accuracy(totals: IntArray) -> FloatArray:
    """Return right / tokens for each of the [..., (right, tokens)], 0 where there are no tokens.

    >>> accuracy(np.array([[3, 4], [0, 0]]))
    array([0.75, 0.  ])
    """
    return _ratio(totals[..., 0], totals[..., 1])


def f1(totals: IntArray) -> FloatArray:
    """Return F1 for each of the [..., (correct, gold, predicted)], 0 where there are none.

    >>> f1(np.array([[1, 4, 2]]))
    array([0.33333333])
    """
    return _ratio(2 * totals[..., 0], totals[..., 1] + totals[..., 2])


def mcnemar(first: npt.ArrayLike, second: npt.ArrayLike) -> McNemar:
    """Test whether two systems are right equally often.

    Args:
        first: For each token whether the first system has it right, [tokens].
        second: Likewise of the second.

    Raises:
        ValueError: If the two have different lengths.

    >>> mcnemar([True, True, True, True, False], [False, False, False, True, True]).p_value
    0.625
    """
    left, right = np.asarray(first, bool), np.asarray(second, bool)
    if left.ndim != 1 or left.shape != right.shape:
        raise ValueError(f"expected two equally long lists, not {left.shape} and {right.shape}")
    only_first, only_second = int((left & ~right).sum()), int((right & ~left).sum())
    tail = _lower_tail(min(only_first, only_second), only_first + only_second)
    return McNemar(only_first, only_second, min(1.0, 2 * tail))


def compare(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    statistic: Statistic = accuracy,
    *,
    rounds: int = ROUNDS,
    level: float = 0.95,
    seed: int = 0,
) -> PairedTest:
    """Compare two systems over sentences, by approximate randomisation and the bootstrap.

    Args:
        first: The counts of the first system, [sentences, counts], whole numbers.
        second: Those of the second.
        statistic: From sums of counts to what is compared.
        rounds: How many samples to draw for either.
        level: Of the confidence interval.
        seed: Of the random numbers; the same seed gives the same figures.

    Raises:
        ValueError: If the counts are no tables of whole numbers of the same shape.
        OptionError: If ``rounds`` or ``level`` makes no sense.

    >>> counts = np.array([[9, 10], [8, 10], [10, 10], [7, 10]])
    >>> better = compare(counts, counts + [[1, 0], [0, 0], [0, 0], [2, 0]])
    >>> f"{better.difference:.3f}, between {better.low:.3f} and {better.high:.3f}"
    '0.075, between 0.000 and 0.150'
    """
    if rounds < 1:
        raise OptionError(f"rounds must be at least 1, not {rounds}")
    if not 0 < level < 1:
        raise OptionError(f"the level must be between 0 and 1, such as 0.95, not {level}")
    left, right = _counts(first), _counts(second)
    if left.shape != right.shape:
        raise ValueError(f"the counts have different shapes, {left.shape} and {right.shape}")
    swaps, draws = np.random.default_rng(seed).spawn(2)
    low, high, bootstrapped = bootstrap(left, right, statistic, draws, rounds=rounds, level=level)
    return PairedTest(
        first=float(statistic(left.sum(axis=0))),
        second=float(statistic(right.sum(axis=0))),
        low=low,
        high=high,
        level=level,
        p_value=randomisation(left, right, statistic, swaps, rounds=rounds),
        bootstrap_p_value=bootstrapped,
        rounds=rounds,
    )


def compare_taggings(
    gold: Sequence[Sequence[Label]],
    first: Sequence[Sequence[str]],
    second: Sequence[Sequence[str]],
    *,
    rounds: int = ROUNDS,
    level: float = 0.95,
    seed: int = 0,
) -> tuple[PairedTest, McNemar]:
    """Compare the accuracies of two taggings, over sentences and over tokens.

    Args:
        gold: A label per token per sentence; tokens without a label do not count.
        first: The first system's tags of the same sentences.
        second: The second's.
        rounds: See :func:`compare`; likewise ``level`` and ``seed``.
        level: See there.
        seed: See there.

    Raises:
        ValueError: If the three have different lengths.

    >>> gold, first = [["DT", "NN"], ["VB"]], [["DT", "VB"], ["NN"]]
    >>> comparison, tokens = compare_taggings(gold, first, gold, rounds=99)
    >>> comparison.second, tokens.only_second, tokens.p_value
    (1.0, 2, 0.5)
    """
    left, right = _marks(gold, first), _marks(gold, second)
    comparison = compare(
        _mark_counts(left), _mark_counts(right), rounds=rounds, level=level, seed=seed
    )
    return comparison, mcnemar(np.concatenate(left), np.concatenate(right))


def randomisation(
    first: IntArray,
    second: IntArray,
    statistic: Statistic,
    rng: np.random.Generator,
    *,
    rounds: int = ROUNDS,
) -> float:
    """Return the p-value of approximate randomisation; see :func:`compare` for the arguments.

    >>> ten = np.array([[0, 1]] * 10)
    >>> randomisation(ten, ten + [1, 0], accuracy, np.random.default_rng(0)) < 0.01
    True
    """
    totals, other_totals = first.sum(axis=0), second.sum(axis=0)
    gains = second - first
    at_least = 1
    for size in _batches(rounds, len(first)):
        swapped = rng.integers(0, 2, (size, len(first)), np.int64) @ gains
        differences = statistic(other_totals - swapped) - statistic(totals + swapped)
        at_least += _as_far(differences, statistic(totals), statistic(other_totals))
    return at_least / (rounds + 1)


def bootstrap(
    first: IntArray,
    second: IntArray,
    statistic: Statistic,
    rng: np.random.Generator,
    *,
    rounds: int = ROUNDS,
    level: float = 0.95,
) -> tuple[float, float, float]:
    """Return the ends of the confidence interval and the p-value of the bootstrap.

    See :func:`compare` for the arguments.

    >>> ten = np.array([[0, 1]] * 10)
    >>> low, high, _ = bootstrap(ten, ten + [1, 0], accuracy, np.random.default_rng(0))
    >>> low, high
    (1.0, 1.0)
    """
    both = np.hstack([first, second])
    width = first.shape[1]
    samples = []
    for size in _batches(rounds, len(both)):
        drawn = _times_drawn(rng, size, len(both)) @ both
        samples.append(statistic(drawn[:, width:]) - statistic(drawn[:, :width]))
    differences = np.concatenate(samples)
    low, high = np.quantile(differences, [(1 - level) / 2, (1 + level) / 2])
    left, right = statistic(first.sum(axis=0)), statistic(second.sum(axis=0))
    at_least = 1 + _as_far(differences - (right - left), left, right)
    return float(low), float(high), at_least / (rounds + 1)


def interval(
    counts: npt.ArrayLike,
    statistic: Statistic = accuracy,
    *,
    rounds: int = ROUNDS,
    level: float = 0.95,
    seed: int = 0,
) -> tuple[float, float]:
    """Return the confidence interval of one system's statistic, by the bootstrap over sentences.

    Args:
        counts: The counts of the system, [sentences, counts], whole numbers.
        statistic: From sums of counts to a number.
        rounds: How many samples to draw.
        level: Of the interval.
        seed: Of the random numbers; the same seed gives the same figures.

    Raises:
        ValueError: If the counts are no table of whole numbers.

    >>> low, high = interval([[9, 10], [8, 10], [10, 10], [7, 10]])
    >>> f"{low:.3f} to {high:.3f}"
    '0.750 to 0.950'
    """
    mine = _counts(counts)
    rng = np.random.default_rng(seed)
    nothing = np.zeros_like(mine)  # of which every statistic is 0
    low, high, _ = bootstrap(nothing, mine, statistic, rng, rounds=rounds, level=level)
    return low, high


def _times_drawn(rng: np.random.Generator, rounds: int, sentences: int) -> IntArray:
    """How often each sentence is drawn in each round, [rounds, sentences]."""
    drawn = rng.integers(0, sentences, (rounds, sentences))
    # All rounds are counted at once, each in a range of numbers of its own.
    drawn += sentences * np.arange(rounds)[:, np.newaxis]
    times = np.bincount(drawn.ravel(), minlength=rounds * sentences)
    return times.reshape(rounds, sentences)


def _as_far(differences: FloatArray, left: FloatArray, right: FloatArray) -> int:
    """Count the differences that are as far from zero as that of the two numbers, or farther."""
    # Equal differences of ratios may differ in their last bits.
    margin = _ROUNDING * max(1.0, abs(float(left)), abs(float(right)))
    return int((np.abs(differences) >= abs(float(right - left)) - margin).sum())


def _batches(rounds: int, width: int) -> Iterator[int]:
    """Divide rounds, so that what is drawn at a time takes a few megabytes at most."""
    most = max(1, _BATCH // max(1, width))
    for done in range(0, rounds, most):
        yield min(most, rounds - done)


def _lower_tail(successes: int, trials: int) -> float:
    """P(X ≤ successes) of a binomial(trials, ½), for at most half of the trials.

    From the largest term, C(n, k) / 2ⁿ, each term downwards is k / (n − k + 1) ≤ 1 of the last.
    """
    steps = np.arange(successes)
    ratios = (successes - steps) / (trials - successes + 1 + steps)
    # Division of whole numbers rounds once, however large they are.
    largest: float = math.comb(trials, successes) / 2**trials
    return largest * (1 + float(np.cumprod(ratios).sum()))


def _ratio(above: IntArray, below: IntArray) -> FloatArray:
    # Where nothing is counted, nothing is above the line either.
    return np.asarray(above / np.maximum(below, 1))


def _counts(given: npt.ArrayLike) -> IntArray:
    counts = np.asarray(given)
    if counts.ndim != 2 or not counts.size or not np.issubdtype(counts.dtype, np.integer):
        expected = "whole numbers, a row per sentence, at least one"
        raise ValueError(f"expected {expected}, not {counts.dtype} of shape {counts.shape}")
    return counts.astype(np.int64)


def _marks(gold: Sequence[Sequence[Label]], predicted: Sequence[Sequence[str]]) -> list[BoolArray]:
    """For each sentence whether its tokens are right, those that have a label."""
    if len(gold) != len(predicted):
        raise ValueError(f"{len(gold)} gold sentences but {len(predicted)} predicted ones")
    marks = []
    for number, (labels, tags) in enumerate(zip(gold, predicted, strict=True), 1):
        if len(labels) != len(tags):
            found = f"{len(labels)} gold labels but {len(tags)} predicted tags"
            raise ValueError(f"sentence {number} has {found}")
        pairs = zip(labels, tags, strict=True)
        marks.append(np.array([is_right(*pair) for pair in pairs if pair[0] is not None], bool))
    return marks


def _mark_counts(marks: Sequence[BoolArray]) -> IntArray:
    return np.array([(int(each.sum()), each.size) for each in marks], np.int64).reshape(-1, 2)
