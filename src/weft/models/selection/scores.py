"""How good a selection model's choices are on a corpus."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from weft.arrays import BoolArray, FloatArray, IntArray, rounding_of
from weft.derivations.landscape import right_shares
from weft.derivations.threads import thread_count
from weft.evaluate.selection import Judgements, join_scores
from weft.inference import inside_outside, kbest
from weft.inference.kbest import least_of_best
from weft.models.selection.model import SelectionModel
from weft.structures.alternatives import Picked, Selected
from weft.structures.hypergraph import Hypergraph

MOST_LISTED = 100
"""How many of a packed forest's best derivations are listed: no rank is beyond that."""

_CLOSE = 1e-9  # of numbers of derivations, from their logarithms
_MOST_COUNTED = 1 << 62


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
        return join_scores(parts).pick(order)

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
        close = np.repeat(rounding_of(best_right), sizes)
        tied = (scores >= level - close) & (scores <= level + close)
        return Judgements(
            ambiguous=rights < sizes,
            credits=right_shares(scores, offsets, right),
            log_probs=_log_sums(np.where(right, scores, -np.inf), offsets)
            - _log_sums(scores, offsets),
            better=np.add.reduceat((scores > level + close).astype(np.int64), starts),
            ties=np.add.reduceat(tied.astype(np.int64), starts),
            right_ties=np.add.reduceat((tied & right).astype(np.int64), starts),
        )

    def _forest(self, example: Selected, theta: FloatArray) -> Judgements:
        """The same of a packed forest; of its derivations, at most some of the best are listed.

        Those that are as good as the best are counted, however many they are.
        """
        broad, narrow = (self._model.packed(each) for each in _both(example))
        hypergraph, weights, right = broad.hypergraph, broad.weights(theta), narrow.weights(theta)
        counts = [_log_count(hypergraph, ~np.isneginf(each)) for each in (weights, right)]
        best = np.array([score for score, _ in kbest(hypergraph, weights, MOST_LISTED)])
        goals = [score for score, _ in kbest(hypergraph, right, MOST_LISTED)]
        goal = goals[0] if goals else -math.inf
        close = float(rounding_of(np.array(goal)))
        better, ties = int((best > goal + close).sum()), int((abs(best - goal) <= close).sum())
        hits = sum(abs(score - goal) <= close for score in goals)
        log_prob = inside_outside(hypergraph, right)[0] - inside_outside(hypergraph, weights)[0]
        # Where the right one is beyond those that are listed, it is after all of them.
        ties, hits = max(ties, 1), max(min(hits, ties), 1)
        share = 0.0
        if goals and not better:
            logs = [_log_count_best(hypergraph, each) for each in (weights, right)]
            ties, hits = (min(round(math.exp(min(each, 700.0))), _MOST_COUNTED) for each in logs)
            share = min(math.exp(logs[1] - logs[0]), 1.0)
        return Judgements(
            ambiguous=np.array([counts[1] < counts[0] - _CLOSE]),
            credits=np.array([share]),
            log_probs=np.array([min(log_prob, 0.0)]),
            better=np.array([better]),
            ties=np.array([ties]),
            right_ties=np.array([hits]),
        )


def _both(example: Selected) -> tuple[Picked, Picked]:
    return example.evidence(labelled=False), example.evidence()


def _log_count(hypergraph: Hypergraph, edges: BoolArray) -> float:
    """Return the log of the number of derivations that have no other edges."""
    return inside_outside(hypergraph, np.where(edges, 0.0, -np.inf))[0]


def _log_count_best(hypergraph: Hypergraph, weights: FloatArray) -> float:
    """Return the log of the number of best derivations: best ones go through all their edges."""
    floor, through = least_of_best(hypergraph, weights, 1)
    return _log_count(hypergraph, through >= floor)


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

    >>> from weft.models.selection.spec import Selection
    >>> from weft.models.selection.model import prepare_selection
    >>> from weft.structures.alternatives import alternatives
    >>> both = alternatives([{("given", "low"): 1.0}, {("given", "high"): 1.0}])
    >>> model = prepare_selection(Selection(), [Selected(both, (0,))])
    >>> judge(model, np.zeros(2), [Selected(both, (0,))]).scores().correct
    0.5
    """
    return Judge(model, corpus, threads)(weights)
