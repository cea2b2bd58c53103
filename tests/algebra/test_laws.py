import math
import operator

import pytest

from weft.algebra import LOG, LawError, Semiring, check_semiring
from weft.errors import WeftError


class Numbers(Semiring[float]):
    """Sums and products of numbers, one or the other replaced by something wrong."""

    zero, one = 0, 1

    def __init__(self, plus=operator.add, times=operator.mul):
        self._plus, self._times = plus, times

    def plus(self, a, b, /):
        return self._plus(a, b)

    def times(self, a, b, /):
        return self._times(a, b)

    def lift(self, weight, _edge, /):
        return math.exp(weight)

    def close(self, a, b, /):
        return math.isclose(a, b)


def first(a, _b):
    return a


def second(_a, b):
    return b


def unless_trivial(operation):
    """The operation, where neither side is 0 or 1."""
    return lambda a, b: a * b if min(a, b) <= 1 else operation(a, b)


@pytest.mark.parametrize(
    ("broken", "law"),
    [
        (Numbers(plus=first), "0 ⊕ a = a"),
        (Numbers(plus=second), "a ⊕ 0 = a"),
        (Numbers(plus=lambda a, b: a + b + (0 < a < b)), "a ⊕ b = b ⊕ a"),
        (Numbers(plus=lambda a, b: a + b + (a * b > 5)), "(a ⊕ b) ⊕ c = a ⊕ (b ⊕ c)"),
        (Numbers(times=second), "a ⊗ 1 = a"),
        (Numbers(times=first), "1 ⊗ a = a"),
        (Numbers(times=lambda a, b: a * b + (b == 0)), "a ⊗ 0 = 0"),
        (Numbers(times=lambda a, b: a * b + (a == 0)), "0 ⊗ a = 0"),
        (Numbers(times=unless_trivial(operator.pow)), "(a ⊗ b) ⊗ c = a ⊗ (b ⊗ c)"),
        (Numbers(times=unless_trivial(first)), "a ⊗ (b ⊕ c) = a ⊗ b ⊕ a ⊗ c"),
        (Numbers(times=unless_trivial(second)), "(a ⊕ b) ⊗ c = a ⊗ c ⊕ b ⊗ c"),
    ],
)
def test_a_broken_law_is_named(broken, law):
    with pytest.raises(LawError) as caught:
        check_semiring(broken, [2, 3])
    assert f"breaks the law {law} for a = " in str(caught.value)


def test_the_error_shows_both_sides_and_is_an_assertion():
    with pytest.raises(AssertionError, match=r"for a = 2: 0 is not 2$") as caught:
        check_semiring(Numbers(plus=first), [2])
    assert isinstance(caught.value, WeftError)


def test_nan_is_not_equal_to_itself():
    with pytest.raises(LawError, match="a = a"):
        check_semiring(LOG, [math.nan])
