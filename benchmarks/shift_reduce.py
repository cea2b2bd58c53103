"""Shift-reduce parsers over the WSJ sample's tags, beside the chart of a PCFG of the same trees.

``python -m benchmarks.shift_reduce [--rounds N] [--threads N] [--growth N] [--beams SHARE ...]
[--recipes NAME ...]``
reads the treebank from ``WEFT_DATA``, trains on its training part, and prints as JSON how long
parsing its test part takes by beam, and how time grows with length: on sentences of the training
part, as many per length.
Seconds are of the clock and of all processors together, the least of several rounds; growth is of
processor time on one thread. Log-linear parsers are trained for a few iterations: how long a search
takes is said by their tables, and not by their weights.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.charts import seconds
from weft.models.tree_parser import TreeParser
from weft.papers.johnson2001_parsing import read_over_tags
from weft.papers.johnson2001_shift_reduce import (
    CONDITIONAL,
    INTERPOLATED,
    JOINT,
    MAXENT,
    over_tags,
    with_beams,
)
from weft.recipes import fit_recipe
from weft.structures.evidence import Example, Tokens

BEAMS = (1e-4, 1e-6)
RECIPES = ("pcfg", JOINT, INTERPOLATED, CONDITIONAL, MAXENT)
LENGTHS = (10, 15, 20, 30, 40)


ITERATIONS = 5


def parsers(
    corpus: Sequence[Example], beams: Sequence[float], recipes: Sequence[str]
) -> dict[str, TreeParser]:
    """The parsers by name and beam."""
    return {
        name if beam is None else f"{name}, beam {beam:g}": parser
        for name in recipes
        for beam, parser in with_beams(fit_recipe(over_tags(name, ITERATIONS), corpus), beams)
    }


def speeds(
    several: Mapping[str, TreeParser], sentences: Sequence[Tokens], rounds: int, threads: int
) -> dict[str, Any]:
    """Seconds, and sentences per second."""
    found = {}
    clocks = (time.perf_counter, time.process_time)
    for name, parser in several.items():
        rows = []
        for _ in range(rounds):
            began = [clock() for clock in clocks]
            parser.predict(sentences, threads=threads)
            rows.append([clock() - start for clock, start in zip(clocks, began, strict=True)])
        took, used = np.min(rows, axis=0).tolist()
        found[name] = {
            "seconds": round(took, 2),
            "per second": round(len(sentences) / took, 1),
            "processor seconds": round(used, 3),
        }
    return found


def growth(
    several: Mapping[str, TreeParser], corpus: Sequence[Example], count: int
) -> dict[str, Any]:
    """Seconds by length, and the exponent of time in length that fits them best."""
    chosen = {
        length: [each.tokens for each in corpus if len(each.tokens) == length][:count]
        for length in LENGTHS
    }
    found = {}
    for name, parser in several.items():
        took = [
            seconds(lambda p=parser, s=s: p.predict(s, threads=1), 1, time.process_time) / len(s)
            for s in chosen.values()
        ]
        slope = np.polyfit(np.log(LENGTHS), [math.log(each) for each in took], 1)[0]
        found[name] = {
            "milliseconds per sentence": [round(1000 * each, 1) for each in took],
            "exponent": round(float(slope), 2),
        }
    return {"lengths": LENGTHS, "sentences per length": count, **found}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--growth", type=int, default=8, help="sentences per length")
    parser.add_argument("--beams", type=float, nargs="+", default=BEAMS)
    parser.add_argument("--recipes", nargs="+", default=RECIPES)
    options = parser.parse_args()
    corpus = read_over_tags("wsj-sample", "train")
    several = parsers(corpus, options.beams, options.recipes)
    test = [each.tokens for each in read_over_tags("wsj-sample", "test")]
    result = {
        "sentences": len(test),
        "mean length": round(float(np.mean([len(each) for each in test])), 2),
        "threads": options.threads,
        "parsing": speeds(several, test, options.rounds, options.threads),
        "growth": growth(several, corpus, options.growth),
    }
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
