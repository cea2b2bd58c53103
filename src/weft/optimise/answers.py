"""Known answers of a block of terms, and shares of them: what Frank–Wolfe's dual is made of.

An *answer* is one linear piece of a term: θ·ψ − cost. A block's point is a mean of its known
answers; to move a share from one answer to another moves θ by P⁻¹ times the difference of their ψ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from weft.arrays import FloatArray, IntArray, dot, offsets_of
from weft.kernels import kernels
from weft.optimise.batches import Batch, Problem

_SETTLED = 1e-12  # answers whose gains differ by less, in proportion, are equally good


@dataclass(slots=True)
class Block:
    """The known answers of a block: at first what was observed, without features or costs.

    Attributes:
        offsets: [answers + 1], where each one's places and values begin.
        places: The coordinates where its ψ is not zero.
        values: ψ there.
        costs: [answers].
        shares: [answers], how much of the block's mean each is; they sum to 1.
        products: [answers, answers], ψᵀ P⁻¹ ψ′ of each pair; NaN where it is not known.
    """

    offsets: IntArray = field(default_factory=lambda: np.zeros(2, np.int64))
    places: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))
    values: FloatArray = field(default_factory=lambda: np.zeros(0))
    costs: FloatArray = field(default_factory=lambda: np.zeros(1))
    shares: FloatArray = field(default_factory=lambda: np.ones(1))
    products: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        self.products = np.full((len(self), len(self)), np.nan)

    def __len__(self) -> int:
        return len(self.costs)

    def add(self, places: IntArray, values: FloatArray, cost: float) -> None:
        """Add an answer, which has no share yet."""
        self.offsets = np.append(self.offsets, self.offsets[-1] + len(places))
        self.places = np.concatenate([self.places, places])
        self.values = np.concatenate([self.values, values])
        self.costs = np.append(self.costs, cost)
        self.shares = np.append(self.shares, 0.0)
        self.products = np.full((len(self), len(self)), np.nan)

    def forget(self) -> None:
        """Forget answers without a share: to keep them makes no run shorter."""
        keep, lengths = self.shares > 0.0, np.diff(self.offsets)
        items = np.repeat(keep, lengths)
        self.offsets = offsets_of(lengths[keep])
        self.places, self.values = self.places[items], self.values[items]
        self.costs, self.shares = self.costs[keep], self.shares[keep]


class Mover:
    """θ, and blocks that move it.

    Args:
        problem: What is maximised.
        weights: θ; changed in place.
    """

    def __init__(self, problem: Problem, weights: FloatArray) -> None:
        self.weights = weights
        self._variances = 1.0 / problem.precisions
        self._scratch = np.zeros_like(weights)

    def ask(self, batch: Batch, block: Block) -> None:
        """Add the best answer to the known ones, if it is better than all of these."""
        value, features = batch(self.weights[batch.places])
        gains = np.empty(len(block))
        answers = block.offsets, block.places, block.values, block.costs
        kernels.answer_gains(*answers, self.weights, gains)
        # value = θ·ψ − cost, whatever the scores that do not depend on θ.
        if -value <= gains.max():
            return
        used = np.flatnonzero(features)
        places = used if isinstance(batch.places, slice) else batch.places[used]
        values = features[used]
        block.add(places, values, dot(self.weights[places], values) - value)

    def settle(self, block: Block) -> float:
        """Move shares from the worst answers to the best; return by how much −D fell."""
        if len(block) == 1:
            return 0.0
        return kernels.move_shares(
            block.offsets,
            block.places,
            block.values,
            block.costs,
            self._variances,
            _SETTLED,
            self.weights,
            block.shares,
            block.products,
            np.empty((2, len(block))),
            self._scratch,
        )


def pack(blocks: Sequence[Block]) -> dict[str, FloatArray]:
    """Return blocks as arrays of numbers."""
    names = ("places", "values", "costs", "shares")
    joined = {
        name: np.concatenate([np.zeros(0), *(getattr(each, name) for each in blocks)])
        for name in names
    }
    lengths = [np.diff(each.offsets) for each in blocks]
    return {
        **joined,
        "answers": np.array([len(each) for each in blocks], np.float64),
        "lengths": np.concatenate([np.zeros(0), *lengths]),
    }


def unpack(arrays: Mapping[str, FloatArray]) -> list[Block]:
    """Return the blocks that were packed."""
    answers = np.cumsum(arrays["answers"]).astype(np.int64)
    lengths = arrays["lengths"].astype(np.int64)
    items = offsets_of(lengths)[answers]
    rows = zip(
        np.split(lengths, answers[:-1]),
        np.split(arrays["places"].astype(np.int64), items[:-1]),
        np.split(arrays["values"], items[:-1]),
        np.split(arrays["costs"], answers[:-1]),
        np.split(arrays["shares"].copy(), answers[:-1]),
        strict=True,
    )
    return [
        Block(offsets_of(sizes), places, values, costs, shares)
        for sizes, places, values, costs, shares in rows
    ]
