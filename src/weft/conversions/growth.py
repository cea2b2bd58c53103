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
from weft.derivations.chain.topology import Topology
from weft.derivations.vocabulary import WordSums
from weft.errors import EvidenceError, OptionError
from weft.models.chain.model import ChainModel
from weft.models.options import Normalisation

MOST_NUMBERS = 50_000_000
"""Nothing is made that has more numbers than this: 400 megabytes of them."""

_ENOUGH = 1e-13
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """The log-weights of a chain's steps with their words summed.

    Attributes:
        begin: [states].
        go: [states, states].
        end: [states].
    """

    begin: FloatArray
    go: FloatArray
    end: FloatArray

    def within(self, states: BoolArray) -> Steps:
        """Return the same among some of the states."""
        return Steps(self.begin[states], self.go[np.ix_(states, states)], self.end[states])

    @property
    def useful(self) -> BoolArray:
        """[states]: those that some sentence passes."""
        arcs = np.isfinite(self.go)
        forwards = _reached(arcs, np.isfinite(self.begin))
        return forwards & _reached(arcs.T, np.isfinite(self.end))


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


def useful_steps(model: ChainModel, weights: FloatArray) -> tuple[Steps, BoolArray]:
    """Return the steps of a model among the states that sentences pass, and which these are.

    Raises:
        EvidenceError: If there are none.
    """
    steps = steps_of(model, weights)
    useful = steps.useful
    if not useful.any():
        raise EvidenceError(
            "the model gives no sentence of its vocabulary any weight: every word is excluded by "
            "the dictionary, or no tag can both follow the start and lead to the end"
        )
    return steps.within(useful), useful


def steps_of(model: ChainModel, weights: FloatArray) -> Steps:
    """Return the log-weights of all steps, those of words summed; see the module."""
    if model.normalisation is Normalisation.CONDITIONAL:
        raise OptionError(
            "a MEMM gives words no weights, so that nothing grows with their number: convert it "
            "into an MRF first (--to mrf)"
        )
    topology = model.topology
    check_size(state_count(topology) ** 2, "the matrix of its steps", "fewer tags, or order 1")
    words = model.words.at(weights)
    return _steps(topology, _with_words(topology, words, model.normalisation))


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


def _with_words(topology: Topology, words: WordSums, normalisation: Normalisation) -> FloatArray:
    """[groups, width, width]: the log-weights of transitions with all words."""
    transitions, totals = words.steps.transitions, words.totals
    if normalisation is Normalisation.JOINT:
        return log_shares(step_weights(topology, transitions, totals))
    totals = np.broadcast_to(totals, (topology.width, topology.width)).copy()
    totals[:, topology.tags :] = 0.0
    table: FloatArray = transitions + (totals[None] if topology.order == 1 else totals[:, None, :])
    return table


def _steps(topology: Topology, table: FloatArray) -> Steps:
    tags = topology.tags
    if topology.order == 1:
        return Steps(table[0, tags, :tags], table[0, :tags, :tags], table[0, :tags, tags])
    # States are pairs [y₁ (the boundary too), y₂]; a step goes from [y₀, y₁] to [y₁, y₂].
    size = (tags + 1) * tags
    go = np.full((tags + 1, tags, tags + 1, tags), -np.inf)
    middle = np.arange(tags)
    go[:, middle, middle, :] = table[:tags, : tags + 1, :tags].transpose(1, 0, 2)
    begin = np.full((tags + 1, tags), -np.inf)
    begin[tags] = table[tags, tags, :tags]
    end = table[:tags, : tags + 1, tags].T
    return Steps(begin.reshape(-1), go.reshape(size, size), end.reshape(-1))


def _reached(arcs: BoolArray, start: BoolArray) -> BoolArray:
    reached, frontier = start.copy(), start
    while frontier.any():
        frontier = arcs[frontier].any(axis=0) & ~reached
        reached |= frontier
    return reached


def log_growth(steps: Steps) -> float:
    """Return the log of the growth rate, -inf if there is a longest sentence."""
    arcs = np.isfinite(steps.go)
    return max((_log_radius(steps.go[np.ix_(c, c)]) for c in _components(arcs)), default=-np.inf)


def _components(arcs: BoolArray) -> list[IntArray]:
    """The strongly connected components that have a cycle."""
    found: list[IntArray] = []
    left = np.ones(len(arcs), np.bool_)
    while True:
        # What nothing left leads to, or what leads nowhere, is on no cycle.
        inner = left & arcs[left].any(axis=0) & arcs[:, left].any(axis=1)
        if (inner != left).any():
            left = inner
            continue
        if not left.any():
            return found
        one = np.zeros(len(arcs), np.bool_)
        one[np.flatnonzero(left)[0]] = True
        among = arcs & left[:, None] & left[None, :]
        component = _reached(among, one) & _reached(among.T, one)
        if arcs[np.ix_(component, component)].any():
            found.append(np.flatnonzero(component))
        left &= ~component


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
