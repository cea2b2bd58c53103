"""`weft unify marks`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

Weft = Callable[..., Result]

GRAMMAR = """
T E CONFIG (1.0)
  ROOTCAT S.  RULES (T E).  LEXENTRIES (T E).
  GOVERNABLERELATIONS SUBJ OBJ.  SEMANTICFUNCTIONS ADJUNCT.
----
T E RULES (1.0)
  S --> V NP: (^ OBJ)=!; PP*: ! $ (^ ADJUNCT).
  NP --> N PP*: ! $ (^ ADJUNCT).
  PP --> P NP: (^ OBJ)=!.
----
T E LEXICON (1.0)
wipe V * (^ PRED)='wipe<(^ OBJ)>'.
glass N * (^ PRED)='glass'.
water N * (^ PRED)='water'.
with P * (^ PRED)='with<(^ OBJ)>'.
----
"""

GOOD = """
wipe glass
[S wipe glass]

wipe glass with water
[S wipe [NP glass with water]]
"""


@pytest.fixture
def grammar(tmp_path: Path) -> Path:
    path = tmp_path / "t.lfg"
    path.write_text(GRAMMAR)
    return path


def test_good_marks(weft: Weft, grammar: Path) -> None:
    found = weft("unify", "marks", grammar, "-", given=GOOD)
    assert found.exit_code == 0, found.output
    assert "2 of 2 marks single out one analysis." in found.output
    assert "1 sentences are ambiguous" in found.output
    assert "1.50 of all, 2.00 of ambiguous ones, at most 2." in found.output


@pytest.mark.parametrize(
    ("mark", "problem"),
    [
        ("wipe glass with water\n[S wipe glass with water]", "2 of 2 analyses fit, and one should"),
        ("wipe glass\n[VP wipe glass]", "none of 1 analyses fit"),
        ("wipe floors\n[S wipe floors]", "the grammar does not know floors"),
    ],
)
def test_marks_that_are_not_good(weft: Weft, grammar: Path, mark: str, problem: str) -> None:
    found = weft("unify", "marks", grammar, "-", given=GOOD + "\n" + mark)
    assert found.exit_code == 1
    assert f"<stdin>:8: {problem}" in found.output
    assert "2 of 3 marks" in found.output


def test_one_of_several_as_json(weft: Weft, grammar: Path) -> None:
    found = weft("unify", "marks", grammar, "-", "--json", "--every", "2", given=GOOD)
    (line,) = found.stdout.splitlines()
    assert json.loads(line) == {
        "source": "<stdin>:2",
        "text": "wipe glass",
        "analyses": 1,
        "fitting": [0],
        "unknown": [],
    }


def test_no_marks_at_all(weft: Weft, grammar: Path) -> None:
    found = weft("unify", "marks", grammar, "-", given="# nothing\n")
    assert found.exit_code != 0
    assert "there is no marked sentence here" in found.output


def test_marked_sentences_become_parse_sets(weft: Weft) -> None:
    Path("t.lfg").write_text(GRAMMAR)
    Path("t.marks").write_text(GOOD)
    done = weft("unify", "marks", "t.lfg", "t.marks", "-o", "sets.jsonl")
    assert (done.exit_code, done.stdout) == (0, "")
    sets = [json.loads(line) for line in Path("sets.jsonl").read_text().splitlines()]
    assert [len(each["analyses"]) for each in sets] == [1, 2]
    right = sets[1]["analyses"][sets[1]["right"]]
    assert "(NP (N glass) (PP" in str(right)
    Path("bad.marks").write_text("wipe glass with water\n[S wipe glass with water]\n")
    bad = weft("unify", "marks", "t.lfg", "bad.marks", "-o", "bad.jsonl")
    assert (bad.exit_code, Path("bad.jsonl").exists()) == (1, False)


RANKED = GRAMMAR.replace(
    "SEMANTICFUNCTIONS ADJUNCT.", "SEMANTICFUNCTIONS ADJUNCT. OPTIMALITYORDER low."
)
RANKED = RANKED.replace(
    "NP --> N PP*: ! $ (^ ADJUNCT).", "NP --> N PP*: ! $ (^ ADJUNCT) low $ o::*."
)


def test_marks_are_of_optimal_analyses_as_they_are_written(weft: Weft, tmp_path: Path) -> None:
    grammar, out = tmp_path / "o.lfg", tmp_path / "out.jsonl"
    grammar.write_text(RANKED)
    high = "wipe glass with water\n[S wipe glass with water]\n"
    assert weft("unify", "marks", grammar, "-", given=high).exit_code == 0
    assert weft("unify", "marks", grammar, "-", "-o", out, given=high).exit_code == 0
    low = "wipe glass with water\n[S wipe [NP glass with water]]\n"
    found = weft("unify", "marks", grammar, "-", given=low)
    assert found.exit_code == 1
    assert "none of 1 analyses fit" in found.output


def test_mistakes_in_writing(weft: Weft, grammar: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    found = weft("unify", "marks", grammar, "-", "-o", out, given="\n")
    assert found.exit_code == 1
    assert "there is no marked sentence here" in found.output
    assert not out.exists()
    found = weft("unify", "marks", grammar, "-", "-o", out, "--json", given=GOOD)
    assert found.exit_code == 2
    (tmp_path / "t.marks").write_text(GOOD)
    asked = ("unify", "export", grammar, "--marks", tmp_path / "t.marks", "--encoding", "latin-1")
    found = weft(*asked)
    assert found.exit_code == 2
    assert "files of marks are UTF-8" in found.output
