"""Files of a grammar, their sections, and the section that says which of them are live.

    DEMO ENGLISH CONFIG (1.0)
       ROOTCAT S.
       FILES rules.lfg lexicon.lfg.
       RULES (DEMO ENGLISH).
       …
    ----

A section is live if its file is the one with CONFIG or in FILES and its name is in CONFIG's list of
its kind. Of sections in a list, what a later one defines replaces what an earlier one does.
"""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from weft.errors import FormatError, no_such
from weft.files import Source, name_of, read_bytes
from weft.lfg.language import Place
from weft.lfg.scan import Text, make_text, unescaped

LARGEST = 64 << 20
"""Files with more bytes are refused."""

KINDS = ("CONFIG", "RULES", "TEMPLATES", "LEXICON", "MORPHOLOGY", "FEATURES", "MORPHTABLE")
LISTS = {
    "RULES": "RULES",
    "TEMPLATES": "TEMPLATES",
    "LEXICON": "LEXENTRIES",
    "MORPHOLOGY": "MORPHOLOGY",
    "FEATURES": "FEATURES",
}
"""The field of CONFIG that lists the live sections of a kind."""

_FIELDS = """
    ROOTCAT REPARSECAT FILES BASECONFIGFILE LEXENTRIES TEMPLATES RULES MORPHOLOGY FEATURES
    GOVERNABLERELATIONS SEMANTICFUNCTIONS NONDISTRIBUTIVES EPSILON OPTIMALITYORDER
    GENOPTIMALITYORDER CHARACTERENCODING EXTERNALATTRIBUTES PARAMETERS PERFORMANCEVARSFILE
    OTHERFILES ENCRYPTFILES GRAMMARVERSION
""".split()  # noqa: SIM905
UNUSED = (
    "REPARSECAT",
    "EXTERNALATTRIBUTES",
    "PARAMETERS",
    "PERFORMANCEVARSFILE",
    "OTHERFILES",
    "GRAMMARVERSION",
)
"""Fields of CONFIG that may matter and are not used."""

_FIELD = re.compile(rf"(?<!\S)({'|'.join(_FIELDS)})(?=\s)")
_HEADER = re.compile(
    rf"^[ \t]*(\S+)[ \t]+(\S+)[ \t]+({'|'.join(KINDS)})[ \t]*\([ \t]*\d+\.\d+[ \t]*\)", re.M
)
_LINE = re.compile(r"^[ \t]*-{4,}", re.M)
_NAMES = re.compile(r"\(\s*(\S+)\s+([^\s()]+)\s*\)")


@dataclass(frozen=True, slots=True, eq=False)
class Section:
    """A section of a file: its name, such as "DEMO ENGLISH", its kind, and where its text is."""

    name: str
    kind: str
    source: Text
    start: int
    end: int

    @property
    def place(self) -> Place:
        """Where its text begins."""
        return self.source.place(self.start)


@dataclass(frozen=True, slots=True, eq=False)
class Config:
    """What CONFIG says: its fields, and the places where they are."""

    name: str
    source: Text
    fields: dict[str, str]
    offsets: dict[str, int]

    def words(self, name: str) -> list[str]:
        """Return the words of a field."""
        return self.fields.get(name, "").split()

    def listed(self, kind: str) -> list[str]:
        """Return the names of the live sections of a kind, in order."""
        names = _NAMES.findall(self.fields.get(LISTS[kind], ""))
        return [f"{one} {other}" for one, other in names]

    def error(self, message: str, name: str) -> FormatError:
        """Return an error at a field."""
        return self.source.error(message, self.offsets.get(name, 0))


@dataclass(slots=True, eq=False)
class Sections:
    """All sections of a grammar's files."""

    config: Config
    sections: list[Section]
    warnings: list[tuple[str, Place]] = field(default_factory=list)
    folder: Path | None = None

    def live(self, kind: str) -> Iterator[Section]:
        """Yield the live sections of a kind, those that replace others after these."""
        for name in self.config.listed(kind):
            yield from (each for each in self.sections if (each.name, each.kind) == (name, kind))

    def dead(self) -> list[Section]:
        """Return the sections that no list of CONFIG names."""
        return [
            each
            for each in self.sections
            if each.kind in LISTS and each.name not in self.config.listed(each.kind)
        ]


def read_sections(source: Source, encoding: str | None = None) -> Sections:
    """Read the file with CONFIG and all of its FILES.

    Args:
        source: The file with CONFIG: a path, ``-`` for the standard input, or a binary stream;
            beside a stream there are no other files.
        encoding: How the files are written; by default as CHARACTERENCODING says.

    Raises:
        FormatError: If a file cannot be read, or there is no CONFIG.
    """
    raw = read_bytes(source, LARGEST)
    path = name_of(source)
    text = make_text(path, _decoded(raw, encoding or _stated(raw), path))
    folder = None
    if isinstance(source, str | os.PathLike) and str(source) != "-":
        folder = Path(source).parent
    found = Sections(_config(text, folder, encoding), [], folder=folder)
    found.sections.extend(_split(text, found.warnings))
    stated = encoding or (found.config.words("CHARACTERENCODING") or ["utf-8"])[0]
    for name in _files(found.config):
        if folder is None:
            raise found.config.error("other files can be read beside a file only", "FILES")
        file = folder / name
        if file.resolve() == Path(path).resolve():
            continue
        raw = _read_named(file, name, found.config.source, found.config.offsets.get("FILES", 0))
        text = make_text(str(file), _decoded(raw, stated, str(file)))
        found.sections.extend(_split(text, found.warnings))
    return found


