"""Random trees: their frequencies, their reproducibility and their limits."""

import math
from collections import Counter

import numpy as np
import pytest

from random_grammars import trees_below, weighted
from weft.errors import DivergenceError, LimitError
from weft.grammars.sampling import built, sample_trees
from weft.grammars.sums.partition import partition


def test_frequencies_are_probabilities(rng: np.random.Generator) -> None:
    rules = weighted(
        [("S", "S S", 0.1), ("S", "A", 1.0), ("S", "a", 0.2), ("A", "S b", 0.3), ("A", "", 0.7)]
    )
    total = math.exp(partition(rules).log_value)
    count = 20_000
    found = Counter(sample_trees(rules, rng, count))
    for tree, used in trees_below(rules, rules.start, 4):
        prob = math.exp(math.fsum(rules.weights[list(used)])) / total
        assert found[tree] / count == pytest.approx(prob, abs=5 * math.sqrt(prob / count))


def test_the_same_seed_gives_the_same_trees() -> None:
    rules = weighted([("S", "S S", 0.45), ("S", "a", 0.55)])
    one, other = (list(sample_trees(rules, np.random.default_rng(7), 20)) for _ in range(2))
    assert one == other
    assert len(set(one)) > 3


def test_impossible_rules_are_never_drawn(rng: np.random.Generator) -> None:
    rules = weighted([("S", "b", 0.0), ("S", "U", 1.0), ("S", "a", 0.5)])
    assert {str(tree) for tree in sample_trees(rules, rng, 50)} == {"Tree('(S a)')"}


def test_limits(rng: np.random.Generator) -> None:
    rules = weighted([("S", "S S", 0.5), ("S", "a", 0.5)])
    with pytest.raises(LimitError, match="more than 50 nodes"):
        list(sample_trees(rules, rng, 1000, limit=50))
    with pytest.raises(DivergenceError):
        next(sample_trees(weighted([("S", "S S", 1.0), ("S", "a", 1.0)]), rng))


def test_deep_trees(rng: np.random.Generator) -> None:
    rules = weighted([("S", "a S", 0.9999), ("S", "", 0.0001)])
    [tree] = sample_trees(rules, rng)
    assert tree.label == "S"
    assert built(rules, [0, 0, 1]).children[0] == "a"
