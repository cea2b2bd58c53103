"""Training parsers, parsing files with them, and saying how good they are."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from weft.commands.endings import Ending
from weft.commands.inputs import UNSAID, Layout, StrPath, finite
from weft.commands.request import Request
from weft.commands.saving import Watch, fit_and_save
from weft.corpora import read_examples
from weft.corpora.cleaning import STEPS, USUAL, Step, steps_named
from weft.corpora.formats import SUFFIXES as FORMAT_SUFFIXES
from weft.corpora.treebanks import SUFFIXES, read_treebank
from weft.criteria import complete, conditional, contrast
from weft.errors import FormatError, LimitError, OptionError
from weft.evaluate.brackets import BracketCounts, BracketScores
from weft.evaluate.parsers import assess_parser
from weft.files import Source, name_of
from weft.grammars.notation import read_grammar
from weft.grammars.transforms import without_words
from weft.models.cfg import Cfg
from weft.models.chain import option
from weft.models.parser import Parse, Parser, worded
from weft.models.storage import Trained
from weft.recipes import Recipe, fit_grammar
from weft.report.features import KindSummary, kind_summaries
from weft.structures.evidence import Example, Sentence
from weft.structures.grammar import shown
from weft.structures.tree import Tree, bracketed

_BATCH = 64  # sentences that are parsed together, so that output comes while input is read


class Terminals(StrEnum):
    """What the sentences of a grammar are made of."""

    WORDS = "words"
    """Words, whose tags are part of the tree."""

    TAGS = "tags"
    """Tags; words are put below them again when a tree is printed."""


@dataclass(frozen=True, slots=True)
class TreeReader:
    """How sentences and trees are read from files.

    Attributes:
        terminals: What sentences are made of.
        clean: The names of clean-ups, with commas between them; None for the usual ones.
        layout: What is said about the format of files without trees.
    """

    terminals: Terminals = Terminals.WORDS
    clean: str | None = None
    layout: Layout = UNSAID

    @property
    def steps(self) -> tuple[Step, ...]:
        """The clean-ups, the removal of words among them.

        Raises:
            OptionError: If there is no clean-up of a name.
        """
        steps = USUAL if self.clean is None else steps_named(self.clean)
        steps = tuple(step for step in steps if step is not without_words)
        return (*steps, without_words) if self.terminals is Terminals.TAGS else steps

    def has_trees(self, source: Source) -> bool:
        """Whether a file is a treebank, by its name or by what is said."""
        if self.layout.name is not None:
            return self.layout.name == "brackets"
        name = name_of(source).removesuffix(".gz")
        return name.endswith(SUFFIXES) or (
            isinstance(source, str | os.PathLike) and Path(source).is_dir()
        )

    def read(self, source: Source, *, trees: bool = False) -> list[Example]:
        """Read a file.

        Args:
            source: A treebank, or a file in another format.
            trees: Whether nothing but trees will do.

        Raises:
            FormatError: If it cannot be read, or has no trees where they are needed.
        """
        if self.has_trees(source):
            found = read_treebank(source, clean=self.steps)
            if not found:
                message = "there is no tree in the file; check that it is the right one"
                raise FormatError(message, path=name_of(source))
            return found
        if trees:
            message = "there are no trees here; give a treebank in brackets, such as *.mrg"
            raise FormatError(f"{message}, or say --format brackets", path=name_of(source))
        # What does not say that it is something else is plain text.
        suffix = Path(name_of(source).removesuffix(".gz")).suffix
        layout = replace(self.layout, name=self.layout.name or FORMAT_SUFFIXES.get(suffix, "text"))
        return [self._sentence(each) for each in read_examples(layout.format_of(source), source)]

    def _sentence(self, example: Example) -> Example:
        tokens = example.tokens
        words = tokens.words
        if self.terminals is Terminals.TAGS and example.analysis is not None:
            tags = example.analysis
            if not all(isinstance(tag, str) for tag in tags):
                message = "every word needs one tag, since the grammar's sentences are made of tags"
                raise FormatError(message, path=tokens.source)
            return Example(Sentence((tuple(map(str, tags)), words), source=tokens.source))
        return Example(Sentence((words,), source=tokens.source))


def reader_of(parser: Parser, layout: Layout = UNSAID) -> TreeReader:
    """Return how a parser's training corpus was read, so that other files are read likewise."""
    clean = parser.notes.get("clean")
    return TreeReader(Terminals(parser.notes.get("terminals", "words")), clean, layout)


