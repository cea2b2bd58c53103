"""The least solution of equations with nonnegative coefficients: the sum over everything.

The weights of all derivations of a grammar or of a chain add up to the least solution of equations
x = P(x). There is one way to solve them, and two entries to it, for what differs is mathematics:

- :func:`solve_system`: P polynomial, as of any grammar. Components are solved one after the other,
  by adding up or by Newton's method (:mod:`weft.grammars.sums.newton`), each step of which is a
  linear system. Values are logarithms: what a step is may be of any size.
- :func:`solve_steps`: P linear and one component, as of a chain. Newton's method would be one step;
  what takes time is the matrix A itself. It is known as blocks, and asked for products with
  vectors; both the solution h = A h + b and its adjoint u = u A + a are needed, and
  Z = a (I - A)⁻¹ b. Values are numbers: training asks for them at every θ, and of 45 tags they
  take a twentieth of the time that logarithms do.

Both end in I - M with M ≥ 0, factorised by :mod:`weft.grammars.sums.elimination`, and both *decide*
divergence. Of steps, a large system is solved by products with vectors alone (GMRES), and what the
solution is worth is then *shown*, for any nonnegative A:

- If x ≥ 0 is not 0 and A x ≥ x where x > 0, the spectral radius of A is at least 1, and, all states
  being of use, Z is infinite. Where (I - A) h = b has a solution that is negative somewhere, its
  negative part is such an x.
- If h, v > 0 and v - A v ≥ h / 2, the radius is below 1, and errors are bounded by residuals:
  |r| ≤ ε h implies |(I - A)⁻¹ r| ≤ 2 ε v. The solution of v = A v + h is such a v; v / h is how
  many more steps are expected from a state.

Both follow from A ≥ 0 (Berman & Plemmons 1994, Nonnegative Matrices in the Mathematical Sciences,
theorems 2.1.11 and 6.2.3). Where neither can be shown, next to a radius of 1, A is factorised.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from weft.arrays import BoolArray, FloatArray
from weft.errors import LimitError
from weft.grammars.sums.elimination import factorise
from weft.grammars.sums.gmres import least_residual
from weft.grammars.sums.newton import Solved, block, solve_block
from weft.grammars.sums.steps import StepWeights, useful_part
from weft.grammars.sums.systems import (
    OVERFLOW,
    Stage,
    System,
    add_systems,
    first_values,
    stages,
    sum_terms,
    useful_terms,
)

_EPSILON = float(np.finfo(np.float64).eps)
_SMALL = 256  # states up to which factorising is as fast
_ACCURACY = 1e-10  # that a solution must be shown to have, but for the rounding of its residual
_NOISE = 1e-9  # what is less negative than this, relative to the scale, may be rounding
_TINY = 1e-200
_MOST_ENTRIES = 2**27  # of a matrix
_SWEEPS, _MOST_SWEEPS = 4, 64  # steps to the end that make a scale; more only where none is shorter


@dataclass(frozen=True, slots=True, eq=False)
class LeastSolution:
    """The least solution of a system, by unknown; its fields are those of a partition."""

    log_values: FloatArray
    errors: FloatArray
    radii: FloatArray
    certain: bool
    steps: int
    cycles: dict[int, tuple[int, ...]]


def solve_system(system: System, weights: FloatArray) -> LeastSolution:
    """Return the least solution of polynomial equations with log-coefficients ``weights``."""
    logs = first_values(system, weights)
    useful = useful_terms(system, weights, logs)
    return solve_stages(stages(system, useful), weights, logs)


def solve_stages(plan: tuple[Stage, ...], weights: FloatArray, start: FloatArray) -> LeastSolution:
    """Return the least solution above a start from below, in a given order.

    Args:
        plan: The order, with the useful terms.
        weights: The log-coefficients of all terms.
        start: As :func:`weft.grammars.sums.systems.first_values` gives it.
    """
    logs = start.copy()
    errors, radii = np.zeros(len(logs)), np.zeros(len(logs))
    certain, steps = True, 0
    cycles: dict[int, tuple[int, ...]] = {}
    for stage in plan:
        if not stage.cyclic:
            _add_up(stage, weights, logs, errors)
            continue
        known = np.ones(len(logs), bool)
        known[stage.unknowns] = False
        outer = logs[stage.factors[known[stage.factors]]]
        if np.isposinf(outer).any() or np.isposinf(weights[stage.terms]).any():
            logs[stage.unknowns], radii[stage.unknowns] = np.inf, np.inf
            continue
        part = block(stage, weights, logs, errors)
        solved = solve_block(part, logs[stage.unknowns])
        logs[stage.unknowns], errors[stage.unknowns] = solved.logs, solved.errors
        radii[stage.unknowns] = solved.radius
        certain, steps = certain and solved.certain, max(steps, solved.steps)
        _note_cycle(cycles, stage, solved)
    radii[np.isposinf(logs)] = np.inf
    return LeastSolution(logs, errors, radii, certain, steps, cycles)


def _add_up(stage: Stage, weights: FloatArray, logs: FloatArray, errors: FloatArray) -> None:
    count = len(stage.terms)
    constants = weights[stage.terms]
    terms = constants + sum_terms(stage.owners, logs[stage.factors], count)
    single = count == len(stage.unknowns)
    sums = terms if single else add_systems(stage, terms)
    logs[stage.unknowns] = sums
    finite = np.isfinite(sums)
    if not finite.all():
        given = np.isinf(constants)
        given[stage.owners[np.isinf(logs[stage.factors])]] = True
        if np.isinf(terms[~given]).any():
            raise LimitError(OVERFLOW)
    with np.errstate(invalid="ignore"):
        shares = np.where(finite[stage.heads], np.exp(terms - sums[stage.heads]), 0.0)
        sizes = 8.0 + (1 if single else np.bincount(stage.heads)[stage.heads]) + abs(constants)
        sizes += sum_terms(stage.owners, abs(logs[stage.factors]), count)
        inherited = sum_terms(stage.owners, errors[stage.factors], count) + _EPSILON * sizes
        doubts = np.where(shares > 0, shares * inherited, 0.0)
    errors[stage.unknowns] = sum_terms(stage.heads, doubts, len(stage.unknowns))


def _note_cycle(cycles: dict[int, tuple[int, ...]], stage: Stage, solved: Solved) -> None:
    if solved.radius == np.inf:
        found = tuple(int(stage.unknowns[place]) for place in solved.cycle)
        cycles.update(dict.fromkeys(stage.unknowns.tolist(), found))


@dataclass(frozen=True, slots=True, eq=False)
class Flow:
    """Z, +inf where the sum diverges, and how much arrives at (u) and leaves (h) each state."""

    partition: float
    arriving: FloatArray
    leaving: FloatArray


def solve_steps(steps: StepWeights, small: int = _SMALL) -> Flow:
    """Return Z and its two vectors.

    >>> half = StepWeights(np.ones(1), np.array([[[0.5]]]), np.ones(1))
    >>> solve_steps(half).partition  # 1 + ½ + ¼ + …
    2.0

    Args:
        steps: The weights of beginning, going on and ending.
        small: The number of states up to which the system is factorised at once.
    """
    part, useful = useful_part(steps)
    if not part.finite:
        return _divergent(part)
    if not useful.any():
        return Flow(0.0, np.zeros_like(part.begin), np.zeros_like(part.end))
    solution = None if part.states <= small else solve_by_products(part, useful)
    return solution or solve_by_factors(part, useful)


def _divergent(steps: StepWeights) -> Flow:
    return Flow(np.inf, np.zeros_like(steps.begin), np.zeros_like(steps.end))


def solve_by_factors(steps: StepWeights, useful: BoolArray) -> Flow:
    """Factorise I - A; a solution that is nonnegative exists exactly if the sum converges.

    Raises:
        LimitError: If the matrix would take more than a gibibyte.
    """
    if steps.states**2 > _MOST_ENTRIES:
        raise LimitError(
            f"the sum over all sentences takes a matrix of {steps.states:,} states by as many, too "
            "large to be factorised: use fewer tags, or order 1"
        )
    chosen = useful.reshape(-1)
    begin, end = (part.reshape(-1)[chosen] for part in (steps.begin, steps.end))
    factors = factorise(steps.matrix()[np.ix_(chosen, chosen)])
    try:
        leaving, arriving = factors.solve(end), factors.solve_transposed(begin)
    except np.linalg.LinAlgError:  # a singular system: the radius is exactly 1
        return _divergent(steps)
    if not (np.isfinite(leaving).all() and (leaving >= 0).all() and (arriving >= 0).all()):
        return _divergent(steps)
    whole = np.zeros((2, *steps.begin.shape))
    whole[:, useful] = arriving, leaving
    return Flow(float(begin @ leaving), whole[0], whole[1])


def solve_by_products(steps: StepWeights, useful: BoolArray) -> Flow | None:
    """Solve by products with vectors; None where nothing can be shown of the result."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        scale = _from_below(steps, useful)
        if scale is None:
            return None
        try:
            return _solve_scaled(steps, useful, scale)
        except np.linalg.LinAlgError:  # overflow on the way
            return None


