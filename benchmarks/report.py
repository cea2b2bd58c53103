"""From the results of runs to what is said of them: medians, minima, ratios, a table."""

from __future__ import annotations

import os
import platform
import re
import statistics
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.job import Result
from weft import DISTRIBUTION

_MEDIANS = ("reading_seconds", "setup_seconds")
_FACTS = ("iterations", "evaluations", "weights", "value", "tokens", "accuracy", "arcs")


def machine() -> dict[str, Any]:
    """What the results depend on beside the code."""
    packages = (DISTRIBUTION, "python-crfsuite", "hmmlearn", "numpy")
    return {
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "load_average": os.getloadavg()[0],
        "system": platform.platform(),
        "python": platform.python_version(),
        **{name: version(name) for name in packages},
    }


def _cpu() -> str:
    path = Path("/proc/cpuinfo")
    found = re.search(r"model name\s*: (.*)", path.read_text()) if path.exists() else None
    return found[1] if found else platform.processor() or platform.machine()


def summary(
    results: Mapping[str, Sequence[Result]], baseline: str, second: str = ""
) -> dict[str, dict[str, Any]]:
    """Sum up the runs of each entry, and compare its speed with the baselines'.

    Args:
        results: For each entry its runs.
        baseline: The entry to compare with, or nothing.
        second: Another one, or nothing.
    """
    rows = {name: _entry(runs) for name, runs in results.items()}
    for key, name in (("speed_up", baseline), ("second_speed_up", second)):
        for row in rows.values() if name else ():
            row[key] = {
                kind: rows[name][f"{kind}_seconds"] / row[f"{kind}_seconds"]
                for kind in ("median", "least", "cpu")
            }
    return rows


def _entry(runs: Sequence[Result]) -> dict[str, Any]:
    pooled = [second for run in runs for second in run["seconds"]]
    row: dict[str, Any] = {
        "median_seconds": statistics.median(pooled),
        "least_seconds": min(pooled),
    }
    if "cpu_seconds" in runs[0]:
        row["cpu_seconds"] = statistics.median(s for run in runs for s in run["cpu_seconds"])
    for name in _MEDIANS:
        if name in runs[0]:
            row[name] = statistics.median(run[name] for run in runs)
    if "peak_mb" in runs[0]:
        row["peak_mb"] = max(run["peak_mb"] for run in runs)
    row |= {name: runs[0][name] for name in _FACTS if name in runs[0]}
    if "tokens" in row:
        row["tokens_per_second"] = row["tokens"] / row["median_seconds"]
    if "arcs" in row:
        row["cpu_nanoseconds_an_arc"] = 1e9 * row["cpu_seconds"] / row["arcs"]
    return {**row, "runs": [run["seconds"] for run in runs]}


def table(name: str, group: Mapping[str, Any]) -> str:
    """A table of a group's entries, and what is reported of other tools."""
    rows = group["entries"]
    columns = {
        f"s/{group['unit']}": lambda row: f"{row['median_seconds']:.4f}",
        "least": lambda row: f"{row['least_seconds']:.4f}",
        "CPU s": lambda row: f"{row['cpu_seconds']:.4f}",
        "ratio": lambda row: f"{row['speed_up']['median']:.2f}",
        "of least": lambda row: f"{row['speed_up']['least']:.2f}",
        "of CPU": lambda row: f"{row['speed_up']['cpu']:.2f}",
        "2nd ratio": lambda row: f"{row['second_speed_up']['median']:.2f}",
        "2nd of least": lambda row: f"{row['second_speed_up']['least']:.2f}",
        "tokens/s": lambda row: f"{row['tokens_per_second']:,.0f}",
        "CPU ns/arc": lambda row: f"{row['cpu_nanoseconds_an_arc']:.1f}",
        "set-up s": lambda row: f"{row['setup_seconds']:.2f}",
        "peak MB": lambda row: f"{row['peak_mb']:.0f}",
        "weights": lambda row: f"{row['weights']:,}",
        "evaluations": lambda row: f"{row['evaluations']}/{row['iterations']}",
        "value": lambda row: f"{row['value']:.3f}",
        "accuracy": lambda row: f"{row['accuracy']:.5f}",
    }
    lines = [["", *columns]]
    for entry, row in rows.items():
        lines.append([entry, *(_cell(cell, row) for cell in columns.values())])
    used = [any(line[i] for line in lines[1:]) for i in range(len(lines[0]))]
    kept = [[cell for cell, use in zip(line, used, strict=True) if use] for line in lines]
    widths = [max(map(len, column)) for column in zip(*kept, strict=True)]
    text = [
        "  ".join(
            cell.rjust(width) if i else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in kept
    ]
    reported = group.get("reported_on_another_machine", {})
    text += [
        f"{tool}: {s} s an iteration (reported, other machine)" for tool, s in reported.items()
    ]
    return "\n".join([f"\n{name}", *text])


def _cell(cell: Any, row: Mapping[str, Any]) -> str:
    try:
        return str(cell(row))
    except KeyError:
        return ""
