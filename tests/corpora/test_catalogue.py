"""The catalogue of corpora is right where that can be seen, and the page says the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from weft.corpora import BUNDLED, CORPORA, Corpus, bundled
from weft.corpora.bundled import PARTS

PAGE = Path(__file__).parents[2] / "docs" / "data.md"
HOST = re.compile(r"\b[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|edu|io|de|fr)\b")

corpora = pytest.mark.parametrize("corpus", CORPORA, ids=lambda corpus: corpus.name)


ENTRY = re.compile(
    r"^(.+)\n:   (.+)\n\n    - size: (.+)\n    - licence: (.+)\n    - from: (.+)$", re.MULTILINE
)


def entries_of_the_page() -> list[Corpus]:
    text = PAGE.read_text(encoding="utf-8").replace("`", "")
    return [Corpus(*facts) for facts in ENTRY.findall(text)]


def test_names_differ() -> None:
    names = [corpus.name for corpus in (BUNDLED, *CORPORA)]
    assert len(set(names)) == len(names)


def test_the_page_says_the_same() -> None:
    assert entries_of_the_page() == list(CORPORA)


def test_the_page_has_the_bundled_corpus() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for part in PARTS:
        examples = bundled(part)
        tokens = sum(len(example.tokens) for example in examples)
        assert f"| `{part}` | {len(examples):,} | {tokens:,} |" in text
    assert BUNDLED.licence.partition(",")[0] in text


def test_the_bundled_corpus_is_as_large_as_it_says() -> None:
    parts = [bundled(part) for part in PARTS]
    sentences = " / ".join(f"{len(part):,}" for part in parts)
    tokens = " / ".join(f"{sum(len(each.tokens) for each in part):,}" for part in parts)
    assert BUNDLED.size == f"{sentences} sentences ({tokens} tokens)"


@corpora
def test_every_fact_is_there(corpus: Corpus) -> None:
    for fact in (corpus.name, corpus.what, corpus.size, corpus.licence, corpus.source):
        assert fact == fact.strip() != ""
        assert "|" not in fact


@corpora
def test_only_public_places_are_named(corpus: Corpus) -> None:
    for fact in (corpus.what, corpus.size, corpus.licence, corpus.source):
        assert set(HOST.findall(fact)) <= {"github.com"}
        assert "@" not in fact
        assert "://" not in fact
