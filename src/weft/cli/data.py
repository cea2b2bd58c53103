"""``weft data``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli import options
from weft.cli.output import messages, print_json, print_parts

if TYPE_CHECKING:
    from rich.console import RenderableType

    from weft.commands import Data, Holding

EXAMPLES = (
    "weft data list",
    "weft data list --json | jq -r '.corpora[] | select(.found) | .path'",
    "weft data fetch conll2000",
    "weft data fetch ewt --out corpora/ewt",
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


def _names() -> list[str]:
    from weft.corpora.sources import ADDRESSES

    return list(ADDRESSES)


def fetch(
    name: Annotated[
        str,
        typer.Argument(metavar="NAME", autocompletion=_names, help="A name of `weft data list`."),
    ],
    out: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Where it goes; NAME in the folder WEFT_DATA if not."),
    ] = None,
    force: Annotated[
        bool,
        typer.Option("--force", help="Replace the folder, unless it has files of yours."),
    ] = False,
    json: options.Json = False,
    verbose: options.Verbose = False,  # noqa: ARG001
) -> None:
    """Fetch a corpus over HTTPS, and check its files.

    The folder appears when all is there. What broke off goes on where it stopped when the same
    command is given again. Mind the licence, which `weft data list` shows.
    """
    from weft import commands

    console = messages()
    found = commands.fetch(
        name,
        out=out,
        force=force,
        tell=lambda url: console.print(f"Fetching {url}", soft_wrap=True),
    )
    if json:
        from dataclasses import asdict

        print_json({"corpus": name, **asdict(found)})
        return
    checked = "as expected" if found.known else "not known before, written down in SHA256SUMS"
    console.print(f"{found.files:,} files; digest {found.digest}, {checked}", soft_wrap=True)
    if found.changed:
        console.print("weft: these are not the files that were there before", soft_wrap=True)
    typer.echo(found.path)


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
    if holding.addresses:
        about.append(f"weft data fetch {corpus.name}")
    return "\n".join(name), "\n".join(about)
