"""What is measured of Weft."""

from __future__ import annotations

import io
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from benchmarks.data import TEMPLATES, attributes, sentences, text
from benchmarks.job import Clock, Result, main
from weft.arrays import FloatArray
from weft.commands import Layout, predict
from weft.corpora import Columns, read_examples
from weft.criteria import Gaussian
from weft.features.templates import templates
from weft.models import Chain, Extent
from weft.models.storage import load_tagger, save_tagger
from weft.optimise.lbfgs import LBFGS
from weft.optimise.solution import Callback, Objective, Solution, Step
from weft.structures.evidence import Example, Sentence
from weft.train import fit


@dataclass
class _Watched:
    """An optimiser that notes when it began and the time of every iteration."""

    optimiser: LBFGS
    clock: Clock = field(default_factory=Clock)
    began: float = 0.0
    trace: tuple[Step, ...] = ()

    def maximise(
        self, objective: Objective, start: FloatArray, callback: Callback | None = None
    ) -> Solution:
        self.began = time.perf_counter()

        def watch(step: Step, theta: FloatArray) -> bool | None:
            if step.iteration:
                self.clock.tick()
            return callback(step, theta) if callback else None

        solution = self.optimiser.maximise(objective, start, watch)
        self.trace = solution.trace
        return solution


def train(
    corpus: str,
    iterations: int,
    threads: int,
    given: bool,
    dense: bool = False,
    model: str = "",
) -> Result:
    """Train a CRF with a variance of 1, on given attributes or on templates."""
    began = time.perf_counter()
    examples = (
        _given(corpus) if given else read_examples(Columns(), io.BytesIO(text(corpus, "train")))
    )
    reading = time.perf_counter() - began
    extent = Extent.ALL if dense else Extent.OBSERVED
    chosen = () if given else templates(TEMPLATES)
    chain = Chain(templates=chosen, attributes=extent, ngrams=extent, boundaries=False)
    limits = LBFGS(memory=6, max_iterations=iterations, tolerance=0.0, gradient_tolerance=1e-5)
    optimiser = _Watched(limits)
    began = time.perf_counter()
    tagger = fit(chain, examples, penalty=Gaussian(1.0), optimiser=optimiser, threads=threads)
    if model:
        save_tagger(model, tagger)
    last = optimiser.trace[-1]
    return {
        **optimiser.clock.durations(),
        "reading_seconds": reading,
        "setup_seconds": optimiser.began - began,
        "iterations": last.iteration,
        "evaluations": last.evaluations,
        "weights": len(tagger.weights),
        "value": last.value,
    }


def decode(corpus: str, model: str, passes: int, threads: int) -> Result:
    """Tag sentences whose attributes are given as lists of strings."""
    test = _given(corpus, "test")
    tagger = load_tagger(model)
    tokens = [example.tokens for example in test]
    clock = Clock()
    clock.tick()
    for _ in range(passes):
        tags = tagger.tag(tokens, threads=threads)
        clock.tick()
    gold = [example.analysis or () for example in test]
    pairs = [pair for s, t in zip(gold, tags, strict=True) for pair in zip(s, t, strict=True)]
    accuracy = sum(label == tag for label, tag in pairs) / len(pairs)
    return {**clock.durations(), "tokens": len(pairs), "accuracy": accuracy}


def decode_text(corpus: str, model: str, passes: int, threads: int) -> Result:
    """Tag text: from the bytes of a file to those of a file with tags."""
    raw = text(corpus, "test")
    tagger = load_tagger(model)
    layout = Layout("columns", column=3, inputs=(1, 2))
    clock = Clock()
    clock.tick()
    for _ in range(passes):
        lines = predict(tagger, io.BytesIO(raw), layout=layout, threads=threads)
        out = "".join(lines).encode()
        clock.tick()
    return {**clock.durations(), "tokens": sum(map(bool, out.splitlines())), "bytes": len(out)}


def _given(corpus: str, part: str = "train") -> list[Example]:
    """Examples whose attributes are given; equal names are one object."""
    shared: dict[str, str] = {}
    share: Callable[[str, str], str] = shared.setdefault
    return [
        Example(
            Sentence(
                (tuple(sentence.words),),
                tuple(
                    tuple(share(name, name) for name in names)
                    for names in attributes(sentence.words, sentence.pos)
                ),
            ),
            tuple(sentence.chunks),
        )
        for sentence in sentences(corpus, part)
    ]


if __name__ == "__main__":
    main((train, decode, decode_text))
