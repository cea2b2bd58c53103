"""The symbols of a bracketing, one by one, into trees; see :mod:`weft.corpora.trees.brackets`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from weft.structures.tree import Tree

TRACE = "-NONE-"
"""The tag of what is not heard."""

_LONGEST_SHOWN = 60

DEEPEST_TREE = 10_000
"""Brackets nested more deeply are refused."""

# A tag with its word is one symbol where it stands in one line, as nearly all do: half the time.
SYMBOL = re.compile(r"\([ \t]*([^ \t()]+)[ \t]+([^ \t()]+)[ \t]*\)|[()]|[^ \t()]+")
"""What a line consists of, but for white space."""

BRACKETS = {"LRB": "(", "RRB": ")", "LSB": "[", "RSB": "]", "LCB": "{", "RCB": "}"}
"""Brackets by what they are called in words: left or right; round, square or curly."""

_ESCAPED = re.compile(rf"-({'|'.join(BRACKETS)})-|\\([/*])")


def unescape_word(word: str) -> str:
    r"""Return a word as it is meant.

    >>> unescape_word("-LRB-"), unescape_word(r"1\/2"), unescape_word("-NONE-")
    ('(', '1/2', '-NONE-')
    """
    return _ESCAPED.sub(lambda match: BRACKETS[match[1]] if match[1] else match[2], word)


class Token(NamedTuple):
    """A word with its tag, and where the word stands."""

    tag: str
    word: str
    line: int
    column: int


@dataclass(slots=True)
class Builder:
    """The tree that is being read.

    Attributes:
        tagged: Whether every word must have a tag to itself.
        unescape: Whether words are read as they are meant.
        labels: Those of the open brackets, from the outermost; None where none was read yet.
        children: What stands in each of them so far.
        tokens: The words, but for traces, since the list was last emptied.
        begun: The line of the outermost bracket.
    """

    tagged: bool
    unescape: bool
    labels: list[str | None] = field(default_factory=list)
    children: list[list[Tree | str]] = field(default_factory=list)
    tokens: list[Token] = field(default_factory=list)
    begun: int = 0

    def take(self, match: re.Match[str], number: int) -> Tree | None:
        """Read a symbol, and return the tree that it completes, if any.

        Args:
            match: Of the pattern ``SYMBOL``.
            number: The line's number.

        Raises:
            ValueError: If the symbol may not stand there, saying what was expected.
        """
        tag, word = match.groups()
        if tag:
            self._check_open(number)
            return self._complete(tag, [self._word(tag, word, number, match.start(2) + 1)])
        symbol = match[0]
        if symbol == "(":
            self._check_open(number)
            self.labels.append(None)
            self.children.append([])
        elif symbol == ")":
            return self._close()
        elif not self.labels:
            raise ValueError(_no_tree(symbol, self.tagged))
        elif self.labels[-1] is None:
            self.labels[-1] = symbol
        else:
            self._add_word(self.labels[-1], symbol, number, match.start() + 1)
        return None

    def _check_open(self, number: int) -> None:
        """Refuse an opening bracket that may not stand where it does."""
        if not self.labels:
            self.begun = number
        elif self.labels[-1] is None:
            if len(self.labels) > 1:
                message = "expected a label before this bracket; give one, or close the tree that"
                raise ValueError(f"{message} begins in line {self.begun}")
            self.labels[0] = ""
        elif self.tagged and self.children[-1] and isinstance(self.children[-1][-1], str):
            raise ValueError(_untagged(self.children[-1][-1]))
        elif len(self.labels) == DEEPEST_TREE:
            message = f"brackets are nested more than {DEEPEST_TREE:,} deep"
            raise ValueError(f"{message}; is a tree before not closed?")

    def _close(self) -> Tree | None:
        if not self.labels:
            raise ValueError("this bracket closes nothing; remove it, or open it before")
        label, children = self.labels.pop(), self.children.pop()
        if label is None or (self.tagged and not children):
            after = "'('" if label is None else f"the label {label!r}"
            what = "a label" if label is None else "a word or a tree"
            raise ValueError(f"expected {what} after {after}; give it, or remove the brackets")
        return self._complete(label, children)

    def _complete(self, label: str, children: Sequence[Tree | str]) -> Tree | None:
        tree = Tree(label, tuple(children))
        if self.labels:
            self.children[-1].append(tree)
            return None
        only = children[0] if len(children) == 1 else None
        return only if not label and isinstance(only, Tree) else tree

    def _add_word(self, tag: str, word: str, number: int, column: int) -> None:
        if self.tagged and self.children[-1]:
            raise ValueError(_untagged(word))
        self.children[-1].append(self._word(tag, word, number, column))

    def _word(self, tag: str, word: str, number: int, column: int) -> str:
        word = unescape_word(word) if self.unescape else word
        if tag != TRACE:
            self.tokens.append(Token(tag, word, number, column))
        return word


def _no_tree(symbol: str, tagged: bool) -> str:
    message = f"expected '(' but found {symbol[:_LONGEST_SHOWN]!r}; every tree is in brackets"
    return message if tagged else f"{message}; lines of text are left out by the clean-up 'text'"


def _untagged(word: str) -> str:
    return f"the word {word!r} has no tag of its own; write it in brackets with one, as '(NN dog)'"
