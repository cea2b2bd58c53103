"""Johnson et al. (1999), "Estimators for Stochastic 'Unification-Based' Grammars", ACL.

The authors are M. Johnson, S. Geman, S. Canon, Z. Chi and S. Riezler. They compare three estimators
that choose among the analyses of two LFG grammars: a baseline by which all are alike,
pseudo-likelihood, and the number of right choices. Their corpora are not to be had. These tables
are of analyses by an LFG of our own of sentences of the same two kinds, appointments and manuals of
printers, with the properties of the paper, and of analyses by HPSG grammars.

Analyses are shuffled first, so that nothing can depend on the order in which a parser found them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rich.table import Table

from weft.evaluate.diagnostics import CorpusSize, Diagnosis, corpus_size, diagnose
from weft.evaluate.selection import Judgements, SelectionScores, judgements_of
from weft.evaluate.significance import PairedTest
from weft.features.compile import unpack_parses
from weft.papers.selection.estimators import (
    MAXIMISERS,
    SelectionCorpus,
    Watch,
    estimators,
)
from weft.report.tables import percent, table
from weft.train.crossvalidation import BASELINE, ESTIMATED, crossvalidation
from weft.train.selection.choices import SCALED, choices_of, compare_choices

PAPER: Mapping[str, Mapping[str, tuple[float, float]]] = {
    "Verbmobil": {
        "baseline": (0.097, 533),
        "pseudo-likelihood": (0.587, 396),
        "max-correct": (0.537, 469),
    },
    "Homecentre": {
        "baseline": (0.152, 655),
        "pseudo-likelihood": (0.588, 583),
        "max-correct": (0.532, 604),
    },
}
"""Table 3: the share of right choices, and −log PL."""


@dataclass(frozen=True, slots=True)
class Results:
    """Tables 1 to 3 of one corpus.

    Attributes:
        corpus: Its name.
        size: Table 1.
        features: Table 2.
        rows: Table 3: the scores of each estimator, over all folds.
        direct: The same, over the sentences of :attr:`SelectionCorpus.direct` alone; empty if
            there are none.
        tests: Pairs of estimators, the second compared with the first.
    """

    corpus: str
    size: CorpusSize
    features: Diagnosis
    rows: Mapping[str, SelectionScores]
    direct: Mapping[str, SelectionScores]
    tests: Mapping[tuple[str, str], PairedTest]

    def as_json(self) -> dict[str, Any]:
        """Return every figure, ready for JSON."""
        return {
            "corpus": self.corpus,
            "table1": dict(self.size.rows()),
            "table2": dict(self.features.rows()),
            "table3": {name: _scores_json(scores) for name, scores in self.rows.items()},
            "direct": {name: _scores_json(scores) for name, scores in self.direct.items()},
            "tests": [
                {
                    "first": first,
                    "second": second,
                    "difference": each.difference,
                    "low": each.low,
                    "high": each.high,
                    "p_value": each.p_value,
                }
                for (first, second), each in self.tests.items()
            ],
        }


def _scores_json(scores: SelectionScores) -> dict[str, Any]:
    return {
        "ambiguous": scores.ambiguous,
        "correct": scores.accuracy,
        "neg_log_pl": scores.neg_log_pl,
    }


def results(
    corpus: SelectionCorpus,
    *,
    folds: int = 10,
    seed: int = 0,
    steps: int | None = None,
    maximiser: str = MAXIMISERS[0],
    threads: int | None = None,
    watch: Watch | None = None,
) -> Results:
    """Make tables 1 to 3 of a corpus.

    Args:
        corpus: The sentences.
        folds: Of the cross-validation.
        seed: Deals sentences to folds.
        steps: How many changes simulated annealing tries, if not what the recipe says.
        maximiser: What maximises the number of right choices, of :data:`MAXIMISERS`.
        threads: How many folds to work on at a time; no result depends on it.
        watch: Told what is being estimated.

    Raises:
        OptionError: If there is no such maximiser, or it takes no steps.
    """
    judged = judge_estimators(corpus, folds, seed, steps, maximiser, threads, watch)
    pairs = [("max-correct", "pseudo-likelihood"), ("pseudo-likelihood", "tighter prior")]
    direct = corpus.direct
    return Results(
        corpus.name,
        corpus_size(corpus.examples),
        diagnose(corpus.examples),
        {name: each.scores() for name, each in judged.items()},
        {name: each.pick(direct).scores() for name, each in judged.items()}
        if direct is not None
        else {},
        {pair: compare_choices(judged[pair[0]], judged[pair[1]]) for pair in pairs},
    )


def judge_estimators(
    corpus: SelectionCorpus,
    folds: int = 10,
    seed: int = 0,
    steps: int | None = None,
    maximiser: str = MAXIMISERS[0],
    threads: int | None = None,
    watch: Watch | None = None,
) -> dict[str, Judgements]:
    """Return what each estimator chooses in every sentence, as part of some fold's test part.

    The arguments are those of :func:`results`.
    """
    say = watch or (lambda _: None)
    found = {}
    for name, estimate in estimators(steps, maximiser).items():
        say(f"{corpus.name}: {name}")
        # The number of right choices is counted analysis by analysis.
        apart = name == "max-correct"
        found[name] = crossvalidation(
            choices_of(estimate, scale=apart),
            [unpack_parses(each) for each in corpus.examples] if apart else corpus.examples,
            folds=folds,
            seed=seed,
            threads=threads,
        ).judged
    judged = {"baseline": judgements_of(found["pseudo-likelihood"][BASELINE])}
    for name, each in found.items():
        judged[name] = judgements_of(each[ESTIMATED])
        if SCALED in each:
            judged[f"{name}, scaled"] = judgements_of(each[SCALED])
    return judged


def tables(made: Results) -> Iterator[Table]:
    """Yield the tables of a corpus."""
    yield table(f"Table 1: {made.corpus}", ["", "count"], made.size.rows())
    yield table(f"Table 2: features of {made.corpus}", ["", "count"], made.features.rows())
    for name, rows in ((made.corpus, made.rows), (f"{made.corpus}, direct", made.direct)):
        if rows:
            yield table(
                f"Table 3: {name}",
                ["estimator", "sentences", "C", "−log PL"],
                [
                    [own, each.ambiguous, percent(each.accuracy), f"{each.neg_log_pl:,.0f}"]
                    for own, each in rows.items()
                ],
            )
    yield table(
        "Differences in C",
        ["", "points", "interval", "p"],
        [
            [
                f"{first} → {second}",
                f"{100 * each.difference:+.2f}",
                f"{100 * each.low:+.2f} to {100 * each.high:+.2f}",
                f"{each.p_value:.4f}",
            ]
            for (first, second), each in made.tests.items()
        ],
    )
