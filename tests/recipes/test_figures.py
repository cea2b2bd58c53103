"""What the default recipe reaches on real corpora, stopped a little early to save time."""

from __future__ import annotations

from pathlib import Path

import pytest

from weft import commands
from weft.commands import FileLayout


def train_and_evaluate(
    folder: Path, model: Path, train: str, test: str, layout: FileLayout, iterations: int
):
    for name in (train, test):
        if not (folder / name).is_file():
            pytest.skip(f"{name} is not in the folder of corpora")
    settings = {"iterations": str(iterations)}
    commands.train(model, [folder / train], layout=layout, settings=settings)
    return commands.evaluate(model, folder / test, layout=layout)


@pytest.mark.slow
def test_chunking_of_conll2000(data_folder, tmp_path):
    result = train_and_evaluate(
        data_folder,
        tmp_path / "chunks.weft",
        "conll2000/train.txt",
        "conll2000/test.txt",
        FileLayout("columns"),
        100,
    )
    assert result.scores.tokens == 47_377
    assert result.f1 >= 0.935


@pytest.mark.slow
def test_penn_tags_of_ewt(data_folder, tmp_path):
    result = train_and_evaluate(
        data_folder,
        tmp_path / "tags.weft",
        "ewt/en_ewt-ud-train.conllu",
        "ewt/en_ewt-ud-test.conllu",
        FileLayout("conllu", "xpos"),
        150,
    )
    # 0.9456 when run to the end; another processor's rounding may move a few tokens.
    assert result.accuracy >= 0.94
