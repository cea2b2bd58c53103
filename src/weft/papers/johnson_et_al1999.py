"""Johnson et al. (1999), "Estimators for Stochastic 'Unification-Based' Grammars", ACL.

The authors are M. Johnson, S. Geman, S. Canon, Z. Chi and S. Riezler. They compare three estimators
that choose among the analyses of two LFG grammars: a baseline by which all are alike,
pseudo-likelihood, and the number of right choices. Their corpora are not to be had; these tables
are of analyses by HPSG grammars, which stand in for them:

    python -m weft.papers.johnson_et_al1999 --corpus vm --corpus ec

Analyses are shuffled first, so that nothing can depend on the order in which a parser found them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.table import Table

from weft.arrays import BoolArray
from weft.corpora.locate import corpus_folder
from weft.corpora.parses.profiles import read_profile
from weft.corpora.parses.sets import read_parse_sets
from weft.criteria import Gaussian
from weft.errors import OptionError, no_such
from weft.evaluate.diagnostics import CorpusSize, Diagnosis, corpus_size, diagnose
from weft.evaluate.selection import SelectionScores, judgements_of, shuffle_analyses
from weft.evaluate.significance import PairedTest
from weft.features.compile import compile_parses, unpack_parses
from weft.models.selection.scores import judge
from weft.models.selection.selector import Selector
from weft.models.selection.spec import Selection
from weft.papers.program import Run, program, start
from weft.recipes import Recipe, find_recipe, fit_recipe, with_settings
from weft.report.figures import plot_curve
from weft.report.tables import percent, table
from weft.structures.alternatives import FeatureName, Selected, alternatives, row_features
from weft.structures.parse_set import ParseSet
from weft.train import selection_curve
from weft.train.crossvalidation import BASELINE, ESTIMATED, crossvalidation, deal
from weft.train.selection.choices import SCALED, choices_of, compare_choices
from weft.train.selection.scale import JOHNSON

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

LISTED = ("vm", "ec", "csli")
"""Corpora of ``parse-selection``: the English Resource Grammar of 2007."""

PROFILES = ("norsource-igtest", "krg-kpsg", "porgram-core", "indra-mrs")
"""Corpora of ``hpsg-profiles``: Norwegian and Korean, listed; Portuguese and Indonesian, packed."""

SIZES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
"""The numbers of features of the curve."""

MAXIMISERS = ("annealing", "line-search")
"""What the number of right choices is maximised by: the paper's way first."""

TIGHTER = Gaussian(0.49, relative=True)
"""A tenth of the paper's σ."""

QUICK = 40
"""Sentences, and steps, that are enough to see that it works."""

Watch = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class SelectionCorpus:
    """A corpus of parse sets, ready for estimation.

    Attributes:
        name: What it is called.
        examples: The sentences.
        direct: Of which the right analysis was told by bracketing and lexical entries alone;
            None where that is not said.
    """

    name: str
    examples: list[Selected]
    direct: BoolArray | None


