"""What is found in grammars without a sentence, and where."""

from __future__ import annotations

import io
import os

import pytest

from lfg.reading import source
from weft.lfg import check
from weft.lfg.check import check_lfg

RULES = """
  S --> NP VP PP.
  NP --> N_BASE N_SFX_BASE.
  VP --> V.
  LOST --> NP.
  M = A.
  M = B.
  USED = V.
  VP --> USED.
"""
TEMPLATES = """
  T = @U @NONE.
  U = (^ A).
  IDLE = @AGAIN.
  AGAIN = (^ A).
"""
LEXICON = """
cow N XLE @T.
sleeps V * @T @(U x).
the D *.
the D * (s::^ X).
+Pl N_SFX XLE.
-unknown X *.
"""


def shown(findings):
    return [(finding.text, finding.place.line) for finding in findings]


def test_every_kind_of_finding():
    text = source(RULES, LEXICON, TEMPLATES) + b"DEAD E RULES (1.0)\nS --> X.\n----\n"
    lines = text.decode().splitlines()

    def at(start):
        return next(
            number for number, line in enumerate(lines, 1) if line.strip().startswith(start)
        )

    found = check_lfg(io.BytesIO(text))
    assert shown(found.undefined_templates) == [("NONE", at("T ="))]
    assert shown(found.undefined_categories) == [("PP", at("S -->"))]
    assert shown(found.unused_templates) == [("IDLE", at("IDLE =")), ("AGAIN", at("AGAIN ="))]
    assert shown(found.unused_macros) == [("M", at("M = B"))]
    assert shown(found.unreachable) == [("LOST", at("LOST -->"))]
    assert shown(found.unused_entries) == [("the D", at("the D * (")), ("-unknown X", at("-unk"))]
    assert shown(found.doubles) == [
        ("macro M", at("M = A")),
        ("rule VP", at("VP --> V")),
        ("entry the", at("the D *.")),
    ]
    assert shown(found.dead_sections) == [("DEAD E RULES", at("DEAD E"))]
    assert [(text.split(" (")[0], line) for text, line in shown(found.left_out)] == [
        ("U has 0 parameters", at("sleeps")),
        ("the projection s:: is not read: the statement is left out", at("the D * (")),
    ]
    assert found.problems == 9
    assert not found.undefined_macros


def test_undefined_macros_and_categories_and_the_root():
    text = source("S --> NP (@NONE).\nNP --> (N) @(ALSO x).", "w N *.")
    found = check_lfg(io.BytesIO(text))
    assert shown(found.undefined_macros) == [("NONE", 6), ("ALSO", 7)]
    assert shown(found.undefined_categories) == [("NP", 6)]
    assert str(found.undefined_macros[0]) == "<stream>:6:12: NONE"
    assert check_lfg(io.BytesIO(source("X --> Y."))).undefined_categories[0].text == "S"
    assert found.problems == 3


def test_a_grammar_without_mistakes():
    found = check_lfg(io.BytesIO(source("S --> N V.", "a N *. b V *. -unknown N *.")))
    assert found.problems == 0
    assert not found.unused_entries


def test_sections_of_files_that_are_not_named_are_dead(tmp_path):
    (tmp_path / "g.lfg").write_bytes(source("S --> N.", "a N *."))
    (tmp_path / "lost.lfg").write_text("D E RULES (1.0)\n S --> N N.\n----\n")
    (tmp_path / "other.lfg").write_bytes(source("S --> N."))
    (tmp_path / "test.lfg").write_text("# SENTENCE_ID: 1\n\na\n")
    found = check_lfg(tmp_path / "g.lfg")
    assert shown(found.dead_sections) == [("D E RULES (its file is not in FILES)", 1)]
    assert found.dead_sections[0].place.path == str(tmp_path / "lost.lfg")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_only_regular_files_beside_a_grammar_are_read(tmp_path, monkeypatch):
    def sections_of(path):
        assert path.is_file()  # reading would wait for ever
        return ()

    monkeypatch.setattr(check, "sections_of", sections_of)
    (tmp_path / "g.lfg").write_bytes(source("S --> N.", "a N *."))
    (tmp_path / "folder.lfg").mkdir()
    os.mkfifo(tmp_path / "pipe.lfg")
    assert check_lfg(tmp_path / "g.lfg").problems == 0
