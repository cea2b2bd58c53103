"""The formats by name, and which of them a file is in."""

from __future__ import annotations

import dataclasses
import itertools
import json
import re
import shlex
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from weft.corpora.beginnings import LINES_LOOKED_AT
from weft.corpora.blocks import is_blank
from weft.corpora.fields import split_fields
from weft.corpora.records import Format
from weft.corpora.tags.columns import Columns
from weft.corpora.tags.conllu import NAMES, Conllu
from weft.corpora.tags.crfsuite import Attributes
from weft.corpora.tags.tagged import SEPARATOR, Tagged, Text
from weft.corpora.trees.brackets import Brackets, begin_like_brackets
from weft.errors import FormatError, OptionError, no_such, quote
from weft.files import Source, is_read_once, name_of, read_lines

FORMATS: dict[str, type[Conllu | Columns | Tagged | Text | Attributes | Brackets]] = {
    "conllu": Conllu,
    "columns": Columns,
    "tagged": Tagged,
    "text": Text,
    "crfsuite": Attributes,
    "brackets": Brackets,
}
"""Every format by its name."""

SUFFIXES = {
    ".conllu": "conllu",
    ".tagged": "tagged",
    ".crfsuite": "crfsuite",
    ".mrg": "brackets",
}
"""The formats that the names of files show."""

PLAIN = {".txt": "text"}
"""What files are whose names show no more than that, unless their first lines do."""


def find_format(name: str, **options: Any) -> Format:
    """Return the format of that name with these options.

    Raises:
        OptionError: If there is no such format or option; the message lists those there are.

    >>> find_format("columns", column=2)
    Columns(column=2, inputs=None, partial=False)
    """
    if name not in FORMATS:
        raise OptionError(no_such("format", name, FORMATS))
    known = [field.name for field in dataclasses.fields(FORMATS[name])]
    for option in options:
        if option not in known:
            message = f"the format {quote(name)} has no option {quote(option)}"
            raise OptionError(f"{message}; its options are {', '.join(known) or 'none'}")
    return FORMATS[name](**options)


def guess_format(source: Source, **options: Any) -> Format:
    """Return the format that a file's name, or else its first lines, suggest.

    What may be one thing or another is asked for, so that nobody trains on lines taken for words.
    A name in ``.txt`` means plain text, unless the lines show another format.

    Args:
        source: A path. The standard input and other pipes are never read, since what is read
            of them is gone.
        options: Options of the format.

    Raises:
        FormatError: If nothing suggests a format, or the lines suggest two.

    >>> guess_format("train.conllu.gz", column="xpos")
    Conllu(column='xpos', inputs=(), partial=False)
    """
    return find_format(guess_name(source, columns="column" in options), **options)


def guess_name(source: Source, *, columns: bool = False) -> str:
    """Return the name of the format that a file suggests; see :func:`guess_format`.

    Args:
        source: A path.
        columns: Whether columns are spoken of, so that equally wide lines have them.
    """
    path = name_of(source)
    name = SUFFIXES.get(suffix_of(source))
    if name is None:
        if is_read_once(source):
            message = "the format of a stream cannot be guessed; name it with --format"
            raise FormatError(message, path=path)
        lines = [line for _, line in itertools.islice(read_lines(source), LINES_LOOKED_AT)]
        name = _shown(lines, path, columns) or PLAIN.get(suffix_of(source))
    if name is None:
        message = f"the format cannot be guessed; name it with --format ({', '.join(FORMATS)})"
        raise FormatError(message, path=path)
    return name


def check_sentences(lines: Sequence[str], path: str, separator: str | None = None) -> None:
    """Refuse a file whose first lines show that a line is no sentence of words.

    Args:
        lines: The first lines.
        path: What a message calls the file.
        separator: What stands between words and tags, where the file may have them.

    Raises:
        FormatError: With what to say instead.
    """
    shown = looks_like(lines)
    if shown == "tagged":
        return  # or words with slashes: who reads it knows
    _check_known(lines, path, separator)
    if shown in ("conllu", "brackets"):
        message = f"this looks like {shown}, and a sentence per line is expected"
        raise FormatError(f"{message}; say --format {shown}, or --format text", path=path)
    if shown == "columns" and _has_columns(lines) and _has_blocks(lines):
        raise FormatError(
            "this looks like columns, a token per line, and a sentence per line is expected; "
            "if it is, say --format columns --inputs 1, and --column for the tags; "
            "if not, say --format text",
            path=path,
        )


def may_be_sentences(lines: Sequence[str]) -> bool:
    """Say whether nothing shows that equally wide lines are columns: no tab, no blank line."""
    return not _has_columns(lines)


def _check_known(lines: Sequence[str], path: str, separator: str | None = None) -> None:
    """Refuse what no format is guessed for, though it can be told what it is."""
    if _like_json(lines):
        raise FormatError(
            "this looks like JSON, as parse sets are written; for these, train with "
            "--recipe parse-selection; or name another format with "
            f"--format ({', '.join(FORMATS)})",
            path=path,
        )
    found = _separator(lines)
    if found not in (None, separator):
        example = f"The{found}DT dog{found}NN"
        raise FormatError(
            f"this looks like words with their tags after '{found}', as {example}; if it is, say "
            f"--format tagged --separator {shlex.quote(str(found))}; or name another format with "
            f"--format ({', '.join(FORMATS)})",
            path=path,
        )


