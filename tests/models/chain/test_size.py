"""Templates that depend on the size of a corpus: when they do, and who may say otherwise."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from weft import commands
from weft.commands.training import Training
from weft.corpora import bundled
from weft.features.templates import default_templates, templates
from weft.models import Chain
from weft.models.chain.size import FEW_PER_TAG, FEW_TOKENS
from weft.recipes import find_recipe, fit_recipe
from weft.structures.evidence import Example, Sentence

NARROW = default_templates(1, narrow=True)


def corpus(tokens: int, tags: int, columns: int = 1) -> list[Example]:
    """One sentence with so many tokens and tags."""
    words = tuple(f"w{place % 50}" for place in range(tokens))
    labels = tuple(f"T{place % tags}" for place in range(tokens))
    return [Example(Sentence((words,) * columns), labels)]


@pytest.mark.parametrize(
    ("tokens", "tags", "narrow"),
    [
        (FEW_TOKENS - 1, 2, True),
        (FEW_TOKENS, 2, False),
        (FEW_PER_TAG * 100 - 1, 100, True),
        (FEW_PER_TAG * 100, 100, False),
        (14_000, 304, True),
    ],
)
def test_few_tokens_or_few_per_tag(tokens: int, tags: int, narrow: bool) -> None:
    found, why = Chain().adapted(corpus(tokens, tags))
    assert found.templates == (NARROW if narrow else None)
    expected = f"templates of single words in a window of 1, for {tokens:,} tokens and {tags} tags"
    assert why == (expected if narrow else "")


def test_narrow_templates_look_at_single_words_nearby() -> None:
    usual = default_templates(1)
    assert set(NARROW) < set(usual)
    for each in set(usual) - set(NARROW):
        assert len(each.atoms) > 1 or max(map(abs, each.window)) == 2
    assert all(len(each.atoms) < 2 and each.window in ((-1, -1), (0, 0), (1, 1)) for each in NARROW)


def test_further_columns_keep_their_pairs_and_become_coarse() -> None:
    found, _ = Chain().adapted(corpus(10, 2, columns=2))
    more = []
    for name in ("column2", "column2.prefix2"):
        more += [f"{name}[{place}]" for place in (-1, 0, 1)]
        more += [f"{name}[-1]|{name}[0]", f"{name}[0]|{name}[1]"]
    assert set(found.templates or ()) - set(NARROW) == set(templates(more))


def test_what_is_said_is_left_alone() -> None:
    named = Chain(templates=templates("word[0]"))
    assert named.adapted(corpus(10, 2)) == (named, "")
    [one] = corpus(10, 2)
    attributes = tuple((f"a{place}",) for place in range(10))
    given = replace(one, tokens=replace(one.tokens, attributes=attributes))
    assert Chain().adapted([given]) == (Chain(), "")
    assert Chain().adapted([Example(one.tokens)]) == (Chain(), "")


@pytest.fixture
def train(tmp_path: Path) -> Path:
    path = tmp_path / "train.tagged"
    path.write_text("the/DT dog/NN barks/VBZ\nwe/PRP saw/VBD the/DT dog/NN\n")
    return path


def trained(train: Path, **asked: Any) -> Training:
    return commands.train(train.with_name("m.weft"), [train], **asked)


def test_training_says_what_was_chosen(train: Path) -> None:
    found = trained(train)
    assert found.trained.model.index.templates == NARROW
    assert found.trained.notes["adapted"].endswith("for 7 tokens and 5 tags")


@pytest.mark.parametrize("settings", [{"adapt": "no"}, {"templates": "word[0]"}])
def test_it_can_be_switched_off(train: Path, settings: dict[str, str]) -> None:
    found = trained(train, settings=settings)
    assert found.trained.model.index.templates != NARROW
    assert "adapted" not in found.trained.notes


@pytest.mark.parametrize(
    ("settings", "narrow"), [({"adapt": "no"}, False), ({}, True), ({"templates": "word[0]"}, True)]
)
def test_nothing_is_left_out_that_a_start_looks_at(
    train: Path, settings: dict[str, str], narrow: bool
) -> None:
    start = train.with_name("start.weft")
    commands.train(start, [train], settings=settings)
    found = trained(train, start=start)
    assert found.trained.model.index.templates == (NARROW if narrow else default_templates(1))
    assert ("adapted" in found.trained.notes) == narrow


def test_a_start_leaves_nothing_out_of_a_large_corpus(train: Path) -> None:
    start = trained(train).trained
    assert start.model.index.templates == NARROW
    assert Chain().adapted(corpus(FEW_TOKENS, 2), start) == (Chain(), "")


def test_a_large_corpus_has_the_usual_ones() -> None:
    plan = find_recipe("crf")
    plan = replace(plan, optimiser=replace(plan.optimiser, max_iterations=1))
    tagger = fit_recipe(plan, bundled("train"))
    assert tagger.model.index.templates == default_templates(1)
    assert "adapted" not in tagger.notes
