"""Lines into sentences: blocks that a blank line ends, or single lines.

A line of spaces and tabs is blank; no other character counts as white space here, since
words may contain it (the no-break space in French numbers).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from weft.corpora.fields import column_of
from weft.corpora.labels import read_labels
from weft.corpora.records import Record
from weft.errors import FormatError
from weft.files import Source, name_of, read_lines, read_runs
from weft.structures.evidence import Analysis, Example, Sentence

LONGEST_BLOCK = 1_000_000
"""A block of more lines is refused: a hostile file must not exhaust the memory."""

_LONGEST_SHOWN = 300


@dataclass(frozen=True, slots=True)
class Block:
    """The lines of one sentence.

    Attributes:
        path: The file's name, for messages.
        number: The number of ``lines[0]`` in the file.
        lines: The sentence's lines.
        leading: Lines before them that say nothing: blank or ignored.
    """

    path: str
    number: int
    lines: Sequence[str]
    leading: Sequence[str]

    def error(self, position: int, message: str, column: int | None = None) -> FormatError:
        """Return an error about ``lines[position]``."""
        text = self.lines[position]
        return FormatError(
            message,
            path=self.path,
            line=self.number + position,
            column=column,
            text=text if len(text) <= _LONGEST_SHOWN else None,
        )

    def record(
        self,
        first: int,
        columns: tuple[tuple[str, ...], ...],
        analysis: Analysis | None,
        attributes: tuple[Mapping[str, float], ...] | None = None,
    ) -> Record:
        """Return the record of a sentence whose first token is in ``lines[first]``."""
        source = f"{self.path}:{self.number + first}"
        example = Example(Sentence(columns, attributes, source), analysis)
        return Record(example, (*self.leading, *self.lines))


@dataclass(frozen=True, slots=True)
class Rows:
    """Where the tokens of a block are.

    Attributes:
        block: The sentence's lines.
        positions: For each token the line it is in, counted from the block's first.
    """

    block: Block
    positions: Sequence[int]

    def error(self, token: int, field: int, message: str) -> FormatError:
        """Return an error about a field of a token."""
        position = self.positions[token]
        return self.block.error(position, message, column_of(self.block.lines[position], field))

    def check_words(self, words: Sequence[str], field: int) -> None:
        """Refuse an empty word."""
        if "" in words:
            message = "the word is empty; give one, or remove the line"
            raise self.error(words.index(""), field, message)

    def labels(self, texts: Sequence[str], field: int, partial: bool) -> Analysis:
        """Read the labels, which stand in one of the fields."""
        return read_labels(texts, partial, lambda token, text: self.error(token, field, text))

    def record(
        self,
        columns: tuple[tuple[str, ...], ...],
        analysis: Analysis | None,
        attributes: tuple[Mapping[str, float], ...] | None = None,
    ) -> Record:
        """Return the record of the sentence."""
        return self.block.record(self.positions[0], columns, analysis, attributes)


def is_blank(line: str) -> bool:
    r"""Say whether a line holds nothing but spaces and tabs.

    >>> is_blank(" \t"), is_blank("\N{NO-BREAK SPACE}")
    (True, False)
    """
    return not line.strip(" \t")


def read_blocks(source: Source, ignored: tuple[str, ...] = ()) -> Iterator[Block]:
    r"""Read the blocks of a file, which blank lines end.

    Lines that start with one of ``ignored`` also end a block and belong to none: like further
    blank lines, they lead the next one.

    >>> import io
    >>> [block.lines for block in read_blocks(io.BytesIO(b"a\nb\n\n\nc\n"))]
    [['a', 'b'], ['c']]
    """
    path = name_of(source)
    lines: list[str] = []
    leading: list[str] = []
    number = 1
    for first, run in read_runs(source):
        begin = 0
        for end in _ends(run, ignored):
            lines += run[begin:end]
            begin, number = end + 1, first + end
            if lines:
                yield _block(path, number, lines, leading)
                lines, leading = [], []
                if is_blank(run[end]):
                    continue
            _lead(leading, run[end], path, number)
        lines += run[begin:]
        number = first + len(run)
        _check_length(lines, path, number)
    if lines:
        yield _block(path, number, lines, leading)


def _ends(lines: Sequence[str], ignored: tuple[str, ...]) -> list[int]:
    """Where lines are blank or ignored."""
    # Most lines start like neither, and need no closer look.
    starts = {" ", "\t", *(text[0] for text in ignored)}
    suspects = [at for at, line in enumerate(lines) if not line or line[0] in starts]
    return [at for at in suspects if is_blank(lines[at]) or lines[at].startswith(ignored)]


def _block(path: str, after: int, lines: list[str], leading: list[str]) -> Block:
    """The block that ends before line ``after``."""
    _check_length(lines, path, after)
    return Block(path, after - len(lines), lines, leading)


def _check_length(lines: Sequence[str], path: str, after: int) -> None:
    if len(lines) > LONGEST_BLOCK:
        raise _too_long(path, after - len(lines) + LONGEST_BLOCK)


def read_single_lines(source: Source) -> Iterator[Block]:
    r"""Read every line that is not blank as a block of its own.

    >>> import io
    >>> [block.number for block in read_single_lines(io.BytesIO(b"a\n\nb\n"))]
    [1, 3]
    """
    path = name_of(source)
    leading: list[str] = []
    for number, line in read_lines(source):
        if is_blank(line):
            _lead(leading, line, path, number)
        else:
            yield Block(path, number, [line], leading)
            leading = []


def _lead(leading: list[str], line: str, path: str, number: int) -> None:
    leading.append(line)
    if len(leading) > LONGEST_BLOCK:
        raise _too_long(path, number)


def _too_long(path: str, number: int) -> FormatError:
    message = f"the sentence has more than {LONGEST_BLOCK:,} lines; end sentences by a blank line"
    return FormatError(message, path=path, line=number)
