"""What is measured of Weft.

What not every job needs is imported where it is used: the memory of a job is measured.
"""

from __future__ import annotations

import io
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from benchmarks import hmm_data
from benchmarks.data import TEMPLATES, Tagged, accuracy, attributes, sentences, text
from benchmarks.hmm_start import start_of
from benchmarks.job import Clock, Result, main
from weft.arrays import FloatArray
from weft.corpora import Columns, read_examples
from weft.criteria import Gaussian, expected_counts, joint, marginal
from weft.features.attributes import attribute_names
from weft.features.templates import templates
from weft.models import Chain, ChainModel, Extent, prepare
from weft.models.chain.multinomials import check_multinomials
from weft.optimise.em import EM
from weft.optimise.lbfgs import LBFGS
from weft.optimise.solution import Callback, Objective, Solution, Step
from weft.structures.evidence import Example, Sentence, example
from weft.train import fit


@dataclass
class Watched:
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
    optimiser = Watched(limits)
    began = time.perf_counter()
    tagger = fit(chain, examples, penalty=Gaussian(1.0), optimiser=optimiser, threads=threads)
    if model:
        from weft.models.storage import save_tagger

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


def em(corpus: str, iterations: int, threads: int) -> Result:
    """Estimate a hidden Markov model from words alone, by EM; the first iteration is not timed."""
    from weft.recipes import find_recipe

    began = time.perf_counter()
    examples = _tagged(corpus)
    reading = time.perf_counter() - began
    began = time.perf_counter()
    model = prepare(find_recipe("hmm-em").model, examples)
    nothing = np.zeros(model.parameters.size)
    counts = expected_counts(
        model.free, examples, marginal, nothing, check_multinomials(model).weights, threads
    )
    start = _same_start(model)
    setup = time.perf_counter() - began
    clock = Clock()

    def watch(step: Step, _: FloatArray) -> None:
        if step.iteration:
            clock.lap()

    solution = EM(iterations + 1, tolerance=0.0).maximise(counts, start, watch)
    tokens = sum(len(each.tokens) for each in examples)
    # hmmlearn's sentences have no end: ours had one of probability ½ after every word.
    return {
        **clock.laps(),
        "reading_seconds": reading,
        "setup_seconds": setup,
        "iterations": iterations,
        "weights": len(start),
        "tokens": tokens,
        "value": solution.trace[0].value + tokens * np.log(2),
    }


def mrf(corpus: str, iterations: int, threads: int, order: int) -> Result:
    """Train a globally normalised chain jointly: the recipe, from its relative frequencies."""
    from weft.recipes import find_recipe, with_settings

    began = time.perf_counter()
    examples = _tagged(corpus)
    reading = time.perf_counter() - began
    recipe = with_settings(find_recipe("mrf"), {"order": str(order)})
    limits = LBFGS(max_iterations=iterations, tolerance=0.0)
    optimiser = Watched(limits)
    began = time.perf_counter()
    tagger = fit(
        recipe.model,
        examples,
        criterion=joint,
        penalty=recipe.penalty,
        optimiser=optimiser,
        threads=threads,
    )
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


def _tagged(corpus: str) -> list[Example]:
    return [example(each.words, each.tags) for each in hmm_data.sentences(corpus)]


def _same_start(model: ChainModel) -> FloatArray:
    """[θ]: the probabilities that every tool starts from, with an end of ½ after every word."""
    tags = model.topology.tags
    first_seen = {word: number for number, word in enumerate(model.vocabulary)}
    begin, steps, words = start_of(tags, len(first_seen))
    table = np.full((tags + 1, tags + 1), 0.5)
    table[tags, :tags], table[:tags, :tags] = begin, steps / 2
    numbers = [first_seen[name.removeprefix("word[0]=")] for name in attribute_names(model.index)]
    ngrams = table[tuple(model.topology.bigrams.T)]
    start: FloatArray = np.log(np.concatenate([ngrams, words[:, numbers].T.reshape(-1)]))
    return start


def decode(corpus: str, model: str, passes: int, threads: int) -> Result:
    """Tag sentences whose attributes are given as lists of strings, new ones at each pass."""
    from weft.models.storage import load_tagger

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
    from weft.commands import FileLayout, predict
    from weft.models.storage import load_tagger

    raw = text(corpus, "test")
    tagger = load_tagger(model)
    layout = FileLayout("columns", column=3, inputs=(1, 2))
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
    main((train, em, mrf, decode, decode_text))
