"""``weft neighbours``."""

from __future__ import annotations

import itertools
import json as json_module
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli import options
from weft.errors import OptionError

if TYPE_CHECKING:
    from weft.commands import Neighbours

EXAMPLES = (
    'weft neighbours trans1 "natural language is a delicate thing"',
    'weft neighbours del1subseq "natural language is a delicate thing" --svg > picture.svg',
    'weft neighbours length "time flies" --vocabulary words.txt --count',
    'weft neighbours --transducer own.att "time flies"',
    'weft neighbours trans1 "time flies" --att | fstcompile --isymbols=s --osymbols=s',
    "weft neighbours delortrans1 --count < sentences.txt",
)


def _names() -> list[str]:
    from weft.commands.neighbours import NAMES

    return list(NAMES)


def neighbours(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            autocompletion=_names,
            help="del1word, trans1, delortrans1, del1subseq or length; none with --transducer.",
        ),
    ] = None,
    sentence: Annotated[
        str | None,
        typer.Argument(
            metavar="SENTENCE", help="By default the lines of the standard input, one by one."
        ),
    ] = None,
    transducer: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A neighbourhood of your own, in the AT&T format."),
    ] = None,
    vocabulary: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The words of length, separated by white space; by default the sentence's own.",
        ),
    ] = None,
    limit: Annotated[
        int, typer.Option(min=1, metavar="N", help="List at most this many strings per sentence.")
    ] = 10_000,
    count: Annotated[
        bool, typer.Option("--count", help="Print how many strings there are.")
    ] = False,
    dot: Annotated[bool, typer.Option("--dot", help="Print the lattice for Graphviz.")] = False,
    att: Annotated[
        bool, typer.Option("--att", help="Print the lattice in the AT&T format, for OpenFst.")
    ] = False,
    svg: Annotated[bool, typer.Option("--svg", help="Print a picture of the lattice.")] = False,
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", metavar="FILE", help="Written whole or not at all, gzipped if *.gz."
        ),
    ] = Path("-"),
    json: options.Json = False,
    force: options.Force = False,
    verbose: options.Verbose = False,  # noqa: ARG001
) -> None:
    """List the neighbours of sentences, or draw their lattice.

    Neighbours are what small changes can make of a sentence: one word deleted (del1word), two
    neighbours transposed (trans1), either (delortrans1), one span deleted (del1subseq), or any
    words in their place (length). Lists of several sentences are separated by a blank line.
    """
    from weft import commands
    from weft.files import write_text

    if json and (dot or att or svg):
        raise OptionError("--json lists strings or counts them; leave --dot, --att and --svg out")
    if count + dot + att + svg > 1:
        raise OptionError("--count, --dot, --att and --svg exclude each other; choose one")
    if transducer is not None and sentence is None:
        name, sentence = None, name
    read = [transducer, vocabulary, Path("-") if sentence is None else None]
    commands.check_output(output, read, force=force)
    neighbourhood = commands.find_neighbourhood(name, vocabulary=vocabulary, transducer=transducer)
    found = commands.neighbours_of(neighbourhood, _given(sentence))
    with write_text(output) as stream:
        if dot or att or svg:
            one = _only(found)
            stream.write(one.dot() if dot else one.att() if att else one.svg())
        elif json:
            stream.writelines(f"{_json_line(each, 0 if count else limit)}\n" for each in found)
        elif count:
            stream.writelines(f"{each.count()}\n" for each in found)
        else:
            stream.writelines(_listed(found, limit))


def _given(sentence: str | None) -> str | list[list[str]]:
    if sentence is None:
        if sys.stdin.isatty():
            typer.echo("weft: reading from the terminal; ctrl-D ends the text", err=True)
        return "-"
    words = sentence.split()
    if not words:
        raise OptionError("the sentence has no words; give one or more, separated by spaces")
    return [words]


def _only(found: Iterator[Neighbours]) -> Neighbours:
    some = list(itertools.islice(found, 2))
    if len(some) != 1:
        number = "none" if not some else "more"
        raise OptionError(f"a lattice is of one sentence, but there are {number}; give one")
    return some[0]


_EXACT = 2**53  # a number of JSON is often read as a float, which is exact up to here


def _json_line(each: Neighbours, limit: int) -> str:
    """A sentence with its neighbours; their number is text where it is too large for programs."""
    number = each.strings.count()
    count = number if number <= _EXACT else each.count()
    strings = [line.split(" ") for line in each.lines(limit)] if limit else None
    found = {"words": list(each.words), "count": count, "strings": strings}
    return json_module.dumps(found, ensure_ascii=False)


def _listed(found: Iterator[Neighbours], limit: int) -> Iterator[str]:
    for number, each in enumerate(found):
        if number:
            yield "\n"
        for line in each.lines(limit):
            yield f"{line}\n"
        if missing := each.missing(limit):
            typer.echo(f"weft: {missing}; --limit lists more", err=True)
