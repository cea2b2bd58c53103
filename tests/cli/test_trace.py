"""``weft inspect MODEL --trace``."""

from __future__ import annotations

import json
import re

import pytest
from typer.testing import CliRunner

from weft.cli.app import app
from weft.corpora import bundled_trees

TAGS = "PRP VBP TH NN VBZ"


def run(*options, code=0):
    given = [str(each) for each in options]
    done = CliRunner().invoke(app, given, catch_exceptions=False)
    assert done.exit_code == code, done.output
    return done.stdout if code == 0 else done.output


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    for name in ("conditional", "global"):
        path = folder / f"{name}.weft"
        options = ("--recipe", f"shift-reduce-{name}", "--terminals", "tags")
        run("train", path, "--train", bundled_trees(), *options)
    return folder


def shares(models, name, *options):
    found = json.loads(run("inspect", models / f"{name}.weft", "--trace", TAGS, "--json", *options))
    assert found["words"] == TAGS.split()
    return found["steps"][4], found


def test_label_bias_is_seen_and_gone(models):
    step, _ = shares(models, "conditional")
    assert [each["label"] for each in step["stack"]] == ["NP", "VBP", "TH"]
    assert step["stack"][0]["words"] == ["PRP"]
    assert (step["next"], step["words"]) == ("NN", ["NN", "VBZ"])
    assert (step["move"], round(step["probability"], 2)) == ("reduce1(COMP)", 0.59)
    assert [(each["move"], round(each["probability"], 2)) for each in step["rivals"]] == [
        ("reduce1(DET)", 0.41)
    ]
    step, found = shares(models, "global", "--top", "0")
    assert step["move"] == "reduce1(DET)"
    assert step["probability"] > 0.9
    assert step["rivals"] == []
    assert "(DET TH)" in found["tree"]


def test_the_table_and_the_page(models, tmp_path):
    path, model = tmp_path / "moves.html", models / "conditional.weft"
    text = run("inspect", model, "--trace", TAGS, "--html", path)
    assert "reduce1(COMP)" in text
    assert "· reduce1(DET)   0.4074" in text
    moves = [line.split()[-1] for line in text.splitlines() if line[:3].strip().isdecimal()]
    assert len(moves) == 16
    assert all(re.fullmatch(r"-?\d+\.\d{3}", total) for total in moves)  # a line per move
    page = path.read_text()
    assert page.startswith("<!DOCTYPE html>")
    assert page.count('<li class="step">') == 17
    assert list(tmp_path.iterdir()) == [path]
    assert run("inspect", model, "--trace", TAGS, "--html", "-") == page


def test_mistakes_are_told(models, tmp_path):
    model, page = models / "conditional.weft", tmp_path / "moves.html"
    trace = ("inspect", model, "--trace")
    assert "the sentence is empty" in run(*trace, " ", code=2)
    assert "no terminal 'we'" in run(*trace, "we know", code=2)
    assert "--trace SENTENCE" in run("inspect", model, "--html", page, code=2)
    assert "--kind" in run(*trace, TAGS, "--kind", "s1", code=2)
    before = model.read_bytes()
    assert "this command reads" in run(*trace, TAGS, "--html", model, code=2)
    assert model.read_bytes() == before


def test_a_sentence_without_a_parse_is_told(tmp_path):
    model, page = tmp_path / "m.weft", tmp_path / "moves.html"
    options = ("--recipe", "shift-reduce-joint", "--terminals", "tags", "--set", "unseen=lose")
    run("train", model, "--train", bundled_trees(), *options)
    said = run("inspect", model, "--trace", "TH TH", "--html", page, code=1)
    assert "no parse, at the latest from word 2, 'TH'" in said
    assert not page.exists()


def test_other_models_have_no_moves(tmp_path):
    model = tmp_path / "pcfg.weft"
    run("train", model, "--train", bundled_trees(), "--recipe", "pcfg")
    said = run("inspect", model, "--trace", "we know", code=2)
    assert "--trace is for a shift-reduce parser" in said
