"""``weft unify propose``: analyses of all sentences of a grammar, drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from weft.cli import options
from weft.cli.output import print_json
from weft.cli.unify import Encoding, GrammarFile


def propose(
    grammar: GrammarFile,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="Written as a line of JSON.")
    ],
    trials: Annotated[
        int, typer.Option("-n", "--trials", min=1, metavar="N", help="How often to draw.")
    ] = 10_000,
    like: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Parse sets whose right analyses say how often rules are used, or all analyses "
            "where none is right; or an earlier universe. Without it all rules of a category "
            "have the same probability.",
        ),
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(metavar="MODEL", help="Weighs the analyses of --like where none is right."),
    ] = None,
    words: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Sentences whose words are drawn, and no others, from a grammar .lfg; by default, "
            "all words of its lexicon.",
        ),
    ] = None,
    smoothing: Annotated[
        float, typer.Option(metavar="X", help="Added to the count of every rule; above 0.")
    ] = 0.5,
    depth: Annotated[
        int, typer.Option(min=1, metavar="N", help="How many categories may lie above a word.")
    ] = 40,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Of the draws.")] = 0,
    encoding: Encoding = "utf-8",
    force: options.Force = False,
    json: options.Json = False,
    verbose: options.Verbose = False,  # noqa: ARG001
) -> None:
    """Draw analyses of all sentences of a grammar, for `weft train --criterion joint`.

    A covering grammar draws rules, features are unified on the way, and what fails is thrown away.
    Of a grammar .lfg choices and words are drawn, too, and statements are made true on the way.
    Each analysis has a weight, so that the sum over those drawn stands for the sum over all. How
    much they are worth is told: draw again with --like UNIVERSE --model MODEL where it is little.
    """
    from weft.commands import check_output
    from weft.commands.unification.proposals import Draws, propose_universe

    read = [each for each in (grammar, like, model, words) if each is not None]
    check_output(output, read, force=force)
    draws = Draws(trials, smoothing, depth, seed)
    found = propose_universe(
        grammar, output, draws, like=like, model=model, words=words, encoding=encoding
    )
    if json:
        print_json(found.as_json())
        return
    lines = [
        f"{found.analyses:,} of {found.tried:,} trials came to an analysis, {found.distinct:,} of "
        "them different",
        f"they are worth {found.effective:,.0f} independent draws "
        + ("from the model" if model else "if all analyses weigh the same")
        + f"; a walk over them accepts {found.accepted:.0%}",
    ]
    if found.bound is not None and found.bound < float("inf"):
        lines.append(f"log Z over all analyses is at most {found.bound:.4g}")
    elif found.bound is not None:
        lines.append("the sum over the covering grammar is infinite: log Z has no known bound")
    elif found.unbounded:
        lines.append(f"log Z has no known bound: {found.unbounded}")
    if found.deep:
        lines.append(f"{found.deep:,} trials got too deep, or too large (see --like and --depth)")
    typer.echo("\n".join(f"weft: {line}" for line in lines), err=True)
