"""Grammars as JSON: read back to the last bit, and refused with a reason."""

import io
import json
import math
from pathlib import Path

import pytest
from hypothesis import given

from random_grammars import small_grammars
from strategies import quick
from weft.errors import FormatError
from weft.grammars.forms.json import from_json, read_json, to_json, write_json
from weft.structures.grammar import Grammar, Rule, Terminal, grammar


@quick
@given(small_grammars())
def test_there_and_back(rules: Grammar) -> None:
    again = from_json(json.loads(json.dumps(to_json(rules), allow_nan=False)))
    assert again.rules() == rules.rules()
    assert again.nonterminals[again.start] == rules.nonterminals[rules.start]


def test_files(tmp_path: Path) -> None:
    rules = grammar([Rule("{S}", (Terminal("'\""), "{S}"), -0.1), Rule("{S}", (), -math.inf)])
    write_json(tmp_path / "grammar.json", rules)
    assert read_json(tmp_path / "grammar.json").rules() == rules.rules()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1]", 'a list of "rules"'),
        ('{"rules": []}', "needs a start symbol"),
        ('{"rules": [], "start": 3}', '"start" must be'),
        ('{"rules": [3]}', 'rule 0 of the list .* a "head" and a "body"'),
        ('{"rules": [{"head": "S"}]}', '"body" must be a list'),
        ('{"rules": [{"head": "S", "body": [3]}]}', "3 is no symbol"),
        ('{"rules": [{"head": "S", "body": [""]}]}', "'' is no symbol"),
        ('{"rules": [{"head": "S", "body": [{"terminal": ""}]}]}', "is no symbol"),
        ('{"rules": [{"head": "S", "body": [], "weight": -1}]}', "weight must be a number"),
        ('{"rules": [{"head": "S", "body": [], "weight": NaN}]}', "weight must be a number"),
        ('{"rules": [{"head": "S", "body": [], "weight": true}]}', "weight must be a number"),
        ('{"rules": [{"head": "S", "body": [], "log_weight": Infinity}]}', "must be a number"),
        ('{"rules": [{"head": "S", "body": [], "log_weight": -1e308}]}', "of at most 1e.10"),
        ('{"rules": [{"head": "S", "body": []}, {"head": "S", "body": []}]}', "comes twice"),
        ('{"rules": ', "not JSON"),
        ('{"rules": [{"head": "S", "body": [], "weight": %s}]}' % ("1" * 5000), "not JSON"),
        ("[" * 100_000, "nested too deeply|not JSON"),
        (
            '{"rules": [{"head": "S", "body": [], "weight": 1' + "0" * 400 + "}]}",
            "must be a number",
        ),
    ],
)
def test_refusals(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read_json(io.BytesIO(text.encode()))


def test_weights() -> None:
    rules = [{"head": "S", "body": [{"terminal": str(n)}]} for n in range(4)]
    rules[1]["weight"] = 0
    rules[2]["weight"] = 2
    rules[3]["log_weight"] = None
    assert from_json({"rules": rules}).weights.tolist() == [0.0, -math.inf, math.log(2), -math.inf]
