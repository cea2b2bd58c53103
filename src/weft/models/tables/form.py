"""Which factors a table model has."""

from __future__ import annotations

from enum import StrEnum

MOST_TAGS = {1: 2**13, 2: 2**8}
"""Tags at most, by order: a table of steps then takes half a gigabyte, or an eighth."""


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
