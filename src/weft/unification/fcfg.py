r"""Feature grammars in the notation of NLTK, as files of the kind ``.fcfg``.

    % start S
    S -> NP[NUM=?n] VP[NUM=?n]
    NP[NUM=sg] -> 'this' 'dog' | "Kim"
    NP/NP ->

A line is a rule, with alternatives after ``|``; a line that ends in ``\`` goes on in the next one;
``#`` at the beginning is a comment. ``% start`` names the start category, by default the left side
of the first rule; ``% include FILE`` takes the rules of another file, beside this one. A comment of
one word, or with more in brackets, right before a rule names the rule: ``# np1 (core)``.

Reference: Bird, Klein and Loper (2009), Natural Language Processing with Python, chapter 9.
"""

from __future__ import annotations

import codecs
import io
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from weft.errors import FormatError, OptionError, no_such, quote
from weft.files import Source, name_of, read_bytes, read_lines
from weft.unification.grammar import FeatureGrammar, FeatureRule, default_name, make_grammar
from weft.unification.limits import check_time
from weft.unification.notation import NotationError, StructureReader
from weft.unification.structure import Atom, FeatureStructure, Listed

_ARROW = re.compile(r"\s*->\s*")
_WORD = re.compile(r"(?:\"([^\"]*)\"|'([^']*)')\s*")
_BAR = re.compile(r"\|\s*")
_NAME = re.compile(r"#+\s*([^\s#()]\S*)\s*(?:\([^)]*\)\s*)?$")
_CODING = re.compile(r"#.*coding[:=]\s*([-\w.]+)")
_DIRECTIVES = ("start", "include")
_LARGEST = 1 << 30  # bytes of a file that is not UTF-8, which is read whole


@dataclass(slots=True)
class _Contents:
    start: FeatureStructure | None = None
    rules: list[FeatureRule] = field(default_factory=list)


def read_fcfg(source: Source, *, encoding: str = "utf-8") -> FeatureGrammar:
    r"""Read a grammar.

    Args:
        source: A path, ``-`` for the standard input, or a binary stream; gzipped or not.
        encoding: How the file's characters are written.

    Raises:
        FormatError: With line and column, if the file is no grammar.
        OptionError: If there is no such encoding.

    >>> grammar = read_fcfg(io.BytesIO(b"S -> NP[NUM=?n] VP[NUM=?n]\nNP[NUM=sg] -> 'Kim'"))
    >>> print(grammar.rules[1])
    NP[NUM='sg'] -> 'Kim'
    """
    contents = _Contents()
    _read(source, encoding, contents, ())
    try:
        return make_grammar(contents.start, contents.rules)
    except FormatError as error:
        if error.path is not None:
            raise
        raise FormatError(error.message, path=name_of(source)) from None


def _read(source: Source, encoding: str, contents: _Contents, within: tuple[str, ...]) -> None:
    path = name_of(source)
    if path in within:
        raise FormatError(f"the file includes itself: {' → '.join((*within, path))}")
    name = ""
    for number, line, text in _logical_lines(decoded_lines(source, encoding)):
        check_time()
        if line.startswith("#") or not line:
            named = None if _CODING.match(line) else _NAME.match(line)
            name = named.group(1) if named else ""
            continue
        try:
            if line[0] == "%":
                _obey(line, source, encoding, contents, within)
            else:
                contents.rules.extend(_rules(line, path, number, name))
        except NotationError as error:
            # The place in the line as it stands in the file, before what was stripped.
            column = error.place + 1 + (len(text) - len(text.lstrip()))
            raise FormatError(
                str(error), path=path, line=number, column=column, text=text
            ) from None
        name = ""


