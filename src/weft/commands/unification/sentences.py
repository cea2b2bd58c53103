"""Analyses of sentences by a feature grammar: listed, counted, exported and compared.

Sentences are lines whose words are separated by white space. What cannot be found out about one
line is said with the line's number, and the next line is asked.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from weft.commands.files.inputs import StrPath
from weft.commands.grammar.inputs import require_text
from weft.corpora.parses.sets import parse_set_line
from weft.errors import FormatError, NotDefined, OptionError, WeftError, quote
from weft.files import name_of, write_text
from weft.reprs import Brief, count_things
from weft.structures.parse_set import ParseSet
from weft.unification import (
    FeatureForest,
    FeatureGrammar,
    FeatureParser,
    ParseLimits,
    load,
    pack,
    read_feature_grammar,
    resolve,
    write_matrix,
)
from weft.unification.fcfg import decoded_lines
from weft.unification.generate import generate, generate_random, sentence_of
from weft.unification.limits import each_within, load_within
from weft.unification.trees import FeatureTree, plain_tree

_COUNT = re.compile("[0-9]{1,30}")
Tell = Callable[[str], None]
"""Is told what a person should know."""


def tell_nobody(message: str) -> None:
    """Tell nobody."""


@dataclass(frozen=True, slots=True, repr=False)
class Looks(Brief):
    """How analyses are shown.

    Attributes:
        plain: Categories without features.
        resolved: Every structure with all that the whole tree says of it.
        matrix: Only the structure of the whole.
    """

    plain: bool = False
    resolved: bool = False
    matrix: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class LineForest(Brief):
    """What is known of one line.

    Attributes:
        line: Its number, from 1.
        words: Its words.
        forest: Its analyses, perhaps none; None where that is not known.
        problem: What is wrong, naming the file and the line; empty where there are analyses.
    """

    line: int
    words: tuple[str, ...]
    forest: FeatureForest | None
    problem: str

    @property
    def count(self) -> int:
        """How many analyses are known."""
        return 0 if self.forest is None else self.forest.count

    @property
    def choices(self) -> int:
        """How many a selector chooses among: all."""
        return self.count

    @property
    def numbers(self) -> str:
        """How many there are, for people; empty where that is not known."""
        return "" if self.forest is None else str(self.forest.count)

    def as_json(
        self,
        trees: Sequence[FeatureTree],
        looks: Looks,
        probabilities: Sequence[float | None] | None = None,
    ) -> dict[str, Any]:
        """Return it for programs; with the probabilities of trees, where a model gives them."""
        found = self.forest
        return {
            "line": self.line,
            "words": list(self.words),
            "count": None if found is None else found.count,
            "truncated": found is not None and found.truncated,
            "unknown": [] if found is None else list(found.unknown),
            "trees": [show_tree(self, tree, looks) for tree in trees],
            **({} if probabilities is None else {"probabilities": list(probabilities)}),
        }


def parse_lines(
    grammar: StrPath,
    sentences: StrPath,
    limits: ParseLimits | None = None,
    encoding: str = "utf-8",
    tell: Tell = tell_nobody,
) -> Iterator[LineForest]:
    """Find all analyses of each sentence.

    Args:
        grammar: The grammar, in a file ``.fcfg``, ``.patr`` or ``.grm``.
        sentences: A file with a sentence per line.
        limits: How much a sentence may take.
        encoding: How the characters of both files are written.
        tell: Is told if something of the grammar is not obeyed.

    Raises:
        FormatError: If a file cannot be read.
        OptionError: If both are the standard input, or there is no such encoding.
    """
    parser = _load(grammar, sentences, encoding, tell)
    path = name_of(sentences)
    for number, line in decoded_lines(sentences, encoding):
        yield _ask(parser, tuple(line.split()), f"{path}:{number}", number, limits)


def tell_left_out(grammar: FeatureGrammar, tell: Tell) -> None:
    """Say how much of a grammar is not obeyed, if anything is not."""
    if grammar.left_out:
        count = count_things(len(grammar.left_out), "line")
        tell(f"{count} of the grammar left out; see 'weft unify check'")


def _load(grammar: StrPath, sentences: StrPath, encoding: str, tell: Tell) -> FeatureParser:
    if str(grammar) == str(sentences) == "-":
        raise OptionError("only one of the grammar and the sentences can be the standard input")
    if encoding == "utf-8":
        require_text(sentences, "a file with a sentence per line")
        require_text(grammar, "a feature grammar: rules such as S -> NP[NUM=?n] VP[NUM=?n]")
    parser = load(grammar, encoding=encoding)
    tell_left_out(parser.grammar, tell)
    return parser


def _ask(
    parser: FeatureParser,
    words: tuple[str, ...],
    place: str,
    number: int,
    limits: ParseLimits | None,
) -> LineForest:
    try:
        forest = parser.parse(words, limits)
    except (WeftError, MemoryError) as error:
        problem = str(error) or "there is not enough memory"
        return LineForest(number, words, None, f"{place}: {problem}")
    problem = ""
    if forest.unknown:
        problem = f"{place}: no rule has the words {', '.join(map(quote, forest.unknown))}"
        composed = (unicodedata.normalize("NFC", word) for word in forest.unknown)
        if any(word in parser.compiled.words for word in composed):
            problem += "; letters and accents are apart there: write them as one character (NFC)"
    elif not forest:
        problem = f"{place}: the grammar has no analysis of this sentence"
    if forest.truncated:
        problem = f"{place}: a limit ended the search; analyses are missing"
    return LineForest(number, words, forest, problem)


def show_tree(answer: LineForest, tree: FeatureTree, looks: Looks) -> str:
    """Return a tree of a line's forest on one line, or the matrix of the whole."""
    if looks.matrix:
        return write_matrix(tree.label)
    shown = resolved_tree(answer.forest, tree) if looks.resolved and answer.forest else tree
    return _brackets(shown) if looks.plain else str(shown)


