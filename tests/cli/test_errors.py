"""Unkind input: one clear line, the right exit code, and nothing half-written."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from typer.testing import Result

from weft import commands

Weft = Callable[..., Result]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--train", "missing"], 1, "missing: cannot be read: no such file"),
        (["--train", "."], 1, ".: cannot be read: is a directory"),
        (["--train", "empty"], 1, "empty: the format cannot be guessed"),
        (["--train", "empty", "--format", "columns"], 1, "empty: there is no sentence"),
        (["--train", "broken.tagged"], 1, "broken.tagged:2:1: the token 'the' has no '/'"),
        (
            ["--train", "bad.txt"],
            1,
            "bad.txt:2:8: the token 'barks' has no '/'; write it as",
        ),
        (["--train", "latin.tagged"], 1, "latin.tagged:1:4: byte 0xE9 is not UTF-8"),
        (["--train", "train.tagged", "--dev", "missing"], 1, "missing: cannot be read"),
        (["--train", "train.tagged", "--dictionary", "missing"], 1, "missing: cannot be read"),
        (["--train", "train.txt", "--column", "9"], 1, "expected at least 9 columns"),
        (["--train", "train.txt", "--column", "x"], 2, "there is no column 'x'"),
        (["--train", "train.txt", "--column", "1"], 2, "say where they are, such as --inputs 2"),
        (["--train", "train.txt", "--inputs", "1,"], 2, "there is no column ''"),
        (["--train", "train.tagged", "--recipe", "x"], 2, "there is no recipe 'x'; there are crf"),
        (["--train", "train.tagged", "--format", "x"], 2, "there are conllu, columns"),
        (
            ["--train", "train.tagged", "--format", "text"],
            2,
            "train.tagged: plain text has no tags",
        ),
        (["--train", "train.tagged", "--encoding", "x"], 2, "one that Python knows, such as latin"),
        (["--train", "train.tagged", "--set", "x=1"], 2, "there is no setting 'x'"),
        (["--train", "train.tagged", "--set", "order=x"], 2, "order=x"),
        (["--train", "train.tagged", "--set", "templates="], 2, "at least one template, or 'bias'"),
        (["--train", "train.tagged", "--penalty", "x"], 2, "'x' is no penalty"),
    ],
)
def test_train(weft: Weft, arguments: list[str], code: int, message: str) -> None:
    Path("empty").touch()
    Path("broken.tagged").write_text("the/DT dog/NN\nthe dog/NN\n")
    Path("bad.txt").write_text("the/DT dog/NN\nthe/DT barks\n")
    Path("latin.tagged").write_bytes(b"tea\xe9/NN\n")
    before = sorted(Path().iterdir())
    done = weft("train", "m.weft", *arguments)
    assert done.exit_code == code
    assert done.stdout == ""
    assert done.stderr.startswith("weft: error: ")
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert sorted(Path().iterdir()) == before


@pytest.mark.parametrize("out", ["nowhere/m.weft", "."])
def test_train_checks_its_place_first(weft: Weft, out: str) -> None:
    done = weft("train", out, "--train", "missing")
    assert done.exit_code == 1
    assert "folder" in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["train", "m.weft"],
        ["train", "m.weft", "--train", "train.tagged", "--set", "order"],
        ["train", "m.weft", "--train", "train.tagged", "--threads", "0"],
        ["predict"],
        ["predict", "m.weft", "--what"],
        ["data", "what"],
        ["inspect", "m.weft", "--top", "-1"],
        ["what"],
    ],
)
def test_wrong_usage(weft: Weft, arguments: list[str]) -> None:
    done = weft(*arguments)
    assert done.exit_code == 2
    assert "Usage: weft" in done.stderr


@pytest.mark.parametrize("command", [["predict"], ["evaluate"], ["inspect"]])
def test_files_that_are_no_models(weft: Weft, tagger: Path, command: list[str]) -> None:
    whole = tagger.read_bytes()
    middle = len(whole) // 2
    Path("cut.weft").write_bytes(whole[:middle])
    inside = whole.index(b"weights.npy") + 40  # the names of parts are in the file more than once
    Path("changed.weft").write_bytes(whole[:inside] + b"????????" + whole[inside + 8 :])
    rest = [] if command == ["inspect"] else ["train.tagged"]
    for model in ("missing.weft", "train.tagged", "cut.weft", "changed.weft", "."):
        done = weft(*command, model, *rest)
        assert done.exit_code == 1, model
        assert done.stdout == ""
        assert done.stderr.startswith(f"weft: error: {model}: ")
        assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("command", ["predict", "evaluate", "inspect"])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 2}, "written by a newer Weft (version 2 of the format; this Weft reads 1)"),
        ({"version": 0}, "the version of the format is 0; the file is not as Weft saved it: copy"),
        ({"kind": "grammar"}, "holds a 'grammar', not a 'tagger'"),
        ({"format": "other"}, "not a file that Weft saved: give the path of a saved model"),
        (None, "no such file; train a model with `weft train`, or check the name"),
    ],
)
def test_models_that_cannot_be_used(
    weft: Weft, tagger: Path, command: str, change: dict[str, object] | None, message: str
) -> None:
    if change is not None:
        rewrite_manifest(tagger, Path("m.weft"), change)
    done = weft(command, "m.weft", *([] if command == "inspect" else ["train.tagged"]))
    assert done.exit_code == 1
    assert done.stdout == ""
    assert done.stderr.startswith(f"weft: error: m.weft: {message}")
    assert len(done.stderr.splitlines()) == 1


def rewrite_manifest(model: Path, target: Path, change: dict[str, object]) -> None:
    with zipfile.ZipFile(model) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "manifest.json":
                content = json.dumps({**json.loads(content), **change}).encode()
            new.writestr(name, content)


def test_too_few_columns(weft: Weft, chunker: Path) -> None:
    done = weft("predict", chunker, given="the\ndog\n")
    assert done.exit_code == 1
    assert "<stdin>:1: expected at least 2 columns" in done.stderr


def test_unknown_tags_and_kinds_and_pictures(weft: Weft, tagger: Path) -> None:
    for option, message in (
        (["--tag", "X"], "no tag 'X'"),
        (["--kind", "X"], "no kind of feature matches 'X'"),
        (["--plot", "x.doc"], "end it in .png"),
    ):
        done = weft("inspect", tagger, *option)
        assert done.exit_code == 2
        assert message in done.stderr
        assert done.stdout == ""


def test_an_impossible_sentence(weft: Weft) -> None:
    Path("words").write_text("the\tXX\n")
    done = weft("train", "m.weft", "--train", "train.tagged", "--dictionary", "words")
    assert done.exit_code == 1
    assert "train.tagged:1: no tagging is possible at token 1, 'the'" in done.stderr


@pytest.mark.parametrize("place", ["before", "after"])
def test_a_traceback_only_when_asked_for(weft: Weft, place: str) -> None:
    command = ["inspect", "missing.weft"]
    done = weft(*(["-v", *command] if place == "before" else [*command, "--verbose"]))
    assert done.exit_code == 1
    assert "Traceback" in done.stderr
    assert "weft: error: missing.weft: no such file" in done.stderr


def test_too_little_memory(weft: Weft, monkeypatch: pytest.MonkeyPatch) -> None:
    def exhaust(*_: object, **__: object) -> None:
        np.zeros(1 << 50)

    monkeypatch.setattr(commands, "train", exhaust)
    done = weft("train", "m.weft", "--train", "train.tagged")
    assert done.exit_code == 1
    assert done.stderr.startswith("weft: error: there is not enough memory; give smaller files")
    assert len(done.stderr.splitlines()) == 1


def test_no_dictionary_is_blamed_where_there_is_none(weft: Weft, tagger: Path) -> None:
    Path("gold.tagged").write_text("the/DT dog/XX\n")
    shown = weft("evaluate", tagger, "gold.tagged").stdout
    assert "1 tokens whose gold tags the model does not have" in shown
    assert "dictionary" not in shown


def test_markup_is_not_tagged(weft: Weft, tagger: Path) -> None:
    Path("k.conllu").write_text("# sent_id = 1\n1\tdog\t_\t_\t_\t_\t_\t_\t_\t_\n\n")
    done = weft("predict", tagger, "k.conllu")
    assert done.exit_code == 0
    assert done.stdout == "# sent_id = 1\n1\tdog\t_\tNN\t_\t_\t_\t_\t_\t_\n\n"
    assert done.stderr == "weft: k.conllu: read as conllu; the model was trained on tagged\n"
    piped = weft("predict", tagger, given=Path("k.conllu").read_bytes())
    assert piped.stdout == done.stdout
    assert "<stdin>: read as conllu" in piped.stderr


def test_line_ends_of_windows_stay(weft: Weft, tagger: Path) -> None:
    Path("a.tagged").write_bytes(b"the/X dog/X\r\n\r\nthe/X saw/X\r\n")
    done = weft("predict", tagger, "a.tagged", "--output", "b.tagged")
    assert done.exit_code == 0
    assert Path("b.tagged").read_bytes() == b"the/DT dog/NN\r\n\r\nthe/DT saw/NN\r\n"
