"""A sentence per line: plain text, or words with their tags, such as ``time/NN flies/VBZ``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from weft.corpora.blocks import Block, read_single_lines
from weft.corpora.fields import column_of, split_fields
from weft.corpora.labels import read_labels
from weft.corpora.records import LINE_ENDS, Record, check_tags, with_ends
from weft.errors import FormatError, OptionError, quote
from weft.files import Source
from weft.structures.evidence import Analysis

SEPARATOR = "/"
"""What stands between a word and its tag, if nothing is said."""


@dataclass(frozen=True, slots=True)
class Tagged:
    r"""Words with their tags, a sentence per line.

    A token is split at its last separator. When labels are not wanted, the first sentence
    says whether there are tags: if not, lines are words alone, whatever separators these have.

    Attributes:
        separator: What stands between a word and its tag.
        partial: Whether a label may be ``_`` or ``?`` (unknown) or ``A|B`` (one of these).

    >>> import io
    >>> [record] = Tagged().read(io.BytesIO(b"1/2/CD cup/NN\n"))
    >>> record.example.tokens.words, record.example.analysis
    (('1/2', 'cup'), ('CD', 'NN'))
    >>> Tagged().render(record, ["CD", "VB"])
    '1/2/CD cup/VB\n'
    """

    separator: str = SEPARATOR
    partial: bool = False

    def __post_init__(self) -> None:
        if not self.separator or any(character.isspace() for character in self.separator):
            message = f"the separator {self.separator!r} must be text without white space"
            raise OptionError(f"{message}, such as '/'")

    def read(self, source: Source, *, labelled: bool = True) -> Iterator[Record]:
        """Read the sentences of a file; see :meth:`Format.read`."""
        tagged: bool | None = labelled or None
        for block in read_single_lines(source):
            tokens = split_fields(_spaced(block))
            if tagged is None:
                tagged = all(map(self._is_tagged, tokens))
            if tagged:
                words, labels = self._split(block, tokens)
            else:
                words, labels = tuple(tokens), ()
            yield block.record(0, (words,), self._analysis(block, labels) if labelled else None)

    def _is_tagged(self, token: str) -> bool:
        word, _, tag = token.rpartition(self.separator)
        return bool(word and tag)

    def _split(
        self, block: Block, tokens: Sequence[str]
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        parts = [token.rpartition(self.separator) for token in tokens]
        for index, (word, separator, _) in enumerate(parts):
            if not separator:
                message = f"the token {quote(tokens[index])} has no {self.separator!r}"
                advice = f"; write it as word{self.separator}TAG, name what stands there with"
                advice += " --separator, or name the format text if no word has a tag"
                raise _token_error(block, index, message + advice)
            if not word:
                message = f"the token {quote(tokens[index])} has no word before {self.separator!r}"
                raise _token_error(block, index, f"{message}; give one, or remove the token")
        words, _, labels = zip(*parts, strict=True)
        return words, labels

    def _analysis(self, block: Block, labels: Sequence[str]) -> Analysis:
        return read_labels(labels, self.partial, lambda *problem: _token_error(block, *problem))

    def render(self, record: Record, tags: Sequence[str]) -> str:
        """Return the record's words with these tags; see :meth:`Format.render`."""
        return _render(record, tags, self.separator)


@dataclass(frozen=True, slots=True)
class Text:
    r"""Plain text, a sentence per line, words split at white space; its sentences have no labels.

    >>> import io
    >>> [record] = Text().read(io.BytesIO(b"time flies\n"))
    >>> record.example.tokens.words
    ('time', 'flies')
    >>> Text().render(record, ["NN", "VBZ"])
    'time/NN flies/VBZ\n'
    """

    def read(self, source: Source, *, labelled: bool = False) -> Iterator[Record]:  # noqa: ARG002
        """Read the sentences of a file, never with labels; see :meth:`Format.read`."""
        for block in read_single_lines(source):
            # Running text, unlike annotated files, has no words with other white space inside.
            if words := tuple(block.lines[0].split()):
                yield block.record(0, (words,), None)

    def render(self, record: Record, tags: Sequence[str]) -> str:
        """Return the record's words, each with its tag; see :meth:`Format.render`."""
        return _render(record, tags, SEPARATOR)


def _spaced(block: Block) -> str:
    return block.lines[0].replace("\t", " ")


def _token_error(block: Block, index: int, message: str) -> FormatError:
    return block.error(0, message, column_of(_spaced(block), index))


def _render(record: Record, tags: Sequence[str], separator: str) -> str:
    check_tags(record, tags, (separator, " ", "\t", *LINE_ENDS))
    words = record.example.tokens.words
    tokens = (f"{word}{separator}{tag}" for word, tag in zip(words, tags, strict=True))
    *leading, _ = record.lines
    return with_ends(record, "".join(f"{line}\n" for line in (*leading, " ".join(tokens))))
