"""A tagger and a chunker to try the commands on, and a way to run these."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from samples import COLUMNS, TAGGED
from weft import commands
from weft.cli.app import app

Weft = Callable[..., Result]


@pytest.fixture
def weft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Weft:
    """Runs the program in an empty folder, but for a corpus of each format."""
    monkeypatch.chdir(tmp_path)
    Path("train.tagged").write_text(TAGGED)
    Path("train.txt").write_text(COLUMNS)

    def run(*arguments: str | Path, given: str | bytes = "") -> Result:
        return CliRunner().invoke(app, list(map(str, arguments)), input=given, prog_name="weft")

    return run


def _trained(folder: Path, name: str, text: str) -> Path:
    source = folder / name
    source.write_text(text)
    model = folder / f"{name}.weft"
    commands.train(model, [source], development=source, settings={"iterations": "15"})
    return model


@pytest.fixture(scope="session")
def tagger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _trained(tmp_path_factory.mktemp("tagger"), "train.tagged", TAGGED)


@pytest.fixture(scope="session")
def chunker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _trained(tmp_path_factory.mktemp("chunker"), "train.txt", COLUMNS)
