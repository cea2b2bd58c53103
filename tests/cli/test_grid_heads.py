"""What the table of a grid's trials is headed by."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.mark.parametrize(("tag", "head"), [("B-NP", "F1"), ("NN", "Accuracy")])
def test_trials_are_headed_by_what_they_are_compared_by(weft, tmp_path, monkeypatch, tag, head):
    monkeypatch.chdir(tmp_path)
    Path("t.tagged").write_text(f"we/{tag} ran/O\n")
    command = ("train", "m.weft", "--train", "t.tagged", "--dev", "t.tagged")
    done = weft(*command, "--grid", "order=1", "--choose", "accuracy")
    assert done.exit_code == 0
    assert f"Trials, chosen by {head}" in done.stderr
