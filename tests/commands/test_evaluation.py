"""What ``weft evaluate`` says of taggers that learned without labels."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import weft
from weft import commands
from weft.commands.files.inputs import gold_map, map_note, read_map
from weft.criteria import Dirichlet, marginal
from weft.errors import EvidenceError, OptionError
from weft.features.templates import templates
from weft.models import Chain, Extent, Normalisation
from weft.models.tagger import Tagger
from weft.optimise.em import EM
from weft.structures.evidence import example

TEXT = "the/DT dog/NN barks/VBZ\nthe/DT walk/NN\ndogs/NNS walk/VBP\n"
DICTIONARY = {
    "the": frozenset({"DT"}),
    "dog": frozenset({"NN"}),
    "walk": frozenset({"NN", "VBP"}),
    "barks": frozenset({"VBZ", "NNS"}),
    "dogs": frozenset({"NNS"}),
}
HMM = Chain(
    templates=templates("word[0]"),
    attributes=Extent.ALL,
    ngrams=Extent.ALL,
    normalisation=Normalisation.JOINT,
)


def learned(dictionary: dict[str, frozenset[str]], **notes: str) -> Tagger:
    return weft.fit(
        replace(HMM, dictionary=dictionary),
        [example(line.split()) for line in ("the dog barks", "the walk", "dogs walk")],
        criterion=marginal,
        penalty=Dirichlet(0.1),
        optimiser=EM(5),
        notes={"format": "tagged", **notes},
    )


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.tagged"
    path.write_text(TEXT)
    return path


def test_words_that_the_dictionary_leaves_open_are_ambiguous(gold):
    evaluation = commands.evaluate(learned(DICTIONARY), gold)
    # walk twice and barks once, of seven tokens with ten tags to choose from
    assert evaluation.scores.ambiguous_tokens == 3
    assert evaluation.scores.known_tokens == 7
    assert evaluation.choices.tags_per_token == 10 / 7
    assert evaluation.choices.random_accuracy == pytest.approx(5.5 / 7)
    assert evaluation.choices.ambiguous_random_accuracy == 0.5
    assert evaluation.choices.excluded_tokens == 0
    assert not evaluation.unsupervised


def test_json_has_the_new_figures(gold):
    values = commands.evaluate(learned(DICTIONARY), gold).as_json()
    assert json.loads(json.dumps(values, allow_nan=False)) == values
    assert values["random_accuracy"] == pytest.approx(5.5 / 7)
    assert values["v_measure"] is not None
    assert set(values["lexical_divergences"]) == {"DT", "NN", "VBZ", "NNS", "VBP"}
    assert values["lexical_divergence"] > 0


def test_what_the_dictionary_excludes_is_counted_or_refused(gold):
    tagger = learned({**DICTIONARY, "dogs": frozenset({"VBZ"})})
    evaluation = commands.evaluate(tagger, gold)
    assert evaluation.choices.excluded_tokens == 1
    assert evaluation.impossible_sentences == 1
    assert evaluation.as_json()["lexical_divergence"] is None  # infinitely far
    with pytest.raises(OptionError, match=r"gold.tagged:3: token 1, 'dogs', has the tag NNS"):
        commands.evaluate(tagger, gold, strict=True)


def test_the_map_of_training_is_that_of_evaluation(gold, tmp_path):
    coarse = {
        "the": frozenset({"DET"}),
        "dog": frozenset({"N"}),
        "walk": frozenset({"N", "V"}),
        "barks": frozenset({"V", "N"}),
        "dogs": frozenset({"N"}),
    }
    assert commands.evaluate(learned(coarse), gold).choices.excluded_tokens == 7
    named = learned(coarse, **map_note("penn-17"))
    assert commands.evaluate(named, gold).choices.excluded_tokens == 0
    assert commands.evaluate(named, gold, tag_map="none").choices.excluded_tokens == 7
    mine = tmp_path / "mine.map"
    mine.write_text("DET\tDT\nN\tNN NNS\nV\tVBZ\n")
    own = learned(coarse, **map_note(mine))
    assert gold_map(own) == read_map(mine) == {"DT": "DET", "NN": "N", "NNS": "N", "VBZ": "V"}
    with pytest.raises(EvidenceError, match=r"gold.tagged:3: token 2, 'walk', has the tag VBP"):
        commands.evaluate(own, gold)
    with pytest.raises(OptionError, match="no tag map 'nowhere'"):
        commands.evaluate(own, gold, tag_map="nowhere")


def test_unknown_words_have_no_divergence(tmp_path):
    path = tmp_path / "more.tagged"
    path.write_text("the/DT cat/NN\n")
    assert commands.evaluate(learned(DICTIONARY), path).divergence is None
