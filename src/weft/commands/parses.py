"""Parsing the sentences of a file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from weft.commands.inputs import UNSAID, Layout, finite
from weft.commands.tree_reader import reader_of
from weft.corpora.spelling import ESCAPES, escapes_in, spelt
from weft.errors import LimitError
from weft.files import Source
from weft.grammars.transforms import with_leaves
from weft.models.parser import Parse, Parser, worded
from weft.structures.evidence import Analysis, Example, Label, Sentence
from weft.structures.grammar import Terminal
from weft.structures.tree import Tree, bracketed, leaves

_BATCH = 64  # sentences that are parsed together, so that output comes while input is read
_MOST_NAMED = 3
_UNBROKEN = str.maketrans(dict.fromkeys(" \t", "\N{NO-BREAK SPACE}"))
_LABELS = str.maketrans({"(": "-LRB-", ")": "-RRB-"})


@dataclass(frozen=True, slots=True)
class Parsed:
    """A sentence and its best tree.

    Attributes:
        tokens: The sentence, as it was given.
        parse: The tree; None where there is none.
        problem: Why there is none; empty where there is.
        tags: The tags that were given with the words, if any.
        note: What was not taken as it was given; empty where all was.
    """

    tokens: Sentence
    parse: Parse | None
    problem: str = ""
    tags: Analysis | None = None
    note: str = ""

    @property
    def tree(self) -> Tree | None:
        """The tree with its words; None where there is none."""
        return None if self.parse is None else worded(self.parse.tree, self.tokens)

    def printed(self, root: str) -> Tree:
        """Return the tree as it can be written; where there is none, a flat one under a root."""
        if self.tree is not None:
            return _writable(self.tree)
        columns = self.tokens.columns
        tags = columns[0] if len(columns) > 1 else self.tags or (None,) * len(self.tokens)
        labels = (_label(tag) for tag in tags)
        pairs = zip(labels, columns[-1], strict=True)
        return _writable(Tree(root, tuple(Tree(tag, (word,)) for tag, word in pairs)))

    def brackets(self, root: str) -> str:
        """Return the tree, or a flat one, in brackets on a line."""
        return bracketed(self.printed(root))

    def as_json(self) -> dict[str, Any]:
        """Return everything, ready for JSON; tree and log_prob are null where there is none."""
        tree = self.tree
        return {
            "sentence": self.tokens.source,
            "words": list(self.tokens.columns[-1]),
            "tree": None if tree is None else bracketed(_writable(tree)),
            "score": None if self.parse is None else finite(self.parse.score),
            "log_prob": None if self.parse is None else finite(self.parse.log_prob),
            **({"problem": self.problem} if self.problem else {}),
            **({"note": self.note} if self.note else {}),
        }

    def line(self) -> str:
        """Return a line of JSON."""
        return json.dumps(self.as_json(), ensure_ascii=False, allow_nan=False) + "\n"


def parse_file(
    parser: Parser, source: Source, *, layout: Layout = UNSAID, threads: int | None = None
) -> Iterator[Parsed]:
    """Parse the sentences of a file.

    Words are looked up as the treebank spells them, and returned as they were given. Where words
    are a grammar's terminals, tags that are given with them, but for those of trees, must be those
    of its tree. A sentence that has no tree, or would need too much memory, is told so, and the
    others go on.

    Raises:
        FormatError: If the file cannot be read.
    """
    asker = _Asker(parser, threads)
    reader = reader_of(parser, layout)
    # Of a treebank, trees and their tags are what is to be found.
    tagged = not reader.has_trees(source)
    questions = (asker.question(each, tagged) for each in reader.read(source))
    while some := list(islice(questions, _BATCH)):
        try:
            # One that is too long is not to be looked at twice.
            answers = asker.answers(some) if len(some) > 1 else None
        except LimitError:
            answers = None
        yield from map(asker.alone, some) if answers is None else answers


@dataclass(frozen=True, slots=True)
class _Question:
    """A sentence as it was given, and what the grammar is asked.

    Attributes:
        given: The sentence.
        spelt: The same as the grammar spells it.
        tags: The tags that were given.
        known: Those of them that the grammar has with these words.
        note: What was not taken.
    """

    given: Sentence
    spelt: Sentence
    tags: Analysis | None
    known: Analysis | None
    note: str


class _Asker:
    """A parser, with what sentences are compared with before it is asked."""

    def __init__(self, parser: Parser, threads: int | None) -> None:
        self._parser = parser
        self._threads = threads
        grammar = parser.model.grammar
        self._terminals = frozenset(grammar.terminals)
        noted = parser.notes.get("spelling")
        self._escapes = escapes_in(grammar.terminals) if noted is None else noted.split()
        self._labels = frozenset(grammar.nonterminals)
        self._tags: dict[str, set[str]] = {}
        for rule in grammar.rules():
            if len(rule.body) == 1 and isinstance(rule.body[0], Terminal):
                self._tags.setdefault(rule.body[0].text, set()).add(rule.head)

    def question(self, example: Example, tagged: bool) -> _Question:
        """Spell a sentence, and see which of its tags the grammar has."""
        given = example.tokens
        first, *others = given.columns
        terminals = spelt(first, self._escapes, self._terminals)
        asked = Sentence((terminals, *others), source=given.source)
        # Tags as terminals are labels when they are printed, and as such the grammar's.
        given = asked if others else given
        if not tagged or example.analysis is None:
            return _Question(given, asked, None, None, "")
        tags = tuple(self._spelt_tag(label) for label in example.analysis)
        pairs = zip(self._parser.model.terminals(terminals), tags, strict=True)
        known = tuple(self._known(*pair) for pair in pairs)
        return _Question(given, asked, tags, known, _note(given.words, tags, known))

    def _spelt_tag(self, label: Label) -> Label:
        """A tag as treebanks spell it: -LRB- for the tag of a bracket, a bracket elsewhere."""
        return spelt((label,), ESCAPES, self._labels)[0] if isinstance(label, str) else label

    def _known(self, terminal: str, label: Label) -> Label:
        tags = {label} if isinstance(label, str) else label or frozenset()
        return frozenset(tags & self._tags.get(terminal, set())) or None

    def answers(self, questions: list[_Question]) -> list[Parsed]:
        """Ask about several sentences at once."""
        found = self._parser.parse(
            [each.spelt for each in questions],
            self._threads,
            analyses=[each.known for each in questions],
        )
        return [
            self._answer(question, parse) for question, parse in zip(questions, found, strict=True)
        ]

    def alone(self, question: _Question) -> Parsed:
        """Ask about one sentence, which may be too long."""
        try:
            [answer] = self.answers([question])
        except LimitError as error:
            problem = str(error).removeprefix(f"{question.given.source}: ")
            return Parsed(question.given, None, problem, question.tags, question.note)
        return answer

    def _answer(self, question: _Question, parse: Parse | None) -> Parsed:
        if parse is None:
            problem = self._problem(question)
            return Parsed(question.given, None, problem, question.tags, question.note)
        parse = parse._replace(tree=with_leaves(parse.tree, question.given.words))
        return Parsed(question.given, parse, "", question.tags, question.note)

    def _problem(self, question: _Question) -> str:
        terminals = self._parser.model.terminals(question.spelt.words)
        for place, terminal in enumerate(terminals):
            if terminal not in self._terminals:
                word = question.given.words[place]
                return f"the grammar does not have token {place + 1}, {word!r}"
        if not terminals:
            return "there is no token"
        if any(question.known or ()):
            message = "the grammar has no tree for these tokens with the tags that are given"
            return f"{message}; give words alone, and it chooses the tags"
        return "the grammar has no tree for these tokens"


def _note(words: tuple[str, ...], tags: Analysis, known: Analysis) -> str:
    """Which tags the grammar does not have with their words."""
    left = [
        f"{word}/{_label(tag)} (token {place})"
        for place, (word, tag, kept) in enumerate(zip(words, tags, known, strict=True), 1)
        if tag is not None and kept is None
    ]
    if not left:
        return ""
    named = ", ".join(left[:_MOST_NAMED]) + (", ..." if len(left) > _MOST_NAMED else "")
    return f"the grammar chooses the tags of words that it does not have with those given: {named}"


def _label(tag: Label) -> str:
    """A tag, or what stands for one, as a label in brackets."""
    if tag is None:
        return "X"
    return ("|".join(sorted(tag)) if isinstance(tag, frozenset) else tag).translate(_LABELS)


def _writable(tree: Tree) -> Tree:
    """A tree whose words have no white space that would end them in brackets."""
    words = list(leaves(tree))
    if not any(" " in word or "\t" in word for word in words):
        return tree
    return with_leaves(tree, (word.translate(_UNBROKEN) for word in words))
