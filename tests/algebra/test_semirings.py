import math
from functools import reduce

import numpy as np
import pytest

from weft.algebra import COUNTING, LOG, MAX, SAMPLING, Best, Expectation, KBest, draw


def test_the_log_of_a_sum_keeps_small_terms_and_does_not_overflow():
    assert LOG.plus(0.0, -40.0) == pytest.approx(math.exp(-40.0), rel=1e-15)
    assert LOG.plus(1e6, 1e6) == 1e6 + math.log(2)
    assert LOG.plus(-1e6, 1e6) == 1e6


@pytest.mark.parametrize("semiring", [LOG, MAX], ids=["log", "max"])
def test_minus_infinity_is_an_ordinary_element(semiring):
    assert semiring.plus(-math.inf, -math.inf) == -math.inf
    assert semiring.times(-math.inf, 1e6) == -math.inf
    assert not semiring.close(-math.inf, -1e6)


def test_counts_are_exact():
    big = 2**70 + 1
    assert COUNTING.times(big, big) == big * big
    assert not COUNTING.close(big, big + 1)


def test_the_best_are_ordered_by_score_and_then_by_edges():
    three = KBest(3)
    lifted = [three.lift(score, edge) for edge, score in enumerate([1.0, 2.0, 1.0, 1.0])]
    total = three.zero
    for element in reversed(lifted):
        total = three.plus(total, element)
    assert [best.edges for best in total] == [(1,), (0,), (2,)]


@pytest.mark.parametrize("k", [1, 2, 3, 7, 20])
def test_the_best_products_are_those_of_all_pairs(k):
    # Few distinct scores, so that there are many ties.
    scores = np.random.default_rng(5).integers(0, 6, 40).tolist()
    some, everything = KBest(k), KBest(400)
    a, b = (
        reduce(everything.plus, [everything.lift(float(s), edge) for edge, s in enumerate(half)])
        for half in (scores[:20], scores[20:])
    )
    pairs = [Best(x.score + y.score, x.edges + y.edges) for x in a for y in b]
    pairs.sort(key=lambda best: (-best.score, best.edges))
    assert some.times(a, b) == tuple(pairs[:k])


def test_k_best_elements_may_differ_in_which_of_the_last_tied_ones_they_keep():
    two = KBest(2)
    a, b, c = two.lift(1.0, 0), two.lift(0.0, 1), two.lift(0.0, 2)
    assert two.close(two.plus(a, b), two.plus(a, c))
    assert not two.close(two.plus(a, b), two.plus(b, c))
    assert not two.close(a, two.plus(a, b))
    assert not two.close(two.lift(1.0, 0), two.lift(1.0, 5))


def test_k_must_be_positive():
    with pytest.raises(ValueError, match="at least 1, not 0"):
        KBest(0)


def test_means_of_features_of_both_signs_cancel_exactly():
    semiring = Expectation([3.0, -3.0])
    total = semiring.plus(semiring.lift(1e6, 0), semiring.lift(1e6, 1))
    assert total == (1e6 + math.log(2), 0.0)


def test_an_impossible_edge_has_no_part_in_a_mean():
    semiring = Expectation([1e300, -2.0])
    assert semiring.lift(-math.inf, 0) == semiring.zero
    possible = semiring.lift(-1e6, 1)
    assert semiring.plus(semiring.lift(-math.inf, 0), possible) == possible
    assert semiring.times(semiring.lift(-math.inf, 0), possible) == semiring.zero


def test_two_draws_from_one_lottery_are_independent():
    coin = SAMPLING.plus(SAMPLING.lift(0.0, 0), SAMPLING.lift(0.0, 1))
    twice = SAMPLING.times(coin, coin)
    rng = np.random.default_rng(3)
    assert {draw(twice, rng) for _ in range(100)} == {(0, 0), (0, 1), (1, 0), (1, 1)}


def test_an_impossible_edge_is_never_drawn():
    choice = SAMPLING.plus(SAMPLING.lift(-math.inf, 0), SAMPLING.lift(-1e6, 1))
    assert draw(choice, np.random.default_rng(0)) == (1,)
    with pytest.raises(ValueError, match="nothing to draw"):
        draw(SAMPLING.times(choice, SAMPLING.zero), np.random.default_rng(0))
