"""Parse sets of marked sentences."""

from __future__ import annotations

import io

import pytest

from weft.corpora.bundled import bundled_lfg, bundled_marked
from weft.corpora.parses.marked import marked_sets
from weft.errors import EvidenceError
from weft.evaluate.diagnostics import diagnose
from weft.features.compile import compile_parses
from weft.lfg.marks import fits, read_marks
from weft.lfg.parser import load_lfg


@pytest.fixture(scope="module")
def parser():
    return load_lfg(bundled_lfg())


@pytest.mark.slow
def test_the_meant_analysis_is_the_right_one(parser):
    marks = [mark for mark in bundled_marked("manuals") if len(mark.text.split()) < 8][:6]
    sets = list(marked_sets(parser, marks))
    assert [each.text for each in sets] == [mark.text for mark in marks]
    for mark, found in zip(marks, sets, strict=True):
        analyses = list(parser.parse(mark.text))
        assert len(found.analyses) == len(analyses)
        [right] = found.right
        assert fits(mark, analyses[right])
        assert any(name.startswith("functions: ") for name in found.analyses[right].features)
    rules = diagnose([compile_parses(each, ()) for each in sets]).rules
    named = {name for each in sets for one in each.analyses for name in one.features}
    assert rules == sum(name.startswith("productions: ") for name in named) > 0


def test_a_mark_that_fits_nothing_is_told(parser):
    text = b"Press the button.\n[NP Press the] button .\n"
    with pytest.raises(EvidenceError, match="analyses fit the mark"):
        list(marked_sets(parser, read_marks(io.BytesIO(text))))
