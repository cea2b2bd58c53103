"""Parsers: a grammar model with its weights, and what it can be asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from weft.arrays import FloatArray, checked_weights
from weft.grammars.transforms import with_words
from weft.models.grammar_model import GrammarModel
from weft.models.tagger import Progress, Tokens
from weft.structures.evidence import Analysis, Evidence, Sentence, sentence
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


def worded(tree: Tree, tokens: Sentence) -> Tree:
    """Return a tree with its words, where its leaves are tags and the second column has words.

    >>> worded(Tree("NP", ("DT", "NN")), Sentence((("DT", "NN"), ("the", "dog"))))
    Tree('(NP (DT the) (NN dog))')
    """
    return with_words(tree, tokens.columns[1]) if len(tokens.columns) > 1 else tree


@dataclass(frozen=True, slots=True, eq=False)
class Parser:
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
    weights: FloatArray
    trace: tuple[Progress, ...] = ()
    notes: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        size = self.model.parameters.size
        object.__setattr__(self, "weights", checked_weights(self.weights, size))

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
    ) -> list[Parse | None]:
        """Return the best tree of each sentence; None where it has none.

        >>> from weft import Cfg, fit
        >>> from weft.structures.evidence import Example
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
        """
        asked = [each if isinstance(each, Sentence) else sentence(each) for each in sentences]
        known = [None] * len(asked) if analyses is None else analyses
        evidences = [Evidence(*pair) for pair in zip(asked, known, strict=True)]
        charts = self.model.chart(evidences, threads)
        totals = charts.log_partition(self.weights)
        found: list[Parse | None] = []
        scores, trees = charts.best(self.weights)
        for tokens, tree, score, total in zip(asked, trees, scores.tolist(), totals, strict=True):
            if tree is None:
                found.append(None)
                continue
            restored = self.model.restored(tree, tokens.words)
            found.append(Parse(restored, score, min(float(score - total), 0.0)))
        return found

    def log_sums(self, sentences: Sequence[Tokens], threads: int | None = None) -> FloatArray:
        """[sentences]: the log of the sum over each sentence's trees; -inf where it has none."""
        asked = [each if isinstance(each, Sentence) else sentence(each) for each in sentences]
        charts = self.model.chart([Evidence(each) for each in asked], threads)
        return np.asarray(charts.log_partition(self.weights))
