"""What holds for the tests themselves."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from processes import has_ended, holds

TESTS = Path(__file__).parent
MODULES = {"time", "timeit", "datetime", "sched"}
READ = {"sleep", "getrusage", "settimeout"}
PROGRAM = re.compile(r"^\s*(import|from) (time|datetime)\b|\btime\.\w+\(|\bsleep \d", re.M)
HINT = re.compile(r"\b(time\w*|datetime|sched|sleep|getrusage|settimeout)\b|\.(wait|join)\([\d.]")
"""What all of these have in them, and few other files: they alone are parsed."""

LONG = 600
"""Seconds that no machine takes, however busy it is."""

ALLOWED = {
    "fuzzing/__main__.py": "fuzzes for the seconds that were asked for",
    "fuzzing/model_files.py": "says how long it took",
    "fuzzing/runs.py": "ends inputs that hang",
    "processes.py": "asks again after a pause, however often it takes",
    "test_cluster.py": "counts page faults",
}
"""Who may read a clock or wait, and why."""


def clocks(text: str) -> Iterator[int]:
    """Yield the lines of a program that read a clock, sleep, or wait for less than ten minutes."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Import(names=names):
                found = any(each.name.partition(".")[0] in MODULES for each in names)
            case ast.ImportFrom(module=module, names=names):
                found = module in MODULES or any(each.name in READ for each in names)
            case ast.Attribute(attr=name):
                found = name in READ
            case ast.keyword(arg="timeout", value=ast.Constant(value=int() | float() as seconds)):
                found = seconds < LONG
            case ast.Call(
                func=ast.Attribute(attr="wait" | "join"),
                args=[ast.Constant(value=int() | float() as seconds)],
            ):
                found = seconds < LONG
            case ast.Constant(value=str() as program):
                found = bool(PROGRAM.search(program))
            case _:
                continue
        if found:
            yield node.lineno


def test_no_test_reads_a_clock() -> None:
    found = {}
    for path in TESTS.rglob("*.py"):
        text = path.read_text("utf-8")
        if path != Path(__file__) and HINT.search(text) and (lines := sorted(clocks(text))):
            found[path.relative_to(TESTS).as_posix()] = lines
    assert {name: each for name, each in found.items() if name not in ALLOWED} == {}
    assert ALLOWED.keys() <= found.keys(), "these have no clock any more"


@pytest.mark.parametrize(
    "text",
    [
        "import time as t",
        "from time import perf_counter",
        "from datetime import datetime",
        "asyncio.sleep(1)",
        "process.wait(timeout=5)",
        "event.wait(0.5)",
        "run([python, '-c', 'import time; time.sleep(9)'])",
        "run('sleep 3; echo')",
    ],
)
def test_clocks_are_found(text: str) -> None:
    assert HINT.search(text)
    assert list(clocks(text)) == [1]


@pytest.mark.parametrize(
    "text", ["event.wait()", "process.wait(timeout=600)", "words = 'they sleep in time'"]
)
def test_other_programs_have_none(text: str) -> None:
    assert list(clocks(text)) == []


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_a_busy_machine_is_quiet_again_in_the_end() -> None:
    command = [TESTS.parent / ".ci" / "busy", "sh", "-c", "exit 3"]
    with subprocess.Popen(command, start_new_session=True) as process:
        assert process.wait() == 3
    assert holds(lambda: has_ended(process.pid))
