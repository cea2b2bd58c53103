"""``weft data``: what is listed, and what is fetched from a server of our own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.conftest import Weft
from weft.corpora import fetching
from weft.corpora.downloads import SAFE
from weft.corpora.sources import ADDRESSES, Address


def test_the_list_says_what_can_be_fetched(weft: Weft) -> None:
    listed = json.loads(weft("data", "list", "--json").stdout)["corpora"]
    found = {each["name"]: each["fetched_from"] for each in listed}
    assert {name for name, urls in found.items() if urls} == set(ADDRESSES)
    assert "weft data fetch conll2000" in weft("data", "list").stdout


def test_names_are_checked_before_anything_is_asked(weft: Weft) -> None:
    wrong = weft("data", "fetch", "conll2003")
    assert (wrong.exit_code, "did you mean conll2000?" in wrong.stderr) == (2, True)
    own = weft("data", "fetch", "english")
    assert (own.exit_code, "english comes with Weft" in own.stderr) == (2, True)
    other = weft("data", "fetch", "craft")
    assert (other.exit_code, "get it from github.com/UCDenver-ccp" in other.stderr) == (2, True)


def test_a_folder_is_needed(weft: Weft, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WEFT_DATA", raising=False)
    missing = weft("data", "fetch", "ewt")
    assert (missing.exit_code, "WEFT_DATA" in missing.stderr) == (1, True)


def test_what_was_fetched_is_told(weft: Weft, monkeypatch: pytest.MonkeyPatch) -> None:
    def fetch(address: Address, folder: Path, **others: object) -> fetching.Fetched:
        assert address is ADDRESSES["conll2000"]
        assert "schemes" not in others  # so that only SAFE ones are used
        return fetching.Fetched(str(folder), 2, "abc", True, False)

    assert SAFE == ("https",)
    monkeypatch.setattr(fetching, "fetch", fetch)
    monkeypatch.setenv("WEFT_DATA", str(Path.cwd()))
    done = weft("data", "fetch", "conll2000")
    assert done.stdout == f"{Path.cwd() / 'conll2000'}\n"
    assert "2 files; digest abc, as expected" in done.stderr
    told = json.loads(weft("data", "fetch", "conll2000", "--out", "here", "--json").stdout)
    assert (told["corpus"], told["path"], told["known"]) == ("conll2000", "here", True)
