"""Smith and Johnson (2007): examples, theorem 1 and its corollary, the least scaling, figure 1."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from weft.grammars import (
    ambiguous_cycle,
    endless_cycle,
    length_sums,
    parse_grammar,
    partition,
)
from weft.papers.classes import CLASSES, CONDITIONAL, class_of, draw_classes, sample_classes
from weft.papers.experiment import Experiment, Part, PartFound, PartOptions
from weft.papers.johnson2001_parsing import THAT
from weft.papers.results import Finding, Picture, Result, make_table
from weft.papers.rows.treebank_grammars import (
    combine_alike,
    combine_corollary,
    combine_scale,
    combine_theorem,
    convert,
    convert_often,
    find_scale,
)
from weft.papers.smith_johnson2007 import memm_table

EXAMPLES = {
    "example 1": "A -> A A | 'a'",
    "example 2": "A -> A A | A | 'a'",
    "example 2, damped": "A -> A A [0.1] | A [0.5] | 'a'",
    "example 1, lighter": "A -> A A [0.2] | 'a'",
    "example 1, probabilistic": "A -> A A [0.25] | 'a' [0.75]",
}
"""Grammars of section 3, and some that differ from them in their weights only."""


def _show_examples(arguments: Mapping[str, Any], options: PartOptions) -> PartFound:  # noqa: ARG001
    rows = []
    for name, text in EXAMPLES.items():
        rules = parse_grammar(text)
        sums = partition(rules)
        lengths = [float(each) for each in np.exp(length_sums(rules, 5))[1:]]
        rows.append(
            {
                "name": name,
                "rules": text,
                "class": class_of(rules),
                "z": math.exp(sums.log_value) if sums.convergent else None,
                "lengths": [each if math.isfinite(each) else None for each in lengths],
                "endless": list(endless_cycle(rules)),
                "ambiguous": list(ambiguous_cycle(rules)),
            }
        )
    return {"rows": rows}


def _combine_examples(parts: Sequence[tuple[Part, PartFound]]) -> Result:
    rows = {row["name"]: row for row in parts[0][1]["rows"]}
    columns = {"": "", "rules": "", "Z": ".3g", "Z₁ … Z₅": "", "class": ""}
    shown = [
        (
            name,
            row["rules"],
            "∞" if row["z"] is None else row["z"],
            ", ".join("∞" if each is None else f"{each:.3g}" for each in row["lengths"]),
            row["class"],
        )
        for name, row in rows.items()
    ]
    first, second, damped = (rows[name] for name in list(rows)[:3])
    catalan = [1.0, 1.0, 2.0, 5.0, 14.0]
    uniform = first["z"] is None and np.allclose(first["lengths"], catalan)
    return Result(
        (make_table("Sums of the paper's examples", columns, shown),),
        findings=(
            Finding(
                "Example 1: Z diverges, and the trees of n words, all of weight 1, are as many as "
                "binary bracketings",
                "—",
                "1, 1, 2, 5, 14 …",
                ", ".join(f"{each:g}" for each in first["lengths"]),
                holds=uniform,
            ),
            Finding(
                "Example 2: a unary cycle that loses no weight makes every Zₙ infinite",
                "—",
                "Zₙ = ∞",
                f"cycle {' → '.join([*second['endless'], *second['endless'][:1]])}",
                holds=bool(second["endless"]) and second["lengths"] == [None] * 5,
            ),
            Finding(
                "Footnote 3: infinite ambiguity alone does not make Zₙ infinite",
                "—",
                "",
                f"with A → A at ½, Z₁ = {damped['lengths'][0]:g}",
                holds=bool(damped["ambiguous"]) and None not in damped["lengths"],
            ),
        ),
    )


def _train_memms(arguments: Mapping[str, Any], options: PartOptions) -> PartFound:
    made = memm_table(
        arguments["ahead"],
        sentences=arguments["sentences"],
        seed=options.seed,
        threads=options.threads,
    )
    return made.as_json()


def _combine_memms(parts: Sequence[tuple[Part, PartFound]]) -> Result:
    found = parts[0][1]
    rows = [(row["look_ahead"], row["least"], row["trained"]) for row in found["rows"]]
    columns = {"words ahead": "d", "least possible": ".4f", "trained": ".4f"}
    least = min(row[1] for row in rows)
    title = (
        f"Divergence of MEMMs from example 3, up to {found['longest']} words, in nats; trained on "
        f"{found['sentences']:,} sentences of it"
    )
    return Result(
        (make_table(title, columns, rows),),
        findings=(
            Finding(
                "Theorem 2, corollary 3: an HMM that no MEMM matches, however far it looks ahead",
                "example 3",
                "none",
                f"at least {least:.4f} nats apart",
                holds=least > 0 and all(trained >= bound for _, bound, trained in rows),
            ),
        ),
    )


def _classify(arguments: Mapping[str, Any], options: PartOptions) -> PartFound:
    """How many random weightings of some rules are of each class."""
    rng = np.random.default_rng(options.seed)
    found = {}
    for name, text in arguments["grammars"].items():
        rules = parse_grammar(text)
        found[name] = sample_classes(rules, arguments["count"], arguments["spread"], rng)
    return {
        "sampled": found,
        "examples": {k: class_of(parse_grammar(v)) for k, v in EXAMPLES.items()},
    }


def _combine_classes(parts: Sequence[tuple[Part, PartFound]]) -> Result:
    part, found = parts[0]
    count = part.arguments["count"]
    members: dict[str, list[str]] = {each: [] for each in CLASSES}
    for name, own in found["examples"].items():
        members[own].append(f"{name}: {EXAMPLES[name]}")
    for name, several in found["sampled"].items():
        for own, number in several.items():
            if number:
                text = part.arguments["grammars"][name]
                members[own].append(f"{number} of {count} random weightings of {text}")
    picture = draw_classes("Classes of weighted grammars, with members", members)
    columns = {"rules": "", **dict.fromkeys(CLASSES, ",d")}
    rows = [
        (part.arguments["grammars"][name], *(several[each] for each in CLASSES))
        for name, several in found["sampled"].items()
    ]
    finite = any(several[CONDITIONAL] for several in found["sampled"].values())
    return Result(
        (make_table(f"Classes of {count} random weightings each", columns, rows),),
        (Picture("Figure 1 redrawn: each class is within the one around it", picture),),
        (
            Finding(
                "Figure 1: weights with finite Zₙ are more than those with finite Z, and these "
                "more than those of PCFGs",
                "random weights",
                "G(PCFG) ⊂ G(Z < ∞) ⊂ G(Zₙ < ∞)",
                "members of each class were found",
                holds=finite and all(members.values()),
            ),
        ),
    )


def _treebanks(seconds: float, **more: Any) -> tuple[tuple[Part, ...], tuple[Part, ...]]:
    quick = (Part(THAT, {"corpus": THAT, **more}),)
    full = [
        Part(name, {"corpus": name, **more}, (name,), seconds)
        for name in ("redwoods-vm", "wsj-sample")
    ]
    return quick, (*quick, *full)


_ONE = {
    "grammars": {"binary": "A -> A A [0.5] | 'a' [0.5]", "unary": EXAMPLES["example 2, damped"]}
}
_DIFFERS = (
    "The paper proves this, and has no corpora. Ours are grammars read off treebanks, over tags."
)
_DIFFERS_QUICK = (
    "The paper proves this, and has no corpora. Ours is a grammar read off the 63 trees that come "
    "with the package, over tags."
)
_SHIFTS = (0.01, 0.05, 0.25, 1.0)


def _alike(corpus: str, iterations: int, seconds: float, corpora: tuple[str, ...]) -> Part:
    """The conditional estimate of table 1 of Johnson (2001), and others like it."""
    arguments = {"corpus": corpus, "iterations": iterations, "shifts": _SHIFTS}
    return Part(corpus, arguments, corpora, seconds)


EXPERIMENTS = (
    Experiment(
        "smith-johnson-2007/examples",
        "Examples 1 and 2: sums of trees",
        _show_examples,
        _combine_examples,
        (Part("all"),),
        (Part("all"),),
    ),
    Experiment(
        "smith-johnson-2007/example-3",
        "Example 3: an HMM that no MEMM matches",
        _train_memms,
        _combine_memms,
        (Part("all", {"ahead": 2, "sentences": 200}, seconds=3),),
        (Part("all", {"ahead": 3, "sentences": 1000}, seconds=10),),
    ),
    Experiment(
        "smith-johnson-2007/theorem-1",
        "Theorem 1 on treebank grammars",
        convert,
        combine_theorem,
        *_treebanks(5),
        _DIFFERS,
        _DIFFERS_QUICK,
    ),
    Experiment(
        "smith-johnson-2007/corollary-1",
        "Corollary 1 on treebank grammars",
        convert,
        combine_corollary,
        *_treebanks(5),
        _DIFFERS,
        _DIFFERS_QUICK,
    ),
    Experiment(
        "smith-johnson-2007/least-scaling",
        "The least scaling, which the paper leaves open",
        find_scale,
        combine_scale,
        *_treebanks(15),
        _DIFFERS,
        _DIFFERS_QUICK,
    ),
    Experiment(
        "smith-johnson-2007/non-identifiability",
        "Different grammars that parse alike",
        convert_often,
        combine_alike,
        (_alike(THAT, 30, 5, ()),),
        (
            _alike(THAT, 30, 5, ()),
            _alike("redwoods-vm", 100, 40, ("redwoods-vm",)),
            _alike("wsj-sample", 30, 415, ("wsj-sample",)),
        ),
        _DIFFERS,
        _DIFFERS_QUICK,
    ),
    Experiment(
        "smith-johnson-2007/figure-1",
        "Figure 1: classes of grammars, with measured members",
        _classify,
        _combine_classes,
        (Part("all", {**_ONE, "count": 50, "spread": 1.0}, seconds=3),),
        (Part("all", {**_ONE, "count": 500, "spread": 1.0}, seconds=20),),
    ),
)