def sections_of(source: Source) -> Iterator[Section]:
    """Yield the sections of one file, whatever CONFIG says.

    Raises:
        FormatError: If it cannot be read.
    """
    raw = read_bytes(source, LARGEST)
    path = name_of(source)
    yield from _split(make_text(path, _decoded(raw, _stated(raw), path)), [])


def _read_named(file: Path, name: str, source: Text, offset: int) -> bytes:
    """Read a file that CONFIG names; what cannot be read is an error at the name's field."""
    if file.exists() and not file.is_file():
        raise source.error(f"{name} is no regular file; name a file with text", offset)
    try:
        return read_bytes(file, LARGEST)
    except FormatError as error:
        raise source.error(f"{name}: {error.message}", offset) from None


def _stated(raw: bytes) -> str:
    found = re.search(rb"CHARACTERENCODING\s+([A-Za-z0-9_-]+)", raw)
    return found.group(1).decode() if found else "utf-8"


def _decoded(raw: bytes, encoding: str, path: str) -> str:
    try:
        name = codecs.lookup(encoding).name
    except LookupError:
        known = ("utf-8", "iso8859-1", "cp1252")
        raise FormatError(no_such("encoding", encoding, known), path=path) from None
    try:
        return raw.decode("utf-8-sig" if name == "utf-8" else name)
    except (UnicodeError, AttributeError) as error:
        what = f"cannot be read as {encoding}: {error}"
        hint = "name the encoding in CHARACTERENCODING, such as iso8859-1"
        raise FormatError(f"{what}; {hint}", path=path) from None


def _split(text: Text, warnings: list[tuple[str, Place]]) -> Iterator[Section]:
    headers = list(_HEADER.finditer(text.bare))
    lines = list(_LINE.finditer(text.bare))
    for number, header in enumerate(headers):
        following = headers[number + 1].start() if number + 1 < len(headers) else len(text.bare)
        ends = [line.start() for line in lines if header.end() <= line.start() < following]
        end = ends[0] if ends else following
        name = f"{header.group(1)} {header.group(2)}"
        yield Section(name, header.group(3), text, header.end(), end)
        lost = re.search(r"[^\s-]", text.bare[end:following])
        if lost is not None:
            place = text.place(end + lost.start())
            warnings.append(("text after the end of a section is not read", place))


def _config(text: Text, folder: Path | None, encoding: str | None) -> Config:
    sections = [each for each in _split(text, []) if each.kind == "CONFIG"]
    if not sections:
        raise FormatError(
            "there is no section CONFIG, such as 'DEMO ENGLISH CONFIG (1.0)': "
            "give the file that has it, and name the others in its FILES",
            path=text.path,
        )
    section = sections[0]
    fields, offsets = _fields(section)
    base = fields.get("BASECONFIGFILE", "").strip()
    if not base:
        return Config(section.name, text, fields, offsets)
    if folder is None:
        raise text.error("other files can be read beside a file only", offsets["BASECONFIGFILE"])
    path = folder / base
    if path.resolve() == Path(text.path).resolve():
        raise text.error("BASECONFIGFILE is this file itself", offsets["BASECONFIGFILE"])
    raw = _read_named(path, base, text, offsets["BASECONFIGFILE"])
    below = make_text(str(path), _decoded(raw, encoding or _stated(raw), str(path)))
    if re.search(r"\bBASECONFIGFILE\b", below.bare):
        raise text.error("the base has a BASECONFIGFILE itself", offsets["BASECONFIGFILE"])
    lower = _config(below, path.parent, encoding)
    merged = {name: _edited(lower.fields.get(name, ""), value) for name, value in fields.items()}
    return Config(section.name, text, {**lower.fields, **merged}, offsets)


def _edited(base: str, value: str) -> str:
    """Add what has + before it to a field of the base configuration, and remove what has -."""
    items = re.findall(r"[+-]?\([^()]*\)|\S+", value)
    if not items or not all(item[0] in "+-" and len(item) > 1 for item in items):
        return value
    kept = re.findall(r"\([^()]*\)|\S+", base)
    for item in items:
        kept = [each for each in kept if each != item[1:]]
        kept += [item[1:]] if item[0] == "+" else []
    return " ".join(kept)


def _fields(section: Section) -> tuple[dict[str, str], dict[str, int]]:
    text = section.source.bare[section.start : section.end]
    found = list(_FIELD.finditer(text))
    fields: dict[str, str] = {}
    offsets: dict[str, int] = {}
    starts = [each.start() for each in found] + [len(text)]
    for each, end in zip(found, starts[1:], strict=True):
        value = text[each.end() : end]
        stop = re.search(r"\.(?=\s|$)", value)
        offset = section.start + each.start()
        if stop is None:
            raise section.source.error(f"{each.group(1)} has no period at its end", offset)
        if value[stop.end() :].strip():
            lost = re.compile(r"\s*").match(value, stop.end())
            where = section.start + each.end() + (lost.end() if lost else stop.end())
            raise _no_field(section, where)
        if each.group(1) in fields:
            raise section.source.error(f"{each.group(1)} is there a second time", offset)
        fields[each.group(1)] = value[: stop.start()]
        offsets[each.group(1)] = offset
    before = re.search(r"\S", text[: starts[0]])
    if before is not None:
        raise _no_field(section, section.start + before.start())
    return fields, offsets


def _no_field(section: Section, offset: int) -> FormatError:
    found = re.compile(r"\S+").match(section.source.bare, offset)
    name = found.group() if found else ""
    return section.source.error(no_such("field of CONFIG", name, _FIELDS), offset)


def _files(config: Config) -> list[str]:
    return [unescaped(name) for name in config.words("FILES")]
