"""Shift-reduce parsers from the command line, on the bundled treebank."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from weft.cli.app import app
from weft.corpora import bundled_trees


def run(*options, code=0, text=None):
    given = [str(each) for each in options]
    done = CliRunner().invoke(app, given, input=text, catch_exceptions=False)
    assert done.exit_code == code, done.output
    return done.stdout if code == 0 else done.output


@pytest.mark.parametrize("name", ["joint", "conditional", "maxent", "global"])
def test_every_command_knows_them(name, tmp_path):
    model, trees = tmp_path / "m.weft", bundled_trees()
    options = ("--recipe", f"shift-reduce-{name}", "--terminals", "tags")
    made = json.loads(run("train", model, "--train", trees, *options, "--json"))
    assert made["labels"] > 10
    found = json.loads(run("evaluate", model, trees, "--json"))
    assert found["sentences"] == 63
    assert found["f1"] > 0.8
    assert found["trees_with_other_rules"] == 0
    assert (found["bits_per_word"] is not None) == (name == "joint")
    first = run("predict", model, trees).splitlines()
    assert len(first) == 63
    assert all(line.startswith("(TOP ") for line in first)
    for option in ("--kbest=2", "--sample=2", "--marginals", "--posterior"):
        assert len(run("predict", model, trees, option).splitlines()) >= 63
    assert "labels" in run("inspect", model)
    assert ("of finished parses" in run("inspect", model)) == (name == "joint")
    if name in ("maxent", "global"):
        assert "s1+s2+next" in run("inspect", model, "--kind", "s1+s2+next")


def test_a_joint_parser_is_a_language_model_over_words(tmp_path):
    model = tmp_path / "m.weft"
    run("train", model, "--train", bundled_trees(), "--recipe", "shift-reduce-joint")
    assert "bits per word" in run("evaluate", model, bundled_trees())
    tree = run("predict", model, "-", "--format", "text", text="we know that wugs sleep\n")
    assert tree.count("(") > 5
    assert "wugs" in tree


def test_what_becomes_of_the_probability_is_told(tmp_path):
    model, trees = tmp_path / "m.weft", tmp_path / "t.mrg"
    trees.write_text("(S (A (a x) (a x)) (b y))\n(S (c z) (B (a x) (a x)))\n")
    options = ("--recipe", "shift-reduce-joint", "--terminals", "tags", "--set", "unseen=lose")
    run("train", model, "--train", trees, *options)
    found = json.loads(run("inspect", model, "--top", 1, "--json"))
    assert found["finished"] == ["50.00 % of the probability is that of finished parses"]
    [lost] = found["lost"]
    assert lost.startswith("50.00 % at pairs of labels that have no moves: 25.00 % at ")
    assert lost.endswith("; and 1 pair more")


def test_a_search_ends_at_its_limits_with_the_best_stack(tmp_path):
    model, trees = tmp_path / "m.weft", bundled_trees()
    options = ("--recipe", "shift-reduce-joint", "--terminals", "tags", "--train", trees)
    for limit, code in (("edges=9", 0), ("seconds=1e-9", 0), ("memory=0", 2)):
        shown = run("train", model, *options, "--set", limit, code=code)
        assert code == 0 or "memory is 1 to" in shown
    lines = run("predict", model, trees).splitlines()
    assert len(lines) == 63
    assert all(line.startswith("(TOP ") for line in lines)


def test_mistakes_are_told(tmp_path):
    model, trees = tmp_path / "m.weft", bundled_trees()
    options = ("--train", trees, "--recipe", "shift-reduce-joint")
    assert "beam" in run("train", model, *options, "--set", "beam=2", code=2)
    assert "did you mean lose" in run("train", model, *options, "--set", "unseen=loose", code=2)
    assert "head rules" in run("train", model, *options, "--set", "heads=none.txt", code=2)
    assert "--grammar" in run("train", model, *options, "--grammar", trees, code=2)
