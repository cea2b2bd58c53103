"""What is likely a mistake in a grammar in XLE's notation, found without a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path

from weft.errors import FormatError
from weft.files import Source
from weft.lfg.cursor import Definition
from weft.lfg.language import Lfg, Place
from weft.lfg.read import Notation, make_lfg, read_notation
from weft.lfg.rules import categories_of
from weft.lfg.sections import Sections, sections_of

_MOST_FILES = 1000


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that was found, such as a name, and where it stands."""

    text: str
    place: Place

    def __str__(self) -> str:
        return f"{self.place.path}:{self.place.line}:{self.place.column}: {self.text}"


@dataclass(frozen=True, slots=True)
class LfgFindings:
    """What was found in a grammar.

    Attributes:
        undefined_templates: Calls of templates that no live section defines.
        undefined_macros: Calls of macros that no live section defines.
        undefined_categories: Categories of right sides that no rule and no entry is for.
        unused_templates: Templates that nothing calls.
        unused_macros: Macros that nothing calls.
        unreachable: Rules of categories that no sentence is made of.
        unused_entries: Sub-entries of categories that no sentence is made of.
        doubles: What is defined again later in a section of the same name, and so not used.
        dead_sections: Sections that no list of CONFIG names, and sections of files beside those of
            the grammar that are not in FILES.
        left_out: What else was left out when the grammar was read.
    """

    undefined_templates: tuple[Finding, ...] = ()
    undefined_macros: tuple[Finding, ...] = ()
    undefined_categories: tuple[Finding, ...] = ()
    unused_templates: tuple[Finding, ...] = ()
    unused_macros: tuple[Finding, ...] = ()
    unreachable: tuple[Finding, ...] = ()
    unused_entries: tuple[Finding, ...] = ()
    doubles: tuple[Finding, ...] = ()
    dead_sections: tuple[Finding, ...] = ()
    left_out: tuple[Finding, ...] = ()

    @property
    def problems(self) -> int:
        """How many mistakes there may be; what is only not used is none."""
        return sum(
            len(getattr(self, each.name))
            for each in fields(self)
            if not each.name.startswith("unused_")
        )


def check_lfg(source: Source, *, encoding: str | None = None) -> LfgFindings:
    r"""Look for mistakes in a grammar.

    Args:
        source: The file with CONFIG, as for `weft.lfg.read_lfg`.
        encoding: How the files are written; by default, as CHARACTERENCODING says.

    Raises:
        FormatError: If it cannot be read at all.

    >>> import io
    >>> text = '''D E CONFIG (1.0)
    ... ROOTCAT S. RULES (D E). LEXENTRIES (D E).
    ... ----
    ... D E RULES (1.0)
    ...   S --> NP VP.
    ... ----
    ... D E LEXICON (1.0)
    ... Kim NP * @(PRED Kim).
    ... the D *.
    ... ----'''
    >>> found = check_lfg(io.BytesIO(text.encode()))
    >>> print(found.undefined_templates[0], found.undefined_categories[0], sep="\n")
    <stream>:8:12: PRED
    <stream>:5:12: VP
    >>> [each.text for each in found.unused_entries], found.problems
    (['the D'], 2)
    """
    notation = read_notation(source, encoding=encoding)
    grammar = make_lfg(notation)
    entries = [*(entry for each in grammar.entries.values() for entry in each), *grammar.unknown]
    known = {*grammar.rules, *(entry.category for entry in entries)}
    reached = _reached(grammar)
    context = notation.context
    special = ("there is no template", "there is no macro")
    doubled = {place for _, place in notation.doubles}
    return LfgFindings(
        _named(context.undefined),
        _named(context.undefined_macros),
        tuple(_undefined(grammar, known)),
        tuple(_unused(notation.templates, notation)),
        tuple(_unused(notation.macros, notation)),
        tuple(Finding(n, place) for n, place in grammar.places.items() if n not in reached),
        tuple(
            Finding(f"{entry.word} {entry.category}", entry.place)
            for entry in entries
            if entry.category not in reached
        ),
        tuple(Finding(text, place) for text, place in notation.doubles),
        tuple(_dead(notation.sections)),
        tuple(
            Finding(text, place)
            for text, place in grammar.warnings
            if not text.startswith(special) and place not in doubled
        ),
    )


def _dead(sections: Sections) -> Iterator[Finding]:
    """Sections that are not listed, also those of files that are not in FILES."""
    for section in sections.dead():
        yield Finding(f"{section.name} {section.kind}", section.place)
    if sections.folder is None:
        return
    read = {Path(section.source.path).resolve() for section in sections.sections}
    for folder in sorted({path.parent for path in read}):
        for path in sorted(folder.glob("*.lfg"))[:_MOST_FILES]:
            # Reading a named pipe would wait until somebody writes to it.
            if path.is_file() and path.resolve() not in read:
                yield from _not_in_files(path)


def _not_in_files(path: Path) -> Iterator[Finding]:
    try:
        found = list(sections_of(path))
    except FormatError:
        return
    if not any(section.kind == "CONFIG" for section in found):
        for section in found:
            text = f"{section.name} {section.kind} (its file is not in FILES)"
            yield Finding(text, section.place)


def _named(places: Iterable[tuple[str, Place]]) -> tuple[Finding, ...]:
    return tuple(Finding(name, place) for name, place in places)


def _undefined(grammar: Lfg, known: set[str]) -> Iterator[Finding]:
    if grammar.root not in known:
        yield Finding(grammar.root, Place())
    seen: set[Finding] = set()
    for side in grammar.rules.values():
        for category in categories_of(side):
            finding = Finding(category.name, category.place)
            if category.name not in known and finding not in seen:
                seen.add(finding)
                yield finding


def _unused(definitions: Mapping[str, Definition], notation: Notation) -> Iterator[Finding]:
    used = notation.context.used
    return (Finding(n, each.place) for n, each in definitions.items() if each not in used)


def _reached(grammar: Lfg) -> set[str]:
    reached: set[str] = set()
    waiting = [grammar.root]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            if name in grammar.rules:
                waiting.extend(each.name for each in categories_of(grammar.rules[name]))
    return reached
