"""Weft beside python-crfsuite, hmmlearn and OpenFst, on the same data at the same objective.

``python -m benchmarks.run [PART ...]`` measures the parts that are named, or all. Runs take turns
(ours, theirs, ours, theirs, ...), so that a busy machine slows both; compare ratios, and those of
the minima or of processor time where it was busy.

Nothing that needs memory is imported here: see :func:`benchmarks.job.start`.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.data import CONLL2000, conll2000_folder
from benchmarks.hmm_data import SENTENCES, WSJ, wsj_folder
from benchmarks.job import Result, start
from benchmarks.report import machine, summary, table

OURS, THEIRS = "benchmarks.weft_side", "benchmarks.crfsuite_side"
HMMLEARN = "benchmarks.hmmlearn_side"
LATTICES, OPENFST = "benchmarks.lattice_side", "benchmarks.openfst_side"
REPORTED = {"Wapiti": 3.2, "CRF++": 9.9}
"""Seconds an iteration with all features, as reported: from another machine, not measured here."""


@dataclass(frozen=True)
class Entry:
    """One line of a table: what is run, and how often its turn comes."""

    name: str
    run: Callable[[], Result]


@dataclass(frozen=True)
class Group:
    """Entries that are compared with one of them, the baseline; ``unit`` is what is timed.

    A second baseline is for groups with two other tools.
    """

    name: str
    unit: str
    entries: Sequence[Entry]
    baseline: str = ""
    second: str = ""
    notes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Plan:
    """What to measure on."""

    corpus: str
    treebank: str
    folder: Path
    rounds: int
    iterations: int
    passes: int

    def job(self, name: str, module: str, job: str, threads: int = 1, **options: Any) -> Entry:
        """An entry that runs a job on the plan's corpus."""
        options = {"corpus": self.corpus, **options}
        if module in (OURS, LATTICES):
            options["threads"] = threads
        return Entry(name, lambda: start(module, job, options, threads))


def train_groups(plan: Plan) -> list[Group]:
    """Training with the features that occur, attributes given to both or made by templates."""
    n = plan.iterations
    entries = [
        plan.job("Weft, 1 thread", OURS, "train", 1, iterations=n, given=True),
        plan.job("CRFsuite", THEIRS, "train", iterations=n),
        plan.job("Weft, 2 threads", OURS, "train", 2, iterations=n, given=True),
        plan.job("CRFsuite, lists kept", THEIRS, "train", iterations=n, kept=True),
        plan.job("Weft, templates, 1 thread", OURS, "train", 1, iterations=n, given=False),
        plan.job("Weft, templates, 2 threads", OURS, "train", 2, iterations=n, given=False),
    ]
    return [Group("train", "iteration", entries, "CRFsuite")]


