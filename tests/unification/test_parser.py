"""Forests of random grammars against enumeration; what forests give; limits and refusals."""

from __future__ import annotations

import io
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from unification.oracle import TooMany, analyses, shape, strings
from unification.strategies import grammars
from weft.errors import LimitError, NotDefined
from weft.features.compile import compile_parses, unpack_parses
from weft.structures.parse_set import ParseSet
from weft.unification import (
    FeatureParser,
    ParseLimits,
    load,
    pack,
    read_fcfg,
    read_structure,
)
from weft.unification.check import check_features
from weft.unification.evaluate import evaluate
from weft.unification.parser import parse_block
from weft.unification.structure import feature

# A rule may make ever larger structures over the same words.
FEW = ParseLimits(edges=2000)


def parser_of(text):
    return FeatureParser(read_fcfg(io.BytesIO(text.encode())))


@settings(max_examples=40)
@given(grammars())
def test_forests_are_what_enumeration_finds(text):
    parser = parser_of(text)
    for words in strings(("u", "v"), 2):
        try:
            expected = analyses(parser.grammar, words)
        except TooMany:
            continue
        found = parser.parse(words)
        assert len(found) == len(expected)
        ours = Counter(shape(tree) for tree in found)
        assert ours == Counter(evaluated(shape(tree)) for tree in expected)


def evaluated(found):
    if isinstance(found, str):
        return found
    return evaluate(found[0]), tuple(map(evaluated, found[1]))


@settings(max_examples=20)
@given(grammars())
def test_packed_forests_have_as_many_analyses(text):
    parser = parser_of(text)
    for words in strings(("u", "v"), 2):
        try:
            forest = parser.parse(words, FEW)
        except LimitError:
            continue
        if 0 < len(forest) < 200:
            packed = compile_parses(ParseSet("x", "", pack(forest)), [])
            assert len(unpack_parses(packed).tokens) == len(forest)


AMBIGUOUS = "S[N=?n] -> S[N=?n] S\nS[N=sg] -> 'a'\nS[N=pl] -> 'a'"


def test_counting_without_unpacking():
    forest = parser_of("% start S\n" + AMBIGUOUS).parse(["a"] * 15)
    # Catalan's number of trees, and two entries for each word.
    assert forest.count == 2_674_440 * 2**15
    assert forest.hypergraph.edge_count < 10_000
    assert len(str(forest[forest.count - 1]).split(" a)")) == 16


def test_iteration_best_samples_and_drawing(rng):
    forest = parser_of("% start S\n" + AMBIGUOUS).parse("a a a")
    trees = list(forest)
    assert len(trees) == len(forest) == len(set(map(str, trees))) == 16
    assert forest[-1] == trees[-1]
    with pytest.raises(IndexError, match="16 analyses"):
        forest[16]
    weights = np.zeros(forest.hypergraph.edge_count)
    plural = [rule.line for rule in forest.compiled.grammar.rules].index(4)
    weights[forest.rules == plural] = 1.0
    assert "sg" not in str(forest.best(weights))
    assert "sg" not in str(forest.kbest(16, weights)[0])
    assert len(forest.kbest(20, weights)) == 16
    drawn = Counter(str(tree) for tree in forest.sample(800, rng))
    assert len(drawn) == 16
    assert max(drawn.values()) < 3 * min(drawn.values())
    assert forest.draw().splitlines()[0] == "S[N='sg']"
    assert forest.draw().splitlines()[-1].endswith("  a")


def test_rules_that_say_the_same_once_they_are_bound_count_once():
    text = "% start S\nS -> A[F=?x]\nS -> A[F=a]\nS -> A\nA[F=a] -> 'u'"
    # The first two are S[] -> A[F=a]; the third is not.
    assert len(parser_of(text).parse("u")) == 2


