"""Which features can decide anything, and which would decide everything.

A feature is *pseudo-constant* if it has the same value in all analyses of every sentence: its
weight changes no conditional probability. It is *pseudo-maximal* if in every sentence the right
analysis has the largest value of all: without a penalty its weight grows without bound; and
*pseudo-minimal* if it has the least: its weight falls without bound.

Reference: Johnson, Geman, Canon, Chi and Riezler (1999), "Estimators for Stochastic
'Unification-Based' Grammars", section 3 and tables 1 and 2.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from weft.features.extremes import extremes
from weft.inference import inside_outside
from weft.ranking import agree
from weft.structures.alternatives import FeatureName, Selected


class Standing(StrEnum):
    """What a corpus says of a feature's weight."""

    CONSTANT = "pseudo-constant"
    """Nothing: the feature is the same in all analyses of every sentence."""

    MAXIMAL = "pseudo-maximal"
    """That it is +∞, if nothing holds it back."""

    MINIMAL = "pseudo-minimal"
    """That it is −∞, if nothing holds it back."""

    PROPER = "proper"
    """That it is finite, as far as this feature alone can tell."""


CONSEQUENCES = {
    Standing.CONSTANT: "irrelevant: any weight gives the same probabilities",
    Standing.MAXIMAL: "+∞ without a penalty",
    Standing.MINIMAL: "−∞ without a penalty",
    Standing.PROPER: "finite",
}
"""What follows for the weight."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The standing of every feature of a corpus.

    Attributes:
        standings: By the property that a feature comes from and its name, sorted.
    """

    standings: dict[FeatureName, Standing]

    @property
    def features(self) -> int:
        """How many there are."""
        return len(self.standings)

    @property
    def pseudo_constant(self) -> int:
        """How many are pseudo-constant."""
        return self._count(Standing.CONSTANT)

    @property
    def pseudo_maximal(self) -> int:
        """How many are pseudo-maximal, and not pseudo-constant."""
        return self._count(Standing.MAXIMAL)

    @property
    def pseudo_minimal(self) -> int:
        """How many are pseudo-minimal, and not pseudo-constant."""
        return self._count(Standing.MINIMAL)

    def of_kind(self, kind: str) -> int:
        """How many come from a property."""
        return sum(own == kind for own, _ in self.standings)

    @property
    def rules(self) -> int:
        """How many are rules: of derivations, or productions of c-structures, which files give."""
        given = sum(name.startswith("productions: ") for _, name in self.standings)
        return self.of_kind("rules") + given

    def rows(self) -> list[tuple[str, int]]:
        """Return the rows of table 2 of the reference."""
        return [
            ("Number of features", self.features),
            ("Number of rule features", self.rules),
            ("Number of pseudo-constant features", self.pseudo_constant),
            ("Number of pseudo-maximal features", self.pseudo_maximal),
            ("Number of pseudo-minimal features", self.pseudo_minimal),
        ]

    def _count(self, standing: Standing) -> int:
        return sum(own is standing for own in self.standings.values())


def diagnose(corpus: Sequence[Selected]) -> Diagnosis:
    """Return the standing of every feature; sentences without a right analysis are left out.

    >>> from weft.structures.alternatives import alternatives
    >>> both = alternatives([{("x", "a"): 2.0, ("x", "b"): 1.0}, {("x", "b"): 1.0}])
    >>> diagnose([Selected(both, (0,))]).standings[("x", "a")]
    <Standing.MAXIMAL: 'pseudo-maximal'>
    """
    varies: dict[FeatureName, bool] = defaultdict(bool)
    maximal: dict[FeatureName, bool] = defaultdict(lambda: True)
    minimal: dict[FeatureName, bool] = defaultdict(lambda: True)
    for example in corpus:
        if example.analysis is None:
            continue
        least, largest = extremes(example.tokens)
        right_least, right_largest = extremes(example.tokens, example.analysis)
        facts = zip(
            example.tokens.names,
            (~agree(largest, least)).tolist(),
            ((right_least >= largest) | agree(right_least, largest)).tolist(),
            ((right_largest <= least) | agree(right_largest, least)).tolist(),
            strict=True,
        )
        for name, differs, is_highest, is_lowest in facts:
            varies[name] |= differs
            maximal[name] &= is_highest
            minimal[name] &= is_lowest
    found: dict[FeatureName, Standing] = {}
    for name in sorted(varies):
        if not varies[name]:
            found[name] = Standing.CONSTANT
        elif maximal[name]:
            found[name] = Standing.MAXIMAL
        else:
            found[name] = Standing.MINIMAL if minimal[name] else Standing.PROPER
    return Diagnosis(found)


@dataclass(frozen=True, slots=True)
class CorpusSize:
    """How large a corpus of parse sets is: table 1 of the reference.

    Attributes:
        sentences: All of them.
        ambiguous: Those with more than one analysis.
        analyses: Those of ambiguous sentences.
    """

    sentences: int
    ambiguous: int
    analyses: int

    def rows(self) -> list[tuple[str, int]]:
        """Return the rows of the table."""
        return [
            ("Number of sentences", self.sentences),
            ("Number of ambiguous sentences", self.ambiguous),
            ("Number of parses of ambiguous sentences", self.analyses),
        ]


def corpus_size(corpus: Sequence[Selected]) -> CorpusSize:
    """Count sentences and analyses; those of packed forests without listing them.

    >>> from weft.structures.alternatives import alternatives
    >>> corpus_size([Selected(alternatives([{}, {}])), Selected(alternatives([{}]))])
    CorpusSize(sentences=2, ambiguous=1, analyses=2)
    """
    counts = [_analyses(example) for example in corpus]
    several = [count for count in counts if count > 1]
    return CorpusSize(len(counts), len(several), sum(several))


def _analyses(example: Selected) -> int:
    tokens = example.tokens
    if tokens.forest is None:
        return len(tokens)
    return round(math.exp(inside_outside(tokens.forest, np.zeros(len(tokens)))[0]))
