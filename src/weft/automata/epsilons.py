"""Removing steps that read and write nothing."""

from __future__ import annotations

import math

from weft.algebra import LOG, Log, Max
from weft.automata.order import topological_order
from weft.automata.transducer import (
    EPSILON,
    MOST_ARCS,
    Arc,
    Transducer,
    check_size,
    outgoing,
    trim,
)


def remove_epsilons(
    machine: Transducer, algebra: Log | Max = LOG, limit: int = MOST_ARCS
) -> Transducer:
    """Return a machine of the same relation whose every arc reads or writes a word.

    A state takes over the arcs and the ends of those that it reaches without a word, with the
    weights of the ways there, summed.

    >>> from weft.automata import string_acceptor, union
    >>> both = remove_epsilons(union(string_acceptor(["a"]), string_acceptor(["b"])))
    >>> [(arc.source, arc.input) for arc in both.arcs]
    [(0, 'a'), (0, 'b')]

    Args:
        machine: Any machine without a cycle of empty arcs.
        algebra: What the sum of several ways is.
        limit: How many arcs the result may have.

    Returns:
        The machine, trimmed; arcs that differ in their weights alone have become one.

    Raises:
        LimitError: If empty arcs form a cycle, or there would be more arcs.
    """
    machine = trim(machine)
    rows, finals = outgoing(machine), list(machine.finals)
    empty = {
        source: [arc.target for arc in row if _is_empty(arc)]
        for source, row in enumerate(rows)
        if any(map(_is_empty, row))
    }
    made: list[dict[tuple[str, str, int], float]] = [{} for _ in rows]
    size = 0
    # Backwards: what a state takes over is already without empty arcs.
    for state in reversed(topological_order(empty, range(len(rows)))):
        for arc in rows[state]:
            if _is_empty(arc):
                taken = [(key, arc.weight + weight) for key, weight in made[arc.target].items()]
                finals[state] = algebra.plus(finals[state], arc.weight + finals[arc.target])
            else:
                taken = [((arc.input, arc.output, arc.target), arc.weight)]
            for key, weight in taken:
                made[state][key] = algebra.plus(made[state].get(key, -math.inf), weight)
        size += len(made[state])
        check_size(size, limit, "the arcs without empty ones")
    arcs = [
        Arc(source, *key, weight) for source, row in enumerate(made) for key, weight in row.items()
    ]
    return trim(Transducer(tuple(arcs), tuple(finals)))


def _is_empty(arc: Arc) -> bool:
    return arc.input == EPSILON and arc.output == EPSILON
