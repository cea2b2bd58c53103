"""Packed forests of lexical-functional analyses: their features are those of listed analyses."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings

from lfg.small import SAME, entry, function, grammar, head, is_, member, pred, up
from lfg.strategies import grammars, texts
from lfg.test_kernel import ATTACHING, attach
from weft.errors import NotDefined, OptionError
from weft.features.compile import compile_parses, unpack_parses
from weft.features.functional import (
    FUNCTIONAL,
    FunctionalProperty,
    Functions,
    functional_features,
    plain_tree,
)
from weft.features.functional_forest import pack_forest
from weft.features.properties import features, properties
from weft.lfg.forest import AtEnd, LfgForest
from weft.lfg.language import (
    DOWN,
    UP,
    At,
    Attribute,
    Category,
    Choice,
    Contains,
    Either,
    Equal,
    Mark,
    Repeat,
    Repeated,
    Sequence,
    Steps,
    Symbol,
)
from weft.lfg.parser import LfgParser
from weft.structures.alternatives import row_features
from weft.structures.parse_set import ParseSet

IN = Contains(DOWN, UP)
LOCAL = properties("rules grandparents entries words")


def sums_of(forest, found):
    """The optimal derivations, with their features summed over packed edges."""
    for derivation in map(forest.derivation, range(forest.optimal)):
        total = Counter()
        for edge in found.edges(derivation):
            total.update(found.packed.edges[edge].features)
        yield derivation, {name: value for name, value in total.items() if value}


def agree(forest, functions, some):
    found = pack_forest(forest, functions, some)
    for derivation, total in sums_of(forest, found):
        assert total == functional_features(forest.show(derivation), functions, some)


@settings(max_examples=25)
@given(grammars())
def test_random_grammars(grammar):
    parser = LfgParser(grammar)
    for text in texts():
        forest = parser.parse(text)
        if isinstance(forest, LfgForest) and 0 < forest.count < 100:
            agree(forest, Functions.of(grammar), FUNCTIONAL.values())


PAIRS = grammar(
    {
        "S": Sequence((Category("P", (IN,)), head("AND"), Category("P", (IN,)))),
        "P": Choice((Sequence((head("N"), member("M", "MOD"))), Sequence((head("N"), head("C"))))),
    },
    [
        entry("a", "N", pred("a")),
        entry("b", "C", is_("TIME", "day")),
        entry("b", "M", pred("b"), is_("NUM", "sg")),
        entry("and", "AND"),
    ],
    semantic=("MOD",),
)


@pytest.mark.parametrize("name", FUNCTIONAL)
@pytest.mark.parametrize(
    ("lfg", "text"), [(ATTACHING, attach(3)), (PAIRS, "a b and a b")], ids=["PP", "and"]
)
def test_each_property_alone(lfg, text, name):
    forest = LfgParser(lfg).parse(text)
    assert forest.count > 3
    agree(forest, Functions.of(lfg), [FUNCTIONAL[name]])


def test_paths_that_are_chosen_at_the_end_are_edges_of_the_root():
    """Of A* B = x each choice gives another f-structure, and other features."""
    said = Equal(At(UP, Steps((Repeated(Attribute("A"), 0), Attribute("B")))), Symbol("x"))
    rules = {**ATTACHING.rules, "S": Category("T", (SAME, said)), "T": ATTACHING.rules["S"]}
    lfg = grammar(rules, [each for some in ATTACHING.entries.values() for each in some])
    forest = LfgParser(lfg).parse(attach(2))
    assert any(isinstance(each, AtEnd) and each.count > 1 for each in forest.steps)
    agree(forest, Functions.of(lfg), FUNCTIONAL.values())


COMPOUNDS = grammar(
    {"S": head("N"), "N": Sequence((member("N", "MOD"), head("N")))},
    [entry("a", "N", pred("a"))],
    semantic=("MOD",),
)


def test_a_forest_that_nobody_would_list():
    functions = Functions.of(COMPOUNDS)
    forest = LfgParser(COMPOUNDS).parse("a " * 14)
    found = pack_forest(forest, functions)
    assert forest.count == math.comb(26, 13) // 14
    assert len(found.packed.edges) < 2_000
    for number in (0, 300_003, forest.count - 1):
        derivation = forest.derivation(number)
        total = Counter()
        for edge in found.edges(derivation):
            total.update(found.packed.edges[edge].features)
        wanted = functional_features(forest.show(derivation), functions)
        assert {name: value for name, value in total.items() if value} == wanted


def test_more_analyses_than_a_machine_word_counts():
    lfg = grammar(
        {"S": Repeat(Category("X"), 1)}, [entry("a", "X", Either(((is_("NUM", "sg"),), ())))]
    )
    forest = LfgParser(lfg).parse("a " * 70)
    assert forest.count == 2**70
    assert len(pack_forest(forest, Functions.of(lfg)).packed.edges) < 1_000


def test_properties_of_trees_are_those_of_listed_trees():
    functions = Functions.of(ATTACHING)
    forest = LfgParser(ATTACHING).parse(attach(3))
    packed = ParseSet("1", "", pack_forest(forest, functions).packed)
    listed = unpack_parses(compile_parses(packed, LOCAL)).tokens
    found = Counter(
        frozenset(
            (name, value)
            for name, value in row_features(listed, [row]).items()
            if name[0] != "given"
        )
        for row in range(len(listed))
    )
    trees = (plain_tree(each.tree) for each in forest)
    assert found == Counter(frozenset(features(tree, LOCAL).items()) for tree in trees)


def test_only_optimal_analyses_are_packed():
    choice = Either(((Mark("rare"),), (), (Equal(up("F"), up("G")),)))
    lfg = replace(
        ATTACHING,
        entries={
            **ATTACHING.entries,
            "sees": (entry("sees", "V", pred("see", "SUBJ OBJ"), choice),),
        },
        optimality=(("rare",),),
    )
    functions = Functions.of(lfg)
    forest = LfgParser(lfg).parse(attach(1))
    assert forest.numbers == "4+2"
    found = pack_forest(forest, functions)
    agree(forest, functions, FUNCTIONAL.values())
    assert len(unpack_parses(compile_parses(ParseSet("1", "", found.packed), ())).tokens) == 4
    edges = found.edges(forest.derivation(3))
    with pytest.raises(KeyError):
        found.edges(forest.derivation(4))
    # In pre-order, edges are a derivation again.
    node, order = {found.packed.edges[edge].node: edge for edge in edges}, []
    waiting = [found.packed.root]
    while waiting:
        order.append(node[waiting.pop()])
        waiting += reversed(found.packed.edges[order[-1]].children)
    assert found.derivation(order) == forest.derivation(3)


def test_properties_of_whole_analyses_are_refused_by_name():
    own = FunctionalProperty("own", "", lambda analysis, _: [str(len(analysis.values))])
    forest = LfgParser(ATTACHING).parse(attach(1))
    with pytest.raises(OptionError, match=r"property 'own' looks at whole analyses.*'Kim sees Kim"):
        pack_forest(forest, Functions.of(ATTACHING), [own])
    with pytest.raises(ValueError, match="no analysis to pack"):
        pack_forest(LfgParser(ATTACHING).parse("Kim Kim"), Functions.of(ATTACHING))


def test_what_is_no_sum_is_refused_by_name():
    """Over one and the same f-structure two daughters may be attached, or one."""
    lfg = grammar(
        {
            "S": Sequence((Category("T", (SAME, Equal(up("OBJ"), up("TOPIC")))), head("V"))),
            "T": Choice(
                (
                    function("A", "TOPIC"),
                    Sequence((function("N", "TOPIC"), function("B", "TOPIC"))),
                )
            ),
            "A": Sequence((head("N"), head("B"))),
        },
        [entry("a", "N", pred("a")), entry("b", "B"), entry("c", "V", pred("c", "OBJ"))],
        governable=("OBJ",),
    )
    functions = Functions.of(lfg)
    forest = LfgParser(lfg).parse("a b c")
    assert forest.count == 2
    with pytest.raises(NotDefined, match="'attachments' says is no sum over the parts of 'a b c'"):
        pack_forest(forest, functions, [FUNCTIONAL["attachments"]])
    # Where something else tells the two apart, it is a sum.
    agree(forest, functions, FUNCTIONAL.values())


def test_what_only_a_derivation_in_the_middle_shows_is_seen():
    """Of three ways to build X the second has two daughters that are one and the same ADJ."""
    same = (SAME, Equal(up("TOPIC"), up("ADJ")))
    one = Sequence((function("A", "ADJ"), head("B")))
    lfg = grammar(
        {
            "S": Category("Y", same),
            "Y": head("X"),
            "X": Choice((head("P"), head("Q"), head("R"))),
            "P": one,
            "Q": Sequence((function("A", "ADJ"), function("B", "ADJ"))),
            "R": one,
        },
        [entry("a", "A", pred("a")), entry("b", "B")],
        semantic=("ADJ", "TOPIC"),
    )
    forest = LfgParser(lfg).parse("a b")
    assert forest.count == 3
    with pytest.raises(NotDefined, match="'attachments' says is no sum over the parts of 'a b'"):
        pack_forest(forest, Functions.of(lfg), [FUNCTIONAL["attachments"]])
