"""Generated sentences are those that parse, as far as their trees are no deeper."""

from __future__ import annotations

import io
import itertools
from collections import Counter
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings

import weft.unification.generate as generating
from unification.oracle import TooMany, analyses, shape, strings
from unification.strategies import grammars
from weft.errors import LimitError, NotDefined, OptionError
from weft.unification import load, read_fcfg
from weft.unification.generate import generate, generate_random, sentence_of
from weft.unification.grammar import category_of
from weft.unification.structure import CycleError
from weft.unification.trees import FeatureTree, make_label
from weft.unification.unify import unify

MOST = 3_000


def depth(tree):
    return 0 if isinstance(tree, str) else 1 + max(map(depth, tree.children), default=0)


def grammar_of(text):
    return read_fcfg(io.BytesIO(text.encode()))


def brute_force(grammar, deepest):
    """All trees up to a depth: every rule over all trees that are less deep."""
    made = []
    for _ in range(deepest):
        below = {}
        for tree in made:
            below.setdefault(category_of(tree.label, 0), []).append(tree)
        made = [tree for rule in grammar.rules for tree in _applied(grammar, rule, below)]
        if len(made) > MOST:
            raise TooMany
    return [tree for tree in made if unify(tree.label, grammar.start, grammar.defaults)]


def _applied(grammar, rule, below):
    choices = [
        [word] if word is not None else below.get(category_of(rule.structure, side), [])
        for word, side in zip(rule.words, rule.sides[1:], strict=True)
    ]
    if np.prod([float(len(each)) for each in choices]) > MOST:
        raise TooMany
    for children in itertools.product(*choices):
        labels = [child.label for child in children if not isinstance(child, str)]
        try:
            yield FeatureTree(make_label(grammar, rule, labels), children, rule)
        except (ValueError, CycleError):
            continue


@settings(max_examples=60)
@given(grammars())
def test_all_trees_up_to_a_depth_are_those_of_brute_force(text):
    grammar = grammar_of(text)
    for deepest in (1, 2, 3):
        try:
            expected = brute_force(grammar, deepest)
        except (TooMany, NotDefined):
            return
        found = list(generate(grammar, deepest))
        assert Counter(map(str, found)) == Counter(map(str, expected))
        assert [depth(tree) for tree in found] == sorted(depth(tree) for tree in found)
        drawn = list(islice(generate_random(grammar, deepest, np.random.default_rng(0)), 5))
        assert set(map(str, drawn)) <= set(map(str, expected))
        assert bool(drawn) == bool(expected)


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
    trees = list(islice(generate_random(parser.grammar, 5, rng), 30))
    assert len(trees) == 30
    for tree in trees:
        assert tree in list(parser.parse(sentence_of(tree)))


@pytest.fixture(scope="module")
def large(data_folder):
    return load(data_folder / "grammars" / "alvey" / "alvey.fcfg")


@pytest.mark.slow
def test_random_trees_of_a_large_grammar(large, rng):
    trees = list(islice(generate_random(large.grammar, 7, rng), 15))
    assert len(trees) == 15
    assert len(set(map(sentence_of, trees))) > 8
    assert max(map(depth, trees)) <= 7
    for tree in trees:
        forest = large.parse(sentence_of(tree))
        assert shape(tree) in {shape(each) for each in islice(forest, 2_000)} or len(forest) > 2_000


@pytest.mark.slow
def test_all_trees_of_a_large_grammar_come_by_depth(large):
    trees = list(islice(generate(large.grammar, 9), 60))
    assert [depth(tree) for tree in trees] == [3] * 38 + [4] * 22
    for tree in trees[::6]:
        assert shape(tree) in set(map(shape, large.parse(sentence_of(tree))))


def test_every_rule_that_can_be_completed_is_drawn(rng):
    grammar = grammar_of("% start S\nS -> 'a' | 'b' | S S | T\nT -> U\nU -> T")
    drawn = list(islice(generate_random(grammar, 3, rng), 300))
    sentences = {sentence_of(tree) for tree in drawn}
    for size in (1, 2):
        assert sentences >= set(itertools.product("ab", repeat=size))
    assert {len(words) for words in sentences} == {1, 2, 3, 4}
    first = Counter(tree.children for tree in drawn if len(tree.children) == 1)
    assert all(60 < count < 140 for count in first.values())


def test_large_random_trees_are_ended(rng):
    grammar = grammar_of("S -> S S S | S S | 'a'")
    assert all(
        len(sentence_of(tree)) < 5_000 for tree in islice(generate_random(grammar, 90, rng), 9)
    )


def test_no_sentence_at_all(rng):
    grammar = grammar_of("% start S\nS -> A[F=a]\nA[F=b] -> 'a'")
    assert list(generate(grammar, 5)) == []
    assert list(generate_random(grammar, 5, rng)) == []


@pytest.mark.parametrize("deepest", [0, 201])
def test_a_depth_of_nothing_is_refused(deepest, rng):
    grammar = grammar_of("S -> 'a'")
    for trees in (generate(grammar, deepest), generate_random(grammar, deepest, rng)):
        with pytest.raises(OptionError, match="from 1 to 200"):
            next(trees)


def test_what_takes_too_long_is_refused(monkeypatch, rng):
    grammar = grammar_of("S -> S S | 'a'")
    monkeypatch.setattr(generating, "_MOST_ATTEMPTS", 1)
    with pytest.raises(LimitError, match="depth 2 take too many steps"):
        list(generate(grammar, 4))
    grammar = grammar_of("% start S\nS -> A A\nA -> 'a'")
    monkeypatch.setattr(generating, "_RANDOM_ATTEMPTS", 1)
    with pytest.raises(LimitError, match="no tree of depth 4 was found"):
        list(generate_random(grammar, 4, rng))


def test_terms_that_would_have_to_be_computed(rng):
    grammar = grammar_of("S -> A[F=?x] B[F=?x]\nA[F=<?y(a)>, G=?y] -> 'a'\nB[F=<b>] -> 'b'")
    for trees in (generate(grammar, 3), generate_random(grammar, 3, rng)):
        with pytest.raises(NotDefined, match="compare an atomic feature"):
            next(trees)
