import numpy as np
import pytest

from parse_sets import both_ways, derivations, random_packed
from weft.errors import EvidenceError, LimitError, OptionError
from weft.features import compile as compiling
from weft.features.compile import compile_parses, unpack_parses
from weft.features.extremes import extremes
from weft.features.properties import PROPERTIES, features, properties
from weft.structures.alternatives import Selected, alternatives, row_features
from weft.structures.parse_set import Packed, PackedEdge, ParseSet

LOCAL = tuple(each for each in PROPERTIES.values() if each.of_node is not None)


@pytest.mark.parametrize("seed", range(8))
def test_a_forest_has_the_features_of_its_trees(seed):
    rng = np.random.default_rng(seed)
    packed = random_packed(rng)
    expected = sorted(sorted(features(tree, LOCAL).items()) for tree, _ in derivations(packed))
    listed = unpack_parses(compile_parses(ParseSet("1", "", packed), LOCAL))
    found = sorted(
        sorted(
            (name, value)
            for name, value in row_features(listed.tokens, [row]).items()
            if name[0] != "given"
        )
        for row in range(len(listed.tokens))
    )
    assert found == expected


def test_a_forest_tells_lexical_daughters_of_one_name_apart():
    edges = (
        PackedEdge("top", "s", ("low",)),
        PackedEdge("low", "x@noun", (), ("w",)),
        PackedEdge("low", "x@verb", (), ("w",)),
        PackedEdge("low", "x", ("leaf",)),
        PackedEdge("leaf", "x", (), ("w",)),
    )
    asked = properties("typed-rules bare-grandparents")
    packed = ParseSet("1", "", Packed(edges, "top"))
    listed = unpack_parses(compile_parses(packed, asked)).tokens
    rules = [
        [name for kind, name in row_features(listed, [row]) if kind == "typed-rules"]
        for row in range(len(listed))
    ]
    assert sorted(rules) == [
        ["s", "s → noun"],
        ["s", "s → verb"],
        ["s", "s → x", "x", "x → *"],
    ]


@pytest.mark.parametrize("seed", range(8))
def test_unpacking_is_the_other_way(seed):
    forest, flat, _ = both_ways(np.random.default_rng(seed), LOCAL)
    again = unpack_parses(forest)
    assert unpack_parses(flat) is flat

    def rows(example):
        return sorted(
            (
                sorted(row_features(example.tokens, [row]).items()),
                round(float(base), 9),
                row in example.analysis,
            )
            for row, base in enumerate(example.tokens.base)
        )

    assert rows(again) == rows(flat)


@pytest.mark.parametrize("seed", range(8))
def test_extremes_are_those_of_the_listed_analyses(seed):
    forest, flat, _ = both_ways(np.random.default_rng(seed), LOCAL)
    for narrow in (False, True):
        packed = extremes(forest.tokens, forest.analysis if narrow else None)
        listed = extremes(flat.tokens, flat.analysis if narrow else None)
        for one, other in zip(packed, listed, strict=True):
            np.testing.assert_array_equal(
                dict(zip(forest.tokens.names, one, strict=True)),
                dict(zip(flat.tokens.names, other, strict=True)),
            )


def test_extremes_in_little_memory(monkeypatch):
    forest, _, _ = both_ways(np.random.default_rng(3), LOCAL)
    whole = extremes(forest.tokens)
    monkeypatch.setattr("weft.features.extremes._ROOM", 1)
    for one, other in zip(extremes(forest.tokens), whole, strict=True):
        np.testing.assert_array_equal(one, other)


def edge(node, rule, *children, words=()):
    return PackedEdge(node, rule, children, words)


def test_broken_forests_are_refused():
    cycle = Packed((edge("a", "r", "b"), edge("b", "r", "a")), "a")
    with pytest.raises(ValueError, match="is part of itself"):
        compile_parses(ParseSet("1", "", cycle, source="f:1"), LOCAL)
    hole = Packed((edge("a", "r", "b"),), "a")
    with pytest.raises(ValueError, match="f:1: there is no edge for the node 'b'"):
        compile_parses(ParseSet("1", "", hole, source="f:1"), LOCAL)
    with pytest.raises(OptionError, match="'heights' looks at whole trees"):
        compile_parses(
            ParseSet("1", "", Packed((edge("a", "r", words=("x",)),), "a")), properties("heights")
        )


def test_forests_that_would_grow_are_refused(monkeypatch):
    packed = random_packed(np.random.default_rng(0), words=6)
    monkeypatch.setattr(compiling, "LARGEST_FOREST", 20)
    with pytest.raises(LimitError, match="more than 20 edges"):
        compile_parses(ParseSet("1", "", packed), LOCAL)
    forest, _, _ = both_ways(np.random.default_rng(1), ())
    with pytest.raises(LimitError, match="more than 1 analyses"):
        unpack_parses(forest, most=1)


def test_alternatives_are_checked():
    with pytest.raises(ValueError, match="has no analyses"):
        alternatives([])
    with pytest.raises(ValueError, match="must be finite"):
        alternatives([{("x", "a"): float("nan")}])
    with pytest.raises(ValueError, match="finite or -inf"):
        alternatives([{}], [float("inf")])
    one = alternatives([{("x", "a"): 0.0}])
    assert one.names == ()
    for right in ((), (1,), (-1,)):
        with pytest.raises(ValueError, match="some of 0 to 0"):
            Selected(one, right)
    with pytest.raises(ValueError, match="weight"):
        Selected(one, (0,), -1.0)


@pytest.mark.parametrize(("right", "node"), [((0,), "below"), ((1,), "top"), ((0, 2), "below")])
def test_right_edges_that_make_no_analysis_are_named(right, node):
    edges = (
        PackedEdge("top", "rule", ("below", "beside")),
        PackedEdge("below", "entry", (), ("a",)),
        PackedEdge("beside", "entry", (), ("b",)),
    )
    broken = ParseSet("s7", "a b", Packed(edges, "top"), right, source="sets.jsonl:7")
    message = rf"^sets.jsonl:7: sentence 's7': .* none of them makes the node '{node}'"
    with pytest.raises(EvidenceError, match=message):
        compile_parses(broken, properties("rules"))
    whole = ParseSet("s7", "a b", Packed(edges, "top"), (0, 1, 2), source="sets.jsonl:7")
    assert len(compile_parses(whole, properties("rules")).analysis) == 4
