"""Models whose derivations are written out as hypergraphs: the shortest way to a new family.

A model says which hypergraph a sentence has, with which features on its edges, and which answer a
derivation is. The sums, gradients, best answers, samples and all criteria follow.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from weft.arrays import IntArray
from weft.derivations.combine import pool
from weft.derivations.derivation_set import DerivationSet
from weft.derivations.feature_map import from_lists
from weft.derivations.forest import Forest, Weighted
from weft.errors import NotDefined
from weft.evaluate.tagging import is_right
from weft.features.parameters import Parameters, parameters_of
from weft.structures.alternatives import FeatureName
from weft.structures.derivation import Derivation, preorder
from weft.structures.evidence import Analysis, Evidence, Example, Sentence
from weft.structures.hypergraph import hypergraph


class NamedFeatures:
    """A model whose features have names, a coordinate of θ each.

    Attributes:
        names: The kind and the name of each feature; those of a kind are one after the other.
    """

    names: tuple[FeatureName, ...]

    @cached_property
    def parameters(self) -> Parameters:
        """The layout of θ."""
        return parameters_of(self.names)

    @cached_property
    def index(self) -> Mapping[FeatureName, int]:
        """The coordinate of each feature."""
        return {name: place for place, name in enumerate(self.names)}

    def named(self, coordinates: IntArray) -> list[FeatureName]:
        """Return the kind and the name of some features."""
        return [self.names[place] for place in coordinates.tolist()]


class ForestModel(NamedFeatures, ABC):
    """A model whose derivations of a sentence are those of a hypergraph."""

    @abstractmethod
    def member(self, evidence: Evidence) -> Weighted:
        """Return the derivations of a sentence.

        All evidence about a sentence has the same edges. Those that do not agree with what is
        known of its labels have a base of -inf.
        """

    def closed(self, sentences: Iterable[Sequence[str]]) -> bool:  # noqa: ARG002
        """Whether sentences are made of the words that the model knows: it takes any."""
        return True

    def derivations(
        self, evidences: Sequence[Evidence], threads: int | None = None
    ) -> DerivationSet:
        """Return the derivations that agree with each piece of evidence.

        Raises:
            NotDefined: If it is about all words, which the features of edges look at.
            LimitError: If the strings of a lattice are too many to list.
        """
        if not all(isinstance(each.tokens, Sentence) for each in evidences):
            return pool(evidences, lambda some: self._forest(some, threads), spell=True)
        return self._forest(evidences, threads)

    def _forest(self, evidences: Sequence[Evidence], threads: int | None) -> Forest:  # noqa: ARG002
        for each in evidences:
            if not isinstance(each.tokens, Sentence):
                raise NotDefined(
                    "the features of this model look at the words of a sentence together, so that "
                    "a sum over all words does not come apart into sums over single ones: use "
                    "conditional, or neighbours that can be listed"
                )
        return Forest([self.member(each) for each in evidences], len(self.names), self.member)


class Edge(NamedTuple):
    """One step of a derivation that labels tokens.

    Attributes:
        head: What it makes, by any name.
        tails: What it is made of.
        features: The names of its features; those that the model does not have are left out.
        start: The first token that it labels.
        labels: The labels that it gives to this token and those after it.
    """

    head: Hashable
    tails: Sequence[Hashable] = ()
    features: Iterable[FeatureName] = ()
    start: int = 0
    labels: tuple[str, ...] = ()


class LabellingModel(ForestModel):
    """A model whose derivations label every token of a sentence; answers are these labels."""

    @abstractmethod
    def edges(self, words: Sequence[str]) -> Iterable[Edge]:
        """Yield the edges of a sentence of at least one word.

        Those of a head come together, after all those of its tails; the last head is the whole.
        """

    def member(self, evidence: Evidence) -> Weighted:
        """Return the labellings of a sentence that agree with what is known of it."""
        edges, numbers = self._edges(evidence), dict[Hashable, int]()
        for each in edges:
            numbers.setdefault(each.head, len(numbers))
        topology = hypergraph(
            len(numbers), [(numbers[e.head], [numbers[t] for t in e.tails]) for e in edges]
        )
        features = [[self.index[n] for n in e.features if n in self.index] for e in edges]
        known = evidence.analysis or ()
        base = [0.0 if _agrees(known[e.start :], e.labels) else -np.inf for e in edges]
        spans = np.array([(e.start, e.start + len(e.labels)) for e in edges], np.int64)
        return Weighted(topology, np.array(base), from_lists(features, len(self.names)), spans)

    def answer(self, evidence: Evidence, derivation: Derivation) -> tuple[str, ...]:
        """Return the labels that the edges of a derivation give."""
        edges = self._edges(evidence)
        chosen = sorted((edges[edge] for edge in preorder(derivation)), key=lambda e: e.start)
        return tuple(label for each in chosen for label in each.labels)

    def parts(self, evidence: Evidence) -> list[tuple[int, tuple[str, ...]] | None]:
        """[edges]: where each begins and which labels it gives; None where it gives none."""
        return [(e.start, e.labels) if e.labels else None for e in self._edges(evidence)]

    def _edges(self, evidence: Evidence) -> list[Edge]:
        """All edges; the one analysis of a sentence without words has one that says nothing."""
        tokens = evidence.tokens
        assert isinstance(tokens, Sentence)  # noqa: S101
        return list(self.edges(tokens.words)) if tokens.words else [Edge("")]

    def feature_names(self, corpus: Iterable[Example]) -> tuple[FeatureName, ...]:
        """Return the names of all features of a corpus, in the order of a model's."""
        edges = (edge for example in corpus for edge in self.edges(example.tokens.words))
        return tuple(sorted({name for edge in edges for name in edge.features}))


def _agrees(known: Analysis, labels: Sequence[str]) -> bool:
    return all(is_right(*pair) is not False for pair in zip(known, labels, strict=False))