def _shown(lines: Sequence[str], path: str, columns: bool) -> str | None:
    """The format that the first lines show, if it is certain enough to go on with.

    Raises:
        FormatError: If the guess may be wrong, and nobody would notice.
    """
    name = looks_like(lines)
    if name not in ("columns", None):
        return name
    _check_known(lines, path)
    if name == "columns" and _is_header(lines):
        raise FormatError(
            f"the first line, {quote(lines[0])}, looks like the names of columns, and would be "
            "read as a token; remove it, or say --format columns if it is one",
            path=path,
            line=1,
        )
    if name is None or columns or _has_columns(lines):
        return name
    raise FormatError(
        "these lines have the same number of words each: they may be columns, a token per line, or "
        "sentences; name the format with --format columns or --format text",
        path=path,
    )


_HEADINGS = re.compile(
    r"id|idx|index|sent|sentence|words?|tokens?|form|text|lemma|[ux]?pos|pos_?tag|tags?|labels?|"
    r"chunks?|ner|entity|iob|bio"
)


def _is_header(lines: Sequence[str]) -> bool:
    """Whether a file begins with the names of its columns, which stand nowhere else in it."""
    named = [field.lower().strip(" #_") for field in split_fields(lines[0])] if lines else []
    if len(named) < 2 or lines[0] in lines[1:]:
        return False
    return all(_HEADINGS.fullmatch(each) for each in named)


def _has_columns(lines: Sequence[str]) -> bool:
    """Whether lines that are equally wide are columns: with tabs, or blank lines in between."""
    inner = "\n".join(lines).strip().split("\n")
    return any(is_blank(line) for line in inner) or _most("\t" in line for line in inner)


def _has_blocks(lines: Sequence[str]) -> bool:
    """Whether somewhere two lines follow each other, neither of them blank."""
    return any(not is_blank(one) and not is_blank(two) for one, two in itertools.pairwise(lines))


def _most(answers: Iterable[bool]) -> bool:
    """Whether at most one answer in ten is no: a fault here or there does not hide a format."""
    told = list(answers)
    return 10 * sum(told) >= 9 * len(told) > 0


def suffix_of(source: Source) -> str:
    """Return the end of a file's name, but for ``.gz``.

    >>> suffix_of("train.conllu.gz"), suffix_of("-")
    ('.conllu', '')
    """
    return Path(name_of(source).removesuffix(".gz")).suffix


def looks_like(lines: Sequence[str]) -> str | None:
    r"""Return the name of the format that a file begins in, if its first lines show one.

    >>> looks_like(["time/NN flies/VBZ"]), looks_like(["time flies"])
    ('tagged', None)
    """
    told = [line for line in lines if not is_blank(line) and not line.startswith("-DOCSTART-")]
    name = next((name for name, looks in _LOOKS.items() if looks(told)), None)
    return "columns" if name is None and _nearly_columns(told) and _has_columns(lines) else name


_SEPARATORS = ("__", "_", "|", "\\", "^")
"""What may stand between words and tags beside a slash; longer ones first."""


def _separator(lines: Sequence[str]) -> str | None:
    """What stands between all words of some lines and what looks like their tags."""
    tokens = [token for line in lines for token in line.split()]
    for separator in _SEPARATORS if len(tokens) > 1 else ():
        mark = re.escape(separator)
        tagged = re.compile(rf"(?!{mark}).+{mark}[A-Z.,:$`'#()-][^_|a-z]*")
        if all(map(tagged.fullmatch, tokens)):
            return separator
    return None


def _like_json(lines: Sequence[str]) -> bool:
    first = next((line for line in lines if not is_blank(line)), "")
    try:
        return first.startswith("{") and isinstance(json.loads(first), dict)
    except (ValueError, RecursionError):
        return False


def _like_conllu(lines: Sequence[str]) -> bool:
    words = [line.split("\t") for line in lines if not line.startswith("#")]
    return bool(words) and all(
        len(fields) == len(NAMES) and fields[0][:1].isdecimal() for fields in words
    )


def _like_tagged(lines: Sequence[str]) -> bool:
    tokens = [token.rpartition("/") for line in lines for token in line.split()]
    return bool(tokens) and all(word and tag for word, _, tag in tokens)


def mostly_tagged(source: Source) -> bool:
    """Whether most of the first words of a file have tags; of a stream, that is not known."""
    if is_read_once(source):
        return False
    lines = [line for _, line in itertools.islice(read_lines(source), LINES_LOOKED_AT)]
    tokens = [token.rpartition(SEPARATOR) for line in lines for token in line.split()]
    return 2 * sum(bool(word and tag) for word, _, tag in tokens) > len(tokens)


def _like_columns(lines: Sequence[str]) -> bool:
    widths = {len(split_fields(line)) for line in lines}
    return len(lines) > 1 and len(widths) == 1 and widths.isdisjoint({1})


def _nearly_columns(lines: Sequence[str]) -> bool:
    widths = [len(split_fields(line)) for line in lines]
    usual = max(set(widths), key=widths.count, default=1)
    return usual > 1 and _most(width == usual for width in widths)


_LOOKS: dict[str, Callable[[Sequence[str]], bool]] = {
    "conllu": _like_conllu,
    "brackets": begin_like_brackets,
    "tagged": _like_tagged,
    "columns": _like_columns,
}
