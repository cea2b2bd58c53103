"""Stochastic subgradient ascent for strongly concave objectives, with averaging.

With N terms in K batches, step t = 1, 2, … goes a share ρ = 2 / (t + 1) of the way from where it
is to where the penalty would balance the batch's gradient g:

    θ ← (1 − ρ) θ + ρ (c + precision⁻¹ K g)

and the weights to keep are the mean of the iterates, the t-th counted t times: O(1/t) from the
optimum, however unsmooth the terms. Steps that all weights share, whatever their precision, make
it sparse: θ = c + scale × v, of which a step changes the scale, and the v that the batch touches.

References: Shalev-Shwartz, Singer and Srebro (2007), "Pegasos"; Lacoste-Julien, Schmidt and Bach
(2012), "A simpler approach to obtaining an O(1/t) convergence rate for the projected stochastic
subgradient method".
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from weft.arrays import FloatArray
from weft.optimise.batches import Problem
from weft.optimise.passes import (
    ByPasses,
    State,
    check_bounded,
    check_penalised,
    check_positive,
    state_of,
)
from weft.settings import setting


@dataclass(frozen=True)
class Subgradient(ByPasses):
    """Stochastic subgradient ascent.

    Attributes:
        batch: How many terms a batch has.
    """

    batch: int = setting(1, "the number of examples that a step looks at")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive(self, "batch")

    def check(self, problem: Problem) -> None:
        """Refuse weights without a penalty."""
        check_penalised(problem, "subgradient ascent")

    def begin(self, problem: Problem, start: FloatArray) -> State:
        """Return the state before the first pass."""
        arrays = {"weights": start, "sums": np.zeros(len(start)), "steps": np.zeros(1)}
        return state_of(arrays, (problem.value(start),), math.inf)

    def advance(self, problem: Problem, state: State) -> State:
        """Return the state after one more pass."""
        first, count = float(state.arrays["steps"][0]), problem.batch_count(self.batch)
        # Σ_t t (θ_t − c) = reach × v − drift, where the t-th iterate θ_t is c + scale_t × v_t.
        parts, drift = state.arrays["weights"] - problem.centre, np.zeros(problem.terms.size)
        scale, reach, value = 1.0, 0.0, 0.0
        batches = (
            cut.batch(number)
            for cut in problem.cuts(self.batch, self.seed)
            for number in cut.order(self.seed, state.passes)
        )
        for turn, batch in enumerate(batches, int(first) + 1):
            places = batch.places
            weights = problem.centre[places] + scale * parts[places]
            check_bounded(weights)
            found, gradient = batch(weights)
            value += found
            share = 2.0 / (turn + 1.0)
            if share == 1.0:
                parts[:], drift[:], scale, reach = 0.0, 0.0, 1.0, 0.0
            else:
                scale *= 1.0 - share
            move = share / scale * count / problem.precisions[places] * gradient
            parts[places] += move
            drift[places] += reach * move
            reach += turn * scale
        weights = problem.centre + scale * parts
        steps = _triangle(first + count) - _triangle(first)
        sums = state.arrays["sums"] + steps * problem.centre + reach * parts - drift
        moved = float(np.linalg.norm(weights - state.arrays["weights"]))
        arrays = {"weights": weights, "sums": sums, "steps": np.array([first + count])}
        return state_of(arrays, (*state.values, value - problem.penalty(weights)), moved)

    def weights(self, state: State) -> FloatArray:
        """[θ]: the weighted mean of the iterates."""
        steps = float(state.arrays["steps"][0])
        return state.arrays["sums"] / _triangle(steps) if steps else state.arrays["weights"]


def _triangle(count: float) -> float:
    """1 + 2 + … + count."""
    return count * (count + 1.0) / 2.0
