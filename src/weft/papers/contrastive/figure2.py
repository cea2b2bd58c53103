"""Figure 2 of Smith and Eisner (2005): the paper's figures, and an independent implementation's."""

from __future__ import annotations

from collections.abc import Mapping

RANDOM = "random"
"""What stands for choosing at random."""

SIZES: tuple[int | None, ...] = (12_000, 24_000, 48_000, None)
"""Words to learn from, as in the paper; the last of its 96,000 is all of the WSJ sample."""

Chosen = tuple[float, float]
"""Right tags of ambiguous words, the smoothing chosen by the criterion, and by an oracle."""

PAPER: Mapping[str, tuple[Chosen, Chosen, Chosen, Chosen]] = {
    "crf": ((1.0, 1.0), (0.998, 0.998), (0.998, 0.998), (0.995, 0.995)),
    "hmm": ((0.993, 0.993), (0.985, 0.985), (0.979, 0.979), (0.972, 0.972)),
    "length": ((0.749, 0.774), (0.787, 0.815), (0.783, 0.813), (0.789, 0.793)),
    "delortrans1": ((0.708, 0.708), (0.786, 0.786), (0.783, 0.791), (0.752, 0.788)),
    "trans1": ((0.727, 0.727), (0.772, 0.772), (0.781, 0.794), (0.747, 0.790)),
    "em": ((0.495, 0.529), (0.555, 0.580), (0.594, 0.609), (0.609, 0.621)),
    "del1word": ((0.554, 0.556), (0.586, 0.603), (0.599, 0.602), (0.599, 0.604)),
    "del1subseq": ((0.530, 0.533), (0.550, 0.567), (0.553, 0.554), (0.573, 0.587)),
    RANDOM: ((0.352, 0.352), (0.351, 0.351), (0.351, 0.351), (0.351, 0.351)),
}
"""The table of figure 2, by method and then by :data:`SIZES`. Its supervised taggers are scored on
the text whose tags they learnt from."""


def paper_figures(method: str, words: int | None) -> Chosen:
    """Return the paper's figures of a method for a text of so many words; else for the largest.

    >>> paper_figures("em", 12_000), paper_figures("em", None), paper_figures("em", 1_500)
    ((0.495, 0.529), (0.609, 0.621), (0.609, 0.621))
    """
    return PAPER[method][SIZES.index(words if words in SIZES else None)]


REFERENCE: Mapping[str, Mapping[float, float]] = {
    "em": {0.1: 0.683, 1.0: 0.701, 10.0: 0.688},
    "del1word": {0.1: 0.518, 1.0: 0.769, 10.0: 0.762},
    "trans1": {1.0: 0.875},
    "delortrans1": {1.0: 0.872},
    "length": {0.1: 0.851, 1.0: 0.875, 10.0: 0.877},
}
"""What an independent implementation found on the whole WSJ sample, by smoothing."""
