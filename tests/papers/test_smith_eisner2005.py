"""The experiments of Smith and Eisner (2005) on a little text."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from weft.errors import OptionError
from weft.papers import smith_eisner2005
from weft.papers.smith_eisner2005 import (
    METHODS,
    criteria_tables,
    models_by_criteria,
    unlabelled_table,
)


@pytest.fixture(scope="module")
def made():
    return unlabelled_table("english", smoothings=[1.0], words=600)


def test_every_method_learns(made):
    assert [row.method for row in made.rows] == list(METHODS)
    assert all(row.iterations >= 1 for row in made.rows)
    assert all(row.accuracy > row.ambiguous > 0.2 for row in made.rows)
    best = {row.method: row.ambiguous for row in made.rows}
    assert best["trans1"] > best["em"]  # the finding, even here
    assert made.tokens <= 600
    assert 1 < made.tags_a_token < 2


def test_dilution_adds_tags_and_takes_accuracy():
    whole, less = (
        unlabelled_table("english", ["trans1"], words=600, dilution=dilution)
        for dilution in ("", "count<2")
    )
    assert less.tags_a_token > 5 * whole.tags_a_token
    assert less.rows[0].accuracy < whole.rows[0].accuracy
    assert less.ambiguous_tokens == whole.ambiguous_tokens


def test_spelling_features_help_with_a_diluted_dictionary():
    plain, spelt = (
        unlabelled_table(
            "english", ["delortrans1"], words=3000, dilution="count<2", spelling=spelling
        ).rows[0]
        for spelling in (False, True)
    )
    assert spelt.accuracy > plain.accuracy


def test_unknown_methods_are_refused():
    with pytest.raises(OptionError, match="no method 'magic'; there are em, "):
        unlabelled_table("english", ["magic"])


def test_program():
    app = smith_eisner2005.typer.Typer()
    app.command()(smith_eisner2005.main)
    arguments = ["--corpus", "english", "--method", "trans1", "--words", "200"]
    done = CliRunner().invoke(app, [*arguments, "--smoothing", "none", "--json"])
    found = json.loads(done.stdout)
    assert found["rows"][0]["smoothing"] is None
    assert found["rows"][0]["paper"] == 0.79
    assert "trans1" in CliRunner().invoke(app, arguments).stdout
    assert CliRunner().invoke(app, ["--method", "magic"]).exit_code == 2


def test_the_smoothing_is_chosen_without_labels():
    made = unlabelled_table(
        "english", ["em", "length"], smoothings=[0.01, 100.0], words=1500, development=300
    )
    for method in ("em", "length"):
        rows = [row for row in made.rows if row.method == method]
        assert all(row.development < 0 for row in rows)
        assert made.selected(method).development == max(row.development for row in rows)
        assert made.oracle(method).accuracy == max(row.accuracy for row in rows)
        assert rows[0].development != rows[1].development
    assert unlabelled_table("english", ["em"], words=200).selected("em") is None


def test_coarse_tags_are_fewer():
    fine, coarse = (
        unlabelled_table("english", ["trans1"], words=500, tag_map=tag_map)
        for tag_map in (None, "penn-17")
    )
    assert coarse.tags_a_token < fine.tags_a_token


def test_models_are_best_under_their_own_criterion_without_penalty():
    made = models_by_criteria("english", ["em", "trans1", "length"], smoothing=1e6, words=600)
    columns = list(zip(*made.values, strict=True))
    for place, column in enumerate(columns):
        finite = [value for value in column if value is not None]
        assert max(finite) == column[place]
        assert all(value < 0 for value in finite)
    assert all(value < 0 for value in made.conditional)
    assert criteria_tables(made)[0].row_count == 3
