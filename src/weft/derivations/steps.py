"""The steps of a cyclic chain: the weights of beginning, of going from state to state, of ending.

For order 1 a state is a tag, for order 2 a pair of tags: a step goes from [y₀, y₁] to [y₁, y₂]. The
matrix A of all steps is then mostly zeros. It is kept as one block for each y₁, so that a product
with a vector costs tags³ and not tags⁴.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from weft.arrays import BoolArray, FloatArray
from weft.derivations.chain.topology import Topology


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """Weights, as they are and not their logs.

    Attributes:
        begin: [states]: [tags] for order 1, [tags + 1 (the boundary too), tags] for order 2.
        go: [groups, rows, columns]: one group [y₀, y₁] for order 1, groups y₁ [y₀, y₂] for order 2.
        end: [states].
    """

    begin: FloatArray
    go: FloatArray
    end: FloatArray

    @property
    def states(self) -> int:
        """How many states there are."""
        return self.begin.size

    @property
    def finite(self) -> bool:
        """Whether no weight has overflowed."""
        return all(np.isfinite(part).all() for part in (self.begin, self.go, self.end))

    def leave(self, after: FloatArray) -> FloatArray:
        """What leaves a state by one step, A h [states], given what leaves the states after it."""
        groups, _, columns = self.go.shape
        blocks = after.reshape(-1, columns)[:groups, :, None]
        left = np.matmul(self.go, blocks)[:, :, 0]
        return np.ascontiguousarray(left.T).reshape(after.shape)

    def arrive(self, before: FloatArray) -> FloatArray:
        """What arrives at a state by one step, u A [states], given what arrives at those before."""
        groups, rows, columns = self.go.shape
        blocks = before.reshape(rows, groups).T[:, None, :]
        arrived = np.zeros_like(before)
        arrived.reshape(-1, columns)[:groups] = np.matmul(blocks, self.go)[:, 0, :]
        return arrived

    def expected(self, before: FloatArray, after: FloatArray) -> FloatArray:
        """The terms of u A h, step by step: [groups, rows, columns]."""
        groups, rows, columns = self.go.shape
        arriving = before.reshape(rows, groups).T[:, :, None]
        taken: FloatArray = arriving * self.go * after.reshape(-1, columns)[:groups, None, :]
        return taken

    def matrix(self) -> FloatArray:
        """A [states, states], zeros included."""
        groups, rows, columns = self.go.shape
        if self.begin.ndim == 1:
            only: FloatArray = self.go[0]
            return only
        dense = np.zeros((rows, groups, rows, columns))
        middle = np.arange(groups)
        dense[:, middle, middle, :] = self.go.transpose(1, 0, 2)
        square: FloatArray = dense.reshape(self.states, self.states)
        return square


def steps_of(topology: Topology, transitions: FloatArray, totals: FloatArray) -> Steps:
    """Return the steps of a chain over the words of a vocabulary.

    Args:
        topology: The tags.
        transitions: [groups, width, width], log-weights of tag n-grams.
        totals: [width or 1, width], log-sums of the weights of all words after and with a tag.
    """
    tags = topology.tags
    words = totals[: tags + 1, :tags]  # of one previous tag, or of each and the boundary
    # Overflow to infinity is an answer here: the sum diverges.
    with np.errstate(over="ignore"):
        if topology.order == 1:
            weights = np.exp(transitions[0, : tags + 1, :tags] + words)
            end = np.exp(transitions[0, :tags, tags])
            return Steps(weights[tags], weights[None, :tags], end)
        weights = np.exp(transitions[: tags + 1, : tags + 1, :tags] + words[:, None, :])
        begin = np.zeros((tags + 1, tags))
        begin[tags] = weights[tags, tags]
        end = np.ascontiguousarray(np.exp(transitions[:tags, : tags + 1, tags]).T)
        return Steps(begin, weights[:tags], end)


def useful_part(steps: Steps) -> tuple[Steps, BoolArray]:
    """Return the steps between states that are part of some sentence, and which those are.

    A state is of use if something arrives at it and it can come to an end. Others may have steps
    of any weight, and count for nothing.
    """
    there = (steps.go > 0).astype(np.float64)
    arcs = Steps(steps.begin, there, steps.end)
    useful = _closure(steps.begin > 0, arcs.arrive) & _closure(steps.end > 0, arcs.leave)
    if useful.all():
        return steps, useful
    mask = useful.astype(np.float64)
    kept = arcs.expected(mask, mask) > 0
    parts = ((useful, steps.begin), (kept, steps.go), (useful, steps.end))
    return Steps(*(np.where(where, part, 0.0) for where, part in parts)), useful


def _closure(start: BoolArray, spread: Callable[[FloatArray], FloatArray]) -> BoolArray:
    """The states that can be got to from some, whatever the number of steps."""
    reached, count = start, 0
    while (found := int(reached.sum())) > count:
        count = found
        reached = reached | (spread(reached.astype(np.float64)) > 0)
    return reached
