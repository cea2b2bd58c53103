"""What commands must not write over."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import weft as library
from cli.conftest import Weft

GRAMMAR = "S -> 'a' [0.5] | 'b' [0.5]\n"
FEW = ("--set", "iterations=2", "--quiet")


@pytest.fixture
def model(tagger: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(tagger, tmp_path / "m.weft"))


def renamed(how: str) -> str:
    """Another name of the training corpus."""
    if how == "symbolic":
        Path("name").symlink_to("train.tagged")
    elif how == "hard":
        Path("name").hardlink_to("train.tagged")
    return "./train.tagged" if how == "path" else "name"


@pytest.mark.parametrize("how", ["path", "symbolic", "hard"])
def test_the_corpus_is_not_replaced_by_the_model(weft: Weft, how: str) -> None:
    name = renamed(how)
    before = Path("train.tagged").read_bytes()
    for more in ([], ["--grid", "order=1|2", "--dev", "train.tagged"]):
        result = weft("train", name, "--train", "train.tagged", *FEW, *more)
        assert result.exit_code == 2
        assert "this command reads; name another file, or give --force" in result.stderr
        assert Path("train.tagged").read_bytes() == before
    assert weft("train", name, "--train", "train.tagged", "--force", *FEW).exit_code == 0
    assert library.load(name).tag([["the", "dog"]])


@pytest.mark.parametrize("option", ["--dev", "--dictionary", "--dictionary-from", "--raw"])
def test_other_inputs_are_not_replaced_either(weft: Weft, option: str) -> None:
    Path("other").write_text("the\tDT\n")
    more = ["--recipe", "semi-supervised"] if option == "--raw" else []
    result = weft("train", "other", "--train", "train.tagged", option, "other", *more)
    assert result.exit_code == 2
    assert "other is what this command reads" in result.stderr
    assert Path("other").read_text() == "the\tDT\n"


def test_what_is_no_model_is_not_replaced_by_one(weft: Weft, model: Path) -> None:
    Path("thesis.txt").write_text("precious")
    for command in (["train", "thesis.txt", "--train", "train.tagged", *FEW],):
        result = weft(*command)
        assert result.exit_code == 2
        assert "thesis.txt exists and is no model" in result.stderr
        assert Path("thesis.txt").read_text() == "precious"
        assert weft(*command, "--force").exit_code == 0
        assert library.load("thesis.txt")
    Path("thesis.txt").write_text("precious")
    assert weft("convert", model, "--to", "mealy", "--out", "thesis.txt").exit_code == 2
    assert Path("thesis.txt").read_text() == "precious"


def test_models_and_empty_files_are_replaced(weft: Weft, model: Path) -> None:
    Path("empty").touch()
    before = model.read_bytes()
    for path in (model, "empty"):
        assert weft("train", path, "--train", "train.tagged", *FEW).exit_code == 0
        assert library.load(path)
    assert model.read_bytes() != before


def test_what_is_read_only_is_not_replaced(
    weft: Weft, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Not by the file's mode, which the superuser may ignore.
    allowed = os.access
    monkeypatch.setattr(
        "os.access",
        lambda path, mode: allowed(path, mode) and (path, mode) != (str(model), os.W_OK),
    )
    result = weft("train", model, "--train", "train.tagged", *FEW)
    assert result.exit_code == 2
    assert "m.weft is read-only" in result.stderr


@pytest.mark.parametrize(
    "command",
    [
        ["predict", "m.weft", "train.tagged", "-o", "train.tagged"],
        ["predict", "m.weft", "train.tagged", "-o", "m.weft"],
        ["predict", "m.weft", "train.tagged", "-o", "other.weft"],
        ["predict", "m.weft", "train.tagged", "-o", "m.crfsuite"],
        ["inspect", "m.weft", "--plot", "m.weft"],
        ["inspect", "m.weft", "--plot", "other.weft"],
        ["convert", "m.weft", "--to", "mealy", "--out", "m.weft"],
        ["convert", "m.weft", "--to", "mealy", "--check", "train.tagged", "--out", "train.tagged"],
        ["neighbours", "length", "a b", "--vocabulary", "words", "-o", "words"],
        ["neighbours", "trans1", "a b", "-o", "m.weft"],
        ["grammar", "normalise", "toy.pcfg", "-o", "toy.pcfg"],
        ["grammar", "normalise", "toy.pcfg", "-o", "m.weft"],
    ],
    ids=" ".join,
)
def test_every_command_that_writes_looks_first(weft: Weft, model: Path, command: list[str]) -> None:
    shutil.copy(model, "other.weft")
    Path("m.crfsuite").write_bytes(b"lCRF\0\0\0\0FOMC")
    Path("words").write_text("a b c\n")
    Path("toy.pcfg").write_text(GRAMMAR)
    before = {path: path.read_bytes() for path in Path().iterdir()}
    result = weft(*command)
    assert result.exit_code == 2
    assert "name another file, or give --force" in result.stderr
    assert {path: path.read_bytes() for path in Path().iterdir()} == before


def test_text_replaces_text_and_with_force_its_own_source(weft: Weft, model: Path) -> None:
    Path("out.tagged").write_text("older\n")
    assert weft("predict", model, "train.tagged", "-o", "out.tagged").exit_code == 0
    tagged = Path("out.tagged").read_text()
    assert tagged.startswith("the/DT")
    assert weft("predict", model, "train.tagged", "-o", "train.tagged", "--force").exit_code == 0
    assert Path("train.tagged").read_text() == tagged


@pytest.mark.parametrize(
    "redirected", ["< train.tagged -o train.tagged", "train.tagged >> train.tagged"]
)
@pytest.mark.slow
def test_standard_streams_are_files_too(weft: Weft, model: Path, redirected: str) -> None:
    before = Path("train.tagged").read_bytes()
    command = f"'{sys.executable}' -m weft predict '{model}' {redirected}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "which this command reads" in done.stderr
    assert Path("train.tagged").read_bytes() == before
    assert weft("--version").exit_code == 0