def _from_below(steps: StepWeights, useful: BoolArray) -> FloatArray | None:
    """A part of h, positive for all states of use: the sum over short ways to the end."""
    leaving, done = steps.end, 0
    while done < _SWEEPS or (done < _MOST_SWEEPS and (leaving[useful] == 0).any()):
        leaving = steps.leave(leaving) + steps.end
        done += 1
    scale: FloatArray = np.where(useful, leaving, 1.0)
    # Far from the ends of the range no product under- or overflows unseen.
    return scale if ((scale > _TINY) & (scale < 1 / _TINY)).all() else None


def _solve_scaled(
    steps: StepWeights, useful: BoolArray, scale: FloatArray, rounds: int = 3
) -> Flow | None:
    more = _solved(steps.leave, steps.end, scale)
    if _shows_divergence(steps, np.where(more < -_NOISE * scale, -more, 0.0)):
        return _divergent(steps)
    # What is negative by rounding alone is mended by a step, in whose sums nothing cancels.
    leaving = steps.leave(np.maximum(more, 0.0)) + steps.end
    if not (leaving[useful] > 0).all():
        return None
    scale = np.where(useful, leaving, 1.0)
    remaining = _solved(steps.leave, leaving, scale, 1e-8)
    # u h / Z is how often a state is expected: h scales u the other way round.
    arriving = np.maximum(_solved(steps.arrive, steps.begin, 1.0 / scale), 0.0)
    arriving = steps.arrive(arriving) + steps.begin
    solution = Flow(float((steps.begin * leaving).sum()), arriving, leaving)
    if not _shows_convergence(steps, useful, leaving, remaining):
        return None
    if _error(steps, solution, remaining) <= _ACCURACY:
        return solution
    # The nearer the scale is to h, the smaller the residual.
    return _solve_scaled(steps, useful, scale, rounds - 1) if rounds > 1 else None


