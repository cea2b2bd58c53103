"""Words that share a weight with the tags that they did not have: the sums of all weights."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from weft.criteria import Dirichlet, contrast, joint, marginal
from weft.features.templates import templates
from weft.models import Chain, prepare
from weft.models.chain.multinomials import check_multinomials
from weft.optimise.em import EM
from weft.optimise.search import Search
from weft.optimise.variational import VariationalBayes
from weft.structures.evidence import Evidence, Example, example
from weft.train import fit

WORDS = ("u", "v", "w", "xing", "ying", "Z")
SHARED = Chain(
    templates=templates("word[0]"), attributes="shared", ngrams="all", normalisation="joint"
)
PENALTY = Dirichlet(0.1, {"tag:*": 0.01})


def labelled(rng: np.random.Generator, tags: str = "ABCD") -> list[Example]:
    corpus = [example(["u", "v"], ["A", "B"]), example(["once"], ["D"])]
    for length in rng.integers(1, 6, 20).tolist():
        places = rng.integers(0, len(WORDS), length).tolist()
        names = [tags[place % len(tags)] for place in places]
        weight = float(rng.uniform(0.5, 2))
        corpus.append(example([WORDS[place] for place in places], names, weight=weight))
    return corpus


def both(corpus: list[Example], penalty: Dirichlet = PENALTY, **options):
    chains = [replace(SHARED, attributes=each, **options) for each in ("shared", "all")]
    return [fit(each, corpus, criterion=joint, penalty=penalty, optimiser=EM()) for each in chains]


@pytest.mark.parametrize("rare", [0, 1])
@pytest.mark.parametrize("order", [1, 2])
def test_values_are_those_of_a_weight_for_every_word_with_every_tag(rng, order, rare):
    corpus = labelled(rng)
    shared, dense = both(corpus, order=order, rare=rare)
    assert len(shared.weights) < len(dense.weights)
    unknown = ["ming", "q", "U"]
    texts = [Evidence(example(rng.choice([*WORDS, *unknown], 5).tolist()).tokens) for _ in range(9)]
    several = [*texts, *(Evidence(each.tokens, each.analysis) for each in corpus)]
    found, expected = (
        each.model.trellis(several).log_partition(each.weights) for each in (shared, dense)
    )
    np.testing.assert_allclose(found, expected, rtol=1e-11)
    found, expected = (
        np.concatenate(each.model.trellis(texts).marginals(each.weights)[1])
        for each in (shared, dense)
    )
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-15)
    trace, expected = ([step.value for step in each.trace] for each in (shared, dense))
    np.testing.assert_allclose(trace, expected, rtol=1e-12)


def test_words_that_had_every_tag_leave_nothing_to_share():
    corpus = [example([word], [tag]) for word in "uvw" for tag in "AB"]
    shared, dense = both(corpus, rare=0)
    found, expected = (contrast(each.model, corpus, joint) for each in (shared, dense))
    np.testing.assert_allclose(
        found.per_example(shared.weights), expected.per_example(dense.weights), rtol=1e-12
    )


def test_distributions_without_counts_are_uniform(rng):
    model = prepare(replace(SHARED, rare=0), labelled(rng))
    known = check_multinomials(model)
    weights = known.weights(np.zeros(model.parameters.size))
    words = len(model.vocabulary)
    assert known.times.max() == words
    totals = model.words.at(weights).totals[0, : len(model.tags)]
    np.testing.assert_allclose(totals, 0.0, atol=1e-12)
    text = [Evidence(example([word], ["C"]).tokens, ("C",)) for word in model.vocabulary]
    values = model.free.trellis(text).log_partition(weights)
    np.testing.assert_allclose(values, values[0], rtol=1e-12)


@pytest.mark.parametrize(
    "change",
    [
        {"penalty": Dirichlet(0.0)},
        {"optimiser": VariationalBayes(), "criterion": marginal},
        {"search": Search(restarts=2)},
        {"start": "uniform"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_what_is_not_counted_at_once_has_all_weights(rng, change):
    corpus = labelled(rng)
    options = {"criterion": joint, "penalty": PENALTY, "optimiser": EM(max_iterations=2), **change}
    if options["criterion"] is marginal:
        options["search"] = Search(restarts=1)
    tagger = fit(SHARED, corpus, **options)
    dense = fit(replace(SHARED, attributes="all"), corpus, **options)
    np.testing.assert_array_equal(tagger.weights, dense.weights)


@pytest.mark.parametrize(
    "options",
    [
        {"dictionary": {"u": frozenset("A")}},
        {"templates": templates("word[0] suffix2[0]")},
    ],
    ids=lambda options: next(iter(options)),
)
def test_what_cannot_be_shared_has_all_weights(rng, options):
    corpus = labelled(rng)
    shared, dense = (
        prepare(replace(SHARED, attributes=each, **options), corpus) for each in ("shared", "all")
    )
    assert shared.parameters == dense.parameters


def test_unknown_labels_leave_nothing_to_share(rng):
    corpus = [*labelled(rng), example(["u", "v"], ["A", None])]
    assert (
        prepare(SHARED, corpus).parameters.size
        == prepare(replace(SHARED, attributes="all"), corpus).parameters.size
    )
