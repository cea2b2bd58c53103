"""Opened vocabularies: unknown words have a class, and everything still sums to one."""

from __future__ import annotations

import numpy as np
import pytest

from weft.corpora import bundled
from weft.criteria import Dirichlet, joint
from weft.features.signatures import learn_signatures
from weft.features.templates import templates
from weft.models import Chain, Extent, Normalisation, prepare
from weft.models.chain.multinomials import relative_frequencies
from weft.models.chain.unknown import open_vocabulary
from weft.models.storage import load_tagger, save_tagger
from weft.models.tagger import Tagger
from weft.optimise.em import EM
from weft.structures.evidence import Evidence, Sentence, example, sentence
from weft.train import fit

CORPUS = [
    example(["the", "walking", "dog"], ["DT", "VBG", "NN"]),
    example(["the", "talking", "Bonn", "dog"], ["DT", "VBG", "NNP", "NN"]),
    example(["the", "barking"], ["DT", "VBG"]),
    example(["a", "being"], ["DT", "NN"]),
    example(["a", "eating", "Rome"], ["DT", "VBG", "NNP"]),
    example(["a", "x-ray"], ["DT", "NN"]),
    example(["a", "y-ray"], ["DT", "NN"]),
]


def hmm(**options) -> Chain:
    default = {"templates": templates("word[0]"), "attributes": Extent.ALL, "ngrams": Extent.ALL}
    return Chain(**{**default, "normalisation": Normalisation.JOINT, **options})


KINDS = {
    "moore": hmm(),
    "order2": hmm(order=2),
    "features": hmm(templates=templates("word[0] suffix3[0] hyphen[0]")),
    "mealy": hmm(templates=(), pair_templates=templates("word[0]")),
}


@pytest.fixture(params=KINDS)
def opened(request) -> Tagger:
    model = prepare(KINDS[request.param], CORPUS)
    weights = relative_frequencies(model, CORPUS, 0.1)
    evidences = [Evidence(each.tokens, each.analysis) for each in CORPUS]
    return Tagger(*open_vocabulary(model, weights, evidences))


def test_the_items_of_a_tag_sum_to_one(opened):
    signatures = opened.model.signatures
    strange = [representative(signatures, name) for name in signatures.names]
    items = [*opened.model.vocabulary, *strange]
    for tag in opened.model.tags:
        given = [Evidence(sentence([word]), (tag,)) for word in items]
        values = opened.model.trellis(given).log_partition(opened.weights)
        assert np.isfinite(values).all()
        assert np.logaddexp.reduce(values) == pytest.approx(steps(opened, tag), abs=1e-10)


def representative(signatures, name: str) -> str:
    """A word outside the corpus whose class has this name."""
    for word in ("qqing", "qqz-ray", "Qqz", "qqz", "QQ", "zzg", "zzng", "q-q", "%%", "q-ay", "q-y"):
        if signatures.names[signatures.class_of(word)] == name:
            return word
    raise AssertionError(name)


def steps(tagger: Tagger, tag: str) -> float:
    """log p(tag | start) p(end | tag)."""
    model = tagger.model
    trellis = model.trellis([Evidence(sentence(["the"]))])
    table = trellis.scores.at(tagger.weights).shares
    number, boundary = model.tags.index(tag), len(model.tags)
    if model.topology.order == 1:
        return table[0, boundary, number] + table[0, number, boundary]
    return table[boundary, boundary, number] + table[number, boundary, boundary]


def test_unknown_words_are_known_by_their_spelling():
    tagger = fit(hmm(), CORPUS, criterion=joint, penalty=Dirichlet(0.01), optimiser=EM())
    assert tagger.tag([["the", "jumping", "dog"]]) == [("DT", "VBG", "NN")]
    place = tagger.model.tags.index("VBG")
    jumping, jump = (tagger.marginals([["the", word]])[0][1, place] for word in ("jumping", "jump"))
    assert jumping > jump


def test_known_words_keep_their_proportions():
    closed = fit(hmm(rare=0), CORPUS, criterion=joint, penalty=Dirichlet(0.1), optimiser=EM())
    opened = fit(hmm(), CORPUS, criterion=joint, penalty=Dirichlet(0.1), optimiser=EM())
    assert closed.model.signatures is None
    pairs = [Sentence(((word,),)) for word in ("the", "dog", "Rome")]
    of_tag = [
        [t.model.trellis([Evidence(s, ("NN",))]).log_partition(t.weights)[0] for s in pairs]
        for t in (closed, opened)
    ]
    differences = np.subtract(*of_tag)
    assert differences[0] > 0  # unknown words have taken some mass
    np.testing.assert_allclose(differences, differences[0])


def test_unknown_words_gain_from_their_signatures():
    options = {"criterion": joint, "penalty": Dirichlet(0.1, {"tag:*": 0.001}), "optimiser": EM()}
    test = bundled("heldout")
    gold = [tag for each in test for tag in each.analysis]
    right = []
    for rare in (0, 1):
        tagger = fit(hmm(rare=rare), bundled("train"), **options)
        tags = [tag for each in tagger.tag([each.tokens for each in test]) for tag in each]
        right.append(np.mean([one == two for one, two in zip(gold, tags, strict=True)]))
    assert right[1] > right[0] + 0.03


def test_an_opened_model_is_saved_whole(opened, tmp_path):
    save_tagger(tmp_path / "m.weft", opened)
    loaded = load_tagger(tmp_path / "m.weft")
    assert loaded.model.signatures.names == opened.model.signatures.names
    sentences = [["the", "jumping", "Paris"], ["unheard-of", "dog"]]
    for one, two in zip(loaded.marginals(sentences), opened.marginals(sentences), strict=True):
        np.testing.assert_array_equal(one, two)


def test_without_rare_words_nothing_changes():
    corpus = [example(["a", "a"], ["X", "Y"])]
    model = prepare(hmm(), corpus)
    weights = relative_frequencies(model, corpus)
    same, unchanged = open_vocabulary(model, weights, [Evidence(corpus[0].tokens)])
    assert same is model
    assert unchanged is weights


def test_signatures_partition_all_strings():
    signatures = learn_signatures(["walking", "talking", "Bonn", "Rome", "x-ray"], enough=2)
    for word in ("", "a", "ING", "überging", "-", "日本", "3rd"):
        assert 0 <= signatures.class_of(word) < len(signatures)


def test_a_sentence_without_words_has_no_tags(opened):
    assert opened.tag([[], ["the", "dog"], []])[::2] == [(), ()]


@pytest.mark.parametrize("kind", KINDS)
def test_labels_count_as_much_as_what_is_expected_of_them(kind):
    model = prepare(KINDS[kind], CORPUS)
    weights = relative_frequencies(model, CORPUS, 0.1)
    counted = [Evidence(each.tokens, each.analysis) for each in CORPUS]
    summed = [
        Evidence(each.tokens, tuple(frozenset({label}) for label in each.analysis))
        for each in CORPUS
    ]
    _, found = open_vocabulary(model, weights, counted)
    for others in (summed, [*summed[:3], *counted[3:]]):
        _, wanted = open_vocabulary(model, weights, others)
        assert np.allclose(found, wanted, rtol=0, atol=1e-10)
