"""``weft plot``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli import options
from weft.cli import train_options as given
from weft.cli.help import ESTIMATION, OUTPUT
from weft.cli.output import messages, print_json
from weft.cli.plot_kinds import KINDS, Asked, Kind
from weft.cli.train import pairs
from weft.errors import OptionError, no_such

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from weft.commands.request import Options

EXAMPLES = (
    "weft plot training pos.weft --out training.svg",
    "weft plot path em.weft em-annealed.weft",
    "weft plot restarts em.weft",
    "weft plot learning train.tagged test.tagged --recipe crf --recipe hmm",
    "weft plot confusion pos.weft test.tagged --top 15 --out confusion.png",
    "weft plot calibration crf.weft test.tagged hmm.weft",
    "weft plot transitions hmm.weft",
    "weft plot weights pos.weft --kind 'tag:suffix*'",
    "echo 'Time flies' | weft plot marginals pos.weft - --format text",
    "weft plot spans parser.weft dev.mrg 12",
)


_WIDTH = max(len(f"{name} {each.usage}") for name, each in KINDS.items())

LISTS = {
    "Kinds": [f"{f'{name} {each.usage}':{_WIDTH}}  {each.meaning}" for name, each in KINDS.items()]
}
"""What help lists beside options."""


def plot(
    context: typer.Context,
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND",
            autocompletion=lambda: list(KINDS),
            help="What is drawn; see Kinds below.",
        ),
    ],
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE", help="Models and other files, as the kind takes them."),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--out",
            metavar="PICTURE",
            rich_help_panel=OUTPUT,
            help="Where the picture is written, as .svg, .png or .pdf; KIND.svg by default.",
        ),
    ] = None,
    top: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="How many labels or features of either sign."),
    ] = None,
    pattern: Annotated[
        str, typer.Option("--kind", metavar="PATTERN", help="Features of these kinds only.")
    ] = "*",
    recipe: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            rich_help_panel=ESTIMATION,
            autocompletion=options.recipe_names,
            help="A recipe whose learning is drawn; may be repeated.",
        ),
    ] = None,
    sizes: Annotated[
        str | None,
        typer.Option(
            metavar="N,N",
            rich_help_panel=ESTIMATION,
            help="How many sentences to learn from; by default all, a half, a quarter and so on.",
        ),
    ] = None,
    seed: Annotated[
        int,
        typer.Option(
            min=0, metavar="N", rich_help_panel=ESTIMATION, help="Shuffles these sentences."
        ),
    ] = 0,
    settings: given.Settings = None,
    penalty: given.Penalty = None,
    dictionary: given.Dictionary = None,
    dictionary_from: given.DictionaryFrom = None,
    tag_map: options.TagMap = None,
    terminals: given.Terminals = None,
    clean: given.Clean = None,
    format_name: options.FormatName = None,
    column: options.Column = None,
    inputs: options.Inputs = None,
    separator: options.Separator = None,
    encoding: options.Encoding = None,
    only: options.Only = None,
    skip_broken: options.SkipBroken = False,
    threads: options.Threads = None,
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    max_memory: options.MaxMemory = None,
    verbose: options.Verbose = False,  # noqa: ARG001
) -> None:
    """Draw a model, how it was trained, or how good it is.

    Colours can be read on light and on dark ground, and the ground is transparent. Matplotlib
    must be installed: pip install 'weft-nlp[plot]'.
    """
    from weft import commands

    which = _checked(kind, files, options.given(context))
    path = Path(f"{kind}.svg") if out is None else out
    more: Options = {
        "settings": pairs(settings or []),
        "penalty": penalty,
        "dictionary": dictionary,
        "dictionary_from": dictionary_from,
        "tag_map": tag_map,
        "terminals": terminals,
        "clean": clean,
        "only": only,
        "skip_broken": skip_broken,
        "encoding": encoding,
    }
    asked = Asked(
        files=tuple(files),
        layout=options.layout(format_name, column, inputs, separator=separator),
        chosen=commands.Chosen(only, skip_broken),
        top=top,
        kind=pattern,
        encoding=encoding,
        max_memory=max_memory,
        threads=threads,
        given=tuple(options.given(context)),
        more=more,
        recipes=tuple(recipe or ()),
        sizes=sizes,
        seed=seed,
        quiet=quiet,
    )
    commands.check_output(path, files, force=force)
    save_plot(path, lambda: which.draw(asked))
    options.tell_left_out(asked.chosen)
    if json:
        print_json({"kind": kind, "picture": str(path), **asked.facts})
    elif not quiet:
        messages().print(f"Drawn in {path}", soft_wrap=True)


def save_plot(path: Path, draw: Callable[[], Axes]) -> None:
    """Draw something, and write the picture; mistakes in its name are found first."""
    from weft.plot import avoid_windows, check_picture_name, close, save

    check_picture_name(path)
    avoid_windows()
    axes = draw()
    save(axes, path)
    close(axes)


def _checked(name: str, files: list[Path], given: list[str]) -> Kind:
    """The kind that is meant, if what is given goes with it."""
    if name not in KINDS:
        raise OptionError(no_such("kind of plot", name, KINDS))
    kind = KINDS[name]
    if not kind.least <= len(files) <= kind.most:
        raise OptionError(f"weft plot {name} takes {kind.usage}, and not {len(files)} arguments")
    special = frozenset().union(*(each.takes for each in KINDS.values()))
    for option in given:
        if option in special - kind.takes:
            able = [other for other, each in KINDS.items() if option in each.takes]
            raise OptionError(f"{option} is for weft plot {', '.join(able)}: leave it out here")
    return kind
