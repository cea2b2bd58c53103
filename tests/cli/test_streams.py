"""Standard streams that are closed, full, or go away."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import weft as library

TAGGED = "the/DT dog/NN barks/VBZ\nwe/PRP saw/VBD the/DT dog/NN\n"
SLOW = pytest.mark.slow


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a line of a shell, in which ``weft`` is the program."""
    (folder / "train.tagged").write_text(TAGGED)
    whole = f"weft() {{ '{sys.executable}' -m weft \"$@\"; }}\n{command}"
    return subprocess.run(
        ["sh", "-c", whole], cwd=folder, capture_output=True, text=True, timeout=600, check=False
    )


@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        ("predict {} train.tagged >&-", 1, "the standard output is closed"),
        pytest.param("inspect {} >&-", 1, "the standard output is closed", marks=SLOW),
        pytest.param("--help >&-", 1, "the standard output is closed", marks=SLOW),
        ("predict {} <&-", 1, "<stdin>: cannot be read: bad file descriptor"),
        ("train m.weft --train train.tagged -q >&- <&-", 0, ""),
        pytest.param("train m.weft --train train.tagged 2>&-", 0, "", marks=SLOW),
        ("predict {} train.tagged > /dev/full", 1, "no space left on device"),
        pytest.param("inspect {} --json > /dev/full", 1, "no space left on device", marks=SLOW),
        ("predict {} train.tagged -o /dev/full", 1, "/dev/full: cannot be written: no space left"),
    ],
)
def test_streams_that_cannot_be_used(
    tagger: Path, tmp_path: Path, command: str, code: int, message: str
) -> None:
    if "/dev/full" in command and not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    done = shell(f"weft {command.format(tagger)}", tmp_path)
    assert done.returncode == code
    lines = done.stderr.splitlines()
    assert len(lines) <= 1
    if "--json" in command and lines:
        assert json.loads(lines[0])["message"].startswith(message)
    else:
        assert "".join(lines).startswith(f"weft: error: {message}" if message else "")


@pytest.mark.slow
def test_a_closed_descriptor_is_not_taken_for_a_file(tagger: Path, tmp_path: Path) -> None:
    """What is written to a closed stream must not end up in the next file that is opened."""
    done = shell(f"weft predict {tagger} train.tagged -o out <&- >&- 2>&-", tmp_path)
    assert done.returncode == 0
    assert (tmp_path / "out").read_text() == TAGGED


@pytest.mark.parametrize("lines", [0, pytest.param(1, marks=SLOW)])
def test_progress_that_nobody_reads_does_not_end_training(tmp_path: Path, lines: int) -> None:
    settings = "--set tolerance=0 --set iterations=60"
    done = shell(
        f"weft train m.weft --train train.tagged {settings} 2>&1 | head -n {lines}", tmp_path
    )
    assert done.stderr == ""
    saved = library.load(tmp_path / "m.weft")
    assert saved.notes["stopped"] != "interrupted"
    assert saved.trace[-1].iteration > 10


def test_a_reader_of_results_that_stops_early_ends_quietly(tagger: Path, tmp_path: Path) -> None:
    (tmp_path / "many").write_text(TAGGED * 20_000)
    command = f"{{ weft predict {tagger} many; echo $? > code; }} | head -n 1"
    done = shell(command, tmp_path)
    assert (done.stdout, done.stderr) == ("the/DT dog/NN barks/VBZ\n", "")
    assert (tmp_path / "code").read_text() == "0\n"
