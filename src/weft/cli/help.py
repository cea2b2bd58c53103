"""Plain help in groups: options and commands under the headings that they name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from typer.core import TyperCommand, TyperGroup

DATA = "Data"
MODEL = "Model"
ESTIMATION = "Estimation"
GRID = "Grid"
OUTPUT = "Output"

_ORDER = ("Arguments", "Options", DATA, MODEL, ESTIMATION, GRID, OUTPUT)
_WHOLE = 200  # more than the first sentence of any command has


class PlainCommand(TyperCommand):
    """A command whose help has no types of Python, and its options in groups."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the arguments, as manuals have them: MODEL [FILE]."""
        return [
            piece.replace("{", "").replace("}", "") for piece in super().collect_usage_pieces(ctx)
        ]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options."""
        records = [
            (_heading(param), _untyped(param, record))
            for param in self.get_params(ctx)
            if (record := param.get_help_record(ctx)) is not None
        ]
        records.sort(key=lambda each: _rank(each[0]))
        write_groups(formatter, records)


class PlainGroup(TyperGroup):
    """A group that shows the whole first sentence of each of its commands."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands, in groups."""
        found = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        write_groups(
            formatter,
            (
                (
                    getattr(each, "rich_help_panel", None) or "Commands",
                    (name, each.get_short_help_str(_WHOLE)),
                )
                for name, each in found
                if each is not None
            ),
        )


def _heading(param: Any) -> str:
    if param.param_type_name == "argument":
        return "Arguments"
    return getattr(param, "rich_help_panel", None) or "Options"


def _rank(heading: str) -> int:
    """The place of a heading; others come last, in the order of their options."""
    return _ORDER.index(heading) if heading in _ORDER else len(_ORDER)


def _untyped(param: Any, record: tuple[str, str]) -> tuple[str, str]:
    name, text = record
    return (name.partition(" <")[0], text) if param.param_type_name == "argument" else record


def write_groups(formatter: Any, records: Iterable[tuple[str, tuple[str, str]]]) -> None:
    """Write what is listed, each below its heading."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for heading, record in records:
        groups.setdefault(heading, []).append(record)
    for heading, listed in groups.items():
        with formatter.section(heading):
            formatter.write_dl(listed)
