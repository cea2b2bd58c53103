"""Determinisation: at most one path a string.

A state of the result is a set of states with residual weights: what the paths to them weigh beyond
what their common string has been charged. A *symbol* here is an arc's input with its output, so
that a transducer is determinised as a set of strings of pairs.

Reference: Mohri (1997), "Finite-State Transducers in Language and Speech Processing", section 3.3.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import reduce

from weft.algebra import LOG, Log, Max
from weft.automata.transducer import (
    EPSILON,
    MOST_ARCS,
    Arc,
    Transducer,
    check_size,
    outgoing,
    trim,
)

DIGITS = 9
"""Residual weights that agree to this many decimal places count as equal."""

_Subset = dict[int, float]


def determinise(
    machine: Transducer, algebra: Log | Max = LOG, limit: int = MOST_ARCS
) -> Transducer:
    """Return a machine of the same weights in which a state's arcs have different symbols.

    With :data:`weft.algebra.LOG` a string weighs what all its paths weigh together, with
    :data:`weft.algebra.MAX` what its best path does: for an unweighted *set* of strings take MAX.
    An acyclic machine can always be determinised; another one perhaps not.

    >>> from weft.automata import transducer
    >>> twice = transducer([(0, "a", "a", 1), (0, "a", "a", 2), (2, "b", "b", 1)], [1])
    >>> len(determinise(twice).arcs)
    2

    Args:
        machine: A machine without arcs that read and write nothing.
        algebra: What the sum of several paths is.
        limit: How many arcs the result may have; sets of states may have as many members.

    Returns:
        The deterministic machine, trimmed.

    Raises:
        ValueError: If there are empty arcs.
        LimitError: If it would be larger.
    """
    machine = trim(machine)
    if any(arc.input == arc.output == EPSILON for arc in machine.arcs):
        raise ValueError("there are empty arcs; call remove_epsilons first")
    rows = outgoing(machine)
    subsets: list[_Subset] = [{0: algebra.one}]
    numbers = {_key(subsets[0]): 0}
    arcs: list[Arc] = []
    members = 0
    for source, subset in enumerate(subsets):
        for (reads, writes), reached in sorted(_reached(rows, subset, algebra).items()):
            weight = _total(reached.values(), algebra)
            residual = {state: part - weight for state, part in reached.items()}
            key = _key(residual)
            if key not in numbers:
                numbers[key] = len(subsets)
                subsets.append(residual)
                members += len(residual)
            arcs.append(Arc(source, reads, writes, numbers[key], weight))
        check_size(max(len(arcs), members), limit, "the deterministic machine's arcs")
    finals = (
        _total((part + machine.finals[state] for state, part in subset.items()), algebra)
        for subset in subsets
    )
    return trim(Transducer(tuple(arcs), tuple(finals)))


def _reached(
    rows: list[list[Arc]], subset: _Subset, algebra: Log | Max
) -> dict[tuple[str, str], _Subset]:
    """Return for each symbol the states it leads to, with the weights of the ways."""
    found: dict[tuple[str, str], _Subset] = {}
    for state, residual in subset.items():
        for arc in rows[state]:
            reached = found.setdefault((arc.input, arc.output), {})
            before = reached.get(arc.target, algebra.zero)
            reached[arc.target] = algebra.plus(before, residual + arc.weight)
    return found


def _total(weights: Iterable[float], algebra: Log | Max) -> float:
    return reduce(algebra.plus, weights, -math.inf)


def _key(subset: _Subset) -> frozenset[tuple[int, float]]:
    # Adding 0.0 makes one zero of two.
    return frozenset((state, round(residual, DIGITS) + 0.0) for state, residual in subset.items())
