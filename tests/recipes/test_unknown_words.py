"""Recipes that learn from raw text tag words that are neither there nor in the dictionary."""

from __future__ import annotations

from dataclasses import replace

import pytest

from weft.corpora import bundled, dictionary_of
from weft.features.templates import templates
from weft.recipes import find_recipe, fit_recipe


def unknown_accuracy(**changes) -> float:
    train, test = bundled("train"), bundled("test")
    recipe, dictionary = find_recipe("contrastive-tagger"), dictionary_of(train)
    plan = replace(recipe, model=replace(recipe.model, dictionary=dictionary, **changes))
    tagger = fit_recipe(plan, [replace(each, analysis=None) for each in train])
    right = [
        tag == label
        for example, tags in zip(test, tagger.tag([each.tokens for each in test]), strict=True)
        for word, label, tag in zip(example.tokens.words, example.analysis, tags, strict=True)
        if word not in dictionary
    ]
    return sum(right) / len(right)


def test_a_contrastive_tagger_knows_unknown_words_by_their_spelling():
    assert unknown_accuracy() > 0.6
    assert unknown_accuracy(templates=templates("word[0]")) == pytest.approx(0.38, abs=0.05)
