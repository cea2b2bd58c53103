"""Questions about sentences: their best tree, how many trees they have, what may follow them.

Sentences are lines whose words are separated by white space; an empty line is the empty sentence.
What cannot be answered of one line is said with the line's number, and the next line is answered.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from weft.commands.files.inputs import StrPath
from weft.commands.grammar.inputs import load_grammar, require_text
from weft.commands.grammar.questions import format_tree
from weft.derivations.chart.chart import Chart
from weft.derivations.chart.counts import counts
from weft.derivations.chart.grammar import chart_grammar
from weft.errors import (
    DivergenceError,
    EvidenceError,
    FormatError,
    LimitError,
    OptionError,
    quote,
)
from weft.files import name_of, read_lines
from weft.grammars.prefix import END, Prefix, prefix_parser, read_prefix
from weft.grammars.trim import merge_cycles, trim_grammar
from weft.reprs import Brief
from weft.structures.evidence import Evidence, sentence
from weft.structures.grammar import Grammar
from weft.structures.tree import Tree

LONGEST = 200
"""Longer sentences have to be asked for: time grows with the cube of the length."""

ResultT = TypeVar("ResultT")


@dataclass(frozen=True, slots=True, repr=False)
class LineAnswer(Brief, Generic[ResultT]):
    """What is known of one line.

    Attributes:
        line: Its number, from 1.
        words: Its words.
        result: The answer; None where there is none.
        problem: Why there is none, naming the file and the line; empty where there is one.
    """

    line: int
    words: tuple[str, ...]
    result: ResultT | None
    problem: str


@dataclass(frozen=True, slots=True, repr=False)
class BestTree(Brief):
    """A best tree, the same in brackets, and its log-weight."""

    tree: Tree
    text: str
    log_weight: float


def parse_sentences(
    grammar: StrPath, sentences: StrPath, longest: int = LONGEST
) -> Iterator[LineAnswer[BestTree]]:
    """Find the best tree of each sentence.

    Args:
        grammar: The grammar.
        sentences: A file with a sentence per line.
        longest: How many words a sentence may have.

    Yields:
        An answer per line, without a result where there is no tree.

    Raises:
        FormatError: If a file cannot be read.
        OptionError: If both are the standard input.
    """
    rules = _load(grammar, sentences)
    known, prepared = set(rules.terminals), chart_grammar(rules)

    def best(words: tuple[str, ...]) -> BestTree:
        _require_known(words, known)
        chart = Chart(prepared, [Evidence(sentence(words))], threads=1)
        [score], [tree] = chart.best(rules.weights)
        if tree is None:
            raise EvidenceError("the grammar has no tree for this sentence")
        return BestTree(tree, format_tree(tree), float(score))

    return _answers(sentences, longest, best)


def count_sentences(
    grammar: StrPath, sentences: StrPath, longest: int = LONGEST
) -> Iterator[LineAnswer[int | float]]:
    """Count the trees of each sentence; ``math.inf`` where there are infinitely many.

    Args:
        grammar: The grammar.
        sentences: A file with a sentence per line.
        longest: How many words a sentence may have.

    Raises:
        FormatError: If a file cannot be read.
        OptionError: If both are the standard input.
    """
    # A chart does not look at weights, and rules of weight 0 have no trees.
    prepared = chart_grammar(merge_cycles(trim_grammar(_load(grammar, sentences))))

    def count(words: tuple[str, ...]) -> int | float:
        return counts(Chart(prepared, [Evidence(sentence(words))], threads=1))[0]

    return _answers(sentences, longest, count)


def prefix_sentences(
    grammar: StrPath, sentences: StrPath, longest: int = LONGEST
) -> Iterator[LineAnswer[Prefix]]:
    """Find what may follow each prefix, and its probability.

    Args:
        grammar: The grammar.
        sentences: A file with a prefix a line.
        longest: How many words a prefix may have.

    Raises:
        FormatError: If a file cannot be read.
        OptionError: If both are the standard input.
        DivergenceError: If the sum over all trees is infinite.
        EvidenceError: If the grammar has no tree.
    """
    parser = prefix_parser(_load(grammar, sentences))
    return _answers(sentences, longest, lambda words: read_prefix(parser, words))


def parse_json(answer: LineAnswer[BestTree]) -> dict[str, Any]:
    """Return a parse for programs; null where there is none."""
    parse = answer.result
    return {
        "tree": None if parse is None else parse.text,
        "log_prob": None if parse is None else parse.log_weight,
    }


def prefix_json(answer: LineAnswer[Prefix]) -> dict[str, Any]:
    """Return what is known of a prefix for programs; the end is apart from the words."""
    prefix = answer.result
    if prefix is None:
        return {"log_prob": None, "log_sentence_prob": None, "next": {}, "end": 0.0}
    chances = dict(prefix.next_probs)
    ending = chances.pop(END, 0.0)
    whole = prefix.log_sentence_prob
    return {
        "log_prob": prefix.log_prob,
        "log_sentence_prob": whole if math.isfinite(whole) else None,
        "next": chances,
        "end": ending,
    }


def _load(grammar: StrPath, sentences: StrPath) -> Grammar:
    if str(grammar) == str(sentences) == "-":
        raise OptionError("only one of the grammar and the sentences can be the standard input")
    require_text(sentences, "a file with a sentence per line")
    rules = load_grammar(grammar)
    if rules.start not in rules.heads:
        start = rules.nonterminals[rules.start]
        message = f"the start symbol {quote(start)} has no rule, so that no sentence has a tree"
        message += "; give it one, or name another start symbol"
        raise FormatError(message, path=name_of(grammar))
    return rules


def _answers(
    sentences: StrPath,
    longest: int,
    question: Callable[[tuple[str, ...]], ResultT],
) -> Iterator[LineAnswer[ResultT]]:
    path = name_of(sentences)
    for number, text in read_lines(sentences):
        words = tuple(text.split())
        result, problem = None, ""
        try:
            if len(words) > longest:
                raise LimitError(f"{len(words)} words are more than {longest}; see --longest")
            result = question(words)
        except (DivergenceError, EvidenceError, FormatError, LimitError, MemoryError) as error:
            problem = f"{path}:{number}: {str(error) or 'there is not enough memory'}"
        yield LineAnswer(number, words, result, problem)


def _require_known(words: Sequence[str], known: set[str]) -> None:
    for place, word in enumerate(words, 1):
        if word not in known:
            raise EvidenceError(f"word {place}, {word!r}, is not in the grammar")
