"""A measured job: a process of its own, so that its peak memory is its own too.

``python -m benchmarks.weft_side train '{"threads": 1, ...}'`` runs one function and prints what
it returns as JSON.
"""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

Result = dict[str, Any]

# NumPy's linear algebra has threads of its own, which must not help a run on one thread.
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


def start(module: str, job: str, options: Mapping[str, Any], threads: int = 1) -> Result:
    """Run a job in a new process and return its result.

    Where there is no /proc, the peak memory of a process counts what its parent held when it was
    started, so the caller should hold little.

    Raises:
        RuntimeError: If the job failed.
        TimeoutError: If it took more processor seconds than its option ``limit`` says.
    """
    command = [sys.executable, "-m", module, job, json.dumps(options)]
    environment = {**os.environ, **dict.fromkeys(_THREADS, str(threads))}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode == -signal.SIGXCPU:
        raise TimeoutError(f"{module} {job}: more than {options['limit']} s of processor time")
    if done.returncode:
        raise RuntimeError(f"{module} {job} {json.dumps(options)} failed:\n{done.stderr.strip()}")
    result: Result = json.loads(done.stdout)
    return result


def main(jobs: Sequence[Callable[..., Result]]) -> None:
    """Run the job that the command line names, and print its result."""
    name, options = sys.argv[1], json.loads(sys.argv[2])
    job = {each.__name__: each for each in jobs}[name]
    if (limit := options.pop("limit", None)) is not None:
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 10))
    result = job(**options)
    print(json.dumps({**result, "peak_mb": peak()}))


def peak() -> float:
    """The most megabytes that this program had in memory so far."""
    status = Path("/proc/self/status")
    if status.exists():
        [kib] = re.findall(r"VmHWM:\s*(\d+) kB", status.read_text())
        return 1024 * int(kib) / 1e6
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


class Clock:
    """Measures wall and processor time, from each start or lap to the next lap."""

    def __init__(self) -> None:
        self._last: tuple[float, float] | None = None
        self._laps: list[tuple[float, float]] = []

    def start(self) -> None:
        """Begin a lap."""
        self._last = time.perf_counter(), time.process_time()

    def lap(self) -> None:
        """End a lap, if one has begun, and begin the next."""
        now = time.perf_counter(), time.process_time()
        if self._last is not None:
            self._laps.append((now[0] - self._last[0], now[1] - self._last[1]))
        self._last = now

    def laps(self) -> Result:
        """The seconds of each lap."""
        wall, processor = zip(*self._laps, strict=True)
        return {"seconds": wall, "cpu_seconds": processor}
