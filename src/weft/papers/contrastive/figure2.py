"""Figure 2 of Smith and Eisner (2005): the paper's figures, and an independent implementation's."""

from __future__ import annotations

from collections.abc import Mapping

RANDOM = "random"
"""What stands for choosing at random."""

PAPER: Mapping[str, float] = {
    "crf": 0.995,
    "hmm": 0.972,
    "em": 0.621,
    "del1word": 0.604,
    "del1subseq": 0.587,
    "trans1": 0.790,
    "delortrans1": 0.788,
    "length": 0.793,
    RANDOM: 0.351,
}
"""Figure 2 at 96,000 words of the Wall Street Journal, the smoothing chosen by an oracle."""

REFERENCE: Mapping[str, Mapping[float, float]] = {
    "em": {0.1: 0.683, 1.0: 0.701, 10.0: 0.688},
    "del1word": {0.1: 0.518, 1.0: 0.769, 10.0: 0.762},
    "trans1": {1.0: 0.875},
    "delortrans1": {1.0: 0.872},
    "length": {0.1: 0.851, 1.0: 0.875, 10.0: 0.877},
}
"""What an independent implementation found on the whole WSJ sample, by smoothing."""
