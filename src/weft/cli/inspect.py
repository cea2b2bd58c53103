"""``weft inspect``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weft.cli import options
from weft.cli.output import messages, plain_parts, print_json, print_parts

if TYPE_CHECKING:
    from rich.console import RenderableType

    from weft.commands import FeatureInspection, Found, Inspection, ParserInspection
    from weft.report.tables import Cell


EXAMPLES = (
    "weft inspect pos.weft",
    "weft inspect pos.weft --top 10 --tag VBG --kind 'tag:suffix*'",
    "weft inspect pos.weft --plot training.svg",
)


def inspect(
    context: typer.Context,
    model: options.Model,
    top: Annotated[
        int, typer.Option(min=0, metavar="N", help="How many features of either sign to list.")
    ] = 20,
    tag: Annotated[
        str | None, typer.Option(metavar="TAG", help="List only features that look at this tag.")
    ] = None,
    kind: Annotated[
        str,
        typer.Option(metavar="PATTERN", help="List only features of these kinds: 'tag:suffix*'."),
    ] = "*",
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
    from weft.report.figures import plot_trace

    loaded = options.opened(model, max_memory)
    use = options.used(context, loaded)
    if plot is not None:
        commands.check_output(plot, [model], force=force)
        plot_trace(plot, loaded.trace)
    found = use.inspect(loaded, top, tag, kind)
    if json:
        print_json(found.as_json())
    else:
        print_parts(_parts_of(found))
    if plot is not None:
        messages().print(f"The training is drawn in {plot}", soft_wrap=True)


def _parts_of(found: Found) -> list[RenderableType]:
    from weft.commands import FeatureInspection, Inspection, ParserInspection

    shown: Mapping[type, Callable[[Any], list[RenderableType]]] = {
        FeatureInspection: _named_parts,
        Inspection: _parts,
        ParserInspection: _parser_parts,
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


def _named_parts(inspection: FeatureInspection) -> list[RenderableType]:
    from rich.columns import Columns

    from weft.report.selection import named_weights_table
    from weft.report.tables import facts, kinds_table, trace_table

    trained = inspection.trained
    about: dict[str, Cell] = {
        **{name: value for name, value in trained.notes.items() if value},
        **{name: " ".join(map(str, value)) for name, value in inspection.more.items()},
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
