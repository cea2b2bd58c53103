from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.corpora import read_dictionary, write_dictionary
from weft.errors import FormatError

WORD = st.text(st.characters(exclude_characters="\t\n\r\ufeff", codec="utf-8"), min_size=1)
TAG = st.text(st.characters(exclude_characters=" \t\n\r", codec="utf-8"), min_size=1)


def read(text: str) -> dict[str, frozenset[str]]:
    return read_dictionary(io.BytesIO(text.encode()))


@given(st.dictionaries(WORD, st.frozensets(TAG, min_size=1)))
def test_round_trip(
    tmp_path_factory: pytest.TempPathFactory, dictionary: dict[str, frozenset[str]]
) -> None:
    path = tmp_path_factory.getbasetemp() / "dictionary.txt.gz"
    write_dictionary(path, dictionary)
    assert read_dictionary(path) == dictionary


def test_lines_of_a_word_are_merged() -> None:
    text = "time\tNN VB\n\nNew York\tNNP\ntime\tVB  JJ\n"
    assert read(text) == {"time": frozenset({"NN", "VB", "JJ"}), "New York": frozenset({"NNP"})}


@pytest.mark.parametrize(
    ("line", "missing"), [("time NN", "tab"), ("\tNN", "word"), ("time\t ", "tag")]
)
def test_refusals(line: str, missing: str) -> None:
    with pytest.raises(FormatError, match=f"there is no {missing}") as caught:
        read(f"a\tA\n\n{line}\n")
    assert caught.value.line == 3


@pytest.mark.parametrize(
    "dictionary",
    [{"": {"A"}}, {"a\tb": {"A"}}, {"a": set()}, {"a": {""}}, {"a": {"A B"}}, {"a": {"A\n"}}],
)
def test_entries_that_cannot_be_written(tmp_path: Path, dictionary: dict[str, set[str]]) -> None:
    path = tmp_path / "dictionary.txt"
    with pytest.raises(FormatError, match="cannot be written"):
        write_dictionary(path, {"time": {"NN"}} | dictionary)
    assert not path.exists()
