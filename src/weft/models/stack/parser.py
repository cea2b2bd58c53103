"""Shift-reduce parsers with their weights, and what they can be asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from weft.arrays import FloatArray
from weft.derivations.derivation_set import DerivationSet
from weft.derivations.stack.chunks import Chunks
from weft.derivations.stack.forest import ParseDerivation
from weft.derivations.stack.parses import PARTIAL
from weft.models.answers import Decoder
from weft.models.explaining import Terms, terms_of
from weft.models.log_sums import LogSums
from weft.models.stack.model import StackModel
from weft.models.tree_parser import TreeParser, words_of
from weft.reprs import count_things, describe
from weft.structures.constituents import Span
from weft.structures.evidence import Evidence, Tokens
from weft.structures.tree import Tree

_BATCH = 16


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class StackParser(TreeParser):
    """A shift-reduce parser.

    Attributes:
        model: Which parses exist, and how probable moves are.
        weights: [θ]; none where moves were counted.
        trace: How training went; accuracies are F-scores of labelled brackets.
        notes: How the parser was made (recipe, criterion, penalty, ...), for people and tools.
        decoder: How trees are chosen if nothing else is asked for.
    """

    model: StackModel
    decoder: Decoder = Decoder.VITERBI

    made_of = "moves that the parser does not have"
    closest_is = (
        "no parse was found within the limits of the search, and the best stack that it reached is "
        "given, with the words after it"
    )

    def __repr__(self) -> str:
        labels = count_things(len(self.model.labels) - 1, "label")
        size = count_things(len(self.weights), "feature")
        return describe(self, labels, size, self.notes.get("criterion", ""))

    def derivations(self, evidences: Sequence[Evidence], threads: int | None) -> Chunks:
        """Return the parses of each sentence, which are not all in memory at a time."""
        return self.model.chunks(evidences, threads)

    def scores(
        self,
        evidences: Sequence[Evidence],  # noqa: ARG002
        derivations: Sequence[ParseDerivation],
    ) -> FloatArray:
        """[derivations]: their log-weights, which they know."""
        return np.array([each.score for each in derivations], np.float64)

    def surest(self, evidences: Sequence[Any], derivations: DerivationSet) -> list[Any]:  # noqa: ARG002
        """Return the parses with the fewest wrong and missing labels over spans expected."""
        several: Any = derivations
        found: list[Any] = several.surest(self.weights)
        return found

    def marginals(
        self, inputs: Sequence[Tokens | Evidence], threads: int | None = None
    ) -> list[dict[Span, float]]:
        """Return, for each sentence, how often labels are expected over spans of its words."""
        return self.derivations(self.evidences(inputs), threads).spans(self.weights)

    def terms(self, evidence: Evidence, derivation: ParseDerivation) -> Terms:
        """Return the features of a derivation."""
        found = self.model.forest([evidence]).counted([derivation])
        return terms_of(self.model, self.weights, found)

    def _log_sums(
        self, examples: Sequence[Any], threads: int | None, everything: float = np.inf
    ) -> LogSums:
        """Some examples at a time, so that their forests are not all in memory."""
        starts = range(0, max(len(examples), 1), _BATCH)
        parts = [
            TreeParser._log_sums(self, examples[start : start + _BATCH], threads, everything)
            for start in starts
        ]
        complete, given = (
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("complete", "input")
        )
        return LogSums(complete, given, everything)

    def closest(self, given: Tokens | Evidence, threads: int | None = None) -> Tree | None:
        """Return what stands for the parse of a sentence without one; None if it has no words.

        These are the nodes of the best stack that the search has reached, and the words after them,
        under the root.
        """
        [evidence] = self.evidences([given])
        limits = replace(self.model.limits, partial=True)
        model = replace(self.model, limits=limits, canonical=False)
        forest = model.forest([evidence], threads)
        [found] = forest.best(self.weights)[1]
        words = words_of(evidence)
        if isinstance(found, ParseDerivation) and words:
            return self.model.partial(found.tree, words)
        # A search that ends before it has shifted a word has an empty stack.
        [parses] = forest.parses
        return self.model.partial(Tree(PARTIAL, ()), words) if parses.stopped and words else None
