"""Experiments: a table or figure of a paper, and how it is made anew, part by part.

An experiment is divided into *parts*, each of which is worked on by itself: a corpus, a fold, or a
row of a table. What a part found is kept, so that a run that was ended goes on where it was. All
settings are the arguments of the parts, which stand in the program: nothing is chosen after the
test part of a corpus was read.
"""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from weft.corpora.catalogue import CORPORA
from weft.corpora.locate import found_corpus
from weft.papers.results import Result

PartFound = dict[str, Any]
"""What a part found, ready for JSON."""


@dataclass(frozen=True, slots=True)
class PartOptions:
    """What every part is told.

    Attributes:
        seed: Of whatever is drawn.
        threads: PartOptions many to use; no result depends on it.
    """

    seed: int = 0
    threads: int | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """A part of an experiment.

    Attributes:
        name: What tells it from the others.
        arguments: What is to be done, ready for JSON.
        corpora: The folders of corpora that it reads, below the folder of corpora; none where it
            reads what comes with the package.
        seconds: About how many of a processor it takes: long parts are begun first.
    """

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    corpora: tuple[str, ...] = ()
    seconds: float = 1.0

    @property
    def missing(self) -> tuple[str, ...]:
        """The corpora that are not there."""
        return tuple(each for each in self.corpora if found_corpus(each) is None)


@dataclass(frozen=True, slots=True)
class Experiment:
    """A table or figure of a paper.

    Attributes:
        name: The paper and what of it, such as ``johnson-2001/table-1``.
        title: What it is, in a few words.
        work: Does a part.
        combine: Makes the result of what the parts found, in their order; those whose corpora are
            not there are absent, and there is at least one.
        quick: The parts that show that it works, on what comes with the package.
        full: The parts of the whole.
        differs: PartOptions our corpora differ from the paper's.
        version: To be raised whenever what a part does changes but its arguments do not.
    """

    name: str
    title: str
    work: Callable[[Mapping[str, Any], PartOptions], PartFound]
    combine: Callable[[Sequence[tuple[Part, PartFound]]], Result]
    quick: tuple[Part, ...]
    full: tuple[Part, ...]
    differs: str = ""
    version: int = 1

    @property
    def paper(self) -> str:
        """The paper's name."""
        return self.name.partition("/")[0]

    def parts(self, quick: bool) -> tuple[Part, ...]:
        """Return the parts of a quick run or of the whole."""
        return self.quick if quick else self.full

    def corpora(self, quick: bool) -> tuple[str, ...]:
        """Return the folders of corpora that it reads."""
        return tuple(dict.fromkeys(each for part in self.parts(quick) for each in part.corpora))

    def key(self, part: Part, seed: int, digests: Mapping[str, str]) -> str:
        """Return what tells what a part finds from what it found with anything changed.

        Experiments that do the same work on the same part have the same key.

        Args:
            part: The part.
            seed: Of whatever is drawn.
            digests: By corpus, what its files hold.
        """
        said = {
            "work": [self.work.__module__, self.work.__qualname__, inspect.getsource(self.work)],
            "version": [self.version, version("weft")],
            "arguments": dict(part.arguments),
            "seed": seed,
            "corpora": {each: digests[each] for each in part.corpora},
        }
        text = json.dumps(said, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()

    def result_key(self, files: Sequence[str]) -> str:
        """Return what tells the result of parts that lie in some files from others."""
        source = _digest([Path(inspect.getfile(self.combine))])
        text = json.dumps([self.name, source, *files])
        return hashlib.sha256(text.encode()).hexdigest()


def corpus_digest(name: str) -> str:
    """Return what tells the files of a corpus from others; empty if it is not there."""
    folder = found_corpus(name)
    if folder is None:
        return ""
    return _digest(sorted(each for each in folder.rglob("*") if each.is_file()), folder)


def _digest(files: Sequence[Path], folder: Path | None = None) -> str:
    whole = hashlib.sha256()
    for each in files:
        whole.update(b"" if folder is None else str(each.relative_to(folder)).encode() + b"\0")
        with each.open("rb") as stream:
            whole.update(hashlib.file_digest(stream, "sha256").digest())
    return whole.hexdigest()


def corpus_source(name: str) -> str:
    """Return where a corpus is to be had.

    >>> corpus_source("ewt")
    'github.com/UniversalDependencies/UD_English-EWT'
    """
    known = {each.name.partition("/")[0]: each.source for each in CORPORA}
    return known.get(name.partition("/")[0], "see `weft data list`")
