"""The kinds of plots that ``weft plot`` draws, and what each takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weft.cli import options
from weft.cli.output import messages
from weft.errors import OptionError
from weft.files import check_read_again

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from weft.commands import Chosen, FileLayout
    from weft.commands.request import Options


@dataclass(frozen=True, slots=True)
class Asked:
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


def _training(asked: Asked) -> Axes:
    from weft.plot import training

    return training(asked.models(asked.files))


def _path(asked: Asked) -> Axes:
    from weft.plot import path

    return path(asked.models(asked.files))


def _restarts(asked: Asked) -> Axes:
    from weft.plot import restarts

    return restarts(asked.model(asked.files[0]))


def _learning(asked: Asked) -> Axes:
    from weft import commands
    from weft.cli.progress import watching_parts
    from weft.commands.learning import learning_curve
    from weft.plot import learning

    train, test = asked.files
    names = asked.recipes or (commands.usual_recipe(train),)
    if len(names) > 1:
        check_read_again(train, "recipes read it in turns")
        check_read_again(test, "recipes read it in turns")
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
    for problem in dict.fromkeys(each for curve in curves for each in curve.broken):
        options.tell(f"left out: {problem}")
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


def _confusion(asked: Asked) -> Axes:
    from weft.commands.pictures import LABELS
    from weft.plot import confusion

    loaded = asked.model(asked.files[0])
    corpus = asked.examples(loaded, asked.files[1])
    most = LABELS if asked.top is None else max(1, asked.top)
    return confusion(loaded, corpus, most=most, threads=asked.threads)


def _calibration(asked: Asked) -> Axes:
    from weft.commands import task_of
    from weft.commands.comparison import check_common_score
    from weft.evaluate.calibration import calibrate
    from weft.plot import draw_calibration

    first, test, *others = asked.files
    if others:
        check_read_again(test, "models read it in turns")
    found = {}
    models = asked.models((first, *others))
    [task, *_] = map(task_of, models.values())
    for name, loaded in models.items():
        check_common_score(task, task_of(loaded), f"leave {name} out")
    for name, loaded in models.items():
        corpus = asked.examples(loaded, test)
        found[name] = calibrate(*task_of(loaded).looks.judge(loaded, corpus, asked.threads))
    return draw_calibration(found)


def _transitions(asked: Asked) -> Axes:
    from weft.plot import transitions

    return transitions(asked.model(asked.files[0]))


def _weights(asked: Asked) -> Axes:
    from weft.plot import weights

    count = 12 if asked.top is None else asked.top
    return weights(asked.model(asked.files[0]), count=count, kind=asked.kind)


def _marginals(asked: Asked) -> Axes:
    from weft.plot import marginals

    loaded = asked.model(asked.files[0])
    return marginals(loaded, asked.question(loaded))


def _spans(asked: Asked) -> Axes:
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
    draw: Callable[[Asked], Axes]
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
