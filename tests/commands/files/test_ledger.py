"""An edited ledger is refused with its line."""

from __future__ import annotations

import json

import pytest

from weft.commands.files.ledger import read_ledger
from weft.commands.trials import read_trial
from weft.errors import FormatError

TRIAL = {
    "number": 1,
    "point": {"order": "1"},
    "score": -1.5,
    "value": None,
    "iterations": 5,
    "seconds": 0.25,
    "accuracy": 0.5,
    "stopped": "done",
    "choose": "accuracy",
}


def read(path):
    return read_ledger(path, "grid", "trials", read_trial)


def ledger(*trials: object) -> str:
    return json.dumps({"arguments": {"recipe": "crf"}, "trials": trials}, indent=2)


def refused(tmp_path, text: str) -> FormatError:
    path = tmp_path / "ledger.json"
    path.write_text(text)
    with pytest.raises(FormatError) as caught:
        read(path)
    assert caught.value.path == str(path)
    assert "no ledger of a grid" in str(caught.value)
    return caught.value


def test_a_ledger_is_read(tmp_path):
    (tmp_path / "ledger.json").write_text(ledger(TRIAL, {**TRIAL, "number": 2}))
    arguments, trials = read(tmp_path / "ledger.json")
    assert arguments == {"recipe": "crf"}
    assert [(trial.number, trial.score, trial.name) for trial in trials] == [
        (1, -1.5, "order=1"),
        (2, -1.5, "order=1"),
    ]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("number", "../x"),
        ("number", True),
        ("number", 0),
        ("number", 1.0),
        ("number", 1),
        ("point", ["order"]),
        ("point", {"order": 1}),
        ("point", None),
        ("score", "good"),
        ("score", [1]),
        ("score", True),
        ("value", "x" * 4_000_000),
        ("iterations", None),
        ("iterations", -1),
        ("seconds", "long"),
        ("seconds", 10**400),
        ("accuracy", {}),
        ("stopped", None),
        ("choose", "chance"),
    ],
)
def test_a_trial_that_was_edited_is_named(tmp_path, name, value):
    error = refused(tmp_path, ledger(TRIAL, {**TRIAL, "number": 2, name: value}))
    assert error.line == 19
    assert len(str(error)) < 500


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 1),
        ('{\n  "arguments": {},\n  "trials": [,]\n}', 3),
        ("[]", None),
        ("{}", None),
        ('{"arguments": [], "trials": []}', None),
        ('{"arguments": {}, "trials": {}}', None),
        ('{"arguments": {}, "trials": [\n7]}', 2),
        ('{"arguments": {}, "trials": [NaN]}', None),
        ('{"arguments": {}, "trials": ' + "[" * 100_000, None),
        (ledger({**TRIAL, "more": 1}), 6),
        (ledger({key: value for key, value in TRIAL.items() if key != "score"}), 6),
        (ledger(TRIAL).replace("-1.5", "1" * 5000), None),
    ],
)
def test_what_is_no_ledger(tmp_path, text, line):
    assert refused(tmp_path, text).line == line


def test_bytes_that_are_no_text(tmp_path):
    (tmp_path / "ledger.json").write_bytes(b"\xff")
    with pytest.raises(FormatError, match=r"ledger.json:1:1: byte 0xFF"):
        read(tmp_path / "ledger.json")
