"""What training shows of held-out examples is what the saved model gets right there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from weft import commands
from weft.commands.how import How
from weft.commands.tasks import task_of
from weft.corpora import bundled, bundled_parses
from weft.models.progress import Progress
from weft.models.storage import load_model
from weft.recipes import RECIPES

TREES = (
    "(S (NP (DT the) (NN dog)) (VP (VBZ barks)))",
    "(S (NP (DT the) (NN cat)) (VP (VBZ sees) (NP (DT the) (NN dog))))",
    "(S (NP (DT a) (NN dog)) (VP (VBZ sees) (NP (DT the) (NN cat))))",
    "(S (NP (NP (DT the) (NN dog)) (PP (IN by) (NP (DT a) (NN cat)))) (VP (VBZ barks)))",
    "(S (NP (DT the) (NN cat)) (VP (VBZ sees) (NP (DT a) (NN dog)) (PP (IN by) (NP (NN dog)))))",
    "(S (NP (NN cat)) (VP (VBZ sees) (NP (NP (DT a) (NN dog)) (PP (IN by) (NP (NN cat))))))",
    "(S (NP (NN bird)) (VP (VBZ sees) (NP (DT a) (NN dog))))",
)
"""The last one has a word that the others do not have."""

MORE: dict[str, dict[str, Any]] = {
    "hmm-em": {"dictionary_from": "all.tagged"},
    "hmm-vb": {"dictionary_from": "all.tagged"},
    "hmm-features-em": {"dictionary_from": "all.tagged"},
    "mrf-em": {"dictionary_from": "all.tagged"},
    "contrastive-tagger": {"dictionary_from": "all.tagged"},
    "semi-supervised": {"dictionary_from": "all.tagged", "raw": ["train.tagged"]},
    "pcfg-em": {"settings": {"rules": "trees", "iterations": "4"}},
    "max-correct": {"settings": {"steps": "500"}},
}
"""What recipes need beside a corpus."""

BY_PASSES = {
    "sgd": "conditional",
    "adagrad": "conditional",
    "adam": "conditional",
    "subgradient": "margin",
    "frank-wolfe": "margin",
    "perceptron": "perceptron",
    "pa": "margin",
    "arow": "margin",
}
"""Optimisers that go over the corpus in passes, most of them averaging weights, with criteria."""


def written(corpus: Any) -> str:
    return "".join(
        " ".join(f"{word}/{tag}" for word, tag in zip(e.tokens.words, e.analysis, strict=True))
        + "\n"
        for e in corpus
    )


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    corpus = bundled("train")[:24]
    Path("all.tagged").write_text(written(corpus))
    Path("train.tagged").write_text(written(corpus[:18]))
    Path("dev.tagged").write_text(written(corpus[14:]))
    Path("train.mrg").write_text("\n".join(TREES[:5]) + "\n")
    Path("dev.mrg").write_text("\n".join(TREES[3:]) + "\n")
    sets = bundled_parses().read_text().splitlines(keepends=True)
    Path("train.jsonl").write_text("".join(sets[:30]))
    Path("dev.jsonl").write_text("".join(sets[20:50]))


def shown_and_saved(recipe: str, **asked: Any) -> tuple[float | None, float | None]:
    """The score that training showed of the weights kept, and that of the model that was saved."""
    suffix = _SUFFIXES.get(recipe, "tagged")
    steps: list[Progress] = []
    dev = f"dev.{suffix}"
    training = commands.train(
        "m.weft",
        [f"train.{suffix}"],
        recipe=recipe,
        development=dev,
        watch=lambda step: steps.append(step),
        **asked,
    )
    [shown] = [step.accuracy for step in steps if step.iteration == training.kept.iteration]
    loaded = load_model("m.weft")
    task = task_of(loaded)
    found: Any = task.evaluate(loaded, dev, How())
    assert training.score == task.score(found if hasattr(found, "accuracy") else found.scores)
    return shown, training.score


_SUFFIXES = {
    **dict.fromkeys(("pcfg", "pcfg-em", "pcfg-mcle", "wcfg-crf"), "mrg"),
    **dict.fromkeys(("shift-reduce-maxent", "shift-reduce-global"), "mrg"),
    **dict.fromkeys(("parse-selection", "max-correct"), "jsonl"),
}


@pytest.mark.parametrize(
    "recipe", [name for name, each in RECIPES.items() if not each.model.counted]
)
def test_recipes(recipe: str) -> None:
    asked = {"settings": {"iterations": "4"}, **MORE.get(recipe, {})}
    shown, saved = shown_and_saved(recipe, **asked)
    assert shown is not None
    assert shown == saved


@pytest.mark.parametrize("optimiser", BY_PASSES)
def test_averaged_weights_are_those_that_are_shown(optimiser: str) -> None:
    asked = {"optimiser": optimiser, "criterion": BY_PASSES[optimiser]}
    shown, saved = shown_and_saved("crf", settings={"iterations": "3"}, **asked)
    assert shown == saved
    assert saved is not None
    assert saved > 0.2


def test_weights_that_held_out_examples_like_best() -> None:
    """With patience an earlier model may be saved; its score was shown as well."""
    shown, saved = shown_and_saved("crf", patience=2, penalty="none")
    assert shown == saved


def test_restarts() -> None:
    asked = {**MORE["hmm-em"], "settings": {"iterations": "3", "restarts": "2"}}
    shown, saved = shown_and_saved("hmm-em", **asked)
    assert shown == saved
