"""Tables as data frames, of a library that is installed."""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

import numpy as np
import pytest

import weft
from weft.commands import evaluate
from weft.commands.crossvalidation import crossvalidate
from weft.conversions.probabilities import hmm_probabilities
from weft.corpora import bundled
from weft.corpora.bundled import bundled_folder
from weft.errors import OptionError, WeftError
from weft.frames import make_frame
from weft.models.posteriors import TagPosteriors
from weft.models.progress import Progress


class Frame:
    """What stands for a data frame of either library."""

    def __init__(self, columns):
        self.columns, self.data = list(columns), columns
        assert len({len(each) for each in columns.values()}) == 1


@pytest.fixture
def library(monkeypatch):
    """Installs stand-ins for libraries, and hides those that may be there."""
    for name in ("pandas", "polars"):
        monkeypatch.setitem(sys.modules, name, None)

    def install(name):
        made = ModuleType(name)
        made.__spec__ = ModuleSpec(name, None)
        made.DataFrame = type(f"{name}Frame", (Frame,), {})
        monkeypatch.setitem(sys.modules, name, made)

    return install


def test_the_library_that_is_there_is_taken(library):
    library("polars")
    assert type(make_frame({"a": [1]})).__name__ == "polarsFrame"
    library("pandas")
    assert type(make_frame({"a": [1]})).__name__ == "pandasFrame"
    assert type(make_frame({"a": [1]}, "polars")).__name__ == "polarsFrame"


@pytest.mark.usefixtures("library")
def test_without_a_library_it_is_said_what_to_install():
    with pytest.raises(WeftError, match=r"needs pandas or polars.*pip install pandas"):
        make_frame({"a": [1]})
    with pytest.raises(WeftError, match=r"needs polars.*pip install polars"):
        make_frame({"a": [1]}, "polars")
    with pytest.raises(OptionError, match="no library of data frames 'panda'"):
        make_frame({"a": [1]}, "panda")


def test_tables_are_frames(library, tmp_path):
    library("pandas")
    corpus = bundled("train")[:30]
    tagger = weft.fit(weft.Chain(), corpus, optimiser=weft.LBFGS(max_iterations=2))
    trace = tagger.trace.to_frame()
    assert trace.columns == list(Progress.__dataclass_fields__)
    assert trace.data["iteration"] == [0, 1, 2]
    weights = tagger.to_frame()
    assert weights.data["weight"] == tagger.weights.tolist()
    assert len(set(zip(weights.data["kind"], weights.data["feature"], strict=True))) == len(
        tagger.weights
    )
    posteriors = tagger.posteriors(["The", "dog"]).to_frame()
    assert posteriors.columns == ["word", *tagger.model.tags]
    assert posteriors.data["word"] == ["The", "dog"]
    found = evaluate(tagger, bundled_folder() / "test.tagged").scores
    frame = found.to_frame()
    first = ((frame.data["gold"][0], frame.data["predicted"][0]), frame.data["count"][0])
    assert first == found.confusions[0]
    lines = (bundled_folder() / "train.tagged").read_text("utf-8").splitlines(keepends=True)
    (tmp_path / "few.tagged").write_text("".join(lines[:20]), "utf-8")
    folds = crossvalidate(tmp_path / "few.tagged", folds=3, recipe="hmm")
    assert folds.to_frame().data["fold"] == [1, 2, 3]
    assert folds.to_frame().data["accuracy"] == [each["accuracy"] for each in folds.folds]


def test_probabilities_of_an_hmm_are_frames(library):
    library("pandas")
    corpus = [weft.example(["tag", "b"], ["X", "Y"])] * 3
    hmm = hmm_probabilities(weft.fit(weft.Tables("johnson-4"), corpus))
    assert hmm.to_frame().columns == ["tag", "X", "Y"]
    assert hmm.to_frame().data["Y"] == hmm.transitions[:, 1].tolist()
    assert hmm.to_frame("start").data["start"] == hmm.start.tolist()
    assert len(hmm.to_frame("emissions").columns) == 1 + len(hmm.words)
    for which in ("start", "transitions", "end", "emissions"):
        assert hmm.columns(which) == hmm.to_frame(which).data
    assert hmm.columns() == hmm.columns("transitions")
    with pytest.raises(OptionError, match="no array 'emission'"):
        hmm.to_frame("emission")


def test_a_tag_called_word_leaves_the_words_their_column():
    found = TagPosteriors(("a",), ("X", "word"), np.array([[0.25, 0.75]]))
    assert found.columns() == {"word": ["a"], "X": [0.25], "word ": [0.75]}
