r"""Finite-state networks that split text and analyse words, read from text.

Three forms are known by their contents:

- Xerox's, as xfst's ``write prolog`` makes it: ``arc(net, 0, 1, "a":"b").`` with the analysis
  before the colon and the surface after it; ``"0"`` is nothing, ``"?"`` any symbol that the
  network does not name, ``%`` takes the meaning of the next character; of several networks in a
  file the first one is read;
- AT&T's (`weft.automata.att`), whose input is the surface and whose output is the analysis; foma's
  ``write att`` has them the other way round, so that ``invert net`` comes before it; ``<any>`` is
  any symbol, and those of foma and HFST, such as ``@_IDENTITY_SYMBOL_@``, are any that the network
  does not name;
- a table: a surface, a tab, an analysis such as ``manga+N+F+Pl``.

Symbols of the analysis that have several characters are tags, and those of one character make up
stems; in a table, a tag begins with ``+``.

Reference: Beesley and Karttunen (2003), Finite State Morphology.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO

from weft.automata.att import read_transducer
from weft.automata.transducer import ANY, EPSILON, MOST_ARCS
from weft.errors import FormatError, LimitError, quote
from weft.files import Source, name_of, read_lines

BOUNDARY = "@"
"""What a network that splits text writes between words."""

OTHER = "\0"
"""A symbol that the network does not name; a line's end, which `ANY` is, may stand in a text."""

MOST_STEPS = 100_000
"""As many steps a network may take in a sentence or word."""

LONGEST = 500
"""As many symbols a network may write for a word."""

_FACT = re.compile(
    r"\s*(?:(network|final|symbol|arc)\((\w+)(?:,\s*(\d{1,9}))?(?:,\s*(\d{1,9}))?"
    r'(?:,\s*"((?:[^"\\]|\\.)*)"(?::"((?:[^"\\]|\\.)*)")?)?\s*\)\s*\.|(?:#.*)?)\s*'
)
_UNNAMED = ("@_IDENTITY_SYMBOL_@", "@_UNKNOWN_SYMBOL_@")
"""What foma and HFST write for `OTHER` in AT&T's form."""

_ESCAPES = {"\\t": "\t", "\\n": "\n", "\\r": "\r", "\\\\": "\\", '\\"': '"'}


