"""Transducers as text, in the AT&T format that OpenFst's fstcompile and fstprint use.

A line is an arc or an end, its fields separated by spaces or tabs:

    source target input output [cost]
    state [cost]

The source of the first line is the initial state. Symbols are text: ``<eps>`` is nothing, as are
``@0@`` of foma and HFST and ``@_EPSILON_SYMBOL_@``; ``<any>``, which OpenFst does not know, is any
word. A *cost* is a negated log-weight, as in both
the tropical and the log semiring of OpenFst: 0 where it is missing, and ``Infinity`` for what is
impossible.

Reference: Allauzen, Riley, Schalkwyk, Skut and Mohri (2007), "OpenFst: a general and efficient
weighted finite-state transducer library".
"""

from __future__ import annotations

import itertools
import math
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from weft.automata.transducer import ANY, EPSILON, MOST_ARCS, Arc, Transducer, outgoing, trim
from weft.errors import FormatError, quote
from weft.files import Source, name_of, read_lines, write_text

_WRITTEN = {EPSILON: "<eps>", ANY: "<any>"}
_READ = {text: symbol for symbol, text in _WRITTEN.items()}
_READ |= dict.fromkeys(("@0@", "@_EPSILON_SYMBOL_@"), EPSILON)
_FIELD = re.compile(r"[^ \t]+")
_STATE = re.compile(r"[0-9]{1,18}")
_COST = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]{1,4})?|\+?inf(inity)?", re.I)
_LONGEST_SHOWN = 300
_MOST_FIELDS = 6
"""One more than a line can have: the rest need not be looked at."""


def read_transducer(
    source: Source, *, acceptor: bool = False, limit: int = MOST_ARCS
) -> Transducer:
    r"""Read a transducer.

    The states get new numbers: the initial one 0, the others in the order of theirs.

    >>> import io
    >>> machine = read_transducer(io.BytesIO(b"0 0 <any> <any>\n0 1 <any> <eps> 0.5\n1\n"))
    >>> machine.arcs[1].output, machine.arcs[1].weight, machine.finals
    ('', -0.5, (-inf, 0.0))

    Args:
        source: A path, ``-`` for the standard input, or a binary stream.
        acceptor: Whether arcs have one symbol and not two, as ``fstprint --acceptor`` writes them.
        limit: How many arcs and ends there may be.

    Returns:
        The transducer; one without strings where the file is empty.

    Raises:
        FormatError: At a line that is neither an arc nor an end, or is one too many.
    """
    arcs: list[Arc] = []
    finals: dict[int, float] = {}
    first: int | None = None
    for line in _lines(source):
        if len(line.fields) > 2:
            arcs.append(line.arc(acceptor))
        elif line.state(0) in finals:
            raise line.error(0, "the state ends a second time; leave out one of the lines")
        else:
            finals[line.state(0)] = line.weight(1)
        if len(arcs) + len(finals) > limit:
            raise line.error(0, f"there are more than {limit:,} arcs and ends; raise the limit")
        first = line.state(0) if first is None else first
    return _renumbered(arcs, finals, first)


def write_transducer(path: str | os.PathLike[str], machine: Transducer) -> None:
    r"""Write a transducer, trimmed; ``-`` is the standard output.

    >>> from weft.automata import transducer
    >>> write_transducer("-", transducer([(0, "a", EPSILON, 1, -0.5)], [1]))
    0   1   a   <eps>   0.5
    1

    Raises:
        FormatError: If a symbol cannot be written, since it has white space in it or means
            something else, and then nothing is; or if the file cannot be made.
    """
    text = format_transducer(machine)
    with write_text(path) as stream:
        stream.write(text)


def format_transducer(machine: Transducer) -> str:
    """Return a transducer as text, trimmed.

    Raises:
        FormatError: If a symbol cannot be written.
    """
    return "".join(_rendered(trim(machine)))


@dataclass(frozen=True, slots=True)
class _FieldLine:
    """A line with its fields."""

    path: str
    number: int
    text: str
    fields: Sequence[re.Match[str]]

    def error(self, field: int, message: str) -> FormatError:
        return FormatError(
            message,
            path=self.path,
            line=self.number,
            column=self.fields[field].start() + 1,
            text=self.text if len(self.text) <= _LONGEST_SHOWN else None,
        )

    def arc(self, acceptor: bool) -> Arc:
        symbols = 1 if acceptor else 2
        if not symbols <= len(self.fields) - 2 <= symbols + 1:
            names = "symbol" if acceptor else "input output"
            message = f"expected 'source target {names} [cost]' or 'state [cost]'"
            more = " or more" if len(self.fields) == _MOST_FIELDS else ""
            raise self.error(0, f"{message}, but there are {len(self.fields)}{more} fields")
        texts = [field[0] for field in self.fields[2 : 2 + symbols]]
        reads, writes = (_READ.get(text, text) for text in (texts[0], texts[-1]))
        return Arc(self.state(0), reads, writes, self.state(1), self.weight(2 + symbols))

    def state(self, field: int) -> int:
        text = self.fields[field][0]
        if not _STATE.fullmatch(text):
            message = f"{quote(text)} is no state"
            raise self.error(field, f"{message}; number the states 0, 1, 2 …")
        return int(text)

    def weight(self, field: int) -> float:
        if field >= len(self.fields):
            return 0.0
        text = self.fields[field][0]
        if not _COST.fullmatch(text) or float(text) == -math.inf:
            message = f"{quote(text)} is no cost"
            raise self.error(field, f"{message}; give a number, Infinity, or nothing for 0")
        return 0.0 - float(text)


def _lines(source: Source) -> Iterator[_FieldLine]:
    for number, text in read_lines(source):
        if fields := list(itertools.islice(_FIELD.finditer(text), _MOST_FIELDS)):
            yield _FieldLine(name_of(source), number, text, fields)


def _renumbered(arcs: list[Arc], finals: dict[int, float], first: int | None) -> Transducer:
    # A file may number its states as it likes, and must not make us hold all up to the last.
    states = {state for arc in arcs for state in (arc.source, arc.target)} | finals.keys()
    order = [] if first is None else [first]
    order += sorted(states - set(order))
    numbers = {state: number for number, state in enumerate(order)}
    return Transducer(
        tuple(arc._replace(source=numbers[arc.source], target=numbers[arc.target]) for arc in arcs),
        tuple(finals.get(state, -math.inf) for state in order) or (-math.inf,),
    )


def _rendered(machine: Transducer) -> Iterator[str]:
    for state, arcs in enumerate(outgoing(machine)):
        for arc in arcs:
            symbols = [_text(arc.input), _text(arc.output)]
            yield "\t".join([str(state), str(arc.target), *symbols, *_cost(arc.weight)]) + "\n"
        if machine.finals[state] > -math.inf:
            yield "\t".join([str(state), *_cost(machine.finals[state])]) + "\n"


def _cost(weight: float) -> list[str]:
    return [repr(-weight)] if weight else []


def _text(symbol: str) -> str:
    if symbol in _WRITTEN:
        return _WRITTEN[symbol]
    if symbol in _READ or re.search(r"[ \t\r\n]", symbol):
        raise FormatError(
            f"the symbol {quote(symbol)} cannot be written in this format, where white space "
            "separates "
            f"fields and {' and '.join(_READ)} have a meaning; rename it"
        )
    return symbol
