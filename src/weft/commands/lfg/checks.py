"""Mistakes of a lexical-functional grammar, and why sentences fail, for people and for programs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, fields, replace
from typing import Any

from weft.commands.files.inputs import StrPath
from weft.commands.unification.checks import TRUNCATED, has_analyses
from weft.commands.unification.sentences import Tell, tell_nobody
from weft.errors import EvidenceError, LimitError, quote
from weft.lfg.check import LfgFindings, check_lfg
from weft.lfg.parser import load_lfg
from weft.lfg.why import LfgReasons
from weft.reprs import count_things
from weft.unification import ParseLimits
from weft.unification.limits import Allowance

_KINDS = {
    "undefined_templates": "no template has this name",
    "undefined_macros": "no macro has this name",
    "undefined_categories": "no rule and no entry is for this category",
    "unreachable": "no sentence has this category in it",
    "doubles": "is defined again later, and so not used",
    "dead_sections": "CONFIG names this neither in FILES nor in its lists, and so it is not used",
    "left_out": "",
    "unused_templates": "nothing calls this template",
    "unused_macros": "nothing calls this macro",
    "unused_entries": "no sentence has the category of this entry",
}


def check_lfg_grammar(grammar: StrPath, encoding: str = "utf-8") -> LfgFindings:  # noqa: ARG001
    """Look for mistakes in a grammar of a file.

    Raises:
        FormatError: If it cannot be read.
    """
    return check_lfg(grammar)


def lfg_findings_json(found: LfgFindings) -> dict[str, Any]:
    """Return what was found for programs."""
    return {
        each.name: [{"text": one.text, **asdict(one.place)} for one in getattr(found, each.name)]
        for each in fields(found)
    }


def lfg_findings_lines(found: LfgFindings) -> Iterator[str]:
    """Yield what was found for people, a line each."""
    for name, message in _KINDS.items():
        for each in getattr(found, name):
            yield f"{each}: {message}" if message else str(each)
    yield f"{count_things(found.problems, 'likely mistake')}."


def explain_lfg_sentence(
    grammar: StrPath,
    sentence: str,
    most: int = 5,
    encoding: str = "utf-8",  # noqa: ARG001 - CONFIG says it
    tell: Tell = tell_nobody,  # noqa: ARG001
    limits: ParseLimits | None = None,
) -> LfgReasons:
    """Say why a sentence has no analysis, or how many it has.

    Half of the time of the limits is for finding analyses.

    Raises:
        FormatError: If the grammar cannot be read.
        EvidenceError: If it has no words.
    """
    parser = load_lfg(grammar)
    if not sentence.split():
        raise EvidenceError("there is no word in the sentence; give one argument with its words")
    given = limits or ParseLimits()
    with Allowance(given.seconds):
        with suppress(LimitError):  # then what ended the attempts until the limit is named
            found = parser.parse(sentence, limits=replace(given, seconds=given.seconds / 2))
            if found.count:
                return LfgReasons(found.words, (), True, (), (), analyses=found.count)
        return parser.explain(sentence, most, given)


def lfg_reasons_json(found: LfgReasons) -> dict[str, Any]:
    """Return why a sentence has no analysis for programs."""
    return asdict(found)


def lfg_reasons_lines(found: LfgReasons) -> Iterator[str]:
    """Yield why a sentence has no analysis for people, a line each."""
    if found.analyses:
        yield has_analyses(found.analyses)
        return
    if found.unknown:
        yield f"The lexicon has nothing for {', '.join(map(quote, found.unknown))}."
    yield from (f"  {each}" for each in found.left_out)
    if found.pieces:
        yield "There is no tree over the whole sentence. The largest pieces:"
    for piece in found.pieces:
        more = "" if piece.solved else " (its statements cannot all be true)"
        yield f"  {piece.text}: {piece.category}{more}"
    if found.truncated:
        yield TRUNCATED
    if found.reasons:
        yield "What ended attempts, over most words first:"
    for each in found.reasons:
        times = "" if each.times == 1 else f" ({each.times:,} times)"
        yield f"  over '{each.text}': {each.message}{times}"
        if each.statement:
            yield f"    {each.place.path}:{each.place.line}: {each.statement}"
