"""Steps: the weights of beginning, of going from state to state and of ending.

They are the rules of a right-linear grammar, of a chain of tags for one: S → state, state → state
and state → ε. A state is a number, or a pair of numbers: then a step goes from [y₀, y₁] to
[y₁, y₂], and the matrix A of all steps is mostly zeros. It is kept as one block for each y₁, so
that a product with a vector costs n³ and not n⁴.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from weft.arrays import BoolArray, FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class StepWeights:
    """Weights, or their logs, or how often steps are expected.

    Attributes:
        begin: [states]: [n], or [n + 1 (what was before the beginning, too), n] for pairs.
        go: [groups, rows, columns]: one group [y₀, y₁], or for pairs groups y₁ [y₀, y₂].
        end: [states].
    """

    begin: FloatArray
    go: FloatArray
    end: FloatArray

    @property
    def parts(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """All three."""
        return self.begin, self.go, self.end

    @property
    def states(self) -> int:
        """How many states there are."""
        return self.begin.size

    @property
    def finite(self) -> bool:
        """Whether no weight has overflowed."""
        return all(np.isfinite(part).all() for part in self.parts)

    def exp(self) -> StepWeights:
        """Return the weights of which these are the logs, infinite where they are too large."""
        with np.errstate(over="ignore"):
            return StepWeights(*map(np.exp, self.parts))

    def before(self, state: FloatArray) -> FloatArray:
        """What stands at the beginning of each step, of numbers by state: [groups, rows, 1]."""
        groups, rows, _ = self.go.shape
        return state.reshape(rows, groups).T[:, :, None]

    def after(self, state: FloatArray) -> FloatArray:
        """What stands at the end of each step: [groups, 1, columns]."""
        groups, _, columns = self.go.shape
        return state.reshape(-1, columns)[:groups, None, :]

    def at_beginnings(self, numbers: FloatArray) -> FloatArray:
        """Numbers of the states that steps begin at [groups, rows], by state."""
        return np.ascontiguousarray(numbers.T).reshape(self.begin.shape)

    def at_ends(self, numbers: FloatArray, missing: float = 0.0) -> FloatArray:
        """Numbers of the states that steps end at [groups, columns], by state."""
        states = np.full(self.begin.shape, missing)
        states.reshape(-1, self.go.shape[2])[: len(self.go)] = numbers
        return states

    def leave(self, after: FloatArray) -> FloatArray:
        """What leaves a state by one step, A h [states], given what leaves the states after it."""
        if self.begin.ndim == 1:
            left: FloatArray = self.go[0] @ after
            return left
        return self.at_beginnings(np.matmul(self.go, self.after(after).swapaxes(1, 2))[:, :, 0])

    def arrive(self, before: FloatArray) -> FloatArray:
        """What arrives at a state by one step, u A [states], given what arrives at those before."""
        if self.begin.ndim == 1:
            arrived: FloatArray = before @ self.go[0]
            return arrived
        return self.at_ends(np.matmul(self.before(before).swapaxes(1, 2), self.go)[:, 0, :])

    def expected(self, before: FloatArray, after: FloatArray) -> FloatArray:
        """The terms of u A h, step by step: [groups, rows, columns]."""
        taken: FloatArray = self.before(before) * self.go * self.after(after)
        return taken

    def matrix(self, missing: float = 0.0) -> FloatArray:
        """A [states, states], with what is missing."""
        if self.begin.ndim == 1:
            only: FloatArray = self.go[0]
            return only
        groups, rows, columns = self.go.shape
        dense = np.full((rows, groups, rows, columns), missing)
        middle = np.arange(groups)
        dense[:, middle, middle, :] = self.go.transpose(1, 0, 2)
        return dense.reshape(self.states, self.states)


def useful_part(steps: StepWeights) -> tuple[StepWeights, BoolArray]:
    """Return the steps between states that are part of some sentence, and which those are.

    A state is of use if something arrives at it and it can come to an end. Others may have steps
    of any weight, and count for nothing.
    """
    there = (steps.go > 0).astype(np.float64)
    arcs = StepWeights(steps.begin, there, steps.end)
    useful = _closure(steps.begin > 0, arcs.arrive) & _closure(steps.end > 0, arcs.leave)
    if useful.all():
        return steps, useful
    mask = useful.astype(np.float64)
    kept = arcs.expected(mask, mask) > 0
    parts = zip((useful, kept, useful), steps.parts, strict=True)
    return StepWeights(*(np.where(where, part, 0.0) for where, part in parts)), useful


def _closure(start: BoolArray, spread: Callable[[FloatArray], FloatArray]) -> BoolArray:
    """The states that can be got to from some, whatever the number of steps."""
    reached, count = start, 0
    while (found := int(reached.sum())) > count:
        count = found
        reached = reached | (spread(reached.astype(np.float64)) > 0)
    return reached
