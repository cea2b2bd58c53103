"""The benchmark of parse selection measures what it says, on a small corpus."""

import json
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from weft.criteria import conditional, contrast
from weft.models.selection.model import SelectionModel
from weft.models.selection.spec import Selection
from weft.structures.alternatives import Selected, alternatives


@pytest.fixture
def side(monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[1])
    return import_module("benchmarks.selection_side")


def test_the_synthetic_corpus_is_the_same_at_every_run(side):
    one, other = (side.synthetic(5, 4, 6, 50).features for _ in range(2))
    np.testing.assert_array_equal(one.features, other.features)
    assert len(one.features) == 5 * 4 * 6
    assert one.values is None
    assert 0 <= one.features.min() <= one.features.max() < 50


def test_its_criterion_is_that_of_the_library(rng, side):
    bags = side.synthetic(5, 4, 6, 50)
    listed = bags.features
    corpus = []
    for sentence in range(5):
        rows = []
        for analysis in range(4 * sentence, 4 * sentence + 4):
            features = listed.features[listed.offsets[analysis] : listed.offsets[analysis + 1]]
            names, counts = np.unique(features, return_counts=True)
            rows.append(
                {("given", f"{n:02}"): float(c) for n, c in zip(names, counts, strict=True)}
            )
        corpus.append(Selected(alternatives(rows), (0,)))
    names = tuple(("given", f"{n:02}") for n in range(50))
    model = SelectionModel(Selection(), names, np.ones(50))
    theta = rng.normal(size=50)
    expected = contrast(model, corpus, conditional)(theta)
    value, gradient = side.contrast_of(bags)(theta)
    assert value == pytest.approx(expected[0])
    np.testing.assert_allclose(gradient, expected[1], atol=1e-12)


def test_what_is_measured(side):
    found = side.measure(20, 3, 5, 100, iterations=3, threads=1)
    assert found["nonzeros"] == 300
    assert found["iterations"] <= 3
    assert found["value"] < 0
    assert found["seconds_an_evaluation"] >= found["fastest_evaluation"] > 0


@pytest.mark.usefixtures("side")
def test_the_program_prints_json(monkeypatch, capsys):
    options = ["--sentences", "5", "--analyses", "3", "--active", "4", "--features", "20"]
    monkeypatch.setattr(sys, "argv", ["selection", *options, "--iterations", "2"])
    import_module("benchmarks.selection").main()
    assert json.loads(capsys.readouterr().out)["nonzeros"] == 60
