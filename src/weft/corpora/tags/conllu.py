"""CoNLL-U: ten tab-separated fields per word, with comments, multiword tokens and empty nodes.

Reference: https://universaldependencies.org/format.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from weft.corpora.blocks import Block, TokenPlaces, read_blocks
from weft.corpora.fields import column_number, replace_field
from weft.corpora.labels import UNKNOWN
from weft.corpora.records import LINE_ENDS, Record, check_tags, retag
from weft.errors import FormatError, OptionError, quote
from weft.files import Source

NAMES = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
"""The names of the ten columns."""

_COMMENT = "#"
_FORM = 1
_JOIN = "+"
_LISTS = frozenset(map(NAMES.index, ("feats", "deps", "misc")))  # their values have | between parts
_RANGE_OR_EMPTY_NODE = re.compile(r"([0-9]{1,9})(?:-[0-9]{1,9}|(\.)[0-9]{1,9})")


@dataclass(frozen=True, slots=True)
class Conllu:
    r"""The CoNLL-U format.

    Attributes:
        column: The labelled column, by number from 1 or by name; or several, as ``upos+feats``,
            whose values with + between them are one tag.
        inputs: Columns beside FORM that the model sees, in the same way.
        partial: Whether a label may be ``_`` or ``?`` (unknown) or ``A|B`` (one of these); in
            FEATS, DEPS and MISC, whose values are lists such as ``Mood=Imp|Number=Plur``, it is
            unknown or the whole value; and so it is of several columns, unknown where all are.

    >>> import io
    >>> line = "1\tAye\taye\tINTJ\tUH\t_\t0\troot\t_\t_\n"
    >>> [record] = Conllu("xpos").read(io.BytesIO(line.encode()))
    >>> record.example.tokens.words, record.example.analysis
    (('Aye',), ('UH',))
    >>> Conllu("xpos").render(record, ["RB"])
    '1\tAye\taye\tINTJ\tRB\t_\t0\troot\t_\t_\n\n'
    """

    column: int | str = 4
    inputs: tuple[int | str, ...] = ()
    partial: bool = False

    def __post_init__(self) -> None:
        labels, inputs = self._indices()
        for label in labels:
            if label <= _FORM or label in inputs:
                name = quote(self.column if len(labels) == 1 else NAMES[label])
                raise OptionError(f"column {name} cannot be labelled: it is an input")
        if len(set(labels)) < len(labels):
            raise OptionError(f"{quote(self.column)} names a column twice: name each once")

    def _indices(self) -> tuple[list[int], list[int]]:
        """The indices, from 0, of the labelled columns and of the columns the model sees."""
        inputs = [column_number(column, NAMES) - 1 for column in self.inputs]
        labels = [column_number(each, NAMES) - 1 for each in str(self.column).split(_JOIN)]
        return labels, [_FORM, *inputs]

    def read(self, source: Source, *, labelled: bool = True) -> Iterator[Record]:
        """Read the sentences of a file; see :meth:`Format.read`."""
        labels, inputs = self._indices()
        for block in read_blocks(source, comment=_COMMENT):
            rows, columns = _words(block)
            rows.check_words(columns[_FORM], _FORM)
            analysis = None
            if labelled:
                [label, *others] = labels
                texts = self._join(rows, columns, labels) if others else columns[label]
                sets = not others and label not in _LISTS
                analysis = rows.labels(texts, label, self.partial, sets)
            yield rows.record(tuple(columns[index] for index in inputs), analysis)

    def render(self, record: Record, tags: Sequence[str]) -> str:
        """Return the record's lines with these tags; see :meth:`Format.render`."""
        check_tags(record, tags, ("\t", *LINE_ENDS))
        labels, _ = self._indices()

        def replace(line: str, tag: str) -> str:
            parts = tag.split(_JOIN, len(labels) - 1)
            if len(parts) < len(labels):
                message = f"the tag {quote(tag)} has not the {len(labels)} parts of {self.column}"
                raise FormatError(
                    f"{message}: name its own column", path=record.example.tokens.source
                )
            for label, part in zip(labels, parts, strict=True):
                line = replace_field(line, part or "_", label)
            return line

        return retag(record, tags, _is_word, replace)

    def _join(
        self, rows: TokenPlaces, columns: Sequence[tuple[str, ...]], labels: Sequence[int]
    ) -> tuple[str, ...]:
        """A tag per token, made of several columns."""
        for label in labels:
            rows.labels(columns[label], label, False)  # none is empty
            for place, text in enumerate(columns[label]):
                if _JOIN in text and label != labels[-1]:
                    name = NAMES[label]
                    message = f"{quote(text)} has a '{_JOIN}', which is between the parts of a tag"
                    raise rows.error(place, label, f"{message}: name {name} last, or alone")
        tags = zip(*(columns[label] for label in labels), strict=True)
        return tuple(
            "?" if self.partial and UNKNOWN.issuperset(parts) else _JOIN.join(parts)
            for parts in tags
        )


def _is_word(line: str) -> bool:
    identifier = line.partition("\t")[0]
    return identifier.isascii() and identifier.isdigit()


def _words(block: Block) -> tuple[TokenPlaces, tuple[tuple[str, ...], ...]]:
    """The words of a block, and their fields, column by column."""
    positions: list[int] = []
    rows: list[list[str]] = []
    for position, line in enumerate(block.lines):
        if line.startswith(_COMMENT):
            continue
        fields = line.split("\t")
        if len(fields) != len(NAMES):
            message = f"expected {len(NAMES)} tab-separated fields but found {len(fields)}"
            raise block.error(position, f"{message}; is the file CoNLL-U?")
        if fields[0] == str(len(rows) + 1):
            positions.append(position)
            rows.append(fields)
        elif not _may_stand_before(fields[0], len(rows) + 1):
            message = f"expected the ID {len(rows) + 1} but found {quote(fields[0])}"
            raise block.error(position, f"{message}; number the words 1, 2, … in each sentence", 1)
    if not rows:
        raise block.error(0, "the sentence has no word; add its words or remove it")
    return TokenPlaces(block, positions), tuple(zip(*rows, strict=True))


def _may_stand_before(identifier: str, word: int) -> bool:
    """Say whether a multiword token (8-9) or empty node (7.1) comes just before a word (8)."""
    match = _RANGE_OR_EMPTY_NODE.fullmatch(identifier)
    return match is not None and int(match[1]) == (word - 1 if match[2] else word)