@dataclass(frozen=True, slots=True)
class Results:
    """Tables 1 to 3 of one corpus.

    Attributes:
        corpus: Its name.
        size: Table 1.
        features: Table 2.
        rows: Table 3: the scores of each estimator, over all folds.
        direct: The same, over the sentences of :attr:`Corpus.direct` alone; empty if there are
            none.
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


def read_corpus(name: str, selection: Selection, seed: int = 0) -> SelectionCorpus:
    """Read a corpus by its name, and shuffle the analyses of each sentence.

    Raises:
        OptionError: If there is no such corpus.
        WeftError: If it is not in the folder of corpora.
    """
    sets: list[ParseSet]
    if name in LISTED:
        sets = list(read_parse_sets(corpus_folder("parse-selection") / f"{name}.jsonl.gz"))
    elif name in PROFILES:
        sets = list(read_profile(corpus_folder("hpsg-profiles") / name))
    else:
        raise OptionError(no_such("corpus", name, (*LISTED, *PROFILES)))
    known_sets = [each for each in sets if each.right is not None]
    examples = [compile_parses(each, selection.properties) for each in known_sets]
    flags = [each.flags.get("direct") for each in known_sets]
    direct = None if None in flags else np.array(flags, np.bool_)
    return SelectionCorpus(name, shuffle_analyses(examples, seed), direct)


def first_sentences(corpus: SelectionCorpus, count: int) -> SelectionCorpus:
    """Return the beginning of a corpus."""
    direct = None if corpus.direct is None else corpus.direct[:count]
    return replace(corpus, examples=corpus.examples[:count], direct=direct)


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


def estimators(
    steps: int | None = None, maximiser: str = MAXIMISERS[0]
) -> dict[str, Callable[[Sequence[Selected]], Selector]]:
    """Return the estimators of table 3, and pseudo-likelihood with a tighter prior."""
    if maximiser not in MAXIMISERS:
        raise OptionError(no_such("maximiser", maximiser, MAXIMISERS))
    likely = replace(find_recipe("parse-selection"), penalty=JOHNSON, tuned=False)
    changed = {"optimiser": maximiser} | ({} if steps is None else {"steps": str(steps)})
    plans = {
        "pseudo-likelihood": likely,
        "tighter prior": replace(likely, penalty=TIGHTER),
        "max-correct": with_settings(find_recipe("max-correct"), changed),
    }
    return {name: partial(_fit, plan) for name, plan in plans.items()}


def _fit(plan: Recipe, corpus: Sequence[Selected]) -> Selector:
    selector: Selector = fit_recipe(plan, corpus, threads=1)
    return selector


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """How good models of some number of features are, over all folds.

    Attributes:
        features: How many.
        training: Over the training parts, summed.
        test: Over the test parts, summed.
        neg_log_pl: Of the test parts.
    """

    features: int
    training: float | None
    test: float | None
    neg_log_pl: float


def curve(
    corpus: SelectionCorpus,
    sizes: Sequence[int] = SIZES,
    *,
    folds: int = 5,
    seed: int = 0,
    threads: int | None = None,
    watch: Watch | None = None,
) -> list[CurvePoint]:
    """Add features a few at a time, the most useful first, and say how good each number is."""
    say = watch or (lambda _: None)
    examples = corpus.examples
    dealt = deal(len(examples), folds, seed).tolist()
    found: dict[int, list[tuple[SelectionScores, SelectionScores]]] = {size: [] for size in sizes}
    for fold in range(folds):
        say(f"{corpus.name}: curve, fold {fold + 1} of {folds}")
        seen = [each for each, own in zip(examples, dealt, strict=True) if own != fold]
        test = [each for each, own in zip(examples, dealt, strict=True) if own == fold]
        points = selection_curve(Selection(), seen, test, sizes, penalty=JOHNSON, threads=threads)
        for point in points:
            found[point.features].append((point.training, point.test))
    return [
        CurvePoint(
            size,
            _share([each for each, _ in pairs]),
            _share([each for _, each in pairs]),
            sum(each.neg_log_pl for _, each in pairs),
        )
        for size, pairs in found.items()
        if len(pairs) == folds
    ]


def few_features(
    corpus: SelectionCorpus,
    sizes: Sequence[int] = (10, 20, 50, 100, 200),
    *,
    folds: int = 5,
    seed: int = 0,
    steps: int | None = None,
    watch: Watch | None = None,
) -> dict[int, tuple[float | None, float | None]]:
    """Return C of pseudo-likelihood and of max-correct for models of the same few features.

    The features are those that forward selection finds; with few, the paper says, the number of
    right choices is the better thing to maximise.
    """
    say = watch or (lambda _: None)
    likely, most = (estimators(steps)[name] for name in ("pseudo-likelihood", "max-correct"))
    dealt = deal(len(corpus.examples), folds, seed).tolist()
    found: dict[int, list[tuple[SelectionScores, SelectionScores]]] = {size: [] for size in sizes}
    for fold in range(folds):
        say(f"{corpus.name}: few features, fold {fold + 1} of {folds}")
        pairs = list(zip(corpus.examples, dealt, strict=True))
        seen = [each for each, own in pairs if own != fold]
        test = [each for each, own in pairs if own == fold]
        names: set[FeatureName] = set()
        for point in selection_curve(Selection(), seen, test, sizes):
            names.update(point.added)
            parts = [[_restricted(each, names) for each in part] for part in (seen, test)]
            scores = [_scores(estimate(parts[0]), parts[1]) for estimate in (likely, most)]
            found[point.features].append((scores[0], scores[1]))
    return {
        size: (_share([one for one, _ in pairs]), _share([other for _, other in pairs]))
        for size, pairs in found.items()
        if len(pairs) == folds
    }


def _restricted(example: Selected, names: set[FeatureName]) -> Selected:
    tokens = example.tokens
    rows = [
        {name: value for name, value in row_features(tokens, [row]).items() if name in names}
        for row in range(len(tokens))
    ]
    return Selected(alternatives(rows, tokens.base.tolist()), example.analysis, example.weight)


def _scores(selector: Selector, test: Sequence[Selected]) -> SelectionScores:
    return judge(selector.model, selector.weights, test).scores()


def _share(scores: Sequence[SelectionScores]) -> float | None:
    total = sum(each.ambiguous for each in scores)
    return sum(each.correct for each in scores) / total if total else None


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


@program(known=(*LISTED, *PROFILES), default=["vm", "ec", "norsource-igtest", "porgram-core"])
def main(
    run: Run,
    folds: Annotated[int, typer.Option(metavar="N", min=2, help="Of the cross-validation.")] = 10,
    steps: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="How many changes simulated annealing tries."),
    ] = None,
    maximiser: Annotated[
        str,
        typer.Option(
            metavar="NAME", help=f"What max-correct is found by: {' or '.join(MAXIMISERS)}."
        ),
    ] = MAXIMISERS[0],
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
        folds, steps = 2, QUICK
    for name in run.corpora:
        read = read_corpus(name, Selection(), run.seed)
        if run.quick:
            read = first_sentences(read, QUICK)
        made = results(
            read,
            folds=folds,
            seed=run.seed,
            steps=steps,
            maximiser=maximiser,
            threads=run.threads,
            watch=run.tell,
        )
        record = made.as_json()
        if curve_to is not None and name == run.corpora[0]:
            points = curve(read, seed=run.seed, threads=run.threads, watch=run.tell)
            record["curve"] = [
                [each.features, each.training, each.test, each.neg_log_pl] for each in points
            ]
            shares = {
                "training": [each.training for each in points],
                "test": [each.test for each in points],
            }
            plot_curve(curve_to, [each.features for each in points], shares)
        run.show(record, tables(made))


if __name__ == "__main__":
    start(main)
