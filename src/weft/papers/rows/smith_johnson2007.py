"""Smith and Johnson (2007): examples, theorem 1 and its corollary, the least scaling, figure 1."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from weft.grammars import (
    Scale,
    ambiguous_cycle,
    endless_cycle,
    expected_length,
    grammar_of,
    growth,
    length_sums,
    normalise_conditional,
    parse_grammar,
    partition,
    same_conditional,
    same_trees,
    scale_weights,
    tightness,
)
from weft.papers.classes import CLASSES, CONDITIONAL, class_of, draw_classes, sample_classes
from weft.papers.experiment import Experiment, Part, PartFound, PartOptions
from weft.papers.johnson2001_parsing import THAT, read_over_tags
from weft.papers.results import Finding, Picture, Result, make_table
from weft.papers.smith_johnson2007 import memm_table
from weft.structures.grammar import Grammar, reweight
from weft.structures.tree import Tree

EXAMPLES = {
    "example 1": "A -> A A | 'a'",
    "example 2": "A -> A A | A | 'a'",
    "example 2, damped": "A -> A A [0.1] | A [0.5] | 'a'",
    "example 1, lighter": "A -> A A [0.2] | 'a'",
    "example 1, probabilistic": "A -> A A [0.25] | 'a' [0.75]",
}
"""Grammars of section 3, and some that differ from them in their weights only."""

SPREAD = 0.5
"""The standard deviation of what is added to the logs of relative frequencies: weights that are
not those of a probabilistic grammar."""


def _weighted(arguments: Mapping[str, Any], options: PartOptions) -> tuple[Grammar, Grammar]:
    """A treebank's grammar, and the same with weights of any size."""
    parses = [each.parse for each in read_over_tags(arguments["corpus"], "train")]
    counted, _ = grammar_of(each for each in parses if isinstance(each, Tree))
    noise = SPREAD * np.random.default_rng(options.seed).standard_normal(counted.rule_count)
    return counted, reweight(counted, counted.weights + noise)


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


def _convert(arguments: Mapping[str, Any], options: PartOptions) -> PartFound:
    """Theorem 1 with the paper's constant, and the corollary, on weights of any size."""
    _, weighted = _weighted(arguments, options)
    before = partition(weighted)
    found = normalise_conditional(weighted, Scale.PAPER)
    scaled = partition(scale_weights(weighted, found.log_scale))
    tight = tightness(found.grammar)
    return {
        "rules": weighted.rule_count,
        "class": class_of(weighted),
        "z_before": before.log_value if before.convergent else None,
        "log_scale": found.log_scale,
        "z_after": scaled.log_value if scaled.convergent else None,
        "same_scaled": same_conditional(weighted, scale_weights(weighted, found.log_scale)).same,
        "proper": tight.proper,
        "tight": tight.tight,
        "same": same_conditional(weighted, found.grammar).same,
    }


def _combine_theorem(parts: Sequence[tuple[Part, PartFound]]) -> Result:
    columns = {"treebank": "", "rules": ",d", "log Z before": ".2f"}
    columns |= {"log 8|Σ|βυ": ".2f", "log Z after": ".2f", "conditional distribution": ""}
    rows, findings = [], []
    for part, found in parts:
        corpus = part.arguments["corpus"]
        same = "the same" if found["same_scaled"] else "not shown to be the same"
        before = "∞" if found["z_before"] is None else found["z_before"]
        after = "∞" if found["z_after"] is None else found["z_after"]
        rows.append((corpus, found["rules"], before, found["log_scale"], after, same))
        small = found["z_after"] is not None and found["z_after"] <= math.log(2)
        findings.append(
            Finding(
                "Theorem 1: divided by 8|Σ|βυ per word, weights have Z ≤ 2 and the same "
                "distribution of trees given strings",
                corpus,
                "Z ≤ 2",
                f"log Z {before if isinstance(before, str) else f'{before:.1f}'} → "
                f"{after if isinstance(after, str) else f'{after:.1f}'}, {same}",
                holds=small and found["same_scaled"],
            )
        )
    title = "Weights of treebank grammars, relative frequencies times random numbers"
    return Result((make_table(title, columns, rows),), findings=tuple(findings))


def _combine_corollary(parts: Sequence[tuple[Part, PartFound]]) -> Result:
    findings = [
        Finding(
            "Corollary 1: weights with finite Zₙ have the conditional distribution of a PCFG",
            part.arguments["corpus"],
            "equal",
            f"{found['rules']:,} rules; sums to one: {found['proper']}, tight: {found['tight']}, "
            f"same conditional distribution: {found['same']}",
            holds=found["proper"] and found["tight"] and found["same"],
        )
        for part, found in parts
    ]
    return Result(findings=tuple(findings))


