r"""Trees in brackets, as the Penn Treebank writes them, and the tags at their leaves.

    ( (S (NP-SBJ (DT The) (NN tide)) (VP (VBZ turns) (NP-TMP (DT this) (NN evening))) (. .)))

A file is a sequence of trees, however they are laid out in lines; spaces, tabs and line ends
separate, and no other white space does. The outermost bracket may lack a label. A label alone, as
in ``(NP)``, is a node that was expanded to nothing. Words with the tag ``-NONE-`` are traces:
nothing is heard there. Brackets in the text are written ``-LRB-`` and ``-RRB-`` (round), ``-LSB-``
and ``-RSB-`` (square), ``-LCB-`` and ``-RCB-`` (curly), and a slash or an asterisk may have a
backslash before it. Lines of markup, headers and comments may stand between trees; see
:mod:`weft.corpora.trees.asides`.

Reference: A. Bies et al. (1995), "Bracketing guidelines for Treebank II style Penn Treebank
project", University of Pennsylvania; and see :mod:`weft.structures.tree`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from weft.corpora import blocks
from weft.corpora.labels import read_labels
from weft.corpora.records import Record, check_tags
from weft.corpora.trees.asides import Aside, Asides
from weft.corpora.trees.bracketing import SYMBOL, TRACE, Builder, Token
from weft.errors import FormatError
from weft.files import Source, name_of, read_lines
from weft.structures.evidence import Example, Sentence
from weft.structures.tree import Tree

LONGEST_TREE = 1_000_000
"""A tree of more characters is refused: a hostile file must not exhaust the memory."""

_TAG = re.compile(r"(\([ \t\n]*)([^ \t\n()]+)(?=[ \t\n]+[^ \t\n()]+[ \t\n]*\))")
_SPACES = re.compile(r"[ \t]*")
_LONGEST_SHOWN = 300


@dataclass(frozen=True, slots=True)
class TreeRecord:
    """One tree of a file.

    Attributes:
        tree: The tree; an outermost bracket without a label is not part of it, unless it holds
            more than one tree.
        source: Where it begins, such as ``wsj_0001.mrg:2``.
    """

    tree: Tree
    source: str


Skip = Callable[[str, int], None]
"""What is told the name of a file and the number of a line that is left out."""


def read_trees(
    source: Source, *, unescape: bool = False, text: bool = False, skip: Skip | None = None
) -> Iterator[TreeRecord]:
    r"""Read the trees of a file, one at a time, with functions and traces.

    Args:
        source: A path, ``-`` for the standard input, or a binary stream.
        unescape: Whether to read brackets, slashes and asterisks in words as they are meant;
            see :func:`weft.corpora.trees.bracketing.unescape_word`. Labels are never changed.
        text: Whether all lines between trees that do not begin with a bracket are left out, and
            not just those that :mod:`weft.corpora.trees.asides` knows.
        skip: Told the lines that are left out.

    Raises:
        FormatError: At the first place that is not in brackets as it should be.

    >>> import io
    >>> file = io.BytesIO(b"( (S (NP (PRP it)) (VP (VBZ rains))))\n(X (-LRB- -LRB-))")
    >>> for record in read_trees(file, unescape=True):
    ...     print(record.source, record.tree)
    <stream>:1 Tree('(S (NP (PRP it)) (VP (VBZ rains)))')
    <stream>:2 Tree('(X (-LRB- ())')
    """
    reader = _TreeBuffer(name_of(source), Builder(False, unescape), Asides(text), skip)
    for found in _read(source, reader):
        yield TreeRecord(found.tree, found.source)


@dataclass(frozen=True, slots=True)
class Brackets:
    r"""The tags and words at the leaves of trees in brackets.

    Every word must have a bracket of its own, with its tag. Traces are no tokens, and a tree that
    has nothing else is no sentence. Rendering changes the tags and keeps all else, labels of
    phrases and traces included, but for trees that share a line: each gets its own.

    Attributes:
        unescape: Whether the model sees brackets, slashes and asterisks in words as they are
            meant, and not ``-LRB-`` or ``\/``; what is written keeps them as they were.
        partial: Whether a label may be ``_`` or ``?`` (unknown) or ``A|B`` (one of these).

    >>> import io
    >>> [record] = Brackets().read(io.BytesIO(b"( (S (NP (-NONE- *)) (VB Run) (. !)))\n"))
    >>> record.example.tokens.words, record.example.analysis
    (('Run', '!'), ('VB', '.'))
    >>> Brackets().render(record, ["NN", "."])
    '( (S (NP (-NONE- *)) (NN Run) (. !)))\n'
    """

    unescape: bool = False
    partial: bool = False

    def read(self, source: Source, *, labelled: bool = True) -> Iterator[Record]:
        """Read the sentences of a file; see :meth:`Format.read`. Tags must always be there."""
        for found in _read(source, _TreeBuffer(name_of(source), Builder(True, self.unescape))):
            words = tuple(token.word for token in found.tokens)
            tags = [token.tag for token in found.tokens]
            analysis = read_labels(tags, self.partial, found.error) if labelled else None
            yield Record(Example(Sentence((words,), None, found.source), analysis), found.lines)

    def render(self, record: Record, tags: Sequence[str]) -> str:
        """Return the record's text with these tags; see :meth:`Format.render`."""
        check_tags(record, tags, ("(", ")", " ", "\t", "\n", TRACE))
        remaining = iter(tags)

        def retag(match: re.Match[str]) -> str:
            return match[0] if match[2] == TRACE else match[1] + next(remaining)

        parts = [
            "\n".join(lines) if aside else _TAG.sub(retag, "\n".join(lines))
            for aside, lines in groupby(record.lines, lambda line: isinstance(line, Aside))
        ]
        return "\n".join(parts) + "\n"