def decoded_lines(source: Source, encoding: str) -> Iterator[tuple[int, str]]:
    """Read the lines of a file; of another encoding than UTF-8, after it was read whole.

    Args:
        source: A path, ``-`` for the standard input, or a binary stream.
        encoding: How its characters are written.

    Yields:
        Each line's number, from 1, and its text.

    Raises:
        FormatError: If it cannot be read as that.
        OptionError: If there is no such encoding.
    """
    try:
        plain = codecs.lookup(encoding).name == "utf-8"
    except LookupError:
        known = ("utf-8", "latin-1", "utf-16", "cp1252")
        raise OptionError(no_such("encoding", encoding, known)) from None
    path = name_of(source)
    if plain:
        try:
            yield from read_lines(source)
        except FormatError as error:
            if "is not UTF-8" not in error.message or "utf-16" in error.message:
                raise
            named = _declared(source) or "latin-1"
            message = f"{error.message.split(';')[0]}; say how it is written: --encoding {named}"
            raise FormatError(
                message, path=path, line=error.line, column=error.column, text=error.text
            ) from None
        return
    raw = read_bytes(source, _LARGEST)
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError as error:
        raise FormatError(f"cannot be read as {encoding}: {error}", path=path) from None
    yield from read_lines(io.BytesIO(text.encode()))


def _declared(source: Source) -> str:
    """The encoding that one of the first two lines of a file names, as editors write it."""
    if not isinstance(source, str | os.PathLike) or str(source) == "-":
        return ""
    with Path(source).open(encoding="latin-1") as stream:
        lines = [stream.readline(1000) for _ in range(2)]
    found = next(filter(None, map(_CODING.search, lines)), None)
    return found.group(1) if found else ""


def _logical_lines(lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str, str]]:
    """Lines with those that go on: the first number, the text without margins, the text itself."""
    begun, first = "", 0
    for number, text in lines:
        line = begun + text.strip()
        first = first if begun else number
        if line.endswith("\\") and not line.startswith("#"):
            begun = line[:-1].rstrip() + " "
            continue
        yield first, line, line if begun else text
        begun = ""
    if begun:
        yield first, begun.strip(), begun


def _obey(
    line: str, source: Source, encoding: str, contents: _Contents, within: tuple[str, ...]
) -> None:
    directive, _, argument = line[1:].strip().partition(" ")
    argument = argument.strip()
    if directive not in _DIRECTIVES:
        raise NotationError(no_such("directive", directive, _DIRECTIVES), 0)
    place = line.rfind(argument) if argument else len(line)
    if not argument:
        raise NotationError(f"expected something after %{directive}", place)
    if directive == "include":
        _read(_included(source, argument, place), encoding, contents, (*within, name_of(source)))
        return
    reader = StructureReader(argument)
    try:
        root, end = reader.category(0)
    except NotationError as error:
        raise NotationError(str(error), place + error.place) from None
    if end < len(argument):
        raise NotationError("expected one category", place + end)
    contents.start = reader.structure(root)


def _included(source: Source, argument: str, place: int) -> Path:
    if not isinstance(source, str | os.PathLike):
        raise NotationError("only a file can include another one", place)
    beside = Path(source).parent / argument.strip("'\"")
    for path in (beside, beside.with_suffix(".fcfg")):
        if path.is_file():
            return path
    raise NotationError(f"there is no file {quote(str(beside))}", place)


def _rules(line: str, path: str, number: int, name: str) -> Iterator[FeatureRule]:
    """The rules of a line, one for each alternative."""
    reader = StructureReader(line)
    left, place = reader.category(0)
    arrow = _ARROW.match(line, place)
    if arrow is None:
        raise NotationError("expected '->'", place)
    place = arrow.end()
    sides: list[list[int]] = [[left]]
    while place < len(line):
        bar = _BAR.match(line, place)
        if bar is not None:
            sides.append([left])
            place = bar.end()
            continue
        side, place = _side(reader, place)
        sides[-1].append(side)
    for items in sides:
        structure = reader.structure(reader.add(Listed(tuple(items))))
        yield FeatureRule(structure, name or default_name(structure), path, number)


def _side(reader: StructureReader, place: int) -> tuple[int, int]:
    if reader.text[place] not in "'\"":
        return reader.category(place)
    word = _WORD.match(reader.text, place)
    if word is None:
        raise NotationError("this quotation mark has no partner", place)
    return reader.add(Atom(word.group(1) or word.group(2) or "")), word.end()
