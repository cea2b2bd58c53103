"""Charts over the WSJ sample's tags, beside NLTK, genlm-grammar and torch-struct where installed.

``python -m benchmarks.charts [--rounds N] [--sentences N]`` reads the treebank from ``WEFT_DATA``,
takes the grammar of all its trees over tags (3,756 rules), and prints as JSON how many sentences of
at most 40 words per second have their best tree found, and their expectations; how time grows from
10 to 80 words; and, on a few short sentences and in the same run, what other parsers take. Seconds
are of processor time on one thread, the least of several rounds.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from weft.corpora.trees.brackets import read_trees
from weft.corpora.trees.cleaning import USUAL, clean, find_steps
from weft.derivations.chart.chart import Chart
from weft.derivations.chart.grammar import ChartGrammar, chart_grammar
from weft.grammars.induce import grammar_of
from weft.structures.evidence import Evidence, sentence
from weft.structures.grammar import Grammar, Rule, Terminal, grammar
from weft.structures.tree import Tree, leaves

Words = list[str]


def treebank(folder: Path) -> list[Tree]:
    """The trees of the WSJ sample, over tags."""
    steps = (*USUAL, *find_steps("words"))
    files = sorted((folder / "wsj-sample" / "combined").glob("*.mrg"))
    found = (clean(record.tree, steps) for path in files for record in read_trees(path))
    return [tree for tree in found if tree is not None]


def seconds(work: Callable[[], object], rounds: int, clock: Callable[[], float]) -> float:
    """The least time of several rounds."""
    best = math.inf
    for _ in range(rounds):
        begin = clock()
        work()
        best = min(best, clock() - begin)
    return best


def charts(rules: ChartGrammar, several: Sequence[Words], threads: int = 1) -> Chart:
    return Chart(rules, [Evidence(sentence(words)) for words in several], threads)


def speeds(rules: ChartGrammar, several: Sequence[Words], rounds: int) -> dict[str, Any]:
    """Sentences a second."""
    theta = rules.grammar.weights
    found: dict[str, Any] = {}
    for threads, clock in ((1, time.process_time), (2, time.perf_counter)):
        chart = charts(rules, several, threads)
        ones = np.ones(len(several))
        works: dict[str, Callable[[], object]] = {
            "best tree": lambda chart=chart: chart.best(theta),
            "inside": lambda chart=chart: chart.log_partition(theta),
            "inside-outside": lambda chart=chart, ones=ones: chart.evaluate(theta, ones),
        }
        found[f"{threads} thread{'s' * (threads > 1)}"] = {
            name: round(len(several) / seconds(work, rounds, clock), 1)
            for name, work in works.items()
        }
    return found


def growth(rules: ChartGrammar, texts: Sequence[Words], rounds: int) -> dict[str, Any]:
    """The exponent of time in length, fitted from 10 to 80 words.

    Long sentences are short ones in a row, cut to length, so that every length has as many.
    """
    rng = np.random.default_rng(1)
    theta = rules.grammar.weights
    lengths = [10, 14, 20, 28, 40, 57, 80]
    times: dict[str, list[float]] = {"best tree": [], "inside-outside": []}
    for length in lengths:
        several = []
        for _ in range(8):
            order = rng.permutation(len(texts))
            several.append([word for place in order[:80] for word in texts[place]][:length])
        chart = charts(rules, several)
        ones = np.ones(len(several))
        clock = time.process_time
        times["best tree"].append(seconds(lambda c=chart: c.best(theta), rounds, clock))
        times["inside-outside"].append(
            seconds(lambda c=chart, o=ones: c.evaluate(theta, o), rounds, clock)
        )
    exponents = {
        name: round(float(np.polyfit(np.log(lengths), np.log(values), 1)[0]), 3)
        for name, values in times.items()
    }
    return {"lengths": lengths, "seconds of 8": times, "exponent": exponents}


def nltk_side(grammar: Grammar, several: Sequence[Words]) -> dict[str, Any]:
    """NLTK's Viterbi parser, whose time and results are beside ours."""
    import nltk

    productions = [
        nltk.grammar.ProbabilisticProduction(
            nltk.Nonterminal(rule.head),
            [nltk.Nonterminal(s) if isinstance(s, str) else s.text for s in rule.body],
            prob=math.exp(rule.weight),
        )
        for rule in grammar.rules()
    ]
    start = nltk.Nonterminal(grammar.nonterminals[grammar.start])
    parser = nltk.ViterbiParser(nltk.PCFG(start, productions))
    begin = time.process_time()
    probabilities = [next(iter(parser.parse(words))).prob() for words in several]
    return {
        "seconds": time.process_time() - begin,
        "log probabilities": [math.log(each) for each in probabilities],
    }


def genlm_side(grammar: Grammar, several: Sequence[Words]) -> dict[str, Any]:
    """The inside sums of genlm-grammar."""
    from genlm.grammar import CFG, Float

    rules = CFG(Float, grammar.nonterminals[grammar.start], set(grammar.terminals))
    for rule in grammar.rules():
        body = [s if isinstance(s, str) else s.text for s in rule.body]
        rules.add(math.exp(rule.weight), rule.head, *body)
    begin = time.process_time()
    values = [float(rules(words)) for words in several]
    return {"seconds": time.process_time() - begin, "log sums": [math.log(v) for v in values]}


