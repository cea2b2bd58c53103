"""Where EM starts, whatever the tool."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Start(NamedTuple):
    """Probabilities: [states], [states, states], [states, words]."""

    begin: np.ndarray
    steps: np.ndarray
    words: np.ndarray


def start_of(states: int, words: int) -> Start:
    """Random probabilities, the same at every call; words are in the order they appear in."""
    rng = np.random.default_rng(1)
    return Start(
        rng.dirichlet(np.ones(states)),
        rng.dirichlet(np.ones(states), states),
        rng.dirichlet(np.ones(words), states),
    )
