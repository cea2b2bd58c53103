"""A CRF with hundreds of tags: seconds per iteration and peak memory, on a sampled corpus.

``python -m benchmarks.many_tags`` samples sentences whose tags are Zipfian, trains the default CRF
on them for a few iterations in a process of its own, and prints what an iteration took. With
``--dense`` it sums over all transitions as if each had a weight of its own, for comparison.

``python -m benchmarks.many_tags make FILE`` only writes the corpus.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks.job import Result, main, start

Tagged = list[tuple[str, str]]

PREFERRED = 40
"""How many tags a tag prefers after it; four times of five one of them follows."""

STEMS = 4000


def sampled(tags: int, tokens: int, seed: int = 1, stems: int = STEMS) -> Iterator[Tagged]:
    """Draw sentences of 5 to 40 words until they have this many tokens.

    Tags and stems are Zipfian. A word is a stem with the ending of its tag, which several tags
    share, so that a word has one tag or a few.
    """
    rng = np.random.default_rng(seed)
    shares, likely_stems = _zipf(tags, 2.0), _zipf(stems, 1.0)
    frequent = np.diff(shares, prepend=0.0)
    preferred = np.stack(
        [rng.choice(tags, min(PREFERRED, tags), replace=False, p=frequent) for _ in range(tags)]
    )
    likely = _zipf(min(PREFERRED, tags), 1.0)
    endings = ["".join(rng.choice(list("aeinorst"), 3)) for _ in range(max(1, tags // 4))]
    made, tag = 0, 0
    while made < tokens:
        sentence: Tagged = []
        for _ in range(min(int(rng.integers(5, 41)), tokens - made)):
            if rng.random() < 0.8:
                tag = int(preferred[tag, _draw(likely, rng)])
            else:
                tag = _draw(shares, rng)
            stem = _draw(likely_stems, rng)
            sentence.append((f"{stem:x}{endings[tag % len(endings)]}", f"T{tag}"))
        made += len(sentence)
        yield sentence


def _zipf(count: int, shift: float) -> np.ndarray:
    """Cumulative probabilities in proportion to 1 / (shift + rank)."""
    totals = np.cumsum(1.0 / (shift + np.arange(count)))
    return totals / totals[-1]


def _draw(cumulative: np.ndarray, rng: np.random.Generator) -> int:
    return int(np.searchsorted(cumulative, rng.random()))


def train(tags: int, tokens: int, iterations: int, threads: int, dense: bool) -> Result:
    """Train the default CRF, and say what its iterations took."""
    import weft
    from benchmarks.weft_side import Watched
    from weft.derivations.chain import topology
    from weft.optimise.lbfgs import LBFGS
    from weft.structures.evidence import example

    if dense:
        topology._SPARSE = 2**60
    corpus = [example(*zip(*each, strict=True)) for each in sampled(tags, tokens)]
    optimiser = Watched(LBFGS(max_iterations=iterations, tolerance=0.0))
    tagger = weft.fit(weft.Chain(), corpus, optimiser=optimiser, adapt=False, threads=threads)
    return {
        **optimiser.clock.laps(),
        "tags": len(tagger.model.tags),
        "bigrams": len(tagger.model.topology.bigrams),
        "weights": len(tagger.weights),
        "iterations": optimiser.trace[-1].iteration,
        "evaluations": optimiser.trace[-1].evaluations,
        "value": optimiser.trace[-1].value,
    }


def write(path: Path, tags: int, tokens: int) -> None:
    """Write a corpus, a line per sentence."""
    with path.open("w", encoding="utf-8") as stream:
        for sentence in sampled(tags, tokens):
            stream.write(" ".join(f"{word}/{tag}" for word, tag in sentence) + "\n")


def measure() -> None:
    """Make a file, or train and print a line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.many_tags", description=__doc__)
    parser.add_argument("words", nargs="*", metavar="make FILE")
    parser.add_argument("--tags", type=int, default=1000)
    parser.add_argument("--tokens", type=int, default=50_000)
    parser.add_argument("--iterations", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--dense", action="store_true")
    options = vars(parser.parse_args())
    words = options.pop("words")
    if words[:1] == ["make"]:
        write(Path(words[1]), options["tags"], options["tokens"])
        return
    found = start("benchmarks.many_tags", "train", options, options["threads"])
    print(json.dumps(found))
    print(
        f"{options['tokens']:,} tokens, {found['tags']} tags, {found['bigrams']:,} pairs of tags, "
        f"{found['weights']:,} weights: {median(found['seconds']):.2f} s per iteration with "
        f"{options['threads']} threads, {found['peak_mb']:.0f} MB"
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["train"]:
        main((train,))
    else:
        measure()