@pytest.mark.parametrize(
    ("rules", "label"),
    [
        # A value that is shared below is seen as one, wherever a rule looks at it.
        (
            "S[Z=?x] -> A[P=[F=?x], Q=[F=[K=m]]]\nA[P=(1)[F=[G=h]], Q->(1)] -> 'u'",
            "S[Z=[G=h, K=m]]",
        ),
        ("S[Z=?x] -> A[P=?x, Q=[K=m]]\nA[P=(1)[G=h], Q->(1)] -> 'u'", "S[Z=[G=h, K=m]]"),
        ("S[Y=?y, Z=?x] -> A[P=?x, Q=?y]\nA[P=(1)[G=h], Q->(1)] -> 'u'", "S[Y=(1)[G=h], Z->(1)]"),
        ("S[Y=?y, Z=?x] -> A[P=?x, Q=?y]\nA[P=?z, Q=?z] -> 'u'", "S[Y=?a, Z=?a]"),
        (
            "S[Y=?x, Z=?x] -> A[P=?x, Q=?x]\nA[P=[G=h], Q=[K=m]] -> 'u'",
            "S[Y=(1)[G=h, K=m], Z->(1)]",
        ),
        ("S[Z=?x] -> A[P=(1)[F=?x], Q->(1)]\nA[P=[F=?z], Q=[F=[K=m]]] -> 'u'", "S[Z=[K=m]]"),
        ("S[Z=?x] -> A[P=(?x, [K=?k])]\nA[P=([G=h], ?z)] -> 'u'", "S[Z=[G=h]]"),
        ("S[Z=?x] -> A[P=[?x, b]]\nA[P=[[G=h], ?z]] -> 'u'", "S[Z=[G=h]]"),
    ],
)
def test_sharing(rules, label):
    # The last rule tests what would be carried otherwise, and so unknown to the kernel.
    parser = parser_of(f"% start S\n{rules}\nS -> S[Z=n, Y=n] S[Z=n, Y=n]")
    forest = parser.parse("u")
    [tree] = forest
    assert tree.label == read_structure(label)
    assert forest.structure(forest.hypergraph.root - 1) == tree.label
    assert [shape(tree)] == [shape(each) for each in analyses(parser.grammar, ["u"])]


def test_carried_features_do_not_hinder_packing():
    lines = ["% start S", "S[SEM=<?a(?b)>] -> S[SEM=?a] S[SEM=?b]"]
    forest = parser_of("\n".join([*lines, "S[SEM=<x>] -> 'a'", "S[SEM=<y>] -> 'a'"])).parse("a a a")
    assert len(forest) == 16
    assert len({str(tree.label) for tree in forest}) == 16
    assert forest.hypergraph.vertex_count == 7


def test_empty_sentences_and_unknown_words():
    parser = parser_of("S -> 'a' | ")
    assert len(parser.parse("")) == 1
    assert len(parser.parse("a b a b")) == 0
    assert parser.parse("a b a b").unknown == ("b",)
    assert not parser.parse("b")


def test_words_within_rules():
    parser = parser_of("% start S\nS -> NP 'and' NP | 'either' NP 'or' NP\nNP -> 'a'")
    assert str(parser.parse("a and a")[0]) == "(S[] (NP[] a) and (NP[] a))"
    assert str(parser.parse("either a or a")[0]) == "(S[] either (NP[] a) or (NP[] a))"
    packed = pack(parser.parse("a and a"))
    assert {edge.words for edge in packed.edges} == {(), ("and",), ("a",)}


@pytest.mark.parametrize(
    ("rules", "count"),
    [
        # Through A the ways are A B, A C B and so on; which constituents a tree has depends on it.
        ("S -> A\nA -> B\nB -> A\nB -> 'u'", 1),
        ("S -> S | 'u'", 1),
        ("S -> A | B\nA -> B | 'u'\nB -> A | 'u'", 4),
        ("S -> A\nA -> B | C | 'u'\nB -> A | C | 'u'\nC -> A | B | 'u'", 5),
        ("S -> S S | 'u' |", 1),
        ("S -> A\nA[F=a] -> B\nB -> A[F=b]\nB -> 'u'", 1),
        ("S -> A[SEM=?x]\nA[SEM=<f(?x)>] -> A[SEM=?x]\nA[SEM=<u>] -> 'u'", 1),
        ("S -> A[F=?x]\nA[F=a] -> A[F=b]\nA[F=b] -> A[F=a] | 'u'", 2),
    ],
)
def test_no_constituent_is_part_of_itself(rules, count):
    found = parser_of(f"% start S\n{rules}").parse("u")
    assert len(found) == len(set(map(str, found))) == count
    assert len(unpack_parses(compile_parses(ParseSet("x", "", pack(found)), [])).tokens) == count


