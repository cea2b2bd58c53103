"""``weft unify``: unification grammars on sentences, and their mistakes."""

from __future__ import annotations

import json as json_module
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli import options
from weft.cli.output import print_json

if TYPE_CHECKING:
    from weft.commands.unification.kinds import Kind
    from weft.unification import ParseLimits

EXAMPLES = (
    'echo "Kim likes children" | weft unify parse feat0.fcfg',
    "weft unify parse feat0.fcfg sentences.txt --count",
    "weft unify parse feat0.fcfg sentences.txt --html trees.html --svg trees",
    "weft unify parse feat0.fcfg sentences.txt --model ranker.weft --kbest 3",
    "weft unify check feat0.fcfg",
    "weft unify test feat0.fcfg suite.txt",
    'weft unify why feat0.fcfg "Kim like children"',
    'weft unify why english.lfg "Kim like children"',
    "weft unify export feat0.fcfg sentences.txt -o analyses.jsonl",
    "weft unify export english.lfg --marks meant.marks -o analyses.jsonl",
    "weft unify generate feat0.fcfg --depth 5",
    "weft unify generate feat0.fcfg --random --seed 1 -n 10 --trees",
    "weft unify propose feat0.fcfg -o universe.jsonl --like analyses.jsonl",
    "weft unify marks english.lfg meant.marks",
)

GrammarFile = Annotated[
    Path,
    typer.Argument(
        metavar="GRAMMAR",
        help="Rules such as S -> NP[NUM=?n] VP[NUM=?n], as in NLTK's files .fcfg; in a file .patr "
        "or .grm, of PATR-II; in a file .lfg, a lexical-functional grammar as XLE has it.",
    ),
]
Sentences = Annotated[
    Path,
    typer.Argument(
        metavar="SENTENCES",
        help="A sentence per line, words separated by spaces; - (the default) is standard input.",
    ),
]
Encoding = Annotated[
    str, typer.Option(metavar="NAME", help="How the characters of files are written.")
]
Edges = Annotated[
    int, typer.Option(min=1, metavar="N", help="A sentence that takes more edges is given up.")
]
Seconds = Annotated[
    float | None,
    typer.Option(min=0, metavar="S", help="A sentence that takes longer is given up."),
]
Truncate = Annotated[
    bool, typer.Option("--truncate", help="Take what was found of a sentence that is given up.")
]

_EDGES = 5_000_000


def parse(
    grammar: GrammarFile,
    sentences: Sentences = Path("-"),
    kbest: Annotated[
        int,
        typer.Option(
            "-n",
            "--kbest",
            "--top",
            min=1,
            metavar="K",
            help="Print at most K analyses each: the best by --model, or the first by the grammar.",
        ),
    ] = 10,
    model: Annotated[
        Path | None,
        typer.Option(
            metavar="MODEL",
            help="Rank analyses by what `weft train --recipe parse-selection` saved.",
        ),
    ] = None,
    count: Annotated[
        bool, typer.Option("--count", help="Print only how many analyses there are.")
    ] = False,
    plain: Annotated[
        bool, typer.Option("--plain", help="Print categories without their features.")
    ] = False,
    resolved: Annotated[
        bool,
        typer.Option("--resolved", help="Print with each node all that the whole tree says of it."),
    ] = False,
    matrix: Annotated[
        bool, typer.Option("--matrix", help="Print the structure of the whole, as a matrix.")
    ] = False,
    svg: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Draw what is printed there, too: 1-1.svg is line 1's first."
        ),
    ] = None,
    latex: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the matrices of whole sentences as LaTeX, too."),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write a page of trees beside the matrices of their nodes, too."
        ),
    ] = None,
    force: options.Force = False,
    edges: Edges = _EDGES,
    seconds: Seconds = None,
    truncate: Truncate = False,
    encoding: Encoding = "utf-8",
    json: options.Json = False,
    verbose: options.Verbose = False,  # noqa: ARG001
) -> None:
    """Print the analyses of each sentence, as trees in brackets, with a blank line after them.

    Why a sentence has none is on the standard error; if no sentence has one, the exit code is 1.
    With --json there is an object per line.
    """
    from weft.commands.files.opening import open_selector
    from weft.commands.unification.pictures import Pictures
    from weft.commands.unification.sentences import Looks
    from weft.unification.limits import Spent, each_within

    if count and (plain or resolved or matrix or svg or latex or html or model):
        raise typer.BadParameter("it prints and draws no trees", param_hint="--count")
    if matrix and (plain or resolved or json):
        hint = "it prints no trees: leave --plain, --resolved and --json out"
        raise typer.BadParameter(hint, param_hint="--matrix")
    asked = found = 0
    limits = _limits(edges, seconds, truncate)
    looks = Looks(plain, resolved, matrix)
    inputs = [each for each in (grammar, sentences, model) if each is not None]
    pictures = Pictures(svg, latex, html, looks, inputs, force)
    pictures.check()
    kind = _kind(grammar, resolved=resolved)
    selector = None if model is None else open_selector(model)
    answers = kind.parse_lines(grammar, sentences, limits, encoding, options.tell)
    for answer in each_within(limits.seconds, answers):
        asked += 1
        found += answer.count > 0
        if answer.problem:
            typer.echo(f"weft: {answer.problem}", err=True)
        try:
            ranked = [] if count else kind.rank(answer, kbest, selector)
            some = [each for each, _ in ranked]
            kind.draw(pictures, answer, some)
            shown = "".join(f"{kind.show(answer, each, looks)}\n" for each in some)
        except Spent:
            ranked, some, shown = [], [], ""
            problem = f"showing the analyses of line {answer.line} takes longer than --seconds"
            typer.echo(f"weft: {problem}; raise it, or lower --kbest", err=True)
        if json:
            known = [probability for _, probability in ranked] if selector else None
            typer.echo(json_module.dumps(answer.as_json(some, looks, known), ensure_ascii=False))
        elif count:
            typer.echo(answer.numbers)
        else:
            typer.echo(shown, nl=not shown.endswith("\n\n"))
            total = answer.count if selector is None else answer.choices
            if total > kbest:
                typer.echo(f"weft: {kbest} of {total:,} analyses; see --kbest", err=True)
    pictures.finish()
    if asked and not found:
        raise typer.Exit(1)


