"""The benchmark of sizes runs, and compares like with like; nothing measured is tested."""

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow


ROOT = Path(__file__).parents[1]


def run(*arguments):
    command = [sys.executable, "-m", "benchmarks.size", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def groups(tmp_path_factory):
    output = tmp_path_factory.mktemp("sizes") / "results.json"
    done = run("--quick", "--output", output)
    assert done.returncode == 0, done.stderr
    report = json.loads(output.read_text(encoding="utf-8"))
    return {name: group["entries"] for name, group in report["groups"].items()}


def test_memory_is_compared_at_the_same_weights_and_value(groups):
    compared = {name: rows for name, rows in groups.items() if name.startswith("crf memory")}
    assert len(compared) == 3
    for rows in compared.values():
        ours, theirs = rows["Weft"], rows["CRFsuite"]
        assert ours["weights"] == theirs["weights"]
        assert ours["value"] == pytest.approx(theirs["value"], rel=1e-6)
        assert min(ours["peak_mb"], theirs["peak_mb"]) > 1


def test_what_imports_take_is_measured_apart(groups):
    rows = groups["memory of imports"]
    assert rows["Python alone"]["peak_mb"] < rows["Python, NumPy"]["peak_mb"]
    assert rows["Python, NumPy"]["peak_mb"] < rows["Weft"]["peak_mb"]


def test_every_joint_recipe_tags_the_same_sentences(groups):
    [rows] = [rows for name, rows in groups.items() if name.startswith("tagging")]
    recipes = [name for name in rows if name.startswith("Weft")]
    assert len(recipes) == 6
    assert len({rows[name]["tokens"] for name in recipes}) == 1
    assert all(row["accuracy"] > 0.2 for row in rows.values())


def test_composite_tags_are_learnt_by_all(groups):
    [rows] = [rows for name, rows in groups.items() if name.startswith("composite")]
    assert len({row["tokens"] for row in rows.values()}) == 1
    assert all(row["accuracy"] > 0.6 for row in rows.values())


def test_a_crf_of_many_tags_does_not_depend_on_threads(groups):
    [rows] = [rows for name, rows in groups.items() if name.startswith("crf, ")]
    assert len({row["value"] for row in rows.values()}) == 1


def test_tutorial_attributes_look_at_both_neighbours(monkeypatch):
    monkeypatch.syspath_prepend(ROOT)
    first, second = import_module("benchmarks.size_peers").tutorial(["Time", "flies"])
    assert {"first", "lower=time", "title=True", "+1:lower=flies"} <= set(first)
    assert {"last", "suffix3=ies", "-1:lower=time"} <= set(second)


def test_an_unknown_row_is_refused():
    done = run("--only", "nonsense")
    assert done.returncode == 2
    assert "invalid choice: 'nonsense'" in done.stderr
