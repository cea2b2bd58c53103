"""What a tagger is worth if nothing is said but ``weft train``, beside counting and CRFsuite.

``python -m benchmarks.defaults`` trains on the first sentences of each corpus the default CRF, two
taggers that are counted, and CRFsuite with the attributes that its tutorials have, and prints what
each has right of held-out sentences: the accuracy of tags, the F1 of chunks; with processor seconds
of training and tagging and the peak memory of its process. All see the same sentences and use one
thread, each in a process of its own.

CRFsuite has ``c1 = c2 = 0.1``, 100 iterations and all transitions, as its tutorials, and ``c2 = 1``
until it ends by itself. ``--output FILE`` keeps every result, a line of JSON each; what is there
already, by the same version and with no lower limit, is not made again. ``--set KEY=VALUE`` trains
the CRF with other settings as well.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.job import Result, main, peak, start
from benchmarks.tagged_corpora import CORPORA, Columns, make, read
from weft import DISTRIBUTION

THIS = "benchmarks.defaults"
LIMIT = 180
"""Processor seconds that a job may take; what takes longer is left out."""


class Peer(NamedTuple):
    """Something to train: the job, and what it is told."""

    job: str
    options: dict[str, Any]


PEERS = {
    "crf": Peer("ours", {"recipe": "crf"}),
    "johnson-4": Peer("ours", {"recipe": "johnson-4"}),
    "hmm": Peer("ours", {"recipe": "hmm"}),
    "CRFsuite, c1=c2=0.1": Peer(
        "theirs",
        {"c1": 0.1, "c2": 0.1, "max_iterations": 100, "feature.possible_transitions": True},
    ),
    "CRFsuite, c2=1": Peer("theirs", {"c2": 1.0}),
}


def ours(
    train: str,
    held_out: str,
    first: int | None,
    recipe: str,
    settings: dict[str, str] | None = None,
    penalty: str | None = None,
) -> Result:
    """Train and tag with Weft."""
    from weft.recipes import fit_recipe, plan_recipe
    from weft.structures.evidence import Example, Sentence

    corpus, test = read(train, first), read(held_out)
    began = time.process_time()
    examples = [Example(Sentence(tuple(map(tuple, each[:-1]))), tuple(each[-1])) for each in corpus]
    tagger = fit_recipe(plan_recipe(recipe, penalty, settings), examples, threads=1)
    trained = time.process_time()
    tags = tagger.tag([Sentence(tuple(map(tuple, each[:-1]))) for each in test], threads=1)
    seconds = {"seconds": trained - began, "tagging_seconds": time.process_time() - trained}
    facts = {
        "iterations": tagger.trace[-1].iteration if tagger.trace else 0,
        "stopped": tagger.notes["stopped"],
        "weights": len(tagger.weights),
    }
    return {**seconds, **facts, **_about(corpus), "own_mb": peak(), "score": _score(test, tags)}


def theirs(train: str, held_out: str, first: int | None, **options: Any) -> Result:
    """Train and tag with CRFsuite."""
    import pycrfsuite

    corpus, test = read(train, first), read(held_out)
    began = time.process_time()
    trainer = pycrfsuite.Trainer("lbfgs", options, verbose=False)
    for each in corpus:
        trainer.append([attributes(each, place) for place in range(len(each[0]))], each[-1])
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "model")
        trainer.train(path)
        trained = time.process_time()
        tagger = pycrfsuite.Tagger()
        tagger.open(path)
        tags = [
            tagger.tag([attributes(each, place) for place in range(len(each[0]))]) for each in test
        ]
    seconds = {"seconds": trained - began, "tagging_seconds": time.process_time() - trained}
    facts = {"iterations": trainer.logparser.last_iteration["num"]}
    # Weft is imported after this, for the score.
    return {**seconds, **facts, **_about(corpus), "own_mb": peak(), "score": _score(test, tags)}


def attributes(columns: Columns, place: int) -> dict[str, Any]:
    """What the tutorials look at: a word, its spelling, its part of speech, and neighbours."""
    words, pos = columns[0], columns[1:-1]
    word = words[place]
    found = {"bias": 1.0, "word[-3:]": word[-3:], "word[-2:]": word[-2:]}
    found |= _look(words, pos, place, "")
    found["word.isdigit"] = word.isdigit()
    for name, near in (("-1:", place - 1), ("+1:", place + 1)):
        if 0 <= near < len(words):
            found |= _look(words, pos, near, name)
        else:
            found["BOS" if near < 0 else "EOS"] = True
    return found


def _look(words: list[str], pos: Columns, place: int, name: str) -> dict[str, Any]:
    word = words[place]
    found: dict[str, Any] = {
        f"{name}word.lower": word.lower(),
        f"{name}word.istitle": word.istitle(),
        f"{name}word.isupper": word.isupper(),
    }
    for each in pos:
        found |= {f"{name}postag": each[place], f"{name}postag[:2]": each[place][:2]}
    return found


def _about(corpus: Sequence[Columns]) -> Result:
    tags = {tag for each in corpus for tag in each[-1]}
    return {"tokens": sum(len(each[-1]) for each in corpus), "tags": len(tags)}


def _score(test: Sequence[Columns], tags: Sequence[Sequence[str]]) -> float:
    """F1 of chunks, where there are such, or the accuracy of tags, in per cent."""
    from benchmarks.data import accuracy
    from weft.evaluate.chunks import chunk_scores

    gold = [each[-1] for each in test]
    if all(tag == "O" or tag[:2] in ("B-", "I-") for each in gold for tag in each):
        return 100 * float(chunk_scores(gold, tags).overall.f1)
    return 100 * accuracy(gold, tags)["accuracy"]


def compare() -> None:
    """Train everything on everything, and print a table."""
    parser = argparse.ArgumentParser(prog=f"python -m {THIS}", description=__doc__)
    parser.add_argument("--corpus", action="append", choices=CORPORA)
    parser.add_argument("--peer", action="append", choices=PEERS)
    parser.add_argument("--first", action="append", type=int, help="so many training sentences")
    parser.add_argument("--part", choices=("dev", "test"), default="test", help="what is held out")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--penalty", help="of the CRF with these settings")
    parser.add_argument("--limit", type=int, default=LIMIT, help="processor seconds per job")
    parser.add_argument("--output", type=Path, help="where results are kept, and found again")
    options = parser.parse_args()
    chosen = {name: PEERS[name] for name in options.peer or PEERS}
    if options.set or options.penalty:
        more = {"settings": dict(each.split("=", 1) for each in options.set)}
        name = " ".join(["crf", *options.set, options.penalty or ""]).strip()
        chosen[name] = Peer("ours", {"recipe": "crf", "penalty": options.penalty, **more})
    known = _known(options.output)
    with tempfile.TemporaryDirectory() as folder:
        for corpus in options.corpus or CORPORA:
            files = _files(Path(folder), corpus, options.part)
            for first in options.first or [300, 1000]:
                rows = {}
                for name, (job, asked) in chosen.items():
                    made_by = version(DISTRIBUTION if job == "ours" else "python-crfsuite")
                    key = json.dumps([corpus, options.part, first, made_by, name])
                    # What ended by a lower limit may come to its end now.
                    if known.get(key, {"limit": -1}).get("limit", options.limit) < options.limit:
                        given = {**files, **asked, "first": first, "limit": options.limit}
                        known[key] = _run(job, given)
                        _keep(options.output, key, known[key])
                    rows[name] = known[key]
                print(_table(corpus, first, rows), flush=True)


def _run(job: str, given: dict[str, Any]) -> Result:
    try:
        return start(THIS, job, given)
    except TimeoutError:
        return {"limit": given["limit"]}


def _known(path: Path | None) -> dict[str, Result]:
    if path is None or not path.exists():
        return {}
    lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return {json.dumps(each["of"]): each["found"] for each in lines}


def _keep(path: Path | None, key: str, found: Result) -> None:
    if path is not None:
        with path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps({"of": json.loads(key), "found": found}) + "\n")


def _files(folder: Path, corpus: str, held_out: str) -> dict[str, str]:
    """Write the training and the held-out part of a corpus."""
    found = {}
    for name, part in (("train", "train"), ("held_out", held_out)):
        found[name] = str(folder / f"{corpus} {part}.jsonl")
        if not Path(found[name]).exists():
            start(THIS, "make", {"corpus": corpus, "part": part, "path": found[name]})
    return found


def _table(corpus: str, first: int, rows: dict[str, Result]) -> str:
    known = next((each for each in rows.values() if "tokens" in each), {"tokens": 0, "tags": 0})
    title = f"{corpus}, {first:,} sentences, {known['tokens']:,} tokens, {known['tags']} tags"
    lines = [
        f"| {name} | {each['score']:.2f} | {each['seconds']:.1f} + {each['tagging_seconds']:.1f} s "
        f"| {each['own_mb']:.0f} MB | {each['iterations']} |"
        if "score" in each
        else f"| {name} | more than {each['limit']} s | | | |"
        for name, each in rows.items()
    ]
    head = [
        f"| {title} | held out | processor time | memory | iterations |",
        "|---|---|---|---|---|",
    ]
    return "\n".join([*head, *lines, ""])


if __name__ == "__main__":
    if sys.argv[1:2] and sys.argv[1] in ("make", "ours", "theirs"):
        main((make, ours, theirs))
    else:
        compare()
