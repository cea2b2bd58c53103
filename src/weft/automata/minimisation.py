"""Minimisation of acyclic machines: states with the same future are one.

Weights are first pushed towards the start, so that equal futures have equal weights: with d(q) the
sum of all paths from q to an end, an arc from p to q of weight w gets w + d(q) − d(p). Then, from
the ends backwards, states with the same final weight and the same arcs are merged.

References: Revuz (1992), "Minimisation of acyclic deterministic automata in linear time"; Mohri
(2000), "Minimization algorithms for sequential transducers".
"""

from __future__ import annotations

import math

from weft.algebra import LOG, Log, Max
from weft.automata.determinisation import DIGITS
from weft.automata.order import topological_order
from weft.automata.transducer import Arc, Transducer, outgoing, trim


def minimise(machine: Transducer, algebra: Log | Max = LOG) -> Transducer:
    """Return the smallest deterministic machine of the same weights.

    Its states are in topological order.

    >>> from weft.automata import determinise, remove_epsilons, string_acceptor, union
    >>> strings = [string_acceptor(words) for words in (["a", "c"], ["b", "c"])]
    >>> minimise(determinise(remove_epsilons(union(*strings)))).state_count
    3

    Args:
        machine: An acyclic machine. If it is not deterministic, states with the same arcs become
            one, but the result need not be the smallest.
        algebra: In which weights are pushed; for an unweighted set of strings take
            :data:`weft.algebra.MAX`, as in :func:`weft.automata.determinise`.

    Returns:
        The minimal machine, trimmed.

    Raises:
        LimitError: If there is a cycle.
    """
    machine = push(machine, algebra)
    rows = outgoing(machine)
    merged: dict[object, int] = {}
    classes = [0] * len(rows)
    made: list[tuple[float, list[Arc]]] = []
    # The initial state, from which all weights were pushed, comes last and is like no other.
    for state in reversed(_order(rows)):
        arcs = [arc._replace(target=classes[arc.target]) for arc in rows[state]]
        key = (
            round(machine.finals[state], DIGITS) + 0.0,
            tuple(sorted((*arc[1:4], round(arc.weight, DIGITS) + 0.0) for arc in arcs)),
        )
        if key not in merged:
            merged[key] = len(made)
            made.append((machine.finals[state], arcs))
        classes[state] = merged[key]
    last = len(made) - 1
    return Transducer(
        tuple(
            arc._replace(source=last - number, target=last - arc.target)
            for number, (_, arcs) in enumerate(made)
            for arc in arcs
        ),
        tuple(weight for weight, _ in reversed(made)),
    )


def push(machine: Transducer, algebra: Log | Max = LOG) -> Transducer:
    """Return an acyclic machine of the same weights, each charged as early as it can be.

    From every state but the first, the paths to the ends then weigh 0 together.

    >>> from weft.automata import transducer
    >>> pushed = push(transducer([(0, "a", "a", 1), (1, "b", "b", 2, -2.0)], [2]))
    >>> [arc.weight for arc in pushed.arcs]
    [-2.0, 0.0]

    Raises:
        LimitError: If there is a cycle.
    """
    machine = trim(machine)
    rows = outgoing(machine)
    ahead = list(machine.finals)
    for state in reversed(_order(rows)):
        for arc in rows[state]:
            ahead[state] = algebra.plus(ahead[state], arc.weight + ahead[arc.target])
    # Nothing leads to the initial state, so that what would be charged before it can stay on it.
    ahead[0] = 0.0
    return Transducer(
        tuple(
            arc._replace(weight=arc.weight + ahead[arc.target] - ahead[arc.source])
            for arc in machine.arcs
        ),
        tuple(
            weight - ahead[state] if weight > -math.inf else weight
            for state, weight in enumerate(machine.finals)
        ),
    )


def _order(rows: list[list[Arc]]) -> list[int]:
    successors = {state: [arc.target for arc in row] for state, row in enumerate(rows)}
    return topological_order(successors, range(len(rows)))
