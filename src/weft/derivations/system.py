"""Everything: the sum over all sentences of a finite vocabulary with all their tag sequences.

A chain whose attributes look at one word only is a cyclic automaton. With S[k, y] the sum of the
weights of all words at a step from tag k to tag y, and A the matrix of the weights of going from
state to state (a state is a tag, or a pair of tags for order 2),

    Z = a (I - A)⁻¹ b,    A[k, y] = exp(transition[k, y]) S[k, y],

a and b the weights of beginning and ending. One solve gives h = (I - A)⁻¹ b, one with the transpose
u = a (I - A)⁻¹, and the expected number of times that a step is taken is u_k A[k, y] h_y / Z.

Z is infinite unless the spectral radius of A is below 1. That is decided, not guessed: h = A h + b
with h ≥ 0 exists for the states that can end exactly if the radius there is below 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weft.arrays import BoolArray, FloatArray
from weft.derivations.topology import Topology
from weft.derivations.vocabulary import Vocabulary, WordSums


@dataclass(frozen=True, slots=True, eq=False)
class _Steps:
    """The weights of beginning, going on and ending: [states], [states, states], [states]."""

    begin: FloatArray
    go: FloatArray
    end: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class _Solution:
    """Z, and how much arrives at (u) and leaves (h) each state."""

    partition: float
    arriving: FloatArray
    leaving: FloatArray


class System:
    """One member: every sentence of at least one word, with every tag sequence.

    Args:
        vocabulary: The words, with the tags and tag n-grams.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.topology = vocabulary.topology
        self._vocabulary = vocabulary

    def __len__(self) -> int:
        return 1

    def log_partition(self, theta: FloatArray) -> FloatArray:
        """[1]: log Z, +inf where the sum diverges."""
        solution = _solve(_steps(self.topology, self._vocabulary.at(theta)))
        return np.array([np.inf if solution is None else np.log(solution.partition)])

    def evaluate(
        self, theta: FloatArray, coefficients: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return log Z [1] and its expectations times the coefficient [θ].

        Where the sum diverges there are no expectations: the gradient is then zero.
        """
        words = self._vocabulary.at(theta)
        steps = _steps(self.topology, words)
        solution = _solve(steps)
        if solution is None:
            return np.array([np.inf]), np.zeros_like(theta)
        taken = _expected(self.topology, steps, solution) * coefficients[0]
        gradient = words.expect(self.topology.within(taken), taken)
        return np.array([np.log(solution.partition)]), gradient

    def impossible(self, member: int) -> int | None:  # noqa: ARG002
        """None: some sentence always has a derivation."""
        return None


def _steps(topology: Topology, words: WordSums) -> _Steps:
    tags, table, totals = topology.tags, words.steps.transitions, words.totals[:, : topology.tags]
    totals = totals[: tags + 1]  # of one previous tag, or of each and the boundary
    # Overflow to infinity is an answer here: the sum diverges.
    with np.errstate(over="ignore"):
        if topology.order == 1:
            weights = np.exp(table[0, : tags + 1, :tags] + totals)
            return _Steps(weights[tags], weights[:tags], np.exp(table[0, :tags, tags]))
        # States are pairs [y₁ (the boundary too), y₂]; a step goes from [y₀, y₁] to [y₁, y₂].
        weights = np.exp(table[: tags + 1, : tags + 1, :tags] + totals[:, None, :])
        go = np.zeros((tags + 1, tags, tags + 1, tags))
        middle = np.arange(tags)
        go[:, middle, middle, :] = weights[:tags].transpose(1, 0, 2)
        begin = np.zeros((tags + 1, tags))
        begin[tags] = weights[tags, tags]
        end = np.exp(table[:tags, : tags + 1, tags].T)
        size = (tags + 1) * tags
        return _Steps(begin.reshape(-1), go.reshape(size, size), end.reshape(-1))


def _solve(steps: _Steps) -> _Solution | None:
    """Z and its two vectors; None where the sum diverges."""
    if not all(np.isfinite(part).all() for part in (steps.begin, steps.go, steps.end)):
        return None
    useful = _useful(steps)
    begin, end = steps.begin[useful], steps.end[useful]
    system = np.eye(len(end)) - steps.go[np.ix_(useful, useful)]
    try:
        leaving = np.linalg.solve(system, end)
        arriving = np.linalg.solve(system.T, begin)
    except np.linalg.LinAlgError:  # a singular system: the radius is exactly 1
        return None
    if not (np.isfinite(leaving).all() and (leaving >= 0).all() and (arriving >= 0).all()):
        return None
    whole = np.zeros((2, len(useful)))
    whole[:, useful] = arriving, leaving
    return _Solution(float(begin @ leaving), whole[0], whole[1])


def _useful(steps: _Steps) -> BoolArray:
    """The states that something arrives at and that can come to an end."""
    arcs = steps.go > 0
    useful: BoolArray = _reached(arcs, steps.begin > 0) & _reached(arcs.T, steps.end > 0)
    return useful


def _reached(arcs: BoolArray, start: BoolArray) -> BoolArray:
    reached, frontier = start.copy(), start
    while frontier.any():
        frontier = arcs[frontier].any(axis=0) & ~reached
        reached |= frontier
    return reached


def _expected(topology: Topology, steps: _Steps, solution: _Solution) -> FloatArray:
    """[groups, width, width]: how often each transition is expected to be taken."""
    tags, width = topology.tags, topology.width
    begin = steps.begin * solution.leaving / solution.partition
    go = solution.arriving[:, None] * steps.go * solution.leaving / solution.partition
    end = solution.arriving * steps.end / solution.partition
    if topology.order == 1:
        taken = np.zeros((1, width, width))
        taken[0, tags, :tags], taken[0, :tags, :tags], taken[0, :tags, tags] = begin, go, end
        return taken
    taken = np.zeros((width, width, width))
    middle = np.arange(tags)
    pairs = go.reshape(tags + 1, tags, tags + 1, tags)
    taken[tags, tags, :tags] = begin.reshape(tags + 1, tags)[tags]
    taken[:tags, : tags + 1, :tags] = pairs[:, middle, middle, :].transpose(1, 0, 2)
    taken[:tags, : tags + 1, tags] = end.reshape(tags + 1, tags).T
    return taken
