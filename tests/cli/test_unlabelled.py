"""Learning without labels on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

DICTIONARY = "the\tDT\nwe\tPRP\ndog\tNN\nsaw\tNN VBD\nbarked\tVBD\n"
RAW = "the dog barked\nwe saw the dog\nthe saw barked\n"


def files() -> None:
    Path("raw.txt").write_text(RAW)
    Path("tags.txt").write_text(DICTIONARY)


def test_a_dictionary_and_raw_text_in_a_tagger_out(weft):
    files()
    trained = weft(
        *["train", "m.weft", "--recipe", "hmm-em", "--train", "raw.txt", "--format", "text"],
        *["--dictionary", "tags.txt", "--dilute", "count<2", "--open-tags", "NN,VBD"],
    )
    assert trained.exit_code == 0, trained.stderr
    tagged = weft("predict", "m.weft", given="the dog saw the saw\n")
    assert tagged.stdout.startswith("the/DT dog/NN saw/")
    assert "PRP" not in tagged.stdout


@pytest.mark.slow
def test_a_grid(weft):
    files()
    command = [
        *[
            "train",
            "m.weft",
            "--recipe",
            "hmm-em",
            "--train",
            "raw.txt",
            "--format",
            "text",
            "--dev",
            "raw.txt",
        ],
        *["--dictionary", "tags.txt", "--set", "iterations=3", "--grid"],
        "penalty=dirichlet:0.1|dirichlet:1",
    ]
    made = weft(*command)
    assert made.exit_code == 0, made.stderr
    assert "2 of 2 trials" in made.stderr
    assert "Trials, chosen by criterion" in made.stderr
    assert "Saved in m.weft" in made.stderr
    again = weft(*command, "--json", "-q")
    assert not again.stderr
    assert [trial["number"] for trial in json.loads(again.stdout)["grid"]["trials"]] == [1, 2]
    other = weft(*command, "--grid", "order=1|2")
    assert other.exit_code == 2
    assert "asked for otherwise: grid was" in other.stderr
    elsewhere = weft(*command, "--work", "other", "--choose", "oracle")
    assert elsewhere.exit_code == 2
    assert "the training corpus has no labels to choose by" in elsewhere.stderr


def test_options_of_grids_need_one(weft):
    refused = weft("train", "m.weft", "--train", "train.tagged", "--choose", "oracle")
    assert refused.exit_code == 2
    assert "give --grid" in refused.stderr


def test_evaluation_says_what_it_is_worth(weft):
    files()
    weft(
        *[
            "train",
            "m.weft",
            "--recipe",
            "hmm-em",
            "--train",
            "raw.txt",
            "--format",
            "text",
            "--dictionary",
            "tags.txt",
        ]
    )
    Path("gold.tagged").write_text("the/DT dog/VBD saw/VBD\n")
    shown = weft("evaluate", "m.weft", "gold.tagged").stdout
    for line in ("expected accuracy", "random choice", "tags per token", "never right"):
        assert line in shown
    assert "many-to-one" not in shown
    strict = weft("evaluate", "m.weft", "gold.tagged", "--strict")
    assert strict.exit_code == 2
    assert "token 2, 'dog', has the tag VBD" in strict.stderr


def test_strict_is_about_a_dictionary(weft):
    Path("train.tagged").write_text("the/DT dog/NN barked/VBD\n")
    weft("train", "m.weft", "--train", "train.tagged")
    done = weft("evaluate", "m.weft", "train.tagged", "--strict")
    assert done.exit_code == 2
    assert "this model has none: leave it out, or train with --dictionary FILE" in done.stderr


def test_classes_without_names(weft):
    Path("train.tagged").write_text("the/DT dog/NN barked/VBD\nwe/PRP saw/VBD the/DT dog/NN\n")
    options = ["--recipe", "hmm-em", "--train", "train.tagged"]
    refused = weft("train", "m.weft", *options)
    assert refused.exit_code == 2
    assert "--set restarts=5" in refused.stderr
    assert weft("train", "m.weft", *options, "--set", "restarts=2").exit_code == 0
    assert "many-to-one" in weft("evaluate", "m.weft", "train.tagged").stdout


def test_labelled_and_raw_text_together(weft):
    files()
    Path("small.tagged").write_text("the/DT dog/NN barked/VBD\n")
    asked = ["train", "out.weft", "--recipe", "semi-supervised", "--train", "small.tagged"]
    made = weft(*asked, "--raw", "raw.txt", "--neighbourhood", "trans1", "--json")
    notes = json.loads(made.stdout)["notes"]
    assert notes["criterion"] == "conditional + 0.5 contrastive:trans1"
    assert notes["raw"] == "raw.txt"
    assert "learns from raw text, too: give --raw FILE" in weft(*asked).stderr
    refused = weft("train", "out.weft", "--train", "small.tagged", "--raw", "raw.txt")
    assert refused.exit_code == 2
    assert "--raw is for semi-supervised" in refused.stderr


@pytest.mark.slow
def test_a_grid_has_the_raw_text_too(weft):
    files()
    Path("small.tagged").write_text("the/DT dog/NN barked/VBD\n")
    asked = ["train", "out.weft", "--recipe", "semi-supervised", "--train", "small.tagged"]
    asked += ["--raw", "raw.txt", "--dev", "small.tagged", "--set", "iterations=3"]
    made = weft(*asked, "--grid", "raw_weight=0.1|1", "--json")
    assert len(json.loads(made.stdout)["grid"]["trials"]) == 2


def test_a_neighbourhood_of_ones_own(weft):
    files()
    # Reads any word, and once writes 'dog' in the place of 'saw'.
    Path("own.att").write_text("0 0 <any> <any>\n0 1 saw dog\n1 1 <any> <any>\n0\n1\n")
    asked = ["train", "out.weft", "--recipe", "contrastive-tagger", "--train", "raw.txt"]
    asked += ["--format", "text", "--dictionary", "tags.txt", "--json"]
    made = weft(*asked, "--neighbourhood", "own.att")
    assert json.loads(made.stdout)["notes"]["neighbourhood"] == "own.att"
    assert "no neighbourhood 'absent.att'" in weft(*asked, "--neighbourhood", "absent.att").stderr


def test_later_text_that_training_made_impossible(weft):
    """It is written in full, with a warning at each sentence; what has no answer ends in 1."""
    files()
    later = "the dog barked\nwe barked\nbarked the\n"
    asked = ("train", "m.weft", "--recipe", "hmm-em", "--train", "raw.txt", "--format", "text")
    weft(*asked, "--dictionary", "tags.txt", "--penalty", "dirichlet:0")
    done = weft("predict", "m.weft", given=later)
    assert done.exit_code == 0
    assert done.stdout == "the/DT dog/NN barked/VBD\nwe/PRP barked/VBD\nbarked/VBD the/DT\n"
    [warning] = done.stderr.splitlines()
    assert "weft: warning: <stdin>:3: no tagging is possible at token 1, 'barked'" in warning
    Path("gold.tagged").write_text("the/DT dog/NN\nbarked/VBD the/DT\n")
    judged = weft("evaluate", "m.weft", "gold.tagged", "--format", "tagged")
    assert "1 sentence, of which the closest one counts" in judged.stdout


def test_sentences_without_an_answer_are_left_out(weft, monkeypatch):
    files()
    asked = ("train", "m.weft", "--recipe", "hmm-em", "--train", "raw.txt", "--format", "text")
    weft(*asked, "--dictionary", "tags.txt", "--penalty", "dirichlet:0")
    monkeypatch.setattr("weft.models.tagger.Tagger.closest", lambda *_: None)
    Path("later.txt").write_text("barked the\nthe dog barked\n")
    done = weft("predict", "m.weft", "later.txt", "-o", "out.txt")
    assert done.exit_code == 1
    assert Path("out.txt").read_text() == "the/DT dog/NN barked/VBD\n"
    assert "weft: left out: later.txt:1: no tagging is possible at token 1" in done.stderr
    assert "weft: error: 1 sentence without an answer" in done.stderr
