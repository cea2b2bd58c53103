"""Johnson (2001): figure 1, what estimates compare with what, and figure 2, the taggers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from weft.criteria import conditional, contrast, marginal
from weft.papers.experiment import Part, PartFound, PartOptions
from weft.papers.johnson2001_parsing import estimate, read_over_tags
from weft.papers.results import Finding, Picture, Result, make_table
from weft.report.networks import network_svg
from weft.report.trees import escaped

FACTORS: Mapping[str, tuple[str, Mapping[str, Sequence[str]]]] = {
    "(4)": ("P(Tⱼ|Tⱼ₋₁) P(Wⱼ|Tⱼ)", {"T": ["T-"], "W": ["T"]}),
    "(5)": ("P₀(Tⱼ|Wⱼ,Tⱼ₋₁)", {"T": ["W", "T-"]}),
    "(6)": ("P(Wⱼ|Tⱼ) P₁(Tⱼ|Wⱼ₋₁,Tⱼ₋₁)", {"W": ["T"], "T": ["W-", "T-"]}),
    "(7)": ("P₀(Tⱼ|Wⱼ,Tⱼ₋₁) P(Wⱼ|Tⱼ₋₁)", {"T": ["W", "T-"], "W": ["T-"]}),
}
"""The factors of each tagger, and what tag and word depend on, ``-`` being one place before."""

_STEPS = ("ⱼ₋₁", "ⱼ", "ⱼ₊₁")
_WIDTH, _SHOWN, _HEIGHT, _TOP, _LEFT, _FOOT = 620.0, 430.0, 220.0, 12.0, 12.0, 34.0


def draw_taggers(arguments: Mapping[str, Any], options: PartOptions) -> PartFound:  # noqa: ARG001
    """Draw the taggers of section 3 as Bayes nets."""
    places = {
        f"{kind}{step}": (column, row)
        for row, kind in enumerate("TW")
        for column, step in enumerate(_STEPS)
    }
    found = {}
    for name, (factors, parents) in FACTORS.items():
        arcs = [
            (f"{given[0]}{_STEPS[column - len(given) + 1]}", f"{child}{_STEPS[column]}")
            for child, several in parents.items()
            for given in several
            for column in range(len(given) - 1, len(_STEPS))
        ]
        words = [each for each in places if each.startswith("W")]
        found[name] = {
            "factors": factors,
            "svg": network_svg(f"{name} ∏ {factors}", places, arcs, seen=words),
        }
    return found


def combine_taggers(parts: Sequence[tuple[Part, PartFound]]) -> Result:
    """Return the pictures of the taggers."""
    found = parts[0][1]
    return Result(
        pictures=tuple(
            Picture(f"{name} ∏ {each['factors']}; words are shaded", each["svg"])
            for name, each in found.items()
        )
    )


def weigh_pairs(arguments: Mapping[str, Any], options: PartOptions) -> PartFound:
    """Estimate a grammar, and weigh every training string, and its trees among all of its trees."""
    parts = {part: read_over_tags(arguments["corpus"], part) for part in ("train", "dev")}
    name = arguments["estimator"]
    parser = estimate(name, parts, arguments["iterations"], options.threads)
    logs = [
        contrast(parser.model, parts["train"], each, options.threads).per_example(parser.weights)
        for each in (marginal, conditional)
    ]
    rows: dict[str, dict[str, Any]] = {}
    for example, string, given in zip(parts["train"], *logs, strict=True):
        row = rows.setdefault(
            " ".join(example.tokens.words), {"p": math.exp(string), "trees": {}, "count": 0}
        )
        row["count"] += 1
        row["trees"][str(example.parse)] = math.exp(given)
    return {"strings": rows, "pairs": [float(logs[0].sum()), float(logs[1].sum())]}


def combine_pairs(parts: Sequence[tuple[Part, PartFound]]) -> Result:
    """Return all pairs of strings and trees as areas, those of the corpus shaded."""
    found = {part.arguments["estimator"]: each for part, each in parts}
    corpus = parts[0][0].arguments["corpus"]
    columns = {"estimate": "", "strings of the corpus in Ω": "%", "its pairs in Ω": "%"}
    columns |= {"−log P(y|x)": ".2f", "−log P(x)": ".2f"}
    rows = [
        (name, *_areas(each["strings"]), -each["pairs"][1], -each["pairs"][0])
        for name, each in found.items()
    ]
    pictures = tuple(
        Picture(
            f"Ω by {name} on {corpus}: a string of the corpus is a column as wide as it is "
            "frequent, in which its observed trees, shaded, are as high as P(y|x)",
            draw_pairs(f"all pairs of strings and trees, by {name}", each["strings"]),
        )
        for name, each in found.items()
    )
    findings = []
    if {"MLE", "MCLE"} <= set(found):
        mle, mcle = (found[name]["pairs"] for name in ("MLE", "MCLE"))
        ours = "−log P(y|x) {:.1f} and {:.1f}, −log P(y, x) {:.1f} and {:.1f}"
        findings = [
            Finding(
                "Figure 1: MLE makes the training pairs likely among all pairs, MCLE among those "
                "with their strings",
                corpus,
                "",
                ours.format(-mle[1], -mcle[1], -sum(mle), -sum(mcle)),
                holds=mcle[1] > mle[1] and sum(mle) > sum(mcle),
            )
        ]
    return Result(
        (make_table("What is compared with what", columns, rows),), pictures, tuple(findings)
    )


def _areas(strings: Mapping[str, Any]) -> tuple[float, float]:
    """How much of Ω are the strings of the corpus, and its pairs."""
    own = [(each["p"], sum(each["trees"].values())) for each in strings.values()]
    return sum(p for p, _ in own), sum(p * share for p, share in own)


def draw_pairs(title: str, strings: Mapping[str, Any]) -> str:
    """Return Ω as the text of an SVG file: columns of strings, in which trees are shares.

    Args:
        title: What programs that read it out call it.
        strings: By string, its probability ``p``, those of its observed ``trees`` given it, and its
            ``count``.
    """
    whole, high = _WIDTH + 2 * _LEFT, _HEIGHT + _TOP + _FOOT
    marks = [_box(_LEFT, _TOP, _WIDTH, _HEIGHT, 0.04)]
    left, count = _LEFT, sum(each["count"] for each in strings.values())
    for text, each in sorted(strings.items(), key=lambda item: (-item[1]["count"], item[0])):
        width = _SHOWN * each["count"] / count
        marks.append(_box(left, _TOP, width, _HEIGHT, 0.0, f"{text}: P(x) = {each['p']:.3g}"))
        foot = _TOP + _HEIGHT
        for tree, share in each["trees"].items():
            foot -= _HEIGHT * share
            said = f"{tree}: P(y|x) = {share:.3g}"
            marks.append(_box(left, foot, width, _HEIGHT * share, 0.5, said))
        left += width
    known = 100 * sum(each["p"] for each in strings.values())
    marks.append(_text(_LEFT, high - 12, f"strings x of the corpus, {known:.1f} % of Ω", "start"))
    marks.append(_text(whole - _LEFT, high - 12, f"all others, {100 - known:.1f} %", "end"))
    lines = "\n".join(marks)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" class="plot" width="{whole:g}" '
        f'height="{high:g}" viewBox="0 0 {whole:g} {high:g}" font-family="sans-serif" '
        f'font-size="13" fill="currentColor">\n<title>{escaped(title)}</title>\n{lines}\n</svg>\n'
    )


def _box(x: float, y: float, width: float, height: float, dark: float, said: str = "") -> str:
    colour = "#1d5f9e" if dark > 0.1 else "currentColor"
    inner = f"<title>{escaped(said)}</title>" if said else ""
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" '
        f'fill="{colour}" fill-opacity="{dark:g}" stroke="currentColor" stroke-opacity="0.6">'
        f"{inner}</rect>"
    )


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escaped(text)}</text>'
