"""Feature grammars: the Alvey grammar of English, beside NLTK's parser in the same run.

``python -m benchmarks.unification [--beside N] [--rounds N]`` reads the grammar and its 229
sentences from ``WEFT_DATA``, and prints as JSON how long all of them take on one thread, how time,
edges and memory grow with length, what counting a million analyses takes without unpacking them,
and, for N sentences of different lengths, what NLTK's ``FeatureChartParser`` takes with
``max_time=None``. Seconds are of processor time; numbers of analyses are checked to be equal.
"""

from __future__ import annotations

import argparse
import inspect
import io
import json
import os
import resource
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from weft.unification import FeatureParser, ParseLimits, read_fcfg
from weft.unification.parser import parse_block

Words = list[str]


def read_sentences(path: Path) -> list[tuple[int, Words]]:
    """Sentences with the numbers of analyses that the file gives them."""
    lines = (line.partition(":") for line in path.read_text("latin-1").splitlines())
    return [(int(count), text.split()) for count, _, text in lines if count[:1].isdigit()]


def timed(work: Any) -> tuple[float, Any]:
    begin = time.process_time()
    found = work()
    return time.process_time() - begin, found


def whole(parser: FeatureParser, sentences: Sequence[Words], rounds: int) -> dict[str, Any]:
    """All sentences, packed and counted, one after the other on one thread."""
    seconds, counts = min(
        timed(lambda: [forest.count for forest in parser.parse_all(sentences)])
        for _ in range(rounds)
    )
    kernel, results = timed(lambda: list(parse_block(parser.compiled, sentences, ParseLimits())))
    return {
        "sentences": len(sentences),
        "analyses": sum(counts),
        "seconds": round(seconds, 2),
        "seconds in the kernel": round(kernel, 2),
        "unifications": sum(result.work.attempts for result in results),
        "of these failed": round(
            1 - sum(r.work.successes for r in results) / sum(r.work.attempts for r in results), 3
        ),
        "peak megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


def growth(parser: FeatureParser, sentences: Sequence[Words]) -> list[dict[str, Any]]:
    """Milliseconds, edges and kilobytes of structures, by length."""
    rows = []
    for low, high in ((1, 5), (6, 10), (11, 15), (16, 20), (21, 30)):
        some = [words for words in sentences if low <= len(words) <= high]
        seconds, results = timed(
            lambda some=some: list(parse_block(parser.compiled, some, ParseLimits()))
        )
        edges = [result.work.steps for result in results]
        packed = [sum(map(len, result.objects)) * 4 / 1024 for result in results]
        rows.append(
            {
                "words": f"{low}-{high}",
                "sentences": len(some),
                "milliseconds each": round(1000 * seconds / len(some), 2),
                "edges each": round(sum(edges) / len(some)),
                "kilobytes packed": round(sum(packed) / len(some), 1),
            }
        )
    return rows


def million() -> dict[str, Any]:
    """A forest of more than a million analyses, parsed, packed and counted."""
    rules = "% start S\nS[N=?n] -> S[N=?n] S\nS[N=sg] -> 'a'"
    parser = FeatureParser(read_fcfg(io.BytesIO(rules.encode())))
    seconds, count = timed(lambda: parser.parse(["a"] * 16).count)
    return {"analyses": count, "milliseconds": round(1000 * seconds, 2)}


def beside(parser: FeatureParser, path: Path, sentences: Sequence[Words]) -> dict[str, Any]:
    """NLTK's parser and ours on the same sentences, in turns."""
    from nltk.grammar import FeatureGrammar
    from nltk.parse import FeatureChartParser
    from nltk.parse.chart import ChartParser

    loading, grammar = timed(lambda: FeatureGrammar.fromstring(path.read_text()))
    # Where it has a limit, it is switched off: by default it stops after five seconds.
    limited = "max_time" in inspect.signature(ChartParser.__init__).parameters
    other = FeatureChartParser(grammar, **({"max_time": None} if limited else {}))
    rows = []
    for words in sentences:
        theirs, trees = timed(lambda words=words: len(list(other.parse(words))))
        ours, count = min(timed(lambda words=words: parser.parse(words).count) for _ in range(3))
        assert count == trees  # noqa: S101
        rows.append(
            {
                "words": len(words),
                "analyses": count,
                "NLTK": round(theirs, 2),
                "Weft": round(ours, 4),
                "times": round(theirs / ours),
            }
        )
    totals = sum(row["NLTK"] for row in rows), sum(row["Weft"] for row in rows)
    return {
        "loading": round(loading, 2),
        "each": rows,
        "times in all": round(totals[0] / totals[1]),
    }


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--beside", type=int, default=12, metavar="N")
    options.add_argument("--rounds", type=int, default=3, metavar="N")
    given = options.parse_args()
    folder = Path(os.environ["WEFT_DATA"]) / "grammars" / "alvey"
    reading, grammar = timed(lambda: read_fcfg(folder / "alvey.fcfg"))
    compiling, parser = timed(lambda: FeatureParser(grammar))
    counted = read_sentences(folder / "alvey_sentences.txt")
    sentences = [words for _, words in counted]
    found = {
        "reading": round(reading, 2),
        "compiling": round(compiling, 2),
        "all sentences": whole(parser, sentences, given.rounds),
        "by length": growth(parser, sentences),
        "counting": million(),
    }
    if given.beside:
        ordered = sorted(sentences, key=len)
        step = max(1, len(ordered) // given.beside)
        found["beside NLTK"] = beside(parser, folder / "alvey.fcfg", ordered[step // 2 :: step])
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