def resolved_tree(forest: FeatureForest, tree: FeatureTree) -> FeatureTree:
    """Return a tree of a forest, every structure with all that the whole tree says of it."""
    return resolve(forest.compiled.grammar, tree)


def _brackets(tree: FeatureTree) -> str:
    return repr(plain_tree(tree))[6:-2]


@dataclass(frozen=True, slots=True, repr=False)
class Exported(Brief):
    """What was written.

    Attributes:
        sentences: How many sentences there were.
        written: How many of them have analyses.
        analyses: How many analyses these have together.
        problems: What is wrong with the others.
    """

    sentences: int
    written: int
    analyses: int
    problems: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """Return it for programs."""
        return {"sentences": self.sentences, "written": self.written, "analyses": self.analyses}


def export_parse_sets(
    grammar: StrPath,
    sentences: StrPath,
    output: StrPath,
    limits: ParseLimits | None = None,
    encoding: str = "utf-8",
    tell: Tell = tell_nobody,
    *,
    marks: StrPath | None = None,  # noqa: ARG001 - those of lexical-functional grammars only
    listed: bool = False,  # noqa: ARG001
) -> Exported:
    """Write the packed analyses of each sentence as a parse set, a line of JSON each.

    Which analysis is right nobody knows yet: ``right`` is null.

    Raises:
        FormatError: If a file cannot be read or written.
        OptionError: If both are the standard input, or there is no such encoding.
    """
    written = analyses = asked = 0
    problems = []
    with write_text(output) as stream:
        answers = parse_lines(grammar, sentences, limits, encoding, tell)
        for answer in each_within((limits or ParseLimits()).seconds, answers):
            asked += 1
            if answer.problem:
                problems.append(answer.problem)
            if not answer.forest:
                continue
            text = " ".join(answer.words)
            found = ParseSet(str(answer.line), text, pack(answer.forest))
            stream.write(parse_set_line(found) + "\n")
            written += 1
            analyses += answer.forest.count
    return Exported(asked, written, analyses, tuple(problems))


