"""Models of Smith and Eisner (2005) under each other's criteria, and their words (§5.2)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import itemgetter

import numpy as np

from weft.arrays import FloatArray, IntArray
from weft.evaluate.significance import compare
from weft.papers.contrastive.learning import METHODS
from weft.papers.experiment import Part, PartFound
from weft.papers.results import Finding, Result, gain_of, make_table
from weft.papers.rows.learnt import NAT, pair_up
from weft.ranking import by_value

_MOST_FREQUENT = 10


def combine_footnote(parts: Sequence[tuple[Part, PartFound]]) -> Result:
    """Return what every model is worth by every criterion."""
    rows = {
        arguments["method"]: each
        for arguments, each in pair_up(parts)
        if "criteria" in each and arguments["method"] in METHODS
    }
    columns = {"learnt by": "", **dict.fromkeys(METHODS, ".4f"), "conditional": ".4f"}
    listed = [
        (
            method,
            *(each["criteria"][own] for own in METHODS),
            sum(each["conditional"]) / NAT / each["tokens"],
        )
        for method, each in rows.items()
    ]
    best = {
        own: by_value(
            [(method, _value(each["criteria"][own])) for method, each in rows.items()],
            itemgetter(1),
        )[0][0]
        for own in rows
    }
    own_best = [method for method, first in best.items() if method == first]
    corpus = parts[0][0].arguments["corpus"]
    findings = [
        Finding(
            "Footnote 7: most models are the best by their own criterion",
            corpus,
            "most",
            f"{len(own_best)} of {len(rows)}: {', '.join(own_best)}",
            holds=2 * len(own_best) > len(rows),
        )
    ]
    for method in rows:
        if method != "length" and "length" in rows:
            test = compare(_per_sentence(rows[method]), _per_sentence(rows["length"]))
            findings.append(
                Finding(
                    f"Footnote 7: LENGTH finds the right tags likelier than {method.upper()}",
                    corpus,
                    "LENGTH the likeliest",
                    f"{test.second:.3f} and {test.first:.3f} per sentence",
                    gain_of(test),
                    unit="nats per sentence",
                )
            )
    title = "Values per word under each criterion; a dash where the sum is infinite"
    return Result((make_table(title, columns, listed),), findings=tuple(findings))


def _value(value: float | None) -> float:
    return -math.inf if value is None else value


def _per_sentence(found: PartFound) -> IntArray:
    return np.array([[each, NAT] for each in found["conditional"]])


def combine_divergence(parts: Sequence[tuple[Part, PartFound]]) -> Result:
    """Return how far p(word | tag) of every model is from the relative frequencies."""
    rows = {
        arguments["method"]: each for arguments, each in pair_up(parts) if each.get("divergences")
    }
    tags = list(next(iter(rows.values()))["divergences"])[:_MOST_FREQUENT] if rows else []
    columns = {"learnt by": "", "all tags": ".3f", **dict.fromkeys(tags, ".3f")}
    listed = [
        (method, each["divergence"], *(each["divergences"].get(tag) for tag in tags))
        for method, each in rows.items()
    ]
    findings = []
    if {"length", "trans1"} <= set(rows):
        pair = [_divergences(rows[method], tags) for method in ("trans1", "length")]
        closer = int((pair[1] > pair[0]).sum())
        test = compare(
            *(
                np.rint(NAT * np.column_stack([each, np.ones(len(tags))])).astype(int)
                for each in pair
            )
        )
        findings.append(
            Finding(
                "LENGTH’s p(word | tag) is closer to the relative frequencies than TRANS1’s",
                parts[0][0].arguments["corpus"],
                "closer (KL)",
                f"for {closer} of the {len(tags)} most frequent tags",
                gain_of(test),
                unit="nats",
            )
        )
    title = "Divergence of p(word | tag) from relative frequencies, in nats"
    return Result((make_table(title, columns, listed),), findings=tuple(findings))


def _divergences(found: PartFound, tags: Sequence[str]) -> FloatArray:
    """Minus the divergences; one that is infinite counts as 100 nats."""
    return np.array(
        [-100.0 if (own := found["divergences"][tag]) is None else -own for tag in tags]
    )