def export(
    grammar: GrammarFile,
    sentences: Sentences = Path("-"),
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="Written as JSON lines.")
    ] = Path("-"),
    marks: Annotated[
        Path | None,
        typer.Option(
            metavar="MARKS",
            help="Of a grammar .lfg: marked sentences instead of SENTENCES; what they mean is "
            "right.",
        ),
    ] = None,
    listed: Annotated[
        bool, typer.Option("--list", help="Of a grammar .lfg: list analyses, with their trees.")
    ] = False,
    edges: Edges = _EDGES,
    seconds: Seconds = None,
    truncate: Truncate = False,
    encoding: Encoding = "utf-8",
    json: options.Json = False,
    force: options.Force = False,
    verbose: options.Verbose = False,  # noqa: ARG001
) -> None:
    """Write the analyses of each sentence, for `weft train --recipe parse-selection`.

    They are packed; edges by grammars .lfg have the properties of analyses. A line has
    "right": null until somebody says which edges are right, unless --marks does. Sentences without
    analyses are left out, and said on the standard error.
    """
    from weft.commands import check_output

    if json and str(output) == "-":
        raise typer.BadParameter("with --json, name a file", param_hint="--output")
    inputs = [grammar, sentences if marks is None else marks]
    check_output(output, inputs, force=force)
    kind = _kind(grammar, marks=marks, list=listed)
    if marks is not None and str(sentences) != "-":
        hint = "it has the sentences; leave SENTENCES out"
        raise typer.BadParameter(hint, param_hint="--marks")
    if marks is not None and encoding != "utf-8":
        raise typer.BadParameter("files of marks are UTF-8", param_hint="--encoding")
    limits = _limits(edges, seconds, truncate)
    asked = (grammar, sentences, output, limits, encoding, options.tell)
    found = kind.export(*asked, marks=marks, listed=listed)
    for problem in found.problems:
        typer.echo(f"weft: {problem}", err=True)
    if json:
        print_json({"output": str(output), **found.as_json()})
    else:
        wrote = f"weft: analyses of {found.written:,} of {found.sentences:,} sentences"
        typer.echo(f"{wrote}, {found.analyses:,} in all", err=True)
    if not found.written:
        raise typer.Exit(1)


def check(
    grammar: GrammarFile,
    encoding: Encoding = "utf-8",
    json: options.Json = False,
    verbose: options.Verbose = False,  # noqa: ARG001
) -> None:
    """Look for mistakes in a feature grammar.

    Right sides that no rule is for, that unify with no left side, or ask for features that none
    has; categories out of reach of the start, or that never come to words. The exit code is 1 if
    there are any. What may be part of itself over the same words, left recursion after empty
    categories, and features that no rule tests, are told, too.
    """
    kind = _kind(grammar, encoding=encoding != "utf-8")
    found = kind.check(grammar, encoding)
    if json:
        print_json(kind.findings_json(found))
    else:
        typer.echo("\n".join(kind.findings_lines(found)))
    if found.problems:
        raise typer.Exit(1)


