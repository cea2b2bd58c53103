"""Proper grammars, and whether they are tight.

A grammar is *proper* if the weights of each symbol's rules sum to 1. It is *tight* if the trees it
can make have a total probability of 1; otherwise some of it goes to derivations that never end. A
proper grammar, all of whose reachable symbols are productive, is tight exactly if the matrix of
expected numbers of children, M_XY = Σ_{X → α} w · (how often Y is in α), has a spectral radius of
at most 1.

Reference: Booth and Thompson (1973), "Applying probability measures to abstract languages", IEEE
Transactions on Computers 22(5); Etessami and Yannakakis (2009), theorem 8.1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from weft.arrays import FloatArray
from weft.grammars.sums.systems import sum_terms, system_of
from weft.grammars.trim import reachable_rules, useful_rules
from weft.inference.components import components
from weft.structures.grammar import Grammar

_TOLERANCE = 1e-9
_DENSE = 500  # symbols up to which all eigenvalues are computed


@dataclass(frozen=True, slots=True)
class Tightness:
    """Whether a grammar is a probabilistic one, and loses no probability.

    Attributes:
        proper: Whether the weights of each symbol's rules sum to 1.
        improper: The first symbol whose weights do not, and their sum.
        tight: Whether the trees have a total probability of 1; None where the grammar is not
            proper.
        radius: The spectral radius that decides it, of the symbols that can be reached; not a
            number where the grammar is not proper.
        certain: Whether the radius is far enough from 1 that rounding does not matter.
    """

    proper: bool
    improper: tuple[str, float] | None
    tight: bool | None
    radius: float
    certain: bool


def tightness(grammar: Grammar, tolerance: float = _TOLERANCE) -> Tightness:
    """Say whether a grammar is proper and tight.

    >>> from weft.grammars.forms.notation import parse_grammar
    >>> tightness(parse_grammar("S -> S S [0.6] | 'a' [0.4]"))
    Tightness(proper=True, improper=None, tight=False, radius=1.2, certain=True)

    Args:
        grammar: The grammar.
        tolerance: How far sums may be from 1, and the radius above it, by rounding.
    """
    reached = reachable_rules(grammar)
    heads = grammar.heads.astype(np.int64)
    with np.errstate(over="ignore"):
        totals = sum_terms(heads, np.exp(grammar.weights), len(grammar.nonterminals))
    symbols = np.unique(np.append(grammar.heads[reached], grammar.start))
    wrong = symbols[abs(totals[symbols] - 1.0) > tolerance]
    if len(wrong):
        improper = grammar.nonterminals[int(wrong[0])], float(totals[wrong[0]])
        return Tightness(False, improper, None, math.nan, False)
    radius = _radius(grammar)
    whole = bool(np.array_equal(reached, useful_rules(grammar)))
    tight = whole and radius <= 1.0 + tolerance
    certain = not whole or abs(radius - 1.0) > tolerance
    return Tightness(True, None, tight, radius, certain)


def _radius(grammar: Grammar) -> float:
    """The spectral radius of M among the symbols that can be reached, component by component."""
    system = system_of(grammar)
    rules = useful_rules(grammar)
    live = rules[system.owners]
    sources, targets = system.heads[system.owners[live]], system.factors[live]
    values = np.exp(grammar.weights[system.owners[live]])
    found = components(system.count, sources, targets)
    inside = found.numbers[sources] == found.numbers[targets]
    largest = 0.0
    for component in np.unique(found.numbers[sources[inside]]).tolist():
        members = np.flatnonzero(found.numbers == component)
        edges = inside & (found.numbers[sources] == component)
        rows, columns = (np.searchsorted(members, ends[edges]) for ends in (sources, targets))
        matrix = np.zeros((len(members), len(members)))
        np.add.at(matrix, (rows, columns), values[edges])
        largest = max(largest, _largest_eigenvalue(matrix))
    return largest


def _largest_eigenvalue(matrix: FloatArray) -> float:
    if len(matrix) <= _DENSE:
        return float(abs(np.linalg.eigvals(matrix)).max())
    vector = np.ones(len(matrix))
    value = 0.0
    for _ in range(10_000):  # I + M has the same eigenvectors, and one eigenvalue beyond all others
        new = vector + matrix @ vector
        ratios = new / vector
        value = float(ratios.max())
        if value - float(ratios.min()) <= 1e-12 * value:
            break
        vector = new / new.max()
    return value - 1.0
