"""Training parsers, and saying how good they are and what is in them."""

from __future__ import annotations

import math
import os
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from weft.commands.endings import Ending
from weft.commands.inputs import UNSAID, Layout, StrPath, finite
from weft.commands.request import Request
from weft.commands.saving import Watch, fit_and_save
from weft.commands.tree_reader import Terminals, TreeReader, reader_of
from weft.corpora.cleaning import names_of
from weft.corpora.spelling import escapes_in
from weft.criteria import complete, conditional, contrast
from weft.errors import OptionError
from weft.evaluate.brackets import BracketCounts, BracketScores
from weft.files import Source, name_of
from weft.grammars.notation import read_grammar
from weft.models.answers import Decoder
from weft.models.cfg import Cfg
from weft.models.options import option
from weft.models.parser import Parser
from weft.models.parser_scores import assess_parser
from weft.models.storage import Trained
from weft.recipes import Recipe, fit_recipe
from weft.report.features import KindSummary, kind_summaries
from weft.structures.grammar import shown


@dataclass(frozen=True, slots=True, eq=False)
class ParserTraining(Ending):
    """How training went.

    Attributes:
        parser: The parser, with its trace.
        path: Where it was saved.
        sentences: The size of the training corpus.
        tokens: Likewise.
        development: How good it is on the development corpus; None where there is none.
        messages: What is to be told of the files.
    """

    parser: Parser
    path: str
    sentences: int
    tokens: int
    development: BracketScores | None
    messages: tuple[str, ...] = ()

    @property
    def trained(self) -> Trained:
        """The parser."""
        return self.parser

    def as_json(self) -> dict[str, Any]:
        """Return what a program may want to know, ready for JSON."""
        return {
            "model": self.path,
            "sentences": self.sentences,
            "tokens": self.tokens,
            "rules": self.parser.model.grammar.rule_count,
            "development": self.development and counts_json(self.development.overall),
            "messages": list(self.messages),
            **self.ending_json(),
        }


def train_parser(
    path: StrPath,
    request: Request,
    plan: Recipe,
    *,
    threads: int | None = None,
    watch: Watch | None = None,
) -> ParserTraining:
    """Train a parser, and save it; see :func:`weft.commands.train`."""
    cfg = plan.model
    if not isinstance(cfg, Cfg):
        raise OptionError(f"the recipe {plan.name} trains no parser: use pcfg")
    terminals = option(Terminals, request.terminals or "words")
    reader = TreeReader(terminals, request.clean, request.layout)
    if terminals is Terminals.TAGS:
        cfg = replace(cfg, rare=0)  # all tags are known
    if request.grammar is not None:
        cfg = replace(cfg, grammar=read_grammar(request.grammar), symbols=0, rare=0)
    needed = plan.criterion is not None and plan.criterion.numerator is complete
    corpus = [each for s in request.sources for each in reader.read(s, trees=needed)]
    held_out = None
    if request.development is not None:
        held_out = reader.read(request.development, trees=True)
    notes = {
        "settings": ", ".join(f"{key}={value}" for key, value in request.settings.items()),
        "files": ", ".join(Path(name_of(source)).name for source in request.sources),
        "development": "" if held_out is None else Path(name_of(request.development or "")).name,
        "terminals": str(terminals),
        "spelling": " ".join(escapes_in(word for each in corpus for word in each.tokens.words)),
        "clean": names_of(reader.steps),
        "sentences": str(len(corpus)),
        "tokens": str(sum(len(example.tokens) for example in corpus)),
        "weft": version("weft"),
        **({"grammar": Path(name_of(request.grammar)).name} if request.grammar else {}),
    }

    def fit(told: Watch) -> Parser:
        parser: Parser = fit_recipe(
            replace(plan, model=cfg),
            corpus,
            development=held_out,
            progress=told,
            threads=threads,
            notes=notes,
        )
        return parser

    parser = fit_and_save(path, fit, watch)
    scores = None if held_out is None else assess_parser(parser, held_out, threads=threads)
    tokens = sum(len(example.tokens) for example in corpus)
    messages = tuple(reader.messages)
    return ParserTraining(parser, os.fspath(path), len(corpus), tokens, scores, messages)


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


@dataclass(frozen=True, slots=True)
class ParserEvaluation:
    """How good a parser is on a treebank.

    Attributes:
        scores: Brackets, as EVALB counts them.
        failures: The sentences that have no tree, by name.
        log_likelihood: Σ log p(tree | sentence), over the trees whose rules the grammar has.
        likely_tokens: The tokens of these sentences.
        strange: How many trees have other rules.
        messages: What is to be told of the file.
    """

    scores: BracketScores
    failures: tuple[str, ...]
    log_likelihood: float
    likely_tokens: int
    strange: int
    messages: tuple[str, ...] = ()

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
            "messages": list(self.messages),
        }


def evaluate_parser(
    parser: Parser,
    source: Source,
    *,
    layout: Layout = UNSAID,
    threads: int | None = None,
    decoder: Decoder | None = None,
) -> ParserEvaluation:
    """Say how good a parser is on the trees of a file.

    Raises:
        FormatError: If the file cannot be read, or has no trees.
    """
    reader = reader_of(parser, layout)
    corpus = reader.read(source, trees=True)
    scores = assess_parser(parser, corpus, threads=threads, decoder=decoder)
    tokens = [example.tokens for example in corpus]
    failures = tuple(
        each.source
        for each, total in zip(tokens, parser.log_partition(tokens, threads), strict=True)
        if np.isneginf(total)
    )
    able = [example for example in corpus if parser.model.covers(example)]
    values = contrast(parser.model, able, conditional, threads).per_example(parser.weights)
    size = sum(len(example.tokens) for example in able)
    likelihood = math.fsum(values.tolist())
    strange, messages = len(corpus) - len(able), tuple(reader.messages)
    return ParserEvaluation(scores, failures, likelihood, size, strange, messages)


@dataclass(frozen=True, slots=True)
class ParserInspection:
    """What is in a parser.

    Attributes:
        parser: The model.
        kinds: Its kinds of features.
        rules: The rules of the highest weight, with their log-weights, the highest first.
    """

    parser: Parser
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


def inspect_parser(parser: Parser, *, count: int = 20) -> ParserInspection:
    """Look into a parser.

    Args:
        parser: The model.
        count: How many rules to list.
    """
    weights = parser.model.rule_weights(parser.weights)
    order = np.argsort(-weights, kind="stable")[:count].tolist()
    grammar = parser.model.grammar
    rules = tuple((shown(grammar.rule(number)), float(weights[number])) for number in order)
    return ParserInspection(parser, tuple(kind_summaries(parser)), rules)
