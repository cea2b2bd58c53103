"""Where a search starts, and along which way: restarts and annealing around any optimiser.

Objectives of learning without labels have many maxima. *Restarts* climb from several perturbed
starts, and keep the solution of the highest value or the one of the largest entropy: the least
committed of the maxima. *Annealing* climbs a family of objectives, easy ones first, each from where
the last one ended. The power β grows to 1 by a factor; what it does is up to the objective:

    EM          posteriors are raised to the power β: at a small β every analysis counts alike
    gradients   the penalty is divided by β: at a small β weights stay near their centre

Both are of one kind: to temper a log-linear criterion, f(βθ)/β, under a Gaussian penalty is, in
φ = βθ and up to the factor 1/β, to divide the penalty by β.

References: Ueda and Nakano (1998), "Deterministic annealing EM algorithm"; Smith and Eisner (2005),
"Contrastive Estimation", section 6, for both and for the entropy.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import islice

import numpy as np

from weft.arrays import FloatArray
from weft.errors import OptionError
from weft.optimise.em import ExpectedCounts
from weft.optimise.keeping import (
    Keeper,
    Snapshot,
    Take,
    pack_steps,
    resumed,
    unpack_steps,
)
from weft.optimise.solution import Callback, Kept, Reason, Solution, Step
from weft.ranking import ranked
from weft.settings import setting


class WhichMaximum(StrEnum):
    """Which of several local maxima is kept."""

    VALUE = "value"
    """The highest."""

    ENTROPY = "entropy"
    """The one under which what was not observed is the least certain."""


@dataclass(frozen=True, slots=True)
class Search:
    """How the optimiser is set to work; by default once, on the objective itself.

    Attributes:
        restarts: How many perturbed starts to climb from, beside the plain one.
        spread: The standard deviation of the perturbations of weights.
        seed: Of the random numbers.
        choose: Which solution is kept; the first of equals.
        anneal: The first power β, above 0; 1 for no annealing.
        growth: The factor, above 1, by which β grows.

    >>> Search(anneal=0.25, growth=2.0).powers
    (0.25, 0.5, 1.0)
    """

    restarts: int = setting(0, "from how many random starts to climb, beside the plain one")
    spread: float = setting(0.5, "the standard deviation of the weights of random starts")
    seed: int = setting(0, "the seed of random starts and of annealing")
    choose: WhichMaximum = setting(
        WhichMaximum.VALUE, "which solution is kept: that of the highest value, or entropy"
    )
    anneal: float = setting(1.0, "the power that annealing begins with, below 1; 1 is none")
    growth: float = setting(1.5, "the factor by which that power grows")

    def __post_init__(self) -> None:
        object.__setattr__(self, "choose", WhichMaximum(self.choose))
        needs = {
            "restarts and seed must be at least 0": min(self.restarts, self.seed) >= 0,
            "spread must be finite and above 0": 0 < self.spread < math.inf,
            "anneal must be above 0 and at most 1": 0 < self.anneal <= 1,
            "growth must be finite and at least 1.01": 1.01 <= self.growth < math.inf,
        }
        for need, met in needs.items():
            if not met:
                raise OptionError(f"of a search, {need}")

    @property
    def powers(self) -> tuple[float, ...]:
        """The powers β of annealing, ending in 1."""
        steps = math.ceil(round(-math.log(self.anneal) / math.log(self.growth), 9))
        return (*(self.anneal * self.growth**step for step in range(steps)), 1.0)

    def climbs(self, *, plain: bool = True) -> int:
        """How many climbs there are, one after the other; also from the plain start or not."""
        return max(1, self.restarts + plain) * len(self.powers)


@dataclass(frozen=True, slots=True)
class Tempered:
    """An expectation whose posteriors are raised to a power: F(βθ)/β, with counts at βθ.

    Attributes:
        expectation: What is tempered: log-linear in θ.
        power: β, above 0 and at most 1.
    """

    expectation: ExpectedCounts
    power: float

    def __call__(self, theta: FloatArray) -> tuple[float, FloatArray]:
        """Return the value and the expected counts at θ."""
        value, counts = self.expectation(self.power * theta)
        return value / self.power, counts

    def penalty(self, theta: FloatArray) -> float:
        """Return the part of the value that is the penalties'."""
        return self.expectation.penalty(self.power * theta) / self.power

    def reestimate(self, counts: FloatArray) -> FloatArray:
        """Return the weights that make these counts most likely."""
        return self.expectation.reestimate(counts)


Climb = Callable[[FloatArray, float, Callback | None], Solution]
"""From a start, a power β and a callback to a local maximum of the objective at β."""


@dataclass(frozen=True, slots=True)
class Terrain:
    """What a search must know of an objective.

    Attributes:
        climb: From a start to a local maximum.
        perturb: From a start and its perturbation [θ] to another start.
        entropy: From weights to the entropy of what was not observed.
        plain: Whether the plain start is one of those to climb from.
    """

    climb: Climb
    perturb: Callable[[FloatArray, FloatArray], FloatArray]
    entropy: Callable[[FloatArray], float]
    plain: bool = True


