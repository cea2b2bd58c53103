from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.errors import OptionError
from weft.features import derived
from weft.features.properties import PROPERTIES, Node, Property, features, nodes, properties
from weft.structures.tree import Tree, subtrees


def entry(name, *words):
    return Tree(name, words or (name.partition("_")[0],))


THE_DOG = Tree("spec-head", (entry("the_d"), entry("dog_n@n_-_c_le")))
SEES = entry("^see_v@v_np_le", "sees")
BARKS = Tree("subj-head", (THE_DOG, Tree("^head-comp", (SEES, THE_DOG))))
"""The dog sees the dog."""

trees = st.recursive(
    st.builds(entry, st.sampled_from(["a_n", "b_v", "c_p"])),
    lambda below: st.builds(
        lambda label, some: Tree(label, tuple(some)),
        st.sampled_from(["np", "hd-aj_vp", "x_coord"]),
        st.lists(below, min_size=1, max_size=3),
    ),
    max_leaves=8,
)


def found(tree, name):
    return {own: value for (kind, own), value in features(tree, properties(name)).items()}


EXPECTED = {
    "rules": {
        "subj-head → spec-head head-comp": 1,
        "spec-head → the_d dog_n": 2,
        "head-comp → see_v spec-head": 1,
    },
    "grandparents": {
        "^ / subj-head → spec-head head-comp": 1,
        "subj-head / spec-head → the_d dog_n": 1,
        "subj-head / head-comp → see_v spec-head": 1,
        "head-comp / spec-head → the_d dog_n": 1,
    },
    "bare-rules": {
        **(names := {"subj-head": 1, "spec-head": 2, "head-comp": 1}),
        "subj-head → spec-head head-comp": 1,
        "spec-head → * *": 2,
        "head-comp → * spec-head": 1,
    },
    "bare-grandparents": {
        "^ / subj-head → spec-head head-comp": 1,
        "subj-head / spec-head → * *": 1,
        "subj-head / head-comp → * spec-head": 1,
        "head-comp / spec-head → * *": 1,
    },
    "typed-rules": {
        **names,
        "subj-head → spec-head head-comp": 1,
        "spec-head → * n_-_c_le": 2,
        "head-comp → v_np_le spec-head": 1,
    },
    "typed-grandparents": {
        "^ / subj-head → spec-head head-comp": 1,
        "subj-head / spec-head → * n_-_c_le": 1,
        "subj-head / head-comp → v_np_le spec-head": 1,
        "head-comp / spec-head → * n_-_c_le": 1,
    },
    "entries": {"the_d": 2, "dog_n": 2, "see_v": 1},
    "types": {"n_-_c_le": 2, "v_np_le": 1},
    "words": {"the_d the": 2, "dog_n dog": 2, "see_v sees": 1},
    "entry-bigrams": {
        "^ the_d": 1,
        "the_d dog_n": 2,
        "dog_n see_v": 1,
        "see_v the_d": 1,
        "dog_n $": 1,
    },
    "entry-trigrams": {
        "^ the_d dog_n": 1,
        "the_d dog_n see_v": 1,
        "dog_n see_v the_d": 1,
        "see_v the_d dog_n": 1,
        "the_d dog_n $": 1,
    },
    "heights": {"spec-head 0": 2, "head-comp 1": 1, "subj-head 2": 1},
    "right-branching": {"other": 1, "right": 2},
    "coordination": {},
    "dependencies": {
        "subj-head see_v dog_n": 1,
        "spec-head dog_n the_d": 2,
        "head-comp see_v dog_n": 1,
    },
}


@pytest.mark.parametrize("name", EXPECTED)
def test_features_of_a_sentence(name):
    assert found(BARKS, name) == EXPECTED[name]


def test_every_property_is_tried():
    assert set(PROPERTIES) - set(EXPECTED) == {"type-bigrams", "type-trigrams"}
    assert found(BARKS, "type-bigrams")["n_-_c_le v_np_le"] == 1
    assert found(BARKS, "type-trigrams")["^  n_-_c_le"] == 1
    assert not found(Tree("s", (entry("a_n"),)), "type-bigrams")


