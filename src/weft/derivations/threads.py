"""How many threads to use."""

from __future__ import annotations

import os

from weft.errors import OptionError


def thread_count(wanted: int | None = None) -> int:
    """Return the number of threads to use: as asked for, or one for each core we may run on.

    >>> thread_count(3)
    3
    """
    if wanted is None:
        return (
            len(os.sched_getaffinity(0))
            if hasattr(os, "sched_getaffinity")
            else os.cpu_count() or 1
        )
    if wanted < 1:
        raise OptionError(f"threads must be at least 1, not {wanted}")
    return wanted
