"""Grammars in the notation of XLE, files of the kind ``.lfg``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from weft.errors import FormatError
from weft.files import Source, name_of
from weft.lfg.cursor import MOST_TOKENS, Context, Definition
from weft.lfg.language import Entry, Lfg, Place
from weft.lfg.lexicon import TOKEN, UNKNOWN, RawEntry, make_entry, merged, scan_lexicon
from weft.lfg.morphology import read_morphology
from weft.lfg.networks import Morphology, Network, read_network
from weft.lfg.rules import RawRule, make_rules, scan_definitions
from weft.lfg.sections import UNUSED, Sections, read_sections
from weft.lfg.stems import with_stem


@dataclass(slots=True, eq=False)
class Notation:
    """A grammar as it is written: what its sections define, before anything is expanded.

    Attributes:
        sections: Its sections.
        rules: The rules that are live, by their categories.
        macros: The macros.
        templates: The templates.
        entries: The lexical entries by headword, lexicons of all priorities merged.
        context: What expands it.
        doubles: What was defined a second time in sections of the same name: kind and name, and
            the place of the first one, which is not used.
        networks: What splits text and analyses words in place of the sections MORPHOLOGY.
    """

    sections: Sections
    context: Context
    rules: dict[str, RawRule] = field(default_factory=dict)
    macros: dict[str, Definition] = field(default_factory=dict)
    templates: dict[str, Definition] = field(default_factory=dict)
    entries: dict[str, RawEntry] = field(default_factory=dict)
    doubles: list[tuple[str, Place]] = field(default_factory=list)
    networks: Morphology = field(default_factory=Morphology)


def read_lfg(
    source: Source,
    *,
    encoding: str | None = None,
    limit: int = MOST_TOKENS,
    splitter: Source | None = None,
    analyser: Source | None = None,
) -> Lfg:
    r"""Read a grammar.

    Args:
        source: The file with the section CONFIG; its FILES are looked for beside it. A path, ``-``
            for the standard input, or a binary stream.
        encoding: How the files are written; by default, as CHARACTERENCODING says, or UTF-8.
        limit: How many tokens there may be once templates and macros are expanded.
        splitter: A network that splits text, in place of the grammar's own.
        analyser: A network or table that analyses words, in place of the grammar's own.

    Raises:
        FormatError: With line and column, if something cannot be read.
        LimitError: If there are more tokens than `limit`.

    >>> import io
    >>> text = '''
    ... DEMO ENGLISH CONFIG (1.0)
    ...   ROOTCAT S.  RULES (DEMO ENGLISH).  LEXENTRIES (DEMO ENGLISH).
    ...   GOVERNABLERELATIONS SUBJ OBJ OBL-?+.
    ... ----
    ... DEMO ENGLISH RULES (1.0)
    ...   S --> N: (^ SUBJ)=!; V.
    ... ----
    ... DEMO ENGLISH LEXICON (1.0)
    ... Kim     N * (^ PRED)='Kim'.
    ... sleeps  V * (^ PRED)='sleep<(^ SUBJ)>' (^ SUBJ NUM)=sg.
    ... ----'''
    >>> grammar = read_lfg(io.BytesIO(text.encode()))
    >>> grammar.root, list(grammar.rules), list(grammar.entries), grammar.governable[-1]
    ('S', ['S'], ['Kim', 'sleeps'], 'OBL-.+')
    """
    notation = read_notation(source, encoding=encoding, limit=limit)
    if splitter is not None:
        network = read_network(splitter)
        if not isinstance(network, Network):
            raise FormatError("a table cannot split text", path=name_of(splitter))
        notation.networks = Morphology(network, notation.networks.analysers)
    if analyser is not None:
        found = read_network(analyser)
        notation.networks = Morphology(notation.networks.splitter, (found,))
    return make_lfg(notation)


def read_notation(
    source: Source, *, encoding: str | None = None, limit: int = MOST_TOKENS
) -> Notation:
    """Read the files of a grammar, without expanding them; see `read_lfg`."""
    sections = read_sections(source, encoding)
    macros: dict[str, Definition] = {}
    templates: dict[str, Definition] = {}
    epsilon = (sections.config.words("EPSILON") or ["e"])[0]
    context = Context(templates, macros, epsilon, limit)
    found = Notation(sections, context, {}, macros, templates)
    _read_definitions(found)
    _read_lexicons(found)
    config = sections.config
    for name in UNUSED:
        if name in config.offsets:
            place = config.source.place(config.offsets[name])
            context.warnings[f"{name} of CONFIG is not used", place] = None
    for section in sections.live("FEATURES"):
        context.warnings["feature declarations are not checked", section.place] = None
    return found


def _read_definitions(found: Notation) -> None:
    seen: dict[tuple[str, str], str] = {}
    for kind in ("RULES", "TEMPLATES"):
        for section in found.sections.live(kind):
            for each in scan_definitions(section, found.context):
                if isinstance(each, RawRule):
                    if kind == "TEMPLATES":
                        message = "a rule stands among the templates"
                        raise each.token.source.error(message, each.token.offset)
                    what, table = "rule", found.rules
                    _note(found, seen, what, each.name, section.name, table)
                    found.rules[each.name] = each
                    continue
                macro = kind == "RULES"
                what = "macro" if macro else "template"
                names = found.macros if macro else found.templates
                _note(found, seen, what, each.name, section.name, names)
                names[each.name] = each


def _note(
    found: Notation,
    seen: dict[tuple[str, str], str],
    what: str,
    name: str,
    section: str,
    table: dict[str, RawRule] | dict[str, Definition],
) -> None:
    if seen.get((what, name)) == section:
        place = table[name].place
        found.doubles.append((f"{what} {name}", place))
        message = f"the {what} {name} is defined again later: this one is not used"
        found.context.warnings[message, place] = None
    seen[what, name] = section


def _read_lexicons(found: Notation) -> None:
    for name in found.sections.config.listed("LEXICON"):
        lexicon: dict[str, RawEntry] = {}
        for section in found.sections.live("LEXICON"):
            if section.name != name:
                continue
            for entry in scan_lexicon(section, found.context):
                if entry.word in lexicon:
                    place = lexicon[entry.word].place
                    found.doubles.append((f"entry {entry.word}", place))
                    message = f"the entry {entry.word} is there again later: this one is not used"
                    found.context.warnings[message, place] = None
                lexicon[entry.word] = entry
        for word, entry in lexicon.items():
            lower = found.entries.get(word)
            found.entries[word] = entry if lower is None else merged(lower, entry)


def make_lfg(notation: Notation) -> Lfg:
    """Expand a grammar.

    Raises:
        FormatError: With line and column, if something cannot be read.
    """
    config, context = notation.sections.config, notation.context
    root = (config.words("ROOTCAT") or [""])[0]
    if not root:
        raise config.error("CONFIG has no ROOTCAT, the category of sentences", "ROOTCAT")
    rules, places = make_rules(notation.rules, root, context)
    entries = {
        word: tuple(_made(raw, notation))
        for word, raw in notation.entries.items()
        if word not in (UNKNOWN, TOKEN)
    }
    unknown = [
        entry
        for word in (UNKNOWN, TOKEN)
        if word in notation.entries
        for entry in _made(notation.entries[word], notation)
    ]
    for word, raw in notation.entries.items():
        if raw.is_open and word in entries:
            entries[word] = _opened(entries[word], raw, unknown)
    return Lfg(
        name=config.name,
        root=root,
        rules=rules,
        entries=entries,
        unknown=tuple(unknown),
        governable=_patterns(config.words("GOVERNABLERELATIONS")),
        semantic=_patterns(config.words("SEMANTICFUNCTIONS")),
        nondistributive=_patterns(config.words("NONDISTRIBUTIVES")),
        morphology=_morphology(notation),
        optimality=tuple(_groups(config.fields.get("OPTIMALITYORDER", ""))),
        places=places,
        warnings=(*notation.sections.warnings, *context.warnings),
    )


def _morphology(notation: Notation) -> Morphology:
    found = Morphology()
    for section in notation.sections.live("MORPHOLOGY"):
        folder = notation.sections.folder and Path(section.source.path).parent
        found = read_morphology(section, folder, notation.context.warnings)
    given = notation.networks
    return Morphology(
        found.splitter if given.splitter is None else given.splitter,
        given.analysers or found.analysers,
        found.first_only,
    )


def _made(raw: RawEntry, notation: Notation) -> Iterable[Entry]:
    made = (make_entry(raw, part, notation.context) for part in raw.parts)
    return (entry for entry in made if entry is not None)


def _opened(entries: tuple[Entry, ...], raw: RawEntry, unknown: list[Entry]) -> tuple[Entry, ...]:
    listed = {part.category for part in raw.parts} | raw.removed
    more = [
        with_stem(entry, raw.word)
        for entry in unknown
        if entry.word == UNKNOWN and entry.category.removesuffix("_BASE") not in listed
    ]
    return (*entries, *more)


def _patterns(names: list[str]) -> tuple[str, ...]:
    """Regular expressions for attributes: ? is any character, * and + after it repeat."""
    pieces = (re.findall(r"\?[*+]?|.", name) for name in names)
    return tuple("".join(map(_pattern, some)) for some in pieces)


def _pattern(piece: str) -> str:
    if piece[0] == "?":
        return f".{piece[1:]}"
    return piece if piece == "-" else re.escape(piece)


def _groups(text: str) -> Iterable[tuple[str, ...]]:
    for found in re.finditer(r"\(([^()]*)\)|[^\s()]+", text):
        group = found.group(1)
        names = found.group().split() if group is None else group.split()
        if names:
            yield tuple(names)
