"""All sentences of given lengths: the sums over Σᵐ, every length from one pass.

With W the weights of steps from tag to tag, all words of the vocabulary summed,

    Z_m = a W^{m-1} b,

a and b the weights of beginning and ending. The vectors a W^{m-1} of all lengths are made one from
the next; backwards, what is expected of every length is gathered in one pass as well.
"""

from __future__ import annotations

import numpy as np

from weft.arrays import FloatArray, IntArray
from weft.derivations.topology import Topology
from weft.derivations.vocabulary import Vocabulary, WordSums


class Lengths:
    """Members that are all sentences of a length, with every tag sequence.

    Args:
        vocabulary: The words, with the tags and tag n-grams.
        lengths: [members], each at least 1.
    """

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
        taken = forward.expected(shares)
        return forward.values[self._lengths], words.expect(self.topology.within(taken), taken)

    def impossible(self, member: int) -> int | None:  # noqa: ARG002
        """The first token: nothing more is known of it."""
        return 0

    def _pass(self, words: WordSums) -> _Pass:
        return _Pass(self.topology, words, int(self._lengths.max(initial=1)))


class _Pass:
    """The sums of all lengths up to a longest.

    States are [y₁ (the boundary too), y₂] for order 2, and [y₂] below one row for order 1.

    Attributes:
        values: [longest + 1]: log Z of each length; -inf for 0.
    """

    def __init__(self, topology: Topology, words: WordSums, longest: int) -> None:
        self.topology = topology
        tags, table = topology.tags, words.steps.transitions
        totals = words.totals[: tags + 1, :tags]
        if topology.order == 1:
            scores = table[:, : tags + 1, :tags] + totals
            begin, go = scores[0, tags][None], scores[:, :tags]
            end = table[0, :tags, tags][None]
        else:
            scores = table[: tags + 1, : tags + 1, :tags] + totals[:, None, :]
            begin = np.full((tags + 1, tags), -np.inf)
            begin[tags] = scores[tags, tags]
            go = scores[:tags]
            end = table[:tags, : tags + 1, tags].T
        # Powers of the largest weights are taken out, so that nothing overflows.
        tops = [_top(each) for each in (begin, go, end)]
        self.begin, self.go, self.end = (
            np.exp(each - top) for each, top in zip((begin, go, end), tops, strict=True)
        )
        self.states = [self.begin]
        self.norms = [1.0]
        logs = [tops[0] + tops[2]]
        for _ in range(longest - 1):
            state = self._step(self.states[-1])
            norm = float(state.sum()) or 1.0
            self.states.append(state / norm)
            self.norms.append(norm)
            logs.append(logs[-1] + tops[1] + np.log(norm))
        self.endings = np.array([float((state * self.end).sum()) for state in self.states])
        with np.errstate(divide="ignore"):
            self.values = np.append(-np.inf, np.log(self.endings) + logs)

    def _step(self, state: FloatArray) -> FloatArray:
        if self.topology.order == 1:
            ahead: FloatArray = state @ self.go[0]
            return ahead
        after = np.zeros_like(state)
        after[:-1] = np.matmul(state.T[:, None, :], self.go)[:, 0, :]
        return after

    def _back(self, adjoint: FloatArray) -> FloatArray:
        if self.topology.order == 1:
            back: FloatArray = adjoint @ self.go[0].T
        else:
            back = np.matmul(self.go, adjoint[:-1, :, None])[:, :, 0].T
        return back

    def expected(self, shares: FloatArray) -> FloatArray:
        """[groups, width, width]: expected transitions, each length in proportion to its share."""
        tags, width = self.topology.tags, self.topology.width
        longest = len(self.states)
        going, ending = np.zeros_like(self.go), np.zeros_like(self.end)
        adjoint = np.zeros_like(self.begin)
        for number in range(longest - 1, -1, -1):
            state, share = self.states[number], shares[number + 1]
            if number < longest - 1:
                adjoint = adjoint / self.norms[number + 1]
                going += self._outer(state, adjoint)
                adjoint = self._back(adjoint)
            if share != 0.0 and self.endings[number] > 0.0:
                adjoint = adjoint + self.end * (share / self.endings[number])
                ending += state * (share / self.endings[number])
        begins, goes, ends = self.begin * adjoint, self.go * going, self.end * ending
        if self.topology.order == 1:
            taken = np.zeros((1, width, width))
            taken[0, tags, :tags], taken[0, :tags, :tags], taken[0, :tags, tags] = (
                begins[0],
                goes[0],
                ends[0],
            )
            return taken
        taken = np.zeros((width, width, width))
        taken[tags, tags, :tags] = begins[tags]
        taken[:tags, : tags + 1, :tags] = goes
        taken[:tags, : tags + 1, tags] = ends.T
        return taken

    def _outer(self, state: FloatArray, adjoint: FloatArray) -> FloatArray:
        """How going on from a state to the next depends on each weight."""
        if self.topology.order == 1:
            return state.T[None] * adjoint
        return state.T[:, :, None] * adjoint[:-1, None, :]


def _top(scores: FloatArray) -> float:
    top = float(scores.max(initial=-np.inf))
    return top if np.isfinite(top) else 0.0
