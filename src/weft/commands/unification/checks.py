"""Mistakes of a feature grammar, for people and for programs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from weft.commands.files.inputs import StrPath
from weft.reprs import count_things
from weft.unification import read_fcfg
from weft.unification.check import GrammarFindings, check_features


def check_feature_grammar(grammar: StrPath, encoding: str = "utf-8") -> GrammarFindings:
    """Look for mistakes in a grammar of a file.

    Raises:
        FormatError: If it cannot be read.
        OptionError: If there is no such encoding.
    """
    return check_features(read_fcfg(grammar, encoding=encoding))


def findings_json(found: GrammarFindings) -> dict[str, Any]:
    """Return what was found for programs."""
    return {
        "undefined": [str(side) for side in found.undefined],
        "unfillable": [str(side) for side in found.unfillable],
        "unreachable": list(found.unreachable),
        "cycles": list(found.cycles),
        "carried": list(found.carried),
    }


def findings_lines(found: GrammarFindings) -> Iterator[str]:
    """Yield what was found for people, a line each."""
    for side in found.undefined:
        yield f"{side}: there is no rule for this category"
    for side in found.unfillable:
        yield f"{side}: no rule's left side unifies with this"
    for name in found.unreachable:
        yield f"{name}: no sentence has this category in it"
    for name in found.cycles:
        yield f"{name}: may be part of itself over the same words, unless features end the cycle"
    if found.carried:
        yield f"No rule tests {', '.join(found.carried)}."
    yield f"{count_things(found.problems, 'likely mistake')}."
