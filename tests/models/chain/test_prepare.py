"""Which features a model has, against a plain count over the corpus."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest

from chains import random_corpus
from weft.errors import EvidenceError, OptionError
from weft.features.attributes import attribute_names
from weft.features.templates import templates
from weft.models import Chain, ChainModel, Extent, Scheme, prepare
from weft.structures.evidence import Evidence, Example, Sentence, example

BASE = templates("word[0] suffix1[-1]")


def plain_attributes(example: Example, position: int) -> list[str]:
    words = example.tokens.words
    before = words[position - 1][-1] if position else "<-1>"
    given = list(example.tokens.attributes[position]) if example.tokens.attributes else []
    return [f"word[0]={words[position]}", f"suffix1[-1]={before}", *given]


def named_rows(model: ChainModel, rows) -> set[tuple[str, int]]:
    names = attribute_names(model.index)
    owners = np.repeat(np.arange(len(names)), np.diff(rows.offsets))
    return {(names[a], int(c)) for a, c in zip(owners, rows.columns, strict=True)}


def plain_counts(corpus, tags) -> Counter:
    return Counter(
        (name, tags.index(tag))
        for each in corpus
        for position, tag in enumerate(each.analysis)
        for name in plain_attributes(each, position)
    )


@pytest.mark.parametrize("minimum", [1, 2, 3])
def test_observed_features_are_those_that_occur(rng, minimum):
    corpus = random_corpus(rng)
    model = prepare(Chain(templates=BASE, minimum_count=minimum), corpus)
    counts = plain_counts(corpus, model.tags)
    assert named_rows(model, model.tag_rows) == {f for f, n in counts.items() if n >= minimum}


def test_all_features_are_every_attribute_with_every_tag(rng):
    corpus = random_corpus(rng)
    model = prepare(Chain(templates=BASE, attributes=Extent.ALL), corpus)
    names = {name for name, _ in plain_counts(corpus, model.tags)}
    assert named_rows(model, model.tag_rows) == set(product(names, range(len(model.tags))))


def test_pair_features_are_those_that_occur(rng):
    corpus = random_corpus(rng)
    chain = Chain(templates=(), pair_templates=templates("word[0]"))
    model = prepare(chain, corpus)
    width, boundary = model.topology.width, len(model.tags)
    expected = set()
    for each in corpus:
        numbers = [boundary, *map(model.tags.index, each.analysis)]
        for word, before, tag in zip(each.tokens.words, numbers[:-1], numbers[1:], strict=True):
            expected.add((f"word[0]={word}", before * width + tag))
    assert named_rows(model, model.pair_rows) == expected


@pytest.mark.parametrize("boundaries", [True, False])
def test_observed_ngrams_are_those_that_occur(rng, boundaries):
    corpus = random_corpus(rng)
    model = prepare(Chain(order=2, templates=BASE, boundaries=boundaries), corpus)
    for ngrams, size in ((model.topology.bigrams, 2), (model.topology.trigrams, 3)):
        expected = set()
        for each in corpus:
            numbers = list(map(model.tags.index, each.analysis))
            if boundaries:
                numbers = [len(model.tags)] * (size - 1) + numbers + [len(model.tags)]
            expected |= {tuple(numbers[i : i + size]) for i in range(len(numbers) - size + 1)}
        assert {tuple(ngram) for ngram in ngrams.tolist()} == expected


def test_all_ngrams_have_the_boundary_at_the_ends_only():
    model = prepare(Chain(order=2, ngrams=Extent.ALL), [example(["x", "y"], ["A", "B"])])
    edge = 2
    assert len(model.topology.bigrams) == 2 * 2 + 2 + 2
    found = {tuple(t) for t in model.topology.trigrams.tolist()}
    tags = (0, 1)
    inside = set(product(tags, repeat=3))
    starts = {(edge, edge, t) for t in tags} | {(edge, *p) for p in product(tags, repeat=2)}
    ends = {(*p, edge) for p in product((*tags, edge), tags)}
    assert found == inside | starts | ends


@pytest.mark.parametrize("extent", [Extent.OBSERVED, Extent.ALL])
def test_trigrams_alone_are_those_that_stood_beside_bigrams(extent):
    corpus = [example(["x", "y", "z"], ["A", "B", "A"])]
    both, alone = (
        prepare(Chain(order=2, ngrams=extent, tag_ngrams=lengths), corpus)
        for lengths in ("every", "longest")
    )
    assert len(both.topology.bigrams) > len(alone.topology.bigrams) == 0
    np.testing.assert_array_equal(both.topology.trigrams, alone.topology.trigrams)
    kinds = [kind.name for kind in both.parameters.kinds if kind.name != "bigram"]
    assert [kind.name for kind in alone.parameters.kinds] == kinds
    first = prepare(Chain(order=1, ngrams=extent, tag_ngrams="longest"), corpus)
    np.testing.assert_array_equal(both.topology.bigrams, first.topology.bigrams)


def test_unknown_tags_allow_every_ngram():
    model = prepare(Chain(), [example(["x", "y"], ["A", None]), example(["x"], ["B"])])
    assert len(model.topology.bigrams) == 4 + 2 + 2


def test_the_chunk_scheme_forbids_what_no_chunking_has():
    corpus = [example(["x", "y", "z"], ["B-NP", "I-NP", "O"])]
    model = prepare(Chain(scheme=Scheme.CHUNKS, ngrams=Extent.ALL), corpus)
    number = {tag: place for place, tag in enumerate((*model.tags, None))}
    assert model.topology.forbidden[number["O"], number["I-NP"]]
    assert model.topology.forbidden[number[None], number["I-NP"]]
    assert not model.topology.forbidden[number["B-NP"], number["I-NP"]]
    assert [number["O"], number["I-NP"]] not in model.topology.bigrams.tolist()


@pytest.mark.parametrize(
    ("tags", "message"),
    [
        (["B-NP", "I-PER", "O"], "example 2: token 2, 'y', has the tag I-PER, but B-PER, .* nowhe"),
        (["I-PER", "I-PER", "O"], "example 2: token 1, 'x', has the tag I-PER, but B-PER"),
        (["B-NP", "NN", "O"], "example 2: token 2, 'y', has the tag NN: so the tags are no chunks"),
        (["B-NP", "I-", "O"], "token 2, 'y', has the tag I-"),
        (["B-NP", "E-NP", "L-NP"], "token 1, 'x', has the tag B-NP: so the tags are no chunks"),
    ],
)
def test_the_chunk_scheme_is_never_switched_off_without_a_word(tags, message):
    corpus = [example(["x"], ["O"]), example(["x", "y", "z"], tags)]
    with pytest.raises(EvidenceError, match=message):
        prepare(Chain(scheme=Scheme.CHUNKS), corpus)
    assert prepare(Chain(), corpus)


def test_the_chunk_scheme_names_tags_of_the_dictionary():
    chain = Chain(scheme=Scheme.CHUNKS, dictionary={"x": frozenset({"I-X", "O"})})
    with pytest.raises(EvidenceError, match="the dictionary has the tag I-X"):
        prepare(chain, [example(["x"], ["O"])])


def test_kinds_cover_all_weights(rng):
    chain = Chain(order=2, templates=BASE, pair_templates=templates("word[0]"))
    model = prepare(chain, random_corpus(rng))
    names = [kind.name for kind in model.parameters.kinds]
    assert names == [
        "bigram",
        "trigram",
        "tag:word[0]",
        "tag:suffix1[-1]",
        "tag:given",
        "pair:word[0]",
    ]
    assert model.parameters.size == model.pair_rows.start + len(model.pair_rows)


def test_a_corpus_without_tags_is_refused():
    with pytest.raises(EvidenceError, match="no tags"):
        prepare(Chain(), [Example(Sentence((("x",),)))])


@pytest.mark.parametrize("options", [{"order": 3}, {"minimum_count": 0}])
def test_options_that_do_not_exist_are_refused(options):
    with pytest.raises(OptionError):
        Chain(**options)


def test_a_sentence_that_would_not_fit_into_memory_is_refused():
    model = prepare(Chain(order=2), [example(["x", "y"], ["A", "B"])])
    endless = Sentence((("x",) * 5_000_000,), source="endless:1")
    with pytest.raises(EvidenceError, match=r"endless:1 has 5000000 tokens.*split it"):
        model.derivations([Evidence(endless)])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ngrams": "shared"}, "ngrams is observed or all, not shared"),
        ({"attributes": "shared"}, "normalisation=joint"),
        ({"attributes": "shared", "normalisation": "conditional"}, "say attributes=observed"),
    ],
)
def test_only_words_of_an_hmm_share_weights(options, message):
    with pytest.raises(OptionError, match=message):
        prepare(Chain(**options), [example(["x"], ["A"])])
