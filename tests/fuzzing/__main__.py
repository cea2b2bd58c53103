"""``python -m fuzzing``: try this many damaged inputs, or as many as there is time for."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

from fuzzing.runs import Fault, Tally, run
from fuzzing.targets import TARGETS

_ROUND = 2_000


def main() -> int:
    """Return 1 if there was a fault."""
    parser = argparse.ArgumentParser(prog="python -m fuzzing", description=__doc__)
    parser.add_argument("--count", type=int, help="how many inputs, over all targets")
    parser.add_argument("--seconds", type=float, help="how long, instead of how many")
    parser.add_argument("--seed", type=int, default=1, help="another seed gives other inputs")
    parser.add_argument(
        "--target", action="append", choices=[target.name for target in TARGETS], help="only this"
    )
    parser.add_argument(
        "--found", type=Path, default=Path(__file__).parent / "found", help="where faults are kept"
    )
    parser.add_argument(
        "--guided", action="store_true", help="by coverage, where Atheris is installed"
    )
    asked = parser.parse_args()
    names = asked.target or [target.name for target in TARGETS]

    def keep(fault: Fault) -> None:
        folder = asked.found / fault.target
        folder.mkdir(parents=True, exist_ok=True)
        (folder / fault.name).write_bytes(fault.data)
        (folder / f"{fault.name}.txt").write_text(fault.problem)
        print(f"{folder / fault.name}: {fault.problem.strip().splitlines()[-1][:200]}", flush=True)

    if asked.guided and find_spec("atheris"):
        return _guided(names, asked.seconds or 60.0, asked.found)
    begun = time.monotonic()
    totals = {name: Tally() for name in names}
    if asked.seconds is None:
        _add(totals, run(_shared(asked.count or _ROUND, names), asked.seed, told=keep))
    else:
        end, first = begun + asked.seconds, 0
        while time.monotonic() < end:
            counts = _shared(_ROUND, names)
            _add(totals, run(counts, asked.seed, first=first, until=end, told=keep))
            first += max(counts.values())
    return _report(totals, time.monotonic() - begun)


def _guided(names: list[str], seconds: float, found: Path) -> int:
    """Let Atheris fuzz each target for its share of the time."""
    known = {target.name: target for target in TARGETS}
    faulty = []
    for name in names:
        folder = found / name
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as corpus:
            seeds = known[name].seeds()
            for number, data in enumerate(seeds):
                Path(corpus, str(number)).write_bytes(data)
            options = [
                f"-max_total_time={max(1, int(seconds / len(names)))}",
                "-timeout=10",
                "-verbosity=0",
            ]
            options += ["-rss_limit_mb=3072", "-max_len=50000", f"-artifact_prefix={folder}/"]
            done = subprocess.run([sys.executable, "-m", "fuzzing.guided", name, *options, corpus])
        print(f"{name}: {'a fault' if done.returncode else 'no fault'}", flush=True)
        faulty += [name] if done.returncode else []
    return 1 if faulty else 0


def _shared(count: int, names: list[str]) -> dict[str, int]:
    """So many inputs in all, shared out among the targets."""
    whole, rest = divmod(count, len(names))
    return {name: whole + (place < rest) for place, name in enumerate(names)}


def _add(totals: dict[str, Tally], several: dict[str, Tally]) -> None:
    for name, tally in several.items():
        totals[name].accepted += tally.accepted
        totals[name].refused += tally.refused
        totals[name].faults += tally.faults


def _report(totals: dict[str, Tally], seconds: float) -> int:
    print(f"{'target':14}{'accepted':>10}{'refused':>10}{'faults':>8}")
    rows = {**totals, "all": _sum(list(totals.values()))}
    for name, tally in rows.items():
        print(f"{name:14}{tally.accepted:10,}{tally.refused:10,}{len(tally.faults):8,}")
    whole = rows["all"]
    print(f"{whole.accepted + whole.refused + len(whole.faults):,} inputs in {seconds:.0f} s")
    return 1 if whole.faults else 0


def _sum(tallies: list[Tally]) -> Tally:
    return Tally(
        sum(each.accepted for each in tallies),
        sum(each.refused for each in tallies),
        [fault for each in tallies for fault in each.faults],
    )


if __name__ == "__main__":
    sys.exit(main())
