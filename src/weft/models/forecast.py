"""What training will take, told from the number of tags before anything large is made.

The numbers are rough: tables of transitions grow with the number of tags to the power of the
order plus one, and beside them all else is small. Where few n-grams of tags have a weight, sums
go from one of these to the next, and so their number counts, and that of states: of order 2 these
are pairs of tags, of those that tokens may have.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from weft.derivations.chain.topology import are_few, pad
from weft.errors import LimitError

_TABLES = 8
"""How many tables of transitions there are: scores, exponentials both ways, expectations, …"""

_RUNS, _RUN_BYTES = 16, 2**28
"""Runs that each have two tables more, and the room for all of them where there are several."""

_NGRAM = 120
"""Bytes of a tag n-gram with a weight: its tags, and the vectors that estimation has."""

_FAST, _SLOW, _CACHE = 1.5e9, 4e8, 2**20
"""Transitions that a core sums over per second, if a table fits into its cache, and if not."""

_PAIRS = 4e8
"""N-grams of tags with a weight that a core sums over per second, where they are few."""

_STATES = 4
"""How many times a state of order 2 is looked at, for a triple of tags once."""

_GROUP = Path("/sys/fs/cgroup/memory.max")


@dataclass(frozen=True, slots=True)
class Forecast:
    """What training will take.

    Attributes:
        what: The model, for people.
        memory: Bytes.
        seconds: Of one thread, for one sum over all taggings of all sentences.
        advice: What would take less.
    """

    what: str
    memory: int
    seconds: float
    advice: str

    def __str__(self) -> str:
        sums = f"about {_time(self.seconds)} per sum over all taggings with one thread"
        return f"{self.what}: {sums}, and {_size(self.memory)} of memory; {self.advice} takes less"

    def check(self) -> None:
        """Refuse what cannot fit.

        Raises:
            LimitError: If this machine has less memory.
        """
        most = memory_limit()
        if most is not None and self.memory > most:
            raise LimitError(
                f"{self.what} takes about {_size(self.memory)} of memory, and "
                f"{_time(self.seconds)} per sum over all taggings; there are {_size(most)} here: "
                f"{self.advice} takes less"
            )


def forecast_chain(
    order: int,
    tags: int,
    tokens: int,
    *,
    every_ngram: bool = False,
    ngrams: int | None = None,
    allowed: float | None = None,
    longest: int = 50,
) -> Forecast:
    """Return what a chain takes.

    >>> print(forecast_chain(2, 444, 200_000))
    a chain of order 2 with 444 tags: about 12 hours per sum over all taggings with one thread, \
and 7.2 GB of memory; order=1, or fewer tags, takes less

    Args:
        order: 1 or 2.
        tags: How many there are.
        tokens: How many there are in the corpus.
        every_ngram: Whether every tag n-gram has a weight.
        ngrams: How many n-grams of order + 1 tags have a weight, where that is known.
        allowed: How many tags a token may have, on average; None for all.
        longest: How many tokens the longest sentence has.
    """
    width = pad(tags + 1)
    cells = width ** (order + 1)
    advice = "order=1, or fewer tags," if order == 2 else "a corpus with fewer tags"
    what = f"a chain of order {order} with {tags} tags"
    if ngrams is not None and are_few(ngrams, tags, order):
        share = 1.0 if allowed is None else min(1.0, allowed / tags)
        states = width if order == 1 else width * width * share
        memory = 8 * width**2 * (_TABLES // 2) + _RUNS * 16 * ngrams
        if order == 2:
            advice = advice if allowed is not None else f"allowed=dictionary, {advice}"
            memory += 16 * (_RUNS * width**2 + int(longest * states))
            states *= _STATES
        return Forecast(what, memory, tokens * (ngrams * share + states) / _PAIRS, advice)
    runs = min(max(_RUN_BYTES // (16 * cells), 1), _RUNS)
    memory = 8 * cells * (_TABLES + 2 * runs)
    memory += _NGRAM * (tags + 1) ** (order + 1) if every_ngram else 0
    rate = _FAST if 8 * width**2 <= _CACHE and order == 1 else _SLOW
    return Forecast(what, memory, tokens * cells / rate, advice)


def memory_limit() -> int | None:
    """Return how many bytes of memory this machine or this process may have; None if unknown."""
    limits: list[int] = []
    with suppress(AttributeError, ValueError, OSError):
        limits.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    with suppress(ImportError):  # which not every system has
        import resource

        limits += [each for each in resource.getrlimit(resource.RLIMIT_AS) if each > 0]
    with suppress(OSError, ValueError):  # "max" says that there is none
        limits.append(int(_GROUP.read_text()))
    return min(limits, default=None)


def _size(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"


def _time(seconds: float) -> str:
    """Write a time roughly.

    >>> _time(0.31), _time(40.0), _time(200.0), _time(30000.0)
    ('0.3 s', '40 s', '3 minutes', '8 hours')
    """
    if seconds < 90:
        return f"{seconds:.1g} s" if seconds < 10 else f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.0f} hours"
