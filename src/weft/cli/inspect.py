"""``weft inspect``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weft.cli import options
from weft.cli.output import messages, plain_parts, print_json, print_parts
from weft.errors import OptionError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from weft.commands import (
        FeatureInspection,
        Found,
        Inspection,
        ParserInspection,
        Traced,
        Tracing,
    )
    from weft.report.tables import Cell


EXAMPLES = (
    "weft inspect pos.weft",
    "weft inspect pos.weft --top 10 --tag VBG --kind 'tag:suffix*'",
    "weft inspect pos.weft --plot training.svg",
    "weft inspect shift-reduce.weft --mass",
    "weft inspect shift-reduce.weft --trace 'we know that sheep sleep' --html moves.html",
)

FEATURES = 20
"""How many features of either sign are listed, if nothing is said."""


def inspect(
    context: typer.Context,
    model: options.Model,
    top: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help="How many features of either sign to list, 20 by default; or of a trace, how "
            "many rivals of each move, 3 by default.",
        ),
    ] = None,
    tag: Annotated[
        str | None, typer.Option(metavar="TAG", help="List only features that look at this tag.")
    ] = None,
    kind: Annotated[
        str,
        typer.Option(metavar="PATTERN", help="List only features of these kinds: 'tag:suffix*'."),
    ] = "*",
    trace: Annotated[
        str | None,
        typer.Option(
            metavar="SENTENCE",
            help="Show how a shift-reduce parser parses this sentence, move by move.",
        ),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the trace as a page to step through, too."),
    ] = None,
    mass: Annotated[
        bool,
        typer.Option(
            "--mass",
            help="Show how much probability a joint shift-reduce parser gives to finished parses, "
            "and what it loses where; --top says at how many pairs. Of a PCFG with "
            "binarise=johnson, show the share of canonical trees.",
        ),
    ] = False,
    json: options.Json = False,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw the training as .png, .svg or .pdf."),
    ] = None,
    force: options.Force = False,
    max_memory: options.MaxMemory = None,
    verbose: options.Verbose = False,  # noqa: ARG001
) -> None:
    """Show a model's origin, tags, strongest features or rules, and training.

    An option that a model has no use for is refused.
    """
    from weft import commands
    from weft.cli.plot import save_plot
    from weft.plot import training

    loaded = options.opened(model, max_memory)
    use = options.used(context, loaded)
    _check(context, trace is not None)
    for path in (plot, html):
        if path is not None:
            commands.check_output(path, [model], force=force)
    if plot is not None:
        save_plot(plot, lambda: training(loaded))
    if trace is not None:
        _print_trace(use.trace(loaded, trace, top), html, json)
        return
    count = FEATURES if top is None else top
    found = use.mass(loaded, count) if mass else use.inspect(loaded, count, tag, kind)
    if json:
        print_json(found.as_json())
    else:
        print_parts(_parts_of(found))
    if plot is not None:
        messages().print(f"The training is drawn in {plot}", soft_wrap=True)


def _check(context: typer.Context, traced: bool) -> None:
    """Refuse what has no use with a trace, and what has none without."""
    given = options.given(context)
    if not traced and "--html" in given:
        raise OptionError("--html writes a trace: give the sentence, too, as --trace SENTENCE")
    for option in ("--kind", "--plot", "--mass"):
        if traced and option in given:
            raise OptionError(f"{option} looks at a model, and --trace at one parse: give one only")
    if "--mass" in given and "--kind" in given:
        raise OptionError("--kind is about features, and --mass about probability: give one only")


def _print_trace(found: Traced, html: Path | None, json: bool) -> None:
    from weft.files import write_text

    if html is not None:
        with write_text(html) as stream:
            stream.write(found.page())
        if str(html) == "-":  # which is the page's
            return
    if json:
        print_json(found.as_json())
    else:
        print_parts(_parts_of(found))
    if html is not None:
        messages().print(f"The moves can be stepped through in {html}", soft_wrap=True)


def _parts_of(found: Found) -> list[RenderableType]:
    from weft.commands import Facts, FeatureInspection, Inspection, ParserInspection, Tracing
    from weft.report.tables import facts

    shown: Mapping[type, Callable[[Any], list[RenderableType]]] = {
        Facts: lambda found: [facts(found.told)],
        FeatureInspection: _named_parts,
        Inspection: _parts,
        ParserInspection: _parser_parts,
        Tracing: _moves_parts,
    }
    return shown.get(type(found), plain_parts)(found)


def _parser_parts(inspection: ParserInspection) -> list[RenderableType]:
    from weft.report.tables import facts, kinds_table, table, trace_table

    parser = inspection.parser
    grammar = parser.model.grammar
    about: dict[str, Cell] = {
        **{name: value for name, value in parser.notes.items() if value},
        "nonterminals": len(grammar.nonterminals),
        "different terminals": len(grammar.terminals),
        "rules": grammar.rule_count,
        "features": len(parser.weights),
    }
    heaviest = [(name, f"{weight:.3f}") for name, weight in inspection.rules]
    parts: list[RenderableType] = [facts(about), kinds_table(inspection.kinds)]
    parts.append(table("Heaviest rules", ["rule", "log-weight"], heaviest))
    return [*parts, trace_table(parser.trace)] if parser.trace else parts


def _moves_parts(tracing: Tracing) -> list[RenderableType]:
    from rich.text import Text

    from weft.report.moves import moves_table, summary
    from weft.report.trees import indent_tree

    trace = tracing.trace
    return [moves_table(trace), Text(summary(trace)), indent_tree(trace.tree)]


def _named_parts(inspection: FeatureInspection) -> list[RenderableType]:
    from rich.columns import Columns

    from weft.report.selection import named_weights_table
    from weft.report.tables import facts, kinds_table, trace_table

    trained = inspection.trained
    about: dict[str, Cell] = {
        **{name: value for name, value in trained.notes.items() if value},
        **{k: " ".join(map(str, v)) for k, v in inspection.more.items() if isinstance(v, list)},
        **inspection.told,
        "features": len(trained.weights),
    }
    signed = {"Strongest for": inspection.positive, "Strongest against": inspection.negative}
    tables = [named_weights_table(title, some) for title, some in signed.items() if some]
    parts: list[RenderableType] = [facts(about), kinds_table(inspection.kinds), Columns(tables)]
    return [*parts, trace_table(trained.trace)] if trained.trace else parts


def _parts(inspection: Inspection) -> list[RenderableType]:
    from weft.report.tables import facts, kinds_table, trace_table

    tagger = inspection.tagger
    about: dict[str, Cell] = {
        **{name: value for name, value in tagger.notes.items() if value},
        "order": tagger.model.topology.order,
        "features": len(tagger.weights),
        f"{len(tagger.model.tags)} tags": " ".join(tagger.model.tags),
    }
    parts: list[RenderableType] = [facts(about)]
    if inspection.kinds:
        parts.append(kinds_table(inspection.kinds))
    if inspection.positive or inspection.negative:
        parts.append(feature_tables(inspection))
    return [*parts, trace_table(tagger.trace)] if tagger.trace else parts


def feature_tables(inspection: Inspection) -> RenderableType:
    """Return the strongest features of either sign, side by side where there is room."""
    from rich.columns import Columns

    from weft.report.tables import weights_table

    signed = {"Strongest for": inspection.positive, "Strongest against": inspection.negative}
    return Columns([weights_table(title, weights) for title, weights in signed.items() if weights])
