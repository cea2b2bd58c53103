"""Everything: the sum over all sentences of a finite vocabulary with all their tag sequences.

A chain whose attributes look at one word only is a cyclic automaton. With S[k, y] the sum of the
weights of all words at a step from tag k to tag y, and A the matrix of the weights of going from
state to state (a state is a tag, or a pair of tags for order 2),

    Z = a (I - A)⁻¹ b,    A[k, y] = exp(transition[k, y]) S[k, y],

a and b the weights of beginning and ending. One solve gives h = (I - A)⁻¹ b, one with the transpose
u = a (I - A)⁻¹, and the expected number of times that a step is taken is u_k A[k, y] h_y / Z.

Z is infinite unless the spectral radius of A is below 1. That is decided, not guessed: see
:mod:`~weft.derivations.solve`.
"""

from __future__ import annotations

import numpy as np

from weft.arrays import FloatArray
from weft.derivations.chain.topology import Topology
from weft.derivations.derivation_set import OnlySums
from weft.derivations.solve import Solution, solve
from weft.derivations.steps import Steps, steps_of
from weft.derivations.vocabulary import Vocabulary, WordSums


class System(OnlySums):
    """One member: every sentence of at least one word, with every tag sequence.

    Args:
        vocabulary: The words, with the tags and tag n-grams.
    """

    why = "all sentences are in this sum, and single tag sequences are of one sentence"

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.topology = vocabulary.topology
        self._vocabulary = vocabulary

    def __len__(self) -> int:
        return 1

    def log_partition(self, theta: FloatArray) -> FloatArray:
        """[1]: log Z, +inf where the sum diverges."""
        solution = solve(_steps(self.topology, self._vocabulary.at(theta)))
        return _log(solution.partition)

    def evaluate(
        self, theta: FloatArray, coefficients: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return log Z [1] and its expectations times the coefficient [θ].

        Where the sum diverges there are no expectations: the gradient is then zero.
        """
        words = self._vocabulary.at(theta)
        steps = _steps(self.topology, words)
        solution = solve(steps)
        if not 0 < solution.partition < np.inf:
            return _log(solution.partition), np.zeros_like(theta)
        taken = _expected(self.topology, steps, solution) * coefficients[0]
        gradient = words.expect(self.topology.within(taken), taken)
        return _log(solution.partition), gradient

    def impossible(self, member: int) -> int | None:  # noqa: ARG002
        """None: some sentence always has a derivation."""
        return None


def _log(partition: float) -> FloatArray:
    with np.errstate(divide="ignore"):
        return np.array([np.log(partition)])


def _steps(topology: Topology, words: WordSums) -> Steps:
    return steps_of(topology, words.steps.transitions, words.totals)


def _expected(topology: Topology, steps: Steps, solution: Solution) -> FloatArray:
    """[groups, width, width]: how often each transition is expected to be taken."""
    tags, width = topology.tags, topology.width
    arriving = solution.arriving / solution.partition
    begin = steps.begin * solution.leaving / solution.partition
    go = steps.expected(arriving, solution.leaving)
    end = arriving * steps.end
    if topology.order == 1:
        taken = np.zeros((1, width, width))
        taken[0, tags, :tags], taken[0, :tags, :tags], taken[0, :tags, tags] = begin, go[0], end
        return taken
    taken = np.zeros((width, width, width))
    taken[tags, tags, :tags] = begin[tags]
    taken[:tags, : tags + 1, :tags] = go
    taken[:tags, : tags + 1, tags] = end.T
    return taken
