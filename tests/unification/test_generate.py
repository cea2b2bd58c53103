"""Generated sentences are those that parse, as far as their trees are no deeper."""

from __future__ import annotations

import io
from collections import Counter
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings

from unification.oracle import TooMany, analyses, shape, strings
from unification.strategies import grammars
from weft.errors import OptionError
from weft.unification import load, read_fcfg
from weft.unification.generate import generate, sentence_of


def depth(tree):
    return 0 if isinstance(tree, str) else 1 + max(map(depth, tree.children), default=0)


@settings(max_examples=30)
@given(grammars())
def test_all_trees_up_to_a_depth(text):
    grammar = read_fcfg(io.BytesIO(text.encode()))
    made = Counter()
    for tree in islice(generate(grammar, 2), 500):
        assert depth(tree) <= 2
        made[sentence_of(tree), shape(tree)] += 1
    for words in strings(("u", "v"), 2):
        try:
            expected = analyses(grammar, words)
        except TooMany:
            continue
        # Rules that say the same once they are bound are generated one by one.
        found = {each for each in made if list(each[0]) == words}
        if sum(made.values()) < 500:
            assert {each[1] for each in found} == {shape(e) for e in expected if depth(e) <= 2}


def test_random_trees_obey_features(data_folder, rng):
    parser = load(data_folder / "grammars" / "book_grammars" / "german.fcfg")
    trees = list(islice(generate(parser.grammar, 5, rng), 30))
    assert len(trees) == 30
    for tree in trees:
        assert tree in list(parser.parse(sentence_of(tree)))


def test_the_order_is_random_but_everything_comes():
    grammar = read_fcfg(io.BytesIO(b"S -> 'a' | 'b' | 'c' | 'd' | S S"))
    plain = [sentence_of(tree) for tree in generate(grammar, 2)]
    mixed = [sentence_of(tree) for tree in generate(grammar, 2, np.random.default_rng(1))]
    assert len(plain) == 20
    assert plain != mixed
    assert sorted(plain) == sorted(mixed)


def test_a_depth_of_nothing_is_refused():
    with pytest.raises(OptionError, match="at least 1"):
        next(generate(read_fcfg(io.BytesIO(b"S -> 'a'")), 0))
