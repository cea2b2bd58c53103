"""Table models as arrays and back: the same bits, and nothing that does not fit."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pytest

from weft.archive import load_archive, save_archive
from weft.models.tables import Form, Tables, estimate_tables, pack_tables, unpack_tables
from weft.structures.evidence import Evidence, example, sentence

CORPUS = [
    example(["the", "dog", "barks"], ["DT", "NN", "VBZ"]),
    example(["the", "Hündin", "barked", "at", "12"], ["DT", "NN", "VBD", "IN", "CD"]),
    example(["dogs", "bark"], ["NNS", "VBP"], weight=2.5),
]
SENTENCES = [sentence(["the", "dogs", "barking"]), sentence(["Hündin"]), sentence([])]
MISFITS = (LookupError, TypeError, ValueError)


BOTH = pytest.mark.parametrize("order", [1, 2])


@pytest.fixture(params=product(Form, [1, 2]), ids=str)
def packed(request):
    return pack_tables(estimate_tables(Tables(*request.param, enough=1), CORPUS))


def answers(model):
    sums, probs = model.trellis([Evidence(each) for each in SENTENCES]).marginals(model.weights)
    return [sums, *probs]


@BOTH
@pytest.mark.parametrize("form", Form, ids=str)
def test_a_model_comes_back_from_a_file_with_the_same_bits(form, order, tmp_path):
    model = estimate_tables(Tables(form, order, enough=1, word_backoff=0.7), CORPUS)
    manifest, arrays = pack_tables(model)
    assert json.loads(json.dumps(manifest)) == manifest
    path = tmp_path / "tables.weft"
    save_archive(path, {"kind": "tables", **manifest}, arrays)
    again = unpack_tables(*load_archive(path, "tables"))
    assert again.tags == model.tags
    assert again.items.words == model.items.words
    for before, after in zip(answers(model), answers(again), strict=True):
        np.testing.assert_array_equal(before, after)


def test_files_that_do_not_name_an_order_are_of_order_1():
    model = estimate_tables(Tables(Form.PREVIOUS_WORD, enough=1), CORPUS)
    manifest, arrays = pack_tables(model)
    assert manifest.pop("order") == 1
    again = unpack_tables(manifest, arrays)
    for before, after in zip(answers(model), answers(again), strict=True):
        np.testing.assert_array_equal(before, after)


def test_missing_arrays_are_refused(packed):
    manifest, arrays = packed
    for name in arrays:
        rest = {other: array for other, array in arrays.items() if other != name}
        with pytest.raises(MISFITS):
            unpack_tables(manifest, rest)


def test_arrays_of_another_type_or_shape_are_refused(packed):
    manifest, arrays = packed
    for name, array in arrays.items():
        for bad in (array.astype(np.float32), array[None], array[:0], array[..., :-1]):
            with pytest.raises(MISFITS):
                unpack_tables(manifest, {**arrays, name: bad})


@pytest.mark.parametrize("value", [-1, 2**62, np.nan, np.inf])
def test_values_out_of_range_are_refused(packed, value):
    manifest, arrays = packed
    for name, array in arrays.items():
        if name.endswith(("text", "ends")) or (array.dtype == np.int64 and value != int_of(value)):
            continue  # packed strings have checks and tests of their own
        for place in (0, array.size - 1):
            bad = array.copy()
            bad.reshape(-1)[place] = value
            if name.endswith(("counts", "masses")) and value == 2**62:
                continue  # a large count is still a count
            with pytest.raises(ValueError, match=r"bad|table"):
                unpack_tables(manifest, {**arrays, name: bad})


def int_of(value: float) -> float:
    return int(value) if np.isfinite(value) else 0


def test_keys_out_of_order_are_refused(packed):
    manifest, arrays = packed
    for name in arrays:
        if name.endswith("keys"):
            with pytest.raises(ValueError, match=r"bad|table"):
                unpack_tables(manifest, {**arrays, name: arrays[name][::-1].copy()})


@pytest.mark.parametrize(
    "change",
    [
        {"form": "johnson-8"},
        {"tags": []},
        {"tags": ["X", "X"]},
        {"tags": ["X"]},
        {"tags": [str(number) for number in range(2**13 + 1)]},
        {"suffix": -1},
        {"suffix": "three"},
    ],
    ids=str,
)
def test_manifests_that_do_not_fit_are_refused(packed, change):
    manifest, arrays = packed
    with pytest.raises(MISFITS):
        unpack_tables({**manifest, **change}, arrays)


def test_bad_back_off_is_refused():
    manifest, arrays = pack_tables(estimate_tables(Tables(), CORPUS))
    for value in (-1.0, float("inf"), float("nan")):
        with pytest.raises(ValueError, match="word_backoff"):
            unpack_tables({**manifest, "word_backoff": value}, arrays)