def peers(rules: ChartGrammar, several: Sequence[Words]) -> dict[str, Any]:
    """A few short sentences by all that are installed."""
    grammar, theta = rules.grammar, rules.grammar.weights
    chart = charts(rules, several)
    found: dict[str, Any] = {"lengths": [len(words) for words in several]}
    found["weft best tree"] = {
        "seconds": seconds(lambda: chart.best(theta), 5, time.process_time),
        "log probabilities": chart.best(theta)[0].tolist(),
    }
    found["weft inside"] = {
        "seconds": seconds(lambda: chart.log_partition(theta), 5, time.process_time),
        "log sums": chart.log_partition(theta).tolist(),
    }
    if importlib.util.find_spec("nltk"):
        found["nltk best tree"] = nltk_side(grammar, several)
    if importlib.util.find_spec("genlm"):
        found["genlm-grammar inside"] = genlm_side(grammar, several)
    return found


DENSE = 10
"""Nonterminals, and as many tags, of the dense grammar."""


def dense(rounds: int, length: int = 20, several: int = 16) -> dict[str, Any]:
    """All rules over a few symbols: value and gradient, beside torch-struct where installed."""
    rng = np.random.default_rng(2)
    phrases, tags = [f"P{n}" for n in range(DENSE)], [f"T{n}" for n in range(DENSE)]
    roots = rng.normal(size=DENSE)
    branches = rng.normal(size=(DENSE, 2 * DENSE, 2 * DENSE)) - 6.0
    words = rng.normal(size=(DENSE, DENSE))
    rules = [Rule("S", (name,), float(roots[n])) for n, name in enumerate(phrases)]
    both = [*phrases, *tags]
    rules += [
        Rule(phrases[a], (both[b], both[c]), float(branches[a, b, c]))
        for a in range(DENSE)
        for b in range(2 * DENSE)
        for c in range(2 * DENSE)
    ]
    rules += [
        Rule(tags[t], (Terminal(f"w{w}"),), float(words[t, w]))
        for t in range(DENSE)
        for w in range(DENSE)
    ]
    made = grammar(rules, "S")
    numbers = rng.integers(0, DENSE, (several, length))
    texts = [[f"w{number}" for number in row] for row in numbers.tolist()]
    chart, ones = charts(chart_grammar(made), texts), np.ones(several)
    found: dict[str, Any] = {
        "weft": {
            "seconds": seconds(
                lambda: chart.evaluate(made.weights, ones), rounds, time.process_time
            ),
            "log sums": chart.log_partition(made.weights).tolist()[:3],
        }
    }
    if importlib.util.find_spec("torch_struct"):
        found["torch-struct"] = torch_side(words.T[numbers], branches, roots, rounds)
    return found


def torch_side(
    terms: np.ndarray, branches: np.ndarray, roots: np.ndarray, rounds: int
) -> dict[str, Any]:
    """torch-struct's log Z and gradient of a batch, on one thread."""
    import torch
    from torch_struct import SentCFG

    torch.set_num_threads(1)
    size = len(terms)
    arrays = [
        torch.tensor(terms),
        torch.tensor(branches).expand(size, -1, -1, -1).contiguous(),
        torch.tensor(roots).expand(size, -1).contiguous(),
    ]

    def evaluate() -> Any:
        for array in arrays:
            array.requires_grad_(True)
            array.grad = None
        sums = SentCFG(tuple(arrays)).partition
        sums.sum().backward()
        return sums

    return {
        "seconds": seconds(evaluate, rounds, time.process_time),
        "log sums": evaluate().tolist()[:3],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sentences", type=int, default=400)
    parser.add_argument("--no-peers", action="store_true")
    options = parser.parse_args()
    folder = Path(os.environ.get("WEFT_DATA", "data"))
    trees = treebank(folder)
    if not trees:
        raise SystemExit(f"no wsj-sample in {folder}: set WEFT_DATA to the corpora's folder")
    found, _ = grammar_of(trees, start="TOP")
    rules = chart_grammar(found)
    texts = [list(leaves(tree)) for tree in trees]
    short = [words for words in texts if len(words) <= 40]
    order = np.random.default_rng(1).permutation(len(short))
    chosen = [short[place] for place in order[: options.sentences]]
    few = [words for words in short if len(words) in (5, 7, 9)][:3]
    result: dict[str, Any] = {
        "rules": found.rule_count,
        "items": len(rules.layout.row_of),
        "edges": rules.edge_count,
        "sentences": len(chosen),
        "mean length": round(float(np.mean([len(words) for words in chosen])), 2),
        "sentences per second": speeds(rules, chosen, options.rounds),
        "growth": growth(rules, short, max(1, options.rounds // 2)),
    }
    if not options.no_peers:
        result["peers"] = peers(rules, few)
        result["dense grammar"] = dense(options.rounds)
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
