"""Table 3 and figure 3 of Smith and Eisner (2005): dictionaries with gaps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from weft.evaluate.significance import compare
from weft.papers.experiment import Part, PartFound
from weft.papers.results import Finding, Result, ResultTable, gain_of, make_table
from weft.papers.rows.compared import Counts, find_better, share
from weft.papers.rows.learnt import (
    Learnt,
    choose,
    oracle,
    pair_up,
    plot_by_smoothing,
    show_pair,
    show_smoothing,
)

Case = tuple[str, str, bool]
"""A dictionary, a method, and whether there are spelling features."""

DILUTIONS = ("", "500", "count<2", "count<3")
"""The dictionaries of the paper, the whole one first."""

_PAPER: Mapping[tuple[str, bool], tuple[tuple[float, float], ...]] = {
    ("em", False): ((0.780, 0.844), (0.772, 0.805), (0.701, 0.709), (0.665, 0.665)),
    ("length", False): ((0.878, 0.904), (0.681, 0.783), (0.653, 0.752), (0.628, 0.723)),
    ("length", True): ((0.871, 0.919), (0.769, 0.832), (0.733, 0.738), (0.732, 0.736)),
    ("delortrans1", False): ((0.783, 0.901), (0.723, 0.848), (0.695, 0.813), (0.650, 0.772)),
    ("delortrans1", True): ((0.809, 0.911), (0.802, 0.908), (0.795, 0.903), (0.783, 0.898)),
    ("trans1", False): ((0.904, 0.904), (0.808, 0.829), (0.770, 0.786), (0.717, 0.734)),
    ("trans1", True): ((0.887, 0.909), (0.881, 0.901), (0.787, 0.901), (0.784, 0.895)),
}

PAPER: Mapping[Case, tuple[float, float]] = {
    (dilution, *kind): pair
    for kind, pairs in _PAPER.items()
    for dilution, pair in zip(DILUTIONS, pairs, strict=True)
}
"""Table 3: right tags of all words, the smoothing chosen by the criterion and by an oracle."""

_PAPER_TAGS = dict(zip(DILUTIONS, (2.3, 3.7, 4.4, 5.5), strict=True))


def _cases(parts: Sequence[tuple[Part, PartFound]]) -> dict[Case, list[Learnt]]:
    found: dict[Case, list[Learnt]] = {}
    for arguments, each in pair_up(parts):
        case = (arguments["dilution"], arguments["method"], arguments["spelling"])
        found.setdefault(case, []).append((arguments, each))
    return found


def _named(dilution: str) -> str:
    return {"": "all words", "500": "first 500 sentences"}.get(
        dilution, dilution.replace("count<", "count ≥ ")
    )


def combine_table3(parts: Sequence[tuple[Part, PartFound]]) -> Result:
    """Return how methods fare with dictionaries that lack words."""
    cases = _cases(parts)
    dilutions = list(dict.fromkeys(dilution for dilution, _, _ in cases))
    kinds = list(dict.fromkeys((method, spelt) for _, method, spelt in cases))
    ours = {case: _selected_pair(rows) for case, rows in cases.items()}
    tags = {dilution: rows[0][1]["tags_per_token"] for (dilution, *_), rows in cases.items()}
    first = parts[0][1]
    corpus = f"{parts[0][0].arguments['corpus']}, {first['tokens']:,} words"
    oracle_said = "the oracle's choice in brackets"
    tables = (
        _table(
            f"The paper's, 24,000 words: right tags of all words in per cent, {oracle_said}",
            PAPER,
            _PAPER_TAGS,
            DILUTIONS,
            kinds,
        ),
        _table(
            f"{corpus}: right tags of all words in per cent, {oracle_said}",
            ours,
            tags,
            dilutions,
            kinds,
        ),
    )
    return Result(tables, findings=tuple(_dilution_findings(corpus, cases, dilutions)))


def _table(
    title: str,
    pairs: Mapping[Case, tuple[float, float]],
    tags: Mapping[str, float],
    dilutions: Sequence[str],
    kinds: Sequence[tuple[str, bool]],
) -> ResultTable:
    names = [method + (" + spelling" if spelt else "") for method, spelt in kinds]
    columns = {"dictionary": "", "tags per word": ".2f", **dict.fromkeys(names, "")}
    rows = [
        (_named(each), tags[each], *(show_pair(pairs.get((each, *kind))) for kind in kinds))
        for each in dilutions
    ]
    return make_table(title, columns, rows)


def _selected_pair(rows: Sequence[Learnt]) -> tuple[float, float]:
    return share(choose(rows)[1]["all"]), share(oracle(rows, "all")[1]["all"])


def _dilution_findings(
    corpus: str, cases: Mapping[Case, list[Learnt]], dilutions: Sequence[str]
) -> list[Finding]:
    """What section 5.2 says, of the smallest dictionary beside the whole one."""
    whole, poorest = dilutions[0], dilutions[-1]
    rare = f"without rare words ({_named(poorest)})"

    def compared(claim: str, better: Case, worse: Case) -> list[Finding]:
        if not {better, worse} <= set(cases):
            return []
        counts: list[Counts] = [choose(cases[each])[1]["all"] for each in (better, worse)]
        paper = (PAPER[better][0], PAPER[worse][0])
        return [find_better(claim, corpus, *counts, paper=paper)]

    found: list[Finding] = []
    for method in ("em", "length", "delortrans1", "trans1"):
        claim = f"{method.upper()} falls {rare}"
        found += compared(claim, (whole, method, False), (poorest, method, False))
    for method in ("em", "delortrans1", "trans1"):
        found += _falls_more(corpus, cases, method, whole, poorest)
    for method in ("delortrans1", "trans1"):
        spelt = (poorest, method, True)
        claim = f"Spelling features help {method.upper()} {rare}"
        found += compared(claim, spelt, (poorest, method, False))
        claim = f"With spelling features {method.upper()} > LENGTH {rare}"
        found += compared(claim, spelt, (poorest, "length", True))
    return found


def _falls_more(
    corpus: str, cases: Mapping[Case, list[Learnt]], method: str, whole: str, poorest: str
) -> list[Finding]:
    """Whether LENGTH loses more than a method, without spelling features."""
    ends = [(which, each, False) for each in (method, "length") for which in (whole, poorest)]
    if not set(ends) <= set(cases):
        return []
    arrays = [np.array(choose(cases[each])[1]["all"]) for each in ends]
    falls = [
        np.column_stack([full[:, 0] - poor[:, 0], full[:, 1]])
        for full, poor in (arrays[:2], arrays[2:])
    ]
    test = compare(falls[0], falls[1])
    theirs = [PAPER[each][0] for each in ends]
    claim = (
        f"Without rare words ({_named(poorest)}) and spelling features LENGTH falls more than "
        f"{method.upper()}"
    )
    return [
        Finding(
            claim,
            corpus,
            f"by {100 * (theirs[2] - theirs[3]):.1f} and {100 * (theirs[0] - theirs[1]):.1f}",
            f"by {100 * test.second:.2f} and {100 * test.first:.2f}",
            gain_of(test),
        )
    ]


def combine_figure3(parts: Sequence[tuple[Part, PartFound]]) -> Result:
    """Return the same on ambiguous words, by smoothing."""
    pictures = []
    columns = {"dictionary": "", "method": "", "smoothing": "", "ambiguous words": "%"}
    rows = []
    by_dilution: dict[str, dict[str, list[Learnt]]] = {}
    for (dilution, method, spelt), own in _cases(parts).items():
        name = method + (" + sp." if spelt else "")
        by_dilution.setdefault(dilution, {})[name] = own
        for arguments, found in own:
            cells = (_named(dilution), name, show_smoothing(arguments), share(found["ambiguous"]))
            rows.append(cells)
    for dilution, by_method in by_dilution.items():
        if max(map(len, by_method.values())) > 1:
            pictures.append(plot_by_smoothing(f"dictionary: {_named(dilution)}", by_method))
    table = make_table("Right tags of ambiguous words in per cent", columns, rows)
    return Result((table,), tuple(pictures))
