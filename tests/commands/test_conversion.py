"""Models converted from file to file, and compared."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from samples import TAGGED
from weft import commands, load
from weft.commands import FileLayout
from weft.conversions.convert import Target
from weft.errors import FormatError, OptionError

WORD = {"templates": "word[0] suffix1[0]", "iterations": "15"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("conversion")
    train = folder / "train.tagged"
    train.write_text(TAGGED)
    commands.train(folder / "crf.weft", [train], settings=WORD)
    commands.train(folder / "wide.weft", [train], settings={"iterations": "3"})
    commands.train(folder / "memm.weft", [train], recipe="memm", settings=WORD)
    commands.train(folder / "hmm.weft", [train], recipe="hmm")
    return folder


def test_a_crf_becomes_an_hmm_beside_it(folder):
    made = commands.convert(folder / "crf.weft", Target.HMM, check=folder / "train.tagged")
    assert made.path == str(folder / "crf-hmm.weft")
    assert (made.kind, made.form) == ("mrf", "hmm")
    assert made.check.sentences == made.check.same_tags == 3
    assert made.check.known.largest < 1e-9
    assert made.check.known.compared > 3
    assert made.check.unknown.compared == made.check.unknown_sentences == 0
    loaded = load(made.path)
    assert loaded.notes["converted"] == "mrf to hmm"
    assert loaded.notes["mean length"] == "20"
    assert commands.evaluate(made.path, folder / "train.tagged").accuracy == 1.0
    found = json.loads(json.dumps(made.as_json(), allow_nan=False))
    assert found["mean_length"] == pytest.approx(20)
    assert found["scale"] > found["growth_rate"] > 0
    assert (found["from"], found["to"]) == ("mrf", "hmm")


@pytest.mark.parametrize(
    ("recipe", "form", "order"),
    [("johnson-4", "hmm", 2), ("johnson-5", "memm", 1), ("johnson-6", "hmm", 1)],
)
def test_tables_become_chains(folder, recipe, form, order):
    saved = folder / f"{recipe}.weft"
    settings = {"order": str(order)}
    commands.train(saved, [folder / "train.tagged"], recipe=recipe, settings=settings)
    (folder / "strange.txt").write_text("the dog\n\nzzz barks\n")
    layout = FileLayout("text")
    made = commands.convert(saved, Target(form), check=folder / "strange.txt", layout=layout)
    assert made.path == str(folder / f"{recipe}-{form}.weft")
    assert (made.kind, made.form) == (recipe, form)
    assert made.check.same_tags == made.check.sentences
    assert made.check.unknown_sentences > 0
    assert max(made.check.known.largest, made.check.unknown.largest) < 1e-9
    assert load(made.path).chain.topology.order == order
    assert made.as_json()["scale"] is None


def test_a_scale_is_used(folder):
    made = commands.convert(folder / "crf.weft", Target.HMM, out=folder / "x.weft", scale=1e9)
    assert made.as_json()["scale"] == 1e9
    assert made.as_json()["check"] is None
    assert (folder / "x.weft").exists()


def test_the_comparison_tells_unknown_words_apart(folder):
    (folder / "new.txt").write_text("the dog\n\nzzz barks\n")
    made = commands.convert(
        folder / "memm.weft",
        Target.MRF,
        check=folder / "new.txt",
        layout=FileLayout("text"),
    )
    assert made.check.sentences == 2
    assert made.check.unknown_sentences == 1
    assert made.check.known.largest < 1e-9
    assert made.check.known.compared == 5**2
    # Its suffix is no suffix of the vocabulary, and so nothing is known of the word.
    assert made.check.unknown.largest < 1e-9
    (folder / "new.txt").write_text("bee barks\n")
    worse = commands.convert(
        folder / "memm.weft", Target.MRF, check=folder / "new.txt", layout=FileLayout("text")
    )
    assert worse.check.unknown.largest > 0.01
    assert worse.check.unknown.where.tokens.words == ("bee", "barks")
    found = worse.check.as_json()["unknown"]
    assert found["tokens"] == ["bee", "barks"]
    assert len(found["tags"]) == len(found["log_probabilities"]) == 2


@pytest.mark.parametrize(
    ("name", "form", "options", "kind", "message"),
    [
        ("crf", "mrf", {}, OptionError, "the model is an mrf already"),
        ("wide", "hmm", {}, OptionError, r"template word\[-1\] looks at other words"),
        ("crf", "hmm", {"scale": 1e-3}, OptionError, "above the growth rate, which is"),
        ("crf", "hmm", {"mean_length": 0.5}, OptionError, "shortest sentence has 1 words"),
        ("crf", "what", {}, OptionError, "'what' is none of hmm, memm, mrf, mealy, moore"),
        ("missing", "hmm", {}, FormatError, "no such file"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_written(
    folder, name, form, options, kind, message
):
    before = sorted(folder.iterdir())
    with pytest.raises(kind, match=message):
        commands.convert(folder / f"{name}.weft", form, **options)
    assert sorted(folder.iterdir()) == before


def test_places_are_checked_first(folder):
    with pytest.raises(OptionError, match="is what this command reads"):
        commands.convert(folder / "crf.weft", Target.HMM, out=folder / "crf.weft")
    with pytest.raises(FormatError, match="there is no folder"):
        commands.convert(folder / "crf.weft", Target.HMM, out=folder / "no" / "x.weft")
    with pytest.raises(FormatError, match="cannot be read"):
        commands.convert(folder / "crf.weft", Target.MEALY, check=folder / "absent.tagged")
    assert not (folder / "crf-mealy.weft").exists()


def test_dictionaries_are_kept(folder):
    (folder / "words").write_text("the\tDT\ndog\tNN\n")
    model = folder / "dictionary.weft"
    train = folder / "train.tagged"
    commands.train(model, [train], settings=WORD, dictionary=folder / "words")
    tagger = load(model)
    hmm = commands.convert(model, Target.HMM, check=train)
    assert hmm.check.known.largest < 1e-9
    assert hmm.tagger.model.dictionary == tagger.model.dictionary


def test_round_trips_through_files(folder):
    mealy = commands.convert(folder / "hmm.weft", Target.MEALY)
    moore = commands.convert(mealy.path, Target.MOORE, check=folder / "train.tagged")
    assert moore.path.endswith("hmm-mealy-moore.weft")
    assert moore.check.same_tags == 3
    assert moore.check.known.largest < 1e-9
    assert load(moore.path).notes["converted"] == "moore to mealy, mealy to moore"
    assert moore.as_json()["states"] == 5 * 6
    before = commands.evaluate(folder / "hmm.weft", folder / "train.tagged")
    after = commands.evaluate(moore.path, folder / "train.tagged")
    assert after.accuracy == before.accuracy
    assert after.log_likelihood == pytest.approx(before.log_likelihood)
    both = [
        [
            each.prediction
            for each in commands.tag_file(
                path, folder / "train.tagged", commands.Ask(marginals=True)
            )
        ]
        for path in (folder / "hmm.weft", moore.path)
    ]
    for one, other in zip(*both, strict=True):
        assert one.tags == other.tags
        assert one.probabilities == pytest.approx(other.probabilities)
    inspection = commands.inspect(moore.path, tag="NN")
    json.dumps(inspection.as_json(), allow_nan=False)


def test_weights_of_what_is_impossible_can_be_inspected(folder):
    (folder / "words").write_text("the\tDT\n")
    model = folder / "impossible.weft"
    commands.train(model, [folder / "train.tagged"], recipe="hmm", dictionary=folder / "words")
    found = commands.inspect(model, count=3)
    assert found.negative[0].weight == float("-inf")
    text = json.dumps(found.as_json(), allow_nan=False)
    assert json.loads(text)["negative"][0]["weight"] is None
    assert all(kind.norm < 1e6 for kind in found.kinds)
