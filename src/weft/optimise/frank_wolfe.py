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

F(θ) ≤ F(θ*) ≤ −D for every θ: the *duality gap* −D − F(θ) certifies how far θ is from the optimum
at most, and ends the run when it is small.

References: Lacoste-Julien, Jaggi, Schmidt and Pletscher (2013), "Block-Coordinate Frank-Wolfe
Optimization for Structural SVMs", algorithm 4; Shah, Kolmogorov and Lampert (2015), "A Multi-Plane
Block-Coordinate Frank-Wolfe Algorithm", for known answers; Osokin et al. (2016), "Minding the Gaps
for Block Frank-Wolfe", for pairs of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from weft.arrays import FloatArray, IntArray, dot
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

_SETTLED = 1e-12  # answers whose gains differ by less, in proportion, are equally good


@dataclass(frozen=True)
class FrankWolfe(ByPasses):
    """Block-coordinate Frank–Wolfe.

    Attributes:
        batch: How many terms a block has.
        gap: Stop when the duality gap is no more, in proportion to the value.
        inner: How often known answers are gone over in a pass.
    """

    epochs: int = setting(100, "the largest number of passes over the corpus", key="iterations")
    tolerance: float = 0.0
    batch: int = setting(1, "the number of examples that a step looks at")
    gap: float = setting(1e-3, "the duality gap, relative to the value, at which training ends")
    inner: int = setting(10, "how often known answers are gone over before new ones are asked for")

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
        count = len(problem.batches(self.batch))
        blocks = [_Block() for _ in range(count)]
        return self._state(problem, problem.centre.copy(), blocks, ())

    def advance(self, problem: Problem, state: State) -> State:
        """Return the state after one more pass."""
        batches = problem.batches(self.batch)
        blocks = _unpacked(state, len(batches))
        walk = _Walk(problem, state.arrays["weights"].copy())
        order = shuffled(len(batches), self.seed, state.passes).tolist()
        for number in order:
            walk.ask(batches[number], blocks[number])
            walk.settle(blocks[number])
        for _ in range(self.inner):
            for number in order:
                walk.settle(blocks[number])
        return self._state(problem, walk.weights, blocks, state.values)

    def _state(
        self,
        problem: Problem,
        weights: FloatArray,
        blocks: Sequence[_Block],
        values: tuple[float, ...],
    ) -> State:
        total = problem.precisions * (weights - problem.centre)
        costs = sum(dot(np.array(each.costs), np.array(each.shares)) for each in blocks)
        upper = problem.penalty(weights) + dot(problem.centre, total) - costs
        value = problem.value(weights)
        return state_of(_packed(weights, blocks), (*values, value), max(upper - value, 0.0))

    def arrived(self, state: State) -> Reason | None:
        """Return why there is nothing more to do, if so."""
        if state.norm <= self.gap * max(1.0, abs(state.values[-1])):
            return Reason.GAP
        return super().arrived(state)

    def weights(self, state: State) -> FloatArray:
        """[θ]."""
        return state.arrays["weights"]


@dataclass(slots=True)
class _Block:
    """The known answers of a block: at first what was observed, without features or costs.

    Attributes:
        places: The coordinates where each answer's ψ is not zero.
        values: ψ there.
        costs: The cost of each.
        shares: How much of the block's mean each is; they sum to 1.
        products: ψᵀ P⁻¹ ψ′ of each pair.
    """

    places: list[IntArray] = field(default_factory=lambda: [np.zeros(0, np.int64)])
    values: list[FloatArray] = field(default_factory=lambda: [np.zeros(0)])
    costs: list[float] = field(default_factory=lambda: [0.0])
    shares: list[float] = field(default_factory=lambda: [1.0])
    products: list[list[float]] = field(default_factory=lambda: [[0.0]])


