"""Johnson et al. (1999), "Estimators for Stochastic 'Unification-Based' Grammars", ACL.

The authors are M. Johnson, S. Geman, S. Canon, Z. Chi and S. Riezler. They compare three estimators
that choose among the analyses of two LFG grammars: a baseline by which all are alike,
pseudo-likelihood, and the number of right choices. Their corpora are not to be had. These tables
are of analyses by an LFG of our own of sentences of the same two kinds, appointments and manuals of
printers, with the properties of the paper, and of analyses by HPSG grammars:

    python -m weft.papers.johnson_et_al1999 --corpus appointments --corpus manuals

Analyses are shuffled first, so that nothing can depend on the order in which a parser found them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from weft.corpora.bundled import DOMAINS
from weft.evaluate.diagnostics import CorpusSize, Diagnosis, corpus_size, diagnose
from weft.evaluate.selection import SelectionScores, judgements_of
from weft.evaluate.significance import PairedTest
from weft.features.compile import unpack_parses
from weft.models.selection.selector import Selector
from weft.models.selection.spec import Selection
from weft.papers.program import Run, program, start
from weft.papers.selection.estimators import (
    LISTED,
    MAXIMISERS,
    PROFILES,
    SelectionCorpus,
    Watch,
    estimators,
    read_corpus,
)
from weft.papers.selection.features import curve, few_features
from weft.papers.selection.joint import (
    JOINT,
    TRIALS,
    JointEstimator,
    JointFigures,
    Universe,
    draw_universe,
)
from weft.papers.selection.verdicts import verdicts_of
from weft.report.figures import plot_curve
from weft.report.tables import percent, table
from weft.structures.alternatives import Selected
from weft.train.crossvalidation import BASELINE, ESTIMATED, Fold, Judged, crossvalidation
from weft.train.selection.choices import SCALED, compare_choices, judge_choices

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

PAIRS = (
    ("baseline", "pseudo-likelihood"),
    ("baseline", "max-correct"),
    ("max-correct", "pseudo-likelihood"),
    ("line search", "pseudo-likelihood"),
    ("max-correct", "line search"),
    ("pseudo-likelihood", "tighter prior"),
    (JOINT, "pseudo-likelihood"),
)
"""Estimators that are compared; the paper says of the first three that the second is better."""

QUICK = 40
"""Sentences, and steps, that are enough to see that it works."""


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
        joint: What Abney's estimator found out; None without draws.
    """

    corpus: str
    size: CorpusSize
    features: Diagnosis
    rows: Mapping[str, SelectionScores]
    direct: Mapping[str, SelectionScores]
    tests: Mapping[tuple[str, str], PairedTest]
    joint: JointFigures | None = None

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
            "verdicts": [asdict(each) for each in verdicts_of(self.tests)],
            "joint": None if self.joint is None else asdict(self.joint),
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
    maximiser: str | None = None,
    universe: Universe | None = None,
    threads: int | None = None,
    watch: Watch | None = None,
) -> Results:
    """Make tables 1 to 3 of a corpus.

    Args:
        corpus: The sentences.
        folds: Of the cross-validation.
        seed: Deals sentences to folds.
        steps: How many changes simulated annealing tries, if not what the recipe says.
        maximiser: What maximises the number of right choices, of :data:`MAXIMISERS`; None for
            both.
        universe: Analyses of all sentences, for the joint likelihood; None to leave it out.
        threads: How many folds to work on at a time; no result depends on it.
        watch: Told what is being estimated.

    Raises:
        OptionError: If there is no such maximiser, or it takes no steps.
    """
    say = watch or (lambda _: None)
    every = estimators(steps, maximiser)
    abney = None if universe is None else JointEstimator(universe)
    if abney is not None:
        every[JOINT] = abney
    found = {}
    for name, estimate in every.items():
        say(f"{corpus.name}: {name}")
        # The number of right choices is counted analysis by analysis.
        apart = name in ("max-correct", "line search")
        found[name] = crossvalidation(
            _judged(name, estimate, None if apart else abney, scale=apart),
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
    pairs = [pair for pair in PAIRS if set(pair) <= set(judged)]
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
        None if abney is None else abney.figures(),
    )


def _judged(
    name: str,
    estimate: Callable[[Sequence[Selected]], Selector],
    abney: JointEstimator | None,
    *,
    scale: bool,
) -> Judged:
    def judge(seen: Sequence[Selected], test: Sequence[Selected]) -> Fold:
        selector = estimate(seen)
        if abney is not None:
            abney.judge(name, selector, seen, test)
        return judge_choices(selector, seen, test, scale=scale)

    return judge


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
    if made.joint is not None:
        worth = f"{made.joint.effective:.0f} of {made.joint.drawn:,}, {made.joint.tried:,} tried"
        yield table(
            f"Joint log-likelihood, by draws worth {worth}",
            ["estimator", "log p(ω)"],
            [[name, f"{each:,.0f}"] for name, each in made.joint.log_likelihoods.items()],
        )
    yield table(
        "Verdicts",
        ["", "verdict"],
        [[f"{each.better} over {each.worse}", each.verdict] for each in verdicts_of(made.tests)],
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


@program(
    known=(*DOMAINS, *LISTED, *PROFILES),
    default=["vm", "ec", "norsource-igtest", "porgram-core", *DOMAINS],
)
def main(
    run: Run,
    folds: Annotated[int, typer.Option(metavar="N", min=2, help="Of the cross-validation.")] = 10,
    steps: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="How many changes simulated annealing tries."),
    ] = None,
    maximiser: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help=f"What max-correct is found by: {' or '.join(MAXIMISERS)}.  [default: both]",
        ),
    ] = None,
    trials: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            help="How often to draw for Abney's joint likelihood of our LFG corpora; 0 for never.",
        ),
    ] = TRIALS,
    curve_to: Annotated[
        Path | None,
        typer.Option(
            "--curve",
            metavar="FILE",
            help="Draw accuracy by number of features of the first corpus.",
        ),
    ] = None,
) -> None:
    """Make tables 1 to 3 of Johnson et al. (1999) on other corpora, and the curve of features."""
    if run.quick:
        folds, steps, trials = 2, QUICK, min(trials, QUICK)
    most = QUICK if run.quick else None
    for name in run.corpora:
        read = read_corpus(name, Selection(), run.seed, most)
        universe = None
        if name in DOMAINS and trials:
            run.tell(f"{name}: draws")
            universe = draw_universe(name, trials, run.seed, most)
        made = results(
            read,
            folds=folds,
            seed=run.seed,
            steps=steps,
            maximiser=maximiser,
            universe=universe,
            threads=run.threads,
            watch=run.tell,
        )
        record = made.as_json()
        if curve_to is not None and name == run.corpora[0]:
            points = curve(read, seed=run.seed, threads=run.threads, watch=run.tell)
            record["curve"] = [
                [each.features, each.training, each.test, each.neg_log_pl] for each in points
            ]
            few = few_features(read, seed=run.seed, steps=steps, watch=run.tell)
            record["few"] = [[size, *both] for size, both in few.items()]
            shares = {
                "training": [each.training for each in points],
                "test": [each.test for each in points],
                "test, max-correct": [few.get(each.features, (None, None))[1] for each in points],
            }
            plot_curve(curve_to, [each.features for each in points], shares)
        run.show(record, tables(made))


if __name__ == "__main__":
    start(main)
