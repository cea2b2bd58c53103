"""Selection: models that choose among the analyses that a grammar gives a sentence.

A derivation is an analysis; its features are what the switched-on properties say of it
(:mod:`weft.features.properties`) and what the file gives. The sets that criteria compare are
A = the right analysis and B = all analyses of the sentence, so that the conditional criterion is
the pseudo-likelihood of the reference. There is no distribution over sentences, unless analyses of
all of them are given, a *universe*: these are then B of the joint and the marginal criterion.

Reference: Johnson, Geman, Canon, Chi and Riezler (1999), "Estimators for Stochastic
'Unification-Based' Grammars", equations 1 and 7.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from weft.arrays import FloatArray, IntArray, offsets_of
from weft.derivations.analyses import Analyses, Bags, members_of
from weft.derivations.combine import derive_kinds
from weft.derivations.derivation_set import DerivationSet
from weft.derivations.feature_map import FeatureMap, concatenate
from weft.derivations.forest import Forest, Weighted
from weft.derivations.threads import thread_count
from weft.derivations.walked import Walked
from weft.errors import NotDefined
from weft.features.extremes import extremes
from weft.features.parameters import Parameters, parameters_of
from weft.models.forest_model import NamedFeatures
from weft.reprs import Brief
from weft.structures.alternatives import Alternatives, FeatureName, Picked, Selected

if TYPE_CHECKING:
    from weft.models.selection.spec import Selection


@dataclass(frozen=True, eq=False, repr=False)
class SelectionModel(NamedFeatures, Brief):
    """A selection model with its features.

    Attributes:
        selection: What it looks at.
        names: The features, sorted; their places are coordinates of θ.
        largest: The largest value of each feature in the corpus. [θ]
        universe: Analyses of all sentences, or a sample of them; None for none.
    """

    selection: Selection
    names: tuple[FeatureName, ...]
    largest: FloatArray
    universe: Alternatives | None = None

    @cached_property
    def parameters(self) -> Parameters:
        """The kinds of weights: a property each."""
        return replace(parameters_of(self.names), largest=self.largest)

    def closed(self, sentences: Iterable[Sequence[str]]) -> bool:  # noqa: ARG002
        """Whether all sentences are among those that sums are over: those of the universe.

        Raises:
            NotDefined: If there is no universe, with what to do.
        """
        if self.universe is None:
            raise NotDefined(
                "a selection model chooses among the analyses of a sentence, and has no "
                "distribution over sentences: use conditional, or another criterion that compares "
                "'complete' with 'input'; or give analyses of all sentences, a universe"
            )
        return True

    def derivations(self, evidences: Sequence[Picked], threads: int | None = None) -> DerivationSet:
        """Return the analyses that agree with each piece of evidence.

        Raises:
            NotDefined: If evidence is not about the analyses of one sentence.
        """
        if not all(isinstance(each, Picked) for each in evidences):
            self.closed(())
            return self._with_universe(evidences, threads)

        def derive(is_packed: int, members: IntArray) -> DerivationSet:
            mine = [evidences[member] for member in members.tolist()]
            if is_packed:
                packs = [self.packed(each) for each in mine]
                return Forest(packs, len(self.names), self.packed)
            return self._listed(mine, threads)

        packed = np.array([each.tokens.forest is not None for each in evidences], np.int64)
        return derive_kinds(packed, derive) if len(packed) else self._listed((), threads)

    def _with_universe(self, evidences: Sequence[Any], threads: int | None) -> DerivationSet:
        assert self.universe is not None  # noqa: S101
        every = Picked(self.universe)

        def derive(is_every: int, members: IntArray) -> DerivationSet:
            if is_every:
                found = self.derivations([every] * len(members), threads)
                walks = self.selection.sampling == "metropolis" and every.tokens.forest is None
                return Walked(found, self.analyses([every.tokens])) if walks else found
            return self.derivations([evidences[member] for member in members.tolist()], threads)

        kinds = np.array([not isinstance(each, Picked) for each in evidences], np.int64)
        return derive_kinds(kinds, derive)

    def analyses(self, sentences: Sequence[Alternatives]) -> Bags:
        """Return the listed analyses of several sentences with their coordinates of θ."""
        features = concatenate([self.features(each) for each in sentences], len(self.names))
        base = np.concatenate([np.zeros(0), *(each.base for each in sentences)])
        return Bags(offsets_of(map(len, sentences)), features, base)

    def _listed(self, evidences: Sequence[Picked], threads: int | None) -> Analyses:
        numbers: dict[int, int] = {}
        sentences: list[Alternatives] = []
        for evidence in evidences:
            if id(evidence.tokens) not in numbers:
                numbers[id(evidence.tokens)] = len(sentences)
                sentences.append(evidence.tokens)
        owners = np.array([numbers[id(each.tokens)] for each in evidences], np.int64)
        order = np.argsort(owners, kind="stable")
        bags = self.analyses(sentences)
        picked = [evidences[place].analysis for place in order.tolist()]
        members = members_of(bags, owners[order], picked)
        return Analyses(bags, members, thread_count(threads), order)

    def packed(self, evidence: Picked) -> Weighted:
        """Return a packed forest with its coordinates of θ."""
        tokens = evidence.tokens
        assert tokens.forest is not None  # noqa: S101
        base = tokens.base
        if evidence.analysis is not None:
            base = np.full(len(base), -np.inf)
            base[list(evidence.analysis)] = tokens.base[list(evidence.analysis)]
        return Weighted(tokens.forest, base, self.features(tokens))

    def features(self, tokens: Alternatives) -> FeatureMap:
        """Return the coordinates of θ that analyses or edges have; what is unknown has none."""
        index = self.index
        numbers = np.array([index.get(name, -1) for name in tokens.names], np.int32)
        features = numbers[tokens.columns]
        known = features >= 0
        kept = offsets_of(known)[tokens.offsets]
        values = None if tokens.values is None else tokens.values[known]
        return FeatureMap(kept, features[known], values, len(index))


def prepare_selection(
    selection: Selection, corpus: Iterable[Selected], universe: Selected | None = None
) -> SelectionModel:
    """Return the model whose features are those of a corpus, and of its universe.

    >>> from weft.models.selection.spec import Selection
    >>> from weft.structures.alternatives import alternatives
    >>> both = alternatives([{("given", "low"): 1.0, ("given", "x"): 1.0}, {("given", "x"): 1.0}])
    >>> prepare_selection(Selection(), [Selected(both, (0,))]).names
    (('given', 'low'),)
    """
    relevant: Counter[FeatureName] = Counter()
    highest: dict[FeatureName, float] = {}
    for example in (*corpus, *(() if universe is None else (universe,))):
        tokens = example.tokens
        least, largest = extremes(tokens)
        differs = largest > least
        for name, is_relevant, value in zip(
            tokens.names, differs.tolist(), np.maximum(largest, -least).tolist(), strict=True
        ):
            relevant[name] += is_relevant
            highest[name] = max(value, highest.get(name, 0.0))
    wanted = relevant if selection.only is None else selection.only
    kept = (name for name, count in relevant.items() if count >= selection.relevance)
    names = tuple(sorted(name for name in kept if name in wanted))
    largest = np.array([highest[name] for name in names])
    return SelectionModel(selection, names, largest, None if universe is None else universe.tokens)
