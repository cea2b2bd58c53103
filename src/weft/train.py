"""Training: the only place where model, corpus, criterion, penalty and optimiser meet."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import numpy as np

from weft.arrays import FloatArray
from weft.criteria import (
    Criterion,
    Gaussian,
    check_possible,
    conditional,
    contrast,
    everything,
)
from weft.evaluate.tagging import tagging_scores
from weft.models import Chain, prepare
from weft.models.frequencies import relative_frequencies
from weft.models.tagger import Progress, Tagger
from weft.optimise.lbfgs import LBFGS
from weft.optimise.solution import Callback, Objective, Solution, Step
from weft.structures.evidence import Evidence, Example


class Optimiser(Protocol):
    """Anything that climbs from a start, seeing θ → (value, gradient) only."""

    def maximise(
        self, objective: Objective, start: FloatArray, callback: Callback | None = None
    ) -> Solution:
        """Return the best weights found."""
        ...


def fit(
    chain: Chain,
    corpus: Sequence[Example],
    *,
    criterion: Criterion = conditional,
    penalty: Gaussian | None = None,
    optimiser: Optimiser | None = None,
    development: Sequence[Example] | None = None,
    progress: Callable[[Progress], bool | None] | None = None,
    threads: int | None = None,
    notes: Mapping[str, str] | None = None,
) -> Tagger:
    """Estimate a model's weights from a corpus.

    An interrupt (ctrl-C) ends training with the best weights so far.

    >>> from weft.structures.evidence import example
    >>> corpus = [example("the dog barks".split(), "DT NN VBZ".split())]
    >>> fit(Chain(), corpus).tag([["the", "barks"]])
    [('DT', 'VBZ')]

    Args:
        chain: What the model looks at.
        corpus: Examples, labelled in full or in part.
        criterion: Which two sums over derivations to compare.
        penalty: What large weights cost; a Gaussian with variance 10 by default.
        optimiser: How the weights move; L-BFGS by default.
        development: Examples whose accuracy is reported at every iteration.
        progress: Called after every iteration; True ends training.
        threads: How many threads to use, all by default; no result depends on it.
        notes: What to keep with the tagger about its making.

    Returns:
        The tagger.

    Raises:
        EvidenceError: If an example has no possible analysis, naming it.
    """
    if not isinstance(chain, Chain):
        raise TypeError(f"the model must be a weft.Chain, not {type(chain).__name__}")
    if not isinstance(penalty, Gaussian | None):
        raise TypeError(f"the penalty must be a weft.Gaussian, not {type(penalty).__name__}")
    corpus, development = list(corpus), list(development or ())
    penalty = penalty or Gaussian()
    optimiser = optimiser or LBFGS()
    # Everything is made of the words of the development corpus too; at θ = 0 its sum diverges.
    generative = criterion.denominator is everything
    model = prepare(chain, corpus, development if generative else ())
    objective = contrast(model, corpus, criterion, threads)
    start = relative_frequencies(model, corpus) if generative else np.zeros(model.parameters.size)
    check_possible(objective, corpus, start)
    score = _development_accuracy(Tagger(model, start), development, threads)
    trace: list[Progress] = []

    def report(step: Step, theta: FloatArray) -> bool | None:
        accuracy = score(theta) if score else None
        trace.append(
            Progress(step.iteration, step.value, step.gradient_norm, step.seconds, accuracy)
        )
        return progress(trace[-1]) if progress else None

    # What costs nothing is where estimation starts: zeros, or the relative frequencies.
    penalised = objective + penalty.objective(model.parameters, start if generative else None)
    solution = optimiser.maximise(penalised, start, report)
    made = {"criterion": criterion.name, "penalty": str(penalty), "stopped": str(solution.reason)}
    return Tagger(
        model, solution.weights, lexicon_of(corpus), tuple(trace), {**made, **(notes or {})}
    )


def lexicon_of(corpus: Sequence[Example]) -> dict[str, frozenset[str]]:
    """Return the words of a corpus with the tags that they certainly had there.

    >>> from weft.structures.evidence import example
    >>> lexicon_of([example(["saw", "a", "saw"], ["VBD", "DT", "NN"])])["saw"] == {"VBD", "NN"}
    True
    """
    seen: dict[str, set[str]] = defaultdict(set)
    for example in corpus:
        for word, label in zip(example.tokens.words, example.analysis or (), strict=False):
            seen[word].update([label] if isinstance(label, str) else [])
    return {word: frozenset(tags) for word, tags in seen.items()}


def _development_accuracy(
    tagger: Tagger, corpus: Sequence[Example] | None, threads: int | None
) -> Callable[[FloatArray], float | None] | None:
    """A function from θ to the accuracy on a corpus, which is compiled once."""
    if not corpus:
        return None
    derivations = tagger.model.trellis([Evidence(e.tokens) for e in corpus], threads)
    gold = [example.analysis or (None,) * len(example.tokens) for example in corpus]
    words = [example.tokens.words for example in corpus]
    names = np.array(tagger.model.tags, object)

    def accuracy(theta: FloatArray) -> float | None:
        predicted = [tuple(names[each]) for each in derivations.best(theta)[1]]
        return tagging_scores(gold, predicted, words, {}).accuracy

    return accuracy
