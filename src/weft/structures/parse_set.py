"""Parse sets: a sentence, the analyses that a grammar gives it, and which of them is right.

The analyses are listed (:class:`Candidate`), or packed into a forest (:class:`Packed`) that shares
what they have in common.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from weft.reprs import Brief, Pictured
from weft.structures.tree import Tree


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Candidate(Brief):
    """One analysis of a sentence.

    Attributes:
        tree: Its derivation, with the names of rules and lexical entries as labels; None where
            only features are given.
        features: Features that were computed elsewhere, with their values.
        score: Its log-weight by a reference distribution.
    """

    tree: Tree | None = None
    features: Mapping[str, float] = field(default_factory=dict)
    score: float = 0.0


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PackedEdge(Brief):
    """One way to build a node of a packed forest.

    Attributes:
        node: The node's name.
        rule: The rule; or the lexical entry, where there are words.
        children: The names of the nodes below, from left to right.
        words: The words of a lexical entry.
        features: Features that were computed elsewhere, with their values.
        score: Its log-weight by a reference distribution.
        name: What people call it, to be shown; no property looks at it.
    """

    node: str
    rule: str
    children: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    features: Mapping[str, float] = field(default_factory=dict)
    score: float = 0.0
    name: str = ""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Packed(Brief):
    """Analyses that share their parts: each choice of one edge a node, from the root down.

    Attributes:
        edges: In any order; no node may be part of itself.
        root: The node at the top.
    """

    edges: tuple[PackedEdge, ...]
    root: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ParseSet(Brief, Pictured):
    """A sentence with its analyses.

    Attributes:
        id: Its name in the file.
        text: The sentence.
        analyses: Listed, at least one; or packed.
        right: The numbers of the right analyses; in a forest, of the edges of the right one. None
            where nothing is known.
        weight: How often the sentence counts.
        flags: What else the file says of it that is true or false.
        source: Where it comes from, such as ``train.jsonl:17``, for messages.
    """

    id: str
    text: str
    analyses: tuple[Candidate, ...] | Packed
    right: tuple[int, ...] | None = None
    weight: float = 1.0
    flags: Mapping[str, bool] = field(default_factory=dict)
    source: str = ""
