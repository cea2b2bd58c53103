"""``weft convert``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli import options
from weft.cli.output import messages, print_json, print_parts

if TYPE_CHECKING:
    from rich.console import RenderableType

    from weft.commands import Agreement, ConvertedModel
    from weft.conversions.check import Difference
    from weft.report.tables import Cell


EXAMPLES = (
    "weft convert crf.weft --to hmm",
    "weft convert crf.weft --to hmm --mean-length 25 --check test.tagged",
    "weft convert memm.weft --to mrf --out free.weft",
    "weft convert hmm.weft --to mealy --json",
    "weft convert johnson-6.weft --to hmm --check test.tagged",
    "weft convert parser.weft --to grammar --out rules.cfg",
    "weft convert hmm.weft --to att --out hmm.att",
    "weft convert model.crfsuite --to weft",
    "weft convert crf.weft --to weights --out - | tail -n +2 | sort -t \"$(printf '\\t')\" -k3 -g",
)


def _forms() -> list[str]:
    from weft.commands import EXPORTS
    from weft.conversions.convert import Target

    return [*Target, *EXPORTS]


def convert(
    model: options.Model,
    form: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="FORM",
            autocompletion=_forms,
            help="hmm, mrf (free weights), mealy (words with pairs of tags), moore (with states); "
            "of johnson-5, memm. As text: grammar (rules of a parser, or of a tagger as a PCFG), "
            "nltk (the same for NLTK), att (a tagger as a transducer), weights (of features). "
            "weft: a model of CRFsuite or an older version as a file of this one.",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Where to save it; MODEL with -hmm etc. before its suffix if not."
        ),
    ] = None,
    scale: Annotated[
        float | None,
        typer.Option(metavar="C", help="Divide each step by this: above the growth rate."),
    ] = None,
    mean_length: Annotated[
        float | None,
        typer.Option(metavar="N", help="The mean length of an HMM's sentences; 20 if not given."),
    ] = None,
    check: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Compare both models on these sentences."),
    ] = None,
    format_name: options.FormatName = None,
    column: options.Column = None,
    inputs: options.Inputs = None,
    force: options.Force = False,
    json: options.Json = False,
    max_memory: options.MaxMemory = None,
    verbose: options.Verbose = False,  # noqa: ARG001
) -> None:
    """Convert a model into one of another kind that says the same.

    A chain with free weights becomes an HMM with the same distribution over tags given words, an
    HMM or a MEMM one with free weights, and tables a chain that says exactly the same. Templates
    must be of the word itself, but for mealy and moore. In JSON, what does not apply is null, and
    so is an infinite difference.

    grammar, nltk, att and weights write text for other programs: rules in the notation of `weft
    grammar` or NLTK's, an HMM in the AT&T format of OpenFst, or a line per feature with kind,
    name and weight. Grammars and weights are JSON if FILE ends in .json.
    """
    from weft import commands
    from weft.conversions.convert import Target
    from weft.errors import OptionError, no_such

    if form not in _forms():
        raise OptionError(no_such("form", form, _forms()))
    if form in commands.EXPORTS:
        said = {"--scale": scale, "--mean-length": mean_length, "--check": check}
        for name, value in (said | {"--format": format_name}).items():
            if value is not None:
                raise typer.BadParameter(f"it is not for {form}", param_hint=name)
        _export(model, form, out, force, options.max_bytes(max_memory), json)
        return
    conversion = commands.convert(
        model,
        Target(form),
        out=out,
        scale=scale,
        mean_length=mean_length,
        check=check,
        layout=options.layout(format_name, column, inputs),
        max_bytes=options.max_bytes(max_memory),
        force=force,
    )
    if json:
        print_json(conversion.as_json())
    else:
        print_parts(_parts(conversion))
    messages().print(f"Saved in {conversion.path}", soft_wrap=True)


def _export(
    model: Path, form: str, out: Path | None, force: bool, max_bytes: int | None, json: bool
) -> None:
    from weft import commands

    if json and out == Path("-"):
        raise typer.BadParameter("with --json, name a file", param_hint="--out")
    made = commands.export(model, form, out=out, force=force, max_bytes=max_bytes)
    if json:
        print_json(made.as_json())
    if made.path != "-":
        messages().print(f"Saved in {made.path}: {made.size}", soft_wrap=True)


def _parts(conversion: ConvertedModel) -> list[RenderableType]:
    from weft.report.tables import facts

    tagger = conversion.tagger
    about: dict[str, Cell] = {
        "converted": tagger.notes["converted"],
        "features": len(tagger.weights),
        "states": len(tagger.model.states),
    }
    if conversion.form == "hmm":
        names = ("growth rate", "scale", "mean length")  # tables need none
        about |= {name: tagger.notes[name] for name in names if name in tagger.notes}
    parts: list[RenderableType] = [facts(about)]
    return parts if conversion.check is None else [*parts, *_check_parts(conversion.check)]


def _check_parts(check: Agreement) -> list[RenderableType]:
    from weft.report.tables import table

    count = check.sentences - check.unknown_sentences
    rows = [
        ("words of the vocabulary", count, check.known),
        ("some unknown word", check.unknown_sentences, check.unknown),
    ]
    compared = table(
        "Largest difference of log p(tags | words)",
        ["sentences with", "count", "taggings", "difference"],
        [[name, many, each.compared, f"{each.largest:.2g}"] for name, many, each in rows if many],
    )
    same = f"The same tags: {check.same_tags:,} of {check.sentences:,} sentences"
    found = [each for _, _, each in rows if each.where is not None]
    return [compared, "\n".join([same, *map(_place, found)])]


def _place(difference: Difference) -> str:
    where = difference.where
    if where is None or difference.log_probs is None:
        return ""
    tagged = " ".join(
        f"{word}/{tag}" for word, tag in zip(where.tokens.words, where.analysis or (), strict=True)
    )
    before, after = difference.log_probs
    return f"{before:.6g} became {after:.6g} for {tagged}"