def _scale(arguments: Mapping[str, Any], options: PartOptions) -> PartFound:
    """The growth rate, and sums a little above and below it."""
    _, weighted = _weighted(arguments, options)
    log_rate = growth(weighted).log_rate
    paper = normalise_conditional(weighted, Scale.PAPER).log_scale
    sums = {
        name: partition(scale_weights(weighted, log_rate + shift)).convergent
        for name, shift in (("below", -0.01), ("above", 0.01))
    }
    return {"rules": weighted.rule_count, "log_rate": log_rate, "paper": paper, **sums}


def _combine_scale(parts: Sequence[tuple[Part, PartFound]]) -> Result:
    columns = {"treebank": "", "log of the paper's constant": ".2f", "log of the least": ".4f"}
    columns |= {"Z at 1 % less": "", "at 1 % more": ""}
    names = {True: "finite", False: "∞"}
    rows, findings = [], []
    for part, found in parts:
        corpus = part.arguments["corpus"]
        shown = (names[found["below"]], names[found["above"]])
        rows.append((corpus, found["paper"], found["log_rate"], *shown))
        findings.append(
            Finding(
                "The smallest constant of theorem 1, which the paper leaves open, is the growth "
                "rate of Zₙ",
                corpus,
                "8|Σ|βυ is large enough",
                f"{math.exp(found['log_rate']):.4g} in place of {math.exp(found['paper']):.3g}",
                holds=found["above"] and not found["below"],
            )
        )
    return Result(
        (make_table("What weights are divided by per word", columns, rows),),
        findings=tuple(findings),
    )


def _identify(arguments: Mapping[str, Any], options: PartOptions) -> PartFound:
    """Several probabilistic grammars with the same distribution of trees given strings."""
    counted, _ = _weighted(arguments, options)
    rate = growth(counted).log_rate
    rows = []
    several: list[Grammar] = []
    for shift in arguments["shifts"]:
        found = normalise_conditional(counted, math.exp(rate + shift))
        several.append(found.grammar)
        rows.append(
            {
                "shift": shift,
                "length": expected_length(found.grammar, partition(found.grammar)),
                "distance": float(
                    np.abs(np.exp(found.grammar.weights) - np.exp(counted.weights)).max()
                ),
            }
        )
    others = several[1:]
    return {
        "rows": rows,
        "same": [same_conditional(several[0], each).same for each in others],
        "same_trees": [same_trees(several[0], each).same for each in others],
    }


def _combine_identify(parts: Sequence[tuple[Part, PartFound]]) -> Result:
    tables, findings = [], []
    for part, found in parts:
        corpus = part.arguments["corpus"]
        columns = {"constant over the least": ".3f", "mean length of a sentence": ".2f"}
        columns |= {"largest change of a rule's probability": ".3f"}
        rows = [(math.exp(row["shift"]), row["length"], row["distance"]) for row in found["rows"]]
        title = f"Probabilistic grammars of {corpus} that parse alike"
        tables.append(make_table(title, columns, rows))
        findings.append(
            Finding(
                "Weights that maximise a conditional likelihood are not identifiable: other PCFGs "
                "give the same parses",
                corpus,
                "",
                f"{len(rows)} grammars, mean lengths {rows[0][1]:.1f} to {rows[-1][1]:.1f}",
                holds=all(found["same"]) and not any(found["same_trees"]),
            )
        )
    return Result(tuple(tables), findings=tuple(findings))


def _classify(arguments: Mapping[str, Any], options: PartOptions) -> PartFound:
    """PartOptions many random weightings of some rules are of each class."""
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
    "the paper proves this, and has no corpora; ours are grammars read off treebanks, over tags."
)
_SHIFTS = (0.01, 0.05, 0.25, 1.0)

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
        _convert,
        _combine_theorem,
        *_treebanks(5),
        _DIFFERS,
    ),
    Experiment(
        "smith-johnson-2007/corollary-1",
        "Corollary 1 on treebank grammars",
        _convert,
        _combine_corollary,
        *_treebanks(5),
        _DIFFERS,
    ),
    Experiment(
        "smith-johnson-2007/least-scaling",
        "The least scaling, which the paper leaves open",
        _scale,
        _combine_scale,
        *_treebanks(15),
        _DIFFERS,
    ),
    Experiment(
        "smith-johnson-2007/non-identifiability",
        "Different grammars that parse alike",
        _identify,
        _combine_identify,
        *_treebanks(30, shifts=_SHIFTS),
        _DIFFERS,
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
