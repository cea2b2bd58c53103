"""How fast the weight of long strings grows.

    ρ = limsup Z_n^(1/n)

is the *growth rate*. Dividing every rule's weight by c for each terminal in it divides Z_n by cⁿ,
and leaves the distribution of trees given strings as it is; the sum over all trees is finite for
c > ρ and infinite for c < ρ. So ρ is the infimum of the constants that theorem 1 of Smith & Johnson
(2007) asks for, which the paper leaves open, and it is found by deciding, for one c after the
other, whether the sum diverges.

At ρ itself a grammar whose heaviest recursion branches has a finite sum (example 1 of the paper: ρ
= 4, where Z = ½), and one whose heaviest recursion is linear, as in a chain, has not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weft.arrays import FloatArray
from weft.errors import DivergenceError, EvidenceError, LimitError
from weft.grammars.sums.lengths import endless_cycle
from weft.grammars.sums.partition import shown_cycle, terminal_counts
from weft.grammars.sums.solve import LeastSolution, solve_stages
from weft.grammars.sums.systems import (
    depending,
    first_values,
    stages,
    sum_terms,
    system_of,
    useful_terms,
)
from weft.grammars.trim import trim_grammar
from weft.structures.grammar import Grammar, reweight

_ENOUGH = 1e-13  # the width, relative to 1 + |log c|, of what is left of the search
_FARTHEST = 1e12  # a log-scale beyond which nothing is looked for
_ROUNDING = 1e-11  # how near to a radius of 1 a linear recursion counts as divergent, and more


@dataclass(frozen=True, slots=True)
class Growth:
    """A growth rate.

    Attributes:
        log_rate: log ρ: −inf where there is a longest string, +inf where some Z_n is infinite.
        attained: Whether the sum over all trees is finite when weights are divided by ρ itself.
        error: How far ``log_rate`` may be from the truth.
    """

    log_rate: float
    attained: bool
    error: float


def growth(grammar: Grammar) -> Growth:
    """Return how fast the weight of all strings of length n grows with n.

    >>> from weft.grammars.forms.notation import parse_grammar
    >>> found = growth(parse_grammar("A -> A A | 'a'"))
    >>> round(float(np.exp(found.log_rate)), 9), found.attained
    (4.0, True)

    Raises:
        EvidenceError: If the grammar has no tree.
        LimitError: If weights are so large or small that their logarithms lose all digits.
    """
    rules = trim_grammar(grammar)
    if not rules.rule_count:
        raise EvidenceError("the grammar has no tree at all, and so no strings that could grow")
    if endless_cycle(rules):
        return Growth(np.inf, attained=False, error=0.0)
    search = _ScaledSums(rules)
    if not search.endless():
        return Growth(-np.inf, attained=True, error=0.0)
    low, high = search.bracket()
    while high - low > _ENOUGH * (1.0 + abs(high)):
        middle = 0.5 * (low + high)
        if search.converges(middle):
            high = middle
        else:
            low = middle
    return Growth(high, search.attained(high), search.error(high))


def scale_weights(grammar: Grammar, log_scale: float) -> Grammar:
    """Divide each rule's weight by a scale for every terminal in it.

    The weight of every tree of a string of length n is divided by scaleⁿ.

    >>> from weft.grammars.forms.notation import parse_grammar
    >>> scale_weights(parse_grammar("A -> A A | 'a'"), np.log(4)).weights.round(3)
    array([ 0.   , -1.386])
    """
    return reweight(grammar, scaled_weights(grammar, log_scale))


def scaled_weights(grammar: Grammar, log_scale: float) -> FloatArray:
    """Return the log-weights of :func:`scale_weights` [rules]."""
    moved: FloatArray = grammar.weights - log_scale * terminal_counts(grammar)
    return moved


def require_finite_lengths(grammar: Grammar) -> None:
    """Refuse a grammar in which the strings of some length weigh infinitely much.

    Raises:
        DivergenceError: If there are such lengths; the message names the cycle.
    """
    if cycle := endless_cycle(grammar):
        raise DivergenceError(
            f"the trees of some single string weigh infinitely much: the cycle "
            f"{shown_cycle(cycle)} can be gone round without a word, and loses no weight; "
            "lower its rules' weights, or leave one of them out"
        )


class _ScaledSums:
    """The sums of a trimmed grammar, its weights being divided by scales."""

    def __init__(self, rules: Grammar) -> None:
        self._rules = rules
        self._system = system_of(rules)
        start = first_values(self._system, rules.weights)
        useful = useful_terms(self._system, rules.weights, start)
        self._plan = stages(self._system, useful)
        first = np.zeros(self._system.count, bool)
        first[self._system.heads[terminal_counts(rules) > 0]] = True
        self._audible = depending(self._system, first)

    def endless(self) -> bool:
        """Whether there are strings of any length: some recursion adds a word."""
        rules, system = self._rules, self._system
        audible = self._audible.astype(np.float64)
        words = terminal_counts(rules)
        words += sum_terms(system.owners, audible[system.factors], rules.rule_count)
        for stage in self._plan:
            inside = np.isin(stage.factors, stage.unknowns)
            others = words[stage.terms[stage.owners]] - audible[stage.factors]
            if stage.cyclic and (others[inside] > 0).any():
                return True
        return False

    def solution(self, log_scale: float) -> LeastSolution:
        weights = scaled_weights(self._rules, log_scale)
        return solve_stages(self._plan, weights, first_values(self._system, weights))

    def converges(self, log_scale: float) -> bool:
        return bool(self.solution(log_scale).log_values[self._rules.start] < np.inf)

    def bracket(self) -> tuple[float, float]:
        """Scales below and above the growth rate."""
        step = 1.0
        sign = -1.0 if self.converges(0.0) else 1.0
        while self.converges(sign * step) == (sign < 0):
            step *= 2
            if step > _FARTHEST:
                raise LimitError(
                    "the growth rate cannot be found: the logarithms of the rules' weights are too "
                    "large for sums to have any digits; choose weights nearer to 1"
                )
        inner = 0.0 if step == 1.0 else sign * step / 2
        return min(inner, sign * step), max(inner, sign * step)

    def error(self, log_scale: float) -> float:
        """What is uncertain of the rate: rounding, and the sums that no scale changes."""
        errors = self.solution(log_scale).errors[~self._audible]
        return _ROUNDING * (1.0 + abs(log_scale)) + 10 * float(errors.max(initial=0.0))

    def attained(self, log_scale: float) -> bool:
        """Whether no linear recursion has a radius of 1 at the growth rate."""
        radii = self.solution(log_scale).radii
        for stage in self._plan:
            if stage.cyclic and radii[stage.unknowns[0]] > 1 - 1e-4:
                inside = np.isin(stage.factors, stage.unknowns)
                if np.bincount(stage.owners[inside]).max() == 1:
                    return False
        return True
