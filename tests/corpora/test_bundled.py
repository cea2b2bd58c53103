from __future__ import annotations

import pytest

from weft.corpora import bundled, bundled_folder
from weft.corpora.bundled import PARTS
from weft.errors import OptionError


@pytest.mark.parametrize("part", PARTS)
def test_every_part_is_there_and_labelled(part: str) -> None:
    examples = bundled(part)
    assert examples
    assert all(example.analysis for example in examples)
    assert examples[0].tokens.source == f"english/{part}.tagged:1"


def test_the_folder_has_a_file_a_part() -> None:
    assert {path.stem for path in bundled_folder().glob("*.tagged")} == set(PARTS)


def test_parts_differ() -> None:
    sentences = [{example.tokens.words for example in bundled(part)} for part in PARTS]
    assert all(sentences[0] != other for other in sentences[1:])


def test_an_unknown_part_lists_the_parts() -> None:
    with pytest.raises(OptionError, match=r"'dev'.*train, heldout, test"):
        bundled("dev")
