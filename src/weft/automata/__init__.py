"""Automata: weighted transducers, and the sets of strings that they make of a sentence."""

from weft.automata.att import read_transducer, write_transducer
from weft.automata.composition import compose
from weft.automata.determinisation import determinise
from weft.automata.epsilons import remove_epsilons
from weft.automata.lattices import from_lattice, to_lattice
from weft.automata.minimisation import minimise, push
from weft.automata.neighbourhoods import (
    NEIGHBOURHOODS,
    Custom,
    Length,
    Neighbourhood,
    Transduced,
    del1subseq,
    del1word,
    delortrans1,
    trans1,
)
from weft.automata.transducer import (
    ANY,
    EPSILON,
    Arc,
    Tape,
    Transducer,
    outgoing,
    project,
    remove_weights,
    string_acceptor,
    transducer,
    trim,
    union,
    with_words,
)
from weft.automata.windows import split_windows, windows

__all__ = [
    "ANY",
    "EPSILON",
    "NEIGHBOURHOODS",
    "Arc",
    "Custom",
    "Length",
    "Neighbourhood",
    "Tape",
    "Transduced",
    "Transducer",
    "compose",
    "del1subseq",
    "del1word",
    "delortrans1",
    "determinise",
    "from_lattice",
    "minimise",
    "outgoing",
    "project",
    "push",
    "read_transducer",
    "remove_epsilons",
    "remove_weights",
    "split_windows",
    "string_acceptor",
    "to_lattice",
    "trans1",
    "transducer",
    "trim",
    "union",
    "windows",
    "with_words",
    "write_transducer",
]
