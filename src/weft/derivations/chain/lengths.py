"""All sentences of given lengths: the sums over Σᵐ, every length from one pass.

With W the weights of steps from tag to tag, all words of the vocabulary summed,

    Z_m = a W^{m-1} b,

a and b the weights of beginning and ending. The vectors a W^{m-1} of all lengths are made one from
the next; backwards, what is expected of every length is gathered in one pass as well. Where weights
are too far apart for numbers to hold them all, the same is done in logs, which takes longer.

Where steps are distributions over tag and word, the words of a tag sum to 1 whatever their weights:
W is p(y | k), and the sums depend on the weights of tag n-grams alone.
"""

from __future__ import annotations

import numpy as np

from weft.arrays import FloatArray, IntArray
from weft.derivations.chain.locally_normalised import log_shares, step_weights
from weft.derivations.chain.steps import steps_of, table_of, with_words
from weft.derivations.chain.vocabulary import Vocabulary, WordSums
from weft.derivations.derivation_set import OnlySums
from weft.grammars.sums.steps import StepWeights

_SPAN = 60.0  # in nats: four factors so far apart are still above the smallest number


class Lengths(OnlySums):
    """Members that are all sentences of a length, with every tag sequence.

    Args:
        vocabulary: The words, with the tags and tag n-grams.
        lengths: [members], each at least 1.
        normalised: Whether steps are distributions over tag and word.
    """

    why = "all sentences of a length are in this sum, and single tag sequences are of one sentence"

    def __init__(
        self, vocabulary: Vocabulary, lengths: IntArray, *, normalised: bool = False
    ) -> None:
        self.topology = vocabulary.topology
        self._vocabulary = vocabulary
        self._lengths = lengths
        self._normalised = normalised

    def __len__(self) -> int:
        return len(self._lengths)

    def log_partition(self, theta: FloatArray) -> FloatArray:
        """[members]: log Z, -inf where a length has no derivation."""
        return self._pass(self._table(self._vocabulary.at(theta))).values[self._lengths]

    def evaluate(
        self, theta: FloatArray, coefficients: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return log Z [members] and Σ_k c_k E_k[f] [θ], in one pass."""
        words = self._vocabulary.at(theta)
        table = self._table(words)
        forward = self._pass(table)
        shares = np.zeros(len(forward.values))
        np.add.at(shares, self._lengths, coefficients)
        taken = table_of(self.topology, forward.expected(shares))
        values = forward.values[self._lengths]
        if not self._normalised:
            return values, words.expect(self.topology.within(taken), taken)
        gradient = np.zeros_like(theta)
        own = np.exp(table) * taken.sum(axis=2, keepdims=True)
        self.topology.collect(taken - own, gradient)
        return values, gradient

    def impossible(self, member: int) -> int | None:
        """The first token that no tag sequence of the length gets past; None if there is one."""
        tags, length = self.topology.tags, int(self._lengths[member])
        may_follow = ~self.topology.forbidden
        possible = np.isfinite(self._vocabulary.bias[:, :tags]).any(axis=0)
        before = np.arange(tags + 1) == tags
        for position in range(length):
            after = before @ may_follow
            before = np.append(after[:tags] & possible, False)
            if not before.any():
                return position
        return None if (before @ may_follow)[tags] else length - 1

    def _table(self, words: WordSums) -> FloatArray:
        """[groups, width, width]: the log-weights of steps, all words summed."""
        if not self._normalised:
            return with_words(self.topology, words)
        return log_shares(step_weights(self.topology, words.steps.transitions, words.totals))

    def _pass(self, table: FloatArray) -> _SumsByLength | _Logs:
        steps = steps_of(self.topology, table)
        longest = int(self._lengths.max(initial=1))
        return _SumsByLength(steps, longest) if _narrow(steps) else _Logs(steps, longest)


def _narrow(steps: StepWeights) -> bool:
    """Whether all steps are possible, and their log-weights close enough to be numbers."""
    begin = steps.begin.reshape(-1, steps.go.shape[2])[-1]  # no other tag is before the first
    with np.errstate(invalid="ignore"):  # NaN where all are -inf, and no span below any
        return all(float(np.ptp(part)) < _SPAN for part in (begin, steps.go, steps.end))


class _SumsByLength:
    """The sums of all lengths up to a longest, in numbers.

    Attributes:
        values: [longest + 1]: log Z of each length; -inf for 0.
    """

    def __init__(self, steps: StepWeights, longest: int) -> None:
        # The largest weights are taken out, so that nothing overflows.
        tops = [float(part.max()) for part in steps.parts]
        weights = StepWeights(*map(np.subtract, steps.parts, tops)).exp()
        self._weights = weights
        self._states, self._norms = [weights.begin], [1.0]
        logs = [tops[0] + tops[2]]
        for _ in range(longest - 1):
            state = weights.arrive(self._states[-1])
            norm = float(state.sum())
            self._states.append(state / norm)
            self._norms.append(norm)
            logs.append(logs[-1] + tops[1] + np.log(norm))
        self._endings = np.array([float((state * weights.end).sum()) for state in self._states])
        self.values = np.append(-np.inf, np.log(self._endings) + logs)

    def expected(self, shares: FloatArray) -> StepWeights:
        """Return expected steps, each length in proportion to its share."""
        weights = self._weights
        going, ending = np.zeros_like(weights.go), np.zeros_like(weights.end)
        adjoint = np.zeros_like(weights.begin)
        for number in range(len(self._states) - 1, -1, -1):
            state = self._states[number]
            if number < len(self._states) - 1:
                adjoint = adjoint / self._norms[number + 1]
                going += weights.before(state) * weights.after(adjoint)
                adjoint = weights.leave(adjoint)
            share = shares[number + 1] / self._endings[number]
            adjoint = adjoint + weights.end * share
            ending += state * share
        return StepWeights(weights.begin * adjoint, weights.go * going, weights.end * ending)


class _Logs:
    """The same in logs.

    Attributes:
        values: [longest + 1]: log Z of each length; -inf for 0.
    """

    def __init__(self, steps: StepWeights, longest: int) -> None:
        self._steps = steps
        self._states, self._rests = [steps.begin], [steps.end]
        for _ in range(longest - 1):
            self._states.append(self._onward(self._states[-1]))
            self._rests.append(self._back(self._rests[-1]))
        endings = [np.logaddexp.reduce(state + steps.end, axis=None) for state in self._states]
        self.values = np.array([-np.inf, *endings])

    def _onward(self, state: FloatArray) -> FloatArray:
        steps = self._steps
        arrived = np.logaddexp.reduce(steps.before(state) + steps.go, axis=1)
        return steps.at_ends(arrived, -np.inf)

    def _back(self, rest: FloatArray) -> FloatArray:
        steps = self._steps
        return steps.at_beginnings(np.logaddexp.reduce(steps.go + steps.after(rest), axis=2))

    def expected(self, shares: FloatArray) -> StepWeights:
        """Return expected steps, each length in proportion to its share."""
        steps = self._steps
        found = StepWeights(*map(np.zeros_like, steps.parts))
        for length in np.flatnonzero(shares).tolist():
            total, share = self.values[length], shares[length]
            if np.isneginf(total):
                continue
            first, last = self._rests[length - 1], self._states[length - 1]
            found.begin[:] += share * np.exp(steps.begin + first - total)
            found.end[:] += share * np.exp(steps.end + last - total)
            for done in range(length - 1):
                state, rest = self._states[done], self._rests[length - 2 - done]
                scores = steps.before(state) + steps.go + steps.after(rest)
                found.go[:] += share * np.exp(scores - total)
        return found
