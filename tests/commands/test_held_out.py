"""What the development corpus changes: nothing, but for two cases."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from weft import commands
from weft.commands.training import Training
from weft.models.storage import load_model

TRAIN = "the/DT dog/NN barks/VBZ\nwe/PRP saw/VBD the/DT dog/NN\n"
OTHER = "a/DT zebra/NN ran/VBD\n"


@pytest.mark.parametrize(("recipe", "widened"), [("crf", 0), ("hmm", 0), ("mrf", 3)])
def test_words_of_a_development_corpus(tmp_path: Path, recipe: str, widened: int) -> None:
    (tmp_path / "train.tagged").write_text(TRAIN)
    (tmp_path / "dev.tagged").write_text(OTHER)
    train = [tmp_path / "train.tagged"]
    commands.train(tmp_path / "a.weft", train, recipe=recipe)
    commands.train(tmp_path / "b.weft", train, recipe=recipe, development=tmp_path / "dev.tagged")
    alone, watched = load_model(tmp_path / "a.weft"), load_model(tmp_path / "b.weft")
    same = len(alone.weights) == len(watched.weights)
    assert same == (not widened)
    if same:
        np.testing.assert_array_equal(alone.weights, watched.weights)


def test_patience_ends_the_training_of_a_tagger(tmp_path: Path) -> None:
    (tmp_path / "train.tagged").write_text(TRAIN)
    (tmp_path / "dev.tagged").write_text("the/NN dog/DT\n")
    given = {"development": tmp_path / "dev.tagged", "penalty": "none"}
    out, train = tmp_path / "m.weft", [tmp_path / "train.tagged"]
    long = commands.train(out, train, **given)
    short = commands.train(out, train, patience=2, **given)
    assert isinstance(long, Training)
    assert isinstance(short, Training)
    assert short.stopped == "held-out examples became no likelier for 2 iterations"
    assert len(short.trained.trace) < len(long.trained.trace)
