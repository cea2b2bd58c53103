"""Training parsers, and saying how good they are and what is in them."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from weft.arrays import IntArray
from weft.commands.files.inputs import UNSAID, FileLayout, StrPath, finite
from weft.commands.files.opening import open_as, open_parser
from weft.commands.files.trees import reader_of
from weft.evaluate.brackets import BracketCounts, BracketScores
from weft.files import Source
from weft.models.answers import Decoder
from weft.models.grammar.parser import Parser
from weft.models.tree_parser import TreeParser
from weft.models.tree_scores import assess_parser, sentence_bits
from weft.ranking import ranked
from weft.report.features import KindSummary, kind_summaries
from weft.reprs import Brief, count_things, describe, show_figure
from weft.structures.grammar import shown


def counts_json(counts: BracketCounts) -> dict[str, Any]:
    """Return what brackets come to, ready for JSON; shares are fractions."""
    return {
        "sentences": counts.sentences,
        "precision": counts.precision,
        "recall": counts.recall,
        "f1": counts.f1,
        "unlabelled_precision": counts.unlabelled.precision,
        "unlabelled_recall": counts.unlabelled.recall,
        "unlabelled_f1": counts.unlabelled.f1,
        "exact_match": counts.exact_match,
        "crossing": counts.mean_crossing,
        "tagging_accuracy": counts.tagging_accuracy,
    }


@dataclass(frozen=True, slots=True, repr=False)
class ParserEvaluation:
    """How good a parser is on a treebank.

    Attributes:
        scores: Brackets, as EVALB counts them.
        failures: The sentences that have no tree, by name.
        log_likelihood: Σ log p(tree | sentence), over the trees whose rules the grammar has.
        likely_tokens: The tokens of these sentences.
        strange: How many trees have other rules.
        messages: What is to be told of the file.
        bits: Of the sentences that have a probability, what they say in bits, −log₂ p(sentence);
            None where the model has no distribution over sentences.
        bit_tokens: The words of these sentences, and one for the end of each.
        made_of: What the trees have that the model excludes.
    """

    scores: BracketScores
    failures: tuple[str, ...]
    log_likelihood: float
    likely_tokens: int
    strange: int
    messages: tuple[str, ...] = ()
    bits: float | None = None
    bit_tokens: int = 0
    made_of: str = TreeParser.made_of

    def __repr__(self) -> str:
        overall = self.scores.overall
        sentences = count_things(overall.sentences, "sentence")
        return describe(self, sentences, show_figure("F1", overall.f1))

    @property
    def bits_per_word(self) -> float | None:
        """−log₂ p(sentence) per word, ends being words; None where there is no such thing."""
        return None if self.bits is None or not self.bit_tokens else self.bits / self.bit_tokens

    def as_json(self) -> dict[str, Any]:
        """Return every figure, ready for JSON; shares are fractions."""
        return {
            **counts_json(self.scores.overall),
            f"up_to_{self.scores.cutoff}_words": counts_json(self.scores.short),
            "failures": list(self.failures),
            "left_out": {each.source: each.problem for each in self.scores.left_out},
            "log_likelihood": finite(self.log_likelihood),
            "likely_tokens": self.likely_tokens,
            "trees_with_other_rules": self.strange,
            "bits_per_word": self.bits_per_word,
            "messages": list(self.messages),
        }


def evaluate_parser(
    parser: TreeParser | StrPath,
    source: Source,
    *,
    layout: FileLayout = UNSAID,
    threads: int | None = None,
    decoder: Decoder | None = None,
) -> ParserEvaluation:
    """Say how good a parser, or that of a file, is on the trees of a file.

    Raises:
        OptionError: If it is no parser.
        FormatError: If the file cannot be read, or has no trees.
    """
    parser = open_parser(parser)
    reader = reader_of(parser, layout)
    corpus = reader.read(source, trees=True)
    scores = assess_parser(parser, corpus, threads=threads, decoder=decoder)
    large = parser.too_large(corpus, threads)
    if large is not None:
        reader.messages.append(f"without a tree: {large}")
        corpus = large.kept()
    sums = parser.log_sums(corpus, threads)
    failures = tuple(
        example.tokens.source
        for example, total in zip(corpus, sums.input.tolist(), strict=True)
        if total == -math.inf
    )
    able = np.array([parser.model.covers(example) for example in corpus], np.bool_)
    sizes = np.array([len(example.tokens) for example in corpus])
    likely = able & (sums.input > -np.inf)  # a search may have been given up
    likelihood = math.fsum(sums.conditional[likely].tolist())
    strange, messages = int((~able).sum()), tuple(reader.messages)
    found = ParserEvaluation(
        scores,
        failures,
        likelihood,
        int(sizes[likely].sum()),
        strange,
        messages,
        made_of=parser.made_of,
    )
    if sums.marginal is None:
        return found
    bits, words = sentence_bits(parser, corpus, sums.marginal)
    return replace(found, bits=bits, bit_tokens=words)


@dataclass(frozen=True, slots=True, repr=False)
class ParserInspection(Brief):
    """What is in a parser.

    Attributes:
        parser: The model.
        kinds: Its kinds of features.
        rules: The rules of the highest weight, with their log-weights, the highest first.
    """

    parser: TreeParser
    kinds: tuple[KindSummary, ...]
    rules: tuple[tuple[str, float], ...]

    def as_json(self) -> dict[str, Any]:
        """Return everything, ready for JSON."""
        grammar = self.parser.model.grammar
        return {
            "notes": dict(self.parser.notes),
            "normalisation": str(self.parser.model.normalisation),
            "nonterminals": len(grammar.nonterminals),
            "terminals": len(grammar.terminals),
            "rules": grammar.rule_count,
            "features": len(self.parser.weights),
            "kinds": [asdict(kind) for kind in self.kinds],
            "heaviest": [{"rule": name, "weight": finite(value)} for name, value in self.rules],
            "trace": [asdict(step) for step in self.parser.trace],
        }


def inspect_parser(parser: Parser | StrPath, *, count: int = 20) -> ParserInspection:
    """Look into a parser.

    Args:
        parser: A parser with a grammar, or its file.
        count: How many rules to list.

    Raises:
        OptionError: If it is something else.
        FormatError: If the file is no model's.
    """
    parser = open_as(Parser, "parser with a grammar", parser)
    weights = parser.model.rule_weights(parser.weights)
    grammar = parser.model.grammar

    def names(numbers: IntArray) -> list[str]:
        return [shown(grammar.rule(number)) for number in numbers.tolist()]

    order = ranked(weights, names, count, least=1.0)
    rules = tuple(zip(names(order), weights[order].tolist(), strict=True))
    return ParserInspection(parser, tuple(kind_summaries(parser)), rules)
