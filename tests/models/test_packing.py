"""Texts of model files, packed into arrays."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.archive import load_archive, save_archive
from weft.errors import FormatError
from weft.models.packing import pack_strings, unpack_strings


@given(st.lists(st.text(max_size=8)))
def test_strings_come_back(strings):
    data, offsets = pack_strings(strings)
    assert (data.dtype, offsets.dtype) == (np.uint8, np.int64)
    assert unpack_strings(data, offsets) == strings


def test_packed_strings_survive_a_file(tmp_path):
    path = tmp_path / "model.weft"
    strings = ["", "naïve", "日本", "\0", "𝔘"]
    data, offsets = pack_strings(strings)
    save_archive(path, {"kind": "demo"}, {"text": data, "offsets": offsets})
    loaded = load_archive(path, "demo")[1]
    assert unpack_strings(loaded["text"], loaded["offsets"]) == strings


def test_surrogates_are_refused():
    with pytest.raises(ValueError, match=r"ud800.*surrogates"):
        pack_strings(["fine", "a\ud800"])


@pytest.mark.parametrize(
    ("text", "offsets"),
    [
        (b"abc", []),
        (b"abc", [0, 2]),
        (b"abc", [1, 3]),
        (b"abc", [0, 2, 1, 3]),
        (b"abc", [0, -1, 3]),
        (b"abc", [0, 4, 3]),
        (b"abc", [0, 2**63 - 1, -(2**63), -1, 3]),
        (b"abc", [[0, 3]]),
        (b"\xff", [0, 1]),
        (b"\xed\xa0\x80", [0, 3]),
        ("é".encode(), [0, 1, 2]),
    ],
)
def test_broken_strings_are_refused(text, offsets):
    data = np.frombuffer(text, np.uint8)
    with pytest.raises(FormatError, match=r"model\.weft: its strings|model\.weft: the offsets"):
        unpack_strings(data, np.array(offsets, dtype=np.int64), path="model.weft")


def test_strings_of_other_dtypes_are_refused():
    data, offsets = pack_strings(["a"])
    with pytest.raises(FormatError):
        unpack_strings(data.astype(np.int32), offsets)
    with pytest.raises(FormatError):
        unpack_strings(data, offsets.astype(np.float64))
