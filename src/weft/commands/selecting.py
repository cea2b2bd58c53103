"""Training selectors, ranking analyses with them, and saying how good they are."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from weft.commands.asking import PLAIN, Ask, Reply, replies
from weft.commands.files.inputs import StrPath, finite
from weft.commands.files.opening import open_selector
from weft.corpora.parses.profiles import is_profile, read_profile
from weft.corpora.parses.sets import keep_flagged, read_parse_sets
from weft.corpora.parses.xle.files import is_xle, read_xle
from weft.errors import EvidenceError, FormatError, LimitError, OptionError, WeftError
from weft.evaluate.selection import TOP, Judgements, SelectionScores
from weft.features.reference import UNKNOWN
from weft.files import Source, name_of
from weft.models.explaining import SHOWN
from weft.models.selection.scores import judge
from weft.models.selection.selector import Selector
from weft.models.selection.spec import Selection
from weft.report.tables import percent
from weft.reprs import Brief, count_things, describe, show_figure
from weft.structures.alternatives import Selected
from weft.structures.parse_set import ParseSet
from weft.structures.stream import Corpus, example_at


@dataclass(slots=True)
class Chosen:
    """Which parse sets of a file are taken, and those that were left out.

    Attributes:
        only: A flag: only parse sets of which it is true are taken.
        skip_broken: Whether broken ones are left out; otherwise the first is an error.
        broken: What was wrong with those that were left out, once the file has been read.
    """

    only: str | None = None
    skip_broken: bool = False
    broken: list[WeftError] = field(default_factory=list)

    @property
    def left_out(self) -> tuple[str, ...]:
        """What was wrong with those, each once: a file may be read more than once."""
        return tuple(dict.fromkeys(map(str, self.broken)))

    def read(self, source: Source) -> Iterator[ParseSet]:
        """Read a file of JSON lines, the folder of a profile, or XLE's Prolog files.

        Raises:
            FormatError: With the line, if a record is broken and is not to be left out.
        """
        skip = self.broken.append if self.skip_broken else None
        if is_profile(source):
            found = read_profile(Path(name_of(source)), skip=skip)
        elif is_xle(source):
            found = read_xle(source, skip=skip)
        elif isinstance(source, str | os.PathLike) and Path(source).is_dir():
            message = "this folder is no profile, which has a file 'relations', nor has it any *.pl"
            raise FormatError(message, path=name_of(source))
        else:
            found = read_parse_sets(source, skip=skip)
        return found if self.only is None else keep_flagged(found, self.only)


def compiled_file(chosen: Chosen, source: Source, selection: Selection) -> Iterator[Selected]:
    """Parse sets as bags of features; the trees are forgotten one by one."""
    return (example for _, example in compiled_sets(chosen, source, selection))


def compiled_sets(
    chosen: Chosen, source: Source, selection: Selection
) -> Iterator[tuple[ParseSet, Selected]]:
    """Yield parse sets, and what a selector sees of them."""
    compile_one = selection.compiler()
    for parse_set in chosen.read(source):
        try:
            example = compile_one(parse_set)
        except (FormatError, LimitError) as error:
            if not chosen.skip_broken:
                raise
            chosen.broken.append(error)
        else:
            yield parse_set, example


def check_some(corpus: Iterable[Selected], names: Iterable[str]) -> None:
    """Refuse a corpus that nothing can be learnt from.

    Raises:
        FormatError: If no sentence is said to have a right analysis.
    """
    if not any(each.analysis is not None for each in corpus):
        message = (
            "no parse set here says which analysis is right; give 'right', with a profile "
            "preferences, or with XLE's files select(...) or a single solution beside each"
        )
        raise FormatError(message, path=", ".join(names))


def check_reference(corpus: Corpus, name: str) -> str:
    """Say how much of the analyses of a corpus a reference distribution knows.

    Raises:
        OptionError: If it knows no analysis in full.
    """
    rows, unknown = 0, 0
    for each in corpus:
        rows += len(each.tokens)
        if UNKNOWN in each.tokens.names:
            place = each.tokens.names.index(UNKNOWN)
            unknown += int((each.tokens.columns == place).sum())
    if unknown == rows:
        raise OptionError(
            f"--reference {name}: it knows none of the analyses here in full, such as those of "
            f"{example_at(corpus, 0).tokens.source}. Labels must be the same: a parser of "
            "derivations is trained with --clean top, so that they stay as they are, and a tagger "
            "has lexical entries or their types as tags"
        )
    known = percent(1.0 - unknown / rows)
    return f"{name} knows {known} of the analyses or edges; the others are the feature 'unknown'."


def scores_json(scores: SelectionScores) -> dict[str, Any]:
    """Return scores, ready for JSON; accuracies are fractions of the ambiguous sentences."""
    return {
        "sentences": scores.sentences,
        "ambiguous": scores.ambiguous,
        "correct": scores.accuracy,
        "correct_sentences": scores.correct,
        "expected_accuracy": scores.expected_accuracy,
        "neg_log_pl": finite(scores.neg_log_pl),
        "top": {str(k): scores.top_accuracy(k) for k in TOP},
    }


@dataclass(frozen=True, slots=True, repr=False)
class SelectionEvaluation:
    """How good a selector is on a file, beside chance.

    Attributes:
        scores: The selector's.
        baseline: Those of weights that are all 0.
        unknown: Sentences of which is not known what is right.
        broken: What was wrong with records that were left out.
    """

    scores: SelectionScores
    baseline: SelectionScores
    unknown: int
    broken: tuple[str, ...] = ()

    def __repr__(self) -> str:
        sentences = count_things(self.scores.sentences, "sentence")
        return describe(self, sentences, show_figure("accuracy", self.scores.accuracy))

    def as_json(self) -> dict[str, Any]:
        """Return every figure, ready for JSON; accuracies are fractions."""
        baseline = scores_json(self.baseline)
        return {
            **scores_json(self.scores),
            **{f"baseline_{key}": baseline[key] for key in ("correct", "neg_log_pl")},
            "baseline": baseline,
            "unknown": self.unknown,
            "broken": list(self.broken),
        }


def evaluate_selector(
    selector: Selector | StrPath,
    source: Source,
    *,
    chosen: Chosen | None = None,
    threads: int | None = None,
) -> SelectionEvaluation:
    """Say how good a selector, or that of a file, is on the parse sets of a file.

    Raises:
        OptionError: If it is no selector.
        FormatError: If the file cannot be read, or says of no sentence what is right.
    """
    chosen, selector = chosen or Chosen(), open_selector(selector)
    corpus = list(compiled_file(chosen, source, selector.model.selection))
    check_some(corpus, [name_of(source)])
    zeros = np.zeros_like(selector.weights)
    found: list[Judgements] = [
        judge(selector.model, weights, corpus, threads) for weights in (selector.weights, zeros)
    ]
    return SelectionEvaluation(
        found[0].scores(),
        found[1].scores(),
        len(corpus) - len(found[0]),
        chosen.left_out,
    )


@dataclass(frozen=True, slots=True, repr=False)
class Ranking(Brief):
    """A sentence and what a selector says of its analyses.

    Attributes:
        parse_set: The sentence.
        reply: What was asked for.
        names: What the rows of a packed forest are called; none where they have no names.
    """

    parse_set: ParseSet
    reply: Reply[int | tuple[int, ...]]
    names: Sequence[str] = ()

    def as_json(self) -> dict[str, Any]:
        """Return everything, ready for JSON."""
        about = {"sentence": self.parse_set.id, "text": self.parse_set.text}
        return {**about, **self.reply.as_json(lambda answer: answer, lambda probs: probs.tolist())}

    def ranking_json(self) -> dict[str, Any]:
        """Return the analyses in their order, ready for JSON."""
        ranking = [
            {
                "rank": rank,
                "analysis": place if isinstance(each.answer, tuple) else each.answer,
                "probability": each.probability,
                "score": finite(each.score),
                **self._rows(each.answer),
            }
            for place, (rank, each) in enumerate(
                zip(self.reply.ranks, self.reply.answers, strict=True)
            )
        ]
        return {"id": self.parse_set.id, "text": self.parse_set.text, "ranking": ranking}

    def _rows(self, answer: int | tuple[int, ...]) -> dict[str, Any]:
        """The rows of a packed analysis, and what they are called from the root down."""
        if not isinstance(answer, tuple):
            return {}
        names = [self.names[row] for row in answer if self.names and self.names[row]]
        return {"rows": answer, **({"names": names} if self.names else {})}


def select_file(
    selector: Selector | StrPath,
    source: Source,
    ask: Ask = PLAIN,
    *,
    chosen: Chosen | None = None,
    threads: int | None = None,
) -> Iterator[Ranking]:
    """Ask a selector about each parse set of a file.

    Args:
        selector: The selector, or its file.
        source: The file.
        ask: What is asked. If neither a decoder nor a number of answers is named, all analyses are
            ranked, or ten of a packed forest.
        chosen: Which parse sets are taken.
        threads: How many threads to use, all by default; no result depends on it.

    Raises:
        FormatError: If the file cannot be read.
        EvidenceError: If no analysis of a sentence has a finite weight.
    """
    chosen, selector, rng = chosen or Chosen(), open_selector(selector), ask.rng
    plain = not ask.several and ask.decoder is None
    compile_one = selector.model.selection.compiler()
    for parse_set in chosen.read(source):
        tokens = compile_one(parse_set).tokens
        count = SHOWN if tokens.forest is not None else len(tokens)
        asked = replace(ask, kbest=count) if plain else ask
        [reply] = replies(selector, [tokens], asked, rng, threads)
        if not reply.answers:
            raise EvidenceError(
                f"{tokens.source or 'a sentence'}: the reference distribution excludes all analyses"
            )
        yield Ranking(parse_set, reply, selector.model.selection.names_of(parse_set))
