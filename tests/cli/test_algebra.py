"""Libraries of linear algebra have as many threads as asked for, and one if nobody asks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SLOW = pytest.mark.slow
PROGRAM = """
import os, sys
from weft.cli import main
sys.argv = ["weft", *sys.argv[1:]]
try:
    main()
except SystemExit as left:
    assert not left.code, left.code
print([os.environ.get(name) for name in ("OPENBLAS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")])
"""


def threads_of(folder: Path, *arguments: str, **environment: str) -> str:
    names = ("OPENBLAS", "MKL", "BLIS", "OMP")
    unset = {f"{name}_NUM_THREADS" for name in names} | {"VECLIB_MAXIMUM_THREADS"}
    kept = {name: value for name, value in os.environ.items() if name not in unset}
    (folder / "toy.pcfg").write_text("S -> S S [0.4] | 'a' [0.6]\n")
    command = [sys.executable, "-c", PROGRAM, "grammar", "partition", "toy.pcfg", *arguments]
    done = subprocess.run(
        command, cwd=folder, env={**kept, **environment}, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()[-1]


@pytest.mark.parametrize(
    ("arguments", "environment", "expected"),
    [
        ((), {}, "['1', '1']"),
        (("--threads", "3"), {}, "['3', '3']"),
        pytest.param((), {"OPENBLAS_NUM_THREADS": "2"}, "['2', '1']", marks=SLOW),
        pytest.param((), {"OMP_NUM_THREADS": "2"}, "[None, None]", marks=SLOW),
        pytest.param(("--threads", "3"), {"OPENBLAS_NUM_THREADS": "2"}, "['3', '3']", marks=SLOW),
    ],
)
def test_threads(tmp_path, arguments, environment, expected):
    assert threads_of(tmp_path, *arguments, **environment) == expected
