"""Classes beside gold tags: the definitions spelled out, and properties."""

from __future__ import annotations

from collections import Counter
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.evaluate.clusters import cluster_scores

PAIRS = st.lists(st.tuples(st.sampled_from("ABC"), st.sampled_from("wxyz")), min_size=1)


def entropy(values: list) -> float:
    return -sum(n / len(values) * log(n / len(values)) for n in Counter(values).values())


def conditional_entropy(of: list, given_: list) -> float:
    groups = {each: [a for a, b in zip(of, given_, strict=True) if b == each] for each in given_}
    return sum(len(group) / len(of) * entropy(group) for group in groups.values())


def scores_of(pairs):
    gold, found = (list(each) for each in zip(*pairs, strict=True))
    return gold, found, cluster_scores([gold[:2], gold[2:]], [found[:2], found[2:]])


@given(PAIRS)
def test_equal_to_the_definitions(pairs):
    gold, found, scores = scores_of(pairs)
    best = sum(
        max(Counter(g for g, f in pairs if f == each).values()) for each in dict.fromkeys(found)
    )
    assert scores.many_to_one_accuracy == pytest.approx(best / len(pairs))
    whole, classes = entropy(gold), entropy(found)
    homogeneity = 1 - conditional_entropy(gold, found) / whole if whole else 1.0
    completeness = 1 - conditional_entropy(found, gold) / classes if classes else 1.0
    assert scores.homogeneity == pytest.approx(homogeneity, abs=1e-12)
    assert scores.completeness == pytest.approx(completeness, abs=1e-12)
    if homogeneity + completeness > 1e-9:
        mean = 2 * homogeneity * completeness / (homogeneity + completeness)
        assert scores.v_measure == pytest.approx(mean, abs=1e-9)


@given(PAIRS)
def test_names_of_classes_do_not_count(pairs):
    renamed = [(gold, {"w": "z", "x": "w", "y": "x", "z": "y"}[found]) for gold, found in pairs]
    before, after = scores_of(pairs)[2], scores_of(renamed)[2]
    assert after.v_measure == pytest.approx(before.v_measure, abs=1e-12)
    assert after.many_to_one_accuracy == before.many_to_one_accuracy


def test_known_answers():
    # Two classes of four: a gold tag each but for one token. H(C) = log 2.
    gold, found = list("AAAABBBB"), list("xxxxyyyx")
    scores = cluster_scores([gold], [found])
    within = 5 / 8 * entropy(list("AAAAB"))
    assert scores.homogeneity == pytest.approx(1 - within / log(2))
    assert scores.many_to_one_accuracy == 7 / 8


def test_labels_that_are_no_single_tag_are_left_out():
    scores = cluster_scores([["A", None, frozenset({"A", "B"}), "B"]], [["x", "x", "x", "y"]])
    assert scores.v_measure == 1.0
    assert cluster_scores([[None]], [["x"]]).v_measure is None
    with pytest.raises(ValueError, match=r"shorter|longer"):
        cluster_scores([["A", "B"]], [["x"]])
