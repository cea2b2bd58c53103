"""How a grammar splits text and analyses words: the section MORPHOLOGY.

    DEMO ENGLISH MORPHOLOGY (1.0)
    TOKENIZE:
    P!tokens.pl G!generate.fst
    ANALYZE USEFIRST:
    verbs.pl nouns.tsv
    ----

Files are read as text (`weft.lfg.networks`); for a compiled transducer of Xerox's tools, ``x.fst``,
a text beside it is used: ``x.pl``, ``x.att``, ``x.tsv`` or ``x.txt``. ``G!`` is for generation.
A line that begins with ``#`` is a comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from weft.errors import FormatError
from weft.lfg.language import Place
from weft.lfg.networks import Morphology, Network, Table, read_network
from weft.lfg.sections import Section

_HEADING = re.compile(r"^[ \t]*([A-Za-z]\w*(?:[ \t]+\w+)*)[ \t]*:", re.M)
_COMMENT = re.compile(r"^[ \t]*#.*", re.M)
_BUILT_IN = re.compile(r"(basic|default)-\w+-tok(enizer)?(\.fst)?")
_TEXTS = (".pl", ".att", ".tsv", ".txt")


def read_morphology(
    section: Section, folder: Path | None, warnings: dict[tuple[str, Place], None]
) -> Morphology:
    """Read the files that a section names; those that cannot be read are warned of."""
    text = section.source.bare[section.start : section.end]
    text = _COMMENT.sub(lambda found: " " * len(found.group()), text)
    splitters: list[Network | Table] = []
    analysers: list[Network | Table] = []
    first_only = False
    for heading, start, body in _parts(text):
        kind = heading.upper().split()[0]
        for found in re.finditer(r"\S+", body):
            place = section.source.place(section.start + start + found.start())
            if kind in ("TOKENIZE", "ANALYZE", "ANALYSE") and not found.group().startswith("G!"):
                name = found.group().removeprefix("P!")
                made = _read(name, folder, place, warnings)
                if made is not None and kind == "TOKENIZE":
                    splitters.append(made)
                elif made is not None:
                    _warn_of_sides(name, made, place, warnings)
                    analysers.append(made)
        first_only = first_only or "USEFIRST" in heading.upper()
        if kind not in ("TOKENIZE", "ANALYZE", "ANALYSE", "BUILDMULTIWORDSFROMLEXICON"):
            place = section.source.place(section.start + start)
            warnings[f"{heading} of MORPHOLOGY is not read", place] = None
    networks = [each for each in splitters if isinstance(each, Network)]
    if len(splitters) > 1 or len(networks) < len(splitters):
        warnings["one network splits text: others are not used", section.place] = None
    return Morphology(networks[0] if networks else None, tuple(analysers), first_only)


def _parts(text: str) -> Iterator[tuple[str, int, str]]:
    headings = list(_HEADING.finditer(text))
    ends = [heading.start() for heading in headings[1:]] + [len(text)]
    for heading, end in zip(headings, ends, strict=False):
        yield heading.group(1), heading.end(), text[heading.end() : end]


def _read(
    name: str, folder: Path | None, place: Place, warnings: dict[tuple[str, Place], None]
) -> Network | Table | None:
    if _BUILT_IN.fullmatch(Path(name).name):
        return None
    path = None if folder is None else _text_of(folder / name)
    if path is None:
        beside = ", ".join(_TEXTS)
        message = f"{name} is not there as text ({beside}; xfst's write prolog makes one)"
        warnings[f"{message}: it is not used", place] = None
        return None
    try:
        return read_network(path)
    except FormatError as error:
        warnings[f"{name} is not used: {error.message}", place] = None
        return None


def _warn_of_sides(
    name: str,
    network: Network | Table,
    place: Place,
    warnings: dict[tuple[str, Place], None],
) -> None:
    """Warn of what reads tags and writes none."""
    tags = network.tags_read if isinstance(network, Network) else ()
    if tags:
        message = f"{name} reads symbols such as {tags[0]} and writes none"
        hint = "exchange its sides, in foma by invert net before write att"
        warnings[f"{message}: {hint}", place] = None


def _text_of(path: Path) -> Path | None:
    candidates = [path.with_suffix(suffix) for suffix in _TEXTS]
    if path.suffix != ".fst":
        candidates.insert(0, path)
    return next((each for each in candidates if each.is_file()), None)
