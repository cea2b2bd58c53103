"""Parsers: a grammar model with its weights, and what it can be asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from weft.arrays import FloatArray
from weft.derivations.chart.members import spans_of
from weft.derivations.feature_map import from_lists
from weft.derivations.known import Counted
from weft.features.reference import Reference
from weft.models.distributions import Distributions
from weft.models.explaining import Terms, terms_of
from weft.models.grammar.charts import Charts
from weft.models.grammar.model import GrammarModel
from weft.models.grammar.reference import parser_reference
from weft.models.grammar.room import large_charts
from weft.models.options import Normalisation
from weft.models.too_large import TooLarge
from weft.models.tree_parser import TreeParser, words_of
from weft.reprs import count_things, describe
from weft.structures.constituents import Span
from weft.structures.evidence import Evidence, Example, Tokens
from weft.structures.grammar import Grammar
from weft.structures.tree import Tree


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Parser(TreeParser):
    """A grammar model with weights.

    Attributes:
        model: Which trees exist and which features they have.
        weights: [θ].
        trace: How training went; accuracies are F-scores of labelled brackets.
        notes: How the parser was made (recipe, criterion, penalty, ...), for people and tools.
        decoder: How trees are chosen if nothing else is asked for.

    Raises:
        ValueError: If the weights are not the model's in number, or one is no weight.
    """

    model: GrammarModel

    def __repr__(self) -> str:
        rules = count_things(self.model.grammar.rule_count, "rule")
        size = count_things(len(self.weights), "feature")
        return describe(self, rules, size, self.notes.get("criterion", ""))

    @property
    def distributions(self) -> Distributions | None:
        """The distributions of a PCFG, one for each left side; None for free weights."""
        joint = self.model.normalisation is Normalisation.JOINT
        return self.model.distributions if joint else None

    @property
    def grammar(self) -> Grammar:
        """The weighted grammar.

        Raises:
            OptionError: If the model has features of phrases, which are no weights of rules.
        """
        return self.model.grammar_at(self.weights)

    def derivations(self, evidences: Sequence[Evidence], threads: int | None) -> Charts:
        """Return the trees of each sentence, as the grammar has them."""
        return self.model.chart(evidences, threads)

    def answer(self, evidence: Evidence, derivation: Tree) -> Tree:
        """Return a tree of the grammar as treebanks have it."""
        return self.model.restored(derivation, words_of(evidence))

    def scores(self, evidences: Sequence[Evidence], derivations: Sequence[Tree]) -> FloatArray:
        """[derivations]: the log-weights of trees of the grammar."""
        return self.model.tree_scores(
            self.weights, derivations, [words_of(each) for each in evidences]
        )

    def surest(
        self,
        evidences: Sequence[Evidence],  # noqa: ARG002
        derivations: Charts,  # type: ignore[override]
    ) -> list[Tree | None]:
        """Return the trees with the fewest wrong and missing labels over spans expected."""
        return derivations.surest(self.weights)

    def terms(self, evidence: Evidence, derivation: Tree) -> Terms:
        """Return the features of a tree of the grammar."""
        terminals = self.model.terminals(words_of(evidence))
        coordinates = [self.model.coordinates(derivation, terminals)]
        found = Counted(from_lists(coordinates, self.model.parameters.size))
        return terms_of(self.model, self.weights, found)

    def too_large(self, corpus: Sequence[Example], threads: int | None = None) -> TooLarge | None:
        """Return the sentences whose charts would take too much memory."""
        return large_charts(self.model, corpus, threads)

    def as_reference(self) -> Reference:
        """Return the parser as a reference distribution over derivations."""
        return parser_reference(self)

    def marginals(
        self, inputs: Sequence[Tokens | Evidence], threads: int | None = None
    ) -> list[dict[Span, float]]:
        """Return, for each sentence, how often labels are expected over spans of its words."""
        evidences = self.evidences(inputs)
        _, several = self.derivations(evidences, threads).marginals(self.weights)
        labels = [self.model.restored_label(each) for each in self.model.grammar.nonterminals]
        found = []
        for evidence, probs in zip(evidences, several, strict=True):
            starts, ends = (each.tolist() for each in spans_of(len(words_of(evidence)) + 1))
            expected: dict[Span, float] = {}
            for span, number in zip(*(each.tolist() for each in np.nonzero(probs)), strict=True):
                label = labels[number]
                if label is not None:
                    place = Span(starts[span], ends[span], label)
                    expected[place] = expected.get(place, 0.0) + float(probs[span, number])
            found.append(expected)
        return found
