"""Table 3 and figure 3 of Smith and Eisner (2005): dictionaries with gaps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from weft.evaluate.significance import compare
from weft.papers.experiment import Part, PartFound
from weft.papers.results import Finding, Result, gain_of, make_table
from weft.papers.rows.compared import Counts, find_better, share
from weft.papers.rows.learnt import (
    Learnt,
    choose,
    oracle,
    pair_up,
    plot_by_smoothing,
    show_smoothing,
)

Case = tuple[str, str, bool]
"""A dictionary, a method, and whether there are spelling features."""


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
    names = [method + (" + spelling" if spelt else "") for method, spelt in kinds]
    columns = {"dictionary": "", "tags per word": ".2f", **dict.fromkeys(names, "")}
    rows = []
    for dilution in dilutions:
        own = [cases.get((dilution, *kind)) for kind in kinds]
        first = next(each for each in own if each)[0][1]
        cells = ["—" if each is None else _selected_cell(each) for each in own]
        rows.append((_named(dilution), first["tags_per_token"], *cells))
    corpus = parts[0][0].arguments["corpus"]
    findings = _dilution_findings(f"{corpus}", cases, dilutions)
    table = make_table(
        "Right tags of all words in per cent, the oracle's in brackets", columns, rows
    )
    return Result((table,), findings=tuple(findings))


def _selected_cell(rows: Sequence[Learnt]) -> str:
    selected, best = choose(rows), oracle(rows, "all")
    text = f"{100 * share(selected[1]['all']):.1f}"
    return text if selected is best else f"{text} ({100 * share(best[1]['all']):.1f})"


def _dilution_findings(
    corpus: str, cases: Mapping[Case, list[Learnt]], dilutions: Sequence[str]
) -> list[Finding]:
    """What section 5.2 says, of the smallest dictionary beside the whole one."""
    whole, poorest = dilutions[0], dilutions[-1]

    def counts(dilution: str, method: str, spelt: bool = False) -> Counts | None:
        rows = cases.get((dilution, method, spelt))
        found: Counts | None = choose(rows)[1]["all"] if rows else None
        return found

    def compared(claim: str, better: Counts | None, worse: Counts | None) -> list[Finding]:
        if better is None or worse is None:
            return []
        return [find_better(claim, corpus, better, worse)]

    found: list[Finding] = []
    for method in ("em", "length", "delortrans1", "trans1"):
        claim = f"Without rare words ({_named(poorest)}) {method.upper()} falls"
        found += compared(claim, counts(whole, method), counts(poorest, method))
    for method in ("em", "delortrans1", "trans1"):
        ends = [counts(which, each) for each in (method, "length") for which in (whole, poorest)]
        if None not in ends:
            found.append(_falls_more(corpus, method, [each for each in ends if each]))
    for method in ("delortrans1", "trans1"):
        claim = f"Spelling features help {method.upper()} without rare words"
        found += compared(claim, counts(poorest, method, True), counts(poorest, method))
        claim = f"With spelling features {method.upper()} > LENGTH without rare words"
        found += compared(claim, counts(poorest, method, True), counts(poorest, "length", True))
    return found


def _falls_more(corpus: str, method: str, ends: Sequence[Counts]) -> Finding:
    """Whether LENGTH loses more than a method; each with all words and without rare ones."""
    arrays = [np.array(each) for each in ends]
    falls = [
        np.column_stack([full[:, 0] - poor[:, 0], full[:, 1]])
        for full, poor in (arrays[:2], arrays[2:])
    ]
    test = compare(falls[0], falls[1])
    return Finding(
        f"Without rare words and spelling features LENGTH falls more than {method.upper()}",
        corpus,
        "LENGTH most",
        f"by {100 * test.second:.2f} and {100 * test.first:.2f}",
        gain_of(test),
    )


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
