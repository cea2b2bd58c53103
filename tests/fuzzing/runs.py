"""Trying inputs in a process of its own, so that a crash, a hang or a flood is recorded."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import time
import traceback
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any

import numpy as np

from fuzzing.engine import SLOWER
from fuzzing.targets import TARGETS, Target
from weft.errors import WeftError

LONGEST_SECONDS = 10.0 * SLOWER
"""An input that takes longer, by the processor's clock, is a fault: a busy machine is none."""

LONGEST_WAIT = 300.0
"""An input that takes longer, by the clock on the wall, waits for something."""

MOST_MEMORY = 3 << 30
"""A process that takes more bytes has a fault."""

_LOOK_EVERY = 0.05
_MOST_FAULTS = 200


@dataclass(frozen=True, slots=True)
class Fault:
    """An input that a reader neither takes nor refuses.

    Attributes:
        target: The name of what was tried.
        problem: What happened: an exception with its traceback, a crash, a hang or a flood.
        data: The input.
    """

    target: str
    problem: str
    data: bytes

    @property
    def name(self) -> str:
        """A name for a file with the input."""
        return hashlib.sha256(self.data).hexdigest()[:12]


@dataclass(slots=True)
class Tally:
    """What became of the inputs of a target."""

    accepted: int = 0
    refused: int = 0
    faults: list[Fault] = field(default_factory=list)


def input_of(target: Target, seed: int, index: int) -> bytes:
    """Return an input: the same for the same arguments, on every machine."""
    rng = np.random.default_rng([seed, zlib.crc32(target.name.encode()), index])
    seeds = target.seeds()
    data = seeds[int(rng.integers(len(seeds)))]
    return data if index < 0 else target.mutate(rng, data)


def tried(target: Target, data: bytes) -> tuple[str, str]:
    """Try an input here: whether it is accepted, refused or a fault, and what the problem is."""
    try:
        target.check(data)
    except WeftError:
        return "refused", ""
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:
        return "fault", traceback.format_exc(limit=-8)[-4000:]
    return "accepted", ""


Job = tuple[str, int]
"""A target's name, and the number of an input of it."""


def run(
    counts: dict[str, int],
    seed: int,
    *,
    first: int = 0,
    until: float | None = None,
    targets: Sequence[Target] = TARGETS,
    told: Callable[[Fault], None] | None = None,
) -> dict[str, Tally]:
    """Try inputs of several targets.

    Args:
        counts: How many inputs of each target.
        seed: What decides which.
        first: The number of the first input of each.
        until: When to stop, by ``time.monotonic``; never by default.
        targets: Where the targets are; a process knows the usual ones only.
        told: Told of every fault as soon as it is found.
    """
    known = {target.name: target for target in targets}
    jobs = [(name, first + index) for name, count in counts.items() for index in range(count)]
    tallies = {name: Tally() for name in counts}
    for name, index, outcome, problem in _outcomes(jobs, seed, until):
        tally = tallies[name]
        if outcome != "fault":
            setattr(tally, outcome, getattr(tally, outcome) + 1)
            continue
        fault = Fault(name, problem, input_of(known[name], seed, index))
        tally.faults.append(fault)
        if told is not None:
            told(fault)
        if sum(len(each.faults) for each in tallies.values()) >= _MOST_FAULTS:
            break
    return tallies


def _outcomes(
    jobs: Sequence[Job], seed: int, until: float | None
) -> Iterator[tuple[str, int, str, str]]:
    """What became of each input; after a crash or hang, a new process goes on."""
    place = 0
    while place < len(jobs):
        with _Worker(jobs[place:], seed) as worker:
            problem = ""
            while not problem:
                for outcome, text in worker.answers():
                    yield *jobs[place], outcome, text
                    place += 1
                if place == len(jobs) or (until is not None and time.monotonic() > until):
                    return
                problem = worker.problem()
            # What it answered in the meantime counts before what it died of.
            for outcome, text in worker.answers():
                yield *jobs[place], outcome, text
                place += 1
        if place < len(jobs):
            yield *jobs[place], "fault", problem
            place += 1


class _Worker:
    """A process that tries inputs one after the other, and says what became of each."""

    def __init__(self, jobs: Sequence[Job], seed: int) -> None:
        context = multiprocessing.get_context("spawn")
        self._mine, theirs = context.Pipe(duplex=False)
        self._process: SpawnProcess = context.Process(
            target=_work, args=(theirs, list(jobs), seed), daemon=True
        )
        self._process.start()
        theirs.close()
        self._works = False  # whether it works on an input; at first it starts
        self._since = time.monotonic()
        self._used = 0.0  # the processor's seconds, until then

    def __enter__(self) -> _Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.join()
        self._mine.close()

    def answers(self) -> Iterator[tuple[str, str]]:
        """Yield the answers that are there; wait a little if there are none."""
        some = False
        try:
            while self._mine.poll(0 if some else _LOOK_EVERY):
                answer = self._mine.recv()
                some = True
                if answer is not None:
                    yield answer
        except (EOFError, OSError):
            self._process.join()
        if some:
            self._works = True
            self._since, self._used = time.monotonic(), _seconds(self._process.pid)

    def problem(self) -> str:
        """Say what is wrong with the process, if anything is."""
        if not self._process.is_alive():
            return f"the process ended with the code {self._process.exitcode}"
        if time.monotonic() - self._since > LONGEST_WAIT:
            return f"nothing for {LONGEST_WAIT:g} seconds"
        if self._works and _seconds(self._process.pid) - self._used > LONGEST_SECONDS:
            return f"more than {LONGEST_SECONDS:g} seconds"
        if _memory(self._process.pid) > MOST_MEMORY:
            return f"more than {MOST_MEMORY >> 30} GiB"
        return ""


def _memory(process: int | None) -> int:
    """The bytes that a process has in memory; 0 where the system does not say."""
    try:
        text = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    for line in text.splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) << 10
    return 0


def _seconds(process: int | None) -> float:
    """The processor's time that a process took; the wall's where the system does not say."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return time.monotonic()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _work(connection: Connection[Any, Any], jobs: list[Job], seed: int) -> None:
    known = {target.name: target for target in TARGETS}
    for target in known.values():
        target.seeds()
    connection.send(None)  # now the clock runs
    for name, index in jobs:
        connection.send(tried(known[name], input_of(known[name], seed, index)))
