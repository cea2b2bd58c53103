"""Automata: weighted transducers, and the sets of strings that they make of a sentence."""

from weft.automata.att import read_transducer, write_transducer
from weft.automata.composition import compose
from weft.automata.determinisation import determinise
from weft.automata.epsilons import remove_epsilons
from weft.automata.lattices import from_lattice, to_lattice
from weft.automata.minimisation import minimise, push
from weft.automata.transducer import (
    ANY,
    EPSILON,
    Arc,
    Tape,
    Transducer,
    outgoing,
    project,
    string_acceptor,
    transducer,
    trim,
    union,
    unweighted,
    with_words,
)

__all__ = [
    "ANY",
    "EPSILON",
    "Arc",
    "Tape",
    "Transducer",
    "compose",
    "determinise",
    "from_lattice",
    "minimise",
    "outgoing",
    "project",
    "push",
    "read_transducer",
    "remove_epsilons",
    "string_acceptor",
    "to_lattice",
    "transducer",
    "trim",
    "union",
    "unweighted",
    "with_words",
    "write_transducer",
]
