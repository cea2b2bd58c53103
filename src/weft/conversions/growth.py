"""How fast the weight of long sentences grows.

Of a chain over a finite vocabulary, let A be the matrix of the weights of going from state to state
with the weights of all words summed, a and b those of beginning and ending (a state is a tag, or
a pair of tags for order 2). All sentences of n words together weigh Z_n = a Aⁿ⁻¹ b, and

    ρ = limsup Z_n^(1/n),

the *growth rate*, is the spectral radius of A on the states that sentences pass. Dividing each step
by a scale c leaves the distribution of tags given words as it is, and makes the sum over all
sentences finite for c > ρ: the smallest constant that theorem 1 of Smith & Johnson (2007) leaves
open. A chain does not attain it, since Z(c) has a pole at ρ.

Weights may be of any size: the heaviest cycle (Karp 1978) is brought to weight 1 in logs before
anything is exponentiated, and inverse iteration (Noda 1971) then comes down to ρ from above.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weft.arrays import BoolArray, FloatArray, IntArray
from weft.derivations.chain.locally_normalised import log_shares, step_weights
from weft.derivations.chain.steps import steps_of, with_words
from weft.derivations.chain.topology import Topology
from weft.errors import EvidenceError, OptionError
from weft.grammars.sums.steps import StepWeights, useful_part
from weft.inference.components import components
from weft.models.chain.model import ChainModel
from weft.models.options import Normalisation

MOST_NUMBERS = 50_000_000
"""Nothing is made that has more numbers than this: 400 megabytes of them."""

_ENOUGH = 1e-13
_ROUNDING = 1e-12


def growth_rate(model: ChainModel, weights: FloatArray) -> float:
    """Return by how much all sentences of n + 1 words outweigh those of n, in the long run.

    Args:
        model: A chain whose templates look at one word.
        weights: Its weights [θ].

    Returns:
        The rate: 0 if there is a longest sentence, infinity where it is too large for a number.
        The sum over all sentences is finite if it is below 1.

    Raises:
        OptionError: If a template looks beyond one word, or the model is a MEMM, which has no
            weights of words; or if there are too many states.
        EvidenceError: If the model has no sentence at all.

    >>> import numpy as np
    >>> from weft import Chain, example, templates
    >>> from weft.models import prepare
    >>> model = prepare(Chain(templates=templates("word[0]")), [example(["a", "b"], ["X", "X"])])
    >>> round(growth_rate(model, np.zeros(model.parameters.size)), 12)  # one tag, two words
    2.0
    """
    with np.errstate(over="ignore"):
        return float(np.exp(log_growth(useful_steps(model, weights)[0])))


def useful_steps(model: ChainModel, weights: FloatArray) -> tuple[StepWeights, BoolArray]:
    """Return the log-steps of a model among the states that sentences pass, and which these are.

    Raises:
        EvidenceError: If there are none.
    """
    steps = log_steps(model, weights)
    there = StepWeights(*(np.isfinite(part).astype(np.float64) for part in steps.parts))
    useful = useful_part(there)[1].reshape(-1)
    if not useful.any():
        raise EvidenceError(
            "the model gives no sentence of its vocabulary any weight: every word is excluded by "
            "the dictionary, or no tag can both follow the start and lead to the end"
        )
    begin, end = steps.begin.reshape(-1)[useful], steps.end.reshape(-1)[useful]
    go = steps.matrix(-np.inf)[np.ix_(useful, useful)]
    return StepWeights(begin, go[None], end), useful


def log_steps(model: ChainModel, weights: FloatArray) -> StepWeights:
    """Return the log-weights of all steps, those of words summed; see the module."""
    if model.normalisation is Normalisation.CONDITIONAL:
        raise OptionError(
            "a MEMM gives words no weights, so that nothing grows with their number: convert it "
            "into an MRF first (--to mrf)"
        )
    topology = model.topology
    check_size(state_count(topology) ** 2, "the matrix of its steps", "fewer tags, or order 1")
    words = model.words.at(weights)
    if model.normalisation is not Normalisation.JOINT:
        return steps_of(topology, with_words(topology, words))
    shares = log_shares(step_weights(topology, words.steps.transitions, words.totals))
    return steps_of(topology, shares)


def check_size(numbers: int, what: str, advice: str) -> None:
    """Refuse what would not fit into memory.

    Raises:
        OptionError: If there are more than :data:`MOST_NUMBERS`.
    """
    if numbers > MOST_NUMBERS:
        raise OptionError(
            f"{what} would have {numbers:,} numbers, and at most {MOST_NUMBERS:,} are allowed: "
            f"use {advice}"
        )


def state_count(topology: Topology) -> int:
    """The tags, or the pairs of them that a chain of order 2 remembers.

    >>> from weft.structures.evidence import example
    >>> from weft.models import Chain, prepare
    >>> state_count(prepare(Chain(order=2), [example(["a", "b"], ["X", "Y"])]).topology)
    6
    """
    return topology.tags if topology.order == 1 else (topology.tags + 1) * topology.tags


def log_growth(steps: StepWeights) -> float:
    """Return the log of the growth rate, -inf if there is a longest sentence."""
    go = steps.go[0]
    sources, targets = np.nonzero(np.isfinite(go))
    found = components(len(go), sources, targets)
    members = (np.flatnonzero(found.numbers == c) for c in np.flatnonzero(found.cyclic))
    return max((_log_radius(go[np.ix_(each, each)]) for each in members), default=-np.inf)


@dataclass(frozen=True, slots=True, eq=False)
class _Arcs:
    """The arcs of a matrix whose every row has one, by row."""

    starts: IntArray  # [rows]
    columns: IntArray
    weights: FloatArray

    @classmethod
    def of(cls, matrix: FloatArray) -> _Arcs:
        rows, columns = np.nonzero(np.isfinite(matrix))
        return cls(np.flatnonzero(np.diff(rows, prepend=-1)), columns, matrix[rows, columns])

    def best(self, values: FloatArray) -> FloatArray:
        """[rows]: max_y weight[k, y] + value[y]."""
        best: FloatArray = np.maximum.reduceat(self.weights + values[self.columns], self.starts)
        return best


def _log_radius(matrix: FloatArray) -> float:
    """The log of the spectral radius of an irreducible matrix, given its logs."""
    size, arcs = len(matrix), _Arcs.of(matrix)
    mean = _heaviest_cycle(size, arcs)
    # What is heaviest from a state on: no entry is then above 1, and some cycle has only ones.
    potential = np.full(size, -np.inf)
    potential[0] = 0.0
    relative = _Arcs(arcs.starts, arcs.columns, arcs.weights - mean)
    rounding = _ROUNDING * (1 + np.abs(arcs.weights).max())
    for _ in range(size):
        longer = np.maximum(potential, relative.best(potential))
        # The heaviest cycle's weight is zero but for rounding, which would go round and round.
        if (longer <= potential + rounding).all():
            break
        potential = longer
    return mean + _radius_of_balanced(matrix - mean, potential)


def _heaviest_cycle(size: int, arcs: _Arcs) -> float:
    """The largest mean weight of an arc of a cycle: max_k min_t (d_n(k) - d_t(k)) / (n - t)."""
    walks = np.full((size + 1, size), -np.inf)
    walks[0, 0] = 0.0
    for length in range(size):
        walks[length + 1] = arcs.best(walks[length])
    with np.errstate(invalid="ignore"):
        means = (walks[size] - walks[:size]) / np.arange(size, 0, -1)[:, None]
    means[np.isneginf(walks[:size])] = np.inf
    lowest = means.min(axis=0)
    return float(lowest[np.isfinite(walks[size])].max())


def _radius_of_balanced(matrix: FloatArray, potential: FloatArray) -> float:
    """Noda's iteration: the largest (A x)_k / x_k is an upper bound, and falls to the radius."""
    rate = np.inf
    for _ in range(100):
        entries = np.exp(matrix + potential - potential[:, None])
        sums = entries.sum(axis=1)
        largest = float(np.log(sums.max()))
        if not largest < rate or np.ptp(sums) <= _ENOUGH * sums.max():
            return min(rate, largest)
        rate = largest
        try:
            following = np.linalg.solve(
                np.eye(len(sums)) - entries / sums.max(), np.ones(len(sums))
            )
        except np.linalg.LinAlgError:  # the bound is the radius
            return rate
        if not (np.isfinite(following).all() and (following > 0).all()):
            return rate
        potential = potential + np.log(following)
    return rate
