r"""Lexicons of PC-PATR: a record for each word, with a field on each line.

    \w dogs
    \c N
    \g dog
    \f plural animate

``\w`` is the word, ``\c`` its category, ``\g`` a gloss, and ``\f`` names templates or has
equations. Other fields are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from weft.unification.patr.bodies import NOTHING, Alternatives, BodyReader, Known, Step, multiply
from weft.unification.patr.tokens import (
    END,
    KEYWORDS,
    TEXT,
    TextFile,
    Token,
    tokens_of_line,
)
from weft.unification.structure import Atom

_FIELD = re.compile(r"\\(\w+)(?:\s+|$)")

Entry = tuple[Token, tuple[str, ...], Alternatives]


def is_lexicon(file: TextFile) -> bool:
    """Say whether a file has records, and no rules."""
    for line in file.lines:
        if line.strip() and line.lstrip()[0] not in ";|":
            found = _FIELD.match(line)
            return found is not None and found.group(1).lower() not in KEYWORDS
    return False


def read_entries(file: TextFile, known: Known, features: tuple[str, str, str]) -> Iterator[Entry]:
    """Yield the words of a lexicon.

    Args:
        file: Its lines.
        known: The templates.
        features: What the features of the category, the word and the gloss are called.

    Raises:
        FormatError: If a record is not as above.
    """
    record: dict[str, list[Token]] = {}
    marker = ""
    for number, line in enumerate(file.lines, 1):
        found = _FIELD.match(line)
        if found is not None:
            marker = found.group(1)
            if marker == "w" and record:
                yield _entry(record, known, features)
                record = {}
            here = Token(TEXT, line.strip(), file, number, 1)
            if marker in record:
                raise here.error(f"the word has a field \\{marker} already; begin with \\w anew")
            if not record and marker != "w":
                raise here.error(f"expected \\w and a word before \\{marker}")
            record[marker] = [here]
        if marker in ("c", "f") and record:
            start = found.end() if found is not None else 0
            record[marker].extend(tokens_of_line(file, number, start))
    if record:
        yield _entry(record, known, features)


def _entry(record: dict[str, list[Token]], known: Known, features: tuple[str, str, str]) -> Entry:
    token = record["w"][0]
    words = tuple(_text(token).split())
    if not words:
        raise token.error("expected a word after \\w")
    category, lexical, gloss = features
    steps = [Step((lexical,), Atom(" ".join(words)), token)]
    if "g" in record and _text(record["g"][0]):
        steps.append(Step((gloss,), Atom(_text(record["g"][0])), record["g"][0]))
    bodies: Alternatives = (tuple(steps),)
    if "f" in record:
        bodies = multiply(bodies, _features(record["f"], known), record["f"][0])
    if "c" in record:
        bodies = multiply(bodies, _category(record["c"], known, category), record["c"][0])
    return token, words, bodies


def _text(token: Token) -> str:
    """The text of a field, after its marker."""
    return token.text.partition(" ")[2].strip()


def _features(tokens: list[Token], known: Known) -> Alternatives:
    first, *given = tokens
    last = given[-1] if given else first
    end = Token(END, "", first.file, last.line, last.column + len(last.text), first=True)
    reader = BodyReader([*given, end], known)
    found = reader.body(named=True)
    if reader.next.kind != END:
        reader.refuse("the name of a template, or an equation")
    return found


def _category(tokens: list[Token], known: Known, feature: str) -> Alternatives:
    """The category, and what a template of its name says."""
    first, *given = tokens
    if len(given) != 1 or given[0].kind != TEXT:
        raise first.error("expected one category after \\c")
    name = given[0]
    own: Alternatives = ((Step((feature,), Atom(name.text), name, is_default=True),),)
    more = known.templates.get(name.text, NOTHING)
    return multiply(more, own, name)
