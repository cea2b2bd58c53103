"""Parses move by move, against every parse of the same sentence written out."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import weft
from trees import tree
from weft.errors import EvidenceError, OptionError
from weft.grammars.transforms import moves_of, tree_of
from weft.models.stack.chances import Given
from weft.models.stack.feature_spec import MoveFeatures
from weft.models.stack.spec import MoveTables
from weft.models.stack.trace import trace_parse
from weft.structures.evidence import Evidence, sentence
from weft.structures.moves import Shift
from weft.structures.tree import Tree, leaves

TREES = [
    "(S (A a) (B b))",
    "(S (A a a) (B b))",
    "(S (A a) (B (A a) b))",
    "(S (B (A a)))",
    "(S (A a b a) (B b))",
]
# A becomes B and B becomes A.
CYCLIC = [*TREES, "(S (A (B (A a))) (B b))", "(S (A (B b)))"]
WORDS = [
    "(S (NP (D the) (N dog)) (V barks))",
    "(S (NP (D the) (N bark)) (V barks))",
    "(S (NP (D the) (N barks)) (V dog))",
    "(S (NP (D the) (J old) (N dog)) (V barks))",
]
EXACT = {"beam": 0.0}
BOUNDED = {**EXACT, "cycles": 2}
MANY = 20_000
SPECS = {
    Given.STACK: lambda rare: MoveTables("joint", rare=rare, **EXACT),
    Given.NEXT: lambda rare: MoveTables("conditional", rare=rare, **EXACT),
    Given.FEATURES: lambda rare: MoveFeatures(rare=rare, **BOUNDED),
    Given.SENTENCE: lambda rare: MoveFeatures(normalisation="none", rare=rare, **BOUNDED),
}
CASES = [(TREES, 0), (CYCLIC, 0), (WORDS, 1)]


def trained(given: Given, texts: list[str], rare: int):
    spec = SPECS[given](rare)
    penalty = {} if spec.counted else {"penalty": weft.Gaussian(1.0)}
    return weft.fit(spec, spec.compile([tree(text) for text in texts]), **penalty)


def sentences_of(texts: list[str]) -> list[tuple[str, ...]]:
    return sorted({tuple(leaves(tree(text))) for text in texts})


def named(move) -> tuple[int, str]:
    """A move without its word."""
    return getattr(move, "size", 0), move.label


def all_moves(parser, words):
    """Every parse as its moves, with its weight."""
    forest = parser.model.forest([Evidence(sentence(list(words)))])
    [ranked] = forest.kbest(parser.weights, MANY)
    assert len(ranked) < MANY
    return {tuple(map(named, moves_of(each.tree))): math.exp(score) for score, each in ranked}


@pytest.mark.parametrize("given", SPECS)
@pytest.mark.parametrize(("texts", "rare"), CASES)
def test_the_moves_make_the_best_parse_and_their_probabilities_multiply_to_its_own(
    given, texts, rare
):
    parser = trained(given, texts, rare)
    for words in sentences_of(texts):
        [best] = parser.parse([words])
        found = trace_parse(parser, words)
        assert found.given is given
        assert found.tree == best.tree
        assert found.share == pytest.approx(math.exp(best.log_prob))
        moves = [step.made.move for step in found.steps]
        assert parser.model.moves(best.tree) == moves
        last = found.steps[-1]
        assert last.stack == (tree_of(moves),)
        assert last.words == ()
        whole = best.log_prob if given is Given.SENTENCE else best.score
        assert last.log_prob == pytest.approx(whole)
        products = np.cumsum([math.log(step.made.probability) for step in found.steps])
        np.testing.assert_allclose([step.log_prob for step in found.steps], products)


@pytest.mark.parametrize(("texts", "rare"), CASES)
def test_shares_of_a_global_parser_are_those_of_all_parses_that_begin_alike(texts, rare):
    parser = trained(Given.SENTENCE, texts, rare)
    rivals, longest = 0, 2 if texts is CYCLIC else 3  # else the parses are too many to list
    for words in (each for each in sentences_of(texts) if len(each) <= longest):
        parses = all_moves(parser, words)
        steps = trace_parse(parser, words, 100).steps
        made = tuple(named(step.made.move) for step in steps)
        for place, step in enumerate(steps):
            alike = {moves: w for moves, w in parses.items() if moves[:place] == made[:place]}
            shares: dict[tuple[int, str], float] = {}
            total = sum(alike.values())
            for moves, weight in alike.items():
                shares[moves[place]] = shares.get(moves[place], 0.0) + weight / total
            found = {named(each.move): each.probability for each in (step.made, *step.rivals)}
            assert found == pytest.approx(shares)
            rivals += len(step.rivals)
    assert rivals > 2


@pytest.mark.parametrize("given", [Given.NEXT, Given.FEATURES])
@pytest.mark.parametrize("texts", [TREES, CYCLIC])
def test_local_moves_given_what_is_next_sum_to_one_at_every_state(given, texts):
    parser = trained(given, texts, 0)
    for words, count in itertools.product(sentences_of(texts), (100, 0)):
        for step in trace_parse(parser, words, count).steps:
            listed = [each.probability for each in (step.made, *step.rivals)]
            assert sum(listed) + step.rest == pytest.approx(1.0)
            assert listed[1:] == pytest.approx(sorted(listed[1:], reverse=True), rel=1e-8)
            if count:
                assert step.rest == pytest.approx(0.0, abs=1e-9)
            else:
                assert not step.rivals


def test_what_a_joint_parser_does_not_list_are_shifts_of_other_words():
    # At the start, a was seen in four of five trees, and b in none but the last.
    parser = trained(Given.STACK, [*TREES[:4], "(S (B b))"], 0)
    first = trace_parse(parser, ["a", "b"]).steps[0]
    assert first.made.move == Shift("a")
    assert first.made.probability == pytest.approx(0.8)
    assert first.rivals == ()
    assert first.rest == pytest.approx(0.2)


def test_words_are_shifted_with_their_tags():
    parser = trained(Given.STACK, WORDS, 1)
    steps = trace_parse(parser, ["the", "dog", "barks"]).steps
    assert steps[0].made.move == Shift("D", "the")
    second = next(step for step in steps if step.words == ("dog", "barks"))
    assert second.stack == (Tree("D", ("the",)),)
    # Of the two tags that dog has, after D in a noun phrase.
    assert second.made.move == Shift("N", "dog")


@pytest.mark.parametrize(
    ("words", "error", "said"),
    [
        ([], OptionError, "the sentence is empty"),
        (["a", "dog"], OptionError, "there is no terminal 'dog'"),
        (["B", "b"], OptionError, "did you mean b"),
        (["b", "a"], EvidenceError, "no parse, at the latest from word"),
    ],
)
def test_mistakes_are_told(words, error, said):
    parser = trained(Given.STACK, TREES[:2], 0)
    with pytest.raises(error, match=said):
        trace_parse(parser, words)


def test_a_word_without_a_tag_is_told():
    parser = trained(Given.STACK, ["(S (A a) (B b))"] * 3, 1)
    with pytest.raises(OptionError, match="no word like 'wug'"):
        trace_parse(parser, ["a", "wug"])
