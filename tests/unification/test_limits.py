"""What an allowance allows, with a clock that is read, not waited for."""

import io
import math
from itertools import count

import pytest

from weft.errors import LimitError
from weft.unification import limits, read_fcfg, read_patr
from weft.unification.compile import compile_grammar
from weft.unification.limits import (
    TOO_LARGE,
    TOO_LONG,
    TOO_MANY,
    Allowance,
    Spent,
    check_time,
    each_within,
    seconds_left,
    take_memory,
    take_step,
)

pytestmark = pytest.mark.usefixtures("_ticking")


@pytest.fixture
def _ticking(monkeypatch):
    """Every look at the clock takes a second."""
    ticks = count()
    monkeypatch.setattr(limits, "clock", lambda: next(ticks))


def count_until_spent(work):
    done = 0
    try:
        while True:
            work()
            done += 1
    except Spent as spent:
        return done, spent.status


RULES = [f"S -> A{number} B\nA{number}[F=?x] -> B[F=?x] S" for number in range(20)]
WORDS = [f"Rule S -> A{number} B.\nWord w{number}: <cat> = A{number}." for number in range(20)]


def text_of(statements):
    return io.BytesIO("\n".join(statements).encode())


@pytest.mark.parametrize(
    "work",
    [
        lambda: read_fcfg(text_of(RULES)),
        lambda: read_patr(text_of(WORDS)),
        lambda: compile_grammar(GRAMMAR),
        lambda: compile_grammar(OPEN),
    ],
    ids=["fcfg", "patr", "compile", "compile open"],
)
def test_grammars_are_read_and_compiled_in_time(work):
    """Each rule is a look at the clock, and any of the looks may be the last one."""
    with Allowance(10_000) as allowance:
        before = allowance.seconds_left
        work()
        looks = int(before - allowance.seconds_left)
    assert looks > 2 * len(RULES)
    for seconds in range(looks - 2):
        with pytest.raises(Spent), Allowance(seconds):
            work()


GRAMMAR = read_fcfg(text_of(RULES))
OPEN = read_patr(text_of([*WORDS, "Rule S -> X Y X."]))


def test_without_an_allowance_work_is_unlimited():
    for _ in range(1000):
        check_time()
        take_step()
        take_memory(1e9)
    assert seconds_left() == math.inf


def test_memory_ends_and_is_given_back():
    with Allowance(megabytes=1):
        assert count_until_spent(lambda: take_memory(300_000)) == (3, TOO_LARGE)
        take_memory(-600_000)
        assert count_until_spent(lambda: take_memory(300_000)) == (1, TOO_LARGE)
        check_time()
        take_step()


def test_time_and_steps_end():
    with Allowance(seconds=5):
        assert count_until_spent(check_time) == (5, TOO_LONG)
        assert seconds_left() == 0
    with Allowance(steps=7):
        assert count_until_spent(take_step) == (7, TOO_MANY)
        check_time()
    check_time()


def test_an_inner_allowance_ends_with_the_outer_one():
    for inner, outer in ((100, 5), (5, 100)):
        with Allowance(outer), Allowance(inner):
            assert 0 < count_until_spent(check_time)[0] <= 5


def test_what_comes_before_the_first_item_has_the_same_limit():
    def items():
        for _ in range(100):
            check_time()
        yield "a"

    with pytest.raises(LimitError, match="compiling the grammar takes longer than 10 seconds"):
        list(each_within(10, items()))


def test_each_item_has_an_allowance_of_its_own():
    def items():
        for item in range(3):
            check_time()
            yield item

    left = [(item, count_until_spent(check_time)[0]) for item in each_within(10, items())]
    assert left == [(0, 9), (1, 9), (2, 9)]
    assert seconds_left() == math.inf
