"""Analyses by a lexical-functional grammar as parse sets, packed or listed."""

from __future__ import annotations

from collections.abc import Iterator

from weft.commands.files.inputs import StrPath
from weft.commands.lfg.sentences import LineAnalyses, ask, load_for, parse_lines
from weft.commands.unification.sentences import Exported, Tell, tell_nobody
from weft.corpora.parses.marked import make_set
from weft.corpora.parses.sets import parse_set_line
from weft.errors import WeftError
from weft.files import write_text
from weft.lfg.marks import Mark, read_marks
from weft.lfg.parser import LfgParser
from weft.structures.parse_set import ParseSet
from weft.unification.limits import ParseLimits, Spent, each_within


def export_lfg_parse_sets(
    grammar: StrPath,
    sentences: StrPath,
    output: StrPath,
    limits: ParseLimits | None = None,
    encoding: str = "utf-8",
    tell: Tell = tell_nobody,  # noqa: ARG001
    *,
    marks: StrPath | None = None,
    listed: bool = False,
) -> Exported:
    """Write the optimal analyses of each sentence as a parse set, a line of JSON each.

    They are packed, but for those that only the plain solver finds.

    Args:
        grammar: The grammar's file with the section CONFIG.
        sentences: A file with a sentence per line.
        output: What is written.
        limits: How much a sentence may take.
        encoding: How the characters of the sentences are written; CONFIG says it of the grammar.
        tell: Is told nothing.
        marks: Marked sentences, which are taken instead: the meant analysis is the right one.
        listed: List analyses with their trees instead.

    Raises:
        FormatError: If a file cannot be read or written.
        OptionError: If both are the standard input, or there is no such encoding.
    """
    written = analyses = asked = 0
    problems = []
    parser = load_for(grammar, sentences if marks is None else marks, encoding)
    with write_text(output) as stream:
        answers = _asked(parser, sentences, marks, limits, encoding)
        for answer, mark in each_within((limits or ParseLimits()).seconds, answers):
            asked += 1
            made, problem = None, ""
            if answer.analyses:
                made, problem = _make_set(answer, mark, packed=not listed)
            problems += [each for each in (answer.problem, problem) if each]
            if made is not None and answer.analyses:
                stream.write(parse_set_line(made) + "\n")
                written += 1
                analyses += answer.analyses.optimal
    return Exported(asked, written, analyses, tuple(problems))


def _asked(
    parser: LfgParser,
    sentences: StrPath,
    marks: StrPath | None,
    limits: ParseLimits | None,
    encoding: str,
) -> Iterator[tuple[LineAnalyses, Mark | None]]:
    if marks is None:
        for answer in parse_lines(parser, sentences, limits, encoding):
            yield answer, None
        return
    for number, mark in enumerate(read_marks(marks), 1):
        yield ask(parser, mark.text, mark.source, number, limits), mark


def _make_set(
    answer: LineAnalyses, mark: Mark | None, *, packed: bool
) -> tuple[ParseSet | None, str]:
    """The parse set of a line, or why there is none."""
    assert answer.analyses is not None  # noqa: S101
    try:
        analyses, right = make_set(answer.analyses, answer.functions, mark, packed=packed)
    except Spent:
        return None, f"{answer.place}: listing the analyses takes too long; raise the limit"
    except WeftError as error:
        return None, f"{answer.place}: {str(error).removeprefix(f'{answer.place}: ')}"
    return ParseSet(str(answer.line), answer.text, analyses, right), ""
