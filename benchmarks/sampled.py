"""A corpus of millions of sampled tokens, trained from its file in little memory.

``python -m benchmarks.sampled`` trains an HMM on EWT's training part, samples tagged sentences from
it into a file, and trains a CRF on that file with ``--stream``, in a process of its own whose peak
memory is measured. Accuracies are on sentences that were sampled apart, beside those of the HMM
that made them: no tagger is better than that one's likeliest tags, but by chance.

``python -m benchmarks.sampled make FILE --tokens N`` only makes a file.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

TOKENS = 5_000_000
HELD_OUT = 50_000


def ewt() -> list[Any]:
    """EWT's training part, with Penn tags."""
    from weft.corpora import Conllu, corpus_path, read_examples

    return read_examples(Conllu("xpos"), corpus_path("ewt") / "en_ewt-ud-train.conllu")


def generator(corpus: list[Any]) -> Any:
    """Train an HMM over the words of a corpus."""
    from weft.criteria import Dirichlet, joint
    from weft.features.templates import templates
    from weft.models import Chain
    from weft.optimise.em import EM
    from weft.train import fit

    chain = Chain(
        templates=templates("word[0]"),
        normalisation="joint",
        attributes="all",
        ngrams="all",
        rare=0,
    )
    return fit(chain, corpus, criterion=joint, penalty=Dirichlet(0.0), optimiser=EM())


def sampled(tagger: Any, tokens: int, seed: int) -> Iterator[list[tuple[str, str]]]:
    """Draw sentences from an HMM of order 1 until they have so many tokens."""
    rng = np.random.default_rng(seed)
    before, emissions, words = _tables(tagger)
    tags = [*tagger.model.tags, None]
    made = 0
    while made < tokens:
        state, sentence = len(tags) - 1, list[tuple[str, str]]()
        while True:
            state = int(np.searchsorted(before[state], rng.random()))
            if state == len(tags) - 1:
                break
            word = words[int(np.searchsorted(emissions[state], rng.random()))]
            sentence.append((word, str(tags[state])))
        made += len(sentence)
        if sentence:
            yield sentence


def _tables(tagger: Any) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Cumulative probabilities of the next tag [tags + 1, tags + 1] and of words [tags, words]."""
    model, weights = tagger.model, tagger.weights
    topology, rows = model.topology, model.tag_rows
    size = len(model.tags)
    next_tag = np.zeros((size + 1, size + 1))
    ngrams, run = topology.longest
    next_tag[tuple(ngrams.T)] = np.exp(weights[run])
    names = list(model.index.values[0, "word"])
    known = [names[key] for key in model.index.keys[0].tolist()]
    emissions = np.zeros((size, len(known)))
    owners = np.repeat(np.arange(len(known)), np.diff(rows.offsets))
    emissions[rows.columns, owners] = np.exp(weights[rows.start : rows.start + len(rows)])
    return _cumulative(next_tag), _cumulative(emissions), known


def _cumulative(probs: np.ndarray) -> np.ndarray:
    totals = np.cumsum(probs, axis=1)
    return totals / totals[:, -1:]


def write(path: Path, tagger: Any, tokens: int, seed: int) -> None:
    """Write sampled sentences, a line each."""
    with path.open("w", encoding="utf-8") as stream:
        for sentence in sampled(tagger, tokens, seed):
            stream.write(" ".join(f"{word}/{tag}" for word, tag in sentence) + "\n")


def train(model: str, options: list[str]) -> None:
    """Run ``weft train`` in this process, and say on the last line what it took."""
    from weft.cli import main

    began = time.perf_counter()
    sys.argv = ["weft", "train", model, *options]
    try:
        main()
    except SystemExit as error:
        if error.code:
            raise
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"seconds": time.perf_counter() - began, "peak_mib": peak / 1024}))


def measure(tokens: int, optimisers: list[str], passes: int, more: list[str]) -> None:
    """Make a corpus, train on it, and print a table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tagger = generator(ewt())
        write(folder / "train.tagged", tagger, tokens, 1)
        write(folder / "test.tagged", tagger, HELD_OUT, 2)
        size = os.path.getsize(folder / "train.tagged") / 2**20
        print(f"{tokens:,} tokens, {size:.0f} MiB; the HMM's own accuracy: ", end="")
        print(_accuracy(tagger, folder / "test.tagged"), flush=True)
        del tagger
        print("| optimiser | features | seconds per pass | seconds in all | peak MiB | accuracy |")
        print("|---|---|---|---|---|---|")
        for optimiser in optimisers:
            print(_row(folder, optimiser, passes, more), flush=True)


def _accuracy(tagger: Any, path: Path) -> str:
    from weft.commands import evaluate

    return " and ".join(
        f"{100 * evaluate(tagger, path, decoder=decoder).accuracy:.2f} %"
        for decoder in ("viterbi", "posterior")
    )


def _row(folder: Path, optimiser: str, passes: int, more: list[str]) -> str:
    model = folder / "model.weft"
    criterion = "conditional" if optimiser in ("sgd", "adagrad", "adam") else "margin"
    options = ["--train", str(folder / "train.tagged"), "--stream", "--force", "--json"]
    options += ["--optimiser", optimiser, "--criterion", criterion, "--progress", "json"]
    options += ["--set", f"iterations={passes}", "--set", "tolerance=0", *more]
    command = [sys.executable, "-m", "benchmarks.sampled", "train", str(model), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    took = json.loads(done.stdout.splitlines()[-1])
    from weft.models.storage import load_model

    trained = load_model(model)
    lines = [line for line in done.stderr.splitlines() if line.startswith("{")]
    times = [json.loads(line)["seconds"] for line in lines]
    each = min(b - a for a, b in pairwise(times))
    cells = [optimiser, f"{len(trained.weights):,}", f"{each:.0f}", f"{took['seconds']:.0f}"]
    cells += [f"{took['peak_mib']:.0f}", _accuracy(trained, folder / "test.tagged")]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Make a file, train, or measure both."""
    if sys.argv[1:2] == ["train"]:
        train(sys.argv[2], sys.argv[3:])
        return
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sampled", description=__doc__)
    parser.add_argument("words", nargs="*", metavar="OPTIMISER", help="or: make FILE")
    parser.add_argument("--tokens", type=int, default=TOKENS)
    parser.add_argument("--passes", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--set", action="append", default=[], help="of weft train")
    options = parser.parse_args()
    if options.words[:1] == ["make"]:
        write(Path(options.words[1]), generator(ewt()), options.tokens, options.seed)
        return
    more = [word for each in options.set for word in ("--set", each)]
    measure(options.tokens, options.words or ["adagrad", "arow"], options.passes, more)


if __name__ == "__main__":
    main()
