"""Order 2 with many tags: no table of all triples, whatever is asked for."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from itertools import islice, product

import numpy as np
import pytest

import weft
from weft.criteria import conditional, perceptron
from weft.derivations.chain import sequences
from weft.errors import LimitError
from weft.kernels import kernels
from weft.models import Chain, ChainModel, prepare
from weft.optimise.online import Perceptron
from weft.optimise.stochastic import SGD
from weft.structures.evidence import Evidence, Example, example, sentence

TAGS = 150
TABLE = 8 * 152**3
"""Bytes of a table of all triples of tags."""


def labelled() -> list[Example]:
    """Sentences with each of many tags, a word having two of them."""
    numbers = range(TAGS)
    words, tags = [f"w{each // 2}" for each in numbers], [f"T{each}" for each in numbers]
    return [example(words[at : at + 5], tags[at : at + 5]) for at in range(0, TAGS, 5)]


def of_order_2(**options: object) -> Chain:
    return Chain(order=2, tag_parts="none", **options)


def few_tags() -> ChainModel:
    return prepare(of_order_2(allowed="dictionary", allowed_count=1), labelled())


def peak(work: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("optimiser", "criterion"),
    [(SGD(epochs=1), conditional), (Perceptron(epochs=1), perceptron)],
    ids=["sgd", "perceptron"],
)
def test_passes_over_examples_have_no_table_of_triples(optimiser, criterion):
    corpus = labelled()
    used = peak(
        lambda: weft.fit(of_order_2(), corpus, criterion=criterion, optimiser=optimiser, threads=1)
    )
    assert used < TABLE


def test_ranked_and_drawn_sequences_have_no_table_of_triples(rng):
    model = few_tags()
    theta = rng.normal(size=model.parameters.size)
    trellis = model.trellis([Evidence(each.tokens) for each in labelled()], 1)
    assert peak(lambda: trellis.kbest(theta, 4)) < TABLE
    assert peak(lambda: trellis.sample(theta, rng, 2)) < TABLE


def test_ranked_sequences_of_few_tags_are_those_of_all_in_order(rng):
    model = few_tags()
    theta = rng.normal(size=model.parameters.size)
    tokens = sentence(["w1", "w2", "w1", "w3"])
    [found] = model.trellis([Evidence(tokens)], 1).kbest(theta, 20)
    taggings = list(product(*map(sorted, model.allowed([tokens])[0])))
    scores = model.trellis([Evidence(tokens, each) for each in taggings], 1).log_partition(theta)
    order = np.argsort(-scores)
    assert len(taggings) == 16
    assert [tuple(model.tags[tag] for tag in tags) for _, tags in found] == [
        taggings[place] for place in order.tolist()
    ]
    np.testing.assert_allclose([score for score, _ in found], scores[order], rtol=1e-12)


@pytest.mark.parametrize("order", [1, 2])
def test_of_many_equal_sequences_the_first_by_their_tags_are_listed(order, rng):
    """These are more than are listed to compare their names."""
    model = prepare(weft.Chain(order=order), [example(["a"] * 4, ["X", "Y", "Z", "X"])])
    noise = rng.uniform(-1e-12, 1e-12, model.parameters.size)
    [found] = model.trellis([Evidence(sentence(["a"] * 9))], 1).kbest(noise, 5)
    expected = list(islice(product(range(3), repeat=9), 5))
    assert [tuple(tags.tolist()) for _, tags in found] == expected


@pytest.mark.parametrize("order", [1, 2])
def test_states_that_are_ranked_one_by_one_have_the_same_sequences(order, rng, monkeypatch):
    model = prepare(weft.Chain(order=order), [example(["a"] * 4, ["X", "Y", "Z", "X"])])
    trellis = model.trellis([Evidence(sentence(["a"] * 5))], 1)
    theta = rng.integers(-1, 1, model.parameters.size, endpoint=True).astype(float)
    [together] = trellis.kbest(theta, 40)
    monkeypatch.setattr(sequences, "_AT_ONCE", 1)
    [apart] = trellis.kbest(theta, 40)
    assert [(score, tags.tolist()) for score, tags in apart] == [
        (score, tags.tolist()) for score, tags in together
    ]


def test_ranked_sequences_have_no_table_of_all_ways(rng):
    model, count = prepare(weft.Chain(order=1), labelled()), 400
    theta = rng.normal(size=model.parameters.size)
    trellis = model.trellis([Evidence(sentence(["w1"] * 4))], 1)
    assert peak(lambda: trellis.kbest(theta, count)) < 2 * 8 * TAGS**2 * count


def test_only_allowed_tags_count_as_room(rng, monkeypatch):
    monkeypatch.setattr(sequences, "_MOST_BYTES", 2**20)
    evidence = [Evidence(labelled()[0].tokens)]
    model = prepare(of_order_2(), labelled())
    with pytest.raises(LimitError, match="up to 150 tags per token and order 2, allow fewer tags"):
        model.trellis(evidence, 1).kbest(np.zeros(model.parameters.size), 2)
    with pytest.raises(LimitError, match=r"^samples would take more than a GiB .* 150 tags"):
        model.trellis(evidence, 1).sample(np.zeros(model.parameters.size), rng, 2)
    few = few_tags()
    theta = rng.normal(size=few.parameters.size)
    [found] = few.trellis(evidence, 1).kbest(theta, 2)
    [drawn] = few.trellis(evidence, 1).sample(theta, rng, 2)
    assert len(found) == len(drawn) == 2


def test_too_many_sequences_of_no_token_are_refused():
    model = few_tags()
    with pytest.raises(LimitError, match="up to 0 tags per token"):
        model.trellis([Evidence(sentence([]))], 1).kbest(np.zeros(model.parameters.size), 2**28)


def test_cells_are_given_with_their_columns():
    model = few_tags()
    trellis = model.trellis([Evidence(labelled()[0].tokens)], 1)
    steps = trellis.scores.at(np.zeros(model.parameters.size))
    [(_, _, arguments)] = trellis.scored(steps)
    assert arguments.cell_offsets is not None
    short = arguments._replace(cell_columns=None)
    with pytest.raises(ValueError, match="cells need offsets and columns"):
        kernels.chain_viterbi(*short, np.zeros(1), np.zeros(5, np.int32), 1)


GROWING = r"""
import re
from pathlib import Path
import numpy as np
from weft.models import Chain, prepare
from weft.structures.evidence import Evidence, example, sentence

tags = [f"T{n}" for n in range(300)]
corpus = [example([f"w{n // 2}"], [tag]) for n, tag in enumerate(tags)]
known = {f"w{n}": frozenset(tags[2 * n : 2 * n + 2]) for n in range(150)}
model = prepare(Chain(order=2, dictionary=known, tag_parts="none"), corpus)
theta = np.zeros(model.parameters.size)

def peak(lengths):
    evidences = [Evidence(sentence(["w1"] * length)) for length in lengths]
    trellis = model.trellis(evidences, 1)
    trellis.evaluate(theta, np.ones(len(lengths)))
    trellis.best(theta)
    return int(re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())[1])

alone = peak([200])
print(peak([100, 200]) - alone)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing tells the peak")
def test_a_longer_sentence_does_not_touch_the_room_of_one_before():
    """One of 100 tokens has room for 73 MB of states, of which it uses 2 rows of 304 per token."""
    run = subprocess.run(
        [sys.executable, "-c", GROWING], capture_output=True, text=True, check=True
    )
    assert int(run.stdout) < 20_000  # KiB
