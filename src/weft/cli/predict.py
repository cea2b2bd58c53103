"""``weft predict``."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli import options

if TYPE_CHECKING:
    from weft.commands import Parsed, Prediction


EXAMPLES = (
    "weft predict pos.weft test.conllu > tagged.conllu",
    'echo "Time flies like an arrow ." | weft predict pos.weft --format text',
    "weft predict chunks.weft test.txt --output tagged.txt.gz",
    "weft predict pos.weft news.txt --format text --marginals",
    'echo "Time flies like an arrow ." | weft predict parser.weft',
    "weft predict ranker.weft parses.jsonl --top 3",
)


def predict(
    model: options.Model,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The sentences; - is the standard input.")
    ] = Path("-"),
    format_name: options.FormatName = None,
    column: options.Column = None,
    inputs: options.Inputs = None,
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", metavar="FILE", help="Written whole or not at all, gzipped if *.gz."
        ),
    ] = Path("-"),
    posterior: options.Posterior = None,
    marginals: Annotated[
        bool,
        typer.Option("--marginals", help="Print a JSON object a sentence, with probabilities."),
    ] = False,
    top: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="How many analyses of a sentence to rank; all by default."
        ),
    ] = None,
    json_lines: Annotated[
        bool,
        typer.Option("--json", help="Print a parser's trees as JSON, an object a sentence."),
    ] = False,
    indent: Annotated[
        bool, typer.Option("--indent", help="Print a parser's trees over several lines.")
    ] = False,
    svg: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Draw a parser's trees there, too: 1.svg, 2.svg, ..."),
    ] = None,
    force: options.Force = False,
    only: options.Only = None,
    skip_broken: options.SkipBroken = False,
    threads: options.Threads = None,
    max_memory: options.MaxMemory = None,
    verbose: options.Verbose = False,  # noqa: ARG001
) -> None:
    """Tag or parse sentences, or rank the analyses of parse sets, by default from stdin to stdout.

    A tagger's format is that of the training corpus unless another is named, or the file shows
    another; tags that are there are replaced. Text comes out as word/TAG. A parser reads text, a
    sentence a line, and prints a tree in brackets for each; for a sentence without one, a flat
    tree. A selector reads parse sets, and prints a JSON object a sentence.
    """
    from weft import commands
    from weft.files import write_text
    from weft.models.parser import Parser
    from weft.models.selector import Selector

    typed = str(file) == "-" and sys.stdin.isatty()
    if typed:
        typer.echo("weft: reading from the terminal; ctrl-D ends the text", err=True)
    commands.check_output(output, [model, file], force=force)
    loaded = options.opened(model, max_memory)
    chosen = commands.Chosen(only, skip_broken)
    if isinstance(loaded, Selector):
        answers: Iterable[str | Prediction] = commands.rank_file(
            loaded, file, chosen=chosen, count=top
        )
    elif isinstance(loaded, Parser):
        layout = options.layout(format_name, column, inputs)
        root = loaded.model.grammar.nonterminals[loaded.model.grammar.start]
        parses = commands.parse_file(loaded, file, layout=layout, threads=threads)
        answers = (
            _parse_text(each, root, json_lines, indent)
            for each in (parses if svg is None else _drawn(parses, svg, [model, file], force))
        )
    else:
        ask = commands.predict_marginals if marginals else commands.predict
        answers = ask(
            loaded,
            file,
            layout=options.layout(format_name, column, inputs),
            decoder=options.decoder(posterior),
            threads=threads,
            batch_tokens=1 if typed else commands.BATCH_TOKENS,
            told=options.tell,
        )
    with write_text(output) as stream:
        for answer in answers:
            stream.write(answer if isinstance(answer, str) else _line(answer))
    for problem in chosen.broken:
        typer.echo(f"weft: left out: {problem}", err=True)


def _drawn(
    parses: Iterable[Parsed], folder: Path, inputs: list[Path], force: bool
) -> Iterator[Parsed]:
    """Draw trees while they pass."""
    from weft.commands import check_output
    from weft.files import write_text
    from weft.report.trees import tree_svg

    folder.mkdir(parents=True, exist_ok=True)
    for number, parsed in enumerate(parses, 1):
        if parsed.tree is not None:
            path = folder / f"{number}.svg"
            check_output(path, inputs, force=force)
            with write_text(path) as stream:
                stream.write(tree_svg(parsed.tree, " ".join(parsed.tokens.columns[-1])))
        yield parsed


def _parse_text(parsed: Parsed, root: str, as_json: bool, indent: bool) -> str:
    if parsed.problem:
        flat = "" if as_json else "; a flat tree is printed"
        typer.echo(f"weft: {parsed.tokens.source}: {parsed.problem}{flat}", err=True)
    if parsed.note:
        typer.echo(f"weft: {parsed.tokens.source}: {parsed.note}", err=True)
    if as_json:
        return parsed.line()
    if indent:
        from weft.report.trees import indented

        return indented(parsed.printed(root)) + "\n\n"
    return parsed.brackets(root) + "\n"


def _line(prediction: Prediction) -> str:
    return json.dumps(prediction.as_json(), ensure_ascii=False, allow_nan=False) + "\n"