def test_cycles_within_limits():
    """Each pair of 12 categories may be over the other: 12! ways and more."""
    names = [f"A{number}" for number in range(12)]
    rules = "\n".join(f"{one} -> {' | '.join(n for n in names if n != one)} | 'u'" for one in names)
    parser = parser_of(f"% start A0\n{rules}")
    for limits in (ParseLimits(edges=9000), ParseLimits(megabytes=1), ParseLimits(seconds=0)):
        with pytest.raises(LimitError):
            parser.parse("u", limits)


def test_terms_that_would_have_to_be_computed_are_refused():
    parser = parser_of(
        "% start S\nS -> A[F=(a, b)]\nA[F=(?x+?y)] -> B[F=?x] B[F=?y]\nB[F=(a)] -> 'u'"
    )
    with pytest.raises(NotDefined, match="computed"):
        parser.parse("u u")


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (ParseLimits(edges=50), "50 edges"),
        (ParseLimits(megabytes=0.00001), "1e-05 megabytes"),
        (ParseLimits(seconds=0.0), "0 seconds"),
    ],
)
def test_limits(limits, message):
    parser = parser_of("% start S\n" + AMBIGUOUS)
    with pytest.raises(LimitError, match=message):
        parser.parse(["a"] * 40, limits)
    short = parser.parse(
        ["a"] * 40, ParseLimits(limits.edges, limits.megabytes, limits.seconds, truncate=True)
    )
    assert short.truncated
    assert "truncated" in repr(short)


def test_ever_deeper_structures():
    parser = parser_of("% start S\nS -> A\nA[F=[F=?x]] -> A[F=?x]\nA[F=a] -> 'u'\nS -> A[F=b]")
    with pytest.raises(LimitError, match="ever deeper"):
        parser.parse("u")


@given(grammars())
@settings(max_examples=20)
def test_what_is_carried_changes_no_number(text):
    grammar = read_fcfg(io.BytesIO(text.encode()))
    plain = FeatureParser(grammar)
    # Features that the start category mentions count as tested.
    told = FeatureParser(replace(grammar, start=read_structure("S[SEM=?x, F=?y, G=?z]")))
    assert not told.compiled.carried
    for words in strings(("u", "v"), 2):
        try:
            expected = len(told.parse(words, FEW))
        except LimitError:
            continue
        found = len(plain.parse(words, FEW))
        # What is carried does not tell constituents of a cycle apart.
        assert found <= expected if check_features(grammar).cycles else found == expected


def test_what_was_found_before_a_limit_is_given():
    parser = parser_of("% start S\n" + AMBIGUOUS)
    whole = parser.parse(["a"] * 6)
    [result] = parse_block(parser.compiled, [["a"] * 6], ParseLimits())
    limits = ParseLimits(edges=result.work.steps - 3, truncate=True)
    part = parser.parse(["a"] * 6, limits)
    assert part.truncated
    assert 0 < len(part) < len(whole)


@settings(max_examples=10)
@given(grammars())
def test_any_number_of_threads_gives_the_same(text):
    parser = parser_of(text)
    sentences = list(strings(("u", "v"), 2))
    one = list(parse_block(parser.compiled, sentences, FEW, threads=1))
    two = list(parse_block(parser.compiled, sentences, FEW, threads=3))
    for first, second in zip(one, two, strict=True):
        assert first.status == second.status
        for name in ("spans", "heads", "rules", "arities", "tails"):
            assert np.array_equal(getattr(first, name), getattr(second, name))


def test_structures_that_get_deep():
    parser = load(io.BytesIO(b"% start S\nS[N=[s=?n]] -> 'a' S[N=?n]\nS[N=z] -> 'b'"))
    label = parser.parse(["a"] * 600 + ["b"])[0].label
    assert str(feature(label, "N", *["s"] * 600)) == "'z'"
    with pytest.raises(LimitError, match="nested too deeply to be written"):
        str(label)
