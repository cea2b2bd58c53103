"""Margins by two optimisers: Frank–Wolfe with its duality gap, and subgradient ascent.

``python -m benchmarks.margins`` trains each family both ways and prints a table in Markdown: the
values, the gap, how far the two solutions are from each other and how far they may be. ``--write``
puts it into the documentation, ``--corpus`` trains on some corpora only and keeps the other lines,
``--sentences`` sets how many sentences of CoNLL-2000 and EWT there are at most.

F is strongly concave: ½ |θ − θ*|² ≤ F(θ*) − F(θ), where lengths are taken by the penalty's
precisions. F(θ*) is at most the value of Frank–Wolfe plus its gap, so that both solutions are in
known balls around θ*.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.data import CONLL2000, TEMPLATES, sentences
from benchmarks.online import corpus_of
from benchmarks.pages import lines_of, merge_lines, write_lines
from weft import fit
from weft.corpora import bundled
from weft.criteria import Gaussian, contrast, margin
from weft.features.templates import templates
from weft.models.chain.spec import Chain
from weft.optimise.frank_wolfe import FrankWolfe
from weft.optimise.subgradient import Subgradient
from weft.papers.families import families, tree_judge
from weft.structures.evidence import Example, Sentence

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "margins.md"
MARK = "<!-- made by benchmarks/margins.py -->"
HEADER = (
    "| family, corpus | variance | optimiser | sentences | passes | seconds | value | gap | "
    "right % | apart | at most |",
    "|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|",
)


@dataclass(frozen=True, slots=True, eq=False)
class Corpus:
    """A family with its data."""

    name: str
    spec: Any
    train: Sequence[Any]
    test: Sequence[Any]


@dataclass(frozen=True, slots=True)
class Row:
    """How one optimiser fared.

    Attributes:
        corpus: The family and the corpus.
        variance: Of the Gaussian penalty.
        optimiser: Its name.
        sentences: How many there were to learn from.
        passes: How many there were.
        seconds: Of processor time.
        value: F at its solution.
        lack: By how much that may be below the optimum, by the duality gap.
        right: The share of tags or analyses that are right, on other sentences.
        apart: The distance between the two optimisers' solutions.
        most: The largest distance that the gap allows.
    """

    corpus: str
    variance: float
    optimiser: str
    sentences: int
    passes: int
    seconds: float
    value: float
    lack: float
    right: float
    apart: float
    most: float

    def line(self) -> str:
        """Return the row in Markdown."""
        return (
            f"| {self.corpus} | {self.variance:g} | {self.optimiser} | {self.sentences:,} | "
            f"{self.passes} | {self.seconds:.0f} | {self.value:,.3f} | "
            f"{self.lack / max(1.0, abs(self.value)):.5f} | "
            f"{100 * self.right:.2f} | {self.apart:.2f} | {self.most:.2f} |"
        )


def _bundled(count: int) -> Corpus:
    return Corpus("crf, bundled", Chain(), bundled("train")[:count], bundled("test")[:count])


def _conll2000(count: int) -> Corpus:
    parts = [
        [
            Example(Sentence((tuple(each.words), tuple(each.pos))), tuple(each.chunks))
            for each in sentences(CONLL2000, part)[:count]
        ]
        for part in ("train", "test")
    ]
    return Corpus("crf, CoNLL-2000", Chain(templates=templates(TEMPLATES)), *parts)


def _ewt(count: int) -> Corpus:
    parts = [
        [Example(Sentence((tuple(words),)), tuple(tags)) for _, tags, words in several[:count]]
        for several in (corpus_of("ewt", part) for part in ("train", "test"))
    ]
    return Corpus("crf, EWT", Chain(), *parts)


def _treebank(count: int) -> Corpus:
    [family] = [each for each in families(count) if each.name == "wcfg-crf"]
    return Corpus("wcfg-crf, bundled", family.spec, family.train, family.test)


def _parses(count: int) -> Corpus:
    [family] = [each for each in families(count) if each.name == "parse-selection"]
    return Corpus("parse-selection, bundled", family.spec, family.train, family.test)


CORPORA: Mapping[str, Callable[[int], Corpus]] = {
    "bundled": _bundled,
    CONLL2000: _conll2000,
    "ewt": _ewt,
    "treebank": _treebank,
    "parses": _parses,
}
"""By name, from a number of sentences to the corpora."""


def rows(corpus: Corpus, cost: Gaussian, gap: float, steps: int) -> list[Row]:
    """Train by both optimisers."""
    passes = max(1, steps // len(corpus.train))
    spec, hinge, both = corpus.spec, margin(), []
    several = (FrankWolfe(gap=gap, epochs=1000), Subgradient(epochs=passes, tolerance=0.0))
    for optimiser in several:
        began = time.process_time()
        options = {"criterion": hinge, "penalty": cost, "optimiser": optimiser, "threads": 1}
        found = fit(spec, corpus.train, **options)
        both.append((found, time.process_time() - began))
    first, second = (found for found, _ in both)
    train, model = spec.compile(corpus.train), first.model
    objective, length = contrast(model, train, hinge), cost.objective(model.parameters)
    centre = spec.start(model, train, generative=False, closed_form=False)
    penalty = cost.objective(model.parameters, centre)
    values = [objective.value(each.weights) + penalty(each.weights)[0] for each, _ in both]
    highest = values[0] + first.trace[-1].gradient_norm
    judge = tree_judge(spec, model, corpus.test)
    return [
        Row(
            corpus.name,
            cost.variance,
            type(optimiser).__name__,
            len(corpus.train),
            found.trace[-1].iteration,
            seconds,
            value,
            highest - value,
            judge(found.weights),
            math.sqrt(-2 * length(first.weights - second.weights)[0]),
            sum(math.sqrt(2 * max(0.0, highest - each)) for each in values),
        )
        for optimiser, (found, seconds), value in zip(several, both, values, strict=True)
    ]


def main() -> None:
    """Print the table, or write it into the documentation."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", action="append", choices=CORPORA, help="only this one")
    parser.add_argument("--sentences", type=int, default=10**6, help="at most")
    parser.add_argument("--variance", type=float, default=0.01, help="of the penalty")
    parser.add_argument("--gap", type=float, default=1e-3)
    parser.add_argument("--steps", type=int, default=100_000, help="of subgradient ascent")
    parser.add_argument("--write", action="store_true", help=f"into {PAGE.name}")
    asked = parser.parse_args()
    for name in asked.corpus or CORPORA:
        corpus, cost = CORPORA[name](asked.sentences), Gaussian(asked.variance)
        made = [row.line() for row in rows(corpus, cost, asked.gap, asked.steps)]
        print("\n".join(made), flush=True)
        if asked.write:
            write_lines(PAGE, MARK, HEADER, merge_lines(lines_of(PAGE, MARK), made, 3))


if __name__ == "__main__":
    main()
