"""Stochastic gradient ascent on batches: SGD, AdaGrad and Adam, with averaging.

With N terms in K batches, a step s takes the gradient g of K/N times one batch, and goes

    θ_j ← c_j + (θ_j − c_j) exp(−η D_j precision_j / N) + η D_j g_j

where c is what costs nothing, η the rate, which is the same throughout a pass, and D

    SGD      1
    AdaGrad  1 / √(the sum of the squares of all g_j)
    Adam     1 / (√(their decaying mean) + ε), and a decaying mean of g_j in the place of g_j

The factor is the penalty's own gradient flow, followed for a step. Weights that a batch does not
touch keep their D, and so the factors of k steps are one factor, and the sum of k iterates is that
of a geometric series: a step costs in proportion to what it touches, and nothing is left out.
Adam's means, too, are over the batches that touch a weight.

References: Bottou (2010), "Large-Scale Machine Learning with Stochastic Gradient Descent"; Duchi,
Hazan and Singer (2011), "Adaptive Subgradient Methods"; Kingma and Ba (2015), "Adam"; Polyak and
Juditsky (1992), "Acceleration of Stochastic Approximation by Averaging".
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from weft.arrays import FloatArray
from weft.errors import OptionError
from weft.optimise.batches import Batch, Cut, Places, Problem
from weft.optimise.passes import ByPasses, State, check_bounded, check_positive, state_of
from weft.settings import setting

Arrays = dict[str, FloatArray]
_WARM, _SMALL = 0.9, 1e-8
_FLAT = 300.0  # weights that decay by e to this power in a pass would underflow


@dataclass(frozen=True)
class Stochastic(ByPasses):
    """What the three have in common.

    Attributes:
        rate: η in the first pass.
        decay: In pass e, counted from 0, η is rate / (1 + decay e).
        batch: How many terms a batch has.
        average: Over which share of the passes, the last ones, weights are averaged; 0 for none.
    """

    rate: float = setting(1.0, "how far a step goes along the gradient of a mean example")
    decay: float = setting(0.1, "by how much the rate falls: in pass e it is rate / (1 + decay e)")
    batch: int = setting(8, "the number of examples that a step looks at")
    average: float = setting(
        0.5, "over which share of the passes, the last ones, weights are averaged; 0 is none"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive(self, "rate", "batch")
        if not (0 <= self.decay < math.inf and 0 <= self.average <= 1):
            raise OptionError("decay must be finite and ≥ 0, and average a share, from 0 to 1")

    @abstractmethod
    def learn(self, arrays: Arrays, places: Places, gradient: FloatArray) -> FloatArray:
        """Take in a batch's gradient, and return the direction, before D."""

    @abstractmethod
    def scales(self, arrays: Arrays, places: Places) -> FloatArray | float:
        """[places]: D."""

    def memory(self, size: int) -> Arrays:  # noqa: ARG002
        """Return what is kept about gradients, before the first one."""
        return {}

    def begin(self, problem: Problem, start: FloatArray) -> State:
        """Return the state before the first pass."""
        size = len(start)
        arrays = {"weights": start, "sums": np.zeros(size), "count": np.zeros(1)}
        return state_of(arrays | self.memory(size), (problem.value(start),), math.inf)

    def advance(self, problem: Problem, state: State) -> State:
        """Return the state after one more pass."""
        arrays = {name: each.copy() for name, each in state.arrays.items()}
        averaged = state.passes >= self.epochs * (1.0 - self.average)
        eta = self.rate / (1.0 + self.decay * state.passes)
        walk = _Pass(self, problem, arrays, eta, averaged)
        made = 0.0
        for cut in problem.cuts(self.batch, self.seed):
            order = cut.order(self.seed, state.passes)
            found = self.ascend(walk, cut, order)
            made += walk.over(cut, order) if found is None else found
        walk.finish()
        moved = float(np.linalg.norm(arrays["weights"] - state.arrays["weights"]))
        value = made - problem.penalty(arrays["weights"])
        return state_of(arrays, (*state.values, value), moved)

    def ascend(self, walk: _Pass, cut: Cut, order: Sequence[int]) -> float | None:  # noqa: ARG002
        """Go over a section in a faster way, if there is one; return the value of its batches."""
        return None

    def weights(self, state: State) -> FloatArray:
        """[θ]: the mean of the iterates of the last passes, or the last iterate."""
        count = float(state.arrays["count"][0])
        return state.arrays["sums"] / count if count else state.arrays["weights"]


