"""Lexical-functional grammars: do all ways to solve a sentence give the same analyses?

``python -m benchmarks.lfg_agreement [GRAMMAR SENTENCES] [--words N] [--most N]`` solves every
sentence with restricted interfaces, with whole f-structures and by the plain solver, and compares
the analyses: c-structures, f-structures and marks, each as often as it comes. Without a grammar, it
takes our grammar of English with its two corpora and, where ``WEFT_DATA`` has them, the grammars of
others. All derivations of all sentences are compared, packed (:func:`sum_derivations`). Sentences
of more than ``--words`` words or ``--most`` analyses are not listed and not given to the plain
solver; how many were is counted. Prints a line of JSON per grammar.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.lfg import read_sentences
from weft.corpora.bundled import DOMAINS, bundled_lfg, bundled_marked
from weft.lfg.forest import LfgForest
from weft.lfg.language import Lfg
from weft.lfg.read import read_lfg
from weft.lfg.reference.solve import Solver
from weft.lfg.solve import Kernels, needs_plain_solver, solve_block
from weft.lfg.tokens import TokenLattice, analyse
from weft.structures.hypergraph import edges_of
from weft.unification import ParseLimits

OTHERS = (
    ("french-lesson-6/basic-french.lfg", ("testfile.lfg", "negative-test.lfg")),
    ("mandarin-2022/restructuring.lfg", ("testsuite.lfg",)),
    ("brgram/config.lfg", ("testfile.lfg",)),
)
PRIME = 2**127 - 1


def list_suites() -> Iterator[tuple[Path, list[str]]]:
    """Grammars with their sentences."""
    texts = [mark.text for domain in DOMAINS for mark in bundled_marked(domain)]
    yield bundled_lfg(), texts
    folder = Path(os.environ.get("WEFT_DATA", "")) / "grammars" / "xle"
    for name, files in OTHERS:
        path = folder / name
        if path.is_file():
            yield path, [text for file in files for text in read_sentences(path.parent / file)]


def solve(kernels: Kernels, lattice: TokenLattice, restricted: bool) -> LfgForest | None:
    """What the kernel finds; None where it leaves a sentence to the plain solver."""
    kernel = kernels.find(lattice)
    if kernel is None:
        return None
    solved = next(solve_block(kernel, [lattice], ParseLimits(), restricted=restricted))
    return None if needs_plain_solver(solved) else solved.forest


def sum_derivations(forest: LfgForest) -> int:
    """Sum over the derivations of a forest the products of numbers that stand for their parts.

    A part is a constituent with where it is, the right side over its daughters, and the branch of
    each annotation; its number looks random. All are read modulo a prime, so that forests with
    other derivations, or with some of them more often, have the same sum by an accident of one in
    10³⁸ only, however many there are and however they are packed.
    """
    inside = [0] * forest.hypergraph.vertex_count
    for (head, tails), steps in zip(edges_of(forest.hypergraph), forest.steps, strict=True):
        part = (forest.spans[head], [forest.spans[tail] for tail in tails], steps)
        product = int.from_bytes(hashlib.blake2b(repr(part).encode(), digest_size=16).digest())
        for tail in tails:
            product = product * inside[tail] % PRIME
        inside[head] = (inside[head] + product) % PRIME
    return inside[forest.hypergraph.root]


def compare(grammar: Lfg, texts: Iterable[str], words: int, most: int) -> dict[str, Any]:
    """How many sentences were compared, how far, and which differ."""
    solver = Solver(grammar)
    kernels = Kernels(grammar, solver)
    found: Counter[str] = Counter()
    differ = []
    begin = time.perf_counter()
    for text in texts:
        lattice = analyse(grammar, text)
        forest, whole = (solve(kernels, lattice, restricted) for restricted in (True, False))
        found["sentences"] += 1
        if forest is None or whole is None:
            found["left to the plain solver"] += 1
            continue
        same = not forest.truncated and not whole.truncated
        same = same and forest.count == whole.count
        same = same and sum_derivations(forest) == sum_derivations(whole)
        if len(lattice.words) <= words and forest.count <= most:
            mine = Counter(forest)
            same = same and Counter(whole) == mine == Counter(solver.solve(lattice))
            found["compared with the plain solver"] += 1
        differ += [] if same else [text]
    took = round(time.perf_counter() - begin, 1)
    return {"grammar": grammar.name, **found, "differ": differ, "seconds": took}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("grammar", nargs="?", type=Path)
    options.add_argument("sentences", nargs="?", type=Path)
    options.add_argument("--words", type=int, default=15, metavar="N")
    options.add_argument("--most", type=int, default=300, metavar="N")
    given = options.parse_args()
    suites = list_suites()
    if given.grammar:
        suites = iter([(given.grammar, read_sentences(given.sentences))])
    for path, texts in suites:
        found = compare(read_lfg(path), texts, given.words, given.most)
        print(json.dumps(found, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