@dataclass(frozen=True, slots=True, repr=False)
class Difference(Brief):
    """A sentence of a test suite whose number of analyses is not the expected one."""

    line: int
    words: tuple[str, ...]
    expected: int
    found: int | None
    problem: str

    @property
    def message(self) -> str:
        """What differs, for people."""
        found = "?" if self.found is None else f"{self.found:,}"
        return f"line {self.line}: {found}, not {self.expected:,}: {' '.join(self.words)}"

    @property
    def trouble(self) -> str:
        """Why that is not known, if it is not."""
        return self.problem if self.found is None else ""


@dataclass(frozen=True, slots=True, repr=False)
class SuiteResult(Brief):
    """How a grammar does on a test suite."""

    sentences: int
    differences: tuple[Difference, ...]

    def as_json(self) -> dict[str, Any]:
        """Return it for programs."""
        return {
            "sentences": self.sentences,
            "as_expected": self.sentences - len(self.differences),
            "differences": [
                {
                    "line": each.line,
                    "words": list(each.words),
                    "expected": each.expected,
                    "found": each.found,
                    "problem": each.problem,
                }
                for each in self.differences
            ],
        }


def run_suite(
    grammar: StrPath,
    suite: StrPath,
    limits: ParseLimits | None = None,
    encoding: str = "utf-8",
    tell: Tell = tell_nobody,
) -> SuiteResult:
    """Compare numbers of analyses with those of a file: lines such as ``2: the dog barks``.

    Lines that begin with ``#``, and empty ones, are left out.

    Raises:
        FormatError: If a file cannot be read, a line has no number, or there are no sentences.
        OptionError: If both are the standard input, or there is no such encoding.
    """
    with load_within((limits or ParseLimits()).seconds):
        parser = _load(grammar, suite, encoding, tell)
    path, asked = name_of(suite), 0
    differences = []
    for number, line in decoded_lines(suite, encoding):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        expected, words = _expectation(line, number, path)
        asked += 1
        answer = _ask(parser, words, f"{path}:{number}", number, limits)
        found = None if answer.forest is None else answer.forest.count
        if found != expected:
            differences.append(Difference(number, words, expected, found, answer.problem))
    if not asked:
        message = "there is no sentence here; expected lines such as '2: the dog barks'"
        raise FormatError(message, path=path)
    return SuiteResult(asked, tuple(differences))


def _expectation(line: str, number: int, path: str) -> tuple[int, tuple[str, ...]]:
    count, colon, text = line.partition(":")
    if not colon or not _COUNT.fullmatch(count.strip()):
        message = "expected a number of analyses and a sentence, such as '2: the dog barks'"
        raise FormatError(message, path=path, line=number, column=1, text=line)
    return int(count), tuple(text.split())


def generate_sentences(
    grammar: StrPath,
    depth: int,
    most: int,
    seed: int | None = None,
    encoding: str = "utf-8",
    tell: Tell = tell_nobody,
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield sentences of a grammar with their trees in brackets.

    Args:
        grammar: The grammar, in a file ``.fcfg``, ``.patr`` or ``.grm``.
        depth: How many categories may lie above a word.
        most: How many sentences are wanted.
        seed: Each sentence is then drawn anew; None for all of them in the order of the rules.
        encoding: How the grammar's characters are written.
        tell: Is told if something of the grammar is not obeyed.

    Raises:
        FormatError: If the grammar cannot be read.
        OptionError: If there is no such encoding.
        NotDefined: If the grammar is open.
    """
    rules = read_feature_grammar(grammar, encoding=encoding)
    tell_left_out(rules, tell)
    if rules.is_open:
        message = "sentences are generated only where rules name all categories; X may be of any"
        raise NotDefined(f"{name_of(grammar)}: {message}")
    if seed is None:
        trees = generate(rules, depth)
    else:
        trees = generate_random(rules, depth, np.random.default_rng(seed))
    return ((sentence_of(tree), str(tree)) for tree in islice(trees, most))
