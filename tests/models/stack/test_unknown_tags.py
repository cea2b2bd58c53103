"""Sentences with tags that no training tree has."""

from __future__ import annotations

import pytest

import weft
from weft.models.stack.feature_spec import MoveFeatures
from weft.models.stack.spec import MoveTables
from weft.structures.evidence import Example, sentence
from weft.structures.tree import Tree

TREES = [Tree("TOP", ("a", "b")), Tree("TOP", (Tree("X", ("b",)), "b")), Tree("TOP", ("b",))]


@pytest.mark.parametrize(
    "spec", [MoveTables(rare=0), MoveTables("conditional", rare=0), MoveFeatures(rare=0)]
)
@pytest.mark.parametrize("words", ["u b", "u a b", "b u", "a u b", "u"])
def test_have_no_parse_wherever_the_tag_is(spec, words):
    parser = weft.fit(spec, [Example(sentence(["a", "b"]), parse=TREES[0]), *TREES[1:]])
    assert parser.predict([sentence(words.split())]) == [None]
