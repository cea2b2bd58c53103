"""Experiments name their criterion and their decoder, so that no figure follows a default."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import weft.papers

ROOM = Path(weft.papers.__file__).parent
NAMED = {"fit": "criterion", "tag": "decoder", "parse": "decoder", "assess_parser": "decoder"}
"""What each call must be given by name."""


def unnamed(text: str) -> list[str]:
    """Calls that leave to the library what the paper says; grammars written by hand choose none."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        owner = ast.unparse(node.func)
        wanted = NAMED.get(name)
        if wanted and "load_lfg" not in owner and wanted not in {k.arg for k in node.keywords}:
            found.append(f"line {node.lineno}: {owner} without {wanted}")
    return found


@pytest.mark.parametrize("file", sorted(ROOM.rglob("*.py")), ids=lambda file: file.stem)
def test_criterion_and_decoder_are_named(file):
    assert not unnamed(file.read_text(encoding="utf-8"))


def test_what_is_not_named_is_found():
    assert unnamed(
        "fit(spec, corpus)\ntagger.tag(sentences)\nfit(spec, corpus, criterion=joint)"
    ) == [
        "line 1: fit without criterion",
        "line 2: tagger.tag without decoder",
    ]
