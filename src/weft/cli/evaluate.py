"""``weft evaluate``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weft.cli import options
from weft.cli.output import plain_parts, print_json, print_parts

if TYPE_CHECKING:
    from rich.console import RenderableType

    from weft.commands import (
        Assessment,
        Evaluation,
        Found,
        ParserEvaluation,
        SelectionEvaluation,
    )
    from weft.evaluate.chunks import ChunkCounts, ChunkMeans, ChunkScores
    from weft.evaluate.selection import SelectionScores
    from weft.evaluate.tagging import TaggingScores
    from weft.report.tables import Cell

_CONFUSIONS = 10
_SHOWN_TOP = (2, 5)


EXAMPLES = (
    "weft evaluate pos.weft test.conllu",
    "weft evaluate chunks.weft test.txt --posterior",
    "weft evaluate pos.weft test.conllu --json | jq .accuracy",
)


def evaluate(
    context: typer.Context,
    model: options.Model,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Tagged sentences; - is the standard input.")
    ],
    format_name: options.FormatName = None,
    column: options.Column = None,
    inputs: options.Inputs = None,
    partial: options.Partial = False,
    separator: options.Separator = None,
    encoding: options.Encoding = None,
    posterior: options.Posterior = None,
    decoder: options.DecoderName = None,
    tag_map: options.TagMap = None,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Refuse a gold tag that the model's dictionary excludes, instead of counting it.",
        ),
    ] = False,
    only: options.Only = None,
    skip_broken: options.SkipBroken = False,
    threads: options.Threads = None,
    json: options.Json = False,
    max_memory: options.MaxMemory = None,
    verbose: options.Verbose = False,  # noqa: ARG001
) -> None:
    """Say how good a model is, on tagged sentences, trees or parse sets.

    Words are known if the training corpus has them, ambiguous if the dictionary or, without one,
    the training corpus gives them several tags.
    In JSON, accuracies are fractions, and null where there is nothing to count. An option that a
    model has no use for is refused.
    """
    from weft import commands
    from weft.files import encoded

    loaded = options.opened(model, max_memory)
    how = commands.How(
        layout=options.layout(format_name, column, inputs, partial, separator),
        chosen=commands.Chosen(only, skip_broken),
        decoder=options.decoder(posterior, decoder),
        tag_map=encoded(tag_map, encoding),
        strict=strict,
        threads=threads,
        told=options.tell,
    )
    found = options.used(context, loaded).evaluate(loaded, encoded(file, encoding), how)
    if json:
        print_json(found.as_json())
    else:
        print_parts(_parts_of(found))


def _parts_of(found: Found) -> list[RenderableType]:
    from weft.commands import Assessment, Evaluation, ParserEvaluation, SelectionEvaluation

    shown: Mapping[type, Callable[[Any], list[RenderableType]]] = {
        Assessment: _assessment_parts,
        Evaluation: _parts,
        ParserEvaluation: parser_parts,
        SelectionEvaluation: selection_parts,
    }
    return shown.get(type(found), plain_parts)(found)


def _assessment_parts(found: Assessment) -> list[RenderableType]:
    from weft.report.tables import facts, percent, table

    scores = found.scores
    rows: list[list[Cell]] = [
        ["all tokens", scores.tokens, percent(scores.accuracy)],
        ["the most frequent label", scores.tokens, percent(found.baseline)],
        ["whole sentences", scores.sentences, percent(scores.sentence_accuracy)],
    ]
    pairs: dict[str, Cell] = {"log p(labels | words)": f"{found.log_likelihood:,.2f}"}
    if found.unanalysed_sentences:
        pairs["without an analysis"] = _unanalysed(found.unanalysed_sentences)
    if found.impossible_sentences:
        pairs["left out of it"] = (
            f"{found.impossible_sentences:,} sentences whose labels the model excludes"
        )
    tables: list[RenderableType] = [table("Accuracy", ["", "count", "right"], rows), facts(pairs)]
    tables += [_chunk_table(found.chunks)] if found.chunks is not None else []
    return [*tables, _confusion_table(scores)] if scores.confusions else tables


def parser_parts(evaluation: ParserEvaluation) -> list[RenderableType]:
    """Return what is said of a parser."""
    from weft.report.tables import table

    scores = evaluation.scores
    columns = {"all": scores.overall, f"≤ {scores.cutoff} words": scores.short}
    headers = ["", "trees", "P", "R", "F1", "unlabelled", "exact", "cross", "tags"]
    rows: list[list[Cell]] = [
        [
            name,
            counts.sentences,
            *(f"{100 * share:.2f}" for share in (counts.precision, counts.recall, counts.f1)),
            f"{100 * counts.unlabelled.f1:.2f}",
            f"{100 * counts.exact_match:.2f}",
            f"{counts.mean_crossing:.2f}",
            f"{100 * counts.tagging_accuracy:.2f}",
        ]
        for name, counts in columns.items()
    ]
    parts: list[RenderableType] = [table("Brackets, in per cent", headers, rows)]
    parts += [f"no tree: {name}" for name in evaluation.failures]
    parts += [f"left out: {each.source}: {each.problem}" for each in scores.left_out]
    if evaluation.strange:
        parts.append(f"{evaluation.strange:,} trees have {evaluation.made_of}")
    if evaluation.likely_tokens:
        mean = evaluation.log_likelihood / evaluation.likely_tokens
        of = " of the others" if evaluation.strange or evaluation.failures else ""
        parts.append(f"log p(tree | sentence){of}: {mean:z.4f} per word")
    if evaluation.bits_per_word is not None:
        parts.append(f"-log₂ p(sentence): {evaluation.bits_per_word:.4f} bits per word")
    return parts


def scores_table(title: str, rows: Mapping[str, SelectionScores]) -> RenderableType:
    """Return a table of scores on ambiguous sentences, a row an estimator."""
    from weft.report.tables import percent, table

    headers = ["", "sentences", "C", "−log PL", "expected", *(f"top {k}" for k in _SHOWN_TOP)]
    return table(
        title,
        headers,
        [
            [
                name,
                scores.ambiguous,
                percent(scores.accuracy),
                f"{scores.neg_log_pl:,.1f}",
                percent(scores.expected_accuracy),
                *(percent(scores.top_accuracy(k)) for k in _SHOWN_TOP),
            ]
            for name, scores in rows.items()
        ],
    )


def selection_parts(evaluation: SelectionEvaluation) -> list[RenderableType]:
    """Return what is said of a selector."""
    rows = {"baseline": evaluation.baseline, "selector": evaluation.scores}
    left_out = [f"left out: {problem}" for problem in evaluation.broken]
    unknown = evaluation.unknown
    if unknown:
        left_out.append(f"{unknown:,} sentences do not say which analysis is right")
    return [scores_table("Right choices", rows), *left_out]


def _parts(evaluation: Evaluation) -> list[RenderableType]:
    tables = [accuracy_table(evaluation), _likelihood(evaluation), _choices(evaluation)]
    if evaluation.chunks is not None:
        tables.append(_chunk_table(evaluation.chunks))
    if evaluation.scores.confusions:
        tables.append(_confusion_table(evaluation.scores))
    return tables


def accuracy_table(evaluation: Evaluation) -> RenderableType:
    """Return the accuracies on all words and on those that are hard."""
    from weft.report.tables import percent, table

    scores = evaluation.scores
    rows = (
        ("all words", scores.tokens, scores.accuracy),
        ("known words", scores.known_tokens, scores.known_accuracy),
        ("unknown words", scores.unknown_tokens, scores.unknown_accuracy),
        ("ambiguous words", scores.ambiguous_tokens, scores.ambiguous_accuracy),
        ("whole sentences", scores.sentences, scores.sentence_accuracy),
    )
    return table(
        "Accuracy",
        ["", "count", "right"],
        [[name, count, percent(accuracy)] for name, count, accuracy in rows],
    )


def _unanalysed(count: int) -> str:
    from weft.reprs import count_things

    return f"{count_things(count, 'sentence')}, of which the closest one counts"


def _likelihood(evaluation: Evaluation) -> RenderableType:
    from weft.report.tables import facts

    totals = {
        "log p(tags | words)": evaluation.log_likelihood,
        "log p(tags, words)": evaluation.joint_log_likelihood,
        "log p(words)": evaluation.marginal_log_likelihood,
    }
    tokens = evaluation.likely_tokens
    pairs: dict[str, Cell] = {}
    for name, total in totals.items():
        if total is not None:
            each = f", {total / tokens:.4f} per token" if tokens else ""
            pairs[name] = f"{total:,.2f}{each}"
    if evaluation.unanalysed_sentences:
        pairs["without an analysis"] = _unanalysed(evaluation.unanalysed_sentences)
    if evaluation.impossible_sentences:
        pairs["left out of it"] = (
            f"{evaluation.impossible_sentences:,} sentences whose tags the model excludes"
        )
    if evaluation.allowed is not None:
        pairs["allowed"] = str(evaluation.allowed)
    return facts(pairs)


def _choices(evaluation: Evaluation) -> RenderableType:
    """Chance and doubt, and what concerns only models that learn without labels."""
    from weft.report.tables import facts, percent

    choices, clusters = evaluation.choices, evaluation.clusters
    hard = evaluation.scores.ambiguous_tokens > 0

    def both(whole: float | None, part: float | None) -> str:
        return percent(whole) + (f", ambiguous words {percent(part)}" if hard else "")

    pairs: dict[str, Cell] = {
        "expected accuracy": both(choices.expected_accuracy, choices.ambiguous_expected_accuracy),
        "random choice": both(choices.random_accuracy, choices.ambiguous_random_accuracy),
    }
    if choices.tags_per_token is not None:
        pairs["tags per token"] = f"{choices.tags_per_token:.2f}"
    excluded = choices.excluded_tokens - choices.unknown_tag_tokens
    left_out = "are not allowed there" if evaluation.allowed else "the dictionary excludes"
    causes = {"the model does not have": choices.unknown_tag_tokens, left_out: excluded}
    parts = [
        f"{count:,} tokens whose gold tags {cause}" for cause, count in causes.items() if count
    ]
    if parts:
        pairs["never right"] = ", ".join(parts)
    if evaluation.unsupervised:
        pairs["many-to-one"] = percent(clusters.many_to_one_accuracy)
        pairs["V-measure"] = (
            f"{percent(clusters.v_measure)}, homogeneity {percent(clusters.homogeneity)}, "
            f"completeness {percent(clusters.completeness)}"
        )
    mean = evaluation.divergence.mean if evaluation.divergence else None
    if mean is not None:
        pairs["KL of p(word | tag)"] = f"{mean:.4f} nats per token"
    return facts(pairs)


def _chunk_table(chunks: ChunkScores) -> RenderableType:
    from weft.report.tables import percent, table

    counted = {"all chunks": chunks.overall, **chunks.types}
    rows: list[tuple[Cell, Cell, Cell, ChunkCounts | ChunkMeans]] = [
        (name, each.gold, each.predicted, each) for name, each in counted.items()
    ]
    if len(chunks.types) > 1:
        rows.append(("mean of types", None, None, chunks.macro))
        rows.append(("mean by gold", None, None, chunks.weighted))
    return table(
        "Chunks",
        ["", "gold", "predicted", "precision", "recall", "F1"],
        [
            (name, gold, made, percent(each.precision), percent(each.recall), percent(each.f1))
            for name, gold, made, each in rows
        ],
    )


def _confusion_table(scores: TaggingScores) -> RenderableType:
    from weft.report.tables import table

    top = scores.confusions[:_CONFUSIONS]
    return table(
        "Most frequent mistakes",
        ["gold", "predicted", "count"],
        [[gold, predicted, count] for (gold, predicted), count in top],
    )
