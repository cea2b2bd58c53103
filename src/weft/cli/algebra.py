"""How many threads the libraries of linear algebra have.

They take all cores if nobody says otherwise, and wait for each other busily where others work
there, too: a grammar of 5,000 rules took 59 seconds of processor time on a busy machine, and 3 with
one thread. The systems that are solved here are seldom so large that more would help.
"""

from __future__ import annotations

import os

_LIBRARIES = ("OPENBLAS", "MKL", "BLIS", "VECLIB")


def _variable(library: str) -> str:
    return f"{library}_{'MAXIMUM' if library == 'VECLIB' else 'NUM'}_THREADS"


def prepare() -> None:
    """Give them one thread, unless the user's environment says how many."""
    if "OMP_NUM_THREADS" not in os.environ:
        for library in _LIBRARIES:
            os.environ.setdefault(_variable(library), "1")


def bound(threads: int | None) -> int | None:
    """Give them as many as asked for; they are loaded later, when something is computed."""
    if threads is not None:
        for library in _LIBRARIES:
            os.environ[_variable(library)] = str(threads)
    return threads
