"""All sentences of given lengths: the sums over Σᵐ, every length from one pass.

With W the weights of steps from tag to tag, all words of the vocabulary summed,

    Z_m = a W^{m-1} b,

a and b the weights of beginning and ending. The vectors a W^{m-1} of all lengths are made one from
the next; backwards, what is expected of every length is gathered in one pass as well. Where weights
are too far apart for numbers to hold them all, the same is done in logs, which takes longer.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weft.arrays import FloatArray, IntArray
from weft.derivations.chain.topology import Topology
from weft.derivations.derivation_set import OnlySums
from weft.derivations.vocabulary import Vocabulary, WordSums

_SPAN = 60.0  # in nats: four factors so far apart are still above the smallest number


class Lengths(OnlySums):
    """Members that are all sentences of a length, with every tag sequence.

    Args:
        vocabulary: The words, with the tags and tag n-grams.
        lengths: [members], each at least 1.
    """

    why = "all sentences of a length are in this sum, and single tag sequences are of one sentence"

    def __init__(self, vocabulary: Vocabulary, lengths: IntArray) -> None:
        self.topology = vocabulary.topology
        self._vocabulary = vocabulary
        self._lengths = lengths

    def __len__(self) -> int:
        return len(self._lengths)

    def log_partition(self, theta: FloatArray) -> FloatArray:
        """[members]: log Z, -inf where a length has no derivation."""
        return self._pass(self._vocabulary.at(theta)).values[self._lengths]

    def evaluate(
        self, theta: FloatArray, coefficients: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return log Z [members] and Σ_k c_k E_k[f] [θ], in one pass."""
        words = self._vocabulary.at(theta)
        forward = self._pass(words)
        shares = np.zeros(len(forward.values))
        np.add.at(shares, self._lengths, coefficients)
        taken = _table(self.topology, forward.expected(shares))
        return forward.values[self._lengths], words.expect(self.topology.within(taken), taken)

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

    def _pass(self, words: WordSums) -> _Scaled | _Logs:
        steps = _steps(self.topology, words)
        longest = int(self._lengths.max(initial=1))
        return _Scaled(steps, longest) if steps.narrow else _Logs(steps, longest)


class _Steps(NamedTuple):
    """The weights of beginning, going on and ending, or how often they are expected.

    States are [y₁, y₂], y₁ also the boundary, for order 2; [0, y₂] for order 1. Going on from
    [y₀, y₁] to [y₁, y₂] is [y₁, y₀, y₂]; for order 1 from y₁ to y₂ it is [0, y₁, y₂].
    """

    begin: FloatArray
    go: FloatArray
    end: FloatArray

    @property
    def narrow(self) -> bool:
        """Whether all steps are possible, and their weights close enough to be numbers."""
        begin = self.begin[-1]  # nothing begins after another tag than the boundary
        parts = (begin, self.go, self.end)
        with np.errstate(invalid="ignore"):  # NaN where all are -inf, and no span below any
            return all(float(np.ptp(part)) < _SPAN for part in parts)

    def onward(self, state: FloatArray) -> FloatArray:
        """Return state × go, by group."""
        if len(self.go) == 1 == len(state):
            ahead: FloatArray = state @ self.go[0]
            return ahead
        after = np.zeros_like(state)
        after[:-1] = np.matmul(state.T[:, None, :], self.go)[:, 0, :]
        return after

    def back(self, adjoint: FloatArray) -> FloatArray:
        """Return go × adjoint, by group."""
        if len(self.go) == 1 == len(adjoint):
            behind: FloatArray = adjoint @ self.go[0].T
        else:
            behind = np.matmul(self.go, adjoint[:-1, :, None])[:, :, 0].T
        return behind


def _steps(topology: Topology, words: WordSums) -> _Steps:
    tags, table = topology.tags, words.steps.transitions
    totals = words.totals[: tags + 1, :tags]
    if topology.order == 1:
        scores = table[:, : tags + 1, :tags] + totals
        return _Steps(scores[0, tags][None], scores[:, :tags], table[0, :tags, tags][None])
    scores = table[: tags + 1, : tags + 1, :tags] + totals[:, None, :]
    begin = np.full((tags + 1, tags), -np.inf)
    begin[tags] = scores[tags, tags]
    return _Steps(begin, scores[:tags], table[:tags, : tags + 1, tags].T)


