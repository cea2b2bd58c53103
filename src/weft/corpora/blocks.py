"""Lines into sentences: blocks that a blank line ends, or single lines.

A line of spaces and tabs is blank; no other character counts as white space here, since
words may contain it (the no-break space in French numbers).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from sys import intern

from weft.corpora.fields import column_of
from weft.corpora.labels import read_labels
from weft.corpora.records import Record
from weft.errors import FormatError
from weft.files import Source, name_of, read_runs_with_ends
from weft.structures.evidence import Analysis, Example, Sentence

LONGEST_BLOCK = 1_000_000
"""A block of more lines is refused: a hostile file must not exhaust the memory."""

_FEW = 10_000


@dataclass(frozen=True, slots=True)
class Block:
    """The lines of one sentence.

    Attributes:
        path: The file's name, for messages.
        number: The number of ``lines[0]`` in the file.
        lines: The sentence's lines.
        leading: Lines before them that say nothing: blank, ignored or comments alone.
        returns: The places of those that end in a carriage return and a line feed, among the
            leading lines, the sentence's and the blank one that ends them.
    """

    path: str
    number: int
    lines: Sequence[str]
    leading: Sequence[str]
    returns: frozenset[int] = frozenset()

    def error(self, position: int, message: str, column: int | None = None) -> FormatError:
        """Return an error about ``lines[position]``."""
        line, text = self.number + position, self.lines[position]
        return FormatError(message, path=self.path, line=line, column=column, text=text)

    def record(
        self,
        first: int,
        columns: tuple[tuple[str, ...], ...],
        analysis: Analysis | None,
        attributes: tuple[Mapping[str, float], ...] | None = None,
    ) -> Record:
        """Return the record of a sentence whose first token is in ``lines[first]``.

        Equal words, and equal labels, are one string: a corpus in memory takes a third of the room.
        """
        source = f"{self.path}:{self.number + first}"
        columns = tuple(tuple(map(intern, column)) for column in columns)
        if analysis is not None:
            analysis = tuple(intern(tag) if isinstance(tag, str) else tag for tag in analysis)
        example = Example(Sentence(columns, attributes, source), analysis)
        return Record(example, (*self.leading, *self.lines), self.returns)


@dataclass(frozen=True, slots=True)
class TokenPlaces:
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

    def labels(
        self, texts: Sequence[str], field: int, partial: bool, sets: bool = True
    ) -> Analysis:
        """Read the labels, which stand in one of the fields."""
        return read_labels(texts, partial, lambda token, text: self.error(token, field, text), sets)

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


def read_blocks(
    source: Source, ignored: tuple[str, ...] = (), comment: str | None = None
) -> Iterator[Block]:
    r"""Read the blocks of a file, which blank lines end.

    Lines that start with one of ``ignored`` also end a block and belong to none: like further
    blank lines, they lead the next one. So does a block of nothing but lines that start with
    ``comment``; at the end of the file there is no next one, and it is left out.

    >>> import io
    >>> [block.lines for block in read_blocks(io.BytesIO(b"a\nb\n\n\nc\n"))]
    [['a', 'b'], ['c']]
    >>> [block.leading for block in read_blocks(io.BytesIO(b"#a\n\nb\n"), comment="#")]
    [['#a', '']]
    """
    path = name_of(source)
    lines: list[str] = []
    leading: list[str] = []
    returns: set[int] = set()
    number = 1
    for first, run, returned in read_runs_with_ends(source):
        _keep(returns, first, returned, len(lines) + len(leading))
        begin = 0
        for end in _ends(run, ignored):
            lines += run[begin:end]
            begin, number = end + 1, first + end
            if _all_start(lines, comment):
                for line in lines:
                    _lead(leading, line, path, number)
                lines = []
            if lines:
                yield _block(path, number, lines, leading, returns)
                lines, leading = [], []
                if is_blank(run[end]):
                    continue
            _lead(leading, run[end], path, number)
        lines += run[begin:]
        number = first + len(run)
        _check_length(lines, path, number)
    if lines and not _all_start(lines, comment):
        if number - 1 in returns:  # of which the blank line that is added is one more
            returns.add(number)
        yield _block(path, number, lines, leading, returns)


def _all_start(lines: Sequence[str], comment: str | None) -> bool:
    return comment is not None and all(line.startswith(comment) for line in lines)


def _ends(lines: Sequence[str], ignored: tuple[str, ...]) -> list[int]:
    """Where lines are blank or ignored."""
    # Most lines start like neither, and need no closer look.
    starts = {" ", "\t", *(text[0] for text in ignored)}
    suspects = [at for at, line in enumerate(lines) if not line or line[0] in starts]
    return [at for at in suspects if is_blank(lines[at]) or lines[at].startswith(ignored)]


def _block(path: str, after: int, lines: list[str], leading: list[str], returns: Set[int]) -> Block:
    """The block that ends before line ``after``."""
    _check_length(lines, path, after)
    first = after - len(lines) - len(leading)
    return Block(path, after - len(lines), lines, leading, _places(returns, first, after))


def _keep(returns: set[int], first: int, returned: Sequence[int], pending: int) -> None:
    """Add the lines of a run that end in a carriage return; drop those of finished blocks."""
    if len(returns) > 2 * pending + _FEW:  # not every time: long blocks would take quadratic time
        returns.difference_update([each for each in returns if each < first - pending])
    returns.update(first + place for place in returned)


def _places(returns: Set[int], first: int, last: int) -> frozenset[int]:
    """Which of the lines from ``first`` to ``last`` are among ``returns``, from 0."""
    if not returns:
        return frozenset()
    return frozenset(number - first for number in range(first, last + 1) if number in returns)


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
    returns: set[int] = set()
    for first, run, returned in read_runs_with_ends(source):
        _keep(returns, first, returned, len(leading))
        for number, line in enumerate(run, first):
            if is_blank(line):
                _lead(leading, line, path, number)
            else:
                places = _places(returns, number - len(leading), number)
                yield Block(path, number, [line], leading, places)
                leading = []


def _lead(leading: list[str], line: str, path: str, number: int) -> None:
    leading.append(line)
    if len(leading) > LONGEST_BLOCK:
        raise _too_long(path, number)


def _too_long(path: str, number: int) -> FormatError:
    message = f"the sentence has more than {LONGEST_BLOCK:,} lines; end sentences by a blank line"
    return FormatError(message, path=path, line=number)
