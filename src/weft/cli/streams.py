"""The standard streams, which may be closed from the start or go away while the program runs."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from typing import Any


def prepare() -> None:
    """Make the standard streams fit to be used, whatever the program was started with.

    A descriptor that is closed would be given to the next file that is opened: it is taken by
    the null device, the wrong way round, so that reading and writing fail as they would have.
    """
    _occupy(0, os.O_WRONLY)
    _occupy(1, os.O_RDONLY)
    _occupy(2, os.O_WRONLY)
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    encoding = getattr(sys.stderr, "encoding", "utf-8")
    sys.stderr = io.TextIOWrapper(
        io.BufferedWriter(_Patient(2, "w", closefd=False)),
        encoding,
        errors="replace",
        line_buffering=True,
    )
    # A terminal that cannot show a character is no reason to fail.
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def _occupy(descriptor: int, flags: int) -> None:
    try:
        os.fstat(descriptor)
    except OSError:
        # The lowest that is free, and those below are taken.
        os.set_inheritable(os.open(os.devnull, flags), True)


class _Patient(io.FileIO):
    """The standard error: what cannot be shown there is dropped.

    A pipe whose reader has gone or a terminal that was closed must not end hours of training.
    """

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError:
            return len(data)


def settle_output() -> None:
    """Write what waits to be written to the standard output, or drop it if that cannot be."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        abandon_output()


def abandon_output() -> None:
    """Write nothing more to the standard output, not even what waits to be written."""
    with contextlib.suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
