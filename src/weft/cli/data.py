"""``weft data``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.cli import options
from weft.cli.output import print_json, print_parts

if TYPE_CHECKING:
    from rich.console import RenderableType

    from weft.commands import Data, Holding

EXAMPLES = (
    "weft data list",
    "weft data list --json | jq -r '.corpora[] | select(.found) | .path'",
)


def list_corpora(
    json: options.Json = False,
    verbose: options.Verbose = False,  # noqa: ARG001
) -> None:
    """List corpora, where to get them, and which are here.

    One comes with Weft. The others are looked for in the folder that the environment variable
    WEFT_DATA names.
    """
    from weft import commands

    data = commands.corpora()
    if json:
        print_json(data.as_json())
    else:
        print_parts(_parts(data))


def _parts(data: Data) -> list[RenderableType]:
    from weft.report.tables import table

    headers = ["corpus", "what it is, its size, its licence, where it comes from"]
    listed = table("Corpora", headers, map(_row, data.corpora))
    listed.show_lines = True  # blank ones, in this style
    bundled = data.corpora[0]
    name = bundled.corpus.name
    return [
        listed,
        f"None but {name} can be found: {data.problem}."
        if data.problem
        else f"All but {name} are looked for in {data.folder}, the folder WEFT_DATA.",
        # The last line is the path alone, so that the shell can use it.
        f"The files of {name} are in\n{bundled.path}",
    ]


def _row(holding: Holding) -> tuple[str, str]:
    corpus = holding.corpus
    name = [corpus.name, "not found" if holding.path is None else "found"]
    about = [corpus.what, corpus.size, f"licence: {corpus.licence}", f"from: {corpus.source}"]
    return "\n".join(name), "\n".join(about)
