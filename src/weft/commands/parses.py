"""Parsing the sentences of a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, isclose
from typing import Any

from weft.commands.asking import PLAIN, SHOWN_PROBABILITY, Ask, Reply, batches, replies
from weft.commands.files.inputs import UNSAID, FileLayout, StrPath, finite
from weft.commands.files.opening import open_parser
from weft.commands.files.trees import reader_of
from weft.commands.prediction import UNBROKEN
from weft.corpora.trees.spelling import ESCAPES, escapes_in, spelt
from weft.errors import LimitError
from weft.files import Source
from weft.grammars.transforms import with_leaves
from weft.models.answers import Answer
from weft.models.tree_parser import Alphabet, Parse, TreeParser, put_words
from weft.ranking import by_value
from weft.reprs import Brief
from weft.structures.constituents import Span
from weft.structures.evidence import Analysis, Evidence, Example, Label, Sentence
from weft.structures.tree import Tree, leaves, write_brackets

BATCH = 64
"""How many sentences are parsed together."""

_MOST_TREES = 4096  # of these sentences together
_MOST_NAMED = 3
_LABELS = str.maketrans({"(": "-LRB-", ")": "-RRB-"})


Tags = Callable[[Any, Sequence[Sentence]], tuple[Any, list[Sentence]]]
"""From a parser and sentences of words to a parser of these, and what it reads; see
:func:`~weft.models.stack.tagged.read_alternatives`."""


@dataclass(frozen=True, slots=True, repr=False)
class Parsed(Brief):
    """A sentence and its trees.

    Attributes:
        tokens: The sentence, as it was given.
        reply: What was asked for; without answers where there is no tree.
        problem: Why there is none; empty where there is.
        tags: The tags that were given with the words, if any.
        note: What was not taken as it was given; empty where all was.
    """

    tokens: Sentence
    reply: Reply[Tree]
    problem: str = ""
    tags: Analysis | None = None
    note: str = ""

    @property
    def parse(self) -> Parse | None:
        """The first tree; None where there is none."""
        for each in self.reply.answers:
            return Parse(each.answer, each.score, each.log_prob)
        return None

    @property
    def tree(self) -> Tree | None:
        """The first tree with its words; None where there is none."""
        return self.trees[0] if self.reply.answers else None

    @property
    def trees(self) -> list[Tree]:
        """All trees, with their words."""
        return [put_words(each.answer, self.tokens) for each in self.reply.answers]

    def printed(self, root: str) -> list[Tree]:
        """Return the trees as they can be written; where there is none, a flat one under a root."""
        if self.reply.answers:
            return [_writable(tree) for tree in self.trees]
        columns = self.tokens.columns
        tags = columns[0] if len(columns) > 1 else self.tags or (None,) * len(self.tokens)
        labels = (_label(tag) for tag in tags)
        pairs = zip(labels, columns[-1], strict=True)
        return [_writable(Tree(root, tuple(Tree(tag, (word,)) for tag, word in pairs)))]

    def _writable(self, tree: Tree) -> Tree:
        return _writable(put_words(tree, self.tokens))

    def brackets(self, root: str) -> str:
        """Return the trees, or a flat one, in brackets, a line each."""
        return "\n".join(map(write_brackets, self.printed(root)))

    def as_json(self) -> dict[str, Any]:
        """Return everything, ready for JSON; there are no answers where there is no tree."""
        parse = self.parse
        first = {
            "tree": None if parse is None else write_brackets(self._writable(parse.tree)),
            "score": None if parse is None else finite(parse.score),
            "log_prob": None if parse is None else finite(parse.log_prob),
        }
        words = list(self.tokens.columns[-1])
        return {
            "sentence": self.tokens.source,
            "tokens": words,
            **({} if self.reply.several else {"words": words, **first}),
            **self.reply.as_json(lambda tree: write_brackets(self._writable(tree)), _spans_json),
            **({"problem": self.problem} if self.problem else {}),
            **({"note": self.note} if self.note else {}),
        }


def parse_file(
    parser: TreeParser | StrPath,
    source: Source,
    ask: Ask = PLAIN,
    *,
    layout: FileLayout = UNSAID,
    threads: int | None = None,
    batch: int = BATCH,
    tags: Tags | None = None,
) -> Iterator[Parsed]:
    """Parse the sentences of a file.

    Words are looked up as the treebank spells them, and returned as they were given. Where words
    are a grammar's terminals, tags that are given with them, but for those of trees, must be those
    of its tree. A sentence that has no tree, or would need too much memory, is told so, and the
    others go on.

    Args:
        parser: The parser, or its file.
        source: The sentences.
        ask: What is asked: the best tree, several, samples, probabilities.
        layout: What is said about the format.
        threads: How many threads to use, all by default; no result depends on it.
        batch: How many sentences are parsed together.
        tags: Where the parser reads tags and the file has words, what tags they may have.

    Raises:
        FormatError: If the file cannot be read; what came before is yielded first.
        OptionError: If the parser does not read these tags, or the layout is that of sentences
            and the file has trees.
    """
    parser = open_parser(parser)
    asker = _Asker(parser, ask, threads, tags)
    reader = reader_of(parser, layout)
    reader.check_options(source)
    # Of a treebank, trees and their tags are what is to be found.
    tagged = not reader.has_trees(source)
    questions = (asker.question(each, tagged) for each in reader.stream(source))
    for some in batches(questions, min(batch, _MOST_TREES // ask.count)):
        try:
            # One that is too long is not to be looked at twice.
            answers = asker.answers(some) if len(some) > 1 else None
        except LimitError:
            answers = None
        yield from map(asker.alone, some) if answers is None else answers


def read_questions(
    parser: TreeParser, source: Source, layout: FileLayout = UNSAID
) -> Iterator[tuple[Evidence, Example]]:
    """Yield what a parser is asked about each sentence of a file, and the sentence as it is there.

    Of a treebank, the example has its tree.
    """
    asker = _Asker(parser, PLAIN, 1)
    reader = reader_of(parser, layout)
    reader.check_options(source)
    tagged = not reader.has_trees(source)
    for example in reader.stream(source):
        question = asker.question(example, tagged)
        yield Evidence(question.spelt, question.known), replace(example, tokens=question.given)


def written_tree(tokens: Sentence, tree: Tree) -> str:
    """Return a tree in brackets, with the words of a sentence as they were given."""
    return write_brackets(_writable(put_words(with_leaves(tree, tokens.words), tokens)))


def _spans_json(expected: Mapping[Span, float]) -> list[dict[str, Any]]:
    """Labels over spans with their probabilities: larger spans first, then likelier labels."""
    likely = [pair for pair in expected.items() if pair[1] >= SHOWN_PROBABILITY]
    likely = by_value(likely, lambda pair: pair[1], lambda pair: pair[0].label or "")
    likely.sort(key=lambda pair: (pair[0].start, -pair[0].end))
    # A label that stands twice over a span is expected more than once; all else is rounding.
    return [
        {**span._asdict(), "probability": 1.0 if isclose(prob, 1.0) else prob}
        for span, prob in likely
    ]


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

    def __init__(
        self, parser: TreeParser, ask: Ask, threads: int | None, tags: Tags | None = None
    ) -> None:
        self._parser = parser
        self._given = tags
        self._ask = ask
        self._rng = ask.rng
        self._threads = threads
        alphabet: Alphabet = parser.model.alphabet
        self._terminals = alphabet.terminals
        noted = parser.notes.get("spelling")
        self._escapes = escapes_in(alphabet.terminals) if noted is None else noted.split()
        self._labels, self._tags = alphabet.labels, alphabet.tags

    def question(self, example: Example, tagged: bool) -> _Question:
        """Spell a sentence, and see which of its tags the grammar has."""
        given = example.tokens
        first, *others = given.columns
        if self._given is not None:  # of a treebank, the words are after its tags
            words = Sentence(given.columns[-1:], source=given.source)
            return _Question(words, words, None, None, "")
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
        return frozenset(tags & self._tags.get(terminal, frozenset())) or None

    def answers(self, questions: list[_Question]) -> list[Parsed]:
        """Ask about several sentences at once."""
        parser, asked = self._parser, [Evidence(each.spelt, each.known) for each in questions]
        if self._given is not None:
            parser, sentences = self._given(parser, [each.spelt for each in questions])
            asked = list(map(Evidence, sentences))
        found = replies(parser, asked, self._ask, self._rng, self._threads)
        several = zip(questions, found, asked, strict=True)
        return [self._answer(question, reply, parser, each) for question, reply, each in several]

    def alone(self, question: _Question) -> Parsed:
        """Ask about one sentence, which may be too long."""
        try:
            [answer] = self.answers([question])
        except LimitError as error:
            problem = str(error).removeprefix(f"{question.given.source}: ")
            reply: Reply[Tree] = Reply(several=self._ask.several)
            return Parsed(question.given, reply, problem, question.tags, question.note)
        return answer

    def _answer(
        self, question: _Question, reply: Reply[Tree], parser: TreeParser, asked: Evidence
    ) -> Parsed:
        words = question.given.words
        note = question.note
        if not reply.answers and len(words):
            closest = parser.closest(asked, self._threads)
            if closest is not None:
                reply = replace(reply, answers=(Answer(-inf, closest, -inf),), ranks=(None,))
                note = "; ".join(filter(None, (note, self._parser.closest_is)))
        given = [each._replace(answer=with_leaves(each.answer, words)) for each in reply.answers]
        problem = "" if given else self._problem(question)
        reply = replace(reply, answers=tuple(given))
        return Parsed(question.given, reply, problem, question.tags, note)

    def _problem(self, question: _Question) -> str:
        terminals = self._parser.model.terminals(question.spelt.words)
        if self._given is not None and terminals:
            return "the parser has no tree for these words with any of their tags"
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
    return with_leaves(tree, (word.translate(UNBROKEN) for word in words))
