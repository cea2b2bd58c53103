"""``weft demo``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli import options
from weft.cli.output import messages, print_json, print_parts

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from weft.commands import Demonstration
    from weft.structures.evidence import Example

_NEXT = """\
The same on data of your own (CoNLL-U, columns or word/TAG text):
  weft train model.weft --train TRAIN --dev DEV
  weft evaluate model.weft TEST
  weft inspect model.weft
  echo "The old man saw the ship ." | weft predict model.weft --format text"""


_COMPARED = """\
One chain, which sees a word and the tag before, estimated in different ways. Accuracy is on the
test part; log-likelihoods are of the training part, a token, where they exist: joint is the sum
of conditional and marginal."""

EXAMPLES = ("weft demo", "weft demo --brief")


def demo(
    brief: Annotated[
        bool, typer.Option("--brief", help="The tagger alone, in a few lines.")
    ] = False,
    threads: options.Threads = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,  # noqa: ARG001
) -> None:
    """Train taggers on a small corpus that comes with Weft, and compare them."""
    from weft import commands
    from weft.cli.progress import watching

    console = messages()
    console.quiet = quiet
    with watching(console) as watch:
        shown = commands.demo(compare=not brief, threads=threads, watch=watch)
    if json:
        print_json(shown.as_json())
        return
    parts = _parts(shown)
    print_parts([*parts[:2], *parts[3:5]] if brief else parts)


def _parts(shown: Demonstration) -> list[RenderableType]:
    from rich.console import Group

    from weft.cli.evaluate import accuracy_table
    from weft.cli.inspect import feature_tables

    tagger = shown.tagger
    return [
        f"Trained a conditional random field on {len(shown.training):,} sentences in "
        f"{tagger.trace[-1].seconds or 0.0:.1f} s: {len(tagger.model.tags)} tags,\n"
        f"{len(tagger.weights):,} features. On {shown.evaluation.scores.sentences:,} others:",
        accuracy_table(shown.evaluation),
        feature_tables(shown.inspection),
        "Some of these sentences, mistakes as word/TAG≠RIGHT:",
        Group(*(tagged_text(example, tags) for example, tags in shown.sentences)),
        _COMPARED,
        _comparison(shown),
        _NEXT,
    ]


def _comparison(shown: Demonstration) -> RenderableType:
    from weft.report.tables import percent, table

    rows = []
    for each in shown.compared:
        likelihoods = each.training
        tokens = likelihoods.likely_tokens
        totals = (
            likelihoods.joint_log_likelihood,
            likelihoods.log_likelihood,
            likelihoods.marginal_log_likelihood,
        )
        per_token = ["—" if total is None else f"{total / tokens:.3f}" for total in totals]
        accuracy = percent(each.test.accuracy)
        rows.append([each.recipe.name, accuracy, *per_token, f"{each.seconds:.1f}"])
    headers = ["recipe", "accuracy", "joint", "conditional", "marginal", "seconds"]
    return table("The same chain, estimated in different ways", headers, rows)


def tagged_text(example: Example, predicted: tuple[str, ...]) -> Text:
    """Return a sentence with its predicted tags, in which mistakes stand out.

    >>> from weft.structures.evidence import example
    >>> tagged_text(example(["the", "saw"], ["DT", "NN"]), ("DT", "VBD")).plain
    'the/DT saw/VBD≠NN'
    """
    from rich.text import Text

    text = Text()
    labels = example.analysis or predicted
    for word, gold, tag in zip(example.tokens.words, labels, predicted, strict=True):
        wrong = tag != gold
        text.append(" " if text else "").append(word).append(f"/{tag}", "red" if wrong else "dim")
        if wrong:
            text.append(f"≠{gold}", "bold red")
    return text
