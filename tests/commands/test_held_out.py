"""What the development corpus changes: which weights are kept, and the words of some models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from weft import commands
from weft.commands import FileLayout
from weft.commands.request import Request
from weft.commands.tasks import read_materials
from weft.commands.training import Training
from weft.corpora import bundled_parses
from weft.criteria import conditional, contrast
from weft.errors import OptionError
from weft.models.storage import load_model
from weft.train import usual

TRAIN = "the/DT dog/NN barks/VBZ\nwe/PRP saw/VBD the/DT dog/NN\n"
OTHER = "a/DT zebra/NN ran/VBD\n"


@pytest.mark.parametrize(("recipe", "widened"), [("crf", 0), ("hmm", 0), ("mrf", 3)])
def test_words_of_a_development_corpus(tmp_path: Path, recipe: str, widened: int) -> None:
    (tmp_path / "train.tagged").write_text(TRAIN)
    (tmp_path / "dev.tagged").write_text(OTHER)
    train = [tmp_path / "train.tagged"]
    commands.train(tmp_path / "a.weft", train, recipe=recipe)
    given = {"development": tmp_path / "dev.tagged", "patience": None if recipe == "hmm" else 0}
    commands.train(tmp_path / "b.weft", train, recipe=recipe, **given)
    alone, watched = load_model(tmp_path / "a.weft"), load_model(tmp_path / "b.weft")
    same = len(alone.weights) == len(watched.weights)
    assert same == (not widened)
    if same:
        np.testing.assert_array_equal(alone.weights, watched.weights)


@pytest.mark.parametrize(
    ("recipe", "text"),
    [("hmm", TRAIN), ("pcfg", "(S (NP dogs) (VP bark))\n"), ("johnson-4", TRAIN)],
)
def test_what_is_counted_takes_no_patience(tmp_path: Path, recipe: str, text: str) -> None:
    file = tmp_path / ("t.mrg" if recipe == "pcfg" else "t.tagged")
    file.write_text(text)
    with pytest.raises(OptionError, match=rf"the recipe {recipe} "):
        commands.train(tmp_path / "m", [file], recipe=recipe, development=file, patience=5)


def test_labels_in_part_are_not_counted_at_once(tmp_path: Path) -> None:
    file = tmp_path / "t.tagged"
    file.write_text(TRAIN + "the/? dog/NN\n")
    given = {"recipe": "hmm", "development": file, "patience": 5}
    done = commands.train(tmp_path / "m", [file], layout=FileLayout(partial=True), **given)
    assert done.last.iteration > 1


def test_patience_ends_the_training_of_a_tagger(tmp_path: Path) -> None:
    (tmp_path / "train.tagged").write_text(TRAIN)
    (tmp_path / "dev.tagged").write_text("the/NN dog/DT\n")
    given = {"development": tmp_path / "dev.tagged", "penalty": "none"}
    out, train = tmp_path / "m.weft", [tmp_path / "train.tagged"]
    long = commands.train(out, train, patience=0, **given)
    short = commands.train(out, train, patience=2, **given)
    assert isinstance(long, Training)
    assert isinstance(short, Training)
    assert short.stopped == "held-out examples became neither likelier nor better for 2 iterations"
    assert len(short.trained.trace) < len(long.trained.trace)


TREES = """\
(S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (DT a) (NN cat)) (PP (IN by) (NP (NN dog)))))
(S (NP (DT a) (NN cat)) (VP (VBZ sees) (NP (NP (DT the) (NN dog)) (PP (IN by) (NP (NN cat))))))
"""
WRONG_TREE = TREES.splitlines()[0].replace("dog", "cat")

FAMILIES = {
    "crf": ("tagged", TRAIN, "the/NN dog/DT\n"),
    "wcfg-crf": ("mrg", TREES, WRONG_TREE),
    "parse-selection": ("jsonl", "", ""),
}


@pytest.mark.parametrize("recipe", FAMILIES)
def test_the_weights_that_held_out_examples_like_best_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recipe: str
) -> None:
    """Without being asked, of every family; patience=0 goes to the end."""
    monkeypatch.setattr(usual, "PATIENCE", 8)  # which these small corpora go beyond
    suffix, train, dev = FAMILIES[recipe]
    if suffix == "jsonl":
        lines = bundled_parses().read_text().splitlines(keepends=True)
        train, dev = "".join(lines[:40]), "".join(lines[40:60])
    files = {name: tmp_path / f"{name}.{suffix}" for name in ("train", "dev")}
    files["train"].write_text(train)
    files["dev"].write_text(dev)
    out, given = tmp_path / "m.weft", {"development": files["dev"], "penalty": "none"}

    def trained(**asked: Any) -> Training:
        return commands.train(out, [files["train"]], recipe=recipe, **given, **asked)

    whole, stopped = trained(patience=0), trained()
    gone = "held-out examples became neither likelier nor better for 8 iterations"
    assert stopped.stopped == gone
    assert stopped.last.iteration == stopped.kept.iteration + 8 < whole.last.iteration
    assert stopped.trained.notes["kept_iteration"] == str(stopped.kept.iteration)
    held_out = read_materials(Request([files["dev"]], recipe=recipe)).corpus

    def value(training: Training) -> float:
        model, weights = training.trained.model, training.trained.weights
        return contrast(model, held_out, conditional).value(weights)

    assert value(stopped) > value(whole)
    loaded = load_model(out)
    np.testing.assert_array_equal(loaded.weights, stopped.trained.weights)
    assert [step.value for step in loaded.trace] == [step.value for step in stopped.trained.trace]
    assert stopped.as_json()["value"] == stopped.kept.value
    limited = trained(patience=0, settings={"iterations": str(stopped.kept.iteration)})
    np.testing.assert_array_equal(limited.trained.weights, stopped.trained.weights)


@pytest.mark.parametrize(
    ("recipe", "dev"), [("crf", "a/? dog/?\n"), ("hmm", OTHER), ("hmm-em", OTHER)]
)
def test_where_nothing_is_waited_for(tmp_path: Path, recipe: str, dev: str) -> None:
    """Held-out examples without labels, what is counted, and labels that are not learnt from."""
    (tmp_path / "train.tagged").write_text(TRAIN)
    (tmp_path / "dev.tagged").write_text(dev)
    more = {"dictionary_from": tmp_path / "train.tagged"} if recipe == "hmm-em" else {}

    def trained(development: Path | None) -> Training:
        return commands.train(
            tmp_path / "m.weft",
            [tmp_path / "train.tagged"],
            recipe=recipe,
            development=development,
            layout=FileLayout(partial=True),
            **more,
        )

    alone, watched = trained(None), trained(tmp_path / "dev.tagged")
    np.testing.assert_array_equal(alone.trained.weights, watched.trained.weights)
    assert alone.kept == alone.last
    assert ("patience" in watched.trained.notes) == (recipe == "crf")


@pytest.mark.parametrize("criterion", ["perceptron", "margin"])
def test_best_analyses_are_watched_by_their_score(tmp_path: Path, criterion: str) -> None:
    """These criteria are high at zeros, which would be kept."""
    (tmp_path / "train.tagged").write_text(TRAIN)
    found = commands.train(
        tmp_path / "m.weft",
        [tmp_path / "train.tagged"],
        development=tmp_path / "train.tagged",
        criterion=criterion,
    )
    assert found.trained.weights.any()
    assert found.kept.iteration > 0
    assert found.score == max(step.accuracy for step in found.trained.trace)


def test_patience_may_look_at_the_score(tmp_path: Path) -> None:
    """The weights that are kept are the last of those with the best accuracy."""
    (tmp_path / "train.tagged").write_text(TRAIN)
    (tmp_path / "dev.tagged").write_text("the/NN dog/DT\n" + TRAIN)
    given = {"development": tmp_path / "dev.tagged", "settings": {"watched": "score"}}
    found = commands.train(tmp_path / "m.weft", [tmp_path / "train.tagged"], patience=3, **given)
    scores = [step.accuracy for step in found.trained.trace]
    assert found.stopped == "the held-out score did not rise for 3 iterations"
    assert len(scores) == scores.index(max(scores)) + 4
    assert found.score == max(scores)
    last = max(place for place, score in enumerate(scores) if score == max(scores))
    assert found.kept == found.trained.trace[last]


def test_chunks_are_held_out_by_their_f1(tmp_path: Path) -> None:
    (tmp_path / "train.tagged").write_text("we/B-NP saw/O the/B-NP dog/I-NP\nwe/B-NP ran/O\n")
    (tmp_path / "dev.tagged").write_text("we/B-NP saw/O dog/B-NP\n")
    for recipe in ("crf", "johnson-4"):
        found = commands.train(
            tmp_path / "m.weft",
            [tmp_path / "train.tagged"],
            development=tmp_path / "dev.tagged",
            recipe=recipe,
        )
        right = found.development
        assert found.task.measured(right) == "F1"
        assert found.score == right.f1 != right.accuracy
        assert found.as_json()["development_f1"] == right.f1
        if found.trained.trace:
            assert found.trained.trace[-1].accuracy == right.f1


@pytest.mark.parametrize("more", ["", "we/B-NP saw/B-NP\n"])
def test_chunks_of_sentences_labelled_in_part(tmp_path: Path, more: str) -> None:
    """What is known is right: that is no F1 of 0. One sentence as a whole has an F1 again."""
    (tmp_path / "train.tagged").write_text("we/B-NP saw/O the/B-NP dog/I-NP\nwe/B-NP ran/O\n")
    (tmp_path / "dev.tagged").write_text("we/B-NP saw/? the/B-NP dog/I-NP\n" + more)
    for recipe in ("crf", "johnson-4"):
        found = commands.train(
            tmp_path / "m.weft",
            [tmp_path / "train.tagged"],
            development=tmp_path / "dev.tagged",
            recipe=recipe,
            layout=FileLayout(partial=True),
        )
        assert found.task.measured(found.development) == ("F1" if more else "Accuracy")
        assert found.score == (pytest.approx(2 / 3) if more else 1.0)
        if found.trained.trace:
            assert found.trained.trace[-1].accuracy == found.score


@pytest.mark.parametrize(
    ("dev", "patience", "message"),
    [
        (OTHER, 0, "watched=score says what patience looks at: give --patience N, too"),
        ("a/? zebra/? ran/?\n", 3, "watched=score looks at how good held-out answers are"),
        (None, None, "watched=score looks at held-out examples: give --dev FILE, too"),
    ],
)
def test_a_score_that_nothing_looks_at_is_refused(
    tmp_path: Path, dev: str | None, patience: int | None, message: str
) -> None:
    (tmp_path / "train.tagged").write_text(TRAIN)
    (tmp_path / "dev.tagged").write_text(dev or "")
    with pytest.raises(OptionError, match=message):
        commands.train(
            tmp_path / "m.weft",
            [tmp_path / "train.tagged"],
            development=None if dev is None else tmp_path / "dev.tagged",
            patience=patience,
            settings={"watched": "score"},
            layout=FileLayout(partial=True),
        )


def test_the_penalty_is_chosen_without_what_patience_looks_at(tmp_path: Path) -> None:
    (tmp_path / "train.tagged").write_text(TRAIN)
    found = commands.train(
        tmp_path / "m.weft",
        [tmp_path / "train.tagged"],
        development=tmp_path / "train.tagged",
        penalty="auto",
        patience=3,
        settings={"watched": "score"},
    )
    assert "penalty_chosen" in found.trained.notes
