"""What is measured of hmmlearn."""

from __future__ import annotations

import logging

import numpy as np
from hmmlearn.base import ConvergenceMonitor
from hmmlearn.hmm import CategoricalHMM

from benchmarks.hmm_data import sentences
from benchmarks.hmm_start import start_of
from benchmarks.job import Clock, Result, main


class _Watched(ConvergenceMonitor):  # type: ignore[misc]
    """A monitor that notes the time of every iteration, and never ends the search early."""

    def __init__(self, iterations: int) -> None:
        super().__init__(tol=-np.inf, n_iter=iterations, verbose=False)
        self.clock = Clock()

    def report(self, log_prob: float) -> None:
        """Take the log-likelihood before an iteration."""
        self.clock.lap()
        super().report(log_prob)

    @property
    def converged(self) -> bool:
        """Whether all iterations are done."""
        return self.iter == self.n_iter


def em(corpus: str, iterations: int, implementation: str) -> Result:
    """Estimate a hidden Markov model from words alone, by EM; the first iteration is not timed."""
    # That there are more probabilities than words is no news here.
    logging.getLogger("hmmlearn").setLevel(logging.ERROR)
    examples = sentences(corpus)
    number: dict[str, int] = {}
    words = [number.setdefault(word, len(number)) for each in examples for word in each.words]
    states = len({tag for each in examples for tag in each.tags})
    model = CategoricalHMM(
        states,
        n_features=len(number),
        n_iter=iterations + 1,
        implementation=implementation,
        init_params="",
    )
    model.startprob_, model.transmat_, model.emissionprob_ = start_of(states, len(number))
    model.monitor_ = monitor = _Watched(iterations + 1)
    model.fit(np.array(words)[:, None], [len(each.words) for each in examples])
    return {
        **monitor.clock.laps(),
        "iterations": iterations,
        "weights": states * (1 + states + len(number)),
        "tokens": len(words),
        "value": float(monitor.history[0]),
    }


if __name__ == "__main__":
    main((em,))
