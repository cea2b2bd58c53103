"""Beyond the papers: the grid, joint against conditional estimates, and label bias."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from weft.corpora.parts import PARTS, read_part
from weft.models.answers import Decoder
from weft.models.chain.spec import Chain
from weft.papers.experiment import Experiment, Part, PartFound, PartOptions
from weft.papers.families import FAMILIES
from weft.papers.johnson2001 import tag_test
from weft.papers.johnson2001_parsing import THAT, read_whole
from weft.papers.results import Picture, Result, make_table
from weft.papers.rows.cells import combine_grid, fill_grid
from weft.papers.rows.compared import Counts, find_better, tag_counts
from weft.papers.rows.drawings import picture_of_parse, show_parse, table_of_moves
from weft.recipes import ONE_WORD, Recipe, find_recipe, fit_recipe, with_settings
from weft.report.plots import Axis, line_plot

JOINT, CONDITIONAL, LOCAL, COUNTED = "joint", "conditional", "conditional, tag by tag", "counted"

ESTIMATES = {COUNTED: "hmm", JOINT: "mrf", CONDITIONAL: "crf", LOCAL: "memm"}
"""One chain, which sees a word and the tag before, estimated in four ways, each by a recipe."""

_TREES = ("shift-reduce-joint", "shift-reduce-conditional", "shift-reduce-maxent")
_GLOBAL = "shift-reduce-global"

_SHOWN = 1
"""The tree of the small treebank that is drawn: whether TH is COMP or DET, only VBZ tells."""


def one_word(recipe: Recipe) -> Recipe:
    """Return a recipe of chains with features of the word and the tag before alone."""
    if not isinstance(recipe.model, Chain):
        return recipe
    counted = recipe.name == ESTIMATES[COUNTED]
    return recipe if counted else replace(recipe, model=replace(recipe.model, templates=ONE_WORD))


def _train(arguments: Mapping[str, Any], options: PartOptions) -> PartFound:
    """Train a chain, or a shift-reduce parser of the small treebank, and count what is right."""
    if arguments["corpus"] == THAT:
        return _train_parser(arguments, options)
    parts = {part: read_part(arguments["corpus"], part) for part in PARTS}
    parts["train"] = parts["train"][: arguments["sentences"]]
    plan = one_word(find_recipe(ESTIMATES[arguments["estimate"]]))
    scores, tags = tag_test(plan, parts, options.threads)
    gold = [each.analysis or () for each in parts["test"]]
    return {
        "sentences": len(parts["train"]),
        "accuracy": scores.accuracy,
        "counts": tag_counts(gold, tags),
    }


def _train_parser(arguments: Mapping[str, Any], options: PartOptions) -> PartFound:
    trees = read_whole()
    changes = {"rare": "0", **arguments["settings"]}
    plan = with_settings(find_recipe(arguments["recipe"]), changes)
    parser = fit_recipe(plan, trees, threads=options.threads)
    sentences = [each.tokens for each in trees]
    parses = parser.parse(sentences, options.threads, decoder=Decoder.VITERBI)
    right = [
        parse is not None and parse.tree == each.parse
        for parse, each in zip(parses, trees, strict=True)
    ]
    shown = trees[_SHOWN]
    return {
        "counts": [[int(each), 1] for each in right],
        "accuracy": sum(right) / len(right),
        "shown": show_parse(parser, shown.tokens.words, shown.parse),
    }


def _combine_curve(parts: Sequence[tuple[Part, PartFound]]) -> Result:
    lines: dict[str, dict[str, list[tuple[float, float]]]] = {}
    counts: dict[tuple[str, int], dict[str, Counts]] = {}
    for part, found in parts:
        corpus, estimate = part.arguments["corpus"], part.arguments["estimate"]
        line = lines.setdefault(corpus, {}).setdefault(estimate, [])
        line.append((float(found["sentences"]), 100 * found["accuracy"]))
        counts.setdefault((corpus, found["sentences"]), {})[estimate] = found["counts"]
    tables, pictures, findings = [], [], []
    for corpus, several in lines.items():
        sizes = sorted({int(x) for line in several.values() for x, _ in line})
        known = {name: dict(line) for name, line in several.items()}
        columns = {"sentences": ",d", **dict.fromkeys(several, ".2f")}
        listed = [(size, *(known[name].get(float(size)) for name in several)) for size in sizes]
        tables.append(make_table(f"{corpus}: right tags in per cent", columns, listed))
        picture = line_plot(
            f"Right tags of {corpus} by the number of training sentences",
            Axis("training sentences", log=True),
            Axis("right tags, %"),
            {name: sorted(line) for name, line in several.items()},
        )
        pictures.append(Picture(f"{corpus}: right tags by the number of sentences", picture))
        for size, better, worse in (
            (sizes[0], JOINT, CONDITIONAL),
            (sizes[-1], CONDITIONAL, JOINT),
        ):
            own = counts[corpus, size]
            if {better, worse} <= set(own):
                claim = f"With {size:,} sentences: {better} > {worse}"
                findings.append(find_better(claim, corpus, own[better], own[worse]))
    notes = (
        "The claims are what is known of generative and discriminative estimates of the same "
        "model: the joint one is better with little data, the conditional one with much.",
    )
    return Result(tuple(tables), tuple(pictures), tuple(findings), notes)


def _combine_joint(parts: Sequence[tuple[Part, PartFound]]) -> Result:
    return _compare_estimates(
        parts,
        ((JOINT, CONDITIONAL), (JOINT, LOCAL), (JOINT, COUNTED)),
        "Johnson's conclusion expects a modest improvement if maximum entropy models were "
        "estimated jointly. Here they are: the same features of a word, with exact sums over all "
        "sentences.",
    )


def _combine_bias(parts: Sequence[tuple[Part, PartFound]]) -> Result:
    tagged = [each for each in parts if each[0].arguments["corpus"] != THAT]
    made = _compare_estimates(
        tagged,
        ((CONDITIONAL, LOCAL),),
        "Label bias is what is lost by normalising decision by decision: a choice is never taken "
        "back. The same features normalised over whole sentences have none.",
    )
    found = {part.arguments["name"]: each for part, each in parts if "name" in part.arguments}
    if not found:
        return made
    listed = [(name, sum(row[0] for row in each["counts"])) for name, each in found.items()]
    count = len(next(iter(found.values()))["counts"])
    title = f"Whole trees right of the {count} trees of {THAT}, which they were trained on"
    table = make_table(title, {"parser": "", "right": ",d"}, listed)
    pairs = (
        ("joint > conditional, move by move", "joint", "conditional"),
        ("with the same features: over whole parses > move by move", "global", "maxent"),
    )
    findings = [
        find_better(
            f"Shift-reduce parsers: {claim}", THAT, found[one]["counts"], found[two]["counts"]
        )
        for claim, one, two in pairs
        if one in found and two in found
    ]
    pictures = [picture_of_parse(name, each["shown"]) for name, each in found.items()]
    moves = [
        table_of_moves(name, each["shown"])
        for name, each in found.items()
        if name in ("joint", "conditional")
    ]
    return replace(
        made,
        tables=(*made.tables, table, *moves),
        pictures=(*made.pictures, *pictures),
        findings=(*made.findings, *findings),
    )


def _compare_estimates(
    parts: Sequence[tuple[Part, PartFound]], pairs: Sequence[tuple[str, str]], note: str
) -> Result:
    found: dict[str, dict[str, PartFound]] = {}
    for part, each in parts:
        found.setdefault(part.arguments["corpus"], {})[part.arguments["estimate"]] = each
    names = list(dict.fromkeys(name for several in found.values() for name in several))
    columns = {"estimate": "", **dict.fromkeys(found, "%")}
    listed = [
        (
            name,
            *(several[name]["accuracy"] if name in several else None for several in found.values()),
        )
        for name in names
    ]
    findings = [
        find_better(
            f"{better} > {worse}", corpus, several[better]["counts"], several[worse]["counts"]
        )
        for corpus, several in found.items()
        for better, worse in pairs
        if {better, worse} <= set(several)
    ]
    title = "One chain of words and tags: right tags in per cent"
    tables = (make_table(title, columns, listed),) if listed else ()
    return Result(tables, findings=tuple(findings), notes=(note,))


def _chains(
    corpus: str,
    folder: str | None,
    sizes: Sequence[int | None],
    seconds: float,
    names: Sequence[str],
) -> list[Part]:
    return [
        Part(
            f"{corpus} {size or 'all'} {name}",
            {"corpus": corpus, "estimate": name, "sentences": size},
            () if folder is None else (folder,),
            seconds / (1 if size is None else 4),
        )
        for size in sizes
        for name in names
    ]


_PARSERS = tuple(
    Part(
        f"{THAT} {name}",
        {"corpus": THAT, "name": name, "recipe": recipe, "settings": settings},
        (),
        3,
    )
    for name, recipe, settings in (
        ("joint", _TREES[0], {}),
        ("conditional", _TREES[1], {}),
        ("maxent", _TREES[2], {"features": "s1+s2+next"}),
        ("global", _GLOBAL, {"features": "s1+s2+next"}),
    )
)
_ALL = tuple(ESTIMATES)
_SIZES = (100, 300, 1000)

_ENGLISH = _chains("english", None, (None,), 6, _ALL)
_SAMPLE = _chains("wsj-sample", "wsj-sample", (None,), 35, _ALL)
_FRENCH = _chains("sequoia", "sequoia", (None,), 20, _ALL)


def _grid(sentences: int, iterations: int, steps: int, seconds: float) -> tuple[Part, ...]:
    sizes = {"sentences": sentences, "iterations": iterations, "steps": steps}
    return tuple(Part(name, {"family": name, **sizes}, (), seconds) for name in FAMILIES)


EXPERIMENTS = (
    Experiment(
        "beyond/grid",
        "Every model with every criterion that it has",
        fill_grid,
        combine_grid,
        _grid(20, 20, 100, 3),
        _grid(50, 60, 2000, 15),
    ),
    Experiment(
        "beyond/learning-curve",
        "Joint against conditional estimates as the corpus grows",
        _train,
        _combine_curve,
        (*_chains("english", None, (60, 180), 6, _ALL), *_ENGLISH),
        (*_chains("wsj-sample", "wsj-sample", _SIZES, 35, _ALL), *_SAMPLE),
    ),
    Experiment(
        "beyond/global-joint",
        "Globally normalised joint estimates, which Johnson's conclusion asks for",
        _train,
        _combine_joint,
        tuple(_ENGLISH),
        (*_ENGLISH, *_SAMPLE, *_FRENCH),
    ),
    Experiment(
        "beyond/label-bias",
        "Label bias on a corpus, and gone",
        _train,
        _combine_bias,
        (*_ENGLISH, *_PARSERS),
        (*_ENGLISH, *_SAMPLE, *_FRENCH, *_PARSERS),
    ),
)
