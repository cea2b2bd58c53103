"""Johnson et al. (1999): tables 1 to 3, and how good models of fewer features are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from weft.corpora.bundled import DOMAINS
from weft.evaluate.diagnostics import corpus_size, diagnose
from weft.evaluate.significance import compare
from weft.models.selection.spec import Selection
from weft.papers.experiment import Experiment, Part, PartFound, PartOptions
from weft.papers.johnson_et_al1999 import PAPER, judge_estimators
from weft.papers.results import Finding, Result, ResultTable, gain_of, make_table
from weft.papers.rows.compared import find_better, whole_counts
from weft.papers.rows.drawings import draw_analyses
from weft.papers.rows.fewer_features import LIKELY, combine_curve, draw_curve
from weft.papers.selection.estimators import read_corpus
from weft.papers.selection.joint import JOINT, JointEstimator, draw_universe

MOST, SCALED = "max-correct", "max-correct, scaled"
TIGHTER, BASELINE, LINES = "tighter prior", "baseline", "line search"

TABLE_1 = {"Verbmobil": (540, 314, 3245), "Homecentre": (980, 481, 3169)}
TABLE_2 = {"Verbmobil": (191, 59, 19, 12, 8), "Homecentre": (227, 57, 41, 4, 5)}
"""The paper's, in the order of ours."""

COUNTERPARTS = {
    "appointments": "Verbmobil",
    "vm": "Verbmobil",
    "manuals": "Homecentre",
    "ec": "Homecentre",
}
"""The paper's corpus whose figures stand beside those of ours; others have no counterpart."""

_BETTER = (
    (LIKELY, MOST),
    (LIKELY, BASELINE),
    (MOST, BASELINE),
    (LIKELY, LINES),
    (LINES, MOST),
    (TIGHTER, JOINT),
)
"""Estimators, and those that they should be better than; the paper has the first three.

The joint estimator has the tighter prior.
"""


def _judge(arguments: Mapping[str, Any], options: PartOptions) -> PartFound:
    corpus = read_corpus(arguments["corpus"], Selection(), options.seed, arguments.get("most"))
    universe = None
    if arguments.get("trials"):
        universe = draw_universe(
            arguments["corpus"], arguments["trials"], options.seed, arguments.get("most")
        )
    abney = None if universe is None else JointEstimator(universe)
    judged = judge_estimators(
        corpus,
        folds=arguments["folds"],
        seed=options.seed,
        steps=arguments.get("steps"),
        abney=abney,
        threads=options.threads,
    )
    hard = next(iter(judged.values())).ambiguous
    return {
        "table1": corpus_size(corpus.examples).rows(),
        "table2": diagnose(corpus.examples).rows(),
        "credits": {name: each.credits[hard].tolist() for name, each in judged.items()},
        "log_probs": {name: each.log_probs[hard].tolist() for name, each in judged.items()},
        "joint": None if abney is None else asdict(abney.figures()),
    }


def _combine_properties(
    parts: Sequence[tuple[Part, PartFound]], key: str, paper: Mapping[str, Sequence[int]], what: str
) -> Result:
    found = {part.arguments["corpus"]: dict(each[key]) for part, each in parts}
    names = list(next(iter(found.values())))
    columns = {"": "", **{f"paper: {name}": ",d" for name in paper}, **dict.fromkeys(found, ",d")}
    rows = [
        (name, *(own[place] for own in paper.values()), *(each[name] for each in found.values()))
        for place, name in enumerate(names)
    ]
    return Result((make_table(what, columns, rows),))


def _combine_table1(parts: Sequence[tuple[Part, PartFound]]) -> Result:
    made = _combine_properties(parts, "table1", TABLE_1, "Properties of the corpora")
    ours = any(part.arguments["corpus"] in DOMAINS for part, _ in parts)
    return replace(made, pictures=draw_analyses()) if ours else made


def _combine_table2(parts: Sequence[tuple[Part, PartFound]]) -> Result:
    return _combine_properties(parts, "table2", TABLE_2, "Properties of the features")


def _combine_table3(parts: Sequence[tuple[Part, PartFound]]) -> Result:
    columns = {"estimator": "", "C": "%", "−log PL": ",.0f"}
    tables = [
        make_table(
            f"The paper's, {name}",
            columns,
            [(estimator, *figures) for estimator, figures in rows.items()],
        )
        for name, rows in PAPER.items()
    ]
    findings: list[Finding] = []
    for part, found in parts:
        corpus = part.arguments["corpus"]
        rows = [
            (name, float(np.mean(right)), -float(np.sum(found["log_probs"][name])))
            for name, right in found["credits"].items()
        ]
        count = len(found["credits"][LIKELY])
        folds = part.arguments["folds"]
        title = f"{corpus}: {count:,} ambiguous sentences, {folds} folds"
        tables.append(make_table(title, columns, rows))
        if found["joint"] is not None:
            tables.append(_joint_table(corpus, found["joint"]))
        findings += _choices(corpus, found["credits"])
        findings += _likelihoods(corpus, found["log_probs"])
    notes = (
        "C is the share of right choices among ambiguous sentences. It does not change with the "
        "scale of weights, and −log PL does: max-correct stands there at its own scale, and with "
        "one number fitted on training sentences.",
    )
    return Result(tuple(tables), findings=tuple(findings), notes=notes)


