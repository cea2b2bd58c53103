"""The experiments of Smith and Eisner (2005) on a little text."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from weft.errors import OptionError
from weft.papers import smith_eisner2005
from weft.papers.smith_eisner2005 import METHODS, unlabelled_table


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
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["rows"][0]["smoothing"] is None
    assert found["rows"][0]["paper"] == 0.79
    assert "trans1" in CliRunner().invoke(app, arguments).stdout
    assert CliRunner().invoke(app, ["--method", "magic"]).exit_code == 1
