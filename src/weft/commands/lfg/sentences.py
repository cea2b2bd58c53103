"""Analyses of sentences by a lexical-functional grammar: listed, counted, ranked and compared.

Sentences are lines of text, which the grammar splits into words. What cannot be found out about one
line is said with the line's number, and the next line is asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from weft.commands.files.inputs import StrPath
from weft.commands.grammar.inputs import require_text
from weft.commands.lfg.suites import Expectation, read_expectations
from weft.commands.unification.pictures import Pictures
from weft.commands.unification.ranking import best_edges
from weft.commands.unification.sentences import Looks, Tell, tell_nobody
from weft.corpora.parses.marked import make_set
from weft.errors import NotDefined, OptionError, WeftError, quote
from weft.features.functional import Functions
from weft.features.functional_forest import pack_forest
from weft.files import name_of
from weft.lfg.analysis import Analysis, CNode
from weft.lfg.forest import LfgForest
from weft.lfg.generate import generate_lfg, generate_random_lfg
from weft.lfg.parser import Analyses, LfgParser, load_lfg
from weft.lfg.pictures import draw_structure, draw_tree
from weft.lfg.tokens import list_left_out
from weft.models.selection.selector import Selector
from weft.report.matrices import linked_text
from weft.reprs import Brief
from weft.structures.avm import draw_avm
from weft.structures.parse_set import ParseSet
from weft.unification import ParseLimits
from weft.unification.fcfg import decoded_lines


@dataclass(frozen=True, slots=True, repr=False)
class LineAnalyses(Brief):
    """What is known of one line.

    Attributes:
        line: Its number, from 1.
        place: The file and the line.
        text: The sentence.
        analyses: Its analyses, perhaps none; None where that is not known.
        problem: What is wrong, naming the file and the line; empty where there are analyses.
        functions: The grammatical functions of the grammar.
    """

    line: int
    place: str
    text: str
    analyses: Analyses | None
    problem: str
    functions: Functions

    @property
    def count(self) -> int:
        """How many analyses are known."""
        return 0 if self.analyses is None else self.analyses.count

    @property
    def choices(self) -> int:
        """How many a selector chooses among: the optimal ones."""
        return self.analyses.optimal if self.analyses else 0

    @property
    def numbers(self) -> str:
        """How many there are, for people; empty where that is not known."""
        return "" if self.analyses is None else self.analyses.numbers

    def as_json(
        self,
        shown: Sequence[Analysis],
        looks: Looks,  # noqa: ARG002 - programs get all of an analysis
        probabilities: Sequence[float | None] | None = None,
    ) -> dict[str, Any]:
        """Return it for programs, with some of the analyses."""
        found = self.analyses
        more = {} if probabilities is None else {"probabilities": list(probabilities)}
        return {
            "line": self.line,
            "text": self.text,
            "words": [] if found is None else list(found.words),
            "optimal": None if found is None else found.optimal,
            "others": None if found is None else found.count - found.optimal,
            "truncated": found is not None and found.truncated,
            "unknown": [] if found is None else list(found.unknown),
            "analyses": [analysis_json(each) for each in shown],
            **more,
        }


def parse_lfg_lines(
    grammar: StrPath,
    sentences: StrPath,
    limits: ParseLimits | None = None,
    encoding: str = "utf-8",
    tell: Tell = tell_nobody,  # noqa: ARG001
) -> Iterator[LineAnalyses]:
    """Find all analyses of each sentence.

    Args:
        grammar: The grammar's file with the section CONFIG.
        sentences: A file with a sentence per line.
        limits: How much a sentence may take.
        encoding: How the characters of the sentences are written; CONFIG says it of the grammar.
        tell: Is told nothing.

    Raises:
        FormatError: If a file cannot be read.
        OptionError: If both are the standard input, or there is no such encoding.
    """
    return parse_lines(load_for(grammar, sentences, encoding), sentences, limits, encoding)


def parse_lines(
    parser: LfgParser, sentences: StrPath, limits: ParseLimits | None, encoding: str
) -> Iterator[LineAnalyses]:
    """Find all analyses of each sentence by a grammar that is loaded."""
    path = name_of(sentences)
    for number, line in decoded_lines(sentences, encoding):
        yield ask(parser, line.strip(), f"{path}:{number}", number, limits)


def load_for(grammar: StrPath, sentences: StrPath, encoding: str) -> LfgParser:
    """Load a grammar for a file of sentences, which must be text."""
    if str(grammar) == str(sentences) == "-":
        raise OptionError("only one of the grammar and the sentences can be the standard input")
    if encoding == "utf-8":
        require_text(sentences, "a file with a sentence per line")
    return load_lfg(grammar)


def ask(
    parser: LfgParser,
    text: str,
    place: str,
    number: int,
    limits: ParseLimits | None,
    root: str | None = None,
) -> LineAnalyses:
    """Find all analyses of one sentence; what is wrong is named with its place."""
    functions = Functions.of(parser.grammar)
    try:
        found = parser.parse(text, root, limits)
    except (WeftError, MemoryError) as error:
        problem = str(error) or "there is not enough memory"
        return LineAnalyses(number, place, text, None, f"{place}: {problem}", functions)
    problem = ""
    if found.unknown:
        problem = f"{place}: {_unknown(parser, found.unknown)}"
    elif not found:
        problem = f"{place}: the grammar has no analysis of this sentence; see 'weft unify why'"
    if found.truncated:
        problem = f"{place}: a limit ended the search; analyses are missing"
    return LineAnalyses(number, place, text, found, problem, functions)


def _unknown(parser: LfgParser, words: Sequence[str]) -> str:
    """Say which words have no entry, and which entries cannot be read."""
    left_out = {word: list_left_out(parser.grammar, word) for word in words}
    missing = [quote(word) for word in words if not left_out[word]]
    said = [f"the lexicon has nothing for {', '.join(missing)}"] if missing else []
    return "; ".join([*said, *(each for some in left_out.values() for each in some)])


def rank_analyses(
    answer: LineAnalyses, count: int, selector: Selector | None = None
) -> list[tuple[Analysis, float | None]]:
    """Return the best analyses with their probabilities among the optimal ones, best first.

    Without a selector they are the first ones, and have no probabilities.
    """
    if not answer.analyses:
        return []
    if selector is None:
        return [(each, None) for each in answer.analyses[:count]]
    if isinstance(answer.analyses, LfgForest) and _takes_packed(selector):
        with suppress(NotDefined):  # no sums over parts: they are listed
            return _rank_packed(answer.analyses, answer.functions, count, selector)
    analyses, _ = make_set(answer.analyses, answer.functions, packed=False)
    [answers] = selector.kbest([ParseSet(str(answer.line), answer.text, analyses)], count)
    return [
        (answer.analyses[each.answer], each.probability)
        for each in answers
        if isinstance(each.answer, int)
    ]


def _takes_packed(selector: Selector) -> bool:
    selection = selector.model.selection
    listing = selection.reference is not None and selection.reference.as_reference().of_trees
    return not listing and all(each.of_node is not None for each in selection.properties)


def _rank_packed(
    forest: LfgForest, functions: Functions, count: int, selector: Selector
) -> list[tuple[Analysis, float | None]]:
    found = pack_forest(forest, functions)
    where = f"the forest of '{' '.join(forest.words)}'"
    return [
        (forest.show(found.derivation(edges)), probability)
        for edges, probability in best_edges(found.packed, where, count, selector)
    ]


def show_lfg_analysis(_: LineAnalyses, analysis: Analysis, looks: Looks) -> str:
    """Return an analysis as text: the tree beside the f-structure, or one of them."""
    if looks.plain:
        return str(analysis.tree)
    structure = draw_structure(analysis)
    shown = draw_avm(structure) if looks.matrix else linked_text(draw_tree(analysis), structure)
    return shown + "\n"


def draw_lfg_analyses(pictures: Pictures, answer: LineAnalyses, some: Sequence[Analysis]) -> None:
    """Draw analyses of a line."""
    for number, each in enumerate(some, 1):
        title = f"{answer.text} ({number} of {answer.count:,})"
        name = f"{answer.line}-{number}.svg"
        pictures.add_linked(title, name, draw_tree(each), draw_structure(each))


def analysis_json(analysis: Analysis) -> dict[str, Any]:
    """Return an analysis for programs: f-structures are numbers of places in ``values``."""
    return {
        "tree": _tree_json(analysis.tree),
        "values": [
            {
                name: each
                for name, each in (
                    ("atom", value.atom),
                    ("arguments", value.arguments),
                    ("features", dict(value.features) or None),
                    ("elements", value.elements),
                )
                if each is not None
            }
            for value in analysis.values
        ],
        "marks": list(analysis.marks),
    }


def _tree_json(node: CNode) -> str | dict[str, Any]:
    if node.value < 0:
        return node.label
    below = [_tree_json(child) for child in node.children]
    return {"category": node.label, "value": node.value, "children": below}


# ------------------------------------------------------------------------------------ testing


@dataclass(frozen=True, slots=True, repr=False)
class LfgDifference(Brief):
    """A sentence of a test suite whose number of analyses is not the expected one."""

    expected: Expectation
    answer: LineAnalyses

    @property
    def message(self) -> str:
        """What differs, for people."""
        wanted, found = self.expected, self.answer.numbers or "?"
        return f"line {wanted.line}: {found}, not {wanted.shown}: {wanted.text}"

    @property
    def trouble(self) -> str:
        """Why that is not known, if it is not."""
        return "" if self.answer.numbers else self.answer.problem


@dataclass(frozen=True, slots=True, repr=False)
class LfgSuiteResult(Brief):
    """How a grammar does on a test suite."""

    sentences: int
    differences: tuple[LfgDifference, ...]

    def as_json(self) -> dict[str, Any]:
        """Return it for programs."""
        return {
            "sentences": self.sentences,
            "as_expected": self.sentences - len(self.differences),
            "differences": [
                {
                    "line": each.expected.line,
                    "text": each.expected.text,
                    "expected": each.expected.shown,
                    "found": each.answer.numbers or None,
                    "problem": each.answer.problem,
                }
                for each in self.differences
            ],
        }


def run_lfg_suite(
    grammar: StrPath,
    suite: StrPath,
    limits: ParseLimits | None = None,
    encoding: str = "utf-8",
    tell: Tell = tell_nobody,  # noqa: ARG001
) -> LfgSuiteResult:
    """Compare numbers of analyses with those of a file, one of ours or of XLE's.

    Raises:
        FormatError: If a file cannot be read, a line has no number, or there are no sentences.
        OptionError: If both are the standard input, or there is no such encoding.
    """
    parser = load_for(grammar, suite, encoding)
    path = name_of(suite)
    given = read_expectations(decoded_lines(suite, encoding), path)
    differences = []
    for each in given:
        root, text = each.start(parser.grammar.rules)
        answer = ask(parser, text, f"{path}:{each.line}", each.line, limits, root)
        if answer.analyses is None or not each.is_met(answer.analyses):
            differences.append(LfgDifference(each, answer))
    return LfgSuiteResult(len(given), tuple(differences))


# --------------------------------------------------------------------------------- generating


def generate_lfg_sentences(
    grammar: StrPath,
    depth: int,
    most: int,
    seed: int | None = None,
    encoding: str = "utf-8",  # noqa: ARG001
    tell: Tell = tell_nobody,  # noqa: ARG001
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield sentences of a grammar, each with the tree of an analysis in brackets.

    Args:
        grammar: The grammar's file with the section CONFIG.
        depth: How many categories may lie above a word.
        most: How many sentences are wanted.
        seed: Each analysis is then drawn anew; None for all sentences in the order of the rules.
        encoding: It is CONFIG that says it.
        tell: Is told nothing.

    Raises:
        FormatError: If the grammar cannot be read.
        OptionError: If no tree is as low as the depth, and analyses are drawn.
    """
    parser = load_lfg(grammar)
    if seed is None:
        for found in islice(generate_lfg(parser, depth), most):
            yield found.words, str(found.best().tree)
        return
    for drawn in islice(generate_random_lfg(parser, depth, np.random.default_rng(seed)), most):
        yield drawn.words, str(drawn.analysis.tree)
