r"""CRFsuite's format: a token per line, its label and its attributes, blank lines after sentences.

    line      = label, { tab, attribute }
    attribute = name, [ ":", value ]

In names and labels ``\:`` is a colon and ``\\`` a backslash; a value is 1 if it is not given.

Reference: http://www.chokkan.org/software/crfsuite/manual.html, "Data format".
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from weft.corpora.blocks import TokenPlaces, is_blank, read_blocks
from weft.corpora.records import LINE_ENDS, Record, check_tags, retag
from weft.errors import quote
from weft.files import Source

_NAME = re.compile(r"(?:[^\\:]|\\[\\:]?)*")
_ESCAPE = re.compile(r"\\([\\:])")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_NO_ATTRIBUTE = "_"


@dataclass(frozen=True, slots=True)
class Attributes:
    r"""The format of CRFsuite.

    A token's word is the name of its first attribute, or ``_`` if it has none. An attribute
    given twice has the sum of its values, and an empty one counts for nothing, as in CRFsuite.
    When labels are not wanted, what stands before the first tab is not looked at; it may be
    empty.

    Attributes:
        partial: Whether a label may be ``_`` or ``?`` (unknown) or ``A|B`` (one of these).

    >>> import io
    >>> [record] = Attributes().read(io.BytesIO(b"NN\tw=time\tlength:0.4\nVBZ\tw=flies\n"))
    >>> record.example.tokens.attributes
    ({'w=time': 1.0, 'length': 0.4}, {'w=flies': 1.0})
    >>> Attributes().render(record, ["VB", "NNS"])
    'VB\tw=time\tlength:0.4\nNNS\tw=flies\n\n'
    """

    partial: bool = False

    def read(self, source: Source, *, labelled: bool = True) -> Iterator[Record]:
        """Read the sentences of a file; see :meth:`Format.read`."""
        for block in read_blocks(source):
            rows = TokenPlaces(block, range(len(block.lines)))
            fields = [line.split("\t") for line in block.lines]
            attributes = tuple(_attributes(rows, *each) for each in enumerate(fields))
            words = tuple(next(iter(names), _NO_ATTRIBUTE) for names in attributes)
            labels = [unescape(label) for label, *_ in fields]
            analysis = rows.labels(labels, 0, self.partial) if labelled else None
            yield rows.record((words,), analysis, attributes)

    def render(self, record: Record, tags: Sequence[str]) -> str:
        """Return the record's lines with these tags; see :meth:`Format.render`."""
        check_tags(record, tags, ("\t", *LINE_ENDS))
        return retag(record, tags, lambda line: not is_blank(line), _retag)


def parse_attribute(text: str) -> tuple[str, float]:
    r"""Return the name and value of an attribute.

    Raises:
        ValueError: If it has no name, or its value is not a finite number.

    >>> parse_attribute("w=time"), parse_attribute(r"w=\::-0.5")
    (('w=time', 1.0), ('w=:', -0.5))
    """
    if ":" not in text:
        return unescape(text), 1.0
    match = _NAME.match(text)
    name = match[0] if match else ""
    if not name:
        raise ValueError(f"the attribute {quote(text)} has no name")
    if name == text:
        return unescape(name), 1.0
    value = text[len(name) + 1 :]
    number = float(value) if _NUMBER.fullmatch(value) else math.nan
    if not math.isfinite(number):
        raise ValueError(f"the value {quote(value)} is not a finite number")
    return unescape(name), number


def escape(text: str) -> str:
    r"""Return a name or label as it is written in a file.

    >>> print(escape(":"))
    \:
    """
    return text.replace("\\", "\\\\").replace(":", "\\:")


def unescape(text: str) -> str:
    r"""Return a name or label as it is meant.

    >>> print(unescape(r"a\:b\\c\d"))
    a:b\c\d
    """
    return _ESCAPE.sub(r"\1", text) if "\\" in text else text


def _attributes(rows: TokenPlaces, token: int, fields: Sequence[str]) -> dict[str, float]:
    values: dict[str, float] = {}
    for field, text in enumerate(fields):
        if field == 0 or not text:
            continue
        try:
            name, value = parse_attribute(text)
        except ValueError as problem:
            hint = r"write 'name' or 'name:number', and a colon in a name as '\:'"
            raise rows.error(token, field, f"{problem}; {hint}") from None
        values[name] = values.get(name, 0.0) + value
        if not math.isfinite(values[name]):
            raise rows.error(token, field, f"the values of {quote(name)} add up to infinity")
    return values


def _retag(line: str, tag: str) -> str:
    _, tab, attributes = line.partition("\t")
    return f"{escape(tag)}{tab}{attributes}"
