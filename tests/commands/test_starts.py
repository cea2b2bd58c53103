"""Where training starts, asked for by name; and what becomes of a run that does not move."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from weft import commands
from weft.commands import crossvalidation
from weft.corpora import bundled_folder
from weft.errors import FormatError, OptionError, StuckError
from weft.recipes import fit_recipe

STUCK = {"optimiser": "lbfgs", "start": "zeros"}


@pytest.fixture(scope="module")
def tagged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("starts") / "t.tagged"
    with (bundled_folder() / "train.tagged").open(encoding="utf-8") as lines:
        path.write_text("".join(islice(lines, 20)), encoding="utf-8")
    return path


def test_nothing_is_saved_of_a_run_that_did_not_move(tagged, tmp_path):
    with pytest.raises(StuckError, match="did not move"):
        commands.train(tmp_path / "m.weft", [tagged], criterion="margin", **STUCK)
    assert not list(tmp_path.iterdir())


def test_a_criterion_brings_its_optimiser(tagged, tmp_path):
    made = {
        (name, penalty): commands.train(
            tmp_path / "m.weft", [tagged], criterion=name, penalty=penalty, development=tagged
        )
        for name in ("margin", "perceptron")
        for penalty in (None, "none")
    }
    for training in made.values():
        assert 1 < training.last.iteration <= 100
        assert training.score > 0.9
    assert made["margin", None].trained.notes["penalty"] == "gaussian:10"
    assert made["margin", "none"].trained.notes["penalty"] == "none"


def test_settings_of_that_optimiser_are_taken(tagged, tmp_path):
    settings = {"criterion": "margin", "iterations": "3", "batch": "5"}
    training = commands.train(tmp_path / "m.weft", [tagged], settings=settings)
    assert training.last.iteration == 3
    with pytest.raises(OptionError, match="no such setting with lbfgs"):
        commands.train(tmp_path / "m.weft", [tagged], settings={**settings, "optimiser": "lbfgs"})


@pytest.mark.parametrize("name", ["zeros", "uniform", "counts"])
def test_a_start_has_a_name(tagged, tmp_path, name):
    notes = commands.train(tmp_path / "m.weft", [tagged], start=name).trained.notes
    assert notes["start"] in ("zeros", "small random weights", "relative frequencies")
    assert "start_file" not in notes


def test_a_misspelt_start_is_refused_and_a_path_is_a_file(tagged, tmp_path):
    with pytest.raises(OptionError, match="did you mean uniform"):
        commands.train(tmp_path / "m.weft", [tagged], start="unifor")
    for path in (tmp_path / "zeros", "zeros.weft"):
        with pytest.raises(FormatError, match="zeros"):
            commands.train(tmp_path / "m.weft", [tagged], start=path)


def test_a_file_wins_where_it_looks_like_one(tagged, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    commands.train("zeros", [tagged])
    assert commands.train("m.weft", [tagged], start="zeros").trained.notes["start"] == "zeros"
    notes = commands.train("m.weft", [tagged], start="./zeros").trained.notes
    assert notes["start_file"] == "zeros"


@pytest.mark.slow
def test_a_grid_goes_on_without_a_trial_that_failed(tagged, tmp_path):
    grid = {"criterion": ("margin", "conditional")}
    found = commands.train_grid(
        tmp_path / "m.weft", [tagged], grid, development=tagged, choose="accuracy", **STUCK
    )
    failed, other = found.trials
    assert failed.failed
    assert "did not move" in failed.stopped
    assert not other.failed
    assert found.chosen == other.number
    with pytest.raises(StuckError, match="all trials failed"):
        commands.train_grid(
            tmp_path / "n.weft",
            [tagged],
            {"criterion": ("margin", "rival")},
            development=tagged,
            choose="accuracy",
            **STUCK,
        )


def test_crossvalidation_goes_on_without_a_point_that_failed(tagged, monkeypatch):
    def fit(plan, *rest, **options):
        if plan.criterion.name == "margin":
            raise StuckError("training did not move")
        return fit_recipe(plan, *rest, **options)

    monkeypatch.setattr(crossvalidation, "fit_recipe", fit)
    grid = {"criterion": ("margin", "conditional")}
    told: list[tuple[str, str]] = []
    [found] = commands.crossvalidate_grid(
        tagged, grid, folds=2, optimiser="lbfgs", failed=lambda *each: told.append(each)
    )
    assert found.name == "criterion=conditional"
    assert told == [("criterion=margin", "training did not move")]
    with pytest.raises(StuckError):
        commands.crossvalidate_grid(tagged, grid, folds=2)
