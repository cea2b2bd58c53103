"""Hundreds of tags, and memory: Weft beside NLTK's TnT and CRFsuite, each job in its own process.

``python -m benchmarks.size`` measures every row, ``--only ROW`` one of them (it may be repeated).
Jobs run one after the other, so that each has the machine's memory and caches for itself.

Nothing that needs memory is imported here: see :func:`benchmarks.job.start`.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.data import CONLL2000
from benchmarks.job import start
from benchmarks.report import machine, table
from benchmarks.run import Entry, Group, measure

OURS, PEERS = "benchmarks.size_side", "benchmarks.size_peers"
COUNTED = ("hmm", "hmm-mealy", "johnson-4", "johnson-5", "johnson-6", "johnson-7")


@dataclass(frozen=True)
class Plan:
    """What to measure on.

    Attributes:
        folder: Where corpora and models are made.
        samples: The tags and tokens of the sampled corpora, the one to be tagged first.
        held_out: How many sampled tokens are tagged, and how many of them by TnT.
        treebanks: Where composite tags are learnt, by name, and from how many sentences.
        many: The tags and tokens of a CRF.
        corpora: The treebanks whose memory is compared, with the number of their sentences.
        chunks: The corpus of chunks, whose memory is compared with observed and all weights.
        iterations: Of L-BFGS, where memory is compared.
    """

    folder: Path
    samples: Sequence[tuple[int, int]]
    held_out: tuple[int, int]
    treebanks: Mapping[str, int]
    many: tuple[int, int]
    corpora: Mapping[str, int]
    chunks: str
    iterations: int


def job(name: str, module: str, function: str, processors: int = 1, /, **options: Any) -> Entry:
    """An entry that runs a job in a new process."""
    return Entry(name, lambda: start(module, function, options, processors))


def counted_groups(plan: Plan) -> list[Group]:
    """Memory of an HMM that is counted."""
    groups = []
    for tags, tokens in plan.samples:
        path = sample(plan, tags, tokens)
        entries = [
            job("Weft, hmm", OURS, "count", path=path, recipe="hmm"),
            job("NLTK, TnT", PEERS, "count", path=path),
        ]
        groups.append(Group(f"counting, {tokens:,} tokens, {tags} tags", "corpus", entries))
    return groups


def tagging_groups(plan: Plan) -> list[Group]:
    """Tagging with joint models."""
    tags, tokens = plan.samples[0]
    path = sample(plan, tags, tokens)
    many, few = plan.held_out
    entries = [
        job(f"Weft, {recipe}", OURS, "tag", path=path, recipe=recipe, tokens=many)
        for recipe in COUNTED
    ]
    theirs = job(f"NLTK, TnT, {few} tokens", PEERS, "tag", path=path, tokens=few)
    return [Group(f"tagging, {tags} tags", "pass", [*entries, theirs])]


def composite_groups(plan: Plan) -> list[Group]:
    """Accuracy with tags that are made of UPOS and FEATS."""
    groups = []
    for name, sentences in plan.treebanks.items():
        same = {"treebank": name, "sentences": sentences}
        entries = [
            *(
                job(f"Weft, {recipe}", OURS, "composite", recipe=recipe, **same)
                for recipe in ("crf", "johnson-4")
            ),
            job("CRFsuite, c2=1", PEERS, "composite", c1=0.0, c2=1.0, **same),
            job("CRFsuite, c1=c2=0.1", PEERS, "composite", c1=0.1, c2=0.1, **same),
        ]
        groups.append(Group(f"composite tags, {name}, {sentences} sentences", "run", entries))
    return groups


def thousand_groups(plan: Plan) -> list[Group]:
    """A CRF with a thousand tags."""
    tags, tokens = plan.many
    same = {"tags": tags, "tokens": tokens, "iterations": 3, "dense": False}
    entries = [
        job(f"Weft, {n} threads", "benchmarks.many_tags", "train", n, threads=n, **same)
        for n in (1, 2)
    ]
    return [Group(f"crf, {tags} tags, {tokens:,} tokens", "iteration", entries)]


def memory_groups(plan: Plan) -> list[Group]:
    """Memory of CRFs with the same weights."""
    floor = [
        job("Python alone", PEERS, "nothing"),
        job("Python, NumPy", OURS, "nothing", also=["numpy"]),
        job("Weft", OURS, "nothing", also=["weft.train", "weft.corpora"]),
        job("CRFsuite", PEERS, "nothing", also=["pycrfsuite"]),
    ]
    groups = [Group("memory of imports", "run", floor)]
    for name, sentences in plan.corpora.items():
        path, same = str(plan.folder / name), {"corpus": name, "sentences": sentences}
        start(OURS, "write_attributes", {"path": path, **same})
        entries = [
            job("Weft", OURS, "train", iterations=plan.iterations, **same),
            job("CRFsuite", PEERS, "train", iterations=plan.iterations, path=path),
        ]
        groups.append(Group(f"crf memory, {name}", "run", entries))
    for dense in (False, True):
        same = {"corpus": plan.chunks, "iterations": plan.iterations, "dense": dense}
        entries = [
            job("Weft", "benchmarks.weft_side", "train", given=False, threads=1, **same),
            job("CRFsuite", "benchmarks.crfsuite_side", "train", **same),
        ]
        name = f"crf memory, chunks, {'all' if dense else 'observed'} weights"
        groups.append(Group(name, "iteration", entries))
    return groups


ROWS: Mapping[str, Callable[[Plan], list[Group]]] = {
    "counting": counted_groups,
    "tagging": tagging_groups,
    "composite": composite_groups,
    "thousand": thousand_groups,
    "memory": memory_groups,
}


def sample(plan: Plan, tags: int, tokens: int) -> str:
    """The file of a sampled corpus, made when it is first asked for; sentences to tag beside it."""
    path = plan.folder / f"{tags}-{tokens}.tagged"
    if not path.exists():
        sizes = {"tags": tags, "tokens": tokens, "held_out": plan.held_out[0]}
        start(OURS, "make", {"path": str(path), **sizes})
    return str(path)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print tables, and write the results."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.size", description=__doc__)
    parser.add_argument("--only", action="append", choices=list(ROWS), metavar="ROW")
    parser.add_argument("--quick", action="store_true", help="small corpora, to see that it runs")
    default = Path(__file__).parent / "results" / "size.json"
    parser.add_argument("--output", type=Path, default=default, help="where results go, as JSON")
    options = parser.parse_args(arguments)
    report: dict[str, Any] = {"machine": machine(), "quick": options.quick, "groups": {}}
    with tempfile.TemporaryDirectory() as folder:
        plan = _quick(Path(folder)) if options.quick else _whole(Path(folder))
        for row in dict.fromkeys(options.only or ROWS):
            for group in ROWS[row](plan):
                report["groups"][group.name] = measure(group, rounds=1)
                print(table(group.name, report["groups"][group.name]), flush=True)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    print(f"Results: {options.output}")


def _whole(folder: Path) -> Plan:
    return Plan(
        folder,
        samples=((283, 232_000), (461, 1_050_000)),
        held_out=(20_000, 300),
        treebanks={"sequoia": 500, "ewt": 500},
        many=(1000, 50_000),
        corpora={"bundled": 559, "ewt": 1000, "sequoia": 2231},
        chunks=CONLL2000,
        iterations=8,
    )


def _quick(folder: Path) -> Plan:
    return Plan(
        folder,
        samples=((12, 2000),),
        held_out=(500, 50),
        treebanks={"bundled": 40},
        many=(60, 1000),
        corpora={"bundled": 40},
        chunks="40",
        iterations=300,
    )


if __name__ == "__main__":
    main()
