"""How much a sentence may take, and the allowance that every loop of the work on it looks at.

A loop that may run long calls :func:`check_time`, one that makes analyses :func:`take_step`, one
that keeps many of them :func:`take_memory`. All look at the allowance that is open where they are
called, and raise :class:`Spent` when it is used up; without an open one, work is unlimited. The
native kernels take what is left as an argument.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar, Token
from dataclasses import dataclass
from typing import TypeVar

from weft.errors import LimitError, quote

TOO_MANY, TOO_LARGE, TOO_LONG = 1, 2, 3
TOO_DEEP = 6

T = TypeVar("T")
clock = time.monotonic


@dataclass(frozen=True, slots=True)
class ParseLimits:
    """How much a sentence may take.

    Attributes:
        edges: How many steps of rules may be made.
        megabytes: About how much memory the structures of its constituents, and of analyses that
            are listed one by one, may take.
        seconds: How long it may take, from the look-up of its words on.
        truncate: Whether what was found until then is given, marked, and no error raised.
    """

    edges: int = 5_000_000
    megabytes: float = 1000.0
    seconds: float = math.inf
    truncate: bool = False


class Spent(Exception):  # noqa: N818 - it ends the work on one sentence; users see a LimitError
    """An allowance is used up; `status` says whether that was time, steps or memory."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class Allowance:
    """Time, steps and memory for a piece of work, from the moment when this is made.

    It is open within ``with``. One that is opened inside another one ends no later than that.

    >>> with Allowance(steps=1):
    ...     take_step()
    ...     take_step()
    Traceback (most recent call last):
    weft.unification.limits.Spent: 1

    Args:
        seconds: How long the work may take.
        steps: How many steps it may take.
        megabytes: How much memory it may take.
    """

    def __init__(
        self, seconds: float = math.inf, steps: float = math.inf, megabytes: float = math.inf
    ) -> None:
        self._end = math.inf if math.isinf(seconds) else clock() + seconds
        self._steps = steps
        self._bytes = 1e6 * megabytes
        self._tokens: list[Token[Allowance]] = []

    @property
    def seconds_left(self) -> float:
        """How much time is left; nothing, not less, when it is over."""
        return self._end if math.isinf(self._end) else max(0.0, self._end - clock())

    def check_time(self) -> None:
        """Raise `Spent` if the time is over."""
        if self._end != math.inf and clock() > self._end:
            raise Spent(TOO_LONG)

    def take_step(self) -> None:
        """Take a step; raise `Spent` if there is none left, or the time is over."""
        self._steps -= 1
        if self._steps < 0:
            raise Spent(TOO_MANY)
        self.check_time()

    def take_memory(self, size: float) -> None:
        """Take bytes, or give them back where `size` is negative; raise `Spent` if none is left."""
        self._bytes -= size
        if self._bytes < 0:
            raise Spent(TOO_LARGE)

    def __enter__(self) -> Allowance:
        self._end = min(self._end, _OPEN.get()._end)
        self._tokens.append(_OPEN.set(self))
        return self

    def __exit__(self, *_: object) -> None:
        _OPEN.reset(self._tokens.pop())


_OPEN: ContextVar[Allowance] = ContextVar("allowance", default=Allowance())  # noqa: B039


def check_time() -> None:
    """Raise `Spent` if the time of the open allowance is over."""
    _OPEN.get().check_time()


def take_step() -> None:
    """Take a step of the open allowance; raise `Spent` if there is none left, or no time."""
    _OPEN.get().take_step()


def take_memory(size: float) -> None:
    """Take bytes of the open allowance, or give them back; raise `Spent` if none is left."""
    _OPEN.get().take_memory(size)


def seconds_left() -> float:
    """Return how much time is left, for a kernel."""
    return _OPEN.get().seconds_left


@contextmanager
def load_within(seconds: float) -> Iterator[None]:
    """Open an allowance for reading and compiling a grammar.

    Raises:
        LimitError: If that takes longer.
    """
    with Allowance(seconds):
        try:
            yield
        except Spent:
            what = f"compiling the grammar takes longer than {seconds:g} seconds"
            raise LimitError(f"{what}; raise the limit") from None


def each_within(seconds: float, items: Iterable[T]) -> Iterator[T]:
    """Yield items, each with an allowance open from before it is made until the next one is.

    Raises:
        LimitError: If what is read and compiled before an item takes longer.
    """
    iterator = iter(items)
    while True:
        with load_within(seconds):
            try:
                item = next(iterator)
            except StopIteration:
                return
            yield item


def check_limits(
    status: int, words: Sequence[str], number: int, limits: ParseLimits, *, found: bool = True
) -> None:
    """Refuse a sentence that took more than it may, unless what was found until then is wanted.

    Args:
        status: How the kernel ended.
        words: The sentence.
        number: Its number, from 1.
        limits: How much it may take.
        found: Whether there is anything to be wanted.
    """
    if status and not (limits.truncate and found):
        what = {
            TOO_MANY: f"more than {limits.edges:,} edges",
            TOO_LARGE: f"more than {limits.megabytes:,g} megabytes",
            TOO_LONG: f"longer than {limits.seconds:g} seconds",
            TOO_DEEP: "structures of more than 200 levels, which some rule makes ever deeper",
        }[status]
        shown = f"sentence {number}, {quote(' '.join(words))}"
        until = "or take what is found until then" if found else "for nothing was found until then"
        raise LimitError(f"{shown} takes {what}; raise the limit, {until}")
