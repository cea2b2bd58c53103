"""From lattices to acceptors, and back."""

from __future__ import annotations

import math
from collections.abc import Iterable

from weft.automata.order import topological_order
from weft.automata.transducer import EPSILON, Transducer, transducer, trim
from weft.structures.lattice import Lattice, arcs_of, lattice


def from_lattice(strings: Lattice) -> Transducer:
    """Return the acceptor of a lattice's strings.

    >>> from_lattice(Lattice.from_sentence(["time", "flies"])).state_count
    3
    """
    arcs = [
        (source, strings.symbols[symbol], strings.symbols[symbol], target)
        for source, symbol, target in arcs_of(strings)
    ]
    return transducer(arcs, strings.final.nonzero()[0].tolist())


def to_lattice(machine: Transducer, symbols: Iterable[str] = ()) -> Lattice:
    """Return the lattice of an acceptor's strings, whose weights are left out.

    >>> from weft.automata import string_acceptor
    >>> list(to_lattice(string_acceptor(["time", "flies"])).strings())
    [('time', 'flies')]

    Args:
        machine: An acyclic acceptor without empty arcs and with one path a string, such as
            :func:`weft.automata.determinise` makes.
        symbols: Symbols that are to have the first numbers; others follow as they come.

    Returns:
        The lattice.

    Raises:
        ValueError: If it is not such an acceptor, or has no string.
        LimitError: If there is a cycle.
    """
    machine = trim(machine)
    if not machine.acceptor or any(arc.input == EPSILON for arc in machine.arcs):
        message = "a lattice is made of an acceptor without empty arcs"
        raise ValueError(f"{message}; call project and remove_epsilons first")
    ends = [state for state, weight in enumerate(machine.finals) if weight > -math.inf]
    if not ends:
        raise ValueError("the machine has no string, and a lattice needs one")
    successors: dict[int, list[int]] = {}
    for arc in machine.arcs:
        successors.setdefault(arc.source, []).append(arc.target)
    order = topological_order(successors, range(machine.state_count))
    numbers = {state: number for number, state in enumerate(order)}
    arcs = [(numbers[arc.source], arc.input, numbers[arc.target]) for arc in machine.arcs]
    return lattice(arcs, [numbers[state] for state in ends], symbols)
