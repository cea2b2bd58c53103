"""Sums over the words of a finite vocabulary, for chains whose attributes look at one word only.

    total[k, y] = log Σ_w exp(score[w, y] + score[w, k y])

is what all words together weigh at a step from tag k to tag y.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from weft.arrays import FloatArray, IntArray
from weft.derivations.chain.scoring import LogLinear, LogLinearSteps

_BYTES = 16 * 2**20  # for the scores of one batch of words


class Vocabulary:
    """The words that sentences are made of where they are not observed.

    Args:
        scoring: The attributes and weights of each word, in the place of a token.
        bias: [words, width]: 0 where a word may have a tag, else -inf.
        threads: How many threads to use; no result depends on it.
    """

    def __init__(self, scoring: LogLinear, bias: FloatArray, threads: int = 1) -> None:
        self.topology = scoring.topology
        self.bias = bias
        self.bounds = _batches(len(bias), scoring)
        self.scores = scoring.over(self.bounds, threads)
        self._last: tuple[FloatArray, FloatArray] | None = None

    def totals_at(self, theta: FloatArray) -> FloatArray:
        """Return the sums alone: those of the last θ are kept, for text that comes in pieces."""
        last = self._last
        if last is None or not np.array_equal(last[0], theta):
            last = self._last = theta.copy(), self.at(theta).totals
        return last[1]

    def at(self, theta: FloatArray) -> WordSums:
        """Return the sums at one θ."""
        return WordSums(self, theta)


def _batches(words: int, scoring: LogLinear) -> IntArray:
    width = scoring.topology.width
    most = max(1, _BYTES // (8 * (width**2 if scoring.paired else width)))
    return np.unique(np.append(np.arange(0, words, most), words)).astype(np.int64)


class WordSums:
    """Sums over a vocabulary at one θ.

    Args:
        vocabulary: The words.
        theta: The weights.

    Attributes:
        totals: [width or 1, width]: the log-sum of all words after tag k, with tag y; a single
            row where words do not depend on the tag before.
    """

    def __init__(self, vocabulary: Vocabulary, theta: FloatArray) -> None:
        self._vocabulary = vocabulary
        self._steps = vocabulary.scores.at(theta)
        width = vocabulary.topology.width
        self.totals = np.full((1, width), -np.inf)
        self._kept: tuple[FloatArray, FloatArray] | None = None
        batches = len(vocabulary.bounds) - 1
        for batch in range(batches):
            weights = self.scores(batch)
            top = weights.max(axis=0)
            base = np.where(np.isneginf(top), 0.0, top)
            weights -= base
            np.exp(weights, out=weights)
            sums = weights.sum(axis=0)
            with np.errstate(divide="ignore"):
                self.totals = np.logaddexp(self.totals, base + np.log(sums))
            if batches == 1:  # few words: their exponentials serve the expectations, too
                self._kept = weights, sums

    @property
    def steps(self) -> LogLinearSteps:
        """The scores of single words."""
        return self._steps

    def scores(self, batch: int) -> FloatArray:
        """[words, width or 1, width]: the scores of a batch's words after and with each tag."""
        first, last = self._vocabulary.bounds[batch : batch + 2]
        tags, pairs = self._steps.tokens(batch)
        single = (tags + self._vocabulary.bias[first:last])[:, None, :]
        if pairs is None:
            return single
        width = tags.shape[1]
        return single + pairs.reshape(-1, width, width)

    def probabilities(self) -> FloatArray:
        """[words, width or 1, width]: p(word | previous tag, tag), 0 for tags without words."""
        parts = (self._shares(b) for b in range(len(self._vocabulary.bounds) - 1))
        return np.concatenate(list(parts))

    def log_shares(self, batch: int) -> FloatArray:
        """[words, width or 1, width]: log p(word | previous tag, tag) of a batch's words."""
        return self.scores(batch) - np.where(np.isneginf(self.totals), 0.0, self.totals)

    def _shares(self, batch: int) -> FloatArray:
        if self._kept is not None:
            weights, sums = self._kept
            return weights / np.where(sums > 0, sums, 1.0)
        shares: FloatArray = np.exp(self.log_shares(batch))
        return shares

    def expect(self, visits: FloatArray, transitions: FloatArray) -> FloatArray:
        """Return what is expected of words and of transitions, [θ].

        Args:
            visits: [width, width], how often a step from k to y is expected within sentences.
            transitions: [groups, width, width], how often transitions are expected.
        """
        expectations = self._steps.expectations()
        for batch, (first, last) in enumerate(pairwise(self._vocabulary.bounds)):
            tags, pairs = expectations.marginals(batch)
            if pairs is None:
                tags += self._shares(batch)[:, 0, :] * visits.sum(axis=0)
            else:
                shares = self._shares(batch) * visits
                tags += shares.sum(axis=1)
                pairs += shares.reshape(last - first, -1)
            expectations.collect(batch)
        return expectations.finish(transitions)
