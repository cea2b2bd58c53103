"""What there is to choose from, as the command line shows it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from weft.commands import compatibility
from weft.recipes import RECIPES, settings_in

Weft = Callable[..., Result]

TAGGED = "the/DT dog/NN barks/VBZ\nwe/PRP saw/VBD the/DT dog/NN\n"


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_shows_all_that_it_has(weft: Weft, name: str) -> None:
    done = weft("recipes", name, "--json")
    assert done.exit_code == 0
    found = json.loads(done.stdout)
    recipe = RECIPES[name]
    assert [each["name"] for each in found["settings"]] == list(settings_in(recipe))
    assert found["criterion"] == (recipe.criterion and recipe.criterion.name)
    assert found["example"].startswith("weft train ")
    assert f"--recipe {name}" in found["example"]


def test_a_recipe_is_shown_to_people(weft: Weft) -> None:
    text = weft("recipes", "hmm-em").stdout
    for part in ("marginal", "dirichlet:0.1,tag:*=0.001", "iterations", "Example: weft train"):
        assert part in text
    assert "all is counted" in weft("recipes", "johnson-4").stdout
    assert "contrastive:delortrans1" in weft("recipes", "semi-supervised").stdout


def test_misspelt_recipes_and_the_grid_of_one(weft: Weft) -> None:
    done = weft("recipes", "cfr")
    assert done.exit_code == 2
    assert "did you mean crf? There are crf" in done.stderr
    assert weft("recipes", "crf", "--grid").exit_code == 2


def test_the_grid_has_every_cell(weft: Weft, monkeypatch: pytest.MonkeyPatch) -> None:
    from weft.criteria import CRITERIA
    from weft.models.instances import instances
    from weft.train.grid import cells

    few = [instances()[name] for name in ("selection, listed", "chain normalised by steps")]
    criteria = [CRITERIA[name] for name in ("conditional", "joint", "local-accuracy")]
    table = compatibility(cells(few, criteria))
    monkeypatch.setattr("weft.commands.compatibility", lambda: table)
    rows = json.loads(weft("recipes", "--grid", "--json").stdout)["cells"]
    assert len(rows) == 2 * 3 * 3
    assert [row["works"] for row in rows] == [cell.reason is None for cell in table.cells]
    assert all(row["works"] or row["reason"] for row in rows)
    text = weft("recipes", "--grid").stdout
    assert "no distribution over sentences" in " ".join(text.split())
    assert "yes" in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--criterion", "margn"), "there is no criterion 'margn': did you mean margin?"),
        (("--optimiser", "lbgfs"), "there is no optimiser 'lbgfs': did you mean lbfgs?"),
        (("--criterion", "joint", "--set", "criterion=margin"), "--criterion or --set criterion="),
        (("--patience", "3"), "--patience looks at held-out examples: give --dev FILE"),
        (("--set", "patience=3"), "--patience looks at held-out examples: give --dev FILE"),
        (("--recipe", "johnson-4", "--criterion", "joint"), "johnson-4 has no such setting"),
        (("--format", "taggedd"), "there is no format 'taggedd': did you mean tagged?"),
    ],
)
def test_options_that_are_refused(
    weft: Weft, tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    train = tmp_path / "train.tagged"
    train.write_text(TAGGED)
    done = weft("train", tmp_path / "m.weft", "--train", train, *options)
    assert done.exit_code == 2
    assert message in done.stderr
    assert not (tmp_path / "m.weft").exists()


def test_criterion_optimiser_and_patience_are_options(weft: Weft, tmp_path: Path) -> None:
    train, model = tmp_path / "train.tagged", tmp_path / "m.weft"
    train.write_text(TAGGED)
    flags = ("--criterion", "softmax-margin", "--optimiser", "conjugate-gradient")
    patience = ("--dev", train, "--patience", "2")
    done = weft("train", model, "--train", train, *flags, *patience, "--json")
    assert done.exit_code == 0, done.stderr
    notes = json.loads(done.stdout)["notes"]
    assert notes["criterion"] == "softmax-margin"
    said = "criterion=softmax-margin, optimiser=conjugate-gradient, patience=2"
    assert notes["settings"] == said
    same = weft(
        "train", tmp_path / "n.weft", "--train", train, "--dev", train, "--json",
        *(word for each in said.split(", ") for word in ("--set", each)),
    )  # fmt: skip
    assert json.loads(same.stdout)["value"] == json.loads(done.stdout)["value"]


def test_annealing_takes_any_model(weft: Weft, tmp_path: Path) -> None:
    train = tmp_path / "train.tagged"
    train.write_text(TAGGED)
    few = ("--optimiser", "annealing", "--set", "steps=200")
    done = weft("train", tmp_path / "m.weft", "--train", train, *few)
    assert done.exit_code == 0, done.stderr
    assert "parse sets" not in done.stderr


def test_help_has_groups_and_says_what_weft_is(weft: Weft) -> None:
    text = weft("train", "--help").stdout
    places = [text.index(f"\n{each}:\n") for each in ("Data", "Model", "Estimation", "Grid")]
    assert places == sorted(places)
    assert text.index("--criterion") > places[2]
    text = " ".join(weft("--help").stdout.split())
    assert "taggers, parsers and rankers of analyses" in text
    assert text.index("Models:") < text.index(" train ") < text.index(" recipes ")
