"""The command ``weft reproduce``: processes, signals, exit codes."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.test_signals import CODES, running
from processes import holds
from weft.cli.app import app
from weft.commands import reproduction
from weft.errors import OptionError
from weft.papers import experiment
from weft.papers.registry import EXPERIMENTS, find_experiments

CHEAP = (
    *("smith-johnson-2007/examples", "smith-johnson-2007/theorem-1"),
    *("smith-johnson-2007/figure-1", "smith-eisner-2005/figure-1", "--quick"),
)


def figures(folder: Path) -> dict[str, object]:
    """What was found, without how long it took."""
    written = json.loads((folder / "quick" / "report.json").read_text(encoding="utf-8"))
    for each in written["experiments"]:
        del each["seconds"]
    return written


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> dict[str, object]:
    """What a run on two processes finds that nobody ends."""
    folder = tmp_path_factory.mktemp("whole")
    done = CliRunner().invoke(app, ["reproduce", *CHEAP, "--out", str(folder), "--jobs", "2"])
    assert done.exit_code == 0, done.output
    return figures(folder)


@pytest.mark.slow
def test_any_number_of_processes_finds_the_same(weft, whole):
    done = weft("reproduce", *CHEAP, "--out", "alone", "--jobs", "1", "--quiet")
    assert (done.exit_code, done.stderr) == (0, "")
    assert figures(Path("alone")) == whole
    assert done.stdout.splitlines()[-1] == "alone/quick/report.html"
    assert "Of 6 findings 6 hold" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=lambda each: each.name)
def test_a_run_that_was_ended_goes_on(weft, whole, tmp_path, number):
    with running(tmp_path, "reproduce", *CHEAP, "--out", "ended", "--jobs", "1") as process:
        assert holds(lambda: any((tmp_path / "ended").rglob("parts/*/*.json")))
        process.send_signal(number)
        _, said = process.communicate(timeout=600)
    assert process.returncode == CODES.get(number, -number)
    if number == signal.SIGINT:
        assert "what is done is kept in ended; the same command goes on from there" in said
    before = {each: each.stat().st_mtime_ns for each in Path("ended").rglob("parts/*/*.json")}
    assert before
    assert not Path("ended/quick/report.json").exists()
    assert weft("reproduce", *CHEAP, "--out", "ended").exit_code == 0
    assert figures(Path("ended")) == whole
    assert before == {each: each.stat().st_mtime_ns for each in before}


def answer_badly(text: str) -> dict[str, object]:
    """Answers, but is killed over one experiment, and finds no number for another."""
    if "smith-johnson-2007/examples" in text:
        os.kill(os.getpid(), signal.SIGKILL)
    answer = reproduction.answer_job(text)
    return {**answer, "found": float("nan")} if "smith-eisner-2005/figure-1" in text else answer


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_process_that_is_killed_does_not_end_the_others(weft, monkeypatch, whole, jobs):
    monkeypatch.setattr(reproduction, "answer_job", answer_badly)
    done = weft("reproduce", *CHEAP, "--jobs", jobs, "--quiet")
    assert done.exit_code == 1
    assert "smith-johnson-2007/examples: all failed: its process ended without" in done.stderr
    assert "smith-eisner-2005/figure-1: all failed: what was found cannot be kept" in done.stderr
    made = figures(Path("reproduced"))
    results = [
        [each["result"] for each in run["experiments"] if "theorem" in each["name"]]
        for run in (made, whole)
    ]
    assert results[0] == results[1] != [None]


@pytest.mark.slow
def test_a_corpus_that_is_missing(weft, monkeypatch):
    name = "smith-johnson-2007/theorem-1"
    monkeypatch.delenv("WEFT_DATA", raising=False)
    done = weft("reproduce", name, "--quiet")
    assert done.exit_code == 1
    assert "weft: the corpus redwoods-vm is not here" in done.stderr
    assert "get it from: github.com/delph-in/erg" in done.stderr
    assert "Theorem 1" in done.stdout  # on the treebank that comes with the package

    def only(names=()):
        return find_experiments(names or [name])

    monkeypatch.setattr(reproduction, "find_experiments", only)
    done = weft("reproduce", "--quiet")
    assert done.exit_code == 0  # nobody asked for it by name
    assert "weft: the corpus redwoods-vm is not here" in done.stderr


def test_a_wrong_name(weft):
    done = weft("reproduce", "johnson-2001/table-11")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "did you mean johnson-2001/table-1?" in done.stderr
    assert not Path("reproduced").exists()


def test_experiments_are_listed_with_their_corpora(weft, monkeypatch, tmp_path):
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("WEFT_DATA", str(tmp_path))
    (tmp_path / "wsj-sample").mkdir()
    shown = weft("reproduce", "--list").stdout
    for each in EXPERIMENTS:
        assert each.name in shown
    listed = json.loads(weft("reproduce", "--list", "--json").stdout)["experiments"]
    table1 = next(each for each in listed if each["name"] == "johnson-2001/table-1")
    assert table1["corpora"] == ["redwoods-vm", "wsj-sample"]
    assert table1["missing"] == ["redwoods-vm"]


def test_listing_takes_names_and_a_folder_of_corpora(weft, monkeypatch, tmp_path):
    monkeypatch.setenv("WEFT_DATA", str(tmp_path / "absent"))
    (tmp_path / "wsj-sample").mkdir()
    asked = ["reproduce", "johnson-2001/table-1", "--list", "--json"]
    [one] = json.loads(weft(*asked, "--data", str(tmp_path)).stdout)["experiments"]
    assert (one["name"], one["missing"]) == ("johnson-2001/table-1", ["redwoods-vm"])
    [one] = json.loads(weft(*asked).stdout)["experiments"]
    assert one["missing"] == ["redwoods-vm", "wsj-sample"]
    wrong = weft("reproduce", "--list", "--data", str(tmp_path / "none"))
    assert (wrong.exit_code, wrong.stdout) == (2, "")
    assert "there is no such folder" in wrong.stderr
    assert weft("reproduce", "johnson-2001/table-11", "--list").exit_code == 2


@pytest.mark.slow
def test_json_is_what_the_report_has(weft):
    done = weft("reproduce", "smith-eisner-2005/figure-1", "--quick", "--json", "--quiet")
    assert json.loads(done.stdout) == json.loads(Path("reproduced/quick/report.json").read_text())


def test_what_is_missing_is_named_before_anything_is_run(weft, monkeypatch, tmp_path):
    def never(*_, **__):
        raise OptionError("not run")

    monkeypatch.setattr(reproduction, "reproduce_papers", never)
    monkeypatch.setattr(experiment, "find_spec", lambda _: None)
    done = weft("reproduce", "johnson-et-al-1999/table-3", "--data", str(tmp_path))
    before, after = done.stderr.split("not run")
    assert "weft: the corpus parse-selection is not here" in before
    assert "weft: the package PyDelphin is not here" in before
    assert "get it from: pip install pydelphin" in before
    assert "not here" not in after


def test_a_kept_report_is_checked(weft, monkeypatch):
    def here(answer, texts, _):
        yield from enumerate(map(answer, texts))

    monkeypatch.setattr(reproduction, "ask_workers", here)
    name, kept = "smith-eisner-2005/figure-1", Path("reproduced/quick/report.json")
    assert weft("reproduce", name, "--quick", "--quiet").exit_code == 0
    again = ("reproduce", name, "--quiet", "--check", str(kept))
    same = weft(*again)
    assert (same.exit_code, same.stderr) == (0, "")
    assert "0 figures and 0 verdicts differ" in same.stdout
    report = json.loads(kept.read_text())
    result = report["experiments"][0]["result"]
    result["tables"][0]["rows"][0][1] += 1
    result["findings"][0]["verdict"] = "not significant"
    kept.write_text(json.dumps(report))
    other = weft(*again)
    assert other.exit_code == 1
    assert "1 figures and 1 verdicts differ" in other.stdout
    assert "DEL1WORD: strings" in other.stdout
    found = json.loads(weft(*again, "--json").stdout)["differences"]
    assert [(each["of"], each["kept"], each["today"]) for each in found] == [
        ("figure", "8", "7"),
        ("verdict", "not significant", "holds"),
    ]


def test_only_the_same_kind_of_run_is_checked(weft):
    Path("kept.json").write_text('{"quick": false, "seed": 3, "experiments": []}')
    for more in (["--quick"], ["--seed", "4"]):
        done = weft("reproduce", "--check", "kept.json", *more)
        assert done.exit_code == 2
        assert "kept.json is of a full run with seed 3" in done.stderr
    for text in ("{}", "[]", "no", '{"quick": true, "seed": 0, "experiments": [{}]}'):
        Path("kept.json").write_text(text)
        done = weft("reproduce", "--check", "kept.json")
        assert done.exit_code == 1
        assert "this is no report" in done.stderr
