"""Help of every command teaches: an example of its own, and nothing that is Python's."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Annotated

import pytest
import typer.main
from typer.testing import CliRunner

from cli.conftest import Weft
from cli.test_json_errors import commands_of
from weft.cli.app import app
from weft.cli.help import OUTPUT, PlainCommand
from weft.recipes import OPTIMISERS
from weft.train.usual import PATIENCE

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "command-line.md"

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


def test_a_heading_that_is_not_in_the_order_comes_last() -> None:
    group = typer.Typer(rich_markup_mode=None)

    @group.command(cls=PlainCommand)
    def ask(
        new: Annotated[int, typer.Option(rich_help_panel="New")] = 1,
        out: Annotated[int, typer.Option(rich_help_panel=OUTPUT)] = 1,
    ) -> None: ...

    done = CliRunner().invoke(group, ["--help"])
    assert done.exit_code == 0, done.output
    assert done.output.index("Output:") < done.output.index("New:")


@pytest.mark.parametrize(
    ("option", "begins"),
    [
        ("--threads", "| `--threads N` | how many threads "),
        ("--max-memory", "| `--max-memory GIB`"),
        ("--force", "`--force` replaces it all the same"),
        ("--encoding", "Others are read with `--encoding`"),
    ],
)
def test_the_guide_names_the_commands_that_have_an_option(option: str, begins: str) -> None:
    text = GUIDE.read_text() + GUIDE.with_name("formats.md").read_text()
    [listed] = re.findall(rf"{re.escape(begins)}[^(]*\(([^)]*)", text)
    named = {f"weft {name}" for name in re.findall(r"`([a-z ]+)`", listed)}
    assert named == {command for command, options in COMMANDS.items() if option in options}


def test_training_lists_every_optimiser(weft: Weft) -> None:
    text = " ".join(weft("train", "--help").stdout.split())
    listed = text.partition("How weights move, if not as the recipe says: ")[2].partition(".")[0]
    assert sorted(re.split(", | or ", listed)) == sorted(OPTIMISERS)


def test_the_guide_has_the_patience_of_the_code() -> None:
    [row] = [line for line in GUIDE.read_text().splitlines() if line.startswith("| `patience` |")]
    assert f"`auto` is {PATIENCE} where" in row
