"""Weights that answer to one example after the other: perceptron, passive–aggressive, AROW.

A term is minus a loss, −L_i(θ) = min_y (θ · ψ_i(y) − cost_i(y)), where ψ_i(y) are the features of
what was observed less those of the analysis y. At its turn, an example whose minimum is at a ψ that
is not 0 moves the weights:

    perceptron   θ ← θ + ψ
    PA           θ ← θ + τ ψ,   τ = L / ‖ψ‖²: the least move after which that y has no loss
    PA-I         the same with τ at most C
    PA-II        τ = L / (‖ψ‖² + 1 / (2 C))
    AROW         θ ← θ + (L / (Σ_j σ_j ψ_j² + r)) σ ψ,   1 / σ_j ← 1 / σ_j + ψ_j² / r

These rules take no penalty: C, r and averaging keep weights small. Averaged weights are the mean of
θ after every example; what each move adds to it is known when it is made.

References: Collins (2002), "Discriminative Training Methods for Hidden Markov Models"; Crammer et
al. (2006), "Online Passive-Aggressive Algorithms", section 3 and equation 14; Crammer, Kulesza and
Dredze (2009), "Adaptive Regularization of Weight Vectors".
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

import numpy as np

from weft.arrays import FloatArray, IntArray, dot
from weft.optimise.batches import Cut, Problem, Rule, shuffled
from weft.optimise.passes import ByPasses, State, check_hinges, check_positive, state_of
from weft.settings import setting


class Variant(StrEnum):
    """How far a passive–aggressive step goes at most."""

    PLAIN = "pa"
    """As far as it takes."""

    ONE = "pa-1"
    """No further than C."""

    TWO = "pa-2"
    """Less far, by a smooth rule."""


@dataclass(frozen=True)
class Online(ByPasses):
    """What the three have in common.

    Attributes:
        averaged: Whether the weights to keep are the mean of all iterates.
    """

    averaged: bool = setting(True, "whether weights are averaged over all steps: yes or no")

    penalised: ClassVar[bool] = False

    @property
    @abstractmethod
    def rule(self) -> Rule:
        """How weights answer to an example."""

    def check(self, problem: Problem) -> None:
        """Refuse terms that are no losses of a best rival."""
        check_hinges(problem, self.rule.name)

    def begin(self, problem: Problem, start: FloatArray) -> State:
        """Return the state before the first pass."""
        arrays = {"weights": start, "count": np.zeros(1)}
        if self.averaged:
            arrays["drift"] = np.zeros(len(start))
        if self.rule.name == "arow":
            arrays["variances"] = np.ones(len(start))
        return state_of(arrays, (problem.value(start),), math.inf)

    def advance(self, problem: Problem, state: State) -> State:
        """Return the state after one more pass."""
        arrays = {name: each.copy() for name, each in state.arrays.items()}
        value, changes = 0.0, 0
        for cut in problem.cuts(1):
            order = shuffled(len(cut.section), self.seed, state.passes, cut.number)
            before = int(arrays["count"][0])
            made = cut.section.sweep(self.rule, order, arrays, before)
            found, changed = made or sweep_plainly(cut, self.rule, order, arrays, before)
            value, changes = value + found, changes + changed
            arrays["count"] += len(order)
        moved = float(np.linalg.norm(arrays["weights"] - state.arrays["weights"]))
        return state_of(arrays, (*state.values, value), moved, changes)

    def weights(self, state: State) -> FloatArray:
        """[θ]: the mean of the iterates, or the last one."""
        weights, count = state.arrays["weights"], float(state.arrays["count"][0])
        return weights - state.arrays["drift"] / count if self.averaged and count else weights


def sweep_plainly(
    cut: Cut,
    rule: Rule,
    order: IntArray,
    arrays: Mapping[str, FloatArray],
    before: int,
) -> tuple[float, int]:
    """Do as :meth:`weft.optimise.batches.Section.sweep` says, one batch of one term at a time."""
    total, changes = 0.0, 0
    for turn, number in enumerate(order.tolist()):
        batch = cut.batch(number)
        places = batch.places
        value, features = batch(arrays["weights"][places])
        total += value
        # A perceptron moves wherever the best analysis is another one, of the same score or not.
        if (value < 0.0 or rule.name == "perceptron") and features.any():
            move = answer(rule, -value, features, arrays, places)
            arrays["weights"][places] += move
            if "drift" in arrays:  # the mean of n iterates lacks a move for those before it
                arrays["drift"][places] += (before + turn) * move
            changes += 1
    return total, changes


def answer(
    rule: Rule,
    loss: float,
    features: FloatArray,
    arrays: Mapping[str, FloatArray],
    places: IntArray | slice,
) -> FloatArray:
    """[places]: the move of the weights; AROW's variances are changed."""
    if rule.name == "perceptron":
        return features
    if rule.name == "arow":
        variances = arrays["variances"][places]
        spread = dot(variances * features, features)
        move: FloatArray = loss / (spread + rule.strength) * variances * features
        arrays["variances"][places] = 1.0 / (1.0 / variances + features**2 / rule.strength)
        return move
    square = dot(features, features)
    if rule.name == Variant.TWO:
        return loss / (square + 0.5 / rule.strength) * features
    step = loss / square
    return (min(step, rule.strength) if rule.name == Variant.ONE else step) * features


@dataclass(frozen=True)
class Perceptron(Online):
    """The averaged perceptron."""

    @property
    def rule(self) -> Rule:
        """θ + ψ."""
        return Rule("perceptron")


@dataclass(frozen=True)
class PassiveAggressive(Online):
    """Passive–aggressive steps; with the best rival alone, the margin infused relaxed algorithm.

    Attributes:
        variant: How far a step goes at most.
        strength: C.
    """

    variant: Variant = setting(Variant.ONE, "the rule of passive-aggressive steps: pa, pa-1, pa-2")
    strength: float = setting(1.0, "C, how far such steps go at most")

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "variant", Variant(self.variant))
        check_positive(self, "strength")

    @property
    def rule(self) -> Rule:
        """θ + τ ψ."""
        return Rule(self.variant, self.strength)


@dataclass(frozen=True)
class AROW(Online):
    """Adaptive regularisation of weights, with a variance for each.

    Attributes:
        regularisation: r: the larger, the smaller the steps.
    """

    regularisation: float = setting(1.0, "r: the larger, the smaller AROW's steps")
    averaged: bool = setting(False, "whether weights are averaged over all steps: yes or no")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive(self, "regularisation")

    @property
    def rule(self) -> Rule:
        """θ + (L / (Σ σ ψ² + r)) σ ψ."""
        return Rule("arow", self.regularisation)
