"""Some seconds of fuzzing or a minute, all cases that were ever found, and the engine itself."""

from __future__ import annotations

import gzip
import os
import threading
from pathlib import Path

import numpy as np
import pytest

from fuzzing import runs
from fuzzing.engine import MOST_BYTES, mutated
from fuzzing.runs import input_of, run, tried
from fuzzing.targets import TARGETS, Target
from weft.errors import FormatError

CASES = sorted(
    path for path in (Path(__file__).parent / "cases").glob("*/*") if path.suffix != ".txt"
)
KNOWN = {target.name: target for target in TARGETS}
COUNTS = [10, pytest.param(500, marks=pytest.mark.slow)]
"""How many inputs of each target `make test` and `make test-all` try."""


@pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_cases_that_were_found(path: Path) -> None:
    outcome, problem = tried(KNOWN[path.parent.name], path.read_bytes())
    assert outcome != "fault", problem


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_each_target_accepts_a_seed(target: Target) -> None:
    assert "accepted" in [tried(target, data)[0] for data in target.seeds()]


@pytest.mark.parametrize("count", COUNTS)
def test_a_minute_of_fuzzing(count: int) -> None:
    tallies = run({target.name: count for target in TARGETS}, seed=20250131)
    assert [(f.target, f.problem) for tally in tallies.values() for f in tally.faults] == []
    for name, tally in tallies.items():
        assert tally.accepted + tally.refused == count, name
        assert tally.refused or count < 500, name


def test_an_input_is_the_same_every_time() -> None:
    for target in TARGETS:
        assert input_of(target, 1, 7) == input_of(target, 1, 7)
    assert input_of(TARGETS[0], 1, 7) != input_of(TARGETS[0], 2, 7)


def test_mutations_are_bounded(rng: np.random.Generator) -> None:
    some = [mutated(rng, b"the/DT dog/NN\n" * 10, [b"/"]) for _ in range(500)]
    assert max(map(len, some)) <= MOST_BYTES
    assert len(set(some)) > 450
    assert any(data.startswith(b"\x1f\x8b") for data in some)


def test_what_is_accepted_refused_and_a_fault() -> None:
    def check(data: bytes) -> None:
        if data == b"refused":
            raise FormatError("no")
        if data == b"fault":
            raise KeyError("missing")

    target = Target("", list, lambda _, data: data, check)
    assert tried(target, b"accepted") == ("accepted", "")
    assert tried(target, b"refused") == ("refused", "")
    outcome, problem = tried(target, b"fault")
    assert outcome == "fault"
    assert "KeyError: 'missing'" in problem


class TestProcesses:
    """Crashes, hangs and floods are recorded, and the rest is tried all the same."""

    @pytest.mark.parametrize(
        ("how", "problem"),
        [
            ("crash", "code -11"),
            pytest.param("hang", "more than 1 seconds", marks=pytest.mark.slow),
            pytest.param("flood", "more than 1 GiB", marks=pytest.mark.slow),
        ],
    )
    def test_faults_of_a_process(self, monkeypatch, how: str, problem: str) -> None:
        monkeypatch.setattr(runs, "_work", _faulty)
        monkeypatch.setattr(runs, "LONGEST_SECONDS", 1.0 if how == "hang" else 600.0)
        monkeypatch.setattr(runs, "MOST_MEMORY", 1 << 30)
        name = TARGETS[0].name
        monkeypatch.setenv("FUZZING_FAULT", how)
        tally = run({name: 5}, seed=1)[name]
        assert tally.accepted == 4
        [fault] = tally.faults
        assert problem in fault.problem
        assert fault.data == input_of(TARGETS[0], 1, 2)


def _faulty(connection, jobs, seed) -> None:  # noqa: ARG001
    """What a process does whose third input does harm."""
    connection.send(None)
    for _, index in jobs:
        if index == 2:
            _harm(os.environ["FUZZING_FAULT"])
        connection.send(("accepted", ""))


def _harm(how: str) -> None:
    if how == "crash":
        os.kill(os.getpid(), 11)
    held = [bytearray(1 << 31)] if how == "flood" else []
    if held:
        held[0][::4096] = b"x" * len(held[0][::4096])
        threading.Event().wait()  # until it is ended
    while True:
        pass


def test_gzip_is_among_the_inputs() -> None:
    some = [input_of(KNOWN["gzip"], 1, index) for index in range(20)]
    whole = [data for data in some if tried(KNOWN["gzip"], data)[0] == "accepted"]
    assert whole
    assert any(gzip.decompress(data) for data in whole)
