"""Table 2 of Johnson (2001) on a few trees."""

from __future__ import annotations

import pytest

from weft.corpora import bundled_trees
from weft.corpora.trees.cleaning import USUAL
from weft.corpora.trees.treebanks import read_treebank
from weft.errors import OptionError
from weft.grammars.transforms import without_words
from weft.papers.johnson2001_shift_reduce import (
    CONDITIONAL,
    GLOBAL,
    INTERPOLATED,
    JOINT,
    MAXENT,
    try_parser,
)

TREES = read_treebank(bundled_trees(), clean=(*USUAL, without_words))


PARTS = {"train": TREES, "test": TREES}


@pytest.fixture(scope="module")
def made():
    every = ("pcfg", JOINT, INTERPOLATED, CONDITIONAL, MAXENT, GLOBAL)
    return [row for name in every for row in try_parser(name, PARTS, (1e-3, 0.0), iterations=20)]


def test_rows_are_parsers_with_beams(made):
    charts = [("pcfg", None)]
    several = (JOINT, INTERPOLATED, CONDITIONAL, MAXENT)
    stacks = [(name, beam) for name in several for beam in (1e-3, 0.0)]
    # Free weights keep the beam that they were trained with.
    own = [(GLOBAL, 1e-4)]
    assert [(row.recipe, row.beam) for row in made] == charts + stacks + own
    rows = {(row.recipe, row.beam): row for row in made}
    # As the guide says of label bias.
    assert rows[JOINT, 0.0].scores.overall.exact == 63
    assert rows[CONDITIONAL, 0.0].scores.overall.exact == 47
    assert all(row.parsed == 63 for row in made)
    assert all(
        (row.bits is not None) == (row.recipe in ("pcfg", JOINT, INTERPOLATED)) for row in made
    )
    # A beam takes parses out of sums.
    assert rows[JOINT, 1e-3].bits >= rows[JOINT, 0.0].bits


def test_a_beam_that_is_too_narrow_loses_parses():
    [row] = try_parser(JOINT, PARTS, [0.9])
    assert row.parsed < 63
    assert row.scores.overall.sentences == 63


@pytest.mark.parametrize(
    ("recipe", "beams", "message"),
    [("crf", [0.0], "crf is not of this table"), ("pcfg", [1.0], "a beam is a share")],
)
def test_what_makes_no_sense_is_refused(recipe, beams, message):
    with pytest.raises(OptionError, match=message):
        next(try_parser(recipe, PARTS, beams))
