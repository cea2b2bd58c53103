"""``weft grammar parse``, ``count`` and ``prefix``: questions about sentences, a line each."""

from __future__ import annotations

import json as json_module
import math
import sys
from collections.abc import Iterable, Iterator
from decimal import Decimal
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weft.cli import options
from weft.cli.grammar import GrammarFile

if TYPE_CHECKING:
    from weft.commands.grammar.sentences import LineAnswer
    from weft.grammars.prefix import Prefix

Sentences = Annotated[
    Path,
    typer.Argument(
        metavar="SENTENCES",
        help="A sentence per line, words separated by spaces; - (the default) is standard input.",
    ),
]
Longest = Annotated[
    int, typer.Option(min=0, metavar="N", help="Sentences with more words are not tried.")
]


def parse(
    grammar: GrammarFile,
    sentences: Sentences = Path("-"),
    longest: Longest = 200,
    json: options.Json = False,
    verbose: options.Verbose = False,  # noqa: ARG001
) -> None:
    """Print the tree of the largest weight of each sentence, in brackets.

    An empty line is the empty sentence. Where there is no tree the line is empty, with --json null,
    and the reason is on the standard error; if no line has one, the exit code is 1. With --json
    there is an object per line; log_prob is the logarithm of the tree's weight, its probability if
    the grammar is probabilistic.
    """
    from weft.commands.grammar.sentences import parse_json, parse_sentences

    for answer in _told(parse_sentences(grammar, sentences, longest), sentences):
        if json:
            _print_line(parse_json(answer))
        else:
            typer.echo("" if answer.result is None else answer.result.text)


def count(
    grammar: GrammarFile,
    sentences: Sentences = Path("-"),
    longest: Longest = 200,
    json: options.Json = False,
    verbose: options.Verbose = False,  # noqa: ARG001
) -> None:
    """Print how many trees each sentence has: an integer, or inf.

    A sentence with an unknown word has none. Of one that is too long nothing is known, and the line
    is empty. With --json, counts of more than 4,300 digits are text.
    """
    from weft.commands.grammar.sentences import count_sentences

    for answer in _told(count_sentences(grammar, sentences, longest), sentences):
        number = answer.result
        # Python itself writes and reads 4,300 digits at most.
        text = "inf" if number == math.inf else "" if number is None else f"{Decimal(number):f}"
        if json:
            as_text = text == "inf" or len(text) > sys.int_info.default_max_str_digits
            _print_line({"count": text if as_text else number})
        else:
            typer.echo(text)


def prefix(
    grammar: GrammarFile,
    sentences: Sentences = Path("-"),
    longest: Longest = 200,
    top: Annotated[
        int, typer.Option(min=0, metavar="N", help="List at most this many words that may follow.")
    ] = 10,
    json: options.Json = False,
    verbose: options.Verbose = False,  # noqa: ARG001
) -> None:
    """Print how likely a string is to begin with each line, and what may come next.

    A line has the logarithm of the prefix's probability, then the likeliest next words with their
    probabilities, and </s> for the end. With --json all of them, in an object per line.
    """
    from weft.commands.grammar.sentences import prefix_json, prefix_sentences

    for answer in _told(prefix_sentences(grammar, sentences, longest), sentences, may_fail=True):
        if json:
            _print_line(prefix_json(answer))
        else:
            typer.echo(_prefix_text(answer, top))


def _prefix_text(answer: LineAnswer[Prefix], top: int) -> str:
    from weft.ranking import by_value

    found = answer.result
    if found is None:
        return "-inf"
    ranked = by_value(found.next_probs.items(), itemgetter(1), itemgetter(0))[:top]
    listed = (f"{word or '</s>'}:{chance:.6g}" for word, chance in ranked)
    return " ".join([f"{found.log_prob:.9g}", *listed])


def _told(
    answers: Iterable[LineAnswer[Any]], sentences: Path, *, may_fail: bool = False
) -> Iterator[LineAnswer[Any]]:
    """Pass answers on, saying why one is missing; that all are is a failure, unless it may be."""
    asked = failed = 0
    for answer in answers:
        asked += 1
        if answer.problem:
            failed += 1
            typer.echo(f"weft: {answer.problem}", err=True)
        yield answer
    if not asked:
        options.tell_empty(sentences)
    if failed and failed == asked and not may_fail:
        raise typer.Exit(1)


def _print_line(value: dict[str, Any]) -> None:
    typer.echo(json_module.dumps(value, ensure_ascii=False, allow_nan=False))
