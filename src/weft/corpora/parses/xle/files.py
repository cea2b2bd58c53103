"""XLE's Prolog files as parse sets.

A file has one term for a sentence, or several:

    fstructure(Text, Properties, Choices, Equivalences, Constraints, C-Structure).

==============  ==================================================================================
Text            the sentence
Properties      of these ``statistics``, which begins with the number of solutions
Choices         ``choice([A1,A2], CONTEXT)``
Equivalences    ``define(NAME, CONTEXT)``; ``select(A1, CONTEXT)``, the alternative that a person,
                or a program, has chosen
Constraints     ``cf(CONTEXT, FACT)`` with ``eq`` of variables, of ``attr(var(0),'SUBJ')``, of atoms
                and of ``semform``; ``in_set``
C-Structure     ``cf(CONTEXT, FACT)`` with ``subtree`` and ``terminal``
==============  ==================================================================================

All else (``proj``, ``subsume``, ``scopes``, ``phi``, ``cproj``, ``semform_data``, ``fspan``,
``surfaceform``, ``weight``, other properties) is left alone. A file that begins with
``% -*- coding: iso-8859-1 -*-`` is read so; others are in UTF-8.

Reference: Crouch, Dalrymple, Kaplan, King, Maxwell and Newman, "XLE Documentation", on its Prolog
format.
"""

from __future__ import annotations

import codecs
import glob
import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from weft.corpora.parses.sets import Skip
from weft.corpora.parses.xle.sentences import Sentence, make_parse_set, make_sentence
from weft.corpora.parses.xle.terms import first_arguments, read_terms
from weft.errors import FormatError, abbreviate
from weft.files import Source, name_of, read_bytes
from weft.structures.parse_set import ParseSet

SUFFIXES = (".pl", ".pl.gz")
LARGEST_FILE = 50_000_000
"""A file of more bytes is refused."""

_CODING = re.compile(rb"\s*%[^\n]*coding[:=]\s*([-\w.]+)")
_ENCODINGS = re.compile(r"utf-8|ascii|iso8859-\d+|cp\d+|koi8-\w|euc_\w+|shift_jis|big5|gb\w+")

_PlaceT = TypeVar("_PlaceT")


def is_xle(source: Source) -> bool:
    """Say whether a source is a Prolog file, a folder of such, or a pattern such as ``bank/*.pl``.

    >>> is_xle("bank/s1.pl"), is_xle("bank/*.pl"), is_xle("parses.jsonl")
    (True, True, False)
    """
    if name_of(source).endswith(SUFFIXES):
        return True
    return isinstance(source, str | os.PathLike) and bool(_in_folder(Path(source)))


def read_xle(source: Source, *, skip: Skip | None = None) -> Iterator[ParseSet]:
    r"""Read the sentences of a file, a folder, or the files that a pattern names, one at a time.

    A sentence without choices in the same file or folder as the same sentence with choices is its
    right reading, and is not a parse set of its own.

    Args:
        source: A file, a stream, a folder with files ``*.pl``, or a pattern.
        skip: Told of sentences that are broken, which are then left out; by default the first
            one is an error.

    Raises:
        FormatError: With file and line, if one cannot be read and is not to be skipped.

    >>> import io
    >>> text = b"fstructure('it rains',[],[choice([A1,A2],1)],[select(A2,1)],[cf(A1,eq(attr(" \
    ...     b"var(0),'NUM'),'sg')),cf(A2,eq(attr(var(0),'NUM'),'pl'))],[])."
    >>> [parse_set] = read_xle(io.BytesIO(text))
    >>> [dict(edge.features) for edge in parse_set.analyses.edges], parse_set.right
    ([{}, {'value NUM=sg': 1.0}, {'value NUM=pl': 1.0}], (0, 2))
    """
    files = _files(source)
    if len(files) == 1:
        for sentences in _read_file(files[0], skip):
            heads = ((each.text, each.is_packed, each) for each in sentences)
            yield from _parse_sets(sentences, _singles(heads), lambda each: each, skip)
        return
    singles = _singles(_heads(files))
    for file in files:
        for sentences in _read_file(file, skip):
            yield from _parse_sets(sentences, singles, _first, skip)


