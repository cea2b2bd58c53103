"""Block-coordinate Frank–Wolfe for margins: the dual of a penalised sum of hinges.

With terms f_i(θ) = min_y (θ · ψ_i(y) − cost_i(y)), precisions P and centre c, the maximum of

    F(θ) = Σ_i f_i(θ) − ½ (θ − c)ᵀ P (θ − c)

is the minimum of −D: with u_i a mean of the ψ_i(y) and l_i the same mean of the costs,

    −D = c·u + ½ uᵀ P⁻¹ u − Σ_i l_i,   u = Σ_i u_i,   θ = c + P⁻¹ u.

A step takes a *block*, a batch of terms, asks for their best answers at θ, and adds these to the
answers of the block that are known. Among the known ones it moves shares from the worst to the
best, by as much as lowers −D most, which is known in closed form, until none is better than
another. Blocks are gone over several times before new answers are asked for: that is cheap, and a
gap that falls as 1/t with one answer at a time falls geometrically.

−D falls with every step, but F(θ) does not always rise. The weights are those of the pass with the
highest F(θ) so far. F(θ) ≤ F(θ*) ≤ −D for every θ: their *duality gap* −D − F(θ) certifies how far
they are from the optimum at most, and ends the run when it is small.

References: Lacoste-Julien, Jaggi, Schmidt and Pletscher (2013), "Block-Coordinate Frank-Wolfe
Optimization for Structural SVMs", algorithm 4; Shah, Kolmogorov and Lampert (2015), "A Multi-Plane
Block-Coordinate Frank-Wolfe Algorithm", for known answers; Osokin et al. (2016), "Minding the Gaps
for Block Frank-Wolfe", for pairs of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from weft.arrays import FloatArray, dot
from weft.errors import OptionError
from weft.optimise.answers import Block, Mover, pack, unpack
from weft.optimise.batches import Problem, shuffled
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

_WORTH = 0.05  # rounds over known answers end when they gain less, in proportion to new ones


@dataclass(frozen=True)
class FrankWolfe(ByPasses):
    """Block-coordinate Frank–Wolfe.

    Attributes:
        batch: How many terms a block has.
        gap: Stop when the duality gap is no more, in proportion to the value.
        inner: How often known answers are gone over in a pass.
        only_concave: Whether training goes by subgradient ascent where there is no dual, rather
            than being refused: where an example has several observed analyses, or is of a stream.
    """

    epochs: int = setting(1000, "the largest number of passes over the corpus", key="iterations")
    tolerance: float = 0.0
    batch: int = setting(1, "the number of examples that a step looks at")
    gap: float = setting(1e-3, "the duality gap, relative to the value, at which training ends")
    inner: int = setting(10, "how often known answers are gone over before new ones are asked for")
    only_concave: bool = False

    streams: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive(self, "batch", "gap")
        if self.inner < 0:
            raise OptionError(f"inner must be at least 0, not {self.inner}")

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
        blocks = [Block() for _ in problem.batches(self.batch)]
        return self._state(problem, problem.centre.copy(), blocks)

    def advance(self, problem: Problem, state: State) -> State:
        """Return the state after one more pass."""
        batches, blocks = problem.batches(self.batch), unpack(state.arrays)
        mover = Mover(problem, state.arrays["weights"].copy())
        order = shuffled(len(batches), self.seed, state.passes).tolist()
        fell = 0.0
        for number in order:
            mover.ask(batches[number], blocks[number])
            fell += mover.settle(blocks[number])
        for _ in range(self.inner):
            if sum(mover.settle(blocks[number]) for number in order) < _WORTH * fell:
                break
        for block in blocks:
            block.forget()
        return self._state(problem, mover.weights, blocks, state)

    def _state(
        self,
        problem: Problem,
        weights: FloatArray,
        blocks: Sequence[Block],
        before: State | None = None,
    ) -> State:
        total = problem.precisions * (weights - problem.centre)
        costs = sum(dot(each.costs, each.shares) for each in blocks)
        upper = problem.penalty(weights) + dot(problem.centre, total) - costs
        best, value = weights, problem.value(weights)
        values = before.values if before else ()
        if before is not None and values[-1] >= value:
            best, value = before.arrays["best"], values[-1]
        arrays = {"weights": weights, "best": best, **pack(blocks)}
        return state_of(arrays, (*values, value), max(upper - value, 0.0))

    def arrived(self, state: State) -> Reason | None:
        """Return why there is nothing more to do, if so."""
        if state.norm <= self.gap * max(1.0, abs(state.values[-1])):
            return Reason.GAP
        return super().arrived(state)

    def weights(self, state: State) -> FloatArray:
        """[θ]: the best so far."""
        return state.arrays["best"]
