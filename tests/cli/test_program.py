"""The program as a process: how fast it starts, pipes, signals, terminals, completion."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from importlib import resources
from pathlib import Path

import pytest
from typer.testing import Result

import weft as library

Weft = Callable[..., Result]

WEFT = (sys.executable, "-m", "weft")
TAGGED = "the/DT dog/NN barks/VBZ\nwe/PRP saw/VBD the/DT dog/NN\n"


def run(
    *arguments: str | Path, given: str = "", env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    command = [*WEFT, *map(str, arguments)]
    return subprocess.run(
        command, input=given, env=env, capture_output=True, encoding="utf-8", timeout=600
    )


def test_version_and_help_import_nothing_heavy() -> None:
    script = (
        "import sys\n"
        "from weft.cli import main\n"
        "try:\n    main()\n"
        "except SystemExit as end:\n    assert not end.code\n"
        "heavy = {'numpy', 'rich', 'weft.commands', 'weft.recipes'} & set(sys.modules)\n"
        "sys.exit(f'imported {heavy}' if heavy else 0)\n"
    )
    for option in ("--version", "--help"):
        done = subprocess.run(
            [sys.executable, "-c", script, option], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        assert "weft" in done.stdout


def test_scipy_is_imported_only_where_it_is_used() -> None:
    script = (
        "import sys\n"
        "import weft.commands.training, weft.grammars, weft.recipes, weft.train\n"
        "sys.exit('imported' if 'scipy' in sys.modules else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_tagger_is_trained_without_what_only_others_need() -> None:
    script = (
        "import sys\n"
        "import numpy\n"  # NumPy 1 imports all of itself
        "before = set(sys.modules)\n"
        "import weft\n"
        "from weft.corpora import bundled\n"
        "weft.fit(weft.Chain(), bundled('train')[:20])\n"
        "large = {'numpy.ma', 'numpy.random', '_hashlib', 'scipy', 'weft.lfg'} & set(sys.modules)\n"
        "large -= before\n"
        "sys.exit(f'imported {large}' if large else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_every_command_has_help_with_examples(weft: Weft) -> None:
    plain = ("train", "predict", "evaluate", "inspect", "recipes", "demo", "data")
    for command in (*plain, "data list"):
        for option in ("--help", "-h"):
            done = weft(*command.split(), option)
            assert done.exit_code == 0
            assert f"Usage: weft {command}" in done.stdout
            assert "Example" in done.stdout
            assert f"weft {command}" in done.stdout.partition("Example")[2]
    assert "Examples:" in weft("--help").stdout
    assert "Usage: weft" in weft().output
    assert "Usage: weft data" in weft("data").output


def test_help_says_which_column_has_the_tags(weft: Weft) -> None:
    for command in ("train", "predict", "evaluate"):
        text = " ".join(weft(command, "--help").stdout.split())
        assert "by default upos in conllu and the last one in columns. 1 is the first" in text
        assert "-1 is the last and -2 the one before" in text


def test_completion() -> None:
    for typed, expected in (("weft tr", "train"), ("weft train m --format co", "columns")):
        environment = {
            **os.environ,
            "_WEFT_COMPLETE": "complete_bash",
            "COMP_WORDS": typed,
            "COMP_CWORD": str(len(typed.split()) - 1),
        }
        assert expected in run(env=environment).stdout.split()


def test_a_reader_that_stops_early_is_no_error(tagger: Path, tmp_path: Path) -> None:
    source = tmp_path / "many"
    source.write_text(TAGGED * 20_000)
    with subprocess.Popen(
        [*WEFT, "predict", str(tagger), str(source)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == "the/DT dog/NN barks/VBZ\n"
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(timeout=600) == 0


@pytest.mark.slow
def test_an_interrupt_saves_the_model(tmp_path: Path) -> None:
    corpus = resources.files("weft.corpora").joinpath("english", "train.tagged").read_text("utf-8")
    (tmp_path / "train.tagged").write_text(corpus, "utf-8")
    endless = ["--set", "iterations=100000000", "--set", "tolerance=0"]
    with subprocess.Popen(
        [*WEFT, "train", "m.weft", "--train", "train.tagged", *endless],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        # A shell that runs the tests in the background makes its children ignore interrupts.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith("iteration 0 ")
        process.send_signal(signal.SIGINT)
        messages = process.stderr.read()
        assert process.wait(timeout=600) == 130
    assert "Interrupted: the best weights so far are saved in m.weft" in messages
    saved = library.load(tmp_path / "m.weft")
    assert saved.notes["stopped"] == "interrupted"
    assert saved.tag([["the", "dog"]])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m.weft", "train.tagged"]


@pytest.mark.slow
def test_any_terminal_will_do(tagger: Path) -> None:
    ascii_only = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = run("inspect", tagger, "--top", "1", env=ascii_only)
    assert done.returncode == 0
    assert "\x1b" not in done.stdout


def test_text_is_utf8_whatever_the_terminal(tagger: Path) -> None:
    ascii_only = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = run("predict", tagger, given="é\n", env=ascii_only)
    assert done.stdout.startswith("é/")
