"""Parse sets of analyses that were drawn: universes of selection models."""

from __future__ import annotations

import math
from dataclasses import replace

from weft.errors import OptionError
from weft.features.functional import Functions, make_candidate
from weft.lfg.propose import LfgProposals
from weft.structures.parse_set import ParseSet


def drawn_set(found: LfgProposals, functions: Functions, name: str = "universe") -> ParseSet:
    """Return what was drawn from a lexical-functional grammar as a universe.

    Args:
        found: What was drawn.
        functions: The grammatical functions of the grammar.
        name: What it is called.

    Raises:
        OptionError: If nothing was drawn.
    """
    if not found.analyses:
        raise OptionError(
            f"none of {found.tried:,} trials came to an analysis: give more of them, or trees to "
            "learn the probabilities of rules from"
        )
    scores = -found.log_probs - math.log(found.tried)
    made = [make_candidate(each, functions) for each in found.analyses]
    pairs = zip(made, scores.tolist(), strict=True)
    return ParseSet(name, "", tuple(replace(each, score=score) for each, score in pairs))