def _table(topology: Topology, steps: _Steps) -> FloatArray:
    """[groups, width, width]: expected transitions."""
    tags, width = topology.tags, topology.width
    if topology.order == 1:
        taken = np.zeros((1, width, width))
        taken[0, tags, :tags] = steps.begin[0]
        taken[0, :tags, :tags] = steps.go[0]
        taken[0, :tags, tags] = steps.end[0]
        return taken
    taken = np.zeros((width, width, width))
    taken[tags, tags, :tags] = steps.begin[tags]
    taken[:tags, : tags + 1, :tags] = steps.go
    taken[:tags, : tags + 1, tags] = steps.end.T
    return taken


def _before(state: FloatArray) -> FloatArray:
    """What stands at the beginning of a step, broadcast over its end."""
    return state.T[None] if len(state) == 1 else state.T[:, :, None]


def _after(state: FloatArray) -> FloatArray:
    """What stands at the end of a step, broadcast over its beginning."""
    return state[None] if len(state) == 1 else state[:-1, None, :]


class _Scaled:
    """The sums of all lengths up to a longest, in numbers.

    Attributes:
        values: [longest + 1]: log Z of each length; -inf for 0.
    """

    def __init__(self, steps: _Steps, longest: int) -> None:
        # The largest weights are taken out, so that nothing overflows.
        tops = [float(part.max()) for part in steps]
        weights = _Steps(*(np.exp(part - top) for part, top in zip(steps, tops, strict=True)))
        self._weights = weights
        self._states, self._norms = [weights.begin], [1.0]
        logs = [tops[0] + tops[2]]
        for _ in range(longest - 1):
            state = weights.onward(self._states[-1])
            norm = float(state.sum())
            self._states.append(state / norm)
            self._norms.append(norm)
            logs.append(logs[-1] + tops[1] + np.log(norm))
        self._endings = np.array([float((state * weights.end).sum()) for state in self._states])
        self.values = np.append(-np.inf, np.log(self._endings) + logs)

    def expected(self, shares: FloatArray) -> _Steps:
        """Return expected steps, each length in proportion to its share."""
        weights = self._weights
        going, ending = np.zeros_like(weights.go), np.zeros_like(weights.end)
        adjoint = np.zeros_like(weights.begin)
        for number in range(len(self._states) - 1, -1, -1):
            state = self._states[number]
            if number < len(self._states) - 1:
                adjoint = adjoint / self._norms[number + 1]
                going += _before(state) * _after(adjoint)
                adjoint = weights.back(adjoint)
            share = shares[number + 1] / self._endings[number]
            adjoint = adjoint + weights.end * share
            ending += state * share
        return _Steps(weights.begin * adjoint, weights.go * going, weights.end * ending)


class _Logs:
    """The same in logs.

    Attributes:
        values: [longest + 1]: log Z of each length; -inf for 0.
    """

    def __init__(self, steps: _Steps, longest: int) -> None:
        self._steps = steps
        self._states, self._rests = [steps.begin], [steps.end]
        for _ in range(longest - 1):
            self._states.append(self._onward(self._states[-1]))
            self._rests.append(self._back(self._rests[-1]))
        endings = [np.logaddexp.reduce(state + steps.end, axis=None) for state in self._states]
        self.values = np.array([-np.inf, *endings])

    def _onward(self, state: FloatArray) -> FloatArray:
        if len(state) == 1:
            ahead: FloatArray = np.logaddexp.reduce(state.T + self._steps.go[0], axis=0)[None]
            return ahead
        after = np.full_like(state, -np.inf)
        after[:-1] = np.logaddexp.reduce(state.T[:, :, None] + self._steps.go, axis=1)
        return after

    def _back(self, rest: FloatArray) -> FloatArray:
        if len(rest) == 1:
            behind: FloatArray = np.logaddexp.reduce(self._steps.go[0] + rest, axis=1)[None]
        else:
            behind = np.logaddexp.reduce(self._steps.go + rest[:-1, None, :], axis=2).T
        return behind

    def expected(self, shares: FloatArray) -> _Steps:
        """Return expected steps, each length in proportion to its share."""
        found = _Steps(*map(np.zeros_like, self._steps))
        for length in np.flatnonzero(shares).tolist():
            total, share = self.values[length], shares[length]
            if np.isneginf(total):
                continue
            first, last = self._rests[length - 1], self._states[length - 1]
            found.begin[:] += share * np.exp(self._steps.begin + first - total)
            found.end[:] += share * np.exp(self._steps.end + last - total)
            for done in range(length - 1):
                state, rest = self._states[done], self._rests[length - 2 - done]
                scores = _before(state) + self._steps.go + _after(rest)
                found.go[:] += share * np.exp(scores - total)
        return found
