"""``weft unify`` with lexical-functional grammars: what is printed."""

from __future__ import annotations

import json as json_module
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from weft.cli.output import print_json

if TYPE_CHECKING:
    from weft.commands.unification.pictures import Pictures
    from weft.unification import ParseLimits


@dataclass(frozen=True, slots=True)
class Ranking:
    """How many analyses are printed, and a selector's file if it says which."""

    kbest: int
    model: Path | None = None


def print_analyses(
    grammar: Path,
    sentences: Path,
    ranking: Ranking,
    pictures: Pictures,
    limits: ParseLimits,
    encoding: str,
    *,
    count: bool,
    json: bool,
) -> None:
    """Print the analyses of each sentence, or how many there are."""
    from weft.commands.lfg.sentences import parse_lfg_lines, rank_analyses, show_lfg_analysis
    from weft.commands.unification.ranking import open_selector
    from weft.lfg.pictures import draw_structure, draw_tree

    asked = found = 0
    selector = None if ranking.model is None else open_selector(ranking.model)
    looks = pictures.looks
    for answer in parse_lfg_lines(grammar, sentences, limits, encoding):
        asked += 1
        analyses = answer.analyses
        found += bool(analyses)
        if answer.problem:
            typer.echo(f"weft: {answer.problem}", err=True)
        ranked = [] if count else rank_analyses(answer, ranking.kbest, selector)
        some = [each for each, _ in ranked]
        for number, each in enumerate(some, 1):
            title = f"{answer.text} ({number} of {len(analyses or ()):,})"
            name = f"{answer.line}-{number}.svg"
            pictures.add_linked(title, name, draw_tree(each), draw_structure(each))
        if json:
            known = [probability for _, probability in ranked] if selector else None
            typer.echo(json_module.dumps(answer.as_json(some, known), ensure_ascii=False))
        elif count:
            typer.echo("" if analyses is None else analyses.numbers)
        else:
            shown = [show_lfg_analysis(e, plain=looks.plain, matrix=looks.matrix) for e in some]
            between = "\n" if looks.plain else "\n\n"
            typer.echo("".join(f"{each}{between}" for each in shown), nl=looks.plain or not shown)
            if analyses is not None and len(analyses) > ranking.kbest:
                told = f"weft: {ranking.kbest} of {len(analyses):,} analyses; see --kbest"
                typer.echo(told, err=True)
    pictures.finish()
    if asked and not found:
        raise typer.Exit(1)


def print_findings(grammar: Path, *, json: bool) -> None:
    """Print likely mistakes of a grammar."""
    from weft.commands.lfg.checks import check_lfg_grammar, lfg_findings_json, lfg_findings_lines

    found = check_lfg_grammar(grammar)
    if json:
        print_json(lfg_findings_json(found))
    else:
        typer.echo("\n".join(lfg_findings_lines(found)))
    if found.problems:
        raise typer.Exit(1)


def print_differences(
    grammar: Path, suite: Path, limits: ParseLimits, encoding: str, *, json: bool
) -> None:
    """Print where a grammar differs from a test suite."""
    from weft.commands.lfg.sentences import run_lfg_suite

    found = run_lfg_suite(grammar, suite, limits, encoding)
    if json:
        print_json(found.as_json())
    else:
        for each in found.differences:
            wanted = each.expected
            typer.echo(f"line {wanted.line}: {each.found}, not {wanted.shown}: {wanted.text}")
            if each.answer.analyses is None:
                typer.echo(f"weft: {each.answer.problem}", err=True)
        same = found.sentences - len(found.differences)
        typer.echo(f"{same:,} of {found.sentences:,} sentences as expected")
    if found.differences:
        raise typer.Exit(1)


def print_sentences(grammar: Path, depth: int, most: int, seed: int | None, trees: bool) -> int:
    """Print sentences that a grammar allows, and return how many there were."""
    from weft.commands.lfg.sentences import generate_lfg_sentences
    from weft.lfg.pictures import show_brackets

    count = 0
    for words, tree in generate_lfg_sentences(grammar, depth, most, seed):
        count += 1
        typer.echo(show_brackets(tree) if trees else " ".join(words))
    return count


def print_reasons(grammar: Path, sentence: str, most: int, *, json: bool) -> None:
    """Print why a sentence has no analysis."""
    from weft.commands.lfg.checks import explain_lfg_sentence, lfg_reasons_json, lfg_reasons_lines

    found = explain_lfg_sentence(grammar, sentence, most)
    if json:
        print_json(lfg_reasons_json(found))
    else:
        typer.echo("\n".join(lfg_reasons_lines(found)))
