"""Mistakes of a feature grammar, and why sentences fail, for people and for programs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from weft.commands.files.inputs import StrPath
from weft.commands.unification.sentences import Tell, tell_left_out, tell_nobody
from weft.errors import EvidenceError, quote
from weft.reprs import count_things
from weft.unification import ParseLimits, load, read_feature_grammar
from weft.unification.check import GrammarFindings, check_features
from weft.unification.grammar import FeatureRule, category_of
from weft.unification.limits import Allowance, load_within
from weft.unification.outline import Side
from weft.unification.structure import TYPE
from weft.unification.why import Reasons, find_reasons

TRUNCATED = "A limit ended the search; there may be other reasons."


def check_feature_grammar(grammar: StrPath, encoding: str = "utf-8") -> GrammarFindings:
    """Look for mistakes in a grammar of a file.

    Raises:
        FormatError: If it cannot be read.
        OptionError: If there is no such encoding.
    """
    return check_features(read_feature_grammar(grammar, encoding=encoding))


def findings_json(found: GrammarFindings) -> dict[str, Any]:
    """Return what was found for programs."""
    return {
        "undefined": [str(side) for side in found.undefined],
        "unfillable": [str(side) for side in found.unfillable],
        "unmet": [
            {"side": str(each.side), "features": list(map(list, each.paths))}
            for each in found.unmet
        ],
        "unreachable": list(found.unreachable),
        "endless": list(found.endless),
        "cycles": list(map(str, found.cycles)),
        "recursive": list(map(str, found.recursive)),
        "carried": list(found.carried),
        "left_out": list(map(str, found.left_out)),
    }


def findings_lines(found: GrammarFindings) -> Iterator[str]:
    """Yield what was found for people, a line each."""
    for side in found.undefined:
        yield f"{side}: there is no rule for this category"
    for side in found.unfillable:
        yield f"{side}: no rule's left side unifies with this"
    for each in found.unmet:
        features = ", ".join(map(" ".join, each.paths))
        yield f"{each.side}: no rule for {_kind(each.side)} ever has {features}"
    for name, rule in found.unreachable.items():
        yield f"{_place(rule)}{name}: no sentence has this category in it"
    for name, rule in found.endless.items():
        yield f"{_place(rule)}{name}: no rule for this category ever comes to words"
    for side in found.cycles:
        what = "may be what it is part of, over the same words, unless features end the cycle"
        yield f"{side}: {what}"
    for side in found.recursive:
        yield f"{side}: may begin with what it is part of, after empty categories only"
    yield from map(str, found.left_out)
    if found.carried:
        yield f"No rule tests {', '.join(found.carried)}."
    yield f"{count_things(found.problems, 'likely mistake')}."


def _place(rule: FeatureRule) -> str:
    return f"{rule.path}:{rule.line}: " if rule.line else ""


def _kind(side: Side) -> str:
    return category_of(side.rule.structure, side.rule.sides[side.number + 1]) or "?"


def explain_sentence(
    grammar: StrPath,
    sentence: str,
    most: int = 5,
    encoding: str = "utf-8",
    tell: Tell = tell_nobody,
    limits: ParseLimits | None = None,
) -> Reasons:
    """Say why a sentence has no analysis, or how many it has.

    Args:
        grammar: The grammar, in a file.
        sentence: Its words, with spaces between them.
        most: How many failures are wanted.
        encoding: How the grammar's characters are written.
        tell: Is told if something of the grammar is not obeyed.
        limits: How much the search may take.

    Raises:
        FormatError: If the grammar cannot be read.
        OptionError: If there is no such encoding.
        EvidenceError: If it has no words.
        LimitError: If reading the grammar, or parsing, takes more than it may.
    """
    seconds = (limits or ParseLimits()).seconds
    with Allowance(seconds):
        with load_within(seconds):
            parser = load(grammar, encoding=encoding)
        tell_left_out(parser.grammar, tell)
        words = sentence.split()
        if not words:
            message = "there is no word in the sentence; give one argument with its words"
            raise EvidenceError(message)
        forest = parser.parse(words, limits)
        if forest:
            return Reasons(tuple(words), (), (), (), forest.count)
        return find_reasons(parser, words, most, limits)


def reasons_json(found: Reasons) -> dict[str, Any]:
    """Return why a sentence has no analysis, for programs."""
    return {
        "words": list(found.words),
        "analyses": found.analyses,
        "truncated": found.truncated,
        "unknown": list(found.unknown),
        "pieces": [
            {"start": each.start, "end": each.end, "structure": str(each.structure)}
            for each in found.pieces
        ],
        "failures": [
            {
                "rule": str(each.rule),
                "path": each.rule.path,
                "line": each.rule.line,
                "start": each.pieces[0].start,
                "end": each.pieces[-1].end,
                "side": len(each.pieces),
                "feature": list(each.path),
                "wanted": each.wanted,
                "given": each.given,
            }
            for each in found.failures
        ],
    }


def has_analyses(count: int) -> str:
    """Say that nothing is wrong with a sentence."""
    things = "analysis" if count == 1 else "analyses"
    return f"The sentence has {count:,} {things}: see 'weft unify parse'."


def reasons_lines(found: Reasons) -> Iterator[str]:
    """Yield why a sentence has no analysis for people, a line each."""
    if found.analyses:
        yield has_analyses(found.analyses)
        return
    if found.unknown:
        yield f"No rule has the words {', '.join(map(quote, found.unknown))}."
    yield "The largest pieces:"
    for piece in found.pieces:
        yield f"  {' '.join(found.words[piece.start : piece.end]) or 'ε'}: {piece.structure}"
    if found.truncated:
        yield TRUNCATED
    if found.failures:
        yield "What failed, last first:"
    for each in found.failures:
        words = " ".join(found.words[each.pieces[0].start : each.pieces[-1].end])
        rule = each.rule
        feature = " ".join(each.path).replace(TYPE, "category") or "features"
        yield f"  {rule.path}:{rule.line}: {rule.name} over '{words}':"
        clash = f"{each.wanted} by the rule, {each.given} in the part"
        yield f"    {feature} of side {len(each.pieces)} is {clash}"