@dataclass(frozen=True, slots=True)
class NetworkArc:
    """A step: what it reads of the surface and writes of the analysis; EPSILON for nothing."""

    surface: str
    analysis: str
    target: int


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """A network from surfaces to analyses.

    Attributes:
        arcs: The arcs of each state; 0 is the first one.
        finals: Where it may end.
        symbols: Symbols that `OTHER` does not stand for.
        longest: The length of the longest symbol of the surface.
    """

    arcs: Mapping[int, tuple[NetworkArc, ...]]
    finals: frozenset[int]
    symbols: frozenset[str] = frozenset()
    longest: int = 1

    @property
    def tags_read(self) -> tuple[str, ...]:
        """Tags of the surface, if the analysis has none: then the sides seem to be exchanged."""
        arcs = [arc for each in self.arcs.values() for arc in each]
        if any(len(arc.analysis) > 1 for arc in arcs):
            return ()
        return tuple(sorted({arc.surface for arc in arcs if len(arc.surface) > 1}))

    def steps(self, state: int, text: str, place: int) -> Iterator[tuple[str, int, int]]:
        """Yield what is written, the next state and the next place in a text."""
        for arc in self.arcs.get(state, ()):
            if arc.surface == EPSILON:
                yield arc.analysis, arc.target, place
            elif arc.surface == OTHER:
                if place < len(text) and text[place] not in self.symbols:
                    written = text[place] if arc.analysis == OTHER else arc.analysis
                    yield written, arc.target, place + 1
            elif text.startswith(arc.surface, place):
                yield arc.analysis, arc.target, place + len(arc.surface)


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Analyses of words, each as a stem and tags."""

    analyses: Mapping[str, tuple[tuple[str, ...], ...]]


def read_network(source: Source) -> Network | Table:
    r"""Read a network or a table.

    Raises:
        FormatError: With the line, if it is neither.

    >>> import io
    >>> net = read_network(io.BytesIO(b'network(n).\narc(n, 0, 1, "+Pl":"s").\nfinal(n, 1).'))
    >>> analyses(net, "s")
    (('+Pl',),)
    >>> analyses(read_network(io.BytesIO(b"cows\tcow+N+Pl\n")), "cows")
    (('cow', '+N', '+Pl'),)
    """
    lines = list(read_lines(source))
    for _, line in lines:
        if re.match(r"\s*(network|arc)\(", line):
            return _prolog(lines, name_of(source))
        if re.match(r"\s*\d+([ \t]+\d+[ \t]+\S+[ \t]+\S+|[ \t]*$)", line):
            return _att(lines, name_of(source))
        if line.strip() and not line.lstrip().startswith("#"):
            return _table(lines, name_of(source))
    raise FormatError("the file is empty", path=name_of(source))


def _prolog(lines: list[tuple[int, str]], path: str) -> Network:
    arcs: defaultdict[int, list[NetworkArc]] = defaultdict(list)
    finals: set[int] = set()
    symbols: set[str] = set()
    first = ""
    for number, line in lines:
        found = _FACT.fullmatch(line)
        if found is None:
            message = 'expected a fact of xfst\'s "write prolog", such as arc(net, 0, 1, "a":"b").'
            raise FormatError(message, path=path, line=number, text=line)
        kind, net, one, other, upper, lower = found.groups()
        first = first or net or ""
        # Of several networks xfst's stack is written from its top on.
        if kind is None or net != first:
            continue
        if kind == "final" and one is not None:
            finals.add(int(one))
        elif kind == "arc" and other is not None and upper is not None:
            sides = _symbol(upper), _symbol(upper if lower is None else lower)
            symbols.update(side for side in sides if side not in (EPSILON, OTHER))
            arcs[int(one)].append(NetworkArc(sides[1], sides[0], int(other)))
        elif kind == "symbol" and upper is not None:
            symbols.add(_symbol(upper))
    return _made(arcs, finals, frozenset(symbols))


def _symbol(text: str) -> str:
    if text == "0":
        return EPSILON
    if text == "?":
        return OTHER
    plain = re.sub(r"\\.", lambda found: _ESCAPES.get(found.group(), found.group()[1]), text)
    return re.sub(r"%(.)", r"\1", plain)


def _att(lines: list[tuple[int, str]], path: str) -> Network:
    text = "".join(f"{line}\n" for _, line in lines)
    try:
        machine = read_transducer(BytesIO(text.encode()), limit=MOST_ARCS)
    except FormatError as error:
        raise FormatError(
            error.message, path=path, line=error.line, column=error.column, text=error.text
        ) from None
    arcs: defaultdict[int, list[NetworkArc]] = defaultdict(list)
    other = (ANY, *_UNNAMED)
    named: set[str] = set()
    for arc in machine.arcs:
        if arc.weight > float("-inf"):
            surface, analysis = (
                OTHER if each in other else each for each in (arc.input, arc.output)
            )
            arcs[arc.source].append(NetworkArc(surface, analysis, arc.target))
        named.update((arc.input, arc.output))
    finals = {state for state, weight in enumerate(machine.finals) if weight > float("-inf")}
    has_unnamed = not named.isdisjoint(_UNNAMED)
    return _made(arcs, finals, frozenset(named.difference(other) if has_unnamed else ()))


def _made(
    arcs: Mapping[int, list[NetworkArc]], finals: set[int], symbols: frozenset[str]
) -> Network:
    longest = max((len(arc.surface) for each in arcs.values() for arc in each), default=1)
    rows = {state: tuple(each) for state, each in arcs.items()}
    return Network(rows, frozenset(finals), symbols, longest)


def _table(lines: list[tuple[int, str]], path: str) -> Table:
    found: defaultdict[str, dict[tuple[str, ...], None]] = defaultdict(dict)
    for number, line in lines:
        if not line.strip() or line.startswith("#"):
            continue
        surface, tab, analysis = line.partition("\t")
        if not tab or not surface.strip() or not analysis.strip():
            message = "expected a word, a tab and its analysis, such as cow+N+Sg"
            raise FormatError(message, path=path, line=number, text=line)
        found[surface.strip()][split_tags(analysis.strip())] = None
    return Table({word: tuple(each) for word, each in found.items()})


def split_tags(analysis: str) -> tuple[str, ...]:
    """Return the stem and the tags of an analysis.

    >>> split_tags("cow+N+Pl"), split_tags("+")
    (('cow', '+N', '+Pl'), ('+',))
    """
    stem, *tags = re.split(r"(?<=.)\s*\+(?=[^+\s])", analysis)
    return (stem, *(f"+{tag.strip()}" for tag in tags))


def analyses(machine: Network | Table, word: str) -> tuple[tuple[str, ...], ...]:
    """Return the analyses of a word, each as its stem and tags, sorted.

    Raises:
        LimitError: If there is no end of them.
    """
    if isinstance(machine, Table):
        return machine.analyses.get(word, ())
    found: set[tuple[str, ...]] = set()
    waiting: list[tuple[int, int, tuple[str, ...]]] = [(0, 0, ())]
    seen = set(waiting)
    left = MOST_STEPS
    while waiting:
        state, place, written = waiting.pop()
        if place == len(word) and state in machine.finals:
            found.add(_morphemes(written))
        for symbol, target, after in machine.steps(state, word, place):
            left -= 1
            if left < 0 or len(written) > LONGEST:
                limits = f"{MOST_STEPS:,} steps or {LONGEST} symbols"
                raise LimitError(f"the morphology takes more than {limits} for {quote(word)}")
            item = (target, after, (*written, symbol) if symbol else written)
            if item not in seen:
                seen.add(item)
                waiting.append(item)
    return tuple(sorted(found))


def _morphemes(symbols: Sequence[str]) -> tuple[str, ...]:
    parts: list[str] = []
    stem = ""
    for symbol in symbols:
        if len(symbol) > 1:
            parts += [stem] if stem else []
            parts.append(symbol)
            stem = ""
        else:
            stem += symbol
    return (*parts, stem) if stem else tuple(parts)


@dataclass(frozen=True, slots=True, eq=False)
class Morphology:
    """How text becomes words, and words become stems and tags.

    Attributes:
        splitter: The network that splits text; None is the default way.
        analysers: What analyses words, in order.
        first_only: Whether only the first analyser that knows a word is asked.
    """

    splitter: Network | None = None
    analysers: tuple[Network | Table, ...] = ()
    first_only: bool = False

    def analyses(self, word: str) -> tuple[tuple[str, ...], ...]:
        """Return the analyses of a word, each as its stem and tags, without repetition."""
        found: dict[tuple[str, ...], None] = {}
        for analyser in self.analysers:
            found.update(dict.fromkeys(analyses(analyser, word)))
            if found and self.first_only:
                break
        return tuple(found)
