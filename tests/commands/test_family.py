"""Families from outside: what is refused, and that nothing is left of one that was there."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from test_new_family import RECIPE, SEGMENTS, STORAGE, SegmentTask, instances
from weft.archive import load_archive, save_archive
from weft.commands.family import Family, registered
from weft.commands.tasks import TASKS, task_of
from weft.errors import FormatError, OptionError
from weft.models.analyser import Analyser
from weft.models.instances import MAKERS
from weft.models.storage import STORAGES
from weft.recipes import RECIPES, find_recipe


def tables():
    return list(TASKS), dict(STORAGES), dict(RECIPES), list(MAKERS)


def segmenter() -> Analyser:
    model = instances()[0].model
    return Analyser(model, np.zeros(model.parameters.size))


def test_nothing_is_left_of_a_family_even_after_an_error():
    before = tables()
    with registered(SEGMENTS):
        assert find_recipe("semi-crf") is RECIPE
    with pytest.raises(OptionError, match="there is no recipe"), registered(SEGMENTS):
        find_recipe("semi-crff")
    assert tables() == before


@pytest.mark.parametrize(
    "taken", [Family(SegmentTask(), STORAGES["parser"]), Family(SegmentTask(), STORAGE, (RECIPE,))]
)
def test_names_that_are_taken_are_refused(taken):
    with registered(SEGMENTS):
        before = tables()
        with pytest.raises(OptionError, match=r"there is a '(parser|segmenter|semi-crf)' already"):
            weft.register(taken)
        assert tables() == before


def test_a_family_that_is_not_registered_is_unknown(tmp_path):
    with pytest.raises(TypeError, match=r"holds a SegmentModel: register its family"):
        weft.save(tmp_path / "m.weft", segmenter())
    with pytest.raises(OptionError, match=r"no command knows a SegmentModel: register"):
        task_of(segmenter())
    with registered(SEGMENTS):
        weft.save(tmp_path / "m.weft", segmenter())
    with pytest.raises(FormatError, match="holds a 'segmenter', not a 'tagger'"):
        weft.load(tmp_path / "m.weft")


@pytest.mark.parametrize(
    "change",
    [
        lambda model: {**model, "names": model["names"][1:]},
        lambda model: {**model, "names": [*model["names"][1:], ["one"]]},
        lambda model: {**model, "names": 3},
        lambda model: {**model, "names": [*model["names"][1:], {"a": []}]},
        lambda model: {**model, "other": 1},
        lambda model: {"names": model["names"]},
        lambda model: list(model),
    ],
)
def test_fields_of_files_that_do_not_fit_are_refused(change, tmp_path):
    path = tmp_path / "m.weft"
    with registered(SEGMENTS):
        weft.save(path, segmenter())
        manifest, arrays = load_archive(path, "segmenter")
        assert weft.load(path).model.names == segmenter().model.names
        save_archive(path, {**manifest, "model": change(manifest["model"])}, arrays)
        with pytest.raises(FormatError, match="do not fit together"):
            weft.load(path)
