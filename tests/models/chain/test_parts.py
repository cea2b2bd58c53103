"""Parts of tags: what they are, and that their weights are shared by the tags that have them."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from oracles import finite_difference
from weft.conversions.states import whole_tags
from weft.criteria import conditional, contrast
from weft.errors import OptionError
from weft.models import Chain, prepare
from weft.models.chain.parts import shared_parts
from weft.models.options import TagParts
from weft.report.features import strongest_features

TAGS = ("ADJ+Case=Nom", "NOUN+Case=Acc|Number=Sing", "NOUN+Case=Nom|Number=Sing", "PUNCT+_")
CORPUS = [
    weft.example(["uv", "w", "uv", "."], [TAGS[0], TAGS[2], TAGS[1], TAGS[3]]),
    weft.example(["w", "uw", "."], [TAGS[1], TAGS[2], TAGS[3]]),
    weft.example(["vw"], [frozenset(TAGS[:2])]),
]
TEMPLATES = weft.templates("bias word[0] suffix1[0]")


@pytest.fixture(params=["none", "conditional"])
def model(request):
    return prepare(Chain(templates=TEMPLATES, normalisation=request.param), CORPUS)


def test_a_part_that_one_tag_has_or_all_have_is_none():
    found = shared_parts(["N+A=1|B=1", "N+A=2|B=1", "N+A=2"], TagParts.FEATURES)
    assert found.names == ("A=2", "B=1")
    assert found.of_tags == ((1,), (0, 1), (0,))


@pytest.mark.parametrize(
    ("tags", "parts"),
    [(TAGS, ("Case=Nom", "NOUN", "Number=Sing")), (("NN", "NNS", "="), ()), (("B-NP", "I-NP"), ())],
)
def test_only_features_are_parts_if_nothing_is_said(tags, parts):
    assert shared_parts(tags, TagParts.AUTO).names == parts


def test_letters_at_their_places_are_parts():
    assert shared_parts(["NF1", "NM1", "V--"], TagParts.LETTERS).names == ("1:N", "3:1")


def test_the_gradient_is_that_of_finite_differences(model, rng):
    objective = contrast(model, CORPUS, conditional)
    theta = rng.normal(size=model.parameters.size)
    _, gradient = objective(theta)
    expected = [
        finite_difference(lambda at: objective(at)[0], theta, e) for e in np.eye(len(theta))
    ]
    np.testing.assert_allclose(gradient, expected, atol=1e-6)
    parts = [kind for kind in model.parameters.kinds if kind.name.startswith("part:")]
    assert all(abs(gradient[kind.start : kind.stop]).max() > 1e-3 for kind in parts[:2])


def test_parts_weigh_what_explicit_weights_of_whole_tags_weigh(model, rng):
    theta = rng.normal(size=model.parameters.size)
    whole, weights = whole_tags(model, theta)
    evidences = [each.evidence(labelled=labelled) for each in CORPUS for labelled in (True, False)]
    assert whole.part_rows is None
    np.testing.assert_allclose(
        whole.derivations(evidences).log_partition(weights),
        model.derivations(evidences).log_partition(theta),
    )


def test_what_a_part_excludes_every_tag_that_has_it_is_excluded():
    model = prepare(Chain(templates=TEMPLATES), CORPUS)
    theta = np.zeros(model.parameters.size)
    [place] = [
        place
        for place, (kind, name) in enumerate(model.named(np.arange(len(theta))))
        if (kind, name) == ("part:bias", "bias → NOUN")
    ]
    theta[place] = -np.inf
    tagger = weft.Tagger(model, theta)
    [probs] = tagger.marginals([["w"]])
    np.testing.assert_allclose(probs[0], [0.5, 0.0, 0.0, 0.5])


def test_a_hidden_markov_model_has_words_with_whole_tags_alone():
    model = prepare(Chain(templates=weft.templates("word[0]"), normalisation="joint"), CORPUS[:2])
    assert model.part_rows is None
    for parts in ("features", "letters"):
        with pytest.raises(OptionError, match=f"tag_parts={parts} is not for normalisation=joint"):
            Chain(normalisation="joint", tag_parts=parts)


def test_a_tagger_keeps_its_parts_in_its_file(tmp_path):
    tagger = weft.fit(Chain(), CORPUS[:2])
    weft.save(tmp_path / "pos.weft", tagger)
    again = weft.load(tmp_path / "pos.weft")
    assert again.model.part_rows.names == tagger.model.part_rows.names
    words = [["vw", "w", "uw", "."]]
    np.testing.assert_array_equal(again.marginals(words)[0], tagger.marginals(words)[0])


def test_the_features_of_a_tag_are_those_of_its_parts_too():
    tagger = weft.fit(Chain(templates=TEMPLATES), CORPUS[:2])
    strong = strongest_features(tagger, 20, tag=TAGS[0], kind="part:*")
    assert {each.tags for each in strong} == {("Case=Nom",)}