def dense_groups(plan: Plan) -> list[Group]:
    """Training with all features: every attribute with every label."""
    n = max(2, plan.iterations // 2)
    entries = [
        plan.job("Weft, 1 thread", OURS, "train", 1, iterations=n, given=False, dense=True),
        plan.job("CRFsuite", THEIRS, "train", iterations=n, dense=True),
        plan.job("Weft, 2 threads", OURS, "train", 2, iterations=n, given=False, dense=True),
    ]
    notes = {"reported_on_another_machine": REPORTED}
    return [Group("dense", "iteration", entries, "CRFsuite", notes=notes)]


def em_groups(plan: Plan) -> list[Group]:
    """EM of a hidden Markov model with all tags for all words, from the same probabilities."""

    def theirs(implementation: str, iterations: int) -> Entry:
        options = {"iterations": iterations, "implementation": implementation}
        name = f"hmmlearn, {implementation}"
        return plan.job(name, HMMLEARN, "em", corpus=plan.treebank, **options)

    def ours(threads: int) -> Entry:
        name = f"Weft, {threads} thread{'s' * (threads > 1)}"
        return plan.job(name, OURS, "em", threads, corpus=plan.treebank, iterations=10)

    entries = [ours(1), theirs("scaling", 3), ours(2), theirs("log", 1)]
    return [Group("em", "iteration", entries, "hmmlearn, scaling", "hmmlearn, log")]


def mrf_groups(plan: Plan) -> list[Group]:
    """Joint training of globally normalised chains; no other tool does this."""
    entries = [
        plan.job(
            f"Weft, order {order}, {threads} thread{'s' * (threads > 1)}",
            OURS,
            "mrf",
            threads,
            corpus=plan.treebank,
            iterations=10,
            order=order,
        )
        for order in (1, 2)
        for threads in (1, 2)
    ]
    return [Group("mrf", "iteration", entries)]


def contrastive_groups(plan: Plan) -> list[Group]:
    """Contrastive estimation, beside an iteration of CRFsuite's on its own task; lattice sums."""
    treebank = {"corpus": plan.treebank}
    passes = 4 * plan.passes

    def ours(name: str, job: str, threads: int, **options: Any) -> Entry:
        options |= {"passes": passes, **treebank}
        return plan.job(name, LATTICES, job, threads, **options)

    whole = [
        ours("Weft, trans1, 1 thread", "contrastive", 1),
        plan.job("CRFsuite, chunking", THEIRS, "train", iterations=plan.iterations),
        ours("Weft, trans1, 2 threads", "contrastive", 2),
        ours("Weft, delortrans1, 1 thread", "contrastive", 1, neighbourhood="delortrans1"),
    ]
    groups = [
        Group("contrastive", "evaluation", whole, "CRFsuite, chunking"),
        Group("given automaton", "pass", [ours("Weft, 1 thread", "paths", 1)]),
    ]
    sums = [ours("Weft, 1 thread", "sums", 1, count=1000)]
    if not find_spec("pynini"):
        print("pynini is not installed: lattice sums have no other tool beside", file=sys.stderr)
        return [*groups, Group("lattice sums", "pass", sums)]
    theirs = plan.job("OpenFst", OPENFST, "sums", passes=1, count=1000, **treebank)
    return [*groups, Group("lattice sums", "pass", [*sums, theirs], "OpenFst")]


def decode_groups(plan: Plan) -> list[Group]:
    """Tagging: with the attributes given, and from text to text."""
    given, made, theirs = (str(plan.folder / name) for name in ("given", "made", "theirs"))
    n = plan.iterations
    plan.job("", OURS, "train", iterations=n, given=True, model=given).run()
    plan.job("", OURS, "train", iterations=n, given=False, model=made).run()
    plan.job("", THEIRS, "train", iterations=n, model=theirs).run()

    def entries(job: str, ours: str) -> list[Entry]:
        options = {"passes": plan.passes}
        return [
            plan.job("Weft, 1 thread", OURS, job, 1, model=ours, **options),
            plan.job("CRFsuite", THEIRS, job, model=theirs, **options),
            plan.job("Weft, 2 threads", OURS, job, 2, model=ours, **options),
        ]

    # A program around CRFsuite is as fast as the code that makes the attributes.
    generic = plan.job(
        "CRFsuite, any templates",
        THEIRS,
        "decode_text",
        model=theirs,
        passes=plan.passes,
        by_templates=True,
    )
    return [
        Group("decode, attributes given", "pass", entries("decode", given), "CRFsuite"),
        Group("decode, from text", "pass", [*entries("decode_text", made), generic], "CRFsuite"),
    ]


def version_groups(plan: Plan) -> list[Group]:  # noqa: ARG001
    """How long the command line takes to say its version, and Python to import the package."""
    script = shutil.which("weft", path=sysconfig.get_path("scripts"))
    weft = [script] if script else [sys.executable, "-m", "weft"]
    commands = {
        "weft --version": [*weft, "--version"],
        "import weft": [sys.executable, "-c", "import weft"],
        "python alone": [sys.executable, "-c", ""],
    }
    entries = [Entry(name, partial(_timed, command)) for name, command in commands.items()]
    return [Group("version", "start", entries)]


def _timed(command: Sequence[str]) -> Result:
    seconds = []
    for _ in range(5):
        began = time.perf_counter()
        subprocess.run(command, capture_output=True, check=True)
        seconds.append(time.perf_counter() - began)
    return {"seconds": seconds}


PARTS: Mapping[str, Callable[[Plan], list[Group]]] = {
    "train": train_groups,
    "dense": dense_groups,
    "em": em_groups,
    "mrf": mrf_groups,
    "contrastive": contrastive_groups,
    "decode": decode_groups,
    "version": version_groups,
}


def measure(group: Group, rounds: int) -> dict[str, Any]:
    """Run the entries of a group in turns, and sum up."""
    results: dict[str, list[Result]] = {entry.name: [] for entry in group.entries}
    for number in range(rounds):
        for entry in group.entries:
            message = f"{group.name}: round {number + 1} of {rounds}, {entry.name}"
            print(message, file=sys.stderr, flush=True)
            results[entry.name].append(entry.run())
    baselines = {"baseline": group.baseline, "second_baseline": group.second}
    rows = summary(results, *baselines.values())
    return {"unit": group.unit, **baselines, **group.notes, "entries": rows}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print tables, and write the results."""
    options = _options(arguments)
    with tempfile.TemporaryDirectory() as folder:
        plan = _plan(options, Path(folder))
        report: dict[str, Any] = {
            "machine": machine(),
            "corpus": plan.corpus if plan.corpus == CONLL2000 else f"generated, {plan.corpus}",
            "treebank": plan.treebank if plan.treebank == WSJ else f"generated, {plan.treebank}",
            "quick": options.quick,
            "rounds": plan.rounds,
            "groups": {},
        }
        for part in dict.fromkeys(options.parts or PARTS):
            for group in PARTS[part](plan):
                report["groups"][group.name] = measure(group, plan.rounds)
                print(table(group.name, report["groups"][group.name]), flush=True)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    print(f"Results: {options.output}")


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=main.__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; or all")
    parser.add_argument("--quick", action="store_true", help="a small corpus, to see that it runs")
    parser.add_argument("--rounds", type=int, default=3, help="how often each turn comes")
    parser.add_argument("--iterations", type=int, default=20, help="of L-BFGS a run")
    default = Path(__file__).parent / "results" / "latest.json"
    parser.add_argument("--output", type=Path, default=default, help="where results go, as JSON")
    options = parser.parse_args(arguments)
    for part in options.parts:
        if part not in PARTS:
            parser.error(f"there is no part '{part}'; there are {', '.join(PARTS)}")
    return options


def _plan(options: argparse.Namespace, folder: Path) -> Plan:
    if options.quick:
        # So many iterations that both tools converge, and their values can be compared.
        return Plan("40", "40", folder, rounds=1, iterations=300, passes=2)
    corpus = CONLL2000 if conll2000_folder() else _instead("conll2000", 8936)
    treebank = WSJ if wsj_folder() else _instead("wsj-sample", SENTENCES)
    return Plan(corpus, treebank, folder, options.rounds, options.iterations, passes=5)


def _instead(name: str, size: int) -> str:
    print(
        f"{name} is not there (set WEFT_DATA to the folder that holds {name}/): {size} generated "
        "sentences take its place",
        file=sys.stderr,
    )
    return str(size)


if __name__ == "__main__":
    main()