class _Pass:
    """One pass: weights that no batch touched for a while are brought up to date when one does."""

    def __init__(
        self, rule: Stochastic, problem: Problem, arrays: Arrays, eta: float, averaged: bool
    ) -> None:
        self.rule = rule
        self.arrays = arrays
        self.eta = eta
        self.averaged = averaged
        self.batches = problem.batch_count(rule.batch)
        self.share = self.batches / max(1, len(problem.terms))
        self.centre = _alike(problem.centre)
        self.slopes = _alike(problem.precisions / max(1, len(problem.terms)))
        self.done = 0
        self.last = np.zeros(0)  # [θ] once a batch comes alone
        self.behind = False

    def over(self, cut: Cut, order: Sequence[int]) -> float:
        """Go over the batches of a section; return the sum of their values at their turn."""
        value, self.behind = 0.0, True
        if not self.last.size:
            self.last = np.full(len(self.arrays["weights"]), float(self.done))
        for number in order:
            value += self.step(self.done, cut.batch(number))
            self.done += 1
        return value

    def catch_up(self) -> None:
        """Bring all weights up to date."""
        if self.behind:
            self.arrays["weights"][:] = self.up_to_date(slice(None), self.done)
            self.last, self.behind = np.zeros(0), False

    def skip(self, count: int) -> None:
        """Say that so many batches were gone over in another way, with all weights up to date."""
        self.done += count

    def finish(self) -> None:
        """Bring all weights up to date, and count the iterates that were added."""
        self.catch_up()
        if self.averaged:
            self.arrays["count"] += self.done

    def step(self, step: int, batch: Batch) -> float:
        places = batch.places
        weights = self.up_to_date(places, step)
        value, gradient = batch(weights)
        direction = self.rule.learn(self.arrays, places, self.share * gradient)
        scales = self.eta * self.rule.scales(self.arrays, places)
        centre = _at(self.centre, places)
        weights -= centre
        weights *= np.exp(-scales * _at(self.slopes, places))
        weights += centre + scales * direction
        check_bounded(weights)
        self.arrays["weights"][places] = weights
        if self.averaged:
            self.arrays["sums"][places] += weights
        self.last[places] = step + 1
        return value

    def up_to_date(self, places: Places, step: int) -> FloatArray:
        """[places]: the weights after the penalty alone moved them since they were touched last.

        What these steps add to the sum of iterates is added.
        """
        weights, missed = self.arrays["weights"][places].copy(), step - self.last[places]
        flow = self.eta * self.rule.scales(self.arrays, places) * _at(self.slopes, places)
        centre = _at(self.centre, places)
        weights -= centre
        if self.averaged:
            self.arrays["sums"][places] += missed * centre + weights * _series(flow, missed)
        weights *= np.exp(-missed * flow)
        weights += centre
        return weights


def _alike(array: FloatArray) -> FloatArray | float:
    """An array, or the number that all its elements are."""
    return float(array[0]) if array.size and (array == array[0]).all() else array


def _at(array: FloatArray | float, places: Places) -> FloatArray | float:
    return array if isinstance(array, float) else array[places]


def _series(flow: FloatArray | float, count: FloatArray) -> FloatArray:
    """Σ_{s = 1 … count} exp(−flow s)."""
    if isinstance(flow, float) and flow <= 0.0:
        return count
    with np.errstate(divide="ignore", invalid="ignore"):
        sums: FloatArray = np.expm1(-count * flow) * (np.exp(-flow) / np.expm1(-flow))
    return sums if isinstance(flow, float) else np.where(flow > 0, sums, count)


