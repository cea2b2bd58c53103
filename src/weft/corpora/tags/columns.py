"""Columns: a token per line, a blank line after each sentence (CoNLL-2000, CoNLL-2003).

Reference: Tjong Kim Sang and Buchholz (2000), "Introduction to the CoNLL-2000 shared task:
chunking", section 3.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NoReturn

from weft.corpora.blocks import Block, TokenPlaces, read_blocks
from weft.corpora.fields import column_number, replace_fields, split_columns, split_fields
from weft.corpora.records import LINE_ENDS, Record, check_tags, with_ends
from weft.errors import OptionError
from weft.files import Source

_DOCUMENT = "-DOCSTART-"


@dataclass(frozen=True, slots=True)
class Columns:
    r"""The columns format: fields separated by tabs if a line has any, otherwise by spaces.

    When labels are not wanted, a file may lack the labelled column, if that is the last: it
    does if it has one column fewer than ``column``, or, for the column -1, if it ends with the
    last of ``inputs``, or if none are given. Rendering then adds the column. Lines that start
    with ``-DOCSTART-`` belong to no sentence.

    Attributes:
        column: The labelled column, from 1, or from -1 for the last backwards.
        inputs: The columns that the model sees, from 1, the words first; every column before
            the labelled one by default.
        partial: Whether a label may be ``_`` or ``?`` (unknown) or ``A|B`` (one of these).

    >>> import io
    >>> [record] = Columns().read(io.BytesIO(b"time NN B-NP\nflies VBZ B-VP\n"))
    >>> record.example.tokens.columns, record.example.analysis
    ((('time', 'flies'), ('NN', 'VBZ')), ('B-NP', 'B-VP'))
    >>> Columns().render(record, ["B-NP", "I-NP"])
    'time NN B-NP\nflies VBZ I-NP\n\n'
    """

    column: int | str = -1
    inputs: tuple[int | str, ...] | None = None
    partial: bool = False

    def __post_init__(self) -> None:
        column = column_number(self.column)
        if self.inputs is None:
            if column == 1:
                raise OptionError("no column is before the first; say which are the inputs")
        elif min(self._inputs(), default=-1) < 0 or column - 1 in self._inputs():
            message = f"the inputs {self.inputs} must be columns counted from 1"
            raise OptionError(f"{message}, without the labelled one, {column}")

    def read(self, source: Source, *, labelled: bool = True) -> Iterator[Record]:
        """Read the sentences of a file; see :meth:`Format.read`."""
        width = 0
        for block in read_blocks(source, (_DOCUMENT,)):
            width = width or len(split_fields(block.lines[0]))
            yield self._record(block, width, labelled)

    def _record(self, block: Block, width: int, labelled: bool) -> Record:
        label, inputs = self._layout(width, labelled) or self._refuse(block, width, labelled)
        rows = TokenPlaces(block, range(len(block.lines)))
        columns = split_columns(block.lines, width) or _refuse_width(block, width)
        rows.check_words(columns[inputs[0]], inputs[0])
        analysis = rows.labels(columns[label], label, self.partial) if labelled else None
        return rows.record(tuple(columns[index] for index in inputs), analysis)

    def _layout(self, width: int, labelled: bool) -> tuple[int, Sequence[int]] | None:
        """The indices, from 0, of the label and the inputs in this many columns, if possible."""
        label = self._label(width, labelled)
        inputs = range(label) if self.inputs is None else self._inputs()
        # One past the last column, the label is yet to be added.
        if 0 <= label < width + (not labelled) and inputs and label not in inputs:
            return (label, inputs) if max(inputs) < width else None
        return None

    def _label(self, width: int, labelled: bool) -> int:
        column = column_number(self.column)
        if column > 0:
            return column - 1
        absent = self.inputs is None or max(self._inputs()) == width - 1
        return width if column == -1 and not labelled and absent else width + column

    def _inputs(self) -> list[int]:
        return [column_number(column) - 1 for column in self.inputs or ()]

    def _refuse(self, block: Block, width: int, labelled: bool) -> NoReturn:
        least = next(count for count in itertools.count(1) if self._layout(count, labelled))
        message = f"expected at least {least} columns, with the inputs and the label"
        raise block.error(0, f"{message}, but found {width}; say which column is labelled")

    def replaced(self, lines: Sequence[str]) -> set[str]:
        """Return what stands in some lines where rendering writes tags.

        >>> Columns(inputs=(1, 2)).replaced(["The DT B-NP"]), Columns().replaced(["The DT"])
        ({'B-NP'}, set())
        """
        rows = [split_fields(line) for line in lines if line and not line.startswith(_DOCUMENT)]
        places = ((row, self._layout(len(row), labelled=False)) for row in rows)
        return {row[found[0]] for row, found in places if found and found[0] < len(row)}

    def render(self, record: Record, tags: Sequence[str]) -> str:
        """Return the record's lines with these tags; see :meth:`Format.render`."""
        # Whatever belongs to no sentence comes before its tokens.
        start = len(record.lines) - len(record.example.tokens)
        lines = record.lines[start:]
        spaced = not all("\t" in line for line in lines)
        check_tags(record, tags, ("\t", *LINE_ENDS, *(" " if spaced else "")))
        labelled = record.example.analysis is not None
        label = self._label(len(split_fields(lines[0])), labelled)
        leading = "".join([f"{line}\n" for line in record.lines[:start]])
        return with_ends(record, f"{leading}{replace_fields(lines, tags, label)}\n")


def _refuse_width(block: Block, width: int) -> NoReturn:
    counts = [len(split_fields(line)) for line in block.lines]
    position = next(place for place, count in enumerate(counts) if count != width)
    message = f"expected {width} columns, as in the file's first line of a token"
    raise block.error(position, f"{message}, but found {counts[position]}; complete the line")
