"""The least solution of one component of a polynomial system: Newton's method from below.

All is relative to the iterate x: of the terms of an unknown X, t_r = w_r ∏ x / x_X is what a term
contributes, g_X = Σ_r t_r, and M_XY = Σ_r t_r · (how often Y is a factor of r). Newton's step is

    x_X ← x_X (1 + d_X),    d = (I - M)⁻¹ (g - 1),

so that values of any size, and of very different sizes, are held as logs without loss. From below,
iterates increase to the least solution, and divergence is *decided* on the way: at a point below
the least solution of a connected system the radius of M is less than 1, so a radius of at least 1
shows that there is none. Where (I - M) v = 1 has a solution that is negative somewhere, its
negative part z has M z ≥ z, which is such a proof. That it converges is shown by a point y with
P(y) ≤ y; that y and a point below it with P(y) ≥ y enclose the solution bounds the error.

Reference: Etessami and Yannakakis (2009), "Recursive Markov chains, stochastic grammars, and
monotone systems of nonlinear equations", Journal of the ACM 56(1), sections 5 and 6.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weft.arrays import FloatArray, IntArray
from weft.grammars.sums.elimination import Eliminated, Pattern
from weft.grammars.sums.systems import Stage, sum_terms
from weft.ranking import ranked

_EPSILON = float(np.finfo(np.float64).eps)
_STEPS = 200  # near a radius of 1 each step halves the error: about 50 reach the last digit
_LARGEST = 300.0  # the logarithm of what a step may grow by before its factors are in danger
_FARTHEST = 1e12  # log-values beyond this are not followed any further
_UNKNOWN = 0.01  # an error with which a value is not known
_DENSE = 128  # unknowns up to which all eigenvalues are computed
_POWERS = 100  # of a matrix, before its inverse is asked
_CLIPPED = 690.0  # no share is larger than exp of this: enough to notice, too little to overflow


@dataclass(frozen=True, slots=True, eq=False)
class Solved:
    """What is known of a component.

    Attributes:
        logs: The log-values, all +inf where the component diverges. [unknowns]
        errors: How far they may be from the truth. [unknowns]
        radius: The spectral radius of M at the solution; +inf where there is none.
        steps: The number of Newton steps.
        certain: Whether convergence or divergence was shown beyond rounding.
        cycle: A heavy cycle of the component, by its unknowns' places.
    """

    logs: FloatArray
    errors: FloatArray
    radius: float
    steps: int
    certain: bool
    cycle: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Component:
    """The equations of one component, all other unknowns being known.

    Attributes:
        heads: The unknown of each term, by its place in the component, ascending. [terms]
        lanes: How many partial sums each unknown's terms are added up in.
        weights: The log of each term's constant part. [terms]
        sizes: By how many units in the last place a term may be wrong once it is exponentiated and
            added to the others: all absolute values that its logarithm was added up from. [terms]
        outer_errors: By how much ``weights`` may be wrong. [terms]
        owners: The term of each factor within the component. [factors]
        factors: The unknown that it is, by its place. [factors]
        edges: The edge of M that it contributes to. [factors]
        pattern: How systems with M are solved.
    """

    heads: IntArray
    lanes: int
    weights: FloatArray
    sizes: FloatArray
    outer_errors: FloatArray
    owners: IntArray
    factors: IntArray
    edges: IntArray
    pattern: Pattern

    def added(self, amounts: FloatArray) -> FloatArray:
        """Return the sum of each unknown's terms [unknowns].

        Of a thousand numbers added one by one, the last digits would be lost: they are added in
        some 32 lanes, and these in pairs.
        """
        slots = self.heads * self.lanes + np.arange(len(self.heads)) % self.lanes
        partial = sum_terms(slots, amounts, self.pattern.count * self.lanes)
        sums: FloatArray = partial.reshape(-1, self.lanes).sum(axis=1)
        return sums

    @property
    def linear(self) -> bool:
        """Whether no term has two unknowns of the component."""
        return len(np.unique(self.owners)) == len(self.owners)


@dataclass(frozen=True, slots=True, eq=False)
class Linearisation:
    """The equations at some x: what each term contributes, relative to its unknown.

    Attributes:
        shares: t. [terms]
        growth: g. [unknowns]
        matrix: M at the edges of the pattern. [edges]
        errors: A bound of the rounding errors of t. [terms]
    """

    shares: FloatArray
    growth: FloatArray
    matrix: FloatArray
    errors: FloatArray


def block(stage: Stage, weights: FloatArray, logs: FloatArray, errors: FloatArray) -> Component:
    """Return the equations of a component, given the values of all it depends on.

    Args:
        stage: The component.
        weights: The log-coefficients of all terms.
        logs: The log-values of all unknowns; those of the component are not looked at.
        errors: The errors of these log-values.
    """
    places = np.full(len(logs), -1)
    places[stage.unknowns] = np.arange(len(stage.unknowns))
    inside = places[stage.factors] >= 0
    owners, factors = stage.owners[inside], places[stage.factors[inside]]
    outer_owners, outer = stage.owners[~inside], stage.factors[~inside]
    count = len(stage.terms)
    constants = weights[stage.terms]
    per_unknown = np.bincount(stage.heads)
    lanes = int(np.sqrt(per_unknown.max()))
    known = constants + sum_terms(outer_owners, logs[outer], count)
    sizes = abs(constants) + sum_terms(outer_owners, abs(logs[outer]), count)
    sizes += per_unknown[stage.heads] / lanes + np.log2(lanes)
    spread = sum_terms(outer_owners, errors[outer], count)
    width = len(stage.unknowns)
    keys, edges = np.unique(stage.heads[owners] * width + factors, return_inverse=True)
    pattern = Pattern(width, keys // width, keys % width)
    pattern.check_size()
    return Component(
        stage.heads, lanes, known, sizes, spread, owners, factors, edges.astype(np.int64), pattern
    )


def point(part: Component, logs: FloatArray, shift: float = 0.0) -> Linearisation:
    """Return the equations at x = exp(logs), constants moved by some of their errors."""
    count = len(part.heads)
    inner = sum_terms(part.owners, logs[part.factors], count)
    terms = part.weights + shift * part.outer_errors + inner - logs[part.heads]
    shares = np.exp(np.minimum(terms, _CLIPPED))
    size = part.sizes + abs(inner) + abs(logs[part.heads]) + 8.0
    return Linearisation(
        shares,
        part.added(shares),
        sum_terms(part.edges, shares[part.owners], len(part.pattern.sources)),
        _EPSILON * size * shares,
    )


def noise(part: Component, here: Linearisation, vector: FloatArray | None = None) -> FloatArray:
    """Return a bound of the rounding errors of g, and of M d where some d is given [unknowns]."""
    errors = here.errors
    if vector is not None:
        inner = sum_terms(part.owners, abs(vector)[part.factors], len(errors))
        errors = errors * (1.0 + inner)
    return part.added(errors)


def solve_block(part: Component, start: FloatArray) -> Solved:
    """Return the least solution above a start that lies below it.

    Args:
        part: The equations.
        start: Log-values, finite, below the least solution and not lowered by the equations.
    """
    logs, steps, alike = start, 0, np.ones(len(start))
    for _ in range(_STEPS + 2 * part.pattern.count):
        here = point(part, logs)
        if here.growth.max() > np.exp(_LARGEST) and logs.max() < _FARTHEST:
            if _grows(part, here, alike):
                return _diverged(part, here, steps, alike, certain=True)
            # First by propagation, which cannot overflow.
            logs = logs + np.log(np.maximum(here.growth, 1.0))
            continue
        try:
            factors = part.pattern.factorised(here.matrix)
            increase, visits = factors.solve(np.stack([here.growth - 1, alike], axis=1)).T
            doubt = factors.solve(noise(part, here, increase))
        except np.linalg.LinAlgError:
            return _diverged(part, here, steps, alike, certain=False)
        if not (visits > 0).all():
            growing = np.where(visits < 0, -visits, 0.0)
            certain = _grows(part, here, growing)
            return _diverged(part, here, steps, growing if certain else alike, certain)
        if increase.max() <= 6 * doubt.max():
            if part.linear and (doubt > _UNKNOWN).any():  # a pole, as near as can be told
                break
            return _bounded(part, logs + np.log1p(np.clip(increase, -0.5, 1.0)), steps)
        # What is certain of the step: never beyond the least solution by rounding.
        logs = logs + np.log1p(np.maximum(increase - 4 * doubt, 0.0))
        steps += 1
    return _diverged(part, here, steps, alike, certain=False)


def _grows(part: Component, here: Linearisation, growing: FloatArray) -> bool:
    """Whether M z > z wherever z > 0, beyond rounding."""
    there = growing > 0
    inner = sum_terms(part.owners, growing[part.factors], len(part.heads))
    product = sum_terms(part.heads, here.shares * inner, part.pattern.count)
    rounding = sum_terms(part.heads, here.errors * inner, part.pattern.count)
    enough = product - 4 * rounding > growing
    return bool(there.any() and enough[there].all())


def _diverged(
    part: Component, here: Linearisation, steps: int, along: FloatArray, certain: bool
) -> Solved:
    endless = np.full(part.pattern.count, np.inf)
    cycle = _heavy_cycle(part.pattern, here.matrix * along[part.pattern.targets])
    return Solved(endless, np.zeros_like(endless), np.inf, steps, certain, cycle)


def _heavy_cycle(pattern: Pattern, weights: FloatArray) -> tuple[int, ...]:
    """Follow the heaviest edge of each unknown, of equals the first, until one comes again."""
    heaviest = ranked(weights)
    order = heaviest[np.argsort(pattern.sources[heaviest], kind="stable")]
    firsts = np.searchsorted(pattern.sources[order], np.arange(pattern.count))
    following = pattern.targets[order[firsts]].tolist()
    node = int(pattern.sources[heaviest[0]])
    path: dict[int, int] = {}
    while node not in path:
        path[node] = len(path)
        node = following[node]
    return tuple(list(path)[path[node] :])


def _bounded(part: Component, logs: FloatArray, steps: int) -> Solved:
    here = point(part, logs)
    spread = sum_terms(part.heads, here.shares * part.outer_errors, len(logs))
    right = np.stack([noise(part, here) + spread, np.ones(len(logs))], axis=1)
    try:
        factors = part.pattern.factorised(here.matrix)
        doubt, visits = factors.solve(right).T
    except np.linalg.LinAlgError:
        visits = np.zeros(len(logs))
    if not (visits > 0).all():
        return _critical(part, logs, np.ones(len(logs)), 1.0, steps)
    radius = _radius(part.pattern, here.matrix, factors, visits)
    errors = 2 * doubt
    while errors.max() < 0.1:
        if _encloses(part, logs, errors):
            return Solved(logs, errors, radius, steps, True, ())
        errors = 2 * errors
    return _critical(part, logs, visits / visits.max(), radius, steps)


def _encloses(part: Component, logs: FloatArray, errors: FloatArray) -> bool:
    """Whether the least solution is shown to lie within these errors."""
    above, below = point(part, logs + errors, 1.0), point(part, logs - errors, -1.0)
    if (above.growth + noise(part, above) > 1).any():
        return False
    if (below.growth - noise(part, below) < 1).any():
        return False
    return _subcritical(part, above)


def _subcritical(part: Component, here: Linearisation) -> bool:
    try:
        visits = part.pattern.factorised(here.matrix).solve(np.ones(part.pattern.count))
    except np.linalg.LinAlgError:
        return False
    return bool((visits > 0).all())


def _critical(
    part: Component, logs: FloatArray, direction: FloatArray, radius: float, steps: int
) -> Solved:
    """Next to a radius of 1: the solution is about where the radius is 1, or just below.

    There the equations are flat: a residual of ε may be an error of √ε.
    """
    here = point(part, logs)
    side = 1.0 if _subcritical(part, here) else -1.0
    reach = float(np.sqrt(noise(part, here).max()))
    while reach < 1.0 and _subcritical(part, point(part, logs + side * reach * direction)) == (
        side > 0
    ):
        reach *= 2
    return Solved(logs, 2 * reach * direction, radius, steps, False, ())


def _radius(pattern: Pattern, values: FloatArray, factors: Eliminated, vector: FloatArray) -> float:
    """The spectral radius of M, which is below 1."""
    if len(vector) <= _DENSE:
        return float(abs(np.linalg.eigvals(pattern.dense(values))).max())
    radius = _power(pattern, values)
    if radius is not None:
        return radius
    for _ in range(200):  # inverse iteration: 1 - 1 / the radius of (I - M)⁻¹
        vector = vector / vector.max()
        new = factors.solve(vector)
        ratios = new / vector
        low, high = float(ratios.min()), float(ratios.max())
        vector = new
        if high - low <= 1e-12 * high:
            break
    return 1.0 - 2.0 / (low + high)


def _power(pattern: Pattern, values: FloatArray) -> float | None:
    """The same by powers of M; None where they do not settle soon, next to another eigenvalue."""
    vector = np.ones(pattern.count)
    for _ in range(_POWERS):
        new = sum_terms(pattern.sources, values * vector[pattern.targets], pattern.count)
        if not new.all():
            return None
        ratios = new / vector
        low, high = float(ratios.min()), float(ratios.max())  # the radius lies between them
        if high - low <= 1e-12 * high:
            return 0.5 * (low + high)
        vector = new / new.max()
    return None
