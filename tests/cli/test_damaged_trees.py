"""Treebanks that are damaged, hostile or odd: an answer, or an error that names the place."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from weft.cli.app import app

TREES = b"""( (S (NP-SBJ (DT the) (NN dog)) (VP (VBZ barks))) )
( (S (NP-SBJ (NNS dogs)) (VP (VBP see) (NP (DT a) (NN cat)))) )
"""

READ = {
    "crlf": TREES.replace(b"\n", b"\r\n"),
    "byte-order mark": b"\xef\xbb\xbf" + TREES,
    "nul": TREES.replace(b"dog", b"d\0g"),
    "nul as a label": b"(S (\0 \0))",
    "one line": TREES.replace(b"\n", b" ") * 50,
    "deep": b"(S " * 9_000 + b"(NN dog)" + b")" * 9_000,
    "deep, all different": b"".join(b"(S%d " % n for n in range(3_000)) + b"(A a" + b")" * 3_001,
    "a long word": b"(S (NN " + b"a" * 200_000 + b"))",
    "a long label": b"(S (" + b"a" * 200_000 + b" w))",
    "tag alone": b"(NN dog)",
    "roots": b"(TOP (TOP (TOP (NN dog))))",
    "words without tags": b"(S (NP the dog) barks)",
    "other white space": b"(S\x0b (NN \x0cdog))",
    "a cycle": b"(S (NP (S (NP (NN dog)))))\n(NP (S (NN dog)))",
    "names like ours": "(@S (@NP (NN^S ⟨*⟩) (NN dog) (NN dog)))".encode(),
    "signs": rb"(S (|NN| dog) (-NN- x) (= =) (- -) (/ a/b) (`` ``))",
}

REFUSED = {
    "nothing": (b"", "there is no tree in the file"),
    "blanks": (b"\n \n\t\n", "there is no tree in the file"),
    "traces": (b"(S (NP (-NONE- *)))", "there is no tree in the file"),
    "markup": (b"<DOC>\n</DOC>\n", "there is no tree in the file"),
    "a code": (b"( (CODE (ID x) (NN y)) (ID z))", "there is no tree in the file"),
    "cut": (TREES[:-6], "d.mrg:2: the file ends inside the tree that begins here"),
    "closed twice": (TREES + b")", "d.mrg:3:1: this bracket closes nothing"),
    "opened twice": (b"(" + TREES, "d.mrg:1:4: expected a label before this bracket"),
    "no label": (b"(S () (NN dog))", "d.mrg:1:5: expected a label after '('"),
    "many brackets": (b"(" * 100_000, "d.mrg:1:3: expected a label before this bracket"),
    "too deep": (b"(S " * 100_000 + b")" * 100_000, "nested more than 10,000 deep"),
    "a long line": (b"(S " + b"(NN dog) " * 120_000 + b")", "more than 1,000,000 characters"),
    "a longer one": (b"a" * 10_000_001, "longer than 10,000,000 bytes"),
    "a long word before": (b"a" * 900_000, "d.mrg:1:1: expected '(' but found 'aaa"),
    "utf-16": (TREES.decode().encode("utf-16"), "d.mrg:1"),
    "utf-16 without a mark": (TREES.decode().encode("utf-16-le"), "d.mrg:1"),
    "latin-1": (TREES.replace(b"dog", b"d\xf6g"), "d.mrg:1"),
    "zeros": (b"\0" * 100, "d.mrg:1"),
    "gzip": (b"\x1f\x8b\x08garbage", "gzip"),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("good.mrg").write_bytes(TREES)
    assert weft("train", "good.weft", "--recipe", "pcfg", "--train", "good.mrg").exit_code == 0
    return tmp_path


def weft(*arguments: str) -> Result:
    """Run a command, and let nothing through but what it says."""
    made = CliRunner().invoke(app, list(arguments))
    assert made.exception is None or isinstance(made.exception, SystemExit), arguments
    assert len(made.stderr) < 2_000, arguments
    return made


TRAIN = ("--recipe", "pcfg", "--quiet", "--train", "d.mrg")
SHAPE = ("--set", "binarise=head", "--set", "order=1", "--set", "parents=1")
COMMANDS = (
    ("train", "d.weft", *TRAIN),
    ("train", "e.weft", *TRAIN, *SHAPE),
    ("evaluate", "good.weft", "d.mrg"),
    ("predict", "good.weft", "d.mrg"),
    ("predict", "d.weft", "d.mrg", "--indent"),
)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", READ)
def test_odd_trees_are_read(name: str) -> None:
    Path("d.mrg").write_bytes(READ[name])
    for command in COMMANDS:
        assert weft(*command).exit_code == 0, command


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", REFUSED)
def test_damaged_trees_are_refused(name: str) -> None:
    content, message = REFUSED[name]
    Path("d.mrg").write_bytes(content)
    for command in COMMANDS[:4]:
        made = weft(*command)
        assert made.exit_code == 1, command
        assert message in made.stderr.replace("\n", " "), command


@pytest.mark.usefixtures("folder")
def test_a_sentence_that_is_too_long_is_told_so_and_the_others_go_on() -> None:
    Path("d.txt").write_text("the dog barks\n" + "dog " * 40_000 + "\nthe dog barks\n")
    made = weft("predict", "good.weft", "d.txt")
    assert made.exit_code == 0
    assert made.stderr.startswith("weft: d.txt:2: the chart of 40000 tokens would take more than")
    first, flat, last = made.stdout.splitlines()
    assert first == last == "(TOP (S (NP (DT the) (NN dog)) (VP (VBZ barks))))"
    assert flat.count("(X dog)") == 40_000
