"""Johnson et al. (1999): how good models of fewer features are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from weft.models.selection.spec import Selection
from weft.papers.experiment import Part, PartFound, PartOptions
from weft.papers.results import Finding, Picture, Result, ResultTable, make_table
from weft.papers.rows.compared import Counts, find_better, share, whole_counts
from weft.papers.selection.estimators import read_corpus
from weft.papers.selection.features import MOST_CORRECT, fold_curve
from weft.report.plots import Axis, line_plot

LIKELY = "pseudo-likelihood"

FEW = (10, 50)
"""The numbers of features at which estimators are compared: fixed beforehand."""

Credits = Mapping[str, Sequence[float]]
"""By estimator, the credit for each ambiguous sentence of the test parts."""


def draw_curve(arguments: Mapping[str, Any], options: PartOptions) -> PartFound:
    """Estimate models of more and more features, fold by fold."""
    corpus = read_corpus(arguments["corpus"], Selection(), options.seed, arguments.get("most"))
    points = []
    for fold in arguments["folds"]:
        found = fold_curve(
            corpus,
            arguments["sizes"],
            fold,
            arguments["of"],
            few=max(FEW),
            steps=arguments.get("steps"),
            seed=options.seed,
            threads=options.threads,
        )
        for size, some in found.items():
            likely = some.judged[LIKELY]
            point = {"fold": fold, "features": size, "neg_log_pl": likely.scores().neg_log_pl}
            point["training"] = [some.training.correct, some.training.ambiguous]
            point["credits"] = {
                name: each.credits[likely.ambiguous].tolist() for name, each in some.judged.items()
            }
            points.append(point)
    return {"points": points}


def combine_curve(parts: Sequence[tuple[Part, PartFound]]) -> Result:
    """Return accuracy by the number of features, and which number, and which estimator, is best."""
    several: dict[str, list[dict[str, Any]]] = {}
    for part, found in parts:
        several.setdefault(part.arguments["corpus"], []).extend(found["points"])
    tables, pictures, findings = [], [], []
    for corpus, points in several.items():
        known = {size: _credits(points, size) for size in _common_sizes(points)}
        tables.append(_table(corpus, points, known))
        pictures.append(_picture(corpus, points, known))
        findings += [*_fewer(corpus, known), *_with_few(corpus, known)]
    notes = (
        "Features are added in the order in which they help the training sentences most. The "
        "largest number is compared with the one before it, about half as many, and estimators of "
        f"the same features are compared at {' and '.join(map(str, FEW))}: fixed beforehand. "
        "max-correct is by simulated annealing, as in the paper. The tests are paired over the "
        "ambiguous test sentences of all folds.",
    )
    return Result(tuple(tables), tuple(pictures), tuple(findings), notes)


def _common_sizes(points: Sequence[Mapping[str, Any]]) -> list[int]:
    """The numbers of features that every fold has."""
    folds = {each["fold"] for each in points}
    sizes = sorted({each["features"] for each in points})
    return [size for size in sizes if len(_of(points, size)) == len(folds)]


def _of(points: Sequence[Mapping[str, Any]], size: int) -> list[Mapping[str, Any]]:
    own = [each for each in points if each["features"] == size]
    return sorted(own, key=lambda each: each["fold"])


def _credits(points: Sequence[Mapping[str, Any]], size: int) -> Credits:
    own = _of(points, size)
    return {
        name: [credit for each in own for credit in each["credits"][name]]
        for name in own[0]["credits"]
    }


def _training(points: Sequence[Mapping[str, Any]], size: int) -> float:
    right, count = (sum(each["training"][place] for each in _of(points, size)) for place in (0, 1))
    return float(right / count)


def _table(
    corpus: str, points: Sequence[Mapping[str, Any]], known: Mapping[int, Credits]
) -> ResultTable:
    columns = {"features": ",d", "C, training": "%", "C, test": "%", "−log PL, test": ",.0f"}
    columns |= {f"C, test: {name}": "%" for name in MOST_CORRECT}
    rows = [
        (
            size,
            _training(points, size),
            _mean(own[LIKELY]),
            sum(each["neg_log_pl"] for each in _of(points, size)),
            *(_mean(own[name]) if name in own else None for name in MOST_CORRECT),
        )
        for size, own in known.items()
    ]
    return make_table(f"{corpus}: accuracy by number of features", columns, rows)


def _mean(values: Sequence[float]) -> float:
    return share(whole_counts(values))


def _picture(
    corpus: str, points: Sequence[Mapping[str, Any]], known: Mapping[int, Credits]
) -> Picture:
    training = [(float(size), 100 * _training(points, size)) for size in known]
    lines = {f"training, {LIKELY}": training}
    for name in (LIKELY, *MOST_CORRECT):
        lines[f"test, {name}"] = [
            (float(size), 100 * _mean(own[name])) for size, own in known.items() if name in own
        ]
    picture = line_plot(
        f"Right choices in {corpus} by number of features",
        Axis("features", log=True),
        Axis("right choices, %"),
        {name: line for name, line in lines.items() if line},
    )
    return Picture(f"{corpus}: right choices by number of features", picture)


def _fewer(corpus: str, known: Mapping[int, Credits]) -> list[Finding]:
    if len(known) < 2:
        return []
    half, most = list(known)[-2:]
    counts: list[Counts] = [whole_counts(known[size][LIKELY]) for size in (half, most)]
    claim = f"Discarding features helps: {half:,} are better than {most:,}"
    return [find_better(claim, corpus, *counts)]


def _with_few(corpus: str, known: Mapping[int, Credits]) -> list[Finding]:
    return [
        find_better(
            f"C, with {size} features: {name} > {LIKELY}",
            corpus,
            whole_counts(known[size][name]),
            whole_counts(known[size][LIKELY]),
        )
        for size in FEW
        for name in MOST_CORRECT
        if name in known.get(size, {})
    ]
