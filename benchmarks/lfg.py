"""Lexical-functional grammars: time by length, and how well packing works.

``python -m benchmarks.lfg [GRAMMAR SENTENCES] [--whole] [--rounds N]`` reads a grammar in XLE's
notation and a file with a sentence per line, by default the grammar of Portuguese in ``WEFT_DATA``,
and prints as JSON how long sentences of each length take on one thread (looked up and compiled
before; seconds of processor time, the best of some rounds), how many solutions there are for each
category over a span, and how many analyses. With ``--whole``, also what it takes when constituents
are told apart by all of their f-structures.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from weft.lfg.forest import Kernel
from weft.lfg.read import read_lfg
from weft.lfg.reference.solve import Solver
from weft.lfg.solve import Kernels, Solved, solve_block
from weft.lfg.tokens import TokenLattice, analyse
from weft.unification import ParseLimits

LENGTHS = ((1, 5), (6, 10), (11, 15), (16, 20), (21, 25), (26, 40))


def read_sentences(path: Path) -> list[str]:
    """Lines that are no comments."""
    lines = map(str.strip, path.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line and line[0] not in '#"']


def timed(work: Any) -> tuple[float, Any]:
    begin = time.process_time()
    found = work()
    return time.process_time() - begin, found


def solve(kernel: Kernel, lattice: TokenLattice, restricted: bool) -> Solved:
    limits = ParseLimits(seconds=60.0, truncate=True)
    return next(solve_block(kernel, [lattice], limits, restricted=restricted))


def measure(
    sentences: Sequence[tuple[Kernel, TokenLattice]], restricted: bool, rounds: int
) -> list[dict[str, Any]]:
    """What sentences of each length take."""
    rows = []
    for low, high in LENGTHS:
        some = [each for each in sentences if low <= len(each[1].words) <= high]
        if not some:
            continue
        found, seconds = [], []
        for each in some:
            times = [timed(lambda it=each: solve(*it, restricted)) for _ in range(rounds)]
            found.append(times[0][1])
            seconds.append(min(each for each, _ in times))
        nodes = sum(each.work.nodes for each in found)
        rows.append(
            {
                "words": f"{low}-{high}",
                "sentences": len(some),
                "with analyses": sum(bool(each.forest) for each in found),
                "analyses each": round(sum(each.forest.count for each in found) / len(some), 1),
                "milliseconds each": round(1000 * sum(seconds) / len(some), 2),
                "milliseconds at most": round(1000 * max(seconds), 2),
                "solutions per category and span": round(
                    sum(each.work.vertices for each in found) / max(1, nodes), 2
                ),
                "descriptions solved each": round(
                    sum(each.work.attempts for each in found) / len(some)
                ),
            }
        )
    return rows


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("grammar", nargs="?", type=Path)
    options.add_argument("sentences", nargs="?", type=Path)
    options.add_argument("--whole", action="store_true")
    options.add_argument("--rounds", type=int, default=3, metavar="N")
    given = options.parse_args()
    folder = Path(os.environ.get("WEFT_DATA", "")) / "grammars" / "xle" / "brgram"
    reading, grammar = timed(lambda: read_lfg(given.grammar or folder / "config.lfg"))
    kernels = Kernels(grammar, Solver(grammar))
    texts = read_sentences(given.sentences or folder / "testfile.lfg")
    looking_up, lattices = timed(lambda: [analyse(grammar, text) for text in texts])
    compiling, found_kernels = timed(lambda: [kernels.find(lattice) for lattice in lattices])
    known = [
        (kernel, lattice)
        for kernel, lattice in zip(found_kernels, lattices, strict=True)
        if kernel is not None and not lattice.unknown
    ]
    found = {
        "grammar": grammar.name,
        "reading": round(reading, 2),
        "compiling": round(compiling, 2),
        "looking up": round(looking_up, 2),
        "sentences": len(texts),
        "of these solved by the kernel": len(known),
        "by length": measure(known, True, given.rounds),
    }
    if given.whole:
        found["with whole f-structures"] = measure(known, False, 1)
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
