"""What is measured of CRFsuite, through python-crfsuite."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from typing import Any

import pycrfsuite

from benchmarks.data import accuracy, attributes, attributes_by_templates, sentences, text
from benchmarks.job import Clock, Result, main

_Make = Callable[[Sequence[str], Sequence[str]], list[list[str]]]
_Tag = Callable[[list[list[str]]], list[str]]


class _Trainer(pycrfsuite.BaseTrainer):  # type: ignore[misc]
    """A trainer that notes the time of every iteration, and when optimisation began."""

    def __init__(self, params: dict[str, Any]) -> None:
        super().__init__("lbfgs", params, verbose=False)
        self.clock = Clock()
        self.log: list[str] = []
        self.prepared = 0.0

    def message(self, message: str) -> None:
        """Take a line of the log, or part of one."""
        if message.startswith("***** Iteration"):
            self.clock.lap()
        elif message.startswith("L-BFGS optimization"):
            self.prepared = time.perf_counter()
        self.log.append(message)

    def found(self, pattern: str) -> list[str]:
        """What the log says, at each match of a pattern with one group."""
        return re.findall(pattern, "".join(self.log))


def train(
    corpus: str, iterations: int, dense: bool = False, kept: bool = False, model: str = ""
) -> Result:
    """Train a CRF with c2 = 1/2, that is with a variance of 1, on given attributes.

    The attributes of one sentence are in memory at a time, or those of all if they are kept, as
    by a program that makes lists of its training data first.
    """
    trainer = _Trainer(
        {
            "c2": 0.5,
            "num_memories": 6,
            "max_iterations": iterations,
            "epsilon": 1e-5,
            "delta": 0.0,
            "feature.possible_states": dense,
            "feature.possible_transitions": dense,
        }
    )
    setup = 0.0
    lists: list[list[list[str]]] = []
    for sentence in sentences(corpus, "train"):
        items = attributes(sentence.words, sentence.pos)
        if kept:
            lists.append(items)
        began = time.perf_counter()
        trainer.append(items, sentence.chunks)
        setup += time.perf_counter() - began
    began = time.perf_counter()
    trainer.train(model)
    setup += trainer.prepared - began
    losses = trainer.found(r"Loss: (\S+)")
    return {
        **trainer.clock.laps(),
        "setup_seconds": setup,
        "iterations": len(losses),
        "evaluations": 1 + sum(map(int, trainer.found(r"Line search trials: (\d+)"))),
        "weights": int(trainer.found(r"Number of features: (\d+)")[0]),
        "value": -float(losses[-1]),
    }


def decode(corpus: str, model: str, passes: int) -> Result:
    """Tag sentences whose attributes are given as lists of strings, new ones at each pass."""
    test = sentences(corpus, "test")
    tag = _opened(model)
    clock = Clock()
    for _ in range(passes):
        items = [attributes(sentence.words, sentence.pos) for sentence in test]
        clock.start()
        tags = [tag(item) for item in items]
        clock.lap()
    return {**clock.laps(), **accuracy([sentence.chunks for sentence in test], tags)}


def decode_text(corpus: str, model: str, passes: int, by_templates: bool = False) -> Result:
    """Tag text: from the bytes of a file to those of a file with tags.

    The program is written for these attributes, or for any templates, which is slower.
    """
    raw = text(corpus, "test")
    tag = _opened(model)
    make = attributes_by_templates if by_templates else attributes
    clock = Clock()
    for _ in range(passes):
        clock.start()
        out = _tag_text(raw, make, tag)
        clock.lap()
    return {**clock.laps(), "tokens": sum(map(bool, out.splitlines()))}


def _opened(model: str) -> _Tag:
    tagger = pycrfsuite.Tagger()
    tagger.open(model)
    tag: _Tag = tagger.tag
    return tag


def _tag_text(raw: bytes, make: _Make, tag: _Tag) -> bytes:
    """What a Python program around CRFsuite does."""
    out: list[str] = []
    tokens: list[list[str]] = []
    for line in [*raw.decode().split("\n"), ""]:
        if line:
            tokens.append(line.split(" "))
        elif tokens:
            words, pos = [token[0] for token in tokens], [token[1] for token in tokens]
            tags = tag(make(words, pos))
            out += [f"{w} {p} {t}\n" for w, p, t in zip(words, pos, tags, strict=True)]
            out.append("\n")
            tokens = []
    return "".join(out).encode()


if __name__ == "__main__":
    main((train, decode, decode_text))
