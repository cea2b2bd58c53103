from __future__ import annotations

from pathlib import Path

import pytest

from weft.corpora import corpus_path, found_corpus
from weft.errors import WeftError


def test_below_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEFT_DATA", str(tmp_path))
    assert corpus_path("ewt", "dev.conllu") == tmp_path / "ewt" / "dev.conllu"
    assert corpus_path() == tmp_path


def test_what_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEFT_DATA", str(tmp_path))
    (tmp_path / "ewt").mkdir()
    (tmp_path / "file").touch()
    assert found_corpus("ewt") == tmp_path / "ewt"
    assert found_corpus("file") is None
    assert found_corpus("absent") is None
    monkeypatch.setenv("WEFT_DATA", str(tmp_path / "absent"))
    assert found_corpus("ewt") is None


@pytest.mark.parametrize("value", [None, ""])
def test_not_set(monkeypatch: pytest.MonkeyPatch, value: str | None) -> None:
    monkeypatch.delenv("WEFT_DATA", raising=False)
    if value is not None:
        monkeypatch.setenv("WEFT_DATA", value)
    with pytest.raises(WeftError, match="set the environment variable WEFT_DATA"):
        corpus_path("ewt")


def test_not_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEFT_DATA", str(tmp_path / "absent"))
    with pytest.raises(WeftError, match="not a folder; set it"):
        corpus_path("ewt")