class _Walk:
    """One pass: θ, and blocks that change it."""

    def __init__(self, problem: Problem, weights: FloatArray) -> None:
        self.weights = weights
        self.variances = 1.0 / problem.precisions
        self.scratch = np.zeros_like(weights)

    def gains(self, block: _Block) -> list[float]:
        """How fast −D falls as the share of each answer grows."""
        pairs = zip(block.places, block.values, block.costs, strict=True)
        return [cost - dot(values, self.weights[places]) for places, values, cost in pairs]

    def ask(self, batch: Batch, block: _Block) -> None:
        """Add the best answer to the known ones, if it is better than all of these."""
        value, features = batch(self.weights[batch.places])
        used = np.flatnonzero(features)
        places = used if isinstance(batch.places, slice) else batch.places[used]
        values = features[used]
        # value = θ·ψ − cost, whatever the scores that do not depend on θ.
        if -value <= max(self.gains(block)):
            return
        block.costs.append(dot(self.weights[places], values) - value)
        block.places.append(places)
        block.values.append(values)
        block.shares.append(0.0)
        self.multiply(block, len(block.products))

    def multiply(self, block: _Block, number: int) -> None:
        """Add the products of an answer with itself and those before it."""
        places, values = block.places[number], block.values[number]
        self.scratch[places] = values * self.variances[places]
        row = [
            dot(block.values[other], self.scratch[block.places[other]])
            for other in range(number + 1)
        ]
        self.scratch[places] = 0.0
        for other, product in enumerate(row[:-1]):
            block.products[other].append(product)
        block.products.append(row)

    def settle(self, block: _Block) -> None:
        """Move shares from the worst answers that have some to the best ones."""
        if len(block.costs) == 1:
            return
        while len(block.products) < len(block.costs):
            self.multiply(block, len(block.products))
        gains, before, shares = self.gains(block), list(block.shares), block.shares
        numbers = range(len(gains))
        for _ in numbers:  # more would be wasted while other blocks move θ
            best = max(numbers, key=gains.__getitem__)
            worst = min((n for n in numbers if shares[n] > 0.0), key=gains.__getitem__)
            more, less = block.products[best], block.products[worst]
            slope = gains[best] - gains[worst]
            if slope <= _SETTLED * max(1.0, abs(gains[best])):
                break
            curvature = more[best] + less[worst] - 2.0 * more[worst]
            move = min(slope / curvature, shares[worst]) if curvature > 0.0 else shares[worst]
            shares[best] += move
            shares[worst] -= move
            gains = [gains[n] - move * (more[n] - less[n]) for n in numbers]
        for number in numbers:
            change = shares[number] - before[number]
            if change:
                places = block.places[number]
                self.weights[places] += change * block.values[number] * self.variances[places]


def _packed(weights: FloatArray, blocks: Sequence[_Block]) -> dict[str, FloatArray]:
    """The answers that have a share, as arrays."""
    kept = [
        (number, each.places[n], each.values[n], each.costs[n], share)
        for number, each in enumerate(blocks)
        for n, share in enumerate(each.shares)
        if share > 0.0
    ]
    owners, places, values, costs, shares = zip(*kept, strict=True) if kept else ((),) * 5
    return {
        "weights": weights,
        "owners": np.array(owners, np.float64),
        "lengths": np.array([len(each) for each in places], np.float64),
        "places": np.concatenate([np.zeros(0), *places]),
        "values": np.concatenate([np.zeros(0), *values]),
        "costs": np.array(costs, np.float64),
        "shares": np.array(shares, np.float64),
    }


def _unpacked(state: State, count: int) -> list[_Block]:
    arrays = state.arrays
    blocks = [_Block([], [], [], [], []) for _ in range(count)]
    cuts = np.cumsum(arrays["lengths"]).astype(np.int64)[:-1]
    rows = zip(
        arrays["owners"].astype(np.int64).tolist(),
        np.split(arrays["places"].astype(np.int64), cuts),
        np.split(arrays["values"], cuts),
        arrays["costs"].tolist(),
        arrays["shares"].tolist(),
        strict=False,
    )
    for owner, places, values, cost, share in rows:
        block = blocks[owner]
        block.places.append(places)
        block.values.append(values)
        block.costs.append(cost)
        block.shares.append(share)
    return blocks