@given(trees)
def test_counts_of_nodes(tree):
    inner = [each for each in subtrees(tree) if isinstance(each.children[0], Tree)]
    leaves = [each for each in subtrees(tree) if isinstance(each.children[0], str)]
    assert sum(found(tree, "rules").values()) == len(inner)
    assert sum(found(tree, "grandparents").values()) == len(inner)
    assert sum(found(tree, "entries").values()) == len(leaves)
    assert sum(found(tree, "entry-bigrams").values()) == len(leaves) + 1
    # All but one of a node's daughters depend on the one that is its head.
    assert sum(found(tree, "dependencies").values()) == sum(
        len(each.children) - 1 for each in inner
    )
    branching = [each for each in inner if len(each.children) > 1]
    assert sum(found(tree, "heights").values()) == len(branching)


@given(trees)
def test_all_properties_together_are_each_alone(tree):
    every = tuple(PROPERTIES.values())
    together = features(tree, every)
    apart = {}
    for each in every:
        apart.update(features(tree, [each]))
    assert together == apart


@given(trees)
def test_nodes_know_what_is_above(tree):
    seen = Counter()

    def walk(here, above):
        seen[derived.entity(here.label), above[:2]] += 1
        for child in here.children:
            if isinstance(child, Tree):
                walk(child, (derived.entity(here.label), *above))

    walk(tree, ("^", "^"))
    assert seen == Counter(
        (derived.entity(node.label), node.above) for node in nodes(tree, above=2)
    )


def test_coordination_compares_the_first_with_the_last():
    mid = Tree("np_coord_mid", (entry("and_c"), Tree("np", (entry("a_n"),))))
    alike = Tree("np_coord_top", (Tree("np", (entry("b_n"),)), mid))
    unlike = Tree("np_coord_top", (Tree("vp", (entry("b_v"),)), mid))
    assert found(alike, "coordination") == {"alike": 1, "alike np_coord_top": 1}
    assert found(unlike, "coordination") == {"unlike": 1, "unlike np_coord_top": 1}
    three = Tree(
        "np_coord_top",
        (Tree("np", (entry("b_n"),)), Tree("np_coord_mid", (Tree("vp", (entry("c_v"),)), mid))),
    )
    assert found(three, "coordination")["alike"] == 1


@pytest.mark.parametrize(
    ("label", "daughters", "head"),
    [
        ("hd-cmp_u_c", "ab", 0),
        ("sb-hd_mc_c", "ab", 1),
        ("sp-hd_n_c", "ab", 1),
        ("hspec", "ab", 1),
        ("hcomp", "ab", 0),
        ("anything", "abc", 2),
        ("hcomp", ["a", "^b"], 1),
    ],
)
def test_heads(label, daughters, head):
    assert derived.head_of(daughters, label) == head


def test_high_and_low_attachment_differ_in_height():
    pp = Tree("pp", (entry("with_p"), entry("a_n")))
    low = Tree("hd-aj_vp", (entry("see_v"), Tree("hd-aj_np", (entry("b_n"), pp))))
    high = Tree("hd-aj_vp", (Tree("hd-cmp", (entry("see_v"), entry("b_n"))), pp))
    assert found(low, "heights")["hd-aj_vp 2"] == 1
    assert found(high, "heights")["hd-aj_vp 1"] == 1


def test_own_properties_have_counts_or_values():
    depth = Property("depth", "", of_tree=lambda tree: {"depth": 0.5 * len(list(subtrees(tree)))})
    twice = Property("twice", "", of_node=lambda node: [node.label, node.label])
    assert features(THE_DOG, [depth]) == {("depth", "depth"): 1.5}
    assert features(entry("a_n"), [twice]) == {("twice", "a_n"): 2.0}
    assert Node("x").above == ()


def test_what_is_no_property():
    with pytest.raises(
        OptionError, match=r"there is no property 'rulez': did you mean rules\? There are rules"
    ):
        properties("rulez")
    with pytest.raises(OptionError, match="either of_node or of_tree"):
        Property("x", "")
    with pytest.raises(OptionError, match="no spaces"):
        Property("a b", "", of_tree=lambda tree: ())  # noqa: ARG005
    assert properties("rules, entries rules") == properties(["rules", "entries"])
