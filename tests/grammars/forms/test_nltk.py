"""NLTK's grammars and trees are ours, and ours are NLTK's."""

from __future__ import annotations

import builtins
import math
from typing import Any

import nltk
import numpy as np
import pytest

from weft import EM, Cfg, example, fit
from weft.criteria import joint, marginal
from weft.errors import FormatError, OptionError, WeftError
from weft.grammars import (
    from_nltk,
    parse_grammar,
    to_nltk,
    tree_from_nltk,
    tree_to_nltk,
)
from weft.grammars.forms.nltk import is_nltk_grammar, is_nltk_tree
from weft.structures.evidence import Example
from weft.structures.tree import Tree

TEXT = """
S -> NP VP [1.0]
NP -> 'dogs' [0.25] | NP PP [0.75]
VP -> 'bark' [1.0]
PP -> 'there' [1.0]
"""
TREES = ["(S (NP dogs) (VP bark))", "(S (NP (NP dogs) (PP there)) (VP bark))"]


def test_grammars_go_there_and_back():
    theirs = nltk.PCFG.fromstring(TEXT)
    ours = from_nltk(theirs)
    assert ours.rules() == parse_grammar(TEXT).rules()
    again = to_nltk(ours)
    assert set(again.productions()) == set(theirs.productions())
    assert again.start() == theirs.start()


def test_grammars_without_probabilities_and_with_another_start():
    theirs = nltk.CFG.fromstring("% start NP\nS -> NP\nNP -> 'a' | ")
    ours = from_nltk(theirs)
    assert ours.nonterminals[ours.start] == "NP"
    assert not ours.weights.any()
    assert parse_grammar("% start NP\nS -> NP\nNP -> 'a' | ").start == ours.start
    with pytest.raises(OptionError, match="the weights of NP sum to 2"):
        to_nltk(ours)


def test_what_is_no_grammar_of_theirs():
    features = nltk.grammar.FeatureGrammar.fromstring("S -> NP[NUM=?n]\nNP[NUM=sg] -> 'a'")
    with pytest.raises(FormatError, match="grammars with features are not read"):
        from_nltk(features)
    with pytest.raises(FormatError, match="expected a CFG or PCFG of NLTK, not 'S'"):
        from_nltk("S")
    rule = nltk.Production(nltk.Nonterminal("S"), ["a"])
    with pytest.raises(FormatError, match="S -> 'a'"):
        from_nltk(nltk.CFG(nltk.Nonterminal("S"), [rule, rule]))
    assert not is_nltk_grammar(Cfg())
    assert not is_nltk_tree("S")


def test_trees_go_there_and_back():
    theirs = nltk.Tree.fromstring("(S (NP (DT the) (NN dog)) barks ())")
    ours = tree_from_nltk(theirs)
    noun = Tree("NP", (Tree("DT", ("the",)), Tree("NN", ("dog",))))
    assert ours == Tree("S", (noun, "barks", Tree("", ())))
    assert tree_to_nltk(ours) == theirs
    with pytest.raises(FormatError, match="a leaf of a tree must be a word, not 7"):
        tree_from_nltk(nltk.Tree("S", [7]))
    with pytest.raises(FormatError, match="expected a tree of NLTK"):
        tree_from_nltk(Tree("S", ("a",)))


def test_deep_trees():
    deep: Any = "a"
    for _ in range(5000):
        deep = nltk.Tree("X", [deep])
    assert tree_from_nltk(deep).label == "X"
    assert len(tree_to_nltk(tree_from_nltk(deep))) == 1


def test_training_takes_their_trees_and_grammars():
    theirs = [nltk.Tree.fromstring(text) for text in TREES]
    parser = fit(Cfg(normalisation="joint"), theirs, criterion=joint, optimiser=EM())
    given = [Example(example(tree.leaves()).tokens, parse=tree) for tree in theirs]
    other = fit(Cfg(normalisation="joint"), given, criterion=joint, optimiser=EM())
    mine = fit(
        Cfg(normalisation="joint"), list(map(tree_from_nltk, theirs)), criterion=joint,
        optimiser=EM(),
    )  # fmt: skip
    expected = nltk.induce_pcfg(
        nltk.Nonterminal("S"), [rule for tree in theirs for rule in tree.productions()]
    )
    found = {(str(r.lhs()), tuple(map(str, r.rhs()))): r.prob() for r in expected.productions()}
    for each in (parser, other, mine):
        ours = to_nltk(each.grammar)
        assert {
            (str(r.lhs()), tuple(map(str, r.rhs()))): pytest.approx(r.prob())
            for r in ours.productions()
        } == found
    raw = [example(["dogs", "there", "bark"])]
    started = fit(
        Cfg(normalisation="joint", grammar=nltk.PCFG.fromstring(TEXT)), raw, criterion=marginal,
        optimiser=EM(max_iterations=1),
    )  # fmt: skip
    assert math.isclose(np.exp(started.grammar.weights[1]), 0.5)
    with pytest.raises(TypeError, match=r"a weft\.example or a tree, not str"):
        fit(Cfg(), ["S"])


def test_without_nltk(monkeypatch: pytest.MonkeyPatch):
    import_as_before = builtins.__import__

    def absent(name: str, *rest: Any) -> Any:
        if name == "nltk":
            raise ImportError(name)
        return import_as_before(name, *rest)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(WeftError, match="NLTK is not installed"):
        tree_to_nltk(Tree("S", ("a",)))
