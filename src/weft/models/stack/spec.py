"""Stochastic shift-reduce parsers: what they look at, before a corpus is seen.

A parse is a sequence of moves (:mod:`weft.structures.moves`), and its probability the product of
theirs. :class:`MoveTables` counts how probable moves are, given the two labels on top of the stack,
and perhaps the next terminal; :class:`MoveFeatures` scores them by features.

Reference: Johnson (2001), "Joint and conditional estimation of tagging and parsing models",
section 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from weft.derivations.stack.parses import Limits
from weft.errors import EvidenceError, OptionError
from weft.grammars.heads import HEAD_TABLES, HeadRules, find_head_rules, read_head_rules
from weft.grammars.transforms import binarise_by_head, moves_of
from weft.models.answers import Decoder
from weft.models.examples import tree_example
from weft.models.lexicon import lexicon_of
from weft.models.model import Judge, Outcome, Spec
from weft.models.options import RARE, option
from weft.models.stack.counts import count_moves
from weft.models.stack.model import StackModel
from weft.models.stack.parser import StackParser
from weft.models.stack.tables import Shifts, Unseen, conditional_moves, joint_moves
from weft.models.stack.words import tag_choices, word_choices
from weft.models.tree_parser import no_tree
from weft.models.tree_scores import bracket_judge
from weft.reprs import Brief
from weft.settings import setting
from weft.structures.evidence import Example
from weft.structures.moves import Move
from weft.structures.tree import Tree


class MoveForm(StrEnum):
    """What moves are given."""

    JOINT = "joint"
    """The two labels on top of the stack: a distribution over sentences with their trees."""

    CONDITIONAL = "conditional"
    """The next terminal as well: a distribution over the trees of a sentence."""


@dataclass(frozen=True, slots=True, repr=False)
class MoveTables(Brief, Spec[StackParser]):
    """What a parser whose moves are counted looks at, and what its search may take.

    Attributes:
        form: What moves are given.
        unseen: What happens where no move of a pair of labels was seen.
        shifts: What the frequency of a shift is where the next terminal was not seen.
        parts: Into how many parts the corpus falls for deleted interpolation.
        rare: Words that occur at most so often are what unknown words are like; 0 where the leaves
            of trees are tags.
        heads: The head rules by which trees are made binary: ``collins``, or a file.
        beam: The share of the best prefix weight that an item must have; 0 for an exact search.
        edges: How many edges the search of a sentence may make.
        memory: How many megabytes its items and edges may take.
        seconds: How long it may take; 0 for any time. Unlike the others, this limit need not give
            the same parse again.
        canonical: Whether only the binary trees that head binarisation makes are parses. Otherwise
            several parses may be the same tree.

    Raises:
        OptionError: If these do not go together.
    """

    form: MoveForm = setting(MoveForm.JOINT, "what moves are given: joint or conditional")
    unseen: Unseen = setting(
        Unseen.BACK_OFF, "what happens where no move was seen: interpolate, back-off or lose"
    )
    shifts: Shifts = setting(
        Shifts.TOGETHER, "what a shift's frequency is where the next was unseen: together or apart"
    )
    parts: int = setting(10, "into how many parts deleted interpolation divides a corpus")
    rare: int = setting(1, RARE)
    heads: str = setting("collins", "the head rules: collins, or a file of your own")
    beam: float = setting(
        1e-6, "the share of the best prefix's weight that what is searched must have; 0 for all"
    )
    edges: int = setting(20_000_000, "how many edges the search of a sentence may make")
    memory: int = setting(4_000, "how many megabytes the search of a sentence may take")
    seconds: float = setting(0.0, "how long the search of a sentence may take; 0 for any time")
    canonical: bool = setting(
        True, "whether only the binary trees that head binarisation makes are parses"
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "form", option(MoveForm, self.form))
        object.__setattr__(self, "unseen", option(Unseen, self.unseen))
        object.__setattr__(self, "shifts", option(Shifts, self.shifts))
        limits = ("edges", 1, 10**9), ("memory", 1, 10**6), ("seconds", 0, 10**6)
        for name, least, most in (("rare", 0, 10**9), ("parts", 2, 10**6), *limits):
            if not least <= getattr(self, name) <= most:
                raise OptionError(f"{name} is {least} to {most:,}, not {getattr(self, name)}")
        if not 0 <= self.beam < 1:
            raise OptionError(f"a beam is a share, 0 or more and less than 1, not {self.beam}")

    counted = True
    analyser = StackParser
    decoders = (Decoder.VITERBI, Decoder.POSTERIOR)
    files = unlabelled_files = "--train trees.mrg"

    def compile(self, corpus: Sequence[Any]) -> list[Example]:
        """Return a corpus as examples; of a tree, that of its leaves."""
        return list(map(tree_example, corpus))

    def prepare(
        self,
        seen: Sequence[Example],
        texts: Sequence[Example] = (),  # noqa: ARG002
        others: Sequence[Example] = (),  # noqa: ARG002
    ) -> StackModel:
        """Return the tables of a treebank.

        Raises:
            OptionError: If there are no trees.
            EvidenceError: If a tree has no moves.
        """
        trees = [each for each in seen if isinstance(each.parse, Tree)]
        if not trees:
            raise OptionError("there is no tree to read moves off: train on a treebank")
        heads, words = find_rules(self.heads), self.rare > 0
        parses = [_moves(each, heads, words) for each in trees]
        weights = [each.weight for each in trees]
        counts = count_moves(parses, weights, parts=self.parts)
        joint = self.form is MoveForm.JOINT
        table = (
            joint_moves(counts, self.unseen)
            if joint
            else conditional_moves(counts, self.unseen, self.shifts)
        )
        numbers = {label: number for number, label in enumerate(counts.labels)}
        lexicon = lexicon_of([each.tokens.words for each in trees], self.rare) if words else None
        choices = (
            tag_choices(counts.looks, numbers)
            if lexicon is None
            else word_choices(parses, weights, lexicon, numbers, joint=joint)
        )
        return StackModel(
            counts.labels,
            counts.labels[counts.start],
            table,
            () if joint else counts.looks,
            choices,
            heads,
            lexicon,
            Limits(self.beam, self.edges, bytes=self.memory * 10**6, seconds=self.seconds),
            self.canonical,
        )

    def covers(self, model: StackModel, example: Example) -> bool:
        """Whether all moves of an example's tree are possible."""
        return model.covers(example)

    def judge(
        self,
        model: StackModel,
        corpus: Sequence[Example],
        threads: int | None = None,
        decoder: Decoder | None = None,
    ) -> Judge | None:
        """Return the F-score of the chosen trees' labelled brackets."""
        return bracket_judge(
            lambda theta: self.trained(model, Outcome(theta, decoder=decoder)), corpus, threads
        )

    def why_impossible(self, example: Example, place: int, position: int) -> str:
        """Say that a sentence has no tree."""
        return no_tree(example, place, position)


def find_rules(name: str) -> HeadRules:
    """Return the head rules of a name, or of a file.

    Raises:
        OptionError: If there are none.
        FormatError: If a line of the file is no rule.
    """
    if name not in HEAD_TABLES and Path(name).is_file():
        return read_head_rules(name)
    return find_head_rules(name)


def _moves(example: Example, heads: HeadRules, words: bool) -> list[Move]:
    tree = example.parse
    assert isinstance(tree, Tree)  # noqa: S101
    try:
        return moves_of(binarise_by_head(tree, heads), words=words)
    except EvidenceError as error:
        raise EvidenceError(f"{example.tokens.source or 'a tree'}: {error}") from None
