"""How each method of Smith and Eisner (2005) learns a tagger, and the settings that they share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from weft.corpora.parts import PARTS, read_part
from weft.criteria import (
    Criterion,
    Dirichlet,
    Gaussian,
    Penalty,
    conditional,
    contrast,
    contrastive,
    joint,
    marginal,
    no_penalty,
)
from weft.criteria.neighbours import NEIGHBOURHOOD_NAMES
from weft.features.templates import templates
from weft.models import Chain, Dictionary, Extent, Normalisation
from weft.models.options import TagNgrams
from weft.models.tagger import Tagger
from weft.optimise.em import EM, MeasuredOn
from weft.optimise.lbfgs import LBFGS
from weft.papers.contrastive.reference_optimiser import ScipyLBFGS
from weft.structures.evidence import Example
from weft.train import fit

SUPERVISED = ("crf", "hmm")
"""What learns from the tags, too: the ceilings of figure 2."""

METHODS = ("em", *NEIGHBOURHOOD_NAMES)
"""What learns from words: EM, and contrastive estimation by neighbourhood."""

COUNTED = ("hmm", "em")
"""Methods whose smoothing is what is added to counts; that of the others is a variance."""

_WORD = templates("word[0]")
_SPELLING = templates("suffix1[0] suffix2[0] suffix3[0] capital[0] hyphen[0] digit[0]")
_BLOCK = 50  # sentences whose neighbourhoods are made at a time


class Climber(StrEnum):
    """Whose L-BFGS climbs."""

    SCIPY = "scipy"
    """SciPy's, as in the independent implementation."""

    WEFT = "weft"
    """Weft's own."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What all methods have in common; by default what the paper says.

    Attributes:
        tag_ngrams: The lengths of tag n-grams that have weights.
        spelling: Whether suffixes, capitals, hyphens and digits are features; not of HMMs.
        start: Where EM starts: the name of a start.
        tolerance: The relative gain of an iteration below which training ends.
        measured_on: What EM's gain is of.
        optimiser: Whose L-BFGS climbs the others.
        threads: How many threads to use, all by default; no result depends on it.
    """

    tag_ngrams: TagNgrams = TagNgrams.LONGEST
    spelling: bool = False
    start: str = "uniform"
    tolerance: float = 1e-4
    measured_on: MeasuredOn = MeasuredOn.LIKELIHOOD
    optimiser: Climber = Climber.SCIPY
    threads: int | None = None


def read_text(corpus_name: str) -> list[Example]:
    """Return all sentences of a corpus that has parts."""
    return [each for part in PARTS for each in read_part(corpus_name, part)]


def first_words(corpus: Sequence[Example], words: int | None) -> list[Example]:
    """Return the first sentences with this many words at most.

    >>> from weft import example
    >>> len(first_words([example(["a", "b"]), example(["c", "d"])], 3))
    1
    """
    taken, count = [], 0
    for example in corpus:
        count += len(example.tokens)
        if words is not None and count > words:
            break
        taken.append(example)
    return taken


def criterion_of(method: str) -> Criterion:
    """Return what a method maximises."""
    known = {"em": marginal, "hmm": joint, "crf": conditional}
    return known[method] if method in known else contrastive(method)


def learn(
    method: str,
    smoothing: float | None,
    corpus: Sequence[Example],
    held_out: Sequence[Example],
    dictionary: Dictionary,
    settings: Settings,
) -> Tagger:
    """Return the tagger that a method learns.

    Args:
        method: Of :data:`SUPERVISED`, or of :data:`METHODS`, which do not look at tags.
        smoothing: What is added to counts, or the variance; None for neither.
        corpus: The text.
        held_out: More text, whose words are words of the model, though they count for nothing.
        dictionary: The tags that words may have.
        settings: The rest.
    """
    text = [*corpus, *(replace(example, weight=0.0) for example in held_out)]
    if method not in SUPERVISED:
        text = [replace(example, analysis=None) for example in text]
    chain = Chain(
        order=2,
        templates=_WORD,
        ngrams=Extent.ALL,
        tag_ngrams=settings.tag_ngrams,
        dictionary=dictionary,
        rare=0,
    )
    penalty: Penalty = no_penalty if smoothing is None else Gaussian(smoothing)
    optimiser: EM | LBFGS | ScipyLBFGS = ScipyLBFGS(settings.tolerance)
    if method in COUNTED:
        chain = replace(chain, attributes=Extent.ALL, normalisation=Normalisation.JOINT)
        penalty = Dirichlet(smoothing or 0.0)
        optimiser = EM(tolerance=settings.tolerance, measured_on=settings.measured_on)
    elif settings.optimiser is Climber.WEFT:
        optimiser = LBFGS(tolerance=settings.tolerance, period=1)
    if settings.spelling and method not in COUNTED:
        chain = replace(chain, templates=(*_WORD, *_SPELLING))
    return fit(
        chain,
        text,
        criterion=criterion_of(method),
        penalty=penalty,
        optimiser=optimiser,
        start=settings.start if method == "em" else None,
        threads=settings.threads,
    )


def value_of(
    tagger: Tagger, corpus: Sequence[Example], criterion: Criterion, threads: int | None
) -> float:
    """Return the value of a criterion on a text, without penalty.

    A few sentences at a time, for neighbourhoods of a whole text may take gigabytes; those of one
    length together, for they may have the same.
    """
    ordered = sorted(corpus, key=lambda example: len(example.tokens))
    blocks = (ordered[first : first + _BLOCK] for first in range(0, len(ordered), _BLOCK))
    return math.fsum(
        value
        for block in blocks
        for value in contrast(tagger.chain, block, criterion, threads).per_example(tagger.weights)
    )
