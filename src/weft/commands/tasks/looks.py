"""What there is to see of a family's models: which functions plots and reports ask, in one record.

The defaults suit labels of tokens; what a family does not have, it says, with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from weft.arrays import BoolArray, FloatArray
from weft.conversions.probabilities import hmm_probabilities
from weft.errors import EvidenceError, NotDefined
from weft.evaluate.confusion import Confusion, confusion_of
from weft.evaluate.tagging import is_right
from weft.models.model import filled
from weft.models.tagger import Tagger
from weft.ranking import by_value
from weft.report.shapes import Bars, Grid, Shape
from weft.reprs import Brief
from weft.structures.evidence import END, START

Sure = tuple[FloatArray, BoolArray]
"""How probable answers, or their parts, are, and whether they are right: [answers] each."""

PARTS = 30
"""How many parts of answers are shown, the likeliest."""

SEEN = 0.01
"""How probable a label must be somewhere to be shown."""


def confuse_labels(trained: Any, examples: Sequence[Any], threads: int | None = None) -> Confusion:
    """Compare the labels of tokens; those of which several may be right are left out."""
    known = [each for each in examples if each.analysis is not None]
    found, _ = trained.nearest([each.tokens for each in known], threads=threads)
    predicted = filled(found, [len(each.tokens) for each in known])
    return confusion_of(
        (label, guess)
        for each, labels in zip(known, predicted, strict=True)
        for label, guess in zip(each.analysis, labels, strict=True)
        if isinstance(label, str) and guess
    )


def confuse_nothing(trained: Any, examples: Sequence[Any], threads: int | None = None) -> NoReturn:  # noqa: ARG001
    """Refuse: answers are analyses.

    Raises:
        NotDefined: Always.
    """
    raise NotDefined(
        "each sentence has analyses of its own, and so no answer of one can be taken for that of "
        "another: plot calibration, or ask `weft explain` about a sentence"
    )


def judge_answers(trained: Any, examples: Sequence[Any], threads: int | None = None) -> Sure:
    """Return how probable whole answers are, and whether they are right.

    A sentence with one analysis leaves no choice, and is left out.
    """
    given = [each.evidence(labelled=False) for each in examples]
    marks = [
        (each.probability, right)
        for example, evidence, each in zip(
            examples, given, trained.best(given, threads=threads), strict=True
        )
        if each is not None
        and trained.listed(evidence) != 1
        and (right := trained.agrees(example, each.answer)) is not None
    ]
    return as_sure(marks)


def judge_tokens(tagger: Tagger, examples: Sequence[Any], threads: int | None = None) -> Sure:
    """Return how probable the tag of each token is, and whether it is right."""
    labelled = [each for each in examples if each.analysis is not None]
    found = tagger.predict([each.tokens for each in labelled], threads=threads)
    able = [pair for pair in zip(labelled, found, strict=True) if pair[1]]
    places = {tag: place for place, tag in enumerate(tagger.model.tags)}
    marks = []
    for (each, tags), probs in zip(
        able, tagger.marginals([each.tokens for each, _ in able], threads), strict=True
    ):
        for row, label, tag in zip(probs, each.analysis, tags or (), strict=True):
            right = is_right(label, tag)
            if right is not None:
                marks.append((float(row[places[tag]]), right))
    return as_sure(marks)


def as_sure(marks: Sequence[tuple[float, bool]]) -> Sure:
    """Return pairs as two arrays; rounding may leave a probability above 1."""
    probs = np.array([prob for prob, _ in marks], np.float64)
    return np.clip(probs, 0.0, 1.0), np.array([right for _, right in marks], np.bool_)


def no_transitions(trained: Any) -> NoReturn:
    """Refuse: there is no chain.

    Raises:
        NotDefined: Always.
    """
    kind = type(trained.model).__name__
    raise NotDefined(
        f"a {kind} has no transitions from tag to tag, which chains have: plot weights"
    )


def show_transitions(tagger: Tagger) -> Grid:
    """Return an HMM's p(tag | tag before), or the weights of pairs of tags of another chain.

    Raises:
        NotDefined: If a chain of order 2 has no weights of pairs.
        OptionError: If tables are no HMM.
    """
    if not len(tagger.weights) or tagger.distributions is not None:
        found = hmm_probabilities(tagger)
        probs = np.vstack([found.start, found.transitions])
        probs = np.hstack([probs, np.append(0.0, found.end)[:, None]])
        return _transitions(found.tags, probs, "p(tag | tag before)")
    topology = tagger.chain.topology
    pairs = topology.bigrams
    if not len(pairs):
        raise NotDefined("this chain has no weights of pairs of tags: plot weights")
    table = np.zeros((topology.tags + 1, topology.tags + 1))
    table[pairs[:, 0], pairs[:, 1]] = tagger.weights[topology.bigram_start :][: len(pairs)]
    table = np.roll(table, 1, axis=0)  # the boundary first
    return _transitions(tagger.chain.states, table, "weights of tag pairs")


def _transitions(tags: Sequence[str], table: FloatArray, what: str) -> Grid:
    largest = abs(table).max(initial=1e-300, where=np.isfinite(table))
    shades = table if what.startswith("p(") else np.clip(table / largest, -1.0, 1.0)
    texts = tuple(tuple(map(_weight, row)) for row in table.tolist())
    return Grid(what, (START, *tags), (*tags, END), shades, texts, up="tag before", across="tag")


def _weight(value: float) -> str:
    if np.isinf(value):
        return "∞" if value > 0 else "−∞"
    return f"{value:.2f}" if value else ""


def show_tags(tagger: Tagger, given: Any) -> Shape:
    """Return how probable each tag of each token is.

    Raises:
        EvidenceError: If the sentence has no possible tagging.
    """
    found = tagger.posteriors(given)
    kept = np.flatnonzero(found.probs.max(axis=0, initial=0.0) >= SEEN)
    probs = found.probs[:, kept].T
    tags = tuple(found.tags[place] for place in kept.tolist())
    texts = tuple(tuple(f"{p:.2f}" if p >= SEEN else "" for p in row) for row in probs.tolist())
    return Grid("p(tag | sentence)", tags, tuple(found.words), probs, texts, up="tag")


def show_parts(trained: Any, given: Any) -> Shape:
    """Return how often the parts of answers are expected, or how probable analyses are.

    Raises:
        EvidenceError: If there is no answer.
    """
    [found] = trained.marginals([given])
    pairs = found.items() if isinstance(found, dict) else enumerate(found.tolist())
    ranked = by_value(pairs, lambda pair: pair[1])[:PARTS]
    if not ranked:
        raise EvidenceError("no analysis of this sentence is possible, and so none is probable")
    bars = tuple((_part_name(part), float(prob)) for part, prob in ranked)
    return Bars("parts of answers, given the sentence", "expected number", bars)


def _part_name(part: Any) -> str:
    if isinstance(part, tuple):
        return " ".join(_part_name(each) for each in part)
    return str(part)


def show_analyses(selector: Any, given: Any) -> Shape:
    """Return how probable the analyses of a sentence are; of a forest, its edges."""
    [evidence] = selector.evidences([given])
    found = show_parts(selector, given)
    assert isinstance(found, Bars)  # noqa: S101
    name = "analysis" if selector.listed(evidence) else "edge"
    bars = tuple((f"{name} {part}", prob) for part, prob in found.bars)
    listed = name == "analysis"
    label = "p(analysis | sentence)" if listed else "how often an edge is expected"
    return Bars("analyses of the sentence" if listed else "edges of its forest", label, bars)


def no_spans(trained: Any, given: Any) -> NoReturn:  # noqa: ARG001
    """Refuse: there are no trees.

    Raises:
        NotDefined: Always.
    """
    kind = type(trained.model).__name__
    raise NotDefined(f"the answers of a {kind} are no trees, and have no spans: plot marginals")


@dataclass(frozen=True, slots=True, repr=False)
class Looks(Brief):
    """What plots and reports ask of a family.

    Attributes:
        confuse: Which labels are taken for which others, given a model, examples and how many
            threads to use.
        judge: How probable answers or their parts are, and whether they are right, given the same.
        transitions: What follows what, given a model.
        marginals: How probable the parts of answers are, given a model and what is asked.
        spans: How probable labels over spans are, given the same.
    """

    confuse: Callable[..., Confusion] = confuse_labels
    judge: Callable[..., Sure] = judge_answers
    transitions: Callable[[Any], Shape] = no_transitions
    marginals: Callable[[Any, Any], Shape] = show_parts
    spans: Callable[[Any, Any], Shape] = no_spans


TAGS = Looks(judge=judge_tokens, transitions=show_transitions, marginals=show_tags)
"""What taggers show."""

ANALYSES = Looks(confuse=confuse_nothing, marginals=show_analyses)
"""What selectors show."""
