"""What is measured of Weft."""

from __future__ import annotations

import io
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from benchmarks.data import TEMPLATES, Tagged, accuracy, attributes, sentences, text
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
                self.clock.lap()
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
        **optimiser.clock.laps(),
        "reading_seconds": reading,
        "setup_seconds": optimiser.began - began,
        "iterations": last.iteration,
        "evaluations": last.evaluations,
        "weights": len(tagger.weights),
        "value": last.value,
    }


def decode(corpus: str, model: str, passes: int, threads: int) -> Result:
    """Tag sentences whose attributes are given as lists of strings, new ones at each pass."""
    test = sentences(corpus, "test")
    tagger = load_tagger(model)
    clock = Clock()
    for _ in range(passes):
        tokens = [_sentence(each, attributes(each.words, each.pos)) for each in test]
        clock.start()
        tags = tagger.tag(tokens, threads=threads)
        clock.lap()
    return {**clock.laps(), **accuracy([sentence.chunks for sentence in test], tags)}


def decode_text(corpus: str, model: str, passes: int, threads: int) -> Result:
    """Tag text: from the bytes of a file to those of a file with tags."""
    raw = text(corpus, "test")
    tagger = load_tagger(model)
    layout = Layout("columns", column=3, inputs=(1, 2))
    clock = Clock()
    for _ in range(passes):
        clock.start()
        lines = predict(tagger, io.BytesIO(raw), layout=layout, threads=threads)
        out = "".join(lines).encode()
        clock.lap()
    return {**clock.laps(), "tokens": sum(map(bool, out.splitlines()))}


def _given(corpus: str) -> list[Example]:
    """The training corpus with attributes given; all are in memory, but equal ones only once."""
    share = _Shared()
    return [
        Example(
            _sentence(
                sentence,
                [
                    tuple(map(share.__getitem__, names))
                    for names in attributes(sentence.words, sentence.pos)
                ],
            ),
            tuple(sentence.chunks),
        )
        for sentence in sentences(corpus, "train")
    ]


class _Shared(dict[str, str]):
    """Strings to themselves, one object for equal ones."""

    def __missing__(self, key: str) -> str:
        self[key] = key
        return key


def _sentence(sentence: Tagged, names: Sequence[Sequence[str]]) -> Sentence:
    return Sentence((tuple(sentence.words),), tuple(names))


if __name__ == "__main__":
    main((train, decode, decode_text))
