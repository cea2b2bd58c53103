"""The first ten minutes of three newcomers: what they type, in an empty folder of their own.

These tests look at nothing but an installed Weft: `tests/test_wheel.py` runs them on a wheel in an
environment of its own, and so does cibuildwheel. They import nothing from the other tests.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Weft = Callable[..., str]


@pytest.fixture
def weft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Weft:
    """Runs the program as a shell does, and returns what it prints; a failure ends the test."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, given: str = "", code: int = 0) -> str:
        command = [sys.executable, "-m", "weft", *arguments]
        done = subprocess.run(
            command, input=given, capture_output=True, text=True, check=False, timeout=600
        )
        assert done.returncode == code, done.stderr
        return done.stdout if code == 0 else done.stderr

    return run
