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

    headers = ["corpus", "found", "what it is, its size, its licence, where it comes from"]
    below = data.problem or f"WEFT_DATA is {data.folder}"
    bundled = data.corpora[0]
    return [
        table("Corpora", headers, map(_row, data.corpora)),
        f"All but the first are looked for below WEFT_DATA: {below}.",
        # The last line is the path alone, so that the shell can use it.
        f"The files of {bundled.corpus.name}, which comes with Weft, are in\n{bundled.path}",
    ]


def _row(holding: Holding) -> tuple[str, str, str]:
    corpus = holding.corpus
    about = [corpus.what, corpus.size, f"licence: {corpus.licence}", f"from: {corpus.source}"]
    return corpus.name, "no" if holding.path is None else "yes", "\n".join([*about, ""])
