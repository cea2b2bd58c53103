"""The options of ``weft train``, in the groups in which its help lists them."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from weft.cli import options
from weft.cli.help import DATA, ESTIMATION, GRID, MODEL, OUTPUT


def _criteria() -> list[str]:
    from weft.criteria import CRITERIA

    return list(CRITERIA)


def _optimisers() -> list[str]:
    from weft.recipes import OPTIMISERS

    return list(OPTIMISERS)


def _neighbourhoods() -> list[str]:
    from weft.criteria.neighbours import NEIGHBOURHOOD_NAMES

    return list(NEIGHBOURHOOD_NAMES)


def _settings() -> list[str]:
    from weft.recipes import every_setting

    return [f"{name}=" for name in every_setting()]


Out = Annotated[Path, typer.Argument(metavar="OUT.weft", help="Where the model is saved.")]
Train = Annotated[
    list[Path],
    typer.Option(
        "--train",
        metavar="FILE",
        rich_help_panel=DATA,
        help="The training corpus; may be repeated, for files of other formats too.",
    ),
]
Dev = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        rich_help_panel=DATA,
        help="A corpus whose accuracy, or F1 of chunks and trees, is shown while training; it "
        "says which weights are kept (see --patience).",
    ),
]
Stream = Annotated[
    bool,
    typer.Option(
        "--stream",
        rich_help_panel=DATA,
        help="Read the training corpus anew for every pass, for files larger than memory; with "
        "sgd, adagrad, adam, subgradient, perceptron, pa or arow.",
    ),
]
Buffer = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        rich_help_panel=DATA,
        help="With --stream: how many sentences are in memory at a time, and shuffled; 5,000 by "
        "default.",
    ),
]
Raw = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="FILE",
        rich_help_panel=DATA,
        help="Raw text to learn from, too, a sentence per line; for the recipe semi-supervised; "
        "may be repeated.",
    ),
]
Recipe = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        rich_help_panel=MODEL,
        autocompletion=options.recipe_names,
        help="The model and how it is estimated; see `weft recipes`, `weft recipes NAME`.",
    ),
]
Penalty = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        rich_help_panel=ESTIMATION,
        help="What large weights cost: gaussian:VARIANCE, gaussian:1.0,bigram=10, "
        "relative:MULTIPLE (of a feature's largest value) or none; auto chooses the scale of the "
        "recipe's by cross-validation; what is added to counts: dirichlet:COUNT.",
    ),
]
Criterion = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        rich_help_panel=ESTIMATION,
        autocompletion=_criteria,
        help="Which two sums are compared, if not as the recipe says; see `weft recipes --grid`.",
    ),
]
Optimiser = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        rich_help_panel=ESTIMATION,
        autocompletion=_optimisers,
        help="How weights move, if not as the recipe says: lbfgs, sgd, adagrad, adam, "
        "perceptron, pa, arow, subgradient, frank-wolfe, em, variational-bayes, "
        "conjugate-gradient, annealing or line-search.",
    ),
]
Start = Annotated[
    Path | None,
    typer.Option(
        metavar="MODEL|NAME",
        rich_help_panel=ESTIMATION,
        help="Start from the weights of a model of the same family, by their names; the others "
        "start where they would. Or from zeros, uniform (distributions, or small random weights) "
        "or counts (relative frequencies); a file of such a name is written ./zeros.",
    ),
]


class Shown(StrEnum):
    """How the progress of training is shown."""

    TEXT = "text"
    JSON = "json"


Progress = Annotated[
    Shown,
    typer.Option(
        rich_help_panel=OUTPUT,
        help="How progress is shown on the standard error: text, or json, an object per iteration.",
    ),
]
Checkpoint = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        rich_help_panel=ESTIMATION,
        help="Write the state of training there now and then; after a run that was killed, the "
        "same command goes on from it, to the same model.",
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        rich_help_panel=ESTIMATION,
        help="Let the workers of a Dask cluster sum over examples: the scheduler's address, such "
        "as tcp://10.0.0.5:8786; with lbfgs, conjugate-gradient, em and variational-bayes.",
    ),
]
Patience = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=0,
        rich_help_panel=ESTIMATION,
        help="End training after N iterations without a gain on --dev, with the weights of the "
        "last gain: 20 by default where labels are learnt from, 0 for never.",
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        rich_help_panel=MODEL,
        autocompletion=_settings,
        help="Change a setting of the recipe; may be repeated; see `weft recipes NAME`.",
    ),
]
Dictionary = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        rich_help_panel=DATA,
        help="The tags that words may have: word<TAB>TAG TAG ...",
    ),
]
DictionaryFrom = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        rich_help_panel=DATA,
        help="A tagged corpus; its words with their tags are the dictionary.",
    ),
]
Dilute = Annotated[
    str | None,
    typer.Option(
        metavar="K",
        rich_help_panel=DATA,
        help="Leave words out of the dictionary: 500, those unseen in 500 sentences; "
        "'count<3', those seen less often.",
    ),
]
OpenTags = Annotated[
    str | None,
    typer.Option(
        metavar="TAG,TAG",
        rich_help_panel=DATA,
        help="The tags of words outside the dictionary; or how many different words a tag "
        "must have there to be one. Any tag by default.",
    ),
]
Template = Annotated[
    Path | None,
    typer.Option(
        "--template",
        metavar="FILE",
        rich_help_panel=MODEL,
        help="A template file of CRF++ or a pattern file of Wapiti, for taggers.",
    ),
]
Spelling = Annotated[
    bool,
    typer.Option(
        "--spelling",
        rich_help_panel=MODEL,
        help="Look at suffixes, capitals, hyphens and digits, beside words.",
    ),
]
Neighbourhood = Annotated[
    str | None,
    typer.Option(
        metavar="NAME|FILE",
        rich_help_panel=ESTIMATION,
        autocompletion=_neighbourhoods,
        help="What raw sentences are told from: del1word, trans1, delortrans1, "
        "del1subseq, length or corpus; or a transducer's file, as `weft neighbours` takes it.",
    ),
]
Terminals = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        rich_help_panel=MODEL,
        help="What a grammar's sentences are made of: words (default) or tags.",
    ),
]
Clean = Annotated[
    str | None,
    typer.Option(
        metavar="NAME,NAME",
        rich_help_panel=DATA,
        help="Clean-ups of trees: historical,traces,functions,repeats,top (default); also "
        "empties, punctuation, root, codes, gaps, lemmas and text.",
    ),
]
Grammar = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        rich_help_panel=MODEL,
        help="A grammar's rules, where they are not read off trees.",
    ),
]
Reference = Annotated[
    Path | None,
    typer.Option(
        metavar="MODEL",
        rich_help_panel=MODEL,
        help="A parser, tagger or selector that scores the analyses of parse sets beforehand; the "
        "weights then say what differs from it. The model keeps it.",
    ),
]
Universe = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        rich_help_panel=MODEL,
        help="Analyses of all sentences of a grammar, as weft unify propose draws them: for the "
        "criteria joint and marginal of parse sets.",
    ),
]
Grid = Annotated[
    list[str] | None,
    typer.Option(
        metavar="KEY=V|V",
        rich_help_panel=GRID,
        help="Train with each value of a setting, or of penalty, and keep the best model; "
        "may be repeated, for all combinations.",
    ),
]
Choose = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        rich_help_panel=GRID,
        help="What a grid chooses by: criterion (on --dev, which may be raw), accuracy (on "
        "--dev; of chunks and trees, F1) or oracle (the same on the training labels).",
    ),
]
Work = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        rich_help_panel=GRID,
        help="Where a grid keeps its trials, so that it can go on; OUT.weft.grid by default.",
    ),
]
