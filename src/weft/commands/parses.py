"""Parsing the sentences of a file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from weft.commands.inputs import UNSAID, Layout, finite
from weft.commands.tree_reader import reader_of
from weft.errors import LimitError
from weft.files import Source
from weft.models.parser import Parse, Parser, worded
from weft.structures.evidence import Sentence
from weft.structures.tree import Tree, bracketed

_BATCH = 64  # sentences that are parsed together, so that output comes while input is read


@dataclass(frozen=True, slots=True)
class Parsed:
    """A sentence and its best tree.

    Attributes:
        tokens: The sentence.
        parse: The tree; None where there is none.
        problem: Why there is none; empty where there is.
    """

    tokens: Sentence
    parse: Parse | None
    problem: str = ""

    @property
    def tree(self) -> Tree | None:
        """The tree with its words; None where there is none."""
        return None if self.parse is None else worded(self.parse.tree, self.tokens)

    def printed(self, root: str) -> Tree:
        """Return the tree; where there is none, a flat one under a root."""
        if self.tree is not None:
            return self.tree
        columns = self.tokens.columns
        tags = columns[0] if len(columns) > 1 else ("X",) * len(self.tokens)
        pairs = zip(tags, columns[-1], strict=True)
        return Tree(root, tuple(Tree(tag, (word,)) for tag, word in pairs))

    def brackets(self, root: str) -> str:
        """Return the tree, or a flat one, in brackets on a line."""
        return bracketed(self.printed(root))

    def as_json(self) -> dict[str, Any]:
        """Return everything, ready for JSON; tree and log_prob are null where there is none."""
        tree = self.tree
        return {
            "sentence": self.tokens.source,
            "words": list(self.tokens.columns[-1]),
            "tree": None if tree is None else bracketed(tree),
            "score": None if self.parse is None else finite(self.parse.score),
            "log_prob": None if self.parse is None else finite(self.parse.log_prob),
            **({"problem": self.problem} if self.problem else {}),
        }

    def line(self) -> str:
        """Return a line of JSON."""
        return json.dumps(self.as_json(), ensure_ascii=False, allow_nan=False) + "\n"


def parse_file(
    parser: Parser, source: Source, *, layout: Layout = UNSAID, threads: int | None = None
) -> Iterator[Parsed]:
    """Parse the sentences of a file.

    A sentence that has no tree, or would need too much memory, is told so, and the others go on.

    Raises:
        FormatError: If the file cannot be read.
    """
    known = set(parser.model.grammar.terminals)
    sentences = (example.tokens for example in reader_of(parser, layout).read(source))
    while some := list(islice(sentences, _BATCH)):
        try:
            found = parser.parse(some, threads)
        except LimitError:
            found = []
        if found:
            for tokens, parse in zip(some, found, strict=True):
                yield Parsed(tokens, parse, "" if parse else _problem(parser, tokens, known))
        else:
            yield from (_alone(parser, tokens, known, threads) for tokens in some)


def _alone(parser: Parser, tokens: Sentence, known: set[str], threads: int | None) -> Parsed:
    try:
        [parse] = parser.parse([tokens], threads)
    except LimitError as error:
        return Parsed(tokens, None, str(error))
    return Parsed(tokens, parse, "" if parse else _problem(parser, tokens, known))


def _problem(parser: Parser, tokens: Sentence, known: set[str]) -> str:
    for place, terminal in enumerate(parser.model.terminals(tokens.words)):
        if terminal not in known:
            word = tokens.words[place]
            return f"the grammar does not have token {place + 1}, {word!r}"
    return "the grammar has no tree for these tokens" if len(tokens) else "there is no token"
