"""Tests of what the programs of all papers share."""

from __future__ import annotations

import json
import os
from importlib import import_module
from pkgutil import iter_modules

import pytest
from click.testing import Result
from typer.testing import CliRunner

import weft.papers
from weft.papers.program import make_app, program

PROGRAMS = sorted(
    each.name
    for each in iter_modules(weft.papers.__path__)
    if each.name != "program" and not each.ispkg
)

FLAGS = {
    "--corpus": "NAME",
    "--data": "FOLDER",
    "--out": "FILE",
    "--json": "",
    "--quick": "",
    "--seed": "N",
    "--threads": "N",
}

SHORT = {
    "johnson2001": ["--corpus", "english", "--recipe", "hmm", "--rounds", "10"],
    "johnson2001_parsing": ["--corpus", "redwoods-vm"],
    "johnson2001_shift_reduce": ["--corpus", "redwoods-vm", "--recipe", "shift-reduce-joint"],
    "johnson_et_al1999": ["--corpus", "krg-kpsg"],
    "smith_eisner2005": ["--corpus", "english", "--method", "trans1"],
    "smith_johnson2007": ["--ahead", "1"],
}
"""Arguments that make a program quick."""


def run(main, *arguments: str) -> Result:
    return CliRunner().invoke(make_app(main), list(arguments), catch_exceptions=False)


def main_of(name: str):
    return import_module(f"weft.papers.{name}").main


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_program_has_the_common_flags(name, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    shown = run(main_of(name), "--help").stdout
    for flag, given in FLAGS.items():
        assert f"{flag} {given}".rstrip() in shown
    assert "<" not in shown.replace("count<3", "")  # a word for a value, and not its type


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_quick_run_writes_what_it_prints(name, tmp_path, data_folder) -> None:
    out = tmp_path / "figures.json"
    shared = ["--quick", "--seed", "3", "--threads", "1", "--data", str(data_folder)]
    done = run(main_of(name), *SHORT[name], *shared, "--json", "--out", str(out))
    assert done.exit_code == 0, done.output
    assert out.read_text(encoding="utf-8") == done.stdout
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert records
    assert all(each and each.get("seed", 3) == 3 for each in records)


@pytest.mark.parametrize("name", [each for each in PROGRAMS if each != "smith_johnson2007"])
def test_a_corpus_that_is_not_there(name, tmp_path, monkeypatch) -> None:
    monkeypatch.delenv("WEFT_DATA", raising=False)
    done = run(main_of(name), "--data", str(tmp_path))
    assert done.exit_code == 1
    assert done.stderr.startswith(f"weft: error: there is no folder '{tmp_path}/")
    assert "`weft data list` says where to get it" in done.stderr
    assert "WEFT_DATA" not in os.environ
    done = run(main_of(name))
    assert done.exit_code == 1
    assert done.stderr.startswith("weft: error: set the environment variable WEFT_DATA")


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_corpus_that_nobody_knows(name) -> None:
    done = run(main_of(name), "--corpus", "atis")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("weft: error: there is no corpus 'atis'")


def test_several_corpora_give_a_line_each(tmp_path) -> None:
    out = tmp_path / "figures.json"

    @program(known=["a", "b"], default=["a", "b"])
    def main(run, times: int = 1) -> None:
        for name in run.corpora:
            run.tell(f"at {name}")
            run.show({"corpus": name, "times": times}, [f"text of {name}"])

    done = run(main, "--times", "2", "--out", str(out))
    assert done.stdout.split("\n") == ["text of a", "", "text of b", "", ""]
    assert done.stderr == "at a …\nat b …\n"
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert lines == [{"corpus": "a", "times": 2}, {"corpus": "b", "times": 2}]
    assert run(main, "--corpus", "b", "--json").stdout == '{"corpus": "b", "times": 1}\n'


def test_what_was_shown_is_kept(tmp_path) -> None:
    out = tmp_path / "figures.json"
    seen = []

    @program(known=["a"], default=["a"])
    def main(run) -> None:
        for row in range(3):
            run.show({"row": row})
            seen.append(out.read_text(encoding="utf-8"))
        raise KeyboardInterrupt

    done = run(main, "--out", str(out))
    assert (done.exit_code, done.stdout) == (130, "")
    assert seen[1] == '{"row": 0}\n{"row": 1}\n'
    assert out.read_text(encoding="utf-8") == seen[2]
    assert run(main, "--out", "-").stdout == '{"row": 0}\n{"row": 1}\n{"row": 2}\n'


def test_a_file_that_cannot_be_made_is_refused_first(tmp_path) -> None:
    @program(known=["a"], default=["a"])
    def main(run) -> None:
        run.tell("hours of work")

    done = run(main, "--out", str(tmp_path / "absent" / "figures.json"))
    assert done.exit_code == 1
    assert done.stderr.startswith("weft: error: ")
    assert "hours" not in done.stderr


def test_an_interrupt_is_no_fault(tmp_path) -> None:
    @program(known=["a"], default=["a"])
    def main(_) -> None:
        raise KeyboardInterrupt

    done = run(main, "--out", str(tmp_path / "figures.json"))
    assert (done.exit_code, done.stderr) == (130, "weft: interrupted\n")
    assert not list(tmp_path.iterdir())
