"""Reference distributions: what another model says of analyses, before a selector says anything.

    score(a) = w₀(a) + Σ_f value(a, f) θ_f

w₀ is the log-weight of an analysis by a simpler model, estimated from more data; the weights then
only say what differs from it. What is known of w₀ is its differences within a sentence: log Z of
the reference is the same for all analyses. A part that the reference does not have, such as a rule
of no probability, excludes nothing: it has the least weight of any, and is counted as the feature
``unknown`` of the kind ``reference``, whose weight is estimated like all others.

Reference: Johnson, Geman, Canon, Chi and Riezler (1999), "Estimators for Stochastic
'Unification-Based' Grammars", footnote 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from weft.errors import FormatError
from weft.features.properties import Node, nodes
from weft.structures.alternatives import FeatureName
from weft.structures.parse_set import Candidate
from weft.structures.tree import Tree

UNKNOWN: FeatureName = ("reference", "unknown")
"""How many parts of an analysis a reference distribution does not know."""


class Scored(NamedTuple):
    """What a reference says of an analysis, or of a node of it.

    Attributes:
        score: Its log-weight; -inf if it excludes a whole analysis.
        unknown: How many parts it does not know.
    """

    score: float
    unknown: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """A reference distribution, as a sum of what is said of nodes, of trees and of given features.

    Attributes:
        of_node: Of a node with its children, and what is above it.
        of_trees: Of the trees of one sentence.
        of_given: Of features that the file gives.
        above: How many nodes above it looks at.
        why_listed: Why packed analyses have no such weights, where ``of_trees`` says something.
    """

    of_node: Callable[[Node], Scored] | None = None
    of_trees: Callable[[Sequence[Tree]], Sequence[Scored]] | None = None
    of_given: Callable[[Mapping[str, float]], float] | None = None
    above: int = 0
    why_listed: str = ""

    def given(self, features: Mapping[str, float]) -> float:
        """Return what is said of features that the file gives."""
        return 0.0 if self.of_given is None else self.of_given(features)


def score_candidates(
    reference: Reference, candidates: Sequence[Candidate], source: str = ""
) -> list[Scored]:
    """Return what a reference says of the listed analyses of a sentence, all of it finite.

    >>> words = Reference(lambda node: Scored(-1.0) if node.words else Scored(0.0, 1))
    >>> tree = Tree("S", (Tree("it_x", ("it",)), Tree("rain_v", ("rains",))))
    >>> score_candidates(words, [Candidate(tree)])
    [Scored(score=-2.0, unknown=1)]

    Raises:
        FormatError: If an analysis has no derivation, and the reference looks at it.
    """
    looks = reference.of_node is not None or reference.of_trees is not None
    trees = [each.tree for each in candidates if each.tree is not None]
    if looks and len(trees) < len(candidates):
        place = next(place for place, each in enumerate(candidates) if each.tree is None)
        message = f"analysis {place} has no derivation for the reference distribution to look at"
        raise FormatError(message, path=source)
    found = [Scored(reference.given(each.features)) for each in candidates]
    if reference.of_node is not None:
        found = [
            _sum([one, *map(reference.of_node, nodes(tree, reference.above))])
            for one, tree in zip(found, trees, strict=True)
        ]
    if reference.of_trees is not None:
        others = reference.of_trees(trees)
        found = [_sum(pair) for pair in zip(found, others, strict=True)]
    least = min((each.score for each in found if each.score > -math.inf), default=0.0)
    return [each._replace(score=max(each.score, least)) for each in found]


def add_references(one: Reference, other: Reference) -> Reference:
    """Return the sum of two references."""
    both = [one, other]
    of_node = [each.of_node for each in both if each.of_node is not None]
    of_trees = [each.of_trees for each in both if each.of_trees is not None]
    return Reference(
        (lambda node: _sum([each(node) for each in of_node])) if of_node else None,
        (lambda trees: [_sum(each) for each in zip(*(f(trees) for f in of_trees), strict=True)])
        if of_trees
        else None,
        lambda features: sum(each.given(features) for each in both),
        max(each.above for each in both),
        one.why_listed or other.why_listed,
    )


def _sum(several: Sequence[Scored]) -> Scored:
    return Scored(sum(each.score for each in several), sum(each.unknown for each in several))
