"""The program ``weft``: its commands, and what becomes of errors.

Nothing here may import numpy, nor may the modules of the commands before they are called, so that
``--version``, ``--help`` and shell completion come at once.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any, NoReturn

import typer

from weft import DISTRIBUTION, interrupts
from weft.cli import (
    compare,
    convert,
    crossvalidate,
    data,
    demo,
    evaluate,
    explain,
    failures,
    grammar,
    grammar_sentences,
    inspect,
    neighbours,
    plot,
    predict,
    recipes,
    report,
    reproduce,
    streams,
    train,
    unify,
    unify_marks,
    unify_propose,
)
from weft.cli.help import PlainCommand, PlainGroup
from weft.cli.options import VERBOSE, Verbose, tell
from weft.cli.output import print_error
from weft.errors import OptionError, WeftError

JSON = "weft.json"
"""Where a context remembers that a program reads what is printed."""

# Typer has a Click of its own, or takes the one that is installed.
UsageError: type[Any] = typer.BadParameter.__bases__[0]

EXAMPLES = (
    "weft demo",
    "weft train model.weft --train train.conllu --dev dev.conllu --column xpos",
    'echo "Time flies like an arrow ." | weft predict model.weft --format text',
    "weft evaluate model.weft test.conllu",
    "weft compare model.weft test.conllu other.weft",
    "weft inspect model.weft --top 10",
)


class Program(PlainGroup):
    """The group of all commands, which turns errors into a message and an exit code."""

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Remember whether errors are for programs, and take the arguments apart."""
        ctx.meta[JSON] = failures.wants_json(args)
        try:
            return super().parse_args(ctx, args)
        except UsageError as error:
            _tell_usage(ctx, error)

    def invoke(self, ctx: Any) -> Any:
        """Run a command.

        Raises:
            typer.Exit: After an error whose message has been shown.
        """
        with interrupts.caught(last=ctx.obj is interrupts.ENDING) as caught:
            try:
                result = super().invoke(ctx)
                sys.stdout.flush()
            except BrokenPipeError:
                # Whoever read the output has seen enough; nothing more can be written there.
                streams.abandon_output()
                raise typer.Exit(0) from None
            except KeyboardInterrupt as interrupt:
                streams.settle_output()
                text = ": ".join(["interrupted", *map(str, interrupt.args)])
                _say(ctx, interrupt, text, caught.code, tell)
                raise typer.Exit(caught.code) from None
            except (WeftError, OSError, MemoryError) as error:
                if ctx.meta.get(VERBOSE):
                    traceback.print_exception(error)
                streams.settle_output()
                code = 2 if isinstance(error, OptionError) else 1
                _say(ctx, error, failures.message(error), code, print_error)
                raise typer.Exit(code) from None
            except UsageError as error:
                _tell_usage(ctx, error)
            if caught.number is not None:
                raise typer.Exit(caught.code)
        return result


def _tell_usage(ctx: Any, error: Any) -> NoReturn:
    """Say what was not understood: to programs here, to people where Typer shows the usage."""
    if not ctx.meta.get(JSON):
        raise error
    _say(ctx, error, error.format_message(), error.exit_code, print_error)
    raise typer.Exit(error.exit_code) from None


def _say(ctx: Any, error: BaseException, text: str, code: int, show: Callable[[str], None]) -> None:
    """Say on the standard error what went wrong, to programs or, by ``show``, to people."""
    if ctx.meta.get(JSON):
        typer.echo(failures.error_line(type(error).__name__, text, code, error), err=True)
    else:
        show(text)


app = typer.Typer(
    name="weft",
    cls=Program,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help can be copied, piped and read anywhere
)


def _show_version(value: bool) -> None:
    if value:
        from importlib.metadata import version

        typer.echo(f"weft {version(DISTRIBUTION)}")
        raise typer.Exit


def _block(title: str, lines: Iterable[str]) -> str:
    # The first line keeps the others from being joined and wrapped.
    return "\n  ".join([f"\b\n{title}:", *lines])


def _epilog(examples: Iterable[str]) -> str:
    return _block("Examples", examples)


@app.callback(epilog=_epilog(EXAMPLES))
def weft(
    show_version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
    verbose: Verbose = False,
) -> None:
    """Weft estimates taggers, parsers and rankers of analyses, uses them, and judges them.

    Any model goes with any way to estimate it: labelled, partly labelled or raw text; a
    conditional, joint, contrastive or other criterion; see `weft recipes`.
    """


USE, LOOK = "Models", "To look things up, and to try"


def _add(module: Any, command: Callable[..., None], panel: str) -> None:
    lists = {**getattr(module, "LISTS", {}), "Examples": module.EXAMPLES}
    epilog = "\n\n".join(_block(*each) for each in lists.items())
    app.command(epilog=epilog, rich_help_panel=panel, cls=PlainCommand)(command)


_add(train, train.train, USE)
_add(predict, predict.predict, USE)
_add(evaluate, evaluate.evaluate, USE)
_add(compare, compare.compare, USE)
_add(inspect, inspect.inspect, USE)
_add(crossvalidate, crossvalidate.crossvalidate, USE)
_add(explain, explain.explain, USE)
_add(report, report.report, USE)
_add(plot, plot.plot, USE)
_add(convert, convert.convert, USE)
_add(recipes, recipes.recipes, LOOK)
_add(neighbours, neighbours.neighbours, LOOK)
_add(demo, demo.demo, LOOK)
_add(reproduce, reproduce.reproduce, LOOK)


def _add_group(
    name: str, text: str, commands: Mapping[str, Callable[..., None]], examples: Sequence[str]
) -> None:
    """Add commands of one group, each with those of the examples that are its own."""
    group = typer.Typer(no_args_is_help=True, rich_markup_mode=None, cls=PlainGroup)
    for each, command in commands.items():
        own = [line for line in examples if f"weft {name} {each} " in f"{line} "]
        group.command(each, epilog=_epilog(own), cls=PlainCommand)(command)
    firsts = [
        next(line for line in examples if f"weft {name} {e} " in f"{line} ") for e in commands
    ]
    app.add_typer(group, name=name, help=text, epilog=_epilog(firsts), rich_help_panel=LOOK)


_add_group(
    "data",
    "Find corpora to train on, and fetch them.",
    {"list": data.list_corpora, "fetch": data.fetch},
    data.EXAMPLES,
)
_add_group(
    "grammar",
    "Ask about a weighted grammar: sums, mistakes, probabilities, trees.",
    {
        "partition": grammar.partition,
        "check": grammar.check,
        "normalise": grammar.normalise,
        "sample": grammar.sample,
        "parse": grammar_sentences.parse,
        "count": grammar_sentences.count,
        "prefix": grammar_sentences.prefix,
    },
    grammar.EXAMPLES,
)
_add_group(
    "unify",
    "Use a feature grammar, or a lexical-functional one: analyses, mistakes, tests.",
    {
        "parse": unify.parse,
        "export": unify.export,
        "check": unify.check,
        "test": unify.try_suite,
        "why": unify.why,
        "generate": unify.generate,
        "propose": unify_propose.propose,
        "marks": unify_marks.marks,
    },
    unify.EXAMPLES,
)
