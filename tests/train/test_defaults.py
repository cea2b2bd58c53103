"""One set of defaults, whoever trains: fit, recipes, the command line and the estimators."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import weft
from weft import estimators, example
from weft.archive import load_archive
from weft.cli.app import app
from weft.commands.request import Request
from weft.commands.tasks import read_materials
from weft.corpora.bundled import bundled_folder, bundled_trees
from weft.errors import OptionError
from weft.models.storage import STORAGES
from weft.models.tree_parser import TreeParser
from weft.recipes import find_recipe, fit_recipe
from weft.structures.tree import Tree, subtrees


def contents(path: Path) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return a model file without what is noted of its making."""
    manifest, arrays = load_archive(path, *STORAGES)
    kept = {name: array.tobytes() for name, array in arrays.items()}
    return {name: each for name, each in manifest.items() if name != "notes"}, kept


@pytest.mark.parametrize(
    "recipe",
    ["crf", "memm", "hmm", "hmm-mealy", "johnson-4", "pcfg", "wcfg-crf", "shift-reduce-joint"],
)
def test_everybody_trains_the_same_model(recipe: str, tmp_path: Path) -> None:
    plan = find_recipe(recipe)
    trees = issubclass(plan.model.analyser, TreeParser)
    source = bundled_trees() if trees else bundled_folder() / "train.tagged"
    lines = source.read_text().splitlines(keepends=True)
    files = [tmp_path / f"{name}{source.suffix}" for name in ("train", "dev")]
    files[0].write_text("".join(lines[:25]))
    files[1].write_text("".join(lines[25:40]))
    arguments = ["--train", files[0], "--dev", files[1], "--recipe", recipe, "--quiet"]
    done = CliRunner().invoke(app, ["train", f"{tmp_path}/command.weft", *map(str, arguments)])
    assert done.exit_code == 0, done.output

    given = read_materials(Request([files[0]], recipe=recipe, development=files[1]))
    learner: Any = (estimators.Parser if trees else estimators.Tagger)(recipe)
    pairs = [
        [[each.tokens for each in corpus], [each.parse or each.analysis for each in corpus]]
        for corpus in (given.corpus, given.held_out or ())
    ]
    learner.fit(*pairs[0], X_dev=pairs[1][0], y_dev=pairs[1][1])
    found = {
        "fit": weft.fit(plan.model, given.corpus, development=given.held_out),
        "recipe": fit_recipe(plan, given.corpus, development=given.held_out),
        "estimator": learner.model_,
    }
    for name, model in found.items():
        weft.save(tmp_path / f"{name}.weft", model)
    first, *others = [contents(tmp_path / f"{name}.weft") for name in ("command", *found)]
    assert len(first[1]) > 1
    assert all(other == first for other in others)


TREES = [
    Tree("S", (Tree("NP", ("the", "dog")), Tree("VP", ("barks",)))),
    Tree("S", (Tree("NP", ("a", "cat")), Tree("VP", (Tree("V", ("sees",)), Tree("NP", ("it",)))))),
]
TAGGED = [
    example(["the", "dog", "barks"], ["D", "N", "V"]),
    example(["the", "old", "bark"], ["D", "N", "V"]),
]


def test_a_pcfg_is_counted_by_default() -> None:
    parser = weft.fit(weft.Cfg(normalisation="joint"), TREES)
    assert parser.notes["criterion"] == "joint"
    assert repr(parser).endswith("joint>")
    counts = Counter(
        (tree.label, tuple(getattr(each, "label", each) for each in tree.children))
        for whole in TREES
        for tree in subtrees(whole)
    )
    heads = Counter(tree.label for whole in TREES for tree in subtrees(whole))
    found = {
        (rule.head, tuple(getattr(each, "text", each) for each in rule.body)): rule.weight
        for rule in parser.grammar.rules()
    }
    assert found.keys() == counts.keys()
    for (head, body), weight in found.items():
        assert math.exp(weight) == pytest.approx(counts[head, body] / heads[head], rel=1e-12)


@pytest.mark.parametrize(
    ("normalisation", "labelled", "expected"),
    [
        ("joint", True, "joint"),
        ("joint", False, "marginal"),
        ("conditional", True, "conditional"),
        ("none", True, "conditional"),
    ],
)
def test_the_criterion_follows_the_model(normalisation: str, labelled: bool, expected: str) -> None:
    words = {each: {"D", "N"} for each in ("the", "dog")} | {"barks": {"V"}}
    chain = weft.Chain(
        templates=weft.templates("word[0]"),
        attributes="all",
        ngrams="all",
        normalisation=normalisation,
        dictionary=words,
    )
    corpus = TAGGED if labelled else [replace(each, analysis=None) for each in TAGGED]
    tagger = weft.fit(chain, corpus)
    assert tagger.notes["criterion"] == expected
    assert expected in repr(tagger)
    counted = tagger.notes["penalty"].startswith("dirichlet")
    assert counted == (normalisation == "joint")


def test_features_of_an_hmm_are_climbed_jointly() -> None:
    chain = weft.Chain(
        templates=weft.templates("word[0] suffix2[0]"), normalisation="joint", ngrams="all"
    )
    notes = weft.fit(chain, TAGGED).notes
    assert (notes["criterion"], notes["penalty"]) == ("joint", "gaussian:10")


def test_defaults_can_be_left_out() -> None:
    wide = weft.fit(weft.Chain(), TAGGED, development=TAGGED, patience=0, adapt=False)
    usual = weft.fit(weft.Chain(), TAGGED, development=TAGGED)
    assert {"kept_iteration", "adapted"} <= usual.notes.keys()
    assert not {"kept_iteration", "adapted"} & wide.notes.keys()
    assert len(wide.weights) > len(usual.weights)
    with pytest.raises(OptionError, match="patience is at least 1"):
        weft.fit(weft.Chain(), TAGGED, patience=-1)
