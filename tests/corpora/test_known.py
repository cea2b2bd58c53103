"""Known corpora are read whole, counted, and written back unchanged."""

from __future__ import annotations

from pathlib import Path

import pytest

from weft.corpora import Brackets, Columns, Conllu, Format, guess_format, read_examples


@pytest.mark.parametrize(
    ("name", "sentences", "tokens"), [("train", 8_936, 211_727), ("test", 2_012, 47_377)]
)
def test_conll2000(data_folder: Path, name: str, sentences: int, tokens: int) -> None:
    # Tjong Kim Sang and Buchholz (2000), section 3.
    examples = read_examples(Columns(), data_folder / "conll2000" / f"{name}.txt")
    assert len(examples) == sentences
    assert sum(len(example.tokens) for example in examples) == tokens


@pytest.mark.parametrize(
    ("name", "sentences"), [("train", 12_544), ("dev", 2_001), ("test", 2_077)]
)
def test_ewt(data_folder: Path, name: str, sentences: int) -> None:
    path = data_folder / "ewt" / f"en_ewt-ud-{name}.conllu"
    assert len(read_examples(Conllu(), path)) == sentences


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("conll2000/test.txt", Columns()),
        ("ewt/en_ewt-ud-dev.conllu", Conllu()),
        ("sequoia/fr_sequoia-ud-dev.conllu", Conllu()),
        ("wsj-sample/combined/wsj_0003.mrg", Brackets()),
        ("craft/penn/11532192.tree", Brackets()),
    ],
)
def test_gold_tags_give_the_file_back(data_folder: Path, path: str, expected: Format) -> None:
    corpus_format = guess_format(data_folder / path)
    assert corpus_format == expected
    records = corpus_format.read(data_folder / path)
    text = "".join(corpus_format.render(r, r.example.analysis) for r in records)
    assert text == (data_folder / path).read_bytes().decode()
