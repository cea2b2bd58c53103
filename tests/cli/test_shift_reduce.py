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


@pytest.mark.parametrize(
    "name",
    [
        *("joint", "conditional"),
        *(pytest.param(each, marks=pytest.mark.slow) for each in ("maxent", "global")),
    ],
)
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
    mass = found["mass"]
    assert mass["finished"] == pytest.approx(0.5)
    assert mass["lost"] == pytest.approx(0.5)
    assert (mass["endless"], mass["all_pairs"]) == (pytest.approx(0.0), 2)
    [pair] = mass["pairs"]
    assert pair["share"] == pytest.approx(0.25)
    assert json.loads(run("inspect", model, "--top", 1, "--mass", "--json")) == mass
    for told in (run("inspect", model, "--top", 1, "--mass"), run("inspect", model, "--top", 1)):
        text = " ".join(told.split())
        assert "finished 50.00 % of the probability is that of finished parses" in text
        where = f"25.00 % at {pair['top']} over {pair['below']}; and 1 pair more"
        assert f"lost 50.00 % at pairs of labels that have no moves: {where}" in text


def test_the_mass_of_many_labels_is_computed_when_it_is_asked_for(tmp_path):
    model, trees = tmp_path / "m.weft", tmp_path / "t.mrg"
    trees.write_text("".join(f"(S (A{n} (a x) (a x)) (b y))\n" for n in range(50)))
    run("train", model, "--train", trees, "--recipe", "shift-reduce-joint", "--terminals", "tags")
    assert json.loads(run("inspect", model, "--json"))["mass"] is None
    assert "--mass computes it" in " ".join(run("inspect", model).split())
    assert "of finished parses" in run("inspect", model, "--mass")


def test_a_parser_that_is_given_the_words_has_no_mass(tmp_path):
    model = tmp_path / "m.weft"
    run("train", model, "--train", bundled_trees(), "--recipe", "shift-reduce-conditional")
    assert "no distribution over sentences" in run("inspect", model, "--mass", code=2)


def test_a_search_ends_at_its_limits_with_the_best_stack(tmp_path):
    model, trees = tmp_path / "m.weft", bundled_trees()
    options = ("--recipe", "shift-reduce-joint", "--terminals", "tags", "--train", trees)
    for limit, code in (("edges=9", 0), ("seconds=1e-9", 0), ("memory=0", 2)):
        shown = run("train", model, *options, "--set", limit, code=code)
        assert code == 0 or "memory is 1 to" in shown
    lines = run("predict", model, trees).splitlines()
    assert len(lines) == 63
    assert all(line.startswith("(TOP ") for line in lines)


@pytest.mark.parametrize("option", ["--indent", "--kbest=2", "--sample=2", "--posterior", "--json"])
def test_whatever_is_asked_the_limits_hold_and_are_told(option, tmp_path):
    model = tmp_path / "m.weft"
    options = ("--recipe", "shift-reduce-joint", "--terminals", "tags", "--set", "edges=60")
    run("train", model, "--train", bundled_trees(), *options)
    given = ["predict", str(model), "-", "--format", "text", option]
    done = CliRunner().invoke(app, given, input="PRP VBP TH NN VBZ\nNN VBP\n")
    assert done.exit_code == 0
    assert done.stderr.count("within the limits of the search") == 1
    assert "TOP" in done.stdout
    assert "VBZ" in done.stdout


def test_sentences_whose_search_was_given_up_are_named_and_left_out_of_likelihoods(tmp_path):
    model, trees = tmp_path / "m.weft", tmp_path / "t.mrg"
    options = ("--recipe", "shift-reduce-joint", "--terminals", "tags", "--set", "edges=60")
    run("train", model, "--train", bundled_trees(), *options)
    with open(bundled_trees()) as lines:
        trees.write_text("".join(line for _, line in zip(range(3), lines, strict=False)))
    found = json.loads(run("evaluate", model, trees, "--json"))
    assert len(found["failures"]) == 2
    assert found["likely_tokens"] == 2
    assert found["log_likelihood"] == 0.0  # of the third, which has one parse
    assert found["bits_per_word"] > 0


def test_a_parser_over_tags_reads_a_taggers_alternatives(tmp_path):
    parser, tagger = tmp_path / "p.weft", tmp_path / "t.weft"
    trees = bundled_trees()
    options = ("--recipe", "shift-reduce-joint", "--terminals", "tags")
    run("train", parser, "--train", trees, *options)
    tagged = tmp_path / "train.tagged"
    # That sheep are singular or plural is for the parser to see.
    lines = [
        "we/PRP know/VBP that/TH sheep/NN sleep/VBP",
        "we/PRP know/VBP that/TH sheep/NN sleeps/VBZ",
    ]
    tagged.write_text("\n".join([*lines * 2, "we/PRP sleep/VB"]) + "\n")
    run("train", tagger, "--train", tagged, "--recipe", "hmm")
    text = "we know that sheep sleeps\nwe sleep\n"
    given = ("predict", parser, "-", "--format", "text", "--tagger", tagger)
    first, second = run(*given, text=text).splitlines()
    assert first.startswith("(TOP ")
    assert "(TH that)" in first
    assert "(VBZ sleeps)" in first
    assert "sleep)" in second
    ranked = json.loads(run(*given, "--json", "--kbest", 3, text=text).splitlines()[0])
    assert ranked["tokens"] == ["we", "know", "that", "sheep", "sleeps"]
    assert len(run("predict", parser, trees, "--tagger", tagger).splitlines()) == 63
    plain = ("predict", parser, "-", "--format", "text")
    assert "give one" in run(*plain, "--tags-above", 0.5, code=2, text=text)
    assert "for a shift-reduce parser" in run("predict", tagger, tagged, "--tagger", tagger, code=2)
    words = tmp_path / "w.weft"
    run("train", words, "--train", trees, "--recipe", "shift-reduce-joint")
    assert "reads words" in run("predict", words, "-", "--tagger", tagger, code=2, text=text)


def test_mistakes_are_told(tmp_path):
    model, trees = tmp_path / "m.weft", bundled_trees()
    options = ("--train", trees, "--recipe", "shift-reduce-joint")
    assert "beam" in run("train", model, *options, "--set", "beam=2", code=2)
    assert "did you mean lose" in run("train", model, *options, "--set", "unseen=loose", code=2)
    assert "head rules" in run("train", model, *options, "--set", "heads=none.txt", code=2)
    assert "--grammar" in run("train", model, *options, "--grammar", trees, code=2)
