"""The sums of tables by sparse steps are those of all pairs of tags, written out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from weft.derivations.chain.trellis import Trellis
from weft.models.smoothing.interpolation import Interpolation
from weft.models.smoothing.mixtures import Mixture
from weft.models.tables import Form, TableModel, Tables, estimate_tables
from weft.models.tables.sparse import _given_tag, _mealy
from weft.models.tables.trellis import SparseTrellis
from weft.structures.evidence import Evidence, Example, example, sentence

TAGS = tuple("ABCDEFG")
WORDS = ("to", "go", "went", "gone", "Go", "a", "b2", "c-d", "eing", "fing", "ging", "last")
TEXTS = (*WORDS, "hing", "U", "x-y", "77")


def corpus_of(rng: np.random.Generator, sentences: int = 30) -> list[Example]:
    """Sentences whose tags mostly go with their words, so that tables are sparse."""
    corpus = []
    for length in rng.integers(1, 9, sentences).tolist():
        words = rng.choice(len(WORDS), length)
        tags = np.where(rng.random(length) < 0.8, words % 5, rng.integers(0, 7, length))
        named = [WORDS[word] for word in words.tolist()], [TAGS[tag] for tag in tags.tolist()]
        corpus.append(example(*named, weight=float(rng.integers(1, 3))))
    # A tag that ends sentences and never goes before another.
    return [*corpus, example(["to", "last"], ["A", "G"]), example(["last"], ["G"])]


def remixed(mixed: Interpolation | None, rng: np.random.Generator) -> Interpolation | None:
    """The same tables with weights of any size, which training would hardly find."""
    if mixed is None:
        return None
    patterns, _, size = mixed.mixture.weights.shape
    defined = (np.arange(patterns)[:, None] >> np.arange(size)) & 1
    weights = np.exp(rng.normal(0, 4, mixed.mixture.weights.shape)) * defined[:, None]
    weights[1:] /= weights[1:].sum(axis=2, keepdims=True)
    return replace(mixed, mixture=Mixture(weights))


def model_of(form: Form, rng: np.random.Generator, *, other_weights: bool) -> TableModel:
    model = estimate_tables(Tables(form), corpus_of(rng))
    if not other_weights:
        return model
    tables = model.factors
    next_tag, next_word = remixed(tables.next_tag, rng), remixed(tables.next_word, rng)
    return replace(model, factors=replace(tables, next_tag=next_tag, next_word=next_word))


@pytest.fixture(params=[(form, other) for form in Form for other in (False, True)], ids=str)
def model(request, rng) -> TableModel:
    form, other = request.param
    return model_of(form, rng, other_weights=other)


def evidences_of(model: TableModel, rng: np.random.Generator) -> list[Evidence]:
    """Raw sentences, and the same with labels, sets of tags and nothing known of some tokens."""
    found = []
    for length in (1, 2, 5, 12, 1, 0):
        words = sentence(rng.choice(TEXTS, length).tolist())
        tags = rng.choice(model.tags, (length, 3)).tolist()
        some = tuple(
            (each[0], None, frozenset(each))[int(choice)]
            for each, choice in zip(tags, rng.integers(0, 3, length), strict=True)
        )
        found += [
            Evidence(words),
            Evidence(words, some),
            Evidence(words, tuple(t[0] for t in tags)),
        ]
    return found


def written_out(trellis: SparseTrellis) -> Trellis:
    dense = trellis.written_out(np.arange(len(trellis)))
    assert type(dense) is Trellis
    return dense


@pytest.mark.parametrize("repetition", range(3))
def test_sums_are_those_of_all_pairs(model, rng, repetition):  # noqa: ARG001
    trellis = model.trellis(evidences_of(model, rng))
    expected = written_out(trellis).log_partition(model.weights)
    np.testing.assert_allclose(
        trellis.log_partition(model.weights), expected, rtol=1e-10, atol=1e-12
    )


@pytest.mark.parametrize("repetition", range(3))
def test_marginals_are_those_of_all_pairs(model, rng, repetition):  # noqa: ARG001
    trellis = model.trellis(evidences_of(model, rng))
    expected, probs = written_out(trellis).marginals(model.weights)
    values, found = trellis.marginals(model.weights)
    np.testing.assert_allclose(values, expected, rtol=1e-10, atol=1e-12)
    for one, other in zip(found, probs, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-14)


@pytest.mark.parametrize("repetition", range(3))
def test_best_sequences_are_those_of_all_pairs(model, rng, repetition):  # noqa: ARG001
    evidences = evidences_of(model, rng)
    trellis = model.trellis(evidences)
    expected, _ = written_out(trellis).best(model.weights)
    scores, sequences = trellis.best(model.weights)
    np.testing.assert_allclose(scores, expected, rtol=1e-10, atol=1e-12)
    named = [tuple(model.tags[tag] for tag in tags.tolist()) for tags in sequences]
    chosen = [Evidence(each.tokens, tags) for each, tags in zip(evidences, named, strict=True)]
    own = model.trellis(chosen).log_partition(model.weights)
    np.testing.assert_allclose(own, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("threads", [1, 3])
def test_no_result_depends_on_the_threads(model, rng, threads):
    evidences = evidences_of(model, rng) * 4
    alone, several = model.trellis(evidences, 1), model.trellis(evidences, threads)
    assert (alone.log_partition(model.weights) == several.log_partition(model.weights)).all()


def test_what_needs_logs_is_summed_in_logs(model, rng):
    evidences = evidences_of(model, rng)
    raw = [Evidence(each.tokens) for each in evidences]
    trellis = model.trellis(raw)
    trellis.sets.bias[:, 1] -= 2000.0  # below what a scaled sum can tell from nothing
    expected = written_out(trellis).log_partition(model.weights)
    np.testing.assert_allclose(
        trellis.log_partition(model.weights), expected, rtol=1e-10, atol=1e-12
    )
    best, _ = written_out(trellis).best(model.weights)
    np.testing.assert_allclose(trellis.best(model.weights)[0], best, rtol=1e-10, atol=1e-12)
    _, probs = written_out(trellis).marginals(model.weights)
    for one, other in zip(trellis.marginals(model.weights)[1], probs, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-14)


def test_a_mealy_machine_has_entries_below_the_back_off(rng):
    """Else the models above would not try how its best sequences are found there."""
    model = model_of(Form.MEALY, rng, other_weights=True)
    weights, defaults, _ = _given_tag(model.factors)
    base, _ = _mealy(model.factors, weights[defaults[0], 3])
    assert (base.values < 0).any()
    assert (base.values > 0).any()
