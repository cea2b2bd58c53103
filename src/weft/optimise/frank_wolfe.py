"""Block-coordinate Frank–Wolfe for margins: the dual of a penalised sum of hinges.

With terms f_i(θ) = min_y (θ · ψ_i(y) − cost_i(y)), precisions P and centre c, the maximum of

    F(θ) = Σ_i f_i(θ) − ½ (θ − c)ᵀ P (θ − c)

is the minimum of −D: with u_i a mean of the ψ_i(y) and l_i the same mean of the costs,

    −D = c·u + ½ uᵀ P⁻¹ u − Σ_i l_i,   u = Σ_i u_i,   θ = c + P⁻¹ u.

A step takes a batch of terms, asks for their best answers at θ, and goes towards these by as much
as lowers −D most, which is known in closed form. F(θ) ≤ F(θ*) ≤ −D for every θ: the *duality gap*
−D − F(θ) certifies how far θ is from the optimum at most, and ends the run when it is small.

Reference: Lacoste-Julien, Jaggi, Schmidt and Pletscher (2013), "Block-Coordinate Frank-Wolfe
Optimization for Structural SVMs", algorithm 4.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weft.arrays import FloatArray, dot, offsets_of
from weft.errors import OptionError
from weft.optimise.batches import Batch, Problem, shuffled
from weft.optimise.passes import (
    ByPasses,
    State,
    check_hinges,
    check_penalised,
    check_positive,
    state_of,
)
from weft.optimise.solution import Reason
from weft.settings import setting


@dataclass(frozen=True)
class FrankWolfe(ByPasses):
    """Block-coordinate Frank–Wolfe.

    Attributes:
        batch: How many terms a block has.
        gap: Stop when the duality gap is no more, in proportion to the value.
    """

    epochs: int = setting(100, "the largest number of passes over the corpus", key="iterations")
    tolerance: float = 0.0
    batch: int = setting(1, "the number of examples that a step looks at")
    gap: float = setting(1e-3, "the duality gap, relative to the value, at which training ends")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive(self, "batch", "gap")

    def check(self, problem: Problem) -> None:
        """Refuse terms that are no hinges, and weights without a penalty."""
        check_hinges(problem, "Frank–Wolfe")
        if not problem.terms.concave:
            raise OptionError(
                "margins of examples with several observed analyses are not concave in the "
                "weights, and so have no dual: use subgradient or pa, or complete labels"
            )
        check_penalised(problem, "Frank–Wolfe")

    def begin(self, problem: Problem, start: FloatArray) -> State:  # noqa: ARG002
        """Return the state before the first pass: the centre, where all answers are as observed."""
        blocks = problem.batches(self.batch)
        lengths = [_length(each, problem) for each in blocks]
        arrays = {
            "weights": problem.centre.copy(),
            "features": np.zeros(sum(lengths)),
            "costs": np.zeros(len(blocks)),
        }
        return self._state(problem, arrays, ())

    def advance(self, problem: Problem, state: State) -> State:
        """Return the state after one more pass."""
        blocks = problem.batches(self.batch)
        arrays = {name: each.copy() for name, each in state.arrays.items()}
        offsets = offsets_of(_length(each, problem) for each in blocks)
        for number in shuffled(len(blocks), self.seed, state.passes).tolist():
            mine = slice(*offsets[number : number + 2].tolist())
            _step(problem, blocks[number], arrays, mine, number)
        return self._state(problem, arrays, state.values)

    def _state(
        self, problem: Problem, arrays: dict[str, FloatArray], values: tuple[float, ...]
    ) -> State:
        weights = arrays["weights"]
        total = problem.precisions * (weights - problem.centre)
        upper = problem.penalty(weights) + dot(problem.centre, total) - float(arrays["costs"].sum())
        value = problem.value(weights)
        return state_of(arrays, (*values, value), max(upper - value, 0.0))

    def arrived(self, state: State) -> Reason | None:
        """Return why there is nothing more to do, if so."""
        if state.norm <= self.gap * max(1.0, abs(state.values[-1])):
            return Reason.GAP
        return super().arrived(state)

    def weights(self, state: State) -> FloatArray:
        """[θ]."""
        return state.arrays["weights"]


def _length(block: Batch, problem: Problem) -> int:
    return problem.terms.size if isinstance(block.places, slice) else len(block.places)


def _step(
    problem: Problem, block: Batch, arrays: dict[str, FloatArray], mine: slice, number: int
) -> None:
    """Go from a block's mean towards its best answers."""
    places = block.places
    weights = arrays["weights"][places]
    value, features = block(weights)
    # value = θ·ψ − cost, whatever the scores that do not depend on θ.
    costs = dot(weights, features) - value
    before = arrays["features"][mine]
    direction, more = features - before, costs - float(arrays["costs"][number])
    slope = more - dot(weights, direction)
    move = direction / problem.precisions[places]
    curvature = dot(direction, move)
    if slope <= 0.0:
        return
    share = min(slope / curvature, 1.0) if curvature > 0.0 else 1.0
    arrays["features"][mine] = before + share * direction
    arrays["costs"][number] += share * more
    arrays["weights"][places] = weights + share * move