def _joint_table(corpus: str, figures: Mapping[str, Any]) -> ResultTable:
    title = (
        f"{corpus}: the joint log-likelihood of held-out sentences, by {figures['drawn']:,} draws "
        f"of {figures['tried']:,} trials, worth {figures['effective']:.0f}"
    )
    columns = {"estimator": "", "log p(ω)": ",.0f"}
    return make_table(title, columns, list(figures["log_likelihoods"].items()))


def _paper_figures(corpus: str) -> Mapping[str, tuple[float, float]]:
    """Return the paper's C and −log PL of the corpus that is like one of ours; none if none is."""
    return PAPER[COUNTERPARTS[corpus]] if corpus in COUNTERPARTS else {}


def _choices(corpus: str, right: Mapping[str, Sequence[float]]) -> list[Finding]:
    shares = {name: each for name, (each, _) in _paper_figures(corpus).items()}
    return [
        find_better(
            f"C: {better} > {worse}",
            corpus,
            whole_counts(right[better]),
            whole_counts(right[worse]),
            paper=(shares[better], shares[worse]) if {better, worse} <= set(shares) else None,
        )
        for better, worse in _BETTER
        if worse in right and better in right
    ]


def _likelihoods(corpus: str, log_probs: Mapping[str, Sequence[float]]) -> list[Finding]:
    found = []
    for better, worse in ((LIKELY, MOST), (LIKELY, SCALED), (LIKELY, BASELINE)):
        if better not in log_probs or worse not in log_probs:
            continue
        first, second = (np.array(whole_counts(log_probs[each])) for each in (worse, better))
        figures = _paper_figures(corpus)
        paper = ""
        if {better, worse} <= set(figures):
            paper = f"{figures[better][1]:.0f} and {figures[worse][1]:.0f}"
        ours = [-float(np.sum(log_probs[each])) for each in (better, worse)]
        found.append(
            Finding(
                f"−log PL: {better} is better than {worse}",
                corpus,
                paper,
                f"{ours[0]:,.0f} and {ours[1]:,.0f}",
                gain_of(compare(first, second)),
                unit="nats per sentence",
            )
        )
    return found


_SIZES = (1, 2, 5, 10, 20, 50, 100, 200, 500)
_HPSG: Mapping[str, str | None] = {"vm": "parse-selection", "ec": "parse-selection"}
_SMALL: Mapping[str, str | None] = {
    "norsource-igtest": "hpsg-profiles",
    "porgram-core": "hpsg-profiles",
}
_FOLDS = 5

_FEW = {"corpus": "appointments", "most": 60}


def _tables(names: Mapping[str, str | None], seconds: float, **more: int) -> list[Part]:
    return [
        Part(name, {"corpus": name, "folds": 10, **more}, (folder,) if folder else (), seconds)
        for name, folder in names.items()
    ]


_TABLES = (
    (Part("appointments", {**_FEW, "folds": 4, "steps": 4000, "trials": 30}, (), 25),),
    (*_tables(dict.fromkeys(DOMAINS), 105, trials=800), *_tables(_HPSG, 110), *_tables(_SMALL, 20)),
)
_DIFFERS = (
    "The paper's LFG corpora, Verbmobil and Homecentre, are not to be had. Ours are appointments "
    "and manuals, sentences of the same two kinds with the analyses of our own LFG of English and "
    "the paper's features; and parse sets of HPSG grammars, whose features are rules, rules with "
    "grandparents and lexical entries: thousands, where the paper has about two hundred."
)

_DIFFERS_QUICK = (
    "The paper's LFG corpora, Verbmobil and Homecentre, are not to be had. Ours are the first 60 "
    "sentences about appointments, with the analyses of our own LFG of English and the paper's "
    "features; two or four folds, and little annealing."
)

EXPERIMENTS = (
    Experiment(
        "johnson-et-al-1999/table-1",
        "Table 1: properties of the corpora",
        _judge,
        _combine_table1,
        *_TABLES,
        _DIFFERS,
        _DIFFERS_QUICK,
    ),
    Experiment(
        "johnson-et-al-1999/table-2",
        "Table 2: properties of the features",
        _judge,
        _combine_table2,
        *_TABLES,
        _DIFFERS,
        _DIFFERS_QUICK,
    ),
    Experiment(
        "johnson-et-al-1999/table-3",
        "Table 3: baseline, pseudo-likelihood and the number of right choices",
        _judge,
        _combine_table3,
        *_TABLES,
        _DIFFERS,
        _DIFFERS_QUICK,
    ),
    Experiment(
        "johnson-et-al-1999/by-features",
        "Accuracy by number of features",
        draw_curve,
        combine_curve,
        (
            Part(
                "appointments",
                {**_FEW, "sizes": _SIZES[:6], "folds": [0, 1], "of": 2, "steps": 4000},
                (),
                20,
            ),
        ),
        (
            *(
                Part(
                    name,
                    {"corpus": name, "sizes": _SIZES, "folds": list(range(_FOLDS)), "of": _FOLDS},
                    (),
                    70,
                )
                for name in DOMAINS
            ),
            *(
                Part(
                    f"{name} fold {fold + 1}",
                    {"corpus": name, "sizes": (*_SIZES, 1000), "folds": [fold], "of": _FOLDS},
                    (str(folder),),
                    20,
                )
                for name, folder in _HPSG.items()
                for fold in range(_FOLDS)
            ),
        ),
        _DIFFERS,
        _DIFFERS_QUICK,
    ),
)
