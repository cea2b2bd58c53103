"""Waiting for what other processes do: no test reads a clock."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path


def holds(condition: Callable[[], bool], attempts: int = 100_000) -> bool:
    """Ask again and again whether something holds, for longer than a busy machine takes."""
    pause = threading.Event()
    return any(condition() or pause.wait(0.01) for _ in range(attempts))


def has_ended(group: int) -> bool:
    """Whether no process of a group is left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


def ticks(process: int) -> int:
    """The processor's time that a process has used, in a hundred parts of a second, on Linux."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])
