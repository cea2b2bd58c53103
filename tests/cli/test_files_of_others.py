"""Files of other programs at the command line: templates, separators, encodings, headers."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from weft.cli.app import app
from weft.errors import FormatError, OptionError
from weft.files import EncodedFile, read_lines

run = CliRunner().invoke


def words(result) -> str:
    """What the standard error says, on one line."""
    return " ".join(result.stderr.split())


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "u.txt").write_text("The_DT dog_NN\nA_DT cat_NN sleeps_VBZ\n", "utf-8")
    (tmp_path / "c.txt").write_text("The DT B\ndog NN I\n\nA DT B\ncat NN I\n", "utf-8")
    (tmp_path / "t").write_text("U00:%x[0,0]\nU01:%x[0,1]\nB\n", "utf-8")
    (tmp_path / "l.tagged").write_bytes("café/NN est/VBZ\n".encode("latin-1"))
    return tmp_path


def test_another_separator_is_kept_by_the_model():
    refused = run(app, ["train", "m.weft", "--train", "u.txt"])
    assert refused.exit_code in (1, 2)
    assert "--format tagged --separator _" in words(refused)
    done = run(app, ["train", "m.weft", "--train", "u.txt", "--separator", "_", "-q"])
    assert done.exit_code == 0, done.exception
    assert (
        run(app, ["predict", "m.weft", "u.txt"]).stdout == "The_DT dog_NN\nA_DT cat_NN sleeps_VBZ\n"
    )
    found = run(app, ["evaluate", "m.weft", "u.txt", "--separator", "_", "--json"])
    assert json.loads(found.stdout)["tokens"] == 5


def test_templates_of_crfpp_train_a_tagger():
    done = run(app, ["train", "m.weft", "--train", "c.txt", "--template", "t", "-q"])
    assert done.exit_code == 0, done.exception
    shown = json.loads(run(app, ["inspect", "m.weft", "--json"]).stdout)
    assert "tag:column2[0]" in json.dumps(shown)
    both = ["--template", "t", "--set", "templates=word[0]"]
    refused = run(app, ["train", "m.weft", "--train", "c.txt", *both])
    assert refused.exit_code in (1, 2)
    assert "not both" in words(refused)
    other = run(app, ["train", "m.weft", "--train", "c.txt", "--template", "t", "--recipe", "pcfg"])
    assert "takes no --template" in words(other)


@pytest.mark.parametrize("head", ["word\tpos", "Token Tag", "Sentence#\tNER"])
def test_a_row_of_names_is_no_token(folder, head):
    (folder / "h.tsv").write_text(f"{head}\nThe\tDT\ndog\tNN\n\nA\tDT\n", "utf-8")
    refused = run(app, ["train", "m.weft", "--train", "h.tsv"])
    assert refused.exit_code in (1, 2)
    assert "looks like the names of columns" in words(refused)
    named = run(app, ["train", "m.weft", "--train", "h.tsv", "--format", "columns", "-q"])
    assert named.exit_code == 0


def test_another_encoding_is_read(folder):
    refused = run(app, ["train", "m.weft", "--train", "l.tagged"])
    assert "--encoding latin-1" in words(refused)
    said = ["--encoding", "latin-1"]
    assert run(app, ["train", "m.weft", "--train", "l.tagged", *said, "-q"]).exit_code == 0
    assert run(app, ["predict", "m.weft", "l.tagged", *said]).stdout == "café/NN est/VBZ\n"
    piped = run(app, ["predict", "m.weft", *said], input=(folder / "l.tagged").read_bytes())
    assert piped.stdout == "café/NN est/VBZ\n"
    found = run(app, ["evaluate", "m.weft", "l.tagged", *said, "--json"])
    assert json.loads(found.stdout)["known_tokens"] == 2
    (folder / "w.tagged").write_bytes("café/NN est/VBZ\n".encode("utf-16"))
    wide = run(app, ["evaluate", "m.weft", "w.tagged", "--encoding", "utf-16", "--json"])
    assert json.loads(wide.stdout)["accuracy"] == 1.0


def test_tag_maps_have_the_encoding_of_the_corpus(folder):
    (folder / "l.tagged").write_bytes("a/née b/bé\n".encode("latin-1"))
    (folder / "l.map").write_bytes("É\tnée bé\n".encode("latin-1"))
    said = ["--encoding", "latin-1", "--tag-map", "l.map"]
    trained = run(app, ["train", "m.weft", "--train", "l.tagged", *said, "-q"])
    assert trained.exit_code == 0, trained.output
    assert run(app, ["predict", "m.weft", "l.tagged", *said[:2]]).stdout == "a/É b/É\n"
    found = run(app, ["evaluate", "m.weft", "l.tagged", *said, "--json"])
    assert json.loads(found.stdout)["accuracy"] == 1.0


@pytest.mark.parametrize(
    ("recipe", "name", "message"),
    [
        ("pcfg", "t.mrg", "--separator is for files of sentences, and pcfg learns from trees"),
        ("parse-selection", "p.jsonl", "parse-selection takes no --separator"),
    ],
)
def test_what_is_said_of_tagged_sentences_is_refused_elsewhere(folder, recipe, name, message):
    (folder / name).write_text("(S (NP dogs) (VP bark))\n")
    asked = ["train", "m.weft", "--recipe", recipe, "--train", name, "--separator", "_"]
    refused = run(app, asked)
    assert refused.exit_code == 2
    assert message in words(refused)


def test_encodings_that_are_none_or_others_are_named(folder):
    for name in ("latin7x", "base64", "rot13"):
        with pytest.raises(OptionError, match=f"no encoding '{name}'"):
            EncodedFile("l.tagged", name)
    (folder / "bad").write_bytes(b"fine\nb\xc3\n")
    with pytest.raises(FormatError, match="bad:2: byte 0xC3 is not ascii"):
        list(read_lines(EncodedFile(folder / "bad", "ascii")))
    assert list(read_lines(EncodedFile(folder / "bad", "cp1252"))) == [(1, "fine"), (2, "bÃ")]
