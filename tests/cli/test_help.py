"""Help of every command teaches: an example of its own, and nothing that is Python's."""

from __future__ import annotations

import re
import shlex

import pytest
import typer.main

from cli.conftest import Weft
from cli.test_json_errors import commands_of
from weft.cli.app import app

COMMANDS = dict(commands_of(typer.main.get_command(app)))
every = pytest.mark.parametrize("command", COMMANDS)


def examples(text: str, heading: str = "Examples") -> list[str]:
    return [line.strip() for line in text.partition(f"\n  {heading}:\n")[2].splitlines()]


@every
def test_every_command_has_examples_of_its_own(weft: Weft, command: str) -> None:
    text = weft(*command.split()[1:], "--help").stdout
    mine = examples(text)
    assert mine
    # `weft recipes` ends with what its settings are for.
    assert all(f"{command} " in f"{line} " for line in mine) or command == "weft recipes"
    for line in mine:
        last = line.rpartition(f"{command} ")[2].partition(" | ")[0].partition(" > ")[0]
        given = {each.partition("=")[0] for each in shlex.split(last) if each.startswith("-")}
        if command in line:
            assert given - {"-"} <= COMMANDS[command], line


@every
def test_help_has_no_types_of_python_and_fits_a_terminal(weft: Weft, command: str) -> None:
    text = weft(*command.split()[1:], "--help").stdout
    assert re.search(r"^Usage: weft [a-z ]+\[OPTIONS\]( [\w.\[\]]+)*$", text, re.MULTILINE)
    assert not re.search(r"<(path|str|list\[.*)>", text)
    above = text.partition("\n  Examples:\n")[0]
    assert max(map(len, above.splitlines())) <= 80


def test_groups_show_whole_sentences(weft: Weft) -> None:
    for group in ((), ("grammar",), ("unify",), ("data",)):
        text = weft(*group, "--help").stdout
        assert "..." not in text.replace("[ARGS]...", "")
    assert "\n    weft unify marks" in weft("unify", "--help").stdout


def test_kinds_of_plots_are_listed_line_by_line(weft: Weft) -> None:
    listed = examples(weft("plot", "--help").stdout, "Kinds")
    assert listed[0].startswith("training MODEL ...  ")
    assert any(line.startswith("spans MODEL FILE [ID]  ") for line in listed)
