"""Training on corpora that are read anew for every pass: the same bits as in memory."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

import numpy as np
import pytest

from weft import Stream
from weft.corpora import bundled
from weft.criteria import (
    Gaussian,
    conditional,
    contrast,
    contrastive,
    find_criterion,
    joint,
    margin,
    perceptron,
)
from weft.criteria.streams import StreamedTerms
from weft.errors import EvidenceError, OptionError
from weft.features.templates import templates
from weft.models import Chain, Extent
from weft.models.instances import instances
from weft.models.tables import Tables
from weft.models.tagger import lexicon_of
from weft.optimise.batches import Problem
from weft.optimise.frank_wolfe import FrankWolfe
from weft.optimise.lbfgs import LBFGS
from weft.optimise.online import AROW, PassiveAggressive, Perceptron
from weft.optimise.search import Search
from weft.optimise.stochastic import SGD, AdaGrad, Adam
from weft.optimise.subgradient import Subgradient
from weft.structures.evidence import example
from weft.structures.stream import example_at, joined, through
from weft.train import fit

BY_PASSES = {
    "sgd": (SGD, conditional),
    "adagrad": (AdaGrad, conditional),
    "adam": (Adam, conditional),
    "subgradient": (Subgradient, margin()),
    "perceptron": (Perceptron, perceptron),
    "pa": (PassiveAggressive, margin()),
    "arow": (AROW, margin()),
}
FAMILIES = instances()


class Reading:
    """A corpus that counts how often it is read, and how much of it is asked for at once."""

    def __init__(self, corpus):
        self.corpus, self.times = corpus, 0

    def __iter__(self):
        self.times += 1
        return iter(self.corpus)


def same_model(one, other) -> None:
    size = one.model.parameters.size
    assert size == other.model.parameters.size
    assert one.model.named(np.arange(size)) == other.model.named(np.arange(size))
    assert one.weights.tobytes() == other.weights.tobytes()


@pytest.mark.parametrize("optimiser", BY_PASSES)
@pytest.mark.parametrize("name", ["free chain", "grammar, phrases", "selection, listed"])
def test_a_buffer_of_the_whole_corpus_gives_the_bits_of_memory(name, optimiser):
    family, (kind, criterion) = FAMILIES[name], BY_PASSES[optimiser]
    corpus = family.corpora["complete"]
    options = {"criterion": criterion, "penalty": Gaussian(1.0), "optimiser": kind(epochs=4)}
    inside = fit(family.spec, corpus, **options)
    reading = Reading(corpus)
    outside = fit(family.spec, Stream(reading, buffer=len(corpus)), **options)
    same_model(inside, outside)
    assert [step.value for step in inside.trace[:-1]] == [s.value for s in outside.trace[:-1]]
    assert reading.times > 4


CORPUS = bundled("train")[:60]
WORDS = templates("bias word[0] word[-1]|word[0] suffix2[0]")


SIZES = (25, 25, 10)


def climb(model, theta, section, turn, last, batch=8, variance=2.0):
    """The iterates of plain gradient steps on the batches of a section."""
    groups = np.random.default_rng([0, 0, *last]).permutation(len(section))
    groups = [groups[i : i + batch] for i in range(0, len(groups), batch)]
    count, rate = sum(-(-size // batch) for size in SIZES), 1.0 / (1 + 0.1 * turn)
    for place in np.random.default_rng([0, 1, turn, *last]).permutation(len(groups)):
        some = [section[i] for i in groups[place]]
        _, gradient = contrast(model, some, conditional)(theta)
        decay = np.exp(-rate / variance / len(CORPUS))
        theta = theta * decay + rate * count / len(CORPUS) * gradient
        yield theta


def mend(model, theta, section, turn, last):
    """The iterates of a perceptron."""
    for place in np.random.default_rng([0, 1, turn, *last]).permutation(len(section)):
        theta = theta + contrast(model, [section[place]], perceptron)(theta)[1]
        yield theta


def by_hand(chain, move, epochs):
    """All iterates of passes over a stream whose sections have these sizes."""
    model = chain.prepare(CORPUS)
    iterates = [np.zeros(model.parameters.size)]
    for turn in range(epochs):
        for number, size in enumerate(SIZES):
            section = CORPUS[sum(SIZES[:number]) :][:size]
            last = [number] if number else []
            iterates += move(model, iterates[-1], section, turn, last)
    return iterates[1:]


CLIMBS = {
    "sgd": (SGD(epochs=3, tolerance=0.0, average=0.0), conditional, climb),
    "averaged sgd": (SGD(epochs=3, tolerance=0.0, average=1.0), conditional, climb),
    "perceptron": (Perceptron(epochs=3, tolerance=0.0, averaged=False), perceptron, mend),
    "averaged perceptron": (Perceptron(epochs=3, tolerance=0.0), perceptron, mend),
}


@pytest.mark.parametrize("pairs", [(), templates("word[0]")], ids=["kernel", "no kernel"])
@pytest.mark.parametrize("name", CLIMBS)
def test_a_small_buffer_makes_the_steps_that_plain_programs_make(name, pairs):
    optimiser, criterion, move = CLIMBS[name]
    options = {"criterion": criterion, "penalty": Gaussian(2.0), "optimiser": optimiser}
    chain = Chain(templates=WORDS, pair_templates=pairs)
    found = fit(chain, Stream(CORPUS, buffer=SIZES[0]), **options)
    iterates = by_hand(chain, move, 3)
    expected = np.mean(iterates, axis=0) if "averaged" in name else iterates[-1]
    np.testing.assert_allclose(found.weights, expected, rtol=1e-7, atol=1e-9)
    assert not np.allclose(fit(chain, CORPUS, **options).weights, expected)


class Lasting:
    """The sections of a stream, read and compiled only once."""

    streamed = True

    def __init__(self, terms):
        self.kept, self.sizes = list(terms.sections()), terms.sizes
        self.hinges, self.size = terms.hinges, terms.size

    def __len__(self):
        return sum(self.sizes)

    def __call__(self, theta):
        values, gradients = zip(*(each(theta) for each in self.kept), strict=True)
        return sum(values), np.sum(gradients, axis=0)

    def sections(self):
        return iter(self.kept)


@pytest.mark.parametrize("optimiser", BY_PASSES)
def test_what_is_compiled_anew_is_what_was_compiled_before(optimiser):
    kind, criterion = BY_PASSES[optimiser]
    model = Chain(templates=WORDS).prepare(CORPUS)
    terms = StreamedTerms(model, Stream(CORPUS, buffer=25), criterion, lambda *_: None)
    precisions, start = np.ones(terms.size), np.zeros(terms.size)
    one, other = (
        kind(epochs=3).maximise(Problem(each, precisions, start), start)
        for each in (terms, Lasting(terms))
    )
    assert one.weights.tobytes() == other.weights.tobytes()
    assert one.weights.any()


@pytest.mark.parametrize(
    "chain",
    [
        Chain(),
        Chain(order=2, minimum_count=2),
        Chain(attributes=Extent.ALL, ngrams=Extent.ALL, templates=WORDS, minimum_count=3),
        Chain(templates=WORDS, pair_templates=templates("word[0]")),
        Chain(boundaries=False, dictionary={"the": frozenset({"DT"})}),
    ],
    ids=["usual", "rare", "all", "pairs", "dictionary"],
)
def test_a_stream_gives_the_same_chain(chain):
    unsure = [example(each.tokens.words, (None, *each.analysis[1:])) for each in CORPUS[:3]]
    for corpus in (CORPUS[:30], [*CORPUS[:30], *unsure]):
        one, other = chain.prepare(corpus), chain.prepare(Stream(corpus, buffer=7))
        every = np.arange(one.parameters.size)
        assert one.named(every) == other.named(np.arange(other.parameters.size))
        assert one.tags == other.tags
        assert one.vocabulary == other.vocabulary
        assert one.index.keys[-1].tolist() == other.index.keys[-1].tolist()


@pytest.mark.parametrize("name", ["grammar, phrases", "grammar, words", "selection, listed"])
def test_a_stream_gives_the_same_features_of_other_families(name):
    family = FAMILIES[name]
    corpus = family.spec.compile(family.corpora["complete"])
    one, other = family.spec.prepare(corpus), family.spec.prepare(Stream(corpus, buffer=2))
    every = np.arange(one.parameters.size)
    assert one.named(every) == other.named(np.arange(other.parameters.size))
    starts = [
        family.spec.start(model, given, generative=True, closed_form=False)
        for model, given in ((one, corpus), (other, Stream(corpus, buffer=2)))
    ]
    np.testing.assert_allclose(starts[0], starts[1], rtol=1e-12)


def test_sums_over_all_sentences_start_from_the_counts_of_a_stream():
    chain = Chain(templates=templates("word[0]"), attributes="all", ngrams="all")
    options = {"criterion": joint, "optimiser": AdaGrad(epochs=2)}
    one = fit(chain, CORPUS[:20], **options)
    other = fit(chain, Stream(CORPUS[:20], buffer=20), **options)
    same_model(one, other)


def test_raw_sentences_are_streamed_with_a_dictionary():
    dictionary = {word: frozenset(tags) for word, tags in lexicon_of(CORPUS).items()}
    chain = Chain(templates=templates("word[0]"), dictionary=dictionary)
    raw = [example(each.tokens.words) for each in CORPUS]
    options = {"criterion": contrastive("del1word"), "optimiser": AdaGrad(epochs=2)}
    same_model(fit(chain, raw, **options), fit(chain, Stream(raw, buffer=60), **options))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"optimiser": LBFGS()}, "in passes"),
        ({}, "in passes"),
        ({"optimiser": FrankWolfe(), "criterion": margin()}, "in passes"),
        ({"optimiser": SGD(), "search": Search(restarts=2)}, "restarts"),
        ({"optimiser": SGD(), "extra": [(1.0, CORPUS[:5], conditional)]}, "only corpus"),
        ({"optimiser": SGD(), "criterion": contrastive("corpus")}, "all examples at once"),
        ({"optimiser": SGD(), "criterion": find_criterion("expected-accuracy")}, "--start MODEL"),
    ],
)
def test_what_needs_all_examples_at_once_is_refused(options, message):
    reading = Reading(CORPUS)
    with pytest.raises(OptionError, match=message):
        fit(Chain(), Stream(reading), **options)
    assert not reading.times


def test_families_that_need_the_whole_corpus_say_so():
    hmm = Chain(normalisation="joint", templates=templates("word[0]"))
    with pytest.raises(OptionError, match="rare=0"):
        fit(hmm, Stream(CORPUS), optimiser=SGD())
    with pytest.raises(OptionError, match="counted in memory"):
        fit(Tables(), Stream(CORPUS))


def test_a_start_takes_the_place_of_a_likelihood():
    first = fit(Chain(), CORPUS[:20], optimiser=SGD(epochs=2))
    options = {"criterion": find_criterion("expected-accuracy"), "optimiser": SGD(epochs=2)}
    found = fit(Chain(), Stream(CORPUS[:20], buffer=8), start=first, **options)
    assert found.trace[-1].value > found.trace[0].value


def test_an_impossible_example_is_named():
    broken = example(["the", "end"], ["NN", "NN"])
    dictionary = {"the": frozenset({"DT"})}
    corpus = [*CORPUS[:5], broken]
    with pytest.raises(EvidenceError, match=r"example 6: no tagging is possible at token 1"):
        fit(Chain(dictionary=dictionary), Stream(corpus, buffer=2), optimiser=SGD())


def test_a_corpus_that_changes_while_it_is_read_is_refused():
    lengths = iter([20, 20, 20, 20, 20, 20, 19])
    stream = Stream(lambda: CORPUS[: next(lengths)], buffer=6)
    with pytest.raises(EvidenceError, match="had 20 examples, and has 19"):
        fit(Chain(), stream, optimiser=SGD(epochs=20))


def test_an_iterator_is_no_stream():
    with pytest.raises(OptionError, match="only once"):
        Stream(iter(CORPUS))
    with pytest.raises(OptionError, match="at least 1"):
        Stream(CORPUS, buffer=0)


def test_an_interrupt_keeps_the_last_complete_pass():
    """In the middle of the third pass, when the second section is read."""
    options = {"criterion": margin(), "penalty": Gaussian(1.0)}
    two = fit(Chain(), Stream(CORPUS, buffer=25), optimiser=AROW(epochs=2), **options)
    passes = []

    def read():
        yield from CORPUS[:25]
        if len(passes) == 3:
            passes.append(None)
            raise KeyboardInterrupt
        yield from CORPUS[25:]

    stopped = fit(
        Chain(),
        Stream(read, buffer=25),
        optimiser=AROW(epochs=9, tolerance=0.0),
        progress=lambda step: passes.append(step) if step.iteration <= 2 else None,
        **options,
    )
    assert stopped.notes["stopped"] == "interrupted"
    assert stopped.weights.tobytes() == two.weights.tobytes()


def test_a_stream_counts_its_examples_and_tokens():
    stream = Stream(CORPUS, buffer=25)
    assert stream.sizes == [25, 25, 10]
    assert stream.tokens == sum(len(each.tokens) for each in CORPUS)
    both = joined([stream, Stream(CORPUS[:5])])
    assert len(both) == 65
    assert list(chain.from_iterable(both.sections())) == [*CORPUS, *CORPUS[:5]]
    doubled = through(stream, lambda some: [replace(each, weight=2.0) for each in some])
    assert sum(each.weight for each in doubled) == 120
    assert example_at(doubled, 59).tokens is CORPUS[59].tokens
