"""``weft predict``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from weft.cli import options

EXAMPLES = (
    "weft predict pos.weft test.conllu > tagged.conllu",
    'echo "Time flies like an arrow ." | weft predict pos.weft --format text',
    "weft predict chunks.weft test.txt --output tagged.txt.gz",
    "weft predict pos.weft news.txt --format text --marginals",
    'echo "Time flies like an arrow ." | weft predict parser.weft',
    'echo "Time flies like an arrow ." | weft predict parser.weft --kbest 3 --json',
    'echo "Time flies like an arrow ." | weft predict pos.weft --format text --sample 5 --seed 1',
    "weft predict over-tags.weft news.txt --format text --tagger pos.weft",
    "weft predict ranker.weft parses.jsonl --kbest 3",
)


def predict(
    context: typer.Context,
    model: options.Model,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The sentences; - is the standard input.")
    ] = Path("-"),
    format_name: options.FormatName = None,
    column: options.Column = None,
    inputs: options.Inputs = None,
    separator: options.Separator = None,
    encoding: options.Encoding = None,
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", metavar="FILE", help="Written whole or not at all, gzipped if *.gz."
        ),
    ] = Path("-"),
    posterior: options.Posterior = None,
    decoder: options.DecoderName = None,
    kbest: Annotated[
        int | None,
        typer.Option(
            "--kbest",
            "--top",
            min=1,
            metavar="K",
            help="The K likeliest answers to each sentence; of parse sets, all by default.",
        ),
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="N answers drawn at random, by their probability."),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(min=0, metavar="N", help="The same seed, the same samples; 0 by default."),
    ] = None,
    marginals: Annotated[
        bool,
        typer.Option(
            "--marginals",
            help="Print a JSON object per sentence, with the probabilities of parts of answers.",
        ),
    ] = False,
    json_lines: Annotated[
        bool, typer.Option("--json", help="Print a JSON object per sentence, with its answers.")
    ] = False,
    indent: Annotated[
        bool, typer.Option("--indent", help="Print a parser's trees over several lines.")
    ] = False,
    svg: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Draw a parser's trees there, too: 1.svg, ..."),
    ] = None,
    tagger: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A tagger whose tags, several per word, a shift-reduce parser over tags reads.",
        ),
    ] = None,
    tags_above: Annotated[
        float | None,
        typer.Option(
            min=0.0, max=1.0, metavar="P", help="How probable they must be; 0.01 by default."
        ),
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
    tree. A model for parse sets reads these, and prints a JSON object per sentence.

    A sentence without an analysis gets the closest one, with a warning; one that has not even that
    is left out, and the exit code is 1.

    Several answers come one per line, with an empty line after those of each sentence. With --json,
    every kind of model prints objects of the same keys. An option that a model has no use for is
    refused.
    """
    from weft import commands
    from weft.errors import UnansweredError
    from weft.files import encoded, write_text

    ask = commands.Ask(kbest, sample, seed, options.decoder(posterior, decoder), marginals)
    typed = str(file) == "-" and sys.stdin.isatty()
    chosen = commands.Chosen(only, skip_broken)
    how = commands.How(
        ask,
        options.layout(format_name, column, inputs, separator=separator),
        chosen,
        json=json_lines,
        indent=indent,
        svg=svg,
        inputs=(model, file),
        force=force,
        typed=typed,
        tagger=tagger,
        least=tags_above,
        threads=threads,
        told=options.tell,
    )
    commands.check_output(output, [model, file], force=force)
    loaded = options.opened(model, max_memory)
    use = options.used(context, loaded)
    if typed:
        typer.echo("weft: reading from the terminal; ctrl-D ends the text", err=True)
    unanswered, silent = None, True
    with write_text(output) as stream:
        try:
            for answer in use.predict(loaded, encoded(file, encoding), how):
                stream.write(answer)
                silent = False
        except UnansweredError as error:  # all that have an answer are written
            unanswered = error
    options.tell_left_out(chosen)
    if unanswered is not None:
        raise unanswered
    if silent:
        options.tell_empty(file)