def search(
    options: Search, terrain: Terrain, start: FloatArray, callback: Callback | None = None
) -> Solution:
    """Climb from each start, and keep one solution.

    Iterations are numbered through all climbs; the solution's trace has those of its own. An
    interrupt ends the search with the best solution so far, and is its reason.

    >>> from weft.optimise.lbfgs import LBFGS
    >>> def two_hills(theta):  # at -1 and, higher, at 2
    ...     x = float(theta[0])
    ...     value = -(((x + 1) * (x - 2)) ** 2) + x
    ...     return value, np.array([-2 * (x + 1) * (x - 2) * (2 * x - 1) + 1])
    >>> hills = Terrain(
    ...     lambda start, _, tell: LBFGS().maximise(two_hills, start, tell),
    ...     lambda start, noise: start + noise,
    ...     lambda weights: 0.0,
    ... )
    >>> search(Search(), hills, np.array([-2.0])).weights.round(1)
    array([-0.9])
    >>> search(Search(restarts=5, spread=6.0), hills, np.array([-2.0])).weights.round(1)
    array([2.1])
    """
    before = resumed(callback)
    trip = _Trip(callback) if before is None else _Trip.resumed(callback, before)
    found = trip.found
    for each in islice(_starts(options, terrain, start), len(found), None):
        trip.climb(options, terrain, each)
        if found[-1].reason in (Reason.INTERRUPTED, Reason.STOPPED):
            break
    if len(found) == 1:
        return found[0]
    values = tuple(solution.value for solution in found)
    by_value = options.choose is WhichMaximum.VALUE
    scores = values if by_value else tuple(terrain.entropy(each.weights) for each in found)
    place = int(ranked(scores)[0])
    best = replace(found[place], kept=Kept(place + 1, str(options.choose), scores, values))
    # A climb that came to its end is the best of an interrupted search: not of all starts.
    cut_short = found[-1].reason in (Reason.INTERRUPTED, Reason.STOPPED)
    return replace(best, reason=found[-1].reason) if cut_short else best


def _starts(options: Search, terrain: Terrain, start: FloatArray) -> Iterator[FloatArray]:
    if terrain.plain or not options.restarts:
        yield start
    if not options.restarts:
        return  # without NumPy's random numbers, which take 7 MB
    rng = np.random.default_rng(options.seed)
    for _ in range(options.restarts):
        yield terrain.perturb(start, options.spread * rng.standard_normal(len(start)))


class _Trip:
    """Where a search stands: what it found, and the climb that it is at.

    Numbers the steps of several climbs through, and tells of them.
    """

    def __init__(self, callback: Callback | None) -> None:
        self.found: list[Solution] = []
        self.start: FloatArray | None = None
        """Of the climb that is going on, where annealing or a snapshot set it."""
        self.power = 0
        self.trace: list[Step] = []
        self.steps: list[Step] = []
        self.inner: Snapshot | None = None
        self.callback = callback
        self.began = time.perf_counter()
        self.count = self.evaluations = 0

    @classmethod
    def resumed(cls, callback: Callback | None, before: Snapshot) -> _Trip:
        """Return the trip that :meth:`take` was asked for."""
        trip, arrays, facts = cls(callback), before.arrays, before.facts
        trip.found = [_unpack(before.part(f"found{number}")) for number in range(facts["found"])]
        trip.start, trip.power = arrays["start"], facts["power"]
        trip.trace, trip.steps = (unpack_steps(arrays[name]) for name in ("trace", "steps"))
        trip.inner = before.part("climb")
        trip.count, trip.evaluations = facts["count"], facts["evaluations"]
        trip.began -= facts["seconds"]
        return trip

    def take(self, inner: Take) -> Snapshot:
        """Return where the search stands, given where its climb does."""
        facts = {
            "found": len(self.found),
            "power": self.power,
            "count": self.count,
            "evaluations": self.evaluations,
            "seconds": time.perf_counter() - self.began,
        }
        assert self.start is not None  # noqa: S101
        arrays = {
            "start": self.start,
            "trace": pack_steps(self.trace),
            "steps": pack_steps(self.steps),
        }
        whole = Snapshot(arrays, facts) + inner().under("climb")
        for number, each in enumerate(self.found):
            whole += _pack(each).under(f"found{number}")
        return whole

    def climb(self, options: Search, terrain: Terrain, start: FloatArray) -> None:
        """Climb from a start, by way of annealing, and add what is found."""
        self.start = start if self.start is None else self.start
        for number, power in enumerate(options.powers):
            if number < self.power:
                continue
            self.power = number
            solution = terrain.climb(self.start, power, self.begin())
            self.trace += self.steps
            self.evaluations = self.steps[-1].evaluations if self.steps else 0
            self.steps = []
            self.start = solution.weights
            if solution.reason in (Reason.INTERRUPTED, Reason.STOPPED):
                break
        # An optimiser tells of every step, but for one that an interrupt cuts short.
        self.found.append(replace(solution, trace=tuple(self.trace) or solution.trace))
        self.start, self.power, self.trace = None, 0, []

    def begin(self) -> Callback:
        """Return the callback of the next climb."""
        before, self.inner = self.inner, None
        if not isinstance(self.callback, Keeper):
            return self.tell
        keep = self.callback.keep
        return Keeper(self.tell, lambda inner: keep(lambda: self.take(inner)), before)

    def tell(self, step: Step, weights: FloatArray) -> bool | None:
        numbered = replace(
            step,
            iteration=self.count,
            evaluations=step.evaluations + self.evaluations,
            seconds=time.perf_counter() - self.began,
        )
        self.steps.append(numbered)
        self.count += 1
        return self.callback(numbered, weights) if self.callback else None


def _pack(solution: Solution) -> Snapshot:
    arrays = {
        "weights": solution.weights,
        "ends": np.array([solution.value, solution.gradient_norm]),
        "steps": pack_steps(solution.trace),
    }
    return Snapshot(arrays, {"reason": str(solution.reason)})


def _unpack(kept: Snapshot) -> Solution:
    value, norm = kept.arrays["ends"].tolist()
    steps = tuple(unpack_steps(kept.arrays["steps"]))
    return Solution(kept.arrays["weights"], value, norm, steps, Reason(kept.facts["reason"]))
