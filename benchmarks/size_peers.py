"""What is measured of NLTK's TnT and of CRFsuite with many tags.

Each is imported where it is used: its memory must not include what another needs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from tempfile import NamedTemporaryFile

from benchmarks.job import Clock, Result, main

Tagged = list[tuple[str, str]]


def nothing(also: Sequence[str] = ()) -> Result:
    """Import modules, and do no more."""
    clock = Clock()
    clock.start()
    for name in also:
        import_module(name)
    clock.lap()
    return clock.laps()


def _sentences(path: str) -> Iterator[Tagged]:
    with Path(path).open(encoding="utf-8") as stream:
        for line in stream:
            pairs = [token.rpartition("/") for token in line.split()]
            yield [(word, tag) for word, _, tag in pairs]


def count(path: str) -> Result:
    """Train TnT on a file."""
    clock = Clock()
    clock.start()
    _tnt(path)
    clock.lap()
    return clock.laps()


def _tnt(path: str) -> object:
    from nltk.tag.tnt import TnT

    tagger = TnT()
    tagger.train(list(_sentences(path)))
    return tagger


def tag(path: str, tokens: int) -> Result:
    """Tag about so many tokens of a file's held-out sentences with TnT."""
    tagger = _tnt(path)
    some: list[Tagged] = []
    for sentence in _sentences(f"{path}.test"):
        if sum(map(len, some)) >= tokens:
            break
        some.append(sentence)
    clock = Clock()
    clock.start()
    tagged = [tagger.tag([word for word, _ in sentence]) for sentence in some]  # type: ignore[attr-defined]
    clock.lap()
    return {**clock.laps(), **_accuracy(some, tagged)}


def _accuracy(gold: Sequence[Tagged], found: Sequence[Tagged]) -> dict[str, float]:
    pairs = [pair for both in zip(gold, found, strict=True) for pair in zip(*both, strict=True)]
    right = sum(own[1] == other[1] for own, other in pairs)
    return {"tokens": len(pairs), "accuracy": right / len(pairs)}


def composite(treebank: str, sentences: int, c1: float, c2: float) -> Result:
    """Train CRFsuite on the attributes of sklearn-crfsuite's tutorial, and tag."""
    import pycrfsuite

    from benchmarks.size_side import read_treebank

    trainer = pycrfsuite.Trainer("lbfgs", {"c1": c1, "c2": c2}, verbose=False)
    clock = Clock()
    clock.start()
    for words, tags in read_treebank(treebank, "train", sentences):
        trainer.append(tutorial(words), tags)
    test = read_treebank(treebank, "dev")
    with NamedTemporaryFile() as model:
        trainer.train(model.name)
        tagger = pycrfsuite.Tagger()
        tagger.open(model.name)
        found = [list(zip(words, tagger.tag(tutorial(words)), strict=True)) for words, _ in test]
    clock.lap()
    gold = [list(zip(words, tags, strict=True)) for words, tags in test]
    return {**clock.laps(), **_accuracy(gold, found)}


def tutorial(words: Sequence[str]) -> list[list[str]]:
    """Each token's attributes: itself and its neighbours, in small letters, with their letters."""
    near = [_near(word) for word in words]
    made = []
    for place, word in enumerate(words):
        mine = ["bias", f"suffix3={word[-3:]}", f"suffix2={word[-2:]}", f"digits={word.isdigit()}"]
        mine += near[place]
        mine += [f"-1:{name}" for name in near[place - 1]] if place else ["first"]
        mine += [f"+1:{n}" for n in near[place + 1]] if place + 1 < len(words) else ["last"]
        made.append(mine)
    return made


def _near(word: str) -> list[str]:
    return [f"lower={word.lower()}", f"title={word.istitle()}", f"upper={word.isupper()}"]


def train(path: str, iterations: int) -> Result:
    """Train CRFsuite on attributes from a file, a sentence in memory at a time."""
    import pycrfsuite

    class Trainer(pycrfsuite.BaseTrainer):  # type: ignore[misc]
        log = ""

        def message(self, message: str) -> None:
            Trainer.log += message

    limits = {"num_memories": 6, "max_iterations": iterations, "epsilon": 1e-5, "delta": 0.0}
    trainer = Trainer("lbfgs", {"c2": 0.05, **limits}, verbose=False)
    clock = Clock()
    clock.start()
    tokens: list[list[str]] = []
    with Path(path).open(encoding="utf-8") as stream:
        for line in stream:
            if line != "\n":
                tokens.append(line.rstrip("\n").split("\t"))
                continue
            trainer.append([token[1:] for token in tokens], [token[0] for token in tokens])
            tokens = []
    trainer.train("")
    clock.lap()
    value = -float(re.findall(r"Loss: (\S+)", Trainer.log)[-1])
    weights = int(re.findall(r"Number of features: (\d+)", Trainer.log)[0])
    return {**clock.laps(), "weights": weights, "value": value}


if __name__ == "__main__":
    main((nothing, count, tag, composite, train))
