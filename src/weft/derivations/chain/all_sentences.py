"""Everything: the sum over all sentences of a finite vocabulary with all their tag sequences.

A chain whose attributes look at one word only is a cyclic automaton. With S[k, y] the sum of the
weights of all words at a step from tag k to tag y, and A the matrix of the weights of going from
state to state (a state is a tag, or a pair of tags for order 2),

    Z = a (I - A)⁻¹ b,    A[k, y] = exp(transition[k, y]) S[k, y],

a and b the weights of beginning and ending. One solve gives h = (I - A)⁻¹ b, one with the transpose
u = a (I - A)⁻¹, and the expected number of times that a step is taken is u_k A[k, y] h_y / Z.

Z is infinite unless the spectral radius of A is below 1. That is decided, not guessed: see
:mod:`weft.grammars.sums.solve`.
"""

from __future__ import annotations

import numpy as np

from weft.arrays import FloatArray
from weft.derivations.chain.steps import steps_of, table_of, with_words
from weft.derivations.chain.vocabulary import Vocabulary, WordSums
from weft.derivations.derivation_set import OnlySums
from weft.grammars.sums.solve import solve_steps
from weft.grammars.sums.steps import StepWeights


class AllSentences(OnlySums):
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
        return _log(solve_steps(self._steps(self._vocabulary.at(theta))).partition)

    def evaluate(
        self, theta: FloatArray, coefficients: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return log Z [1] and its expectations times the coefficient [θ].

        Where the sum diverges there are no expectations: the gradient is then zero.
        """
        words = self._vocabulary.at(theta)
        steps = self._steps(words)
        found = solve_steps(steps)
        if not 0 < found.partition < np.inf:
            return _log(found.partition), np.zeros_like(theta)
        arriving = found.arriving / found.partition
        expected = StepWeights(
            steps.begin * found.leaving / found.partition,
            steps.expected(arriving, found.leaving),
            arriving * steps.end,
        )
        taken = table_of(self.topology, expected) * coefficients[0]
        gradient = words.expect(self.topology.within(taken), taken)
        return _log(found.partition), gradient

    def impossible(self, member: int) -> int | None:  # noqa: ARG002
        """None: some sentence always has a derivation."""
        return None

    def _steps(self, words: WordSums) -> StepWeights:
        return steps_of(self.topology, with_words(self.topology, words)).exp()


def _log(partition: float) -> FloatArray:
    with np.errstate(divide="ignore"):
        return np.array([np.log(partition)])