def _solved(
    product: Callable[[FloatArray], FloatArray],
    right: FloatArray,
    scale: FloatArray,
    tolerance: float = 1e-15,
) -> FloatArray:
    """An x with x = A x + b, sought as a multiple of the scale, state by state."""
    shape, flat = right.shape, scale.reshape(-1)

    def rest(share: FloatArray) -> FloatArray:
        return share - product((flat * share).reshape(shape)).reshape(-1) / flat

    shares = least_residual(rest, right.reshape(-1) / flat, tolerance)
    return (flat * shares).reshape(shape)


def _rounding(steps: StepWeights) -> float:
    """What a sum of as many nonnegative terms as there are columns loses at most, and more."""
    columns: int = steps.go.shape[2]
    return 4 * _EPSILON * columns


def _shows_divergence(steps: StepWeights, growing: FloatArray) -> bool:
    """Whether A x > x ≥ 0 wherever x > 0, beyond rounding."""
    there = growing > 0
    enough = steps.leave(growing)[there] > growing[there] * (1 + _rounding(steps))
    return bool(there.any() and enough.all())


def _shows_convergence(
    steps: StepWeights, useful: BoolArray, leaving: FloatArray, remaining: FloatArray
) -> bool:
    """Whether v > 0 and v - A v ≥ h / 2 > 0, beyond rounding."""
    lost = (remaining * (1 - _rounding(steps)) - steps.leave(remaining))[useful]
    return bool((remaining[useful] > 0).all() and (lost >= leaving[useful] / 2).all())


def _error(steps: StepWeights, solution: Flow, remaining: FloatArray) -> float:
    """A bound of the relative error of h and, summed over all states, of u h."""
    arriving, leaving = solution.arriving, solution.leaving
    there = leaving > 0
    unleft = abs(steps.leave(leaving) + steps.end - leaving)[there] / leaving[there]
    unarrived = abs(steps.arrive(arriving) + steps.begin - arriving)
    of_leaving = 2 * float(unleft.max() * (remaining[there] / leaving[there]).max())
    of_arriving = 2 * float((unarrived * remaining).sum() / (arriving * leaving).sum())
    return float(np.maximum(of_leaving, of_arriving))  # not a number if either is not
