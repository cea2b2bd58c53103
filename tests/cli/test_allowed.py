"""Few tags per token, as users ask for them, and the mistakes that they make."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from weft.corpora import bundled_folder
from weft.models import forecast

LABELLED = (
    "the/DT dog/NN barks/VBZ\nthe/DT cat/NN sleeps/VBZ\na/DT bark/NN\nthe/DT dogs/NNS bark/VBP\n"
)


@pytest.fixture(autouse=True)
def corpus(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("t.tagged").write_text(LABELLED)


@pytest.mark.parametrize("order", [1, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize("allowed", ["dictionary", "first-pass"])
def test_losses_are_told(weft, allowed, order):
    several = ["--set", f"allowed={allowed}", "--set", f"order={order}", "--set", "iterations=3"]
    train, heldout = (bundled_folder() / f"{part}.tagged" for part in ("train", "heldout"))
    done = weft("train", "m.weft", "--train", train, "--dev", heldout, *several)
    assert done.exit_code == 0
    assert "Allowed in training: " in done.stderr
    assert "Allowed held out: " in done.stderr
    assert ("of a sentence's mass in the first pass" in done.stderr) == (allowed == "first-pass")
    notes = json.loads(weft("inspect", "m.weft", "--json").stdout)["notes"]
    assert " of 44 tags per token; " in notes["allowed_training"]
    found = json.loads(weft("evaluate", "m.weft", heldout, "--json").stdout)
    lost = found["allowed"]
    assert lost["tokens"] == found["tokens"] > 1000
    assert 0 < lost["allowed"] < lost["tags"] == 44
    assert f"left out at {lost['missed']:,} of" in notes["allowed_held_out"]
    assert found["tags_per_token"] == pytest.approx(lost["allowed"])
    assert found["excluded_tokens"] == lost["missed"] > found["unknown_tag_tokens"]
    assert found["random_accuracy"] > 1 / lost["tags"]
    shown = weft("evaluate", "m.weft", heldout)
    assert "tags per token; the right one was left out at" in " ".join(shown.stdout.split())


def test_all_tags_are_allowed_without_being_asked(weft):
    done = weft("train", "m.weft", "--train", "t.tagged", "--set", "iterations=3")
    assert done.exit_code == 0
    assert "Allowed" not in done.stderr
    assert json.loads(weft("evaluate", "m.weft", "t.tagged", "--json").stdout)["allowed"] is None


def test_an_unknown_value_is_refused(weft):
    done = weft("train", "m.weft", "--train", "t.tagged", "--set", "allowed=dictionery")
    assert done.exit_code == 2
    assert "none of all, dictionary, first-pass: did you mean dictionary?" in done.stderr


def test_missing_labels_are_refused(weft):
    Path("part.tagged").write_text(LABELLED + "the/DT dog/?\n")
    several = ["--partial", "--set", "allowed=first-pass"]
    done = weft("train", "m.weft", "--train", "part.tagged", *several)
    assert done.exit_code == 1
    assert "token 2, 'dog', has no certain tag" in " ".join(done.stderr.split())
    assert not Path("m.weft").exists()


@pytest.mark.parametrize(
    "several",
    [
        ["--recipe", "contrastive-tagger"],
        ["--recipe", "semi-supervised", "--raw", "raw.txt"],
        ["--recipe", "mrf"],
        ["--recipe", "mrf-em"],
        ["--criterion", "marginal"],
        ["--criterion", "supervised-contrastive:trans1"],
    ],
)
def test_sums_over_sentences_refuse_a_first_pass(weft, several):
    Path("raw.txt").write_text("the dog barks\n")
    given = ["--train", "t.tagged", "--set", "allowed=first-pass", *several]
    done = weft("train", "m.weft", *given)
    assert done.exit_code == 2
    assert "there is no sum over sentences" in " ".join(done.stderr.split())


@pytest.mark.parametrize("posterior", ["0", "1", "-0.5", "nan"])
def test_a_posterior_that_leaves_out_nothing_or_all_is_refused(weft, posterior):
    several = ["--set", "allowed=first-pass", "--set", f"allowed_posterior={posterior}"]
    done = weft("train", "m.weft", "--train", "t.tagged", *several)
    assert done.exit_code == 2
    assert "allowed_posterior is a probability above 0 and below 1, not" in done.stderr


def test_what_cannot_fit_names_what_to_change(weft, monkeypatch):
    monkeypatch.setattr(forecast, "memory_limit", lambda: 10**8)
    lines = [f"w{number}/T{number} e/E" for number in range(400)]
    Path("many.tagged").write_text("\n".join([*lines, " ".join(["e/E"] * 400)]) + "\n")
    done = weft("train", "m.weft", "--train", "many.tagged", "--set", "order=2")
    assert done.exit_code != 0
    assert "allowed=dictionary, order=1, or fewer tags, takes less" in done.stderr


def test_a_quiet_run_still_says_what_it_will_take(weft, monkeypatch):
    monkeypatch.setattr("weft.commands.training._LONG", 0.0)
    few = ["--train", "t.tagged", "--set", "iterations=1"]
    done = weft("train", "m.weft", *few, "--quiet", "--json")
    assert done.stderr.startswith("a chain of order 1 with 5 tags: about ")
    assert len(done.stderr.splitlines()) == 1
    assert json.loads(done.stdout)["tags"] == 5
    assert "about " in weft("train", "m.weft", *few, "--force").stderr


def test_grids_and_folds_say_what_they_will_take(weft, monkeypatch):
    monkeypatch.setattr("weft.commands.training._LONG", 0.0)
    monkeypatch.setattr("weft.commands.grid.run_trials", lambda jobs, processes: iter(()))  # noqa: ARG005
    few = ["--dev", "t.tagged", "--grid", "order=1|2", "--set", "iterations=1"]
    done = weft("train", "m.weft", "--train", "t.tagged", *few, "--quiet")
    assert done.stderr.startswith("a chain of order 2 with 5 tags: about ")
    folds = ["t.tagged", "--folds", "2", "--set", "iterations=1", "--quiet"]
    assert weft("crossvalidate", *folds).stderr.startswith("a chain of order 1 with 5 tags: about")


def test_a_sentence_that_a_learnt_dictionary_excludes_is_told(weft):
    Path("c.tagged").write_text("in/O the/B-NP house/I-NP\n" * 5)
    Path("later.txt").write_text("in house\n")
    several = ["--set", "scheme=chunks", "--set", "iterations=3", "--set"]
    assert weft("train", "m", "--train", "c.tagged", *several, "allowed=dictionary").exit_code == 0
    done = weft("predict", "m", "later.txt", "--format", "text")
    assert done.exit_code == 0
    assert done.stdout.startswith("in/O house/")
    assert "the model's dictionary (learnt: allowed=dictionary) or its forbidden " in done.stderr
    assert "the closest answer is given" in done.stderr
