"""``weft plot``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weft.cli import options
from weft.cli import train_options as given
from weft.cli.help import ESTIMATION, OUTPUT
from weft.cli.output import messages, print_json
from weft.cli.train import pairs
from weft.errors import OptionError, no_such

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from weft.commands import Chosen, FileLayout
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


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a plot is asked for."""

    files: tuple[Path, ...]
    layout: FileLayout
    chosen: Chosen
    top: int | None
    kind: str
    encoding: str | None
    max_memory: float | None
    threads: int | None
    given: tuple[str, ...]
    more: Options
    recipes: tuple[str, ...]
    sizes: str | None
    seed: int
    quiet: bool
    facts: dict[str, Any] = field(default_factory=dict)

    def model(self, path: Path) -> Any:
        """A model, after options were refused that it has no use for."""
        from weft.commands import used

        loaded = options.opened(path, self.max_memory)
        used(loaded, "explain", self.given)
        return loaded

    def models(self, paths: tuple[Path, ...]) -> dict[str, Any]:
        """Models by the names of their files."""
        names = [path.stem for path in paths]
        alike = len(set(names)) < len(names)
        return {str(path) if alike else path.stem: self.model(path) for path in paths}

    def examples(self, trained: Any, path: Path) -> list[Any]:
        """The sentences of a file that say what is right."""
        from weft.commands.questions import read_questions
        from weft.files import encoded

        source = encoded(path, self.encoding)
        return [each.example for each in read_questions(trained, source, self.layout, self.chosen)]

    def question(self, trained: Any) -> Any:
        """The sentence that is asked about."""
        from weft.commands import task_of
        from weft.commands.questions import find_question
        from weft.files import encoded

        source = encoded(self.files[1], self.encoding)
        every = task_of(trained).questions(trained, source, self.layout, self.chosen)
        name = str(self.files[2]) if len(self.files) > 2 else None
        return find_question(every, source, name).given


def _training(asked: _Asked) -> Axes:
    from weft.plot import training

    return training(asked.models(asked.files))


def _path(asked: _Asked) -> Axes:
    from weft.plot import path

    return path(asked.models(asked.files))


def _restarts(asked: _Asked) -> Axes:
    from weft.plot import restarts

    return restarts(asked.model(asked.files[0]))


def _learning(asked: _Asked) -> Axes:
    from weft import commands
    from weft.cli.progress import watching_parts
    from weft.commands.learning import learning_curve
    from weft.plot import learning

    train, test = asked.files
    names = asked.recipes or (commands.usual_recipe(train),)
    first: Options = {**asked.more, "layout": asked.layout, "recipe": names[0]}
    console = messages()
    console.quiet = asked.quiet
    curves = []
    for name in names:
        options_of = first if name == names[0] else commands.for_other_recipe(first, name)
        with watching_parts(console, f"{name} is learning") as tell:
            curves.append(
                learning_curve(
                    train,
                    test,
                    sizes=_sizes(asked.sizes),
                    seed=asked.seed,
                    threads=asked.threads,
                    told=lambda done, of, name=name: tell(  # type: ignore[misc]
                        f"{name}: {done} of {of} sizes", done, of
                    ),
                    **options_of,
                )
            )
    for curve in curves:
        for size, reason in curve.failed:
            options.tell(f"{curve.name} has no point at {size:,} sentences: {reason}")
    asked.facts["curves"] = [each.as_json() for each in curves]
    return learning(curves)


def _sizes(text: str | None) -> list[int]:
    if text is None:
        return []
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and len(part) < 12 for part in parts):
        raise OptionError(f"--sizes {text}: give numbers of sentences, such as 50,100,200")
    return list(map(int, parts))


def _confusion(asked: _Asked) -> Axes:
    from weft.commands.pictures import LABELS
    from weft.plot import confusion

    loaded = asked.model(asked.files[0])
    corpus = asked.examples(loaded, asked.files[1])
    most = LABELS if asked.top is None else max(1, asked.top)
    return confusion(loaded, corpus, most=most, threads=asked.threads)


def _calibration(asked: _Asked) -> Axes:
    from weft.commands import task_of
    from weft.evaluate.calibration import calibrate
    from weft.plot import draw_calibration

    first, test, *others = asked.files
    found = {}
    for name, loaded in asked.models((first, *others)).items():
        corpus = asked.examples(loaded, test)
        found[name] = calibrate(*task_of(loaded).looks.judge(loaded, corpus, asked.threads))
    return draw_calibration(found)


def _transitions(asked: _Asked) -> Axes:
    from weft.plot import transitions

    return transitions(asked.model(asked.files[0]))


def _weights(asked: _Asked) -> Axes:
    from weft.plot import weights

    count = 12 if asked.top is None else asked.top
    return weights(asked.model(asked.files[0]), count=count, kind=asked.kind)


def _marginals(asked: _Asked) -> Axes:
    from weft.plot import marginals

    loaded = asked.model(asked.files[0])
    return marginals(loaded, asked.question(loaded))


def _spans(asked: _Asked) -> Axes:
    from weft.plot import spans

    loaded = asked.model(asked.files[0])
    return spans(loaded, asked.question(loaded))


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of plot.

    Attributes:
        usage: The arguments that it takes.
        least: How many there are at least.
        most: And at most.
        meaning: What it shows.
        draw: Draws it.
        takes: The options that it has a use for, beside those that every kind has.
    """

    usage: str
    least: int
    most: int
    meaning: str
    draw: Callable[[_Asked], Axes]
    takes: frozenset[str] = frozenset()


_FILE = frozenset(
    {"--format", "--column", "--inputs", "--separator", "--encoding", "--only", "--skip-broken"}
)
_TRAINED = _FILE | {
    *("--recipe", "--set", "--penalty", "--sizes", "--seed", "--dictionary"),
    *("--dictionary-from", "--tag-map", "--terminals", "--clean", "--threads"),
}
_MANY = 12

KINDS: Mapping[str, Kind] = {
    "training": Kind("MODEL ...", 1, _MANY, "the objective by iterations", _training),
    "path": Kind("MODEL ...", 1, _MANY, "the way to the maximum, as EM goes it", _path),
    "restarts": Kind("MODEL", 1, 1, "what each random start led to", _restarts),
    "learning": Kind("TRAIN TEST", 2, 2, "recipes with more and more data", _learning, _TRAINED),
    "confusion": Kind(
        "MODEL TEST", 2, 2, "labels taken for others", _confusion, _FILE | {"--top", "--threads"}
    ),
    "calibration": Kind(
        "MODEL TEST [MODEL ...]",
        2,
        _MANY,
        "whether probabilities are right",
        _calibration,
        _FILE | {"--threads"},
    ),
    "transitions": Kind("MODEL", 1, 1, "tags after tags, of chains", _transitions),
    "weights": Kind(
        "MODEL", 1, 1, "the strongest features", _weights, frozenset({"--top", "--kind"})
    ),
    "marginals": Kind(
        "MODEL FILE [ID]", 2, 3, "how sure a model is of a sentence", _marginals, _FILE
    ),
    "spans": Kind("MODEL FILE [ID]", 2, 3, "labels over spans, of parsers", _spans, _FILE),
}
"""The kinds of plots."""


def plot(
    context: typer.Context,
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND",
            autocompletion=lambda: list(KINDS),
            help="; ".join(f"{name} {each.usage}: {each.meaning}" for name, each in KINDS.items()),
        ),
    ],
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE ...", help="Models and other files, as the kind takes them."),
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
    must be installed: pip install 'weft[plot]'.
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
    asked = _Asked(
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
