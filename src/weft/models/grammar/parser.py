"""Parsers: a grammar model with its weights, and what it can be asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from weft.arrays import FloatArray
from weft.derivations.chart.members import spans_of
from weft.derivations.feature_map import from_lists
from weft.derivations.known import Counted
from weft.features.reference import Reference
from weft.grammars.transforms import with_words
from weft.models.analyser import Analyser
from weft.models.answers import Decoder
from weft.models.explaining import Terms, terms_of
from weft.models.grammar.charts import Charts
from weft.models.grammar.model import GrammarModel
from weft.models.grammar.reference import parser_reference
from weft.reprs import count_things, describe
from weft.structures.constituents import Span
from weft.structures.evidence import Analysis, Evidence, Example, Sentence, Tokens, as_evidence
from weft.structures.grammar import Grammar
from weft.structures.tree import Tree


class Parse(NamedTuple):
    """A tree of a sentence.

    Attributes:
        tree: The tree, as treebanks have it.
        score: The logarithm of its weight.
        log_prob: Its log-probability among the sentence's trees.
    """

    tree: Tree
    score: float
    log_prob: float


def put_words(tree: Tree, tokens: Sentence) -> Tree:
    """Return a tree with its words, where its leaves are tags and the second column has words.

    >>> put_words(Tree("NP", ("DT", "NN")), Sentence((("DT", "NN"), ("the", "dog"))))
    Tree('(NP (DT the) (NN dog))')
    """
    return with_words(tree, tokens.columns[1]) if len(tokens.columns) > 1 else tree


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Parser(Analyser[Tokens | Evidence, Tree]):
    """A grammar model with weights.

    Attributes:
        model: Which trees exist and which features they have.
        weights: [θ].
        trace: How training went; accuracies are F-scores of labelled brackets.
        notes: How the parser was made (recipe, criterion, penalty, ...), for people and tools.

    Raises:
        ValueError: If the weights are not the model's in number, or one is no weight.
    """

    model: GrammarModel

    def __repr__(self) -> str:
        rules = count_things(self.model.grammar.rule_count, "rule")
        size = count_things(len(self.weights), "feature")
        return describe(self, rules, size, self.notes.get("criterion", ""))

    @property
    def grammar(self) -> Grammar:
        """The weighted grammar.

        Raises:
            OptionError: If the model has features of phrases, which are no weights of rules.
        """
        return self.model.grammar_at(self.weights)

    def parse(
        self,
        sentences: Sequence[Tokens],
        threads: int | None = None,
        *,
        analyses: Sequence[Analysis | None] | None = None,
        decoder: Decoder | None = None,
    ) -> list[Parse | None]:
        """Return the best tree of each sentence; None where it has none.

        >>> from weft import Cfg, fit
        >>> from weft.structures.evidence import Example, sentence
        >>> tree = Tree("S", (Tree("NP", ("dogs",)), Tree("VP", ("bark",))))
        >>> corpus = [Example(sentence(["dogs", "bark"]), parse=tree)]
        >>> parser = fit(Cfg(normalisation="joint"), corpus)
        >>> parser.parse([["dogs", "bark"], ["cats"]])[0].tree == tree
        True

        Args:
            sentences: Sentences, or just their words.
            threads: How many threads to use, all by default; no result depends on it.
            analyses: What is known of the tags of each sentence, where the leaves are words: only
                trees that have them are looked at, and ``log_prob`` is given them.
            decoder: How trees are chosen: the most probable ones by default.
        """
        known = [None] * len(sentences) if analyses is None else analyses
        asked = [
            Evidence(as_evidence(each).tokens, tags)
            for each, tags in zip(sentences, known, strict=True)
        ]
        return [
            None if each is None else Parse(each.answer, each.score, each.log_prob)
            for each in self.best(asked, decoder, threads)
        ]

    def derivations(self, evidences: Sequence[Evidence], threads: int | None) -> Charts:
        """Return the trees of each sentence, as the grammar has them."""
        return self.model.chart(evidences, threads)

    def answer(self, evidence: Evidence, derivation: Tree) -> Tree:
        """Return a tree of the grammar as treebanks have it."""
        return self.model.restored(derivation, _words(evidence))

    def scores(self, evidences: Sequence[Evidence], derivations: Sequence[Tree]) -> FloatArray:
        """[derivations]: the log-weights of trees of the grammar."""
        return self.model.tree_scores(
            self.weights, derivations, [_words(each) for each in evidences]
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
        terminals = self.model.terminals(_words(evidence))
        coordinates = [self.model.coordinates(derivation, terminals)]
        found = Counted(from_lists(coordinates, self.model.parameters.size))
        return terms_of(self.model, self.weights, found)

    def agrees(self, example: Example, answer: Tree) -> bool | None:
        """Whether a tree is the example's; None where that is not a whole tree."""
        return answer == example.parse if isinstance(example.parse, Tree) else None

    def covers(self, example: Example) -> bool:
        """Whether all rules of an example's tree are the grammar's."""
        return not isinstance(example.parse, Tree) or self.model.covers(example)

    def as_reference(self) -> Reference:
        """Return the parser as a reference distribution over derivations."""
        return parser_reference(self)

    def marginals(
        self, inputs: Sequence[Tokens | Evidence], threads: int | None = None
    ) -> list[dict[Span, float]]:
        """Return, for each sentence, how often labels are expected over spans of its words.

        Labels are those of treebanks. Where a label stands over a span twice, one below the other,
        it counts twice; otherwise this is a probability. Labels of probability 0 are left out, and
        a sentence without a tree has none.
        """
        evidences = self.evidences(inputs)
        _, several = self.derivations(evidences, threads).marginals(self.weights)
        labels = [self.model.restored_label(each) for each in self.model.grammar.nonterminals]
        found = []
        for evidence, probs in zip(evidences, several, strict=True):
            starts, ends = (each.tolist() for each in spans_of(len(_words(evidence)) + 1))
            expected: dict[Span, float] = {}
            for span, number in zip(*(each.tolist() for each in np.nonzero(probs)), strict=True):
                label = labels[number]
                if label is not None:
                    place = Span(starts[span], ends[span], label)
                    expected[place] = expected.get(place, 0.0) + float(probs[span, number])
            found.append(expected)
        return found


def _words(evidence: Evidence) -> tuple[str, ...]:
    tokens = evidence.tokens
    return tokens.words if isinstance(tokens, Sentence) else ()


def no_tree(example: Example, place: int, position: int) -> str:
    """Say that an example has no tree, and at which token that is certain.

    Args:
        example: The example.
        place: Its number, from 0.
        position: The token that no tree gets past, at the latest.
    """
    tokens = example.tokens
    name = tokens.source or f"example {place + 1}"
    if not len(tokens):
        return f"{name}: there is no word, and the grammar does not allow that"
    return (
        f"{name}: the grammar has no tree for this sentence, at the latest from token "
        f"{position + 1}, '{tokens.words[position]}', on; add rules, or leave the sentence out"
    )
