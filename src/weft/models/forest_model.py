"""Models whose derivations are written out as hypergraphs: the shortest way to a new family.

A model says which hypergraph a sentence has, with which features on its edges, and which answer a
derivation is. The sums, gradients, best answers, samples and all criteria follow.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from weft.arrays import IntArray
from weft.derivations.derivation_set import DerivationSet
from weft.derivations.forest import FeatureMatrix, Forest, Weighted
from weft.derivations.pooled import pooled
from weft.errors import NotDefined
from weft.features.parameters import Parameters, parameters_of
from weft.structures.alternatives import FeatureName
from weft.structures.derivation import Derivation
from weft.structures.evidence import Evidence, Sentence
from weft.structures.hypergraph import Hypergraph


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
        """Return the derivations of a sentence; see :meth:`weighted`.

        All evidence about a sentence has the same edges. Those that do not agree with what is
        known of its labels have a base of -inf.
        """

    @abstractmethod
    def answer(self, evidence: Evidence, derivation: Derivation) -> Any:
        """Return the answer that a derivation is."""

    def parts(self, evidence: Evidence) -> Sequence[Hashable | None]:
        """[edges]: the part of an answer that each edge is, as people know it; None for none."""
        return range(self.member(evidence).hypergraph.edge_count)

    def weighted(
        self, topology: Hypergraph, features: Sequence[Iterable[FeatureName]], base: Any
    ) -> Weighted:
        """Return a hypergraph with the names of its edges' features; unknown ones are left out.

        Args:
            topology: The hypergraph.
            features: The features of each edge.
            base: [edges]: what is added to their weights, -inf where an edge may not be used.
        """
        pairs = [
            (edge, self.index[name])
            for edge, several in enumerate(features)
            for name in several
            if name in self.index
        ]
        return Weighted(topology, base, FeatureMatrix.of(pairs))

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
            return pooled(evidences, lambda some: self._forest(some, threads), spell=True)
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
