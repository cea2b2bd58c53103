"""What the programs of all papers share: their flags, how figures leave them, and errors.

A paper's ``main`` lists the options of its own. :func:`program` adds the common ones, in front, and
hands them over as a :class:`Run`:

    @program(known=DIVIDED, default=["wsj-sample"])
    def main(run: Run, rounds: Annotated[int, typer.Option(min=1)] = 1000) -> None: ...

Figures are tables or, for programs, JSON: an object per line.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console, RenderableType

from weft.corpora.locate import VARIABLE
from weft.errors import OptionError, WeftError, no_such
from weft.files import write_text

INTERRUPTED = 130
"""The exit code after ctrl-C, as shells have it."""


class Records:
    """A file of lines that is whole after each of them, whatever happens then.

    Args:
        path: The file, which there is from the first line on; ``-`` for the standard output.

    Raises:
        FormatError: If it cannot be made.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lines: list[str] = []
        self._stream = str(path) == "-" or (os.path.exists(path) and not os.path.isfile(path))
        if not self._stream:  # one that cannot be made is refused before hours of work
            with contextlib.suppress(_MadeEnoughError), write_text(path):
                raise _MadeEnoughError

    def add(self, line: str) -> None:
        """Write another line."""
        self._lines = [*([] if self._stream else self._lines), f"{line}\n"]
        with write_text(self._path) as stream:
            stream.writelines(self._lines)


class _MadeEnoughError(Exception):
    """Raised so that a file is not kept."""


@dataclass(frozen=True, slots=True)
class Run:
    """What the common flags say, and where figures go.

    Attributes:
        corpora: The names of the corpora to work on.
        seed: Of whatever is drawn or shuffled.
        threads: How many to use; None for all cores.
        quick: Whether a small part of everything will do.
        json: Whether to print JSON and not tables.
        out: Where JSON is written, too.
    """

    corpora: tuple[str, ...]
    seed: int
    threads: int | None
    quick: bool
    json: bool
    out: Records | None

    def tell(self, text: str) -> None:
        """Say on the standard error what is done next."""
        typer.echo(f"{text} …", err=True)

    def show(self, record: Mapping[str, Any], parts: Iterable[RenderableType] = ()) -> None:
        """Print figures, as JSON or as tables, and write them to the file that was asked for.

        A part of the figures may be shown as soon as it is there, without tables: what a run that
        is ended later has written by then is kept.
        """
        line = json.dumps(record, ensure_ascii=False, allow_nan=False)
        if self.out is not None:
            self.out.add(line)
        if self.json:
            typer.echo(line)
            return
        console = Console(highlight=False, markup=False, emoji=False)
        for part in parts:
            console.print(part)
            console.print()


def program(
    known: Sequence[str], default: Sequence[str]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return what makes a program of a function that takes a :class:`Run` and its own options.

    Args:
        known: The names of corpora that it works on.
        default: Those that it takes unless told otherwise.
    """
    shared = list(_shared(known, default))

    def decorate(main: Callable[..., None]) -> Callable[..., None]:
        _, *given = inspect.signature(main, eval_str=True).parameters.values()
        own = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in given]

        @functools.wraps(main)
        def wrapped(
            corpus: Sequence[str] | None,
            data: Path | None,
            out: Path | None,
            json: bool,
            quick: bool,
            seed: int,
            threads: int | None,
            **options: Any,
        ) -> None:
            with _errors(), _folder(data):
                stream = None if out is None else Records(out)
                names = tuple(corpus or default)
                for name in names:
                    if name not in known:
                        raise OptionError(no_such("corpus", name, known))
                main(Run(names, seed, threads, quick, json, stream), **options)

        parameters = [*shared, *own]
        vars(wrapped)["__signature__"] = inspect.Signature(parameters)
        wrapped.__annotations__ = {each.name: each.annotation for each in parameters}
        return wrapped

    return decorate


def make_app(main: Callable[..., None]) -> typer.Typer:
    """Return a program whose help looks like that of the program ``weft``."""
    app = typer.Typer(
        add_completion=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.command()(main)
    return app


def start(main: Callable[..., None]) -> None:
    """Run a paper's program on the arguments of the command line."""
    make_app(main)()


def _shared(known: Sequence[str], default: Sequence[str]) -> Iterator[inspect.Parameter]:
    """Yield the common flags, as parameters of a function."""
    listed = f"One of {', '.join(known)}; repeat it for several.  [default: {', '.join(default)}]"
    of = typer.Option
    flags: dict[str, tuple[Any, Any]] = {
        "corpus": (Annotated[list[str] | None, of(metavar="NAME", help=listed)], None),
        "data": (Annotated[Path | None, of(metavar="FOLDER", help=_DATA)], None),
        "out": (Annotated[Path | None, of(metavar="FILE", help=_OUT)], None),
        "json": (Annotated[bool, of("--json", help=_JSON)], False),
        "quick": (Annotated[bool, of("--quick", help=_QUICK)], False),
        "seed": (Annotated[int, of(metavar="N", min=0, help=_SEED)], 0),
        "threads": (Annotated[int | None, of(metavar="N", min=1, help=_THREADS)], None),
    }
    for name, (kind, value) in flags.items():
        yield inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=value, annotation=kind
        )


_DATA = f"Where corpora lie, instead of the folder {VARIABLE}."
_OUT = "Write the figures there, too, as JSON."
_JSON = "Print JSON, an object per line, for programs."
_QUICK = "Little of everything, to see that it works."
_SEED = "Of what is drawn or shuffled."
_THREADS = "How many threads to use; all cores by default."


@contextlib.contextmanager
def _errors() -> Iterator[None]:
    """Turn errors into a message and an exit code, as the program ``weft`` does."""
    try:
        yield
    except KeyboardInterrupt:
        typer.echo("weft: interrupted", err=True)
        raise typer.Exit(INTERRUPTED) from None
    except WeftError as error:
        typer.echo(f"weft: error: {error}", err=True)
        raise typer.Exit(2 if isinstance(error, OptionError) else 1) from None


@contextlib.contextmanager
def _folder(data: Path | None) -> Iterator[None]:
    """Look for corpora in this folder meanwhile."""
    before = os.environ.get(VARIABLE)
    if data is not None:
        os.environ[VARIABLE] = str(data)
    try:
        yield
    finally:
        if data is not None:
            os.environ.pop(VARIABLE)
            os.environ |= {} if before is None else {VARIABLE: before}
