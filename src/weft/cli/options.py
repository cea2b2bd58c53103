"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli import algebra
from weft.cli.help import DATA, ESTIMATION, OUTPUT

if TYPE_CHECKING:
    from weft.commands import Chosen, FileLayout, Task
    from weft.models.model import Trained
    from weft.models.tagger import Decoder

VERBOSE = "weft.verbose"
"""Where a context remembers that errors are wanted with their traceback."""


def _remember(context: typer.Context, verbose: bool) -> None:
    if verbose:
        context.meta[VERBOSE] = True


def _formats() -> list[str]:
    from weft.corpora import FORMATS

    return list(FORMATS)


def recipe_names() -> list[str]:
    """Return the names of all recipes, for completion."""
    from weft.recipes import RECIPES

    return list(RECIPES)


Verbose = Annotated[
    bool,
    typer.Option(
        "-v",
        "--verbose",
        callback=_remember,
        rich_help_panel=OUTPUT,
        help="Show where in the program an error arose.",
    ),
]
Model = Annotated[Path, typer.Argument(metavar="MODEL", help="A file that `weft train` saved.")]
MaxMemory = Annotated[
    float | None,
    typer.Option(
        "--max-memory",
        min=0.0,
        metavar="GIB",
        help="Allow a model this many GiB of memory, loaded and in use, if you trust its maker; "
        "by default a half, and more for large files.",
    ),
]
FormatName = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="NAME",
        autocompletion=_formats,
        rich_help_panel=DATA,
        help="conllu, columns, tagged (word/TAG), text (a sentence per line), crfsuite or brackets "
        "(trees, as the Penn Treebank has them).",
    ),
]
Column = Annotated[
    str | None,
    typer.Option(
        "--column",
        metavar="N",
        rich_help_panel=DATA,
        help="The column with the tags, by default upos in conllu and the last one in columns. "
        "1 is the first; in columns, -1 is the last and -2 the one before it; in conllu, names "
        "such as xpos will do too, and several make one tag: upos+feats.",
    ),
]
Inputs = Annotated[
    str | None,
    typer.Option(
        "--inputs",
        metavar="N,N",
        rich_help_panel=DATA,
        help="The columns that the model sees. In conllu, those beside the form, by default "
        "none; in columns, the words first, by default all before the tags.",
    ),
]
Separator = Annotated[
    str | None,
    typer.Option(
        "--separator",
        metavar="TEXT",
        rich_help_panel=DATA,
        help="What stands between a word and its tag, / by default: _ for The_DT dog_NN.",
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        "--encoding",
        metavar="NAME",
        rich_help_panel=DATA,
        help="The encoding of the files that are read, such as latin-1; UTF-8 by default. What is "
        "written is UTF-8.",
    ),
]
Partial = Annotated[
    bool,
    typer.Option(
        "--partial",
        rich_help_panel=DATA,
        help="Labels may be ? or _ (unknown) and A|B (one of these).",
    ),
]
Posterior = Annotated[
    bool | None,
    typer.Option(
        "--posterior/--viterbi",
        show_default=False,
        help="The answer with the fewest wrong parts expected (the most probable tag of each "
        "token, the brackets of a tree), or the most probable as a whole. Default: the model's "
        "own, posterior for grammars and tables, viterbi for others.",
    ),
]
DecoderName = Annotated[
    str | None,
    typer.Option("--decoder", metavar="NAME", help="The same by name: posterior or viterbi."),
]
TagMap = Annotated[
    str | None,
    typer.Option(
        "--tag-map",
        metavar="NAME",
        rich_help_panel=DATA,
        help="Make tags coarse: penn-17, penn-universal, or a file of lines "
        "COARSE<TAB>FINE FINE ...; none leaves them.",
    ),
]
Only = Annotated[
    str | None,
    typer.Option(
        "--only",
        metavar="FLAG",
        rich_help_panel=DATA,
        help="Take only the parse sets of which this key is true.",
    ),
]
SkipBroken = Annotated[
    bool,
    typer.Option(
        "--skip-broken",
        rich_help_panel=DATA,
        help="Leave broken parse sets out, and say which they are.",
    ),
]
Threads = Annotated[
    int | None,
    typer.Option(
        "--threads",
        min=1,
        metavar="N",
        callback=algebra.bound,
        rich_help_panel=ESTIMATION,
        help="How many threads; all cores by default.",
    ),
]
Force = Annotated[
    bool,
    typer.Option(
        "--force",
        rich_help_panel=OUTPUT,
        help="Replace a file that is read here, or is not of the kind that is written.",
    ),
]
Json = Annotated[
    bool, typer.Option("--json", rich_help_panel=OUTPUT, help="Print JSON, for programs.")
]
Quiet = Annotated[
    bool,
    typer.Option("-q", "--quiet", rich_help_panel=OUTPUT, help="Show no progress and no summary."),
]

NoProgress = Annotated[
    bool, typer.Option("-q", "--quiet", rich_help_panel=OUTPUT, help="Show no progress.")
]


def decoder(posterior: bool | None, name: str | None = None) -> Decoder | None:
    """Return how answers are to be chosen, if that is said.

    Raises:
        typer.BadParameter: If both are given.
    """
    from weft.models.options import option
    from weft.models.tagger import Decoder

    if name is not None and posterior is not None:
        raise typer.BadParameter("give one of them", param_hint="--decoder, --posterior/--viterbi")
    if name is not None:
        return option(Decoder, name)
    return None if posterior is None else Decoder.POSTERIOR if posterior else Decoder.VITERBI


def layout(
    name: str | None,
    column: str | None,
    inputs: str | None = None,
    partial: bool = False,
    separator: str | None = None,
) -> FileLayout:
    """Return what the options say about a file's format."""
    from weft.commands import FileLayout

    columns = None if inputs is None else tuple(part.strip() for part in inputs.split(","))
    return FileLayout(name, column, columns, partial or None, separator)


def tell(message: str) -> None:
    """Say on the standard error what the user may want to know."""
    typer.echo(f"weft: {message}", err=True)


def tell_empty(file: Path) -> None:
    """Say that a file gives nothing to answer; of the standard input, that is no surprise."""
    if str(file) != "-":
        tell(f"{file}: there is no sentence")


def tell_left_out(chosen: Chosen) -> None:
    """Say which parse sets were left out, and why."""
    for problem in chosen.left_out:
        tell(f"left out: {problem}")


def opened(model: Path, max_memory: float | None) -> Trained:
    """Return a command's model, which may take this many GiB."""
    from weft.commands import open_model

    return open_model(model, max_bytes=max_bytes(max_memory))


def used(context: typer.Context, model: Trained) -> Task:
    """Return what a command does with a model; options are refused that it has no use for."""
    from weft import commands

    return commands.used(model, context.info_name or "", given(context))


def given(context: typer.Context) -> list[str]:
    """Return the options that were given, by their names."""
    names = []
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if source is not None and source.name in ("COMMANDLINE", "ENVIRONMENT"):
            off = context.params.get(parameter.name or "") is False
            several = parameter.secondary_opts if off else parameter.opts
            names += [name for name in several if name.startswith("--")][:1]
    return names


def max_bytes(max_memory: float | None) -> int | None:
    """Return how many bytes a model may take; None where nothing was said."""
    return None if max_memory is None else int(max_memory * 2**30)
