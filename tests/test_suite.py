"""What holds for the tests themselves."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parent
CLOCK = re.compile(r"^import time$|time\.sleep|perf_counter\(|monotonic\(|timeout=\d{1,2}\b", re.M)
FUZZING = {"__main__.py", "model_files.py", "runs.py"}
"""Parts of the fuzzer that say how long it took, and end what waits for minutes."""


def test_no_test_reads_a_clock():
    texts = {path: path.read_text(encoding="utf-8") for path in TESTS.rglob("*.py")}
    found = {path for path, text in texts.items() if CLOCK.search(text)} - {Path(__file__)}
    assert {path.relative_to(TESTS / "fuzzing").as_posix() for path in found} == FUZZING