@dataclass(frozen=True, slots=True, eq=False)
class ParserTraining(Ending):
    """How training went.

    Attributes:
        parser: The parser, with its trace.
        path: Where it was saved.
        sentences: The size of the training corpus.
        tokens: Likewise.
        development: How good it is on the development corpus; None where there is none.
    """

    parser: Parser
    path: str
    sentences: int
    tokens: int
    development: BracketScores | None

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
    cfg = plan.chain
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
        "clean": ",".join(name for name, step in STEPS.items() if step in reader.steps),
        "sentences": str(len(corpus)),
        "tokens": str(sum(len(example.tokens) for example in corpus)),
        "weft": version("weft"),
        **({"grammar": Path(name_of(request.grammar)).name} if request.grammar else {}),
    }

    def fit(told: Watch) -> Parser:
        return fit_grammar(
            replace(plan, chain=cfg),
            corpus,
            development=held_out,
            progress=told,
            threads=threads,
            notes=notes,
        )

    parser = fit_and_save(path, fit, watch)
    scores = None if held_out is None else assess_parser(parser, held_out, threads=threads)
    tokens = sum(len(example.tokens) for example in corpus)
    return ParserTraining(parser, os.fspath(path), len(corpus), tokens, scores)


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
    """

    scores: BracketScores
    failures: tuple[str, ...]
    log_likelihood: float
    likely_tokens: int
    strange: int

    def as_json(self) -> dict[str, Any]:
        """Return every figure, ready for JSON; shares are fractions."""
        return {
            **counts_json(self.scores.overall),
            f"up_to_{self.scores.cutoff}_words": counts_json(self.scores.short),
            "failures": list(self.failures),
            "skipped": {each.source: each.problem for each in self.scores.skipped},
            "log_likelihood": finite(self.log_likelihood),
            "likely_tokens": self.likely_tokens,
            "trees_with_other_rules": self.strange,
        }


def evaluate_parser(
    parser: Parser, source: Source, *, layout: Layout = UNSAID, threads: int | None = None
) -> ParserEvaluation:
    """Say how good a parser is on the trees of a file.

    Raises:
        FormatError: If the file cannot be read, or has no trees.
    """
    corpus = reader_of(parser, layout).read(source, trees=True)
    scores = assess_parser(parser, corpus, threads=threads)
    tokens = [example.tokens for example in corpus]
    failures = tuple(
        each.source
        for each, total in zip(tokens, parser.log_sums(tokens, threads), strict=True)
        if np.isneginf(total)
    )
    able = [example for example in corpus if parser.model.covers(example)]
    values = contrast(parser.model, able, conditional, threads).per_example(parser.weights)
    size = sum(len(example.tokens) for example in able)
    likelihood = math.fsum(values.tolist())
    return ParserEvaluation(scores, failures, likelihood, size, len(corpus) - len(able))


@dataclass(frozen=True, slots=True)
class Parsed:
    """A sentence and its best tree.

    Attributes:
        tokens: The sentence.
        parse: The tree; None where there is none.
        problem: Why there is none; empty where there is.
    """

    tokens: Sentence
    parse: Parse | None
    problem: str = ""

    @property
    def tree(self) -> Tree | None:
        """The tree with its words; None where there is none."""
        return None if self.parse is None else worded(self.parse.tree, self.tokens)

    def printed(self, root: str) -> Tree:
        """Return the tree; where there is none, a flat one under a root."""
        if self.tree is not None:
            return self.tree
        columns = self.tokens.columns
        tags = columns[0] if len(columns) > 1 else ("X",) * len(self.tokens)
        pairs = zip(tags, columns[-1], strict=True)
        return Tree(root, tuple(Tree(tag, (word,)) for tag, word in pairs))

    def brackets(self, root: str) -> str:
        """Return the tree, or a flat one, in brackets on a line."""
        return bracketed(self.printed(root))

    def as_json(self) -> dict[str, Any]:
        """Return everything, ready for JSON; tree and log_prob are null where there is none."""
        tree = self.tree
        return {
            "sentence": self.tokens.source,
            "words": list(self.tokens.columns[-1]),
            "tree": None if tree is None else bracketed(tree),
            "score": None if self.parse is None else finite(self.parse.score),
            "log_prob": None if self.parse is None else finite(self.parse.log_prob),
            **({"problem": self.problem} if self.problem else {}),
        }

    def line(self) -> str:
        """Return a line of JSON."""
        return json.dumps(self.as_json(), ensure_ascii=False, allow_nan=False) + "\n"


def parse_file(
    parser: Parser, source: Source, *, layout: Layout = UNSAID, threads: int | None = None
) -> Iterator[Parsed]:
    """Parse the sentences of a file.

    A sentence that has no tree, or would need too much memory, is told so, and the others go on.

    Raises:
        FormatError: If the file cannot be read.
    """
    known = set(parser.model.grammar.terminals)
    sentences = (example.tokens for example in reader_of(parser, layout).read(source))
    while some := list(islice(sentences, _BATCH)):
        try:
            found = parser.parse(some, threads)
        except LimitError:
            found = []
        if found:
            for tokens, parse in zip(some, found, strict=True):
                yield Parsed(tokens, parse, "" if parse else _problem(parser, tokens, known))
        else:
            yield from (_alone(parser, tokens, known, threads) for tokens in some)


def _alone(parser: Parser, tokens: Sentence, known: set[str], threads: int | None) -> Parsed:
    try:
        [parse] = parser.parse([tokens], threads)
    except LimitError as error:
        return Parsed(tokens, None, str(error))
    return Parsed(tokens, parse, "" if parse else _problem(parser, tokens, known))


def _problem(parser: Parser, tokens: Sentence, known: set[str]) -> str:
    for place, terminal in enumerate(parser.model.terminals(tokens.words)):
        if terminal not in known:
            word = tokens.words[place]
            return f"the grammar does not have token {place + 1}, {word!r}"
    return "the grammar has no tree for these tokens" if len(tokens) else "there is no token"


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
