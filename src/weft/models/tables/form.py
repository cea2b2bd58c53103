"""Which factors a table model has."""

from __future__ import annotations

from enum import StrEnum

MOST_TAGS = 2**13
"""Tags at most: a table of steps from tag to tag then takes half a gigabyte."""


class Form(StrEnum):
    """Which factors the probability of a tagged sentence has."""

    HMM = "johnson-4"
    """Tags given the tag before, words given their tag."""

    CONDITIONAL = "johnson-5"
    """Tags given their word and the tag before."""

    PREVIOUS_WORD = "johnson-6"
    """Tags given the tag and the word before, words given their tag."""

    NEXT_WORD = "johnson-7"
    """Words given the tag before, tags given their word and the tag before."""

    MEALY = "mealy"
    """Tags given the tag before, words given their tag and the tag before."""
