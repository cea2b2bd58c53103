"""The benchmark runs, and compares like with like; how fast anything is, is not tested."""

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
THREADS = ["Weft, 1 thread", "CRFsuite", "Weft, 2 threads"]


def run(*arguments):
    command = [sys.executable, "-m", "benchmarks.run", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    output = tmp_path_factory.mktemp("benchmarks") / "results.json"
    done = run("--quick", "train", "decode", "version", "--output", output)
    assert done.returncode == 0, done.stderr
    return json.loads(output.read_text(encoding="utf-8"))


def test_both_programs_make_twenty_attributes_a_token(monkeypatch):
    monkeypatch.syspath_prepend(ROOT)
    data = import_module("benchmarks.data")
    sentence = ["time", "flies", "fast"], ["NN", "VBZ", "RB"]
    made = data.attributes(*sentence)
    assert made == data.attributes_by_templates(*sentence)
    assert {len(names) for names in made} == {20}


def entries(report, group):
    return report["groups"][group]["entries"]


def test_report_says_what_was_measured_where(report):
    assert report["quick"] is True
    assert report["corpus"].startswith("generated")
    assert {"cpu", "cores", "python", "weft", "python-crfsuite", "numpy"} <= set(report["machine"])
    assert list(report["groups"]) == [
        "train",
        "decode, attributes given",
        "decode, from text",
        "version",
    ]


def test_training_has_as_many_weights_and_reaches_the_same_value(report):
    rows = entries(report, "train")
    assert set(THREADS) < set(rows)
    theirs = rows["CRFsuite"]
    for row in rows.values():
        # Both stop where the gradient is small, so that their line searches do not matter.
        assert row["weights"] == theirs["weights"]
        assert row["value"] == pytest.approx(theirs["value"], rel=1e-6)
        assert row["evaluations"] > row["iterations"] > 10
        assert min(row["setup_seconds"], row["peak_mb"], *row["speed_up"].values()) > 0


def test_decoding_has_the_same_accuracy(report):
    rows = entries(report, "decode, attributes given")
    assert list(rows) == THREADS
    assert len({row["accuracy"] for row in rows.values()}) == 1


def test_decoding_reports_tokens_a_second(report):
    rows = entries(report, "decode, from text")
    assert set(THREADS) < set(rows)
    assert len({row["tokens"] for row in rows.values()}) == 1
    assert all(row["tokens_per_second"] > 0 for row in rows.values())


def test_unknown_part_is_refused():
    done = run("--quick", "nonsense")
    assert done.returncode == 2
    assert "there is no part 'nonsense'" in done.stderr
