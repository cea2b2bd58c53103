"""A student with a small corpus of her own: 120 sentences in a spreadsheet's columns."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import weft as library
from weft.corpora import bundled

Weft = Callable[..., str]


def write_corpus(sentences: range) -> str:
    """Sentences as she has them: a word and its tag per line, a blank line between sentences."""
    examples = bundled("train")
    chosen = [examples[number] for number in sentences]
    lines = [
        "".join(f"{word}\t{tag}\n" for word, tag in zip(e.tokens.words, e.analysis, strict=True))
        for e in chosen
    ]
    return "\n".join(lines)


def test_from_columns_to_tagged_text(weft: Weft) -> None:
    Path("train.tsv").write_text(write_corpus(range(100)), encoding="utf-8")
    Path("test.tsv").write_text(write_corpus(range(100, 120)), encoding="utf-8")
    assert "train" in weft("--help")
    train = ("train", "pos.weft", "--train", "train.tsv", "--format", "columns", "--quiet")
    weft(*train, "--set", "iterations=30")
    told = json.loads(weft("evaluate", "pos.weft", "test.tsv", "--json"))
    assert told["accuracy"] > 0.7
    tagged = weft("predict", "pos.weft", "--format", "text", given="The old man saw the ship .\n")
    assert [pair.rpartition("/")[0] for pair in tagged.split()] == [
        "The",
        "old",
        "man",
        "saw",
        "the",
        "ship",
        ".",
    ]
    assert "Strongest for" in weft("inspect", "pos.weft", "--top", "3")


def test_mistakes_are_told_with_what_to_do(weft: Weft) -> None:
    Path("train.tsv").write_text("time\tNN\nflies\n", encoding="utf-8")
    train = ("train", "pos.weft", "--train", "train.tsv", "--format", "columns")
    assert "train.tsv:2" in weft(*train, code=1)
    assert "did you mean crf" in weft(
        "train", "m", "--train", "train.tsv", "--recipe", "cfr", code=2
    )
    assert "no such file" in weft("predict", "poss.weft", code=1)


def test_what_she_does_in_a_notebook() -> None:
    corpus = bundled("train")[:60]
    tagger = library.fit(library.Chain(), corpus, optimiser=library.LBFGS(max_iterations=20))
    [tags] = tagger.tag([["The", "ship", "sailed", "."]])
    assert len(tags) == 4
    [probs] = tagger.marginals([["The", "ship", "sailed", "."]])
    assert abs(probs.sum(axis=1) - 1).max() < 1e-9
    assert len(repr(tagger)) < 200
