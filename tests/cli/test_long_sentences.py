"""A sentence that is too long for a chart is left out of training, and named."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from weft.commands import Choose, train
from weft.commands.trials import score_of
from weft.derivations.chart.chart import Chart
from weft.models.grammar import parser, room, scores, spec

TREE = "(S (NP dogs) (VP (V see) (NP cats)))\n"
LONG = f"(S (NP dogs) (VP (V see) {'(NP cats) ' * 30}))\n"
MESSAGE = (
    "1 of 4 sentences, which would take more than 0 MiB each with this grammar: t.mrg:3 (32 tokens)"
)


@pytest.fixture(autouse=True)
def little_memory(monkeypatch):
    small = partial(room.large_charts, memory=60_000)
    for module in (parser, scores, spec):
        monkeypatch.setattr(module, "large_charts", small)
    # Charts of longer sentences are refused, wherever they are made.
    monkeypatch.setitem(Chart.__init__.__kwdefaults__, "memory", 60_000)


@pytest.fixture(autouse=True)
def treebank(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("t.mrg").write_text(TREE + TREE + LONG + TREE)
    Path("long.mrg").write_text(LONG)


def test_training_goes_on_without_it(weft):
    done = weft("train", "p.weft", "--recipe", "wcfg-crf", "--train", "t.mrg", "--json")
    assert done.exit_code == 0
    assert f"Left out: {MESSAGE}." in done.stderr
    assert json.loads(done.stdout)["notes"]["left_out"] == MESSAGE


def test_held_out_sentences_that_are_too_long_have_no_tree(weft):
    command = ("train", "p.weft", "--recipe", "wcfg-crf", "--train", "t.mrg", "--dev", "t.mrg")
    done = weft(*command, "--patience", "3", "--json")
    assert done.exit_code == 0
    assert json.loads(done.stdout)["development"]["recall"] < 1
    assert f"Held-out, without an answer: {MESSAGE}." in done.stderr
    assert json.loads(done.stdout)["notes"]["held_out_left_out"] == MESSAGE
    done = weft("evaluate", "p.weft", "t.mrg", "--json")
    assert done.exit_code == 0
    assert f"without a tree: {MESSAGE}" in json.loads(done.stdout)["messages"]


def test_nothing_but_long_sentences_held_out(weft):
    """The score has no trees, and patience has nothing to look at, which is said."""
    command = ("train", "p.weft", "--recipe", "wcfg-crf", "--train", "t.mrg", "--dev", "long.mrg")
    for more in ((), ("--patience", "3")):
        done = weft(*command, *more, "--json")
        assert done.exit_code == 0
        assert json.loads(done.stdout)["development"]["recall"] == 0
        assert "Patience: none, as no held-out example says anything" in done.stderr
        assert "long.mrg:1 (32 tokens)" in done.stderr


def test_counting_needs_no_charts(weft):
    done = weft("train", "p.weft", "--recipe", "pcfg", "--train", "t.mrg", "--json")
    assert done.exit_code == 0
    assert "left_out" not in json.loads(done.stdout)["notes"]


def test_nothing_but_long_sentences_is_refused(weft):
    done = weft("train", "p.weft", "--recipe", "wcfg-crf", "--train", "long.mrg")
    assert done.exit_code == 1
    assert "no sentence is left to learn from: left out are 1 of 1 sentences" in done.stderr


def test_crossvalidation_counts_it_as_a_sentence_without_a_tree(weft):
    done = weft("crossvalidate", "--recipe", "wcfg-crf", "--folds", "2", "--json", "t.mrg")
    assert done.exit_code == 0
    figures = json.loads(done.stdout)
    assert (figures["precision"], figures["recall"]) == (1.0, 0.75)  # two brackets of eight
    assert figures["impossible_sentences"] == 1
    named = "without a tree: 1 of 4 sentences, which would take more memory than a chart may"
    assert figures["messages"] == [f"{named}: t.mrg:3 (32 tokens)"]
    assert named in " ".join(done.stderr.split())


def test_penalties_are_chosen_without_it(weft):
    Path("two.mrg").write_text(LONG + TREE * 3 + LONG)  # of each fold, some rules are known
    command = ("train", "p.weft", "--recipe", "wcfg-crf", "--train", "two.mrg")
    done = weft(*command, "--penalty", "auto", "--json")
    assert done.exit_code == 0
    assert "-fold cross-validation" in json.loads(done.stdout)["notes"]["penalty_chosen"]


def test_restarts_may_be_chosen_by_the_entropy_of_the_others(weft):
    command = ("train", "p.weft", "--recipe", "wcfg-crf", "--train", "t.mrg", "--json")
    done = weft(*command, "--set", "restarts=2", "--set", "choose=entropy")
    assert done.exit_code == 0
    assert json.loads(done.stdout)["notes"]["left_out"] == MESSAGE


@pytest.mark.parametrize("others", [3, 0])
def test_trials_are_compared_by_the_criterion_of_the_others(others):
    Path("few.mrg").write_text(TREE * 3)
    Path("dev.mrg").write_text(LONG + TREE * others)
    found = train("p.weft", ["t.mrg"], recipe="wcfg-crf", development="dev.mrg")
    alone = train("p.weft", ["t.mrg"], recipe="wcfg-crf", development="few.mrg")
    score = score_of(found.trained, found.given, Choose.CRITERION)
    expected = score_of(alone.trained, alone.given, Choose.CRITERION) if others else None
    assert score == expected
