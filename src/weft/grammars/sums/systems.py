"""Systems of polynomial equations with nonnegative coefficients, and the order to solve them in.

The sum of the weights of all trees below a symbol is the least solution of

    x_X = Σ_{rules X → α} w_rule ∏_{symbols Y of α} x_Y,

terminals counting as 1. Symbols that depend on each other are one *component*; components are
solved one after the other, and those without cycles, all of one level together, by adding up.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from weft.arrays import BoolArray, FloatArray, IntArray, offsets_of
from weft.errors import LimitError
from weft.inference.components import components, reachable
from weft.structures.grammar import Grammar

OVERFLOW = (
    "the logarithm of a sum over trees is beyond ±1.8e308: some tree has too many nodes; shorten "
    "the chains of rules with several symbols, or set the weights of these rules to 1"
)


@dataclass(frozen=True, slots=True, eq=False)
class System:
    """Equations without their coefficients.

    Attributes:
        count: How many unknowns there are.
        heads: The unknown to whose equation each term belongs. [terms]
        owners: The term of each factor, ascending. [factors]
        factors: The unknown that each factor is. [factors]
    """

    count: int
    heads: IntArray
    owners: IntArray
    factors: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """Unknowns that are solved for together.

    Attributes:
        unknowns: Their numbers, ascending. [unknowns]
        cyclic: Whether they depend on each other; otherwise each can be added up.
        terms: The terms of their equations, sorted by the unknown. [terms]
        heads: The place in ``unknowns`` of each term's unknown. [terms]
        owners: The place in ``terms`` of each factor's term, ascending. [factors]
        factors: The unknown that each factor is. [factors]
    """

    unknowns: IntArray
    cyclic: bool
    terms: IntArray
    heads: IntArray
    owners: IntArray
    factors: IntArray


def sum_terms(places: IntArray, amounts: FloatArray, count: int) -> FloatArray:
    """Return the sum of the amounts that go to each of some places [count].

    >>> sum_terms(np.array([2, 0, 2]), np.array([1.0, 2.0, 3.0]), 3)
    array([2., 0., 4.])
    """
    return np.bincount(places, amounts, count).astype(np.float64, copy=False)


def system_of(grammar: Grammar) -> System:
    """Return the equations of a grammar's sums: a term a rule, a factor a nonterminal in it.

    >>> from weft.structures.grammar import Rule, Terminal, grammar
    >>> equations = system_of(grammar([Rule("S", ("S", "S")), Rule("S", (Terminal("a"),))]))
    >>> equations.heads, equations.owners, equations.factors
    (array([0, 0]), array([0, 0]), array([0, 0]))
    """
    rules = np.repeat(np.arange(grammar.rule_count), np.diff(grammar.body_offsets))
    inner = grammar.bodies >= 0
    return System(
        len(grammar.nonterminals),
        grammar.heads.astype(np.int64),
        rules[inner],
        grammar.bodies[inner].astype(np.int64),
    )


def first_values(system: System, weights: FloatArray) -> FloatArray:
    """Return the log-weight of one tree below each unknown, −inf where there is none.

    The tree is among those of least height, and so finding it never goes round a cycle. Such
    values lie below the least solution, and one step of the equations does not lower them.

    >>> from weft.structures.grammar import Rule, grammar
    >>> pair = grammar([Rule("S", ("A", "A"), -1.0), Rule("A", (), -2.0), Rule("B", ("B",))])
    >>> first_values(system_of(pair), pair.weights)
    array([ -5.,  -2., -inf])

    Raises:
        LimitError: If such a tree is so large that its log-weight overflows.
    """
    possible = (weights > -np.inf).tolist()
    missing = np.bincount(system.owners, minlength=len(weights))
    ready = np.flatnonzero((weights > -np.inf) & (missing == 0)).tolist()
    by_factor = np.argsort(system.factors, kind="stable")
    cuts = np.searchsorted(system.factors[by_factor], np.arange(system.count + 1)).tolist()
    users, heads = system.owners[by_factor].tolist(), system.heads.tolist()
    waits, sums, values = missing.tolist(), weights.tolist(), [-math.inf] * system.count
    # Plain lists: a chain of rules has as many heights as rules, each of a few terms.
    while ready:
        found: dict[int, float] = {}
        for term in ready:
            head = heads[term]
            if values[head] == -math.inf:
                found[head] = max(found.get(head, -math.inf), sums[term])
        ready = []
        for head, value in sorted(found.items()):
            values[head] = value
            for term in users[cuts[head] : cuts[head + 1]]:
                sums[term] += value
                waits[term] -= 1
                if not waits[term] and possible[term]:
                    ready.append(term)
        if not all(map(math.isfinite, found.values())) and not np.isposinf(weights).any():
            raise LimitError(OVERFLOW)
    return np.array(values)


def productive(system: System, weights: FloatArray) -> BoolArray:
    """[unknowns]: those below which there is a tree, however small its weight is.

    >>> from weft.structures.grammar import Rule, grammar
    >>> pair = grammar([Rule("S", ("A", "A"), -1.0), Rule("A", (), -2.0), Rule("B", ("B",))])
    >>> productive(system_of(pair), pair.weights)
    array([ True,  True, False])
    """
    found: BoolArray = first_values(system, np.where(weights > -np.inf, 0.0, -np.inf)) == 0.0
    return found


def useful_terms(system: System, weights: FloatArray, values: FloatArray) -> BoolArray:
    """[terms]: those that are not 0, all their factors having a value."""
    useful: BoolArray = weights > -np.inf
    useful[system.owners[values[system.factors] == -np.inf]] = False
    return useful


def depending(system: System, unknowns: BoolArray) -> BoolArray:
    """Return which unknowns have some of the given ones in or below their equations [unknowns].

    >>> from weft.structures.grammar import Rule, grammar
    >>> three = system_of(grammar([Rule("S", ("A",)), Rule("A", ("B",)), Rule("C", ())]))
    >>> depending(three, np.array([False, False, False, True]))  # on B, the last
    array([ True,  True, False,  True])
    """
    heads = system.heads[system.owners]
    return reachable(system.count, system.factors, heads, np.flatnonzero(unknowns))


def stages(system: System, useful: BoolArray) -> tuple[Stage, ...]:
    """Return the order in which the equations are solved, other terms being left out.

    An unknown without a useful term has no place in it.

    >>> from weft.structures.grammar import Rule, Terminal, grammar
    >>> pair = grammar([Rule("S", ("A", "S")), Rule("S", ("A",)), Rule("A", (Terminal("a"),))])
    >>> plan = stages(system_of(pair), np.ones(3, bool))
    >>> [(each.unknowns.tolist(), each.cyclic) for each in plan]
    [([1], False), ([0], True)]
    """
    live = useful[system.owners]
    owners, factors = system.owners[live], system.factors[live]
    found = components(system.count, system.heads[owners], factors)
    # One number a stage: all acyclic components of a level, then each cyclic one of that level.
    cyclic = found.cyclic
    keys = np.where(cyclic, np.arange(len(cyclic)) + 1, 0)
    order = np.lexsort((keys, found.levels))
    fresh = np.ones(len(order), bool)
    fresh[1:] = (np.diff(found.levels[order]) != 0) | (np.diff(keys[order]) != 0)
    stage_of_component = np.empty(len(order), np.int64)
    stage_of_component[order] = np.cumsum(fresh) - 1
    stage_of = stage_of_component[found.numbers]
    terms = np.flatnonzero(useful)
    terms = terms[np.lexsort((system.heads[terms], stage_of[system.heads[terms]]))]
    place = np.full(len(useful), -1)
    place[terms] = np.arange(len(terms))
    by_term = np.argsort(place[owners], kind="stable")
    owners, factors = place[owners[by_term]], factors[by_term]
    count = int(fresh.sum())
    heads = system.heads[terms]
    term_cuts = np.searchsorted(stage_of[heads], np.arange(count + 1))
    factor_cuts = np.searchsorted(owners, term_cuts).tolist()
    fresh = np.ones(len(heads), bool)
    fresh[1:] = np.diff(heads) != 0
    unknowns, places = heads[fresh], np.cumsum(fresh) - 1
    unknown_cuts = np.append(places, len(unknowns))[term_cuts].tolist()
    are_cyclic = cyclic[found.numbers[unknowns]].tolist()
    made: list[Stage] = []
    for number, (first, last) in enumerate(itertools.pairwise(term_cuts.tolist())):
        if first == last:
            continue
        begin, end = factor_cuts[number : number + 2]
        lowest, highest = unknown_cuts[number : number + 2]
        made.append(
            Stage(
                unknowns[lowest:highest],
                are_cyclic[lowest],
                terms[first:last],
                places[first:last] - lowest,
                owners[begin:end] - first,
                factors[begin:end],
            )
        )
    return tuple(made)


def add_systems(stage: Stage, terms: FloatArray) -> FloatArray:
    """Return log Σ exp of each unknown's terms, which are sorted; +inf where one is.

    >>> one = Stage(np.array([7]), False, np.arange(2), np.zeros(2, int), *(np.zeros(0, int),) * 2)
    >>> add_systems(one, np.log([0.25, 0.5])).round(3)
    array([-0.288])
    """
    starts = offsets_of(np.bincount(stage.heads, minlength=len(stage.unknowns)))[:-1]
    return log_sums(terms, starts, stage.heads)


def log_sums(terms: FloatArray, starts: IntArray, runs: IntArray) -> FloatArray:
    """Return log Σ exp of runs of terms that stand beside each other, along the first axis.

    >>> log_sums(np.log([0.25, 0.5, 0.125]), np.array([0, 2]), np.array([0, 0, 1])).round(3)
    array([-0.288, -2.079])

    Args:
        terms: Log-terms. [terms, ...]
        starts: Where each run begins; none is empty. [runs]
        runs: The run of each term. [terms]
    """
    largest = np.maximum.reduceat(terms, starts)
    shift = np.where(np.isinf(largest), 0.0, largest)
    with np.errstate(over="ignore"):
        sums = np.add.reduceat(np.exp(terms - shift[runs]), starts)
    with np.errstate(divide="ignore"):
        logs: FloatArray = np.log(sums) + shift
    return logs