def try_suite(
    grammar: GrammarFile,
    suite: Annotated[
        Path,
        typer.Argument(metavar="SUITE", help="Lines such as 2: the dog barks; - is stdin."),
    ],
    edges: Edges = _EDGES,
    seconds: Seconds = None,
    encoding: Encoding = "utf-8",
    json: options.Json = False,
    verbose: options.Verbose = False,  # noqa: ARG001
) -> None:
    """Compare how many analyses sentences have with how many they should have.

    Every line that differs is shown with both numbers; the exit code is 1 if there is one.
    """
    limits = _limits(edges, seconds, False)
    found = _kind(grammar).run_suite(grammar, suite, limits, encoding, options.tell)
    if json:
        print_json(found.as_json())
    else:
        for each in found.differences:
            typer.echo(each.message)
            if each.trouble:
                typer.echo(f"weft: {each.trouble}", err=True)
        same = found.sentences - len(found.differences)
        typer.echo(f"{same:,} of {found.sentences:,} sentences as expected")
    if found.differences:
        raise typer.Exit(1)


def generate(
    grammar: GrammarFile,
    depth: Annotated[
        int, typer.Option(min=1, metavar="N", help="How many categories may lie above a word.")
    ] = 6,
    most: Annotated[
        int, typer.Option("-n", "--most", min=0, metavar="N", help="Print at most N sentences.")
    ] = 20,
    random: Annotated[
        bool, typer.Option("--random", help="Draw each sentence anew, by rules taken at random.")
    ] = False,
    seed: Annotated[
        int | None, typer.Option(min=0, metavar="N", help="For --random; 0 by default.")
    ] = None,
    trees: Annotated[bool, typer.Option("--trees", help="Print trees, not only words.")] = False,
    encoding: Encoding = "utf-8",
    json: options.Json = False,
    verbose: options.Verbose = False,  # noqa: ARG001
) -> None:
    """Print sentences that a grammar allows, a line each.

    All of a feature grammar's up to a depth, if --most is large enough, the shallow ones first, and
    a sentence with several trees several times; of a grammar .lfg each once, in the order of the
    rules. Or random ones. If there is none, the exit code is 1.
    """
    if seed is not None and not random:
        raise typer.BadParameter("it is for --random", param_hint="--seed")
    chosen, found = (seed or 0) if random else None, 0
    kind = _kind(grammar, encoding=encoding != "utf-8")
    for words, tree in kind.generate(grammar, depth, most, chosen, encoding, options.tell):
        found += 1
        if json:
            line = {"words": list(words), "tree": tree}
            typer.echo(json_module.dumps(line, ensure_ascii=False))
        else:
            typer.echo(tree if trees else " ".join(words))
    if most and not found:
        message = f"weft: no sentence has a tree of at most depth {depth}; see --depth"
        typer.echo(message, err=True)
        raise typer.Exit(1)


def why(
    grammar: GrammarFile,
    sentence: Annotated[
        str, typer.Argument(metavar="SENTENCE", help="One argument: its words with spaces.")
    ],
    most: Annotated[
        int, typer.Option("-n", "--most", min=0, metavar="N", help="Name at most N failures.")
    ] = 5,
    edges: Edges = _EDGES,
    seconds: Seconds = None,
    encoding: Encoding = "utf-8",
    json: options.Json = False,
    verbose: options.Verbose = False,  # noqa: ARG001
) -> None:
    """Say why a sentence has no analysis, or how many it has.

    Names the largest pieces that can be analysed, and the rules that would join such pieces but for
    a feature, with file and line: those that end last first, of these the ones over most words.
    """
    kind = _kind(grammar, encoding=encoding != "utf-8")
    if Path(sentence).suffix and Path(sentence).is_file():
        message = f"{sentence} is a file, and here the words of one sentence are expected"
        raise typer.BadParameter(f"{message}, such as 'Kim like children'", param_hint="SENTENCE")
    limits = _limits(edges, seconds, False)
    found = kind.explain(grammar, sentence, most, encoding, options.tell, limits)
    if json:
        print_json(kind.reasons_json(found))
    else:
        typer.echo("\n".join(kind.reasons_lines(found)))


def _kind(grammar: Path, **given: object) -> Kind:
    """Return the kind of a grammar, and refuse options that are given and say nothing of it."""
    from weft.commands.unification.kinds import find_kind, refusal

    kind = find_kind(grammar)
    refused = refusal(kind, **given)
    if refused is not None:
        raise typer.BadParameter(refused[1], param_hint=refused[0])
    return kind


def _limits(edges: int, seconds: float | None, truncate: bool) -> ParseLimits:
    from weft.unification import ParseLimits

    return ParseLimits(edges, seconds=math.inf if seconds is None else seconds, truncate=truncate)
