"""What every format reads and writes: sentences with the raw lines they came from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from weft.errors import FormatError, quote
from weft.files import Source, name_of
from weft.structures.evidence import Example


@dataclass(frozen=True, slots=True)
class Record:
    """One sentence of a file.

    Attributes:
        example: What the sentence says.
        lines: The sentence's own lines as they stand in the file, with comments, blank lines
            and whatever else precedes it, but without the blank line that ends it.
        returns: The places of those that end in a carriage return and a line feed, among the
            lines and the blank one that ends them; all others end in a line feed.
    """

    example: Example
    lines: tuple[str, ...]
    returns: frozenset[int] = frozenset()


class Format(Protocol):
    """A way of writing tagged sentences in a file."""

    def read(self, source: Source, *, labelled: bool = True) -> Iterator[Record]:
        """Read the sentences of a file, one at a time.

        Args:
            source: A path, ``-`` for the standard input, or a binary stream.
            labelled: Whether the labels are wanted. If not, they need not be there, and every
                analysis is None.

        Raises:
            FormatError: At the first line that is not in this format.
        """
        ...

    def render(self, record: Record, tags: Sequence[str]) -> str:
        """Return the record's text with these tags and nothing else changed.

        Raises:
            FormatError: If a tag cannot be written in this format.
        """
        ...


def read_examples(corpus_format: Format, source: Source, *, labelled: bool = True) -> list[Example]:
    r"""Read a whole file of examples, at least one.

    Raises:
        FormatError: If the file has no sentence or is not in this format.

    >>> import io
    >>> from weft.corpora import Columns
    >>> [example] = read_examples(Columns(), io.BytesIO(b"time NN\nflies VBZ\n"))
    >>> example.tokens.words, example.analysis
    (('time', 'flies'), ('NN', 'VBZ'))
    """
    return list(stream_examples(corpus_format, source, labelled=labelled))


def stream_examples(
    corpus_format: Format, source: Source, *, labelled: bool = True
) -> Iterator[Example]:
    """Read a file of examples, at least one, one at a time; see :func:`read_examples`."""
    record = None
    for record in corpus_format.read(source, labelled=labelled):
        yield record.example
    if record is None:
        message = "there is no sentence in the file; check that it is the right one"
        raise FormatError(message, path=name_of(source))


LINE_ENDS = ("\n", "\r")
"""What no tag may have that may end a line: it would be taken for part of the line's end."""


def check_tags(record: Record, tags: Sequence[str], forbidden: Sequence[str]) -> None:
    """Refuse tags that would not be read back as they were written.

    Raises:
        ValueError: If there is not one tag per token.
        FormatError: If a tag is empty or contains something forbidden.
    """
    tokens = record.example.tokens
    if len(tags) != len(tokens):
        raise ValueError(f"{tokens.source} has {len(tokens)} tokens but {len(tags)} tags")
    joined = "".join(tags)
    if "" not in tags and not any(part in joined for part in forbidden):
        return
    for tag in tags:
        if not tag or any(part in tag for part in forbidden):
            parts = ", ".join(map(repr, forbidden))
            message = (
                f"the tag {quote(tag)} cannot be written: a tag has a character, and none of "
                f"{parts}"
            )
            raise FormatError(message, path=tokens.source)


def with_ends(record: Record, text: str) -> str:
    r"""Return a record's rendered text with the line ends that its lines had.

    >>> from weft.structures.evidence import example
    >>> with_ends(Record(example(["a"]), ("a",), frozenset({0})), "a/X\n")
    'a/X\r\n'
    """
    if not record.returns:
        return text
    *lines, last = text.split("\n")
    ended = [f"{line}\r" if at in record.returns else line for at, line in enumerate(lines)]
    return "\n".join([*ended, last])


def retag(
    record: Record,
    tags: Sequence[str],
    is_token: Callable[[str], bool],
    retag: Callable[[str, str], str],
) -> str:
    """Return the record's lines, ended by a blank one, with every token's line retagged."""
    remaining = iter(tags)
    lines = [retag(line, next(remaining)) if is_token(line) else line for line in record.lines]
    return with_ends(record, "\n".join(lines) + "\n\n")
