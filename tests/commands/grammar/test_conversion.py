"""A parser's grammar, as a file."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from weft import commands
from weft.errors import OptionError
from weft.grammars import read_grammar, read_json
from weft.models.grammar.parser import Parser
from weft.models.storage import load_model

TREES = """
(S (NP (DT the) (NN dog)) (VP (VBZ barks)))
(S (NP (DT a) (NN cat)) (VP (VBZ sees) (NP (DT the) (NN dog))))
"""


@pytest.fixture
def parser(tmp_path: Path) -> Path:
    (tmp_path / "t.mrg").write_text(TREES)
    path = tmp_path / "p.weft"
    commands.train(path, [tmp_path / "t.mrg"], recipe="pcfg", settings={"binarise": "right"})
    return path


def test_the_grammar_is_that_of_the_parser(parser: Path) -> None:
    made = commands.convert_to_grammar(parser)
    assert made.path == str(parser.with_suffix(".cfg"))
    loaded = load_model(parser)
    assert isinstance(loaded, Parser)
    ours, back = loaded.grammar, read_grammar(made.path)
    assert [(rule.head, rule.body) for rule in ours.rules()] == [
        (rule.head, rule.body) for rule in back.rules()
    ]
    np.testing.assert_allclose(ours.weights, back.weights, atol=1e-12)
    exact = commands.convert_to_grammar(parser, out=parser.with_name("g.json"))
    assert (read_json(exact.path).weights == ours.weights).all()
    assert json.dumps(exact.as_json())
    assert exact.as_json()["nonterminals"] == len(ours.nonterminals)


def test_what_is_refused(parser: Path) -> None:
    with pytest.raises(OptionError, match="is what this command reads"):
        commands.convert_to_grammar(parser, out=parser)
    folder = parser.parent
    commands.train(folder / "f.weft", [folder / "t.mrg"], recipe="wcfg-crf")
    with pytest.raises(OptionError, match="features of phrases"):
        commands.convert_to_grammar(folder / "f.weft")
    assert not (folder / "f.cfg").exists()
