"""The benchmark of shift-reduce parsers measures what it says, on a few trees."""

from importlib import import_module
from pathlib import Path

import pytest

from weft.corpora import bundled_trees
from weft.corpora.trees.cleaning import USUAL
from weft.corpora.trees.treebanks import read_treebank
from weft.grammars.transforms import without_words

pytestmark = pytest.mark.slow


def test_parsers_beams_and_lengths_have_figures(monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[1])
    bench = import_module("benchmarks.shift_reduce")
    corpus = read_treebank(bundled_trees(), clean=(*USUAL, without_words))
    several = bench.parsers(corpus, [1e-3, 0.0], bench.RECIPES)
    names = [
        f"shift-reduce-{name}, beam {beam}"
        for name in ("joint", "joint-interpolated", "conditional", "maxent")
        for beam in ("0.001", "0")
    ]
    assert list(several) == ["pcfg", *names]
    found = bench.speeds(several, [each.tokens for each in corpus], 1, 1)
    assert all(each["per second"] > 0 < each["processor seconds"] for each in found.values())
    lengths = sorted({len(each.tokens) for each in corpus})[:3]
    monkeypatch.setattr(bench, "LENGTHS", tuple(lengths))
    grown = bench.growth(several, corpus, 2)
    assert all(len(grown[name]["milliseconds per sentence"]) == 3 for name in several)
