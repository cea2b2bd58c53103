"""Plain help in groups: options and commands under the headings that they name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from typer.core import TyperCommand

DATA = "Data"
MODEL = "Model"
ESTIMATION = "Estimation"
GRID = "Grid"
OUTPUT = "Output"


class GroupedCommand(TyperCommand):
    """A command whose options are listed in groups, in the order of the first of each."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options."""
        write_groups(
            formatter,
            (
                (_heading(param), record)
                for param in self.get_params(ctx)
                if (record := param.get_help_record(ctx)) is not None
            ),
        )


def _heading(param: Any) -> str:
    if param.param_type_name == "argument":
        return "Arguments"
    return getattr(param, "rich_help_panel", None) or "Options"


def write_groups(formatter: Any, records: Iterable[tuple[str, tuple[str, str]]]) -> None:
    """Write what is listed, each below its heading."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for heading, record in records:
        groups.setdefault(heading, []).append(record)
    for heading, listed in groups.items():
        with formatter.section(heading):
            formatter.write_dl(listed)
