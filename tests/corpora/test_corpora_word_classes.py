"""Classes of rare words in place of words."""

from __future__ import annotations

import pytest

from trees import tree
from weft.corpora.word_classes import WordClasses, learn_word_classes, with_classes
from weft.errors import OptionError
from weft.features.signatures import Signatures
from weft.grammars.induce import grammar_of, rule_numbers
from weft.structures.constituents import Constituents, Span
from weft.structures.evidence import Example, Sentence
from weft.structures.tree import Tree, leaves

TREES = [
    tree("(S (DT the) (NN weaving) (VB ends))"),
    tree("(S (DT the) (NN being) (VB ends))"),
    tree("(S (DT a) (NN meeting) (VB ends))"),
]
CLASSES = learn_word_classes(map(leaves, TREES), enough=3)


def test_rare_words_stand_for_new_ones() -> None:
    assert CLASSES.known == {"the", "ends"}
    assert CLASSES.item("knitting") == CLASSES.item("being") == "unknown:lower:ing"
    assert CLASSES.item("a") == "unknown:lower"
    assert CLASSES.item("Bonn") == "unknown:*"
    examples = [
        with_classes(Example(Sentence((tuple(leaves(each)),)), parse=each), CLASSES)
        for each in TREES
    ]
    assert examples[2].parse == tree("(S (DT unknown:lower) (NN unknown:lower:ing) (VB ends))")
    grammar, _ = grammar_of([each.parse for each in examples if isinstance(each.parse, Tree)])
    words = ("the", "knitting", "ends")
    new = Example(Sentence((words,)), parse=tree("(S (DT the) (NN knitting) (VB ends))"))
    parse = with_classes(new, CLASSES).parse
    assert isinstance(parse, Tree)
    assert len(rule_numbers(grammar, parse)) == 4


def test_examples_keep_the_rest() -> None:
    before = Example(
        Sentence((("the", "cat"), ("D", "N")), source="a.mrg:1"),
        ("DT", "NN"),
        2.0,
        Constituents((Span(0, 2, "NP"),)),
    )
    after = with_classes(before, CLASSES)
    assert after.tokens.columns == (("the", "unknown:lower"), ("D", "N"), ("the", "cat"))
    assert after.tokens.source == "a.mrg:1"
    assert (after.analysis, after.weight, after.parse) == (("DT", "NN"), 2.0, before.parse)


def test_numbers() -> None:
    words = [["a", "a", "b", "unknown:lower", "unknown:lower"]]
    assert learn_word_classes(words).known == {"a"}
    assert learn_word_classes(words, rare=0).known == {"a", "b"}
    assert learn_word_classes(words, rare=2).known == frozenset()
    with pytest.raises(OptionError, match="a rare word comes 0 times or more, not -1"):
        learn_word_classes(words, rare=-1)
    all_known = WordClasses(frozenset({"x"}), Signatures(("*",), 0))
    assert all_known.item("x") == "x"
