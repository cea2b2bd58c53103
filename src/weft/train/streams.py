"""Training on a corpus that is read anew for every pass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from weft.arrays import FloatArray
from weft.criteria import CorpusTerm, contrast
from weft.criteria.guides import guide_of
from weft.criteria.spread import Workers
from weft.criteria.streams import StreamedTerms
from weft.errors import EvidenceError, OptionError
from weft.models.model import Spec
from weft.optimise.passes import ByPasses
from weft.optimise.search import Search
from weft.structures.stream import Stream
from weft.train.climbs import Term
from weft.train.guided import leaves_kinks
from weft.train.problem import Problem
from weft.train.usual import or_other

ABLE = "sgd, adagrad, adam, subgradient, perceptron, pa or arow"
"""The optimisers that need no corpus in memory."""


def check_streamed(
    spec: Spec[Any], terms: Sequence[Term], optimiser: Any, search: Search, started: bool
) -> None:
    """Refuse what needs all examples of a stream at once.

    Args:
        spec: The family.
        terms: The criteria with their corpora; that of the first is a stream.
        optimiser: How the weights move.
        search: Restarts.
        started: Whether it is said where estimation starts.

    Raises:
        OptionError: With what to do.
    """
    criterion = terms[0].criterion
    if not (isinstance(optimiser, ByPasses) and (optimiser.streams or or_other(optimiser))):
        raise OptionError(
            f"a stream is gone over in passes, a few examples at a time: name one of {ABLE} as "
            "the optimiser"
        )
    if len(terms) > 1:
        raise OptionError("a stream is the only corpus: leave out the others, or the stream")
    if search.restarts:
        raise OptionError("restarts are compared by all examples at once: leave restarts at 0")
    if criterion.denominator.whole:
        raise OptionError(
            f"'{criterion.denominator.name}' are all examples at once: take another neighbourhood"
        )
    if guide_of(criterion) and not started and not leaves_kinks([criterion], spec, optimiser):
        raise OptionError(
            f"the criterion '{criterion.name}' starts from a likelihood of all examples at once: "
            "start from a model that was trained by conditional (start=, --start MODEL)"
        )
    spec.check_streamed()


def objective_of(
    spec: Spec[Any],
    model: Any,
    term: Term,
    start: FloatArray,
    threads: int | None,
    workers: Workers | None = None,
) -> CorpusTerm:
    """Return a term as a function of θ.

    Raises:
        EvidenceError: If an example has no possible analysis; of a stream, when it is first read.
    """

    def refuse(example: Any, place: int, position: int) -> NoReturn:
        raise EvidenceError(spec.why_impossible(example, place, position))

    if isinstance(term.corpus, Stream):
        linear = spec.free(model) is model
        return StreamedTerms(
            model, term.corpus, term.criterion, refuse, linear=linear, threads=threads
        )
    found = contrast(model, term.corpus, term.criterion, threads, workers=workers)
    for place, position in found.impossible(start):
        refuse(term.corpus[place], place, position)
    return found


def streamed_terms(problem: Problem) -> StreamedTerms | None:
    """Return the terms of a stream; None if the corpus is in memory."""
    first = problem.objectives[0]
    return first if isinstance(first, StreamedTerms) else None
