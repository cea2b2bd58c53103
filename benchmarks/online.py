"""Optimisers that go over the corpus in passes, beside CRFsuite's.

``python -m benchmarks.online`` trains with each pair of algorithms, the same attributes and the
same number of passes, on CoNLL-2000 (chunks, F1) and on EWT (parts of speech, accuracy), and prints
scores on the test parts and seconds per pass. Both programs run on one thread, in turns.

With L1 both programs go on until their values hardly change, and these are printed, too: they are
the same optimum. A weight costs 30 per unit there, 1/300 per sentence: with 1 neither program is at
its optimum after 5,000 iterations. ``--first 300`` takes so many sentences only.

The seconds are processor time, and the least of all passes: other programs only ever make a pass
slower. Those of CRFsuite are from its own log, which counts processor time, too.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.data import CONLL2000, Tagged, accuracy, attributes, conll2000_folder, sentences
from benchmarks.job import Result, main, start

THIS = "benchmarks.online"
PASSES = 10
PERIOD, LIMIT = 50, 1000  # of iterations with L1
PAIRS: dict[str, tuple[str, dict[str, Any], str, str, dict[str, Any]]] = {
    # CRFsuite's algorithm and its options, our optimiser, the criterion, and its settings
    "ap": ("ap", {}, "perceptron", "perceptron", {}),
    "pa": ("pa", {}, "pa", "margin", {}),
    "arow": ("arow", {}, "arow", "margin", {}),
    "l2sgd": ("l2sgd", {"c2": 0.5}, "sgd", "conditional", {}),
    "adagrad": ("l2sgd", {"c2": 0.5}, "adagrad", "conditional", {}),
    "adam": ("l2sgd", {"c2": 0.5}, "adam", "conditional", {}),
    "l1": ("lbfgs", {"c1": 30.0, "c2": 0.0}, "lbfgs", "conditional", {"l1": 30.0}),
}
"""What is compared with what; CRFsuite has neither AdaGrad nor Adam, and l2sgd stands beside."""


def corpus_of(name: str, part: str) -> list[tuple[list[list[str]], Sequence[str], Sequence[str]]]:
    """Attributes, labels and words of each sentence."""
    if name != "ewt":
        made = sentences(name, part)
        return [(attributes(each.words, each.pos), each.chunks, each.words) for each in made]
    return [(_spelling(each.words), each.pos, each.words) for each in _ewt(part)]


def _ewt(part: str) -> list[Tagged]:
    folder = conll2000_folder()
    if folder is None:
        raise FileNotFoundError("ewt is not below WEFT_DATA")
    text = (folder.parent / "ewt" / f"en_ewt-ud-{part}.conllu").read_text(encoding="utf-8")
    made = []
    for block in text.split("\n\n"):
        rows = [line.split("\t") for line in block.splitlines() if not line.startswith("#")]
        rows = [row for row in rows if row[0].isdigit()]
        if rows:
            made.append(Tagged([row[1] for row in rows], [row[3] for row in rows], ()))
    return made


def _spelling(words: Sequence[str]) -> list[list[str]]:
    """The attributes of a tagger: words around, affixes and shape."""
    w = ["<-2>", "<-1>", *words, "<+1>", "<+2>"]
    return [
        [
            *(f"w[{place}]={w[i + place]}" for place in range(-2, 3)),
            f"w[-1]|w[0]={w[i - 1]}|{w[i]}",
            f"w[0]|w[1]={w[i]}|{w[i + 1]}",
            *(f"s{size}={w[i][-size:]}" for size in range(1, 5) if len(w[i]) > size),
            *(f"p{size}={w[i][:size]}" for size in range(1, 4) if len(w[i]) > size),
            f"low={w[i].lower()}",
            f"capital={w[i][0].isupper()}",
            f"digit={any(map(str.isdigit, w[i]))}",
            f"hyphen={'-' in w[i]}",
            "bias",
        ]
        for i in range(2, len(words) + 2)
    ]


def score(name: str, gold: Sequence[Sequence[str]], tags: Sequence[Sequence[str]]) -> float:
    """F1 of chunks, or the accuracy of tags, in percent."""
    from weft.evaluate.chunks import chunk_scores

    if name == "ewt":
        return 100 * accuracy(gold, tags)["accuracy"]
    return 100 * float(chunk_scores(gold, tags).overall.f1)


def theirs(
    corpus: str, algorithm: str, options: dict[str, Any], passes: int, first: int | None = None
) -> Result:
    """Train and tag with CRFsuite."""
    import pycrfsuite

    log: list[str] = []

    class Trainer(pycrfsuite.BaseTrainer):  # type: ignore[misc]
        def message(self, message: str) -> None:
            log.append(message)

    limit = {"max_iterations": passes, "epsilon": 0.0}
    if algorithm == "l2sgd":
        limit = {"max_iterations": passes, "delta": 0.0, "period": passes + 1}
    if algorithm == "lbfgs":
        limit = {"max_iterations": passes, "epsilon": 1e-8, "delta": 1e-9, "period": PERIOD}
    trainer = Trainer(algorithm, {**limit, **options}, verbose=False)
    for names, labels, _ in corpus_of(corpus, "train")[:first]:
        trainer.append(names, labels)
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "model")
        trainer.train(path)
        tagger = pycrfsuite.Tagger()
        tagger.open(path)
        test = corpus_of(corpus, "test")
        tags = [tagger.tag(names) for names, _, _ in test]
    text = "".join(log)
    seconds = [
        float(each) for each in re.findall(r"Seconds required for this iteration: (\S+)", text)
    ]
    losses = re.findall(r"Loss: (\S+)", text)
    return {
        "score": score(corpus, [labels for _, labels, _ in test], tags),
        "seconds": min(seconds),
        "value": -float(losses[-1]) if losses else None,
        "passes": len(seconds),
    }


def ours(
    corpus: str,
    optimiser: str,
    criterion: str,
    settings: dict[str, Any],
    passes: int,
    first: int | None = None,
) -> Result:
    """Train and tag with Weft, on one thread."""
    from dataclasses import replace

    from weft.criteria import Gaussian, find_criterion, no_penalty
    from weft.models import Chain
    from weft.recipes.optimisers import find_optimiser
    from weft.structures.evidence import Example, Sentence
    from weft.train import fit

    def example(names: list[list[str]], labels: Sequence[str], words: Sequence[str]) -> Example:
        return Example(Sentence((tuple(words),), tuple(map(tuple, names))), tuple(labels))

    limit: dict[str, Any] = {"epochs": passes, "tolerance": 0.0}
    if optimiser == "lbfgs":
        limit = {"max_iterations": passes, "tolerance": 1e-9, "period": PERIOD}
        limit["gradient_tolerance"] = 1e-8
    times: list[float] = []
    tagger = fit(
        Chain(templates=(), boundaries=False),
        [example(*each) for each in corpus_of(corpus, "train")[:first]],
        criterion=find_criterion(criterion),
        penalty=no_penalty if optimiser == "lbfgs" else Gaussian(1.0),
        optimiser=replace(find_optimiser(optimiser), **limit, **settings),
        progress=lambda _: times.append(time.process_time()),
        threads=1,
    )
    test = [example(*each) for each in corpus_of(corpus, "test")]
    tags = tagger.tag([each.tokens for each in test], threads=1)
    return {
        "score": score(corpus, [each.analysis for each in test], tags),  # type: ignore[misc]
        "seconds": min(b - a for a, b in pairwise(times)),
        "value": tagger.trace[-1].value,
        "passes": len(times) - 1,
    }


def compare() -> None:
    """Run both programs in turns, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.online", description=__doc__)
    parser.add_argument("pairs", nargs="*", metavar="PAIR", help=f"of {', '.join(PAIRS)}; or all")
    parser.add_argument("--corpus", action="append", help="conll2000, ewt or a number of sentences")
    parser.add_argument("--passes", type=int, default=PASSES)
    parser.add_argument("--first", type=int, help="so many training sentences only")
    options = parser.parse_args()
    print("| corpus | algorithm | CRFsuite | Weft | s per pass | s per pass | times faster |")
    print("|---|---|---|---|---|---|---|")
    for corpus in options.corpus or [CONLL2000, "ewt"]:
        for pair in options.pairs or PAIRS:
            algorithm, theirs_options, optimiser, criterion, settings = PAIRS[pair]
            passes = LIMIT if pair == "l1" else options.passes
            common = {"corpus": corpus, "passes": passes, "first": options.first}
            given = {**common, "algorithm": algorithm, "options": theirs_options}
            other = start(THIS, "theirs", given)
            given = {**common, "optimiser": optimiser, "criterion": criterion, "settings": settings}
            mine = start(THIS, "ours", given)
            print(_row(corpus, algorithm, optimiser, other, mine), flush=True)


def _row(corpus: str, algorithm: str, optimiser: str, other: Result, mine: Result) -> str:
    cells = [
        corpus,
        f"{algorithm} / {optimiser}",
        f"{other['score']:.2f}",
        f"{mine['score']:.2f}",
        f"{other['seconds']:.3f}",
        f"{mine['seconds']:.3f}",
        f"{other['seconds'] / mine['seconds']:.1f}",
    ]
    if algorithm == "lbfgs":
        cells.append(json.dumps([other["value"], other["passes"], mine["value"], mine["passes"]]))
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    import sys

    if sys.argv[1:2] and sys.argv[1] in ("ours", "theirs"):
        main((ours, theirs))
    else:
        compare()
