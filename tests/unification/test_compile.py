"""Grammars as arrays: what the kernel refuses, and how features are numbered."""

from __future__ import annotations

import io
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings

from unification.strategies import grammars
from weft import _native
from weft.unification import read_fcfg
from weft.unification.compile import compile_grammar
from weft.unification.grammar import category_of

RULES = """\
% start S
S -> A[F=a, G=?x] A[F=b, G=?x] 'w'
A[F=a, G=(1)[H=a], I->(1)] -> 'u'
A[F=b] ->
"""
REST = (np.array([0], np.int32), np.array([0, 1]), 100, 1000, 1.0, False, 1)
# Numbers in arrays are checked where they are made: of these, the length says nothing.
FREE = {17: "empty", 18: "defaults", 21: "atom_categories"}


@pytest.fixture
def arrays():
    return compile_grammar(read_fcfg(io.BytesIO(RULES.encode()))).arrays


def test_arrays_that_do_not_fit_together_are_refused(arrays):
    assert len(_native.unify_parse(*arrays, *REST)) == 8
    for place, array in enumerate(arrays):
        if place in FREE or isinstance(array, int):
            continue
        wrong = list(arrays)
        wrong[place] = np.ascontiguousarray(array[:-1])
        with pytest.raises(ValueError, match="do not fit together"):
            _native.unify_parse(*wrong, *REST)


def test_levels_of_other_rules_are_refused(arrays):
    highest = np.full(len(arrays[2]), 3, np.int32)
    facts, levels, roots, ways = _native.unify_levels(*arrays, highest, 100, 100, 1000)
    assert (facts[0], len(levels) >= len(roots), len(ways) % 4) == (0, True, 0)
    with pytest.raises(ValueError, match="do not fit together"):
        _native.unify_levels(*arrays, highest[1:], 100, 100, 1000)


def test_features_and_categories_that_are_not_there_are_refused(arrays):
    for last in ((9, -1), (-1, 9)):
        with pytest.raises(ValueError, match="no such feature or category"):
            _native.unify_parse(*arrays[:-2], *last, *REST)


def test_sentences_that_do_not_fit_together_are_refused(arrays):
    for offsets in (np.zeros(0, np.int64), np.array([0, 2]), np.array([1, 1])):
        with pytest.raises(ValueError, match="sentences do not fit"):
            _native.unify_parse(*arrays, REST[0], offsets, *REST[2:])


def test_features_that_tell_categories_apart_come_first():
    rules = "S -> A[B=x, C=x]\nA[B=x, C=y] -> 'u'\nA[B=x, C=z] -> 'v'"
    assert compile_grammar(read_fcfg(io.BytesIO(rules.encode()))).features == ("C", "B")


def corners_of(compiled):
    """What may begin what is looked for, by names."""
    names = compiled.categories
    rows, columns = np.nonzero(compiled.arrays[20])
    return {(names[row], names[column]) for row, column in zip(rows, columns, strict=True)}


@given(grammars())
@settings(max_examples=20)
def test_left_corners_are_a_closure(text):
    grammar = read_fcfg(io.BytesIO(text.encode()))
    compiled = compile_grammar(grammar)
    rules = [[category_of(rule.structure, side) for side in rule.sides] for rule in grammar.rules]
    empty, begins = set(), {(name, name) for name in compiled.categories}
    for _ in range(len(rules) + 1):
        empty |= {left for left, *right in rules if all(side in empty for side in right)}
    for left, *right in rules:
        for place, side in enumerate(right):
            if side is None:
                break
            begins |= {(left, side)} if all(each in empty for each in right[:place]) else set()
    for middle in compiled.categories:
        begins |= {(a, d) for a, b in begins for c, d in begins if b == middle == c}
    looked_for = {category_of(grammar.start, 0)}
    looked_for |= {side for rule in rules for side in rule[2:] if side is not None}
    assert corners_of(compiled) == {each for each in begins if each[0] in looked_for}


def test_thousands_of_categories():
    names = [f"A{number}" for number in range(4000)]
    rules = "\n".join(f"S -> {name}\n{name}[F{name}=x] -> 'a'" for name in names)
    grammar = read_fcfg(io.BytesIO(rules.encode()))
    tracemalloc.start()
    compiled = compile_grammar(grammar)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert corners_of(compiled) == {("S", name) for name in ("S", *names)}
    assert most < len(names) ** 2  # bytes: what may begin what is held nowhere in full


def test_categories_that_may_begin_each_other():
    rules = "S -> S A B\nA -> B 'a'\nB -> A 'b' | C\nC -> 'c'\nD -> 'd'"
    compiled = compile_grammar(read_fcfg(io.BytesIO(rules.encode())))
    of = {"S": "S", "A": "ABC", "B": "ABC"}
    assert corners_of(compiled) == {(name, each) for name, some in of.items() for each in some}