@dataclass(frozen=True)
class SGD(Stochastic):
    """Stochastic gradient ascent; see :mod:`weft.optimise.stochastic`."""

    def ascend(self, walk: _Pass, cut: Cut, order: Sequence[int]) -> float | None:
        """Go over a section in which all weights decay alike, if there is a faster way."""
        slope, centre, arrays = walk.slopes, walk.centre, walk.arrays
        if not isinstance(slope, float) or not isinstance(centre, float) or centre:
            return None
        if walk.eta * slope * len(order) > _FLAT:
            return None
        walk.catch_up()
        made = cut.section.ascend(
            [cut.groups[number] for number in order],
            walk.eta * walk.share,
            math.exp(-walk.eta * slope),
            arrays["weights"],
            arrays["sums"] if walk.averaged else None,
        )
        if made is not None:
            check_bounded(arrays["weights"])
            walk.skip(len(order))
        return made

    def learn(self, arrays: Arrays, places: Places, gradient: FloatArray) -> FloatArray:  # noqa: ARG002
        """Return the gradient."""
        return gradient

    def scales(self, arrays: Arrays, places: Places) -> FloatArray | float:  # noqa: ARG002
        """Return 1."""
        return 1.0


@dataclass(frozen=True)
class AdaGrad(Stochastic):
    """The same with shorter steps for weights that had large gradients."""

    rate: float = setting(1.0, "how far the first step goes in each weight")
    decay: float = setting(0.0, "by how much the rate falls: in pass e it is rate / (1 + decay e)")

    def memory(self, size: int) -> Arrays:
        """Return the sums of squares."""
        return {"squares": np.zeros(size)}

    def learn(self, arrays: Arrays, places: Places, gradient: FloatArray) -> FloatArray:
        """Add the squares, and return the gradient."""
        arrays["squares"][places] += gradient**2
        return gradient

    def scales(self, arrays: Arrays, places: Places) -> FloatArray | float:
        """[places]: one over the root; 0 for weights that no batch has touched."""
        return _inverse_root(arrays["squares"][places], 0.0)


@dataclass(frozen=True)
class Adam(Stochastic):
    """The same with decaying means of gradients and of their squares.

    Attributes:
        second: How slowly the mean of squares decays.
    """

    rate: float = setting(0.03, "how far a step goes, about, in each weight")
    second: float = setting(0.99, "how slowly the mean of squared gradients decays, below 1")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.second < 1:
            raise OptionError(f"second must be at least 0 and below 1, not {self.second}")

    def memory(self, size: int) -> Arrays:
        """Return both means, and how often each weight was touched."""
        return {name: np.zeros(size) for name in ("means", "squares", "touches")}

    def learn(self, arrays: Arrays, places: Places, gradient: FloatArray) -> FloatArray:
        """Take in the gradient, and return its mean, as if there always had been one."""
        arrays["touches"][places] += 1
        for name, rest, new in (
            ("means", _WARM, gradient),
            ("squares", self.second, gradient**2),
        ):
            arrays[name][places] = rest * arrays[name][places] + (1 - rest) * new
        mean: FloatArray = arrays["means"][places] / (1 - _WARM ** arrays["touches"][places])
        return mean

    def scales(self, arrays: Arrays, places: Places) -> FloatArray | float:
        """[places]: one over the root of the mean; 0 for weights that no batch has touched."""
        touches = arrays["touches"][places]
        with np.errstate(invalid="ignore"):
            mean = arrays["squares"][places] / (1 - self.second**touches)
        return np.where(touches > 0, _inverse_root(mean, _SMALL), 0.0)


def _inverse_root(squares: FloatArray, least: float) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        roots = 1.0 / (np.sqrt(squares) + least)
    return np.where(squares > 0, roots, 0.0)