def begin_like_brackets(lines: Sequence[str]) -> bool:
    """Say whether a file that begins with these lines may hold tagged trees.

    >>> begin_like_brackets(["( (S (NP (PRP it))", "  (VP"])
    True
    >>> begin_like_brackets(["( ( O", "a DT O"])
    False
    """
    reader = _TreeBuffer("", Builder(tagged=True, unescape=False))
    try:
        whole = [found for line in lines for found in reader.read_line(0, line)]
    except FormatError:
        return False
    return bool(whole or reader.builder.tokens)


@dataclass(frozen=True, slots=True)
class _FoundTree:
    """A tree, its words but for traces, and its text."""

    path: str
    line: int
    tree: Tree
    tokens: Sequence[Token]
    lines: tuple[str, ...]

    @property
    def source(self) -> str:
        return f"{self.path}:{self.line}"

    def error(self, index: int, message: str) -> FormatError:
        token = self.tokens[index]
        return FormatError(message, path=self.path, line=token.line, column=token.column)


@dataclass(slots=True)
class _TreeBuffer:
    """What was read since the last tree that was given out.

    Attributes:
        path: The file's name, for messages.
        builder: The tree that is being read.
        asides: Which lines between trees are left out.
        skip: Told those, if anything is.
        lines: Whole lines, or what is left of them.
        size: Their characters.
    """

    path: str
    builder: Builder
    asides: Asides = field(default_factory=Asides)
    skip: Skip | None = None
    lines: list[str] = field(default_factory=list)
    size: int = 0

    def read_line(self, number: int, line: str) -> Iterator[_FoundTree]:
        """Read a line, and return the trees that end in it."""
        if not self.builder.labels and self.asides.take(number, line):
            if self.skip is not None:
                self.skip(self.path, number)
            self._keep(number, Aside(line))
            return
        start = 0
        most = LONGEST_TREE - self.size
        for match in SYMBOL.finditer(line):
            try:
                if match.end() - start > most:
                    raise ValueError(_too_long(f"{LONGEST_TREE:,} characters"))
                tree = self.builder.take(match, number)
            except ValueError as problem:
                raise self._error(str(problem), number, line, match.start() + 1) from None
            if tree is not None and (self.builder.tokens or not self.builder.tagged):
                next_start = _end_of_spaces(line, match.end())
                # Spaces at the end of a line stay; between trees that shared it, they are gone.
                end = match.end() if next_start < len(line) else len(line)
                yield self._found(tree, line[start:end])
                start, most = next_start, LONGEST_TREE
        if start < len(line) or not line:
            self._keep(number, line[start:])

    def end(self) -> None:
        """Refuse a file that ends inside a tree, or a comment."""
        if self.asides.comment:
            message = "the file ends inside the comment that begins here; end it with */ or *~/"
            raise FormatError(message, path=self.path, line=self.asides.comment)
        if count := len(self.builder.labels):
            brackets = "a bracket" if count == 1 else f"{count:,} brackets"
            message = f"the file ends inside the tree that begins here; close {brackets} of it"
            raise FormatError(message, path=self.path, line=self.builder.begun)

    def _found(self, tree: Tree, last_line: str) -> _FoundTree:
        builder, lines = self.builder, (*self.lines, last_line)
        found = _FoundTree(self.path, builder.begun, tree, builder.tokens, lines)
        builder.tokens, self.lines, self.size = [], [], 0
        return found

    def _keep(self, number: int, line: str) -> None:
        self.lines.append(line)
        self.size += len(line) + 1
        if len(self.lines) > blocks.LONGEST_BLOCK:
            message = _too_long(f"{blocks.LONGEST_BLOCK:,} lines")
            raise FormatError(message, path=self.path, line=number)
        if self.size > LONGEST_TREE:
            message = _too_long(f"{LONGEST_TREE:,} characters")
            raise FormatError(message, path=self.path, line=number)

    def _error(self, message: str, number: int, line: str, column: int) -> FormatError:
        text = line if len(line) <= _LONGEST_SHOWN else None
        return FormatError(message, path=self.path, line=number, column=column, text=text)


def _read(source: Source, reader: _TreeBuffer) -> Iterator[_FoundTree]:
    for number, line in read_lines(source):
        yield from reader.read_line(number, line)
    reader.end()


def _too_long(size: str) -> str:
    message = f"more than {size} without the end of a tree that has words"
    return f"{message}; is a bracket not closed?"


def _end_of_spaces(line: str, start: int) -> int:
    match = _SPACES.match(line, start)
    return match.end() if match else start
