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
from weft.derivations.analyses import right_shares
from weft.derivations.threads import thread_count
from weft.inference import inside_outside, kbest
from weft.models.selection import SelectionModel
from weft.structures.alternatives import Picked, Selected

TOP = (1, 2, 3, 5, 10)
"""The k of which is said how often a right analysis is among the k best ones."""

MOST_TIES = 100
"""How many equally good derivations of a packed forest are told apart."""

_CLOSE = 1e-9


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


def joined(parts: Sequence[Judgements]) -> Judgements:
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


class Judge:
    """Judges weights on a corpus that is compiled once; examples without a right one are left out.

    Args:
        model: The model.
        corpus: The examples.
        threads: How many threads to use; no result depends on it.
    """

    def __init__(
        self, model: SelectionModel, corpus: Sequence[Selected], threads: int | None = None
    ) -> None:
        known = [each for each in corpus if each.analysis is not None]
        self._threads = thread_count(threads)
        self._model = model
        self._packed = np.array([each.tokens.forest is not None for each in known], np.bool_)
        listed = [each for each in known if each.tokens.forest is None]
        self._forests = [each for each in known if each.tokens.forest is not None]
        self._bags = model.analyses([each.tokens for each in listed])
        self._right = np.zeros(len(self._bags.base), np.bool_)
        for start, each in zip(self._bags.sentences.tolist(), listed, strict=False):
            self._right[start + np.array(each.analysis)] = True

    def __call__(self, theta: FloatArray) -> Judgements:
        """Return the judgements at θ."""
        parts = [self._listed(theta), *(self._forest(each, theta) for each in self._forests)]
        order = np.argsort(np.argsort(self._packed, kind="stable"), kind="stable")
        return joined(parts).pick(order)

    def _listed(self, theta: FloatArray) -> Judgements:
        bags, right = self._bags, self._right
        offsets, starts = bags.sentences, bags.sentences[:-1]
        scores = bags.scores(theta, self._threads)
        sizes = np.diff(offsets)
        if not len(sizes):
            none = np.zeros(0, np.int64)
            return Judgements(none.astype(np.bool_), np.zeros(0), np.zeros(0), none, none, none)
        rights = np.add.reduceat(right.astype(np.int64), starts)
        best_right = np.maximum.reduceat(np.where(right, scores, -np.inf), starts)
        level = np.repeat(best_right, sizes)
        return Judgements(
            ambiguous=rights < sizes,
            credits=right_shares(scores, offsets, right),
            log_probs=_log_sums(np.where(right, scores, -np.inf), offsets)
            - _log_sums(scores, offsets),
            better=np.add.reduceat((scores > level).astype(np.int64), starts),
            ties=np.add.reduceat((scores == level).astype(np.int64), starts),
            right_ties=np.add.reduceat(((scores == level) & right).astype(np.int64), starts),
        )

    def _forest(self, example: Selected, theta: FloatArray) -> Judgements:
        """The same of a packed forest; of its derivations, at most some of the best are listed."""
        broad, narrow = (self._model.packed(each) for each in _both(example))
        hypergraph, weights, right = broad.hypergraph, broad.weights(theta), narrow.weights(theta)
        counts = [
            inside_outside(hypergraph, np.where(np.isneginf(each), -np.inf, 0.0))[0]
            for each in (weights, right)
        ]
        best = np.array([score for score, _ in kbest(hypergraph, weights, MOST_TIES)])
        goals = [score for score, _ in kbest(hypergraph, right, MOST_TIES)]
        goal = goals[0] if goals else -math.inf
        close = _CLOSE * max(1.0, abs(goal))
        better, ties = int((best > goal + close).sum()), int((abs(best - goal) <= close).sum())
        hits = sum(abs(score - goal) <= close for score in goals)
        log_prob = inside_outside(hypergraph, right)[0] - inside_outside(hypergraph, weights)[0]
        # Where the right one is beyond those that are listed, it is after all of them.
        ties, hits = max(ties, 1), max(min(hits, ties), 1)
        return Judgements(
            ambiguous=np.array([counts[1] < counts[0] - _CLOSE]),
            credits=np.array([hits / ties if not better else 0.0]),
            log_probs=np.array([min(log_prob, 0.0)]),
            better=np.array([better]),
            ties=np.array([ties]),
            right_ties=np.array([hits]),
        )


def _both(example: Selected) -> tuple[Picked, Picked]:
    return example.evidence(labelled=False), example.evidence()


def _log_sums(scores: FloatArray, offsets: IntArray) -> FloatArray:
    """[sentences]: the log of the sum of exp of each sentence's scores."""
    starts = offsets[:-1]
    best = np.maximum.reduceat(scores, starts)
    level = np.where(np.isneginf(best), 0.0, best)
    sums = np.add.reduceat(np.exp(scores - np.repeat(level, np.diff(offsets))), starts)
    with np.errstate(divide="ignore"):
        logs: FloatArray = np.log(sums) + level
    return logs


def judge(
    model: SelectionModel,
    weights: FloatArray,
    corpus: Sequence[Selected],
    threads: int | None = None,
) -> Judgements:
    """Judge weights on a corpus; zeros are the baseline, by which all analyses are alike.

    >>> from weft.models.selection import Selection, prepare_selection
    >>> from weft.structures.alternatives import alternatives
    >>> both = alternatives([{("given", "low"): 1.0}, {("given", "high"): 1.0}])
    >>> model = prepare_selection(Selection(), [Selected(both, (0,))])
    >>> judge(model, np.zeros(2), [Selected(both, (0,))]).scores().correct
    0.5
    """
    return Judge(model, corpus, threads)(weights)


def shuffled(corpus: Sequence[Selected], seed: int) -> list[Selected]:
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
