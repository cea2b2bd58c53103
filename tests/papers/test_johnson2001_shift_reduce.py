"""Table 2 of Johnson (2001) on a few trees."""

from __future__ import annotations

from dataclasses import replace

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
    shift_reduce_table,
)

TREES = read_treebank(bundled_trees(), clean=(*USUAL, without_words))


@pytest.fixture(scope="module")
def made():
    every = ("pcfg", JOINT, INTERPOLATED, CONDITIONAL, MAXENT, GLOBAL)
    return shift_reduce_table(
        {"train": TREES, "test": TREES}, every, beams=(1e-3, 0.0), iterations=20, rounds=500
    )


def test_rows_are_parsers_with_beams(made):
    charts = [("pcfg", None)]
    several = (JOINT, INTERPOLATED, CONDITIONAL, MAXENT)
    stacks = [(name, beam) for name in several for beam in (1e-3, 0.0)]
    # Free weights keep the beam that they were trained with.
    own = [(GLOBAL, 1e-4)]
    assert [(row.recipe, row.beam) for row in made.rows] == charts + stacks + own
    rows = {(row.recipe, row.beam): row for row in made.rows}
    # As the guide says of label bias.
    assert rows[JOINT, 0.0].counts.exact == 63
    assert rows[CONDITIONAL, 0.0].counts.exact == 47
    assert all(row.parsed == 63 and row.speed > 0 for row in made.rows)
    assert all(
        (row.bits is not None) == (row.recipe in ("pcfg", JOINT, INTERPOLATED)) for row in made.rows
    )
    # A beam takes parses out of sums.
    assert rows[JOINT, 1e-3].bits >= rows[JOINT, 0.0].bits


def test_a_beam_that_is_too_narrow_loses_parses():
    [row] = shift_reduce_table({"train": TREES, "test": TREES}, [JOINT], beams=[0.9]).rows
    assert row.parsed < 63
    assert row.counts.sentences == 63


def test_findings_have_verdicts(made):
    first = {(each.better, each.worse): each for each in made.findings if each.beam == 1e-3}
    assert [pair for pair, each in first.items() if each.of_paper] == [
        ("pcfg", JOINT),
        (JOINT, CONDITIONAL),
    ]
    found = first[JOINT, CONDITIONAL]
    assert found.test.difference > 0
    assert found.verdict == "holds"
    turned = replace(found, test=replace(found.test, first=found.test.second, second=0.1))
    assert turned.verdict == "does not hold"
    unsure = replace(found, test=replace(found.test, bootstrap_p_value=0.05))
    assert unsure.verdict == "not significant"


@pytest.mark.parametrize(
    ("recipes", "beams", "message"),
    [(["crf"], [0.0], "crf is not of this table"), (["pcfg"], [1.0], "a beam is a share")],
)
def test_what_makes_no_sense_is_refused(recipes, beams, message):
    with pytest.raises(OptionError, match=message):
        shift_reduce_table({"train": TREES, "test": TREES}, recipes, beams=beams)
