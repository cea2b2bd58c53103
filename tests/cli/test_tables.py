"""Tables fit a terminal, and are as wide as they must be elsewhere."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from cli.conftest import Weft
from weft.recipes import RECIPES

COLOUR = "\x1b[36m"
RED = "\x1b[31m"


def on_terminal(*arguments: str | Path, **more: str) -> str:
    """What the program shows on a terminal of 60 columns."""
    mine, theirs = pty.openpty()
    unset = ("NO_COLOR", "FORCE_COLOR", "COLUMNS")
    given = {key: value for key, value in os.environ.items() if key not in unset}
    try:
        subprocess.run(
            [sys.executable, "-m", "weft", *map(str, arguments)],
            stdout=theirs,
            stderr=theirs,
            stdin=subprocess.DEVNULL,
            env={**given, "TERM": "xterm-256color", "COLUMNS": "60", **more},
            check=False,
        )
        return os.read(mine, 1 << 20).decode()
    finally:
        os.close(mine)
        os.close(theirs)


@pytest.mark.parametrize("columns", ["", "40"])
def test_nothing_is_wrapped_in_a_pipe(
    weft: Weft, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    lines = weft("recipes").stdout.splitlines()
    for recipe in RECIPES.values():
        assert [line for line in lines if line.split()[:1] == [recipe.name]]
        assert any(line.endswith(recipe.summary) for line in lines)
    assert all(line == line.rstrip() for line in lines)


def test_every_command_with_a_table_has_a_line_per_row(weft: Weft, tagger: Path) -> None:
    long = "a" * 200
    Path("wide.tagged").write_text(f"{long}/{long[:150]} dog/NN\n" * 2)
    for command in (
        ("evaluate", tagger, "wide.tagged"),
        ("inspect", tagger),
        ("explain", tagger, "wide.tagged"),
        ("recipes", "crf"),
        ("data", "list"),
        ("reproduce", "--list"),
    ):
        done = weft(*command)
        assert done.exit_code == 0, done.output
        longest = max(map(len, done.stdout.splitlines()))
        assert longest > 80, command
    assert long[:150] in weft("evaluate", tagger, "wide.tagged").stdout


@pytest.mark.slow
def test_a_terminal_has_colours_and_a_width() -> None:
    shown = on_terminal("recipes", "crf")
    assert COLOUR in shown
    plain = re.sub(r"\x1b\[[0-9;]*m", "", shown)
    assert max(map(len, plain.split("Settings")[1].splitlines())) <= 60
    assert COLOUR not in on_terminal("recipes", "crf", NO_COLOR="1")


@pytest.mark.slow
def test_errors_are_red_on_a_terminal_alone(weft: Weft) -> None:
    assert RED in on_terminal("recipes", "nonsense")
    assert "\x1b[" not in on_terminal("recipes", "nonsense", NO_COLOR="1")
    assert "\x1b[" not in on_terminal("recipes", "nonsense", TERM="dumb")
    assert weft("recipes", "nonsense").stderr.startswith("weft: error: ")