def _parse_sets(
    sentences: Iterable[Sentence],
    singles: Mapping[str, Sequence[_PlaceT]],
    load: Callable[[_PlaceT], Sentence],
    skip: Skip | None,
) -> Iterator[ParseSet]:
    for sentence in sentences:
        marks = singles.get(sentence.text, ())
        if marks and not sentence.is_packed:
            continue
        try:
            found = make_parse_set(sentence, [load(place) for place in marks])
        except FormatError as error:
            _report(error, skip)
        else:
            yield found


def _singles(heads: Iterable[tuple[str, bool, _PlaceT]]) -> dict[str, list[_PlaceT]]:
    """Where the single solutions of texts are that are also there with choices."""
    packed: set[str] = set()
    found: dict[str, list[_PlaceT]] = defaultdict(list)
    for text, is_packed, place in heads:
        if is_packed:
            packed.add(text)
        else:
            found[text].append(place)
    return {text: places for text, places in found.items() if text in packed}


def _heads(files: Iterable[Source]) -> Iterator[tuple[str, bool, Source]]:
    """The text of each file's first sentence, and whether it has choices."""
    for file in files:
        try:
            first = first_arguments(_decoded(file), name_of(file), 3)
        except FormatError:  # which will be said when it is read
            continue
        if len(first) == 3 and isinstance(first[0], str):
            yield first[0], bool(first[2]), file


def _first(file: Source) -> Sentence:
    return _sentences(file)[0]


def _read_file(file: Source, skip: Skip | None) -> Iterator[list[Sentence]]:
    try:
        yield _sentences(file)
    except FormatError as error:
        _report(error, skip)


def _sentences(file: Source) -> list[Sentence]:
    path = name_of(file)
    stem = Path(path).name.removesuffix(".gz").removesuffix(".pl")
    terms = list(read_terms(_decoded(file), path))
    names = [stem] if len(terms) == 1 else [f"{stem}.{place}" for place in range(1, len(terms) + 1)]
    return [make_sentence(term, path, name) for term, name in zip(terms, names, strict=True)]


def _decoded(file: Source) -> str:
    """The text of a file, in the encoding that its first line names."""
    path, raw = name_of(file), read_bytes(file, LARGEST_FILE)
    named = _CODING.match(raw)
    encoding = named.group(1).decode("ascii", "replace") if named else "utf-8"
    try:
        codec = codecs.lookup(encoding).name
    except LookupError:
        codec = ""
    if not _ENCODINGS.fullmatch(codec):
        message = f"there is no encoding {abbreviate(encoding)}; write utf-8 or iso-8859-1 there"
        raise FormatError(message, path=path, line=1)
    try:
        text = raw.decode(codec)
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        message = (
            f"byte 0x{raw[error.start]:02X} is not {encoding}; name the encoding in the first "
            "line, as in % -*- coding: iso-8859-1 -*-"
        )
        raise FormatError(message, path=path, line=line) from None
    return text.removeprefix("\ufeff")


def _files(source: Source) -> list[Source]:
    """The files that a source stands for, by their names."""
    if not isinstance(source, str | os.PathLike):
        return [source]
    path = Path(source)
    if path.is_dir():
        return list(_in_folder(path))
    if glob.has_magic(os.fspath(source)) and not path.exists():
        found = sorted(glob.glob(os.fspath(source)), key=_order)
        if not found:
            raise FormatError("no file has such a name", path=os.fspath(source))
        return list(found)
    return [source]


def _in_folder(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return sorted((each for each in folder.iterdir() if each.name.endswith(SUFFIXES)), key=_order)


def _order(path: str | Path) -> list[tuple[int, str]]:
    """S2.pl before S10.pl: numbers as numbers, and all else as text."""
    parts = re.findall(r"[0-9]+|[^0-9]+", os.fspath(path))
    return [(len(part), part) if part.isdigit() else (0, part) for part in parts]


def _report(error: FormatError, skip: Skip | None) -> None:
    if skip is None:
        raise error
    error.__context__ = None  # frames of thousands are slow to collect
    skip(error.with_traceback(None))
