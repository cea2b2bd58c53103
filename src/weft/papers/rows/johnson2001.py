"""Johnson (2001): the taggers of section 3, table 1 and table 2."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import Any

from weft.corpora.parts import PARTS, read_part
from weft.papers import johnson2001_parsing as parsing
from weft.papers import johnson2001_shift_reduce as stack
from weft.papers.experiment import Experiment, Part, PartFound, PartOptions
from weft.papers.johnson2001 import PAPER, tag_test
from weft.papers.results import Finding, Result, ResultTable, make_table
from weft.papers.rows.compared import (
    bracket_counts,
    find_better,
    find_better_parser,
    tag_counts,
)
from weft.papers.rows.johnson2001_figures import (
    combine_pairs,
    combine_taggers,
    draw_taggers,
    weigh_pairs,
)
from weft.recipes import find_recipe, with_settings

TAGGERS = ("johnson-6", "johnson-4", "johnson-7", "johnson-5")
"""In the order of their accuracies in the paper."""

ROWS = tuple(stack.PLANS)

CHOSEN_ON: Mapping[str, str] = {
    "wsj-tenths": "147 of its 392 test sentences are of the files on which settings were chosen, "
    "and the others are all test sentences of wsj-sample"
}
"""Corpora whose taggers are listed and not compared, with the reason."""


def by_corpus(parts: Sequence[tuple[Part, PartFound]], key: str) -> dict[str, dict[str, PartFound]]:
    """Return what parts found, by corpus, and then by an argument of theirs."""
    found: dict[str, dict[str, PartFound]] = {}
    for part, each in parts:
        found.setdefault(part.arguments["corpus"], {})[part.arguments[key]] = each
    return found


def _tag(arguments: Mapping[str, Any], options: PartOptions) -> PartFound:
    most = arguments.get("sentences")
    parts = {part: read_part(arguments["corpus"], part)[:most] for part in PARTS}
    plan = with_settings(find_recipe(arguments["recipe"]), arguments.get("settings", {}))
    scores, tags = tag_test(plan, parts, options.threads)
    gold = [each.analysis or () for each in parts["test"]]
    return {
        "accuracy": scores.accuracy,
        "known": scores.known_accuracy,
        "unknown": scores.unknown_accuracy,
        "tokens": {part: sum(len(each.tokens) for each in some) for part, some in parts.items()},
        "counts": tag_counts(gold, tags),
    }


def _combine_taggers(parts: Sequence[tuple[Part, PartFound]]) -> Result:
    columns = {"model": "", "paper": "%", "all words": "%", "known": "%", "unknown": "%"}
    tables, findings = [], []
    for corpus, found in by_corpus(parts, "recipe").items():
        rows = [
            (f"({name[-1]})", PAPER[name], each["accuracy"], each["known"], each["unknown"])
            for name, each in found.items()
        ]
        tokens = next(iter(found.values()))["tokens"]
        size = f"{tokens['train']:,} words to train on, {tokens['test']:,} to test on"
        tables.append(make_table(f"Right tags of {corpus} in per cent: {size}", columns, rows))
        findings += [
            find_better(
                f"({better[-1]}) > ({worse[-1]})",
                corpus,
                found[better]["counts"],
                found[worse]["counts"],
                paper=(PAPER[better], PAPER[worse]),
            )
            for better, worse in pairwise(TAGGERS)
            if {better, worse} <= set(found) and corpus not in CHOSEN_ON
        ]
    listed = dict.fromkeys(part.arguments["corpus"] for part, _ in parts)
    notes = tuple(
        f"Taggers are not compared on {corpus}: {CHOSEN_ON[corpus]}."
        for corpus in listed
        if corpus in CHOSEN_ON
    )
    return Result(tuple(tables), findings=tuple(findings), notes=notes)


def _estimate(arguments: Mapping[str, Any], options: PartOptions) -> PartFound:
    parts = {part: parsing.read_over_tags(arguments["corpus"], part) for part in PARTS}
    name = arguments["estimator"]
    parser = parsing.estimate(name, parts, arguments["iterations"], options.threads)
    row, scores = parsing.judge_row(name, parser, parts, options.threads)
    found = row.as_json()
    kept = None
    if name == parsing.FREE:
        kept = parsing.count_kept(parser, parts["test"], options.threads)
    sizes = {part: len(some) for part, some in parts.items()}
    return {**found, "kept": kept, "sizes": sizes, "counts": bracket_counts(scores)}


def _combine_table1(parts: Sequence[tuple[Part, PartFound]]) -> Result:
    findings: list[Finding] = []
    found = by_corpus(parts, "estimator")
    tables = [_paper_table(), *(_table1(corpus, rows) for corpus, rows in found.items())]
    for corpus, rows in found.items():
        if {"MLE", "MCLE"} <= set(rows):
            mle, mcle = rows["MLE"], rows["MCLE"]
            findings.append(
                find_better_parser(
                    "MCLE has a higher F1 than MLE (paper: p ≈ 0.1)",
                    corpus,
                    mcle["counts"],
                    mle["counts"],
                    paper=(_f1(*parsing.PAPER["MCLE"][3:]), _f1(*parsing.PAPER["MLE"][3:])),
                )
            )
            findings.append(
                Finding(
                    "MCLE makes the training trees likelier given their strings, and less likely "
                    "with them",
                    corpus,
                    "1833 → 1769, 13857 → 13896",
                    f"{mle['conditional']:,.0f} → {mcle['conditional']:,.0f}, "
                    f"{mle['joint']:,.0f} → {mcle['joint']:,.0f}",
                    holds=mcle["conditional"] < mle["conditional"] and mcle["joint"] > mle["joint"],
                )
            )
        if parsing.FREE in rows:
            free = rows[parsing.FREE]
            whole = free["sizes"]["test"]
            findings.append(
                Finding(
                    "Free weights, converted to a PCFG, give the same best parses (Smith and "
                    "Johnson 2007)",
                    corpus,
                    "all",
                    f"{free['kept']} of {whole} sentences",
                    holds=free["kept"] == whole,
                )
            )
    return Result(tuple(tables), findings=tuple(findings))


def _f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall)


_TABLE1 = {"": "", "−log P(y)": ",.0f", "−log P(y|x)": ",.0f", "−log P(x)": ",.0f"}
_TABLE1 |= {"precision": ".3f", "recall": ".3f", "F1": ".4f"}


def _paper_table() -> ResultTable:
    rows = [(name, *each, _f1(*each[3:])) for name, each in parsing.PAPER.items()]
    return make_table(
        "The paper's, on ATIS: 1,088 trees to train on, 294 to test on", _TABLE1, rows
    )


def _table1(corpus: str, found: Mapping[str, PartFound]) -> ResultTable:
    keys = ("joint", "conditional", "marginal", "precision", "recall", "f1")
    rows = [(name, *(each[key] for key in keys)) for name, each in found.items()]
    sizes = next(iter(found.values()))["sizes"]
    title = f"{corpus}: {sizes['train']:,} trees to train on, {sizes['test']:,} to test on"
    return make_table(title, _TABLE1, rows)


def _parse(arguments: Mapping[str, Any], options: PartOptions) -> PartFound:
    corpus, longest = arguments["corpus"], arguments["longest"]
    test = [each for each in parsing.read_over_tags(corpus, "test") if len(each.tokens) <= longest]
    train = parsing.read_over_tags(corpus, "train")[: arguments.get("trees")]
    parts = {"train": train, "test": test[: arguments.get("test_trees")]}
    rows = stack.try_parser(
        arguments["recipe"],
        parts,
        arguments["beams"],
        iterations=arguments["iterations"],
        threads=options.threads,
    )
    return {
        "sizes": {part: len(some) for part, some in parts.items()},
        "rows": [
            {
                "beam": row.beam,
                "precision": row.scores.overall.precision,
                "recall": row.scores.overall.recall,
                "f1": row.scores.overall.f1,
                "parsed": row.parsed,
                "bits": row.bits,
                "counts": bracket_counts(row.scores),
            }
            for row in rows
        ],
    }


def _combine_table2(parts: Sequence[tuple[Part, PartFound]]) -> Result:
    columns = {"parser": "", "beam": "", "paper: P": ".3f", "R": ".3f", "here: P": ".3f"}
    columns |= {"R ": ".3f", "F1": ".3f", "parsed": ",d", "bits per tag": ".3f"}
    tables, findings = [], []
    for corpus, found in by_corpus(parts, "recipe").items():
        rows = [
            (
                _short(name),
                _beam(row["beam"]),
                *stack.PAPER.get(name, (None, None)),
                *(row[key] for key in ("precision", "recall", "f1", "parsed", "bits")),
            )
            for name, each in found.items()
            for row in each["rows"]
        ]
        sizes = next(iter(found.values()))["sizes"]
        size = f"{sizes['train']:,} trees to train on, {sizes['test']:,} to test on"
        tables.append(make_table(f"{corpus}: {size}", columns, rows))
        findings += _better_parsers(corpus, found)
    notes = (
        "joint is the paper's parser, by relative frequencies of pairs that were seen; joint, "
        "back-off also has moves at other pairs, and joint, interpolated the shifts that both "
        "lack; maxent and global are log-linear, normalised move by move and "
        "over all parses. A PCFG has no beam, and global keeps the one that it was trained with. "
        "Findings without figures of the paper are ours.",
    )
    return Result(tuple(tables), findings=tuple(findings), notes=notes)


def _better_parsers(corpus: str, found: Mapping[str, PartFound]) -> list[Finding]:
    """What the paper finds with each of its beams, and what else is compared with the first."""
    first, *others = stack.BEAMS
    asked = [(pair, first) for pair in (*stack.FINDINGS, *stack.OTHERS)]
    asked += [(pair, beam) for beam in others for pair in stack.FINDINGS]
    findings = []
    for pair, beam in asked:
        counts = [_with_beam(found, name, beam) for name in pair]
        paper = [_f1(*stack.PAPER[each]) for each in pair if each in stack.PAPER]
        if None not in counts:
            findings.append(
                find_better_parser(
                    f"{' > '.join(map(_short, pair))}, beam {_beam(beam)}",
                    corpus,
                    *counts,
                    paper=(paper[0], paper[1]) if len(paper) == 2 else None,
                )
            )
    return findings


def _with_beam(found: Mapping[str, PartFound], name: str, beam: float) -> Any:
    """The counts of a parser with a beam, or with the only one it has; None without any."""
    rows = found[name]["rows"] if name in found else []
    fixed = name in ("pcfg", stack.GLOBAL)
    return next((row["counts"] for row in rows if fixed or row["beam"] == beam), None)


def _beam(beam: float | None) -> str:
    """A power of ten."""
    if beam is None:
        return "—"
    return "10" + f"{round(math.log10(beam))}".translate(
        str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
    )


def _short(recipe: str) -> str:
    return recipe.removeprefix("shift-reduce-").replace("joint-", "joint, ").replace("pcfg", "PCFG")


def _tagging_parts(
    corpus: str, seconds: float, folder: str | None = None, **more: Any
) -> list[Part]:
    return [
        Part(
            f"{corpus} {name}", {"corpus": corpus, "recipe": name, **more}, _needs(folder), seconds
        )
        for name in TAGGERS
    ]


def _needs(folder: str | None) -> tuple[str, ...]:
    return () if folder is None else (folder,)


def _estimation_parts(
    corpus: str, folder: str | None, iterations: int, seconds: Sequence[float]
) -> list[Part]:
    return [
        Part(
            f"{corpus} {name}",
            {"corpus": corpus, "estimator": name, "iterations": iterations},
            _needs(folder),
            long,
        )
        for name, long in zip(parsing.ESTIMATORS, seconds, strict=True)
    ]


_ITERATIONS = {stack.GLOBAL: 25}  # each goes through all forests


def _parsing_parts(
    corpus: str,
    folder: str | None,
    seconds: Sequence[float],
    *,
    iterations: Mapping[str, int] = _ITERATIONS,
    both: Collection[str] = stack.PAPER,
    **more: Any,
) -> list[Part]:
    return [
        Part(
            f"{corpus} {_short(name)}",
            {
                "corpus": corpus,
                "recipe": name,
                "beams": list(stack.BEAMS if name in both else stack.BEAMS[:1]),
                "longest": 40,
                "iterations": iterations.get(name),
                **more,
            },
            _needs(folder),
            long,
        )
        for name, long in zip(ROWS, seconds, strict=True)
    ]


_SMALL_TREES = (
    "The paper's trees are of the Penn Treebank. Ours are 63 trees that come with the package, "
    "made to show label bias: every sixth is tested on."
)
_FEW = {stack.MAXENT: 20, stack.GLOBAL: 20}

_DRAWN = tuple(
    Part(name, {"corpus": parsing.THAT, "estimator": name, "iterations": 30}, (), 2)
    for name in ("MLE", "MCLE")
)

EXPERIMENTS = (
    Experiment(
        "johnson-2001/figure-1",
        "Figure 1: what the two estimates compare the training pairs with",
        weigh_pairs,
        combine_pairs,
        _DRAWN,
        _DRAWN,
        "The paper draws a sketch. Ours are the probabilities of two grammars that were estimated "
        "from the small treebank that comes with the package.",
        "The paper draws a sketch. Ours are the probabilities of two grammars that were estimated "
        "from the small treebank that comes with the package.",
    ),
    Experiment(
        "johnson-2001/figure-2",
        "Figure 2: the taggers as Bayes nets",
        draw_taggers,
        combine_taggers,
        (Part("all"),),
        (Part("all"),),
    ),
    Experiment(
        "johnson-2001/section-3",
        "Section 3: four taggers that differ in what they condition on",
        _tag,
        _combine_taggers,
        tuple(_tagging_parts("english", 2)),
        (
            *_tagging_parts("wsj-sample", 3, "wsj-sample"),
            *_tagging_parts("wsj-tenths", 3, "wsj-sample"),
            *_tagging_parts("ewt", 6, "ewt"),
            *_tagging_parts("craft", 30, "craft"),
        ),
        "The paper trains on sections 2–21 of the Wall Street Journal and tests on section 23. "
        "Ours are a tenth of it, divided in two ways; web text; and biomedical articles.",
        "The paper trains on sections 2–21 of the Wall Street Journal and tests on section 23. "
        "Ours is the small English corpus that comes with the package, 8,192 words to train on.",
    ),
    Experiment(
        "johnson-2001/table-1",
        "Table 1: a grammar estimated jointly and conditionally",
        _estimate,
        _combine_table1,
        tuple(_estimation_parts(parsing.THAT, None, 30, (1, 2, 2))),
        (
            *_estimation_parts("redwoods-vm", "redwoods-vm", 100, (2, 30, 30)),
            *_estimation_parts("wsj-sample", "wsj-sample", 30, (10, 400, 400)),
        ),
        "The ATIS treebank of the paper is not to be had. redwoods-vm has as many trees, HPSG "
        "derivations of dialogues over rule names; the WSJ sample has longer sentences.",
        _SMALL_TREES,
    ),
    Experiment(
        "johnson-2001/table-2",
        "Table 2: shift-reduce parsers beside a PCFG of the same binary trees",
        _parse,
        _combine_table2,
        tuple(_parsing_parts(parsing.THAT, None, (1, 2, 2, 2, 2, 4, 6), iterations=_FEW)),
        (
            *_parsing_parts("wsj-sample", "wsj-sample", (4, 40, 30, 20, 95, 145, 140)),
            *_parsing_parts(
                "redwoods-vm",
                "redwoods-vm",
                (2, 60, 40, 45, 30, 45, 60),
                iterations={stack.GLOBAL: 40},
                both=("pcfg", stack.JOINT),
            ),
            *_parsing_parts(
                "craft",
                "craft",
                (4, 40, 25, 20, 80, 130, 100),
                trees=3000,
                test_trees=300,
            ),
        ),
        "The paper trains on sections 2–21 of the Wall Street Journal. Ours are the WSJ sample, a "
        "tenth of it, HPSG derivations, and the first 3,000 trees of biomedical articles: "
        "sentences of 40 words at most, the globally normalised parser after 25 or 40 iterations. "
        "The conditional parser of HPSG derivations has one beam.",
        _SMALL_TREES,
    ),
)
