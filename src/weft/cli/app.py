"""The program ``weft``: its commands, and what becomes of errors.

Nothing here may import numpy, nor may the modules of the commands before they are called, so that
``--version``, ``--help`` and shell completion come at once.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterable
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from weft import interrupts
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
from weft.cli.help import GroupedCommand, write_groups
from weft.cli.options import VERBOSE, Verbose
from weft.cli.output import error_mark
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
    "weft inspect model.weft --top 10",
)


class Program(TyperGroup):
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
        with interrupts.caught() as caught:
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
                _say(ctx, interrupt, text, caught.code, "weft: ")
                raise typer.Exit(caught.code) from None
            except (WeftError, OSError, MemoryError) as error:
                if ctx.meta.get(VERBOSE):
                    traceback.print_exception(error)
                streams.settle_output()
                code = 2 if isinstance(error, OptionError) else 1
                _say(ctx, error, failures.message(error), code, f"{error_mark()} ")
                raise typer.Exit(code) from None
            except UsageError as error:
                _tell_usage(ctx, error)
            if caught.number is not None:
                raise typer.Exit(caught.code)
        return result

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands, in groups."""
        found = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        width = formatter.width - 6 - max(len(name) for name, _ in found)
        write_groups(
            formatter,
            (
                (getattr(each, "rich_help_panel", None) or "Commands", (name, _short(each, width)))
                for name, each in found
                if each is not None
            ),
        )


def _tell_usage(ctx: Any, error: Any) -> NoReturn:
    """Say what was not understood: to programs here, to people where Typer shows the usage."""
    if not ctx.meta.get(JSON):
        raise error
    _say(ctx, error, error.format_message(), error.exit_code, "")
    raise typer.Exit(error.exit_code) from None


def _say(ctx: Any, error: BaseException, text: str, code: int, before: str) -> None:
    """Say on the standard error what went wrong."""
    if ctx.meta.get(JSON):
        typer.echo(failures.error_line(type(error).__name__, text, code, error), err=True)
    else:
        typer.echo(f"{before}{text}", err=True)


def _short(command: Any, width: int) -> str:
    text: str = command.get_short_help_str(width)
    return text


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

        typer.echo(f"weft {version('weft')}")
        raise typer.Exit


def _epilog(examples: Iterable[str]) -> str:
    # The first line keeps the others from being joined and wrapped.
    return "\n  ".join(["\b\nExamples:", *examples])


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


def _add(name_of: Any, command: Callable[..., None], panel: str, **more: Any) -> None:
    app.command(epilog=_epilog(name_of.EXAMPLES), rich_help_panel=panel, **more)(command)


_add(train, train.train, USE, cls=GroupedCommand)
_add(predict, predict.predict, USE)
_add(evaluate, evaluate.evaluate, USE)
_add(compare, compare.compare, USE)
_add(inspect, inspect.inspect, USE)
_add(crossvalidate, crossvalidate.crossvalidate, USE)
_add(explain, explain.explain, USE)
_add(report, report.report, USE)
_add(plot, plot.plot, USE, cls=GroupedCommand)
_add(convert, convert.convert, USE)
_add(recipes, recipes.recipes, LOOK)
_add(neighbours, neighbours.neighbours, LOOK)
_add(demo, demo.demo, LOOK)
_add(reproduce, reproduce.reproduce, LOOK)

_data = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
_data.command("list", epilog=_epilog(data.EXAMPLES))(data.list_corpora)
_data.command(epilog=_epilog(data.EXAMPLES))(data.fetch)
app.add_typer(
    _data,
    name="data",
    help="Find corpora to train on, and fetch them.",
    epilog=_epilog(data.EXAMPLES),
    rich_help_panel=LOOK,
)

_grammar = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
_grammar.command()(grammar.partition)
_grammar.command()(grammar.check)
_grammar.command()(grammar.normalise)
_grammar.command()(grammar.sample)
_grammar.command()(grammar_sentences.parse)
_grammar.command()(grammar_sentences.count)
_grammar.command()(grammar_sentences.prefix)
app.add_typer(
    _grammar,
    name="grammar",
    help="Ask about a grammar: sums, mistakes, probabilities, trees.",
    epilog=_epilog(grammar.EXAMPLES),
    rich_help_panel=LOOK,
)

_unify = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
_unify.command()(unify.parse)
_unify.command()(unify.export)
_unify.command()(unify.check)
_unify.command("test")(unify.try_suite)
_unify.command()(unify.why)
_unify.command()(unify.generate)
_unify.command()(unify_propose.propose)
_unify.command()(unify_marks.marks)
app.add_typer(
    _unify,
    name="unify",
    help="Use a feature grammar: analyses, parse sets, mistakes, tests.",
    epilog=_epilog(unify.EXAMPLES),
    rich_help_panel=LOOK,
)
