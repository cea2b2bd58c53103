"""A plugin of pytest: every call of the compiled core is made to run out of memory first.

Each call is repeated with its first allocation failing, then its second, and so on until all
succeed; each of them once alone, and once with all that come after it. A call must end in
MemoryError or in the right answer, and the one that meets no failure in the right answer.
It needs `failing_allocations.cpp` to be preloaded; `test_native_memory.py` does that.
"""

from __future__ import annotations

import ctypes
import json
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from weft import _native

EVER_AFTER = 1 << 30
CLASSES = {"LatticeSums": ("log_partition", "sweep"), "ChoiceCounter": ("walk",)}
CLASSES["TextTable"] = ("find",)
CLASSES["MoveScorer"] = ("choices", "score", "add_gradient")

_library = ctypes.CDLL(os.environ["WEFT_FAILING_ALLOCATIONS"])
_library.fail_allocations.argtypes = [ctypes.c_long, ctypes.c_long]
_library.fail_allocations.restype = ctypes.c_long

calls: Counter[str] = Counter()  # of one test
tried: Counter[str] = Counter()
injected: Counter[str] = Counter()
refused: Counter[str] = Counter()


def copied(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arrays as they were before a call that may write into them."""
    return tuple(each.copy() if isinstance(each, np.ndarray) else each for each in arguments)


def same(one: Any, other: Any) -> bool:
    """Whether two answers are equal to the last bit."""
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other, equal_nan=one.dtype == float)
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float):
        return one == other or (one != one and other != other)
    return one == other if isinstance(one, int | None) else type(one) is type(other)


def attempt(call: Callable[..., Any], arguments: tuple[Any, ...], first: int, last: int) -> Any:
    """What a call returns and has written, None if refused; how many allocations it met."""
    given = copied(arguments)
    _library.fail_allocations(first, last)
    try:
        answer = (call(*given), *(each for each in given if isinstance(each, np.ndarray)))
    except MemoryError:
        answer = None
    finally:
        met = _library.fail_allocations(0, 0)
    return answer, met


def torture(name: str, make: Callable[[], Callable[..., Any]], arguments: tuple[Any, ...]) -> None:
    """Fails each allocation of a call; `make` gives what is called, in its first state."""
    calls[name] += 1
    if calls[name] & (calls[name] - 1):
        return  # of a test's calls the first, second, fourth, eighth … are enough
    tried[name] += 1
    right, _ = attempt(make(), arguments, EVER_AFTER, EVER_AFTER)
    assert right is not None
    for longest in (0, EVER_AFTER):
        number, met = 0, 1
        while number <= met:
            number += 1
            call = make()
            answer, met = attempt(call, arguments, number, number + longest)
            assert answer is None or same(answer, right), f"{name}: a wrong answer"
            if met < number:
                assert answer is not None, f"{name}: refused without a reason"
                continue
            injected[name] += 1
            refused[name] += answer is None
            again, _ = attempt(call, arguments, EVER_AFTER, EVER_AFTER)
            assert again is not None
            assert same(again, right), f"{name}: a wrong answer after a failure"


def function(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
    def wrapped(*arguments: Any, **named: Any) -> Any:
        if not named:
            torture(name, lambda: call, arguments)
        return call(*arguments, **named)

    return wrapped


def proxy(name: str, made: Any) -> Any:
    """A class whose objects are made, and called, under torture."""

    class Proxy:
        def __init__(self, *arguments: Any) -> None:
            torture(name, lambda: made, arguments)
            self._make = lambda: made(*copied(arguments))
            self._made = made(*arguments)

        def __getattr__(self, attribute: str) -> Any:
            if attribute not in CLASSES[name]:
                return getattr(self._made, attribute)

            def method(*arguments: Any) -> Any:
                torture(f"{name}.{attribute}", lambda: getattr(self._make(), attribute), arguments)
                return getattr(self._made, attribute)(*arguments)

            return method

    return Proxy


def entry_points() -> set[str]:
    """All that can be called in the compiled core."""
    functions = {n for n, f in vars(_native).items() if type(f).__name__ == "nb_func"}
    return functions | set(CLASSES) | {f"{n}.{m}" for n, ms in CLASSES.items() for m in ms}


# The binding library has a table of all its objects, and ends the process if it cannot grow (by a
# few hundred bytes). It is not what is tested here, and never shrinks: let it grow now.
_objects = [_native.TextTable([], np.zeros(0, np.int32)) for _ in range(1000)]
del _objects

ENTRY_POINTS = entry_points()
for each, found in list(vars(_native).items()):
    if each in ENTRY_POINTS:
        setattr(_native, each, proxy(each, found) if each in CLASSES else function(each, found))


def pytest_runtest_setup() -> None:
    """Every test has a first call of its own."""
    calls.clear()


def pytest_sessionfinish() -> None:
    """Writes what was done, for the test that started this."""
    report = {n: [tried[n], injected[n], refused[n]] for n in sorted(ENTRY_POINTS)}
    Path(os.environ["WEFT_FAILING_REPORT"]).write_text(json.dumps(report))
