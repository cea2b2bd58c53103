"""Partition functions of grammars: Newton's method beside propagation, near a radius of 1.

    python benchmarks/grammar_sums.py [FOLDER]

FOLDER is one that holds ``wsj-sample/combined``, by default that of WEFT_DATA; without it the
treebank grammar is left out. Propagation repeats x ← P(x) from 0, as section 2.1 of Smith and
Johnson (2007) does, in the same arrays, until x changes by less than 1e-12 of itself or 300,000
rounds are over.
"""

from __future__ import annotations

import json
import math
import os
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np

from weft.corpora.trees.brackets import read_trees
from weft.grammars import partition, prefix_parser, read_prefix, sample_trees
from weft.grammars.sums.systems import sum_terms, system_of
from weft.structures.grammar import Grammar, Rule, Terminal, grammar
from weft.structures.tree import Tree, is_preterminal, leaves, subtrees

ROUNDS = 300_000
ENOUGH = 1e-12


def propagated(rules: Grammar) -> tuple[np.ndarray, int]:
    """Z by repeating the equations, and how often that was done."""
    system = system_of(rules)
    values = np.full(system.count, -np.inf)
    for number in range(1, ROUNDS + 1):
        with np.errstate(divide="ignore"):
            terms = rules.weights + sum_terms(
                system.owners, values[system.factors], rules.rule_count
            )
            new = np.log(sum_terms(system.heads, np.exp(terms), system.count))
        with np.errstate(invalid="ignore"):  # what has no value yet
            change = np.nanmax(abs(np.exp(new - values) - 1.0), initial=0.0)
        if change < ENOUGH:
            return new, number
        values = new
    return values, ROUNDS


def branching(p: float) -> Grammar:
    rules = [Rule("S", ("S", "S"), math.log(p)), Rule("S", (Terminal("a"),), math.log1p(-p))]
    return grammar(rules)


def compare(name: str, rules: Grammar, truth: float | None) -> dict[str, object]:
    started = time.perf_counter()
    sums = partition(rules)
    newton = time.perf_counter() - started
    started = time.perf_counter()
    values, rounds = propagated(rules)
    propagation = time.perf_counter() - started
    row: dict[str, object] = {
        "grammar": name,
        "rules": rules.rule_count,
        "radius": float(sums.radii[np.isfinite(sums.radii)].max()),
        "newton_steps": sums.steps,
        "newton_seconds": round(newton, 4),
        "propagation_rounds": rounds,
        "propagation_seconds": round(propagation, 4),
        "reported_error": sums.error,
    }
    if truth is not None:
        row["newton_error"] = abs(sums.log_value - truth)
        row["propagation_error"] = abs(float(values[rules.start]) - truth)
    return row


def treebank_grammar(folder: Path) -> Grammar:
    """Relative frequencies of the sample's rules over tags, without functions and traces."""
    counts: Counter[tuple[str, tuple[str | Terminal, ...]]] = Counter()
    for path in sorted(folder.glob("*.mrg")):
        for record in read_trees(path):
            if (tree := cleaned(record.tree)) is not None:
                counts["TOP", (tree.label,)] += 1
                for node in subtrees(tree):
                    if not is_preterminal(node):
                        counts[node.label, tuple(map(symbol, node.children))] += 1
    totals: Counter[str] = Counter()
    for (head, _), number in counts.items():
        totals[head] += number
    weighted = (Rule(*key, math.log(n / totals[key[0]])) for key, n in counts.items())
    return grammar(weighted, "TOP")


def cleaned(tree: Tree) -> Tree | None:
    if is_preterminal(tree):
        return None if tree.label == "-NONE-" else tree
    parts = [cleaned(child) for child in tree.children if isinstance(child, Tree)]
    kept = tuple(part for part in parts if part is not None)
    label = tree.label.split("-")[0].split("=")[0].split("|")[0]
    return Tree(label, kept) if kept else None


def symbol(child: Tree | str) -> str | Terminal:
    if isinstance(child, str):
        return Terminal(child)
    return Terminal(child.label) if is_preterminal(child) else child.label


def prefix_seconds(rules: Grammar, length: int = 40) -> dict[str, float]:
    started = time.perf_counter()
    parser = prefix_parser(rules)
    prepared = time.perf_counter() - started
    strings = (list(leaves(tree)) for tree in sample_trees(rules, np.random.default_rng(0), 500))
    words = next(each for each in strings if len(each) >= length)[:length]
    started = time.perf_counter()
    read_prefix(parser, words)
    seconds = time.perf_counter() - started
    return {"prepare_seconds": round(prepared, 3), f"{length}_words_seconds": round(seconds, 3)}


def main() -> None:
    root = Path(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("WEFT_DATA", "."))
    rows = [
        compare(f"S -> S S [{p!r}]", branching(p), min(0.0, math.log1p(-p) - math.log(p)))
        for p in (0.4, 0.49, 0.499, 0.4999, 0.49999, 0.499999, 0.5)
    ]
    result: dict[str, object] = {"sums": rows}
    folder = root / "wsj-sample" / "combined"
    if folder.is_dir():
        rules = treebank_grammar(folder)
        rows.append(compare("WSJ sample", rules, 0.0))
        result["prefix"] = prefix_seconds(rules)
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
