"""``weft grammar``: its sums, its mistakes, its probabilistic form, random trees."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli import algebra, options
from weft.cli.output import print_json, print_parts

if TYPE_CHECKING:
    from rich.console import RenderableType

    from weft.commands.grammar.questions import GrammarCheck, GrammarSums
    from weft.grammars.equivalence import Equivalence
    from weft.grammars.normalise import Normalised
    from weft.report.tables import Cell

EXAMPLES = (
    "weft grammar partition toy.pcfg",
    "weft grammar partition toy.pcfg --lengths 10 --growth --json",
    "weft grammar check toy.pcfg",
    "weft grammar check toy.pcfg other.pcfg --conditional",
    "weft grammar normalise toy.wcfg -o toy.pcfg",
    "weft grammar normalise toy.wcfg --conditional --mean-length 20",
    "weft grammar sample toy.pcfg -n 10 --seed 1",
    "weft grammar sample toy.pcfg -n 1000 --words > strings.txt",
    'echo "the dog barks" | weft grammar parse toy.pcfg',
    "weft grammar parse toy.pcfg sentences.txt --json",
    'echo "the dog barks" | weft grammar count toy.pcfg',
    'echo "the dog" | weft grammar prefix toy.pcfg --top 3',
)

GrammarFile = Annotated[
    Path,
    typer.Argument(
        metavar="GRAMMAR",
        help="Rules such as S -> NP VP [0.9], as in NLTK's files, or *.json; - is the standard "
        "input.",
    ),
]

Algebra = Annotated[
    int | None,
    typer.Option(
        "--threads",
        min=1,
        metavar="N",
        callback=algebra.bound,
        help="How many threads linear algebra has; 1 by default.",
    ),
]


def partition(
    grammar: GrammarFile,
    lengths: Annotated[
        int | None,
        typer.Option(min=0, metavar="N", help="Sum the strings of each length up to N, too."),
    ] = None,
    rate: Annotated[
        bool,
        typer.Option(
            "--growth",
            help="Say how fast the weight of all strings of a length grows, too: it takes some "
            "fifty times as long.",
        ),
    ] = False,
    threads: Algebra = None,  # noqa: ARG001
    json: options.Json = False,
    verbose: options.Verbose = False,  # noqa: ARG001
) -> None:
    """Sum the weights of all trees below each symbol.

    Says whether the sums converge, and by which cycle they do not; whether the grammar is
    probabilistic and tight; the mean length and the entropy of its trees.
    """
    from weft.commands.grammar.questions import grammar_sums

    found = grammar_sums(grammar, lengths, rate=rate)
    if json:
        print_json(found.as_json())
    else:
        print_parts(_sum_parts(found))


def check(
    grammar: GrammarFile,
    other: Annotated[
        Path | None,
        typer.Argument(metavar="OTHER", help="Other weights of the same rules, to be compared."),
    ] = None,
    conditional: Annotated[
        bool,
        typer.Option("--conditional", help="Compare the distributions of trees given strings."),
    ] = False,
    threads: Algebra = None,  # noqa: ARG001
    json: options.Json = False,
    verbose: options.Verbose = False,  # noqa: ARG001
) -> None:
    """Look for mistakes in a grammar, or compare two weightings of it.

    The exit code is 1 if there is a symbol without rules, without strings or out of reach, or if
    the two weightings do not define the same distribution.
    """
    from weft.commands.grammar.questions import check_grammar, compare_grammars

    if other is not None:
        comparison = compare_grammars(grammar, other, conditional=conditional)
        _show_comparison(comparison, json)
        raise typer.Exit(0 if comparison.same else 1)
    found = check_grammar(grammar)
    if json:
        print_json(found.as_json())
    else:
        print_parts(_check_parts(found))
    if found.problems:
        raise typer.Exit(1)


def normalise(
    grammar: GrammarFile,
    conditional: Annotated[
        bool,
        typer.Option(
            "--conditional",
            help="Keep only the distribution of trees given strings: for sums that diverge.",
        ),
    ] = False,
    scale: Annotated[
        str | None,
        typer.Option(
            metavar="SCALE",
            help="Divide by this for each word: least (the default), paper, or a number. "
            "Implies --conditional.",
        ),
    ] = None,
    mean_length: Annotated[
        float | None,
        typer.Option(
            metavar="WORDS", help="Choose the scale by the mean length. Implies --conditional."
        ),
    ] = None,
    output: Annotated[
        Path,
        typer.Option("-o", "--output", metavar="FILE", help="Written as JSON if it ends in .json."),
    ] = Path("-"),
    threads: Algebra = None,  # noqa: ARG001
    force: options.Force = False,
    json: options.Json = False,
    verbose: options.Verbose = False,  # noqa: ARG001
) -> None:
    """Make a weighted grammar probabilistic, with the same distribution of trees.

    With --conditional weights are first divided by a constant for each word (theorem 1 of Smith
    and Johnson 2007), which leaves the trees of a string in the same proportions. Where the result
    cannot be shown to be right, nothing is written.
    """
    from weft.commands import check_output
    from weft.commands.grammar.questions import normalise_grammar, normalised_json
    from weft.corpora.formats import suffix_of
    from weft.grammars.forms.json import write_json
    from weft.grammars.forms.notation import write_grammar

    check_output(output, [grammar], force=force)
    found = normalise_grammar(
        grammar, conditional=conditional, scale=scale, mean_length=mean_length
    )
    if json or suffix_of(output) == ".json":
        write_json(output, found.grammar, normalised_json(found))
    else:
        write_grammar(output, found.grammar)
    for line in _conversion_lines(found):
        typer.echo(f"weft: {line}", err=True)


def sample(
    grammar: GrammarFile,
    count: Annotated[
        int, typer.Option("-n", "--count", min=0, metavar="N", help="How many trees.")
    ] = 1,
    seed: Annotated[
        int, typer.Option(min=0, metavar="N", help="The same seed, the same trees.")
    ] = 0,
    words: Annotated[bool, typer.Option("--words", help="Print only the strings.")] = False,
    limit: Annotated[
        int, typer.Option(min=1, metavar="N", help="Give up a tree with more nodes.")
    ] = 1_000_000,
    threads: Algebra = None,  # noqa: ARG001
    json: options.Json = False,
    verbose: options.Verbose = False,  # noqa: ARG001
) -> None:
    """Draw random trees, each in proportion to its weight."""
    from json import dumps

    from weft.commands.grammar.questions import format_tree, sample_grammar
    from weft.structures.tree import leaves

    for tree in sample_grammar(grammar, count, seed, limit):
        if json:
            drawn = {"tree": format_tree(tree), "words": list(leaves(tree))}
            typer.echo(dumps(drawn, ensure_ascii=False))
        else:
            typer.echo(" ".join(leaves(tree)) if words else format_tree(tree))


def _sum_parts(found: GrammarSums) -> list[RenderableType]:
    from weft.commands.grammar.questions import exp_for_json
    from weft.grammars.sums.partition import shown_cycle
    from weft.report.tables import facts, table

    names, sums = found.grammar.nonterminals, found.sums
    tight = found.tightness
    about: dict[str, Cell] = {
        "sum over all trees": _number(exp_for_json(sums.log_value)),
        "convergent": _word(sums.convergent)
        + ("" if sums.certain else ", at the limit of rounding"),
    }
    if sums.cycle:
        about["diverges by"] = shown_cycle(sums.cycle)
    else:
        about["relative error"] = f"{sums.error:.1e}"
        about["Newton steps"] = sums.steps
    about["proper"] = _word(tight.proper)
    if tight.improper is not None:
        about["improper"] = f"the rules of {tight.improper[0]} sum to {tight.improper[1]:g}"
    if tight.tight is not None:
        about["tight"] = f"{_word(tight.tight)}, radius {tight.radius:.9g}"
    about["mean length"] = _number(found.mean_length)
    about["entropy of trees"] = _number(found.entropy)
    if found.growth is not None:
        about["growth rate"] = _number(exp_for_json(found.growth.log_rate))
    values, errors = sums.log_values.tolist(), sums.errors.tolist()
    rows = [
        # A logarithm below the error of its sum is rounding alone.
        [name, _number(exp_for_json(value)), f"{0.0 if abs(value) < error else value:.12g}"]
        for name, value, error in zip(names, values, errors, strict=True)
    ]
    parts: list[RenderableType] = [facts(about), table("Sums", ["symbol", "sum", "log"], rows)]
    if found.lengths:
        by_length = [
            [str(length), _number(exp_for_json(value)), f"{value:.12g}"]
            for length, value in enumerate(found.lengths)
        ]
        parts.append(table("Strings by length", ["length", "sum", "log"], by_length))
    return parts


def _conversion_lines(found: Normalised) -> list[str]:
    from weft.commands.grammar.questions import exp_for_json
    from weft.grammars.conversion import SURE

    lines: list[str] = []
    if found.log_scale:
        divisor = _number(exp_for_json(found.log_scale))
        lines.append(f"weights were divided by {divisor} for each word")
    if found.raised and found.log_rate is not None:
        times = found.log_scale - found.log_rate
        lines.append(f"this is exp({times:.3g}) times the growth rate: {found.raised}")
    if found.error > SURE:
        lines.append(f"at criticality: the new sums are known to be 1 to {found.error:.1g} only")
    return lines


def _check_parts(found: GrammarCheck) -> list[RenderableType]:
    from weft.grammars.sums.partition import shown_cycle
    from weft.report.tables import facts

    rules, tight = found.grammar, found.tightness
    about: dict[str, Cell] = {
        "rules": rules.rule_count,
        "nonterminals": len(rules.nonterminals),
        "terminals": len(rules.terminals),
        "start": rules.nonterminals[rules.start],
        "rules of weight 0": len(found.useless.impossible),
        "rules in no tree": len(found.useless.rules),
        "ambiguous without end": shown_cycle(found.ambiguous) if found.ambiguous else "no",
        "proper": _word(tight.proper),
    }
    if tight.improper is not None:
        about["improper"] = f"the rules of {tight.improper[0]} sum to {tight.improper[1]:g}"
    if tight.tight is not None:
        about["tight"] = _word(tight.tight)
    parts: list[RenderableType] = [facts(about)]
    return [*parts, "\n".join(found.problems)] if found.problems else parts


def _show_comparison(found: Equivalence, json: bool) -> None:
    trees = [str(tree)[len("Tree('") : -len("')")] for tree in found.trees]
    if json:
        from weft.commands.grammar.questions import log_for_json

        ratios = [log_for_json(ratio) for ratio in found.ratios]
        print_json({"same": found.same, "trees": trees, "log_ratios": ratios})
        return
    if found.same:
        typer.echo("the same distribution")
    elif found.same is None:
        typer.echo(
            f"neither proved nor refuted: no counter-example among {found.trees_tried} trees"
        )
    else:
        typer.echo("not the same distribution: the ratio of these trees' weights differs")
        for tree in trees:
            typer.echo(f"  {tree}")
        typer.echo(f"  log-ratios {found.ratios[0]:.9g} and {found.ratios[1]:.9g}")


def _word(value: bool) -> str:
    return "yes" if value else "no"


def _number(value: float | str | None) -> str:
    if value is None:
        return "—"
    return value if isinstance(value, str) else f"{value:.12g}"
