"""How good choices among analyses are.

For each sentence with a right analysis: whether it is the best one, 1/ℓ where it is one of ℓ best
ones; its log-probability; and its place in the ranking. Figures are of *ambiguous* sentences, which
have more analyses than right ones: others are right by themselves.

Reference: Johnson, Geman, Canon, Chi and Riezler (1999), "Estimators for Stochastic
'Unification-Based' Grammars", section 5.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from weft.arrays import BoolArray, FloatArray, IntArray, offsets_of, ranges
from weft.structures.alternatives import Selected

TOP = (1, 2, 3, 5, 10)
"""The k of which is said how often a right analysis is among the k best ones."""


@dataclass(frozen=True, slots=True)
class SelectionScores:
    """How good choices are, over the ambiguous sentences of a corpus.

    Attributes:
        sentences: All sentences with a right analysis.
        ambiguous: Those that have others, too.
        correct: The number of right choices, ties counted as 1/ℓ.
        expected_correct: The sum of the probabilities of right analyses.
        neg_log_pl: Minus the sum of their logs.
        top: For some k, how many have a right analysis among the k best.
    """

    sentences: int
    ambiguous: int
    correct: float
    expected_correct: float
    neg_log_pl: float
    top: Mapping[int, float]

    @property
    def accuracy(self) -> float | None:
        """The share of right choices: C of the reference."""
        return self._share(self.correct)

    @property
    def expected_accuracy(self) -> float | None:
        """The share that is expected if analyses are drawn."""
        return self._share(self.expected_correct)

    def top_accuracy(self, k: int) -> float | None:
        """The share of sentences that have a right analysis among the k best."""
        return self._share(self.top[k])

    def _share(self, count: float) -> float | None:
        return count / self.ambiguous if self.ambiguous else None


@dataclass(frozen=True, slots=True, eq=False)
class Judgements:
    """What is known of the choice in each sentence. All arrays are [sentences].

    Attributes:
        ambiguous: Whether there are other analyses than right ones.
        credits: 1 for a right choice, 1/ℓ for one of ℓ, 0 for a wrong one.
        log_probs: log p(a right analysis | sentence).
        better: How many analyses are better than every right one.
        ties: How many are as good as the best right one, itself included.
        right_ties: How many of these are right.
    """

    ambiguous: BoolArray
    credits: FloatArray
    log_probs: FloatArray
    better: IntArray
    ties: IntArray
    right_ties: IntArray

    def __len__(self) -> int:
        return len(self.ambiguous)

    def columns(self) -> dict[str, FloatArray]:
        """Return everything as numbers."""
        return {each.name: getattr(self, each.name).astype(np.float64) for each in fields(self)}

    def pick(self, which: IntArray | BoolArray) -> Judgements:
        """Return those of some sentences."""
        return Judgements(*(getattr(self, each.name)[which] for each in fields(self)))

    def scores(self) -> SelectionScores:
        """Return the sums over ambiguous sentences."""
        hard = self.pick(self.ambiguous)
        return SelectionScores(
            sentences=len(self),
            ambiguous=len(hard),
            correct=float(hard.credits.sum()),
            expected_correct=float(np.exp(hard.log_probs).sum()),
            neg_log_pl=float(0.0 - hard.log_probs.sum()),
            top={k: float(sum(_in_top(k, *each) for each in hard._places())) for k in TOP},
        )

    def _places(self) -> list[tuple[int, int, int]]:
        columns = (self.better, self.ties, self.right_ties)
        return list(zip(*(column.tolist() for column in columns), strict=True))


_TYPES: Mapping[str, type] = {
    "ambiguous": np.bool_,
    "better": np.int64,
    "ties": np.int64,
    "right_ties": np.int64,
}


def judgements_of(columns: Mapping[str, FloatArray]) -> Judgements:
    """Return the judgements that :meth:`Judgements.columns` wrote."""
    return Judgements(
        **{name: column.astype(_TYPES.get(name, np.float64)) for name, column in columns.items()}
    )


def join_scores(parts: Sequence[Judgements]) -> Judgements:
    """Return the judgements of several corpora as those of one."""
    names = [each.name for each in fields(Judgements)]
    return Judgements(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


def _in_top(k: int, better: int, ties: int, right: int) -> float:
    """The probability that a right one is among the k best if ties are broken by chance.

    >>> _in_top(1, 0, 4, 1), _in_top(2, 1, 2, 2), _in_top(2, 2, 1, 1)
    (0.25, 1.0, 0.0)
    """
    drawn = min(max(k - better, 0), ties)
    return 1.0 - math.comb(ties - right, drawn) / math.comb(ties, drawn)


def shuffle_analyses(corpus: Sequence[Selected], seed: int) -> list[Selected]:
    """Return a corpus with the listed analyses of each sentence in a random order.

    Nothing that is estimated depends on their order; this shows it.
    """
    rng = np.random.default_rng(seed)
    return [each if each.tokens.forest else _shuffled(each, rng) for each in corpus]


def _shuffled(example: Selected, rng: np.random.Generator) -> Selected:
    tokens = example.tokens
    order = rng.permutation(len(tokens))
    lengths = np.diff(tokens.offsets)[order]
    entries = ranges(tokens.offsets[order], lengths)
    place = np.argsort(order)
    return Selected(
        replace(
            tokens,
            offsets=offsets_of(lengths),
            columns=tokens.columns[entries],
            values=None if tokens.values is None else tokens.values[entries],
            base=tokens.base[order],
        ),
        None if example.analysis is None else tuple(place[list(example.analysis)].tolist()),
        example.weight,
    )
