"""Theorem 1 of Smith and Johnson (2007) on grammars of treebanks, and what follows from it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from weft.corpora.parts import PARTS
from weft.criteria import conditional, contrast
from weft.grammars import (
    Scale,
    expected_length,
    grammar_of,
    growth,
    normalise_conditional,
    partition,
    same_conditional,
    same_trees,
    scale_weights,
    tightness,
)
from weft.papers.classes import class_of
from weft.papers.experiment import Part, PartFound, PartOptions
from weft.papers.johnson2001_parsing import estimate, read_over_tags
from weft.papers.results import Finding, Result, make_table
from weft.structures.grammar import Grammar, reweight
from weft.structures.tree import Tree

SPREAD = 0.5
"""The standard deviation of what is added to the logs of relative frequencies: weights that are
not those of a probabilistic grammar."""


def _weighted(arguments: Mapping[str, Any], options: PartOptions) -> tuple[Grammar, Grammar]:
    """A treebank's grammar, and the same with weights of any size."""
    parses = [each.parse for each in read_over_tags(arguments["corpus"], "train")]
    counted, _ = grammar_of(each for each in parses if isinstance(each, Tree))
    noise = SPREAD * np.random.default_rng(options.seed).standard_normal(counted.rule_count)
    return counted, reweight(counted, counted.weights + noise)


def convert(arguments: Mapping[str, Any], options: PartOptions) -> PartFound:
    """Apply theorem 1 with the paper's constant, and its corollary, to weights of any size."""
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


def combine_theorem(parts: Sequence[tuple[Part, PartFound]]) -> Result:
    """Return whether theorem 1 holds."""
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


def combine_corollary(parts: Sequence[tuple[Part, PartFound]]) -> Result:
    """Return whether its corollary holds."""
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


def find_scale(arguments: Mapping[str, Any], options: PartOptions) -> PartFound:
    """Find the growth rate, and sums a little above and below it."""
    _, weighted = _weighted(arguments, options)
    log_rate = growth(weighted).log_rate
    paper = normalise_conditional(weighted, Scale.PAPER).log_scale
    sums = {
        name: partition(scale_weights(weighted, log_rate + shift)).convergent
        for name, shift in (("below", -0.01), ("above", 0.01))
    }
    return {"rules": weighted.rule_count, "log_rate": log_rate, "paper": paper, **sums}


def combine_scale(parts: Sequence[tuple[Part, PartFound]]) -> Result:
    """Return what the least constant is."""
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


def convert_often(arguments: Mapping[str, Any], options: PartOptions) -> PartFound:
    """Make several probabilistic grammars as good as the conditional estimate, and compare them."""
    parts = {part: read_over_tags(arguments["corpus"], part) for part in PARTS}
    parser = estimate("MCLE", parts, arguments["iterations"], options.threads)
    rate = growth(parser.grammar).log_rate
    others = [
        normalise_conditional(parser.grammar, math.exp(rate + shift)).grammar
        for shift in arguments["shifts"]
    ]
    objective = contrast(parser.model, parts["train"], conditional, options.threads)
    rows = [
        {
            "length": expected_length(each, partition(each)),
            "distance": float(np.abs(np.exp(each.weights) - np.exp(parser.grammar.weights)).max()),
            "value": -math.fsum(objective.per_example(each.weights)),
        }
        for each in (parser.grammar, *others)
    ]
    return {
        "rows": rows,
        "same": [same_conditional(parser.grammar, each).same for each in others],
        "same_trees": [same_trees(parser.grammar, each).same for each in others],
    }


def combine_alike(parts: Sequence[tuple[Part, PartFound]]) -> Result:
    """Return which grammars parse alike."""
    tables, findings = [], []
    columns = {"constant over the least": "", "−log P(y|x)": ",.2f"}
    columns |= {"mean length of a sentence": ".2f", "largest change of a rule's probability": ".3f"}
    for part, found in parts:
        corpus = part.arguments["corpus"]
        names = ["as estimated", *(f"{math.exp(each):.3f}" for each in part.arguments["shifts"])]
        rows = [
            (name, row["value"], row["length"], row["distance"])
            for name, row in zip(names, found["rows"], strict=True)
        ]
        title = f"Probabilistic grammars of {corpus} that parse alike"
        tables.append(make_table(title, columns, rows))
        first, *others = found["rows"]
        alike = all(math.isclose(row["value"], first["value"], rel_tol=1e-9) for row in others)
        lengths = [row["length"] for row in found["rows"]]
        findings.append(
            Finding(
                "Weights that maximise a conditional likelihood are not identifiable: other PCFGs "
                "give the same parses with the same probabilities",
                corpus,
                "",
                f"{len(rows)} grammars of −log P(y|x) {first['value']:,.2f}, mean lengths "
                f"{min(lengths):.1f} to {max(lengths):.1f}",
                holds=alike and all(found["same"]) and not any(found["same_trees"]),
            )
        )
    return Result(tuple(tables), findings=tuple(findings))
