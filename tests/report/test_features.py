from __future__ import annotations

import numpy as np
import pytest

from weft.criteria import Gaussian
from weft.errors import OptionError
from weft.features.templates import templates
from weft.models import Chain
from weft.models.tagger import Tagger
from weft.optimise.lbfgs import LBFGS
from weft.report.features import (
    NamedWeight,
    kind_summaries,
    named_weights,
    strongest_features,
)
from weft.structures.evidence import END, START, Example, Sentence, example
from weft.train import fit

CORPUS = [
    example(["the", "dog", "barks"], ["DT", "NN", "VBZ"]),
    example(["the", "saw", "cuts"], ["DT", "NN", "VBZ"]),
    example(["we", "saw", "the", "dog"], ["PRP", "VBD", "DT", "NN"]),
]


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    chain = Chain(
        order=2,
        templates=templates("bias word[0] suffix1[0] word[-1]|word[0]"),
        pair_templates=templates("word[0] word[1]"),
    )
    return fit(chain, CORPUS, penalty=Gaussian(1.0), optimiser=LBFGS(max_iterations=20))


@pytest.fixture(scope="module")
def everything(tagger: Tagger) -> list[NamedWeight]:
    return named_weights(tagger, np.arange(len(tagger.weights)))


def test_every_feature_has_a_name_of_its_own(tagger: Tagger, everything: list[NamedWeight]) -> None:
    names = [each.name for each in everything]
    assert len(set(names)) == len(names) == len(tagger.weights)
    assert [each.weight for each in everything] == tagger.weights.tolist()


@pytest.mark.parametrize(
    "name",
    [
        f"bigram {START} → DT",
        f"bigram VBZ → {END}",
        f"trigram {START} {START} → PRP",
        f"trigram DT NN → {END}",
        "tag:bias → NN",
        "tag:word[0]=saw → VBD",
        "tag:word[-1]|word[0]=<-1>|the → DT",
        "pair:word[0]=saw PRP → VBD",
        f"pair:word[1]=dog {START} → DT",
    ],
)
def test_names_say_what_a_feature_sees(everything: list[NamedWeight], name: str) -> None:
    assert name in {each.name for each in everything}


@pytest.mark.parametrize(
    ("name", "tags"),
    [
        ("tag:word[0]=saw → VBD", {0: "VBD"}),
        ("bigram DT → NN", {0: "DT", 1: "NN"}),
        ("pair:word[0]=dog DT → NN", {0: "DT", 1: "NN"}),
        (f"trigram {START} PRP → VBD", {0: "PRP", 1: "VBD"}),
    ],
)
def test_a_large_weight_brings_about_what_its_name_says(
    tagger: Tagger, everything: list[NamedWeight], name: str, tags: dict[int, str]
) -> None:
    weights = np.array([9.0 if each.name == name else 0.0 for each in everything])
    [found] = Tagger(tagger.model, weights).tag([["saw", "dog"]])
    assert {place: found[place] for place in tags} == tags


@pytest.mark.parametrize("negative", [False, True])
@pytest.mark.parametrize("count", [0, 1, 7, 10_000])
def test_the_strongest_come_first(
    tagger: Tagger, everything: list[NamedWeight], negative: bool, count: int
) -> None:
    sign = -1 if negative else 1
    expected = sorted(sign * each.weight for each in everything if sign * each.weight > 0)[::-1]
    found = strongest_features(tagger, count, negative=negative)
    assert [sign * each.weight for each in found] == pytest.approx(expected[:count], rel=1e-9)


def test_equal_weights_are_in_the_order_of_their_names(tagger: Tagger) -> None:
    size = len(tagger.weights)
    for last_digits in (np.zeros(size), 1e-12 * np.random.default_rng(0).normal(size=size)):
        level = Tagger(tagger.model, 1.0 + last_digits)
        names = sorted(each.name for each in named_weights(level, np.arange(size)))
        assert [each.name for each in strongest_features(level, 5)] == names[:5]


def test_features_of_a_tag_and_of_kinds(tagger: Tagger) -> None:
    found = strongest_features(tagger, 1000, tag="VBD", kind="tag:*")
    assert found
    assert all(each.tags == ("VBD",) for each in found)
    assert all("VBD" in each.tags for each in strongest_features(tagger, 1000, tag="VBD"))
    pairs = strongest_features(tagger, 1000, tag="PRP", kind="pair:word[0]")
    assert {each.kind for each in pairs} == {"pair:word[0]"}


def test_unknown_tags_and_kinds_are_refused(tagger: Tagger) -> None:
    with pytest.raises(OptionError, match=r"no tag 'XX'; it has DT, NN"):
        strongest_features(tagger, 1, tag="XX")
    with pytest.raises(OptionError, match=r"no kind of feature matches 'tag:x\*'; the model has"):
        strongest_features(tagger, 1, kind="tag:x*")


def test_kinds_add_up(tagger: Tagger) -> None:
    kinds = kind_summaries(tagger)
    assert sum(kind.features for kind in kinds) == len(tagger.weights)
    norm = float(np.linalg.norm(tagger.weights))
    assert sum(kind.norm**2 for kind in kinds) == pytest.approx(norm**2)
    assert max(kind.largest for kind in kinds) == abs(tagger.weights).max()


def test_attributes_of_users_keep_their_names() -> None:
    sentence = Sentence((("a", "b"),), ({"w=a": 1.0, "length": 0.5}, {"w=b": 1.0}))
    tagger = fit(Chain(), [Example(sentence, ("X", "Y"))])
    names = {each.name for each in strongest_features(tagger, 100, kind="tag:given")}
    assert {"tag:w=a → X", "tag:length → X", "tag:w=b → Y"} == names
