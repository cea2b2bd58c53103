"""Experiments: a table or figure of a paper, and how it is made anew, part by part.

An experiment is divided into *parts*, each of which is worked on by itself: a corpus, a fold, or a
row of a table. What a part found is kept, so that a run that was ended goes on where it was. All
settings are the arguments of the parts, which stand in the program: nothing is chosen after the
test part of a corpus was read.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from weft.corpora.catalogue import CORPORA
from weft.corpora.locate import found_corpus
from weft.kernels import kernels
from weft.papers.results import Result

PartFound = dict[str, Any]
"""What a part found, ready for JSON."""

_PACKAGE = Path(__file__).parents[1]

PACKAGES = {"PyDelphin": ("delphin", "pip install pydelphin")}
"""Packages that Weft does without: what each is imported as, and how to install it."""

READERS = {"hpsg-profiles": "PyDelphin"}
"""By corpus, the package that its reader needs."""


@dataclass(frozen=True, slots=True)
class PartOptions:
    """What every part is told.

    Attributes:
        seed: Of whatever is drawn.
        threads: How many to use; no result depends on it.
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
        """The corpora that are not there, and the packages that would read those that are."""
        absent = [each for each in self.corpora if found_corpus(each) is None]
        needed = [READERS[each] for each in self.corpora if each in READERS]
        absent += [each for each in needed if find_spec(PACKAGES[each][0]) is None]
        return tuple(absent)


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
        differs: How our corpora differ from the paper's in a full run, if they do.
        differs_quick: The same of a quick run.
    """

    name: str
    title: str
    work: Callable[[Mapping[str, Any], PartOptions], PartFound]
    combine: Callable[[Sequence[tuple[Part, PartFound]]], Result]
    quick: tuple[Part, ...]
    full: tuple[Part, ...]
    differs: str = ""
    differs_quick: str = ""

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
            "work": [self.work.__module__, self.work.__qualname__],
            "program": program_digest(),
            "arguments": dict(part.arguments),
            "seed": seed,
            "corpora": {each: digests[each] for each in part.corpora},
        }
        text = json.dumps(said, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()

    def result_key(self, files: Sequence[str]) -> str:
        """Return what tells the result of parts that lie in some files from others."""
        text = json.dumps([self.name, program_digest(), *files])
        return hashlib.sha256(text.encode()).hexdigest()


def corpus_digest(name: str) -> str:
    """Return what tells the files of a corpus from others; empty if it is not there."""
    folder = found_corpus(name)
    return "" if folder is None else _digest(folder)


@cache
def program_digest() -> str:
    """Return what tells this program from others: its sources, native module and data."""
    native = kernels.__file__  # it need not lie beside the sources
    return _digest(_PACKAGE, [] if native is None else [Path(native)])


def _digest(folder: Path, more: Sequence[Path] = ()) -> str:
    files = [each for each in folder.rglob("*") if each.is_file() and each.suffix != ".pyc"]
    named = [(str(each.relative_to(folder)), each) for each in sorted(files)]
    whole = hashlib.sha256()
    for name, each in [*named, *((own.name, own) for own in more)]:
        whole.update(name.encode() + b"\0")
        with each.open("rb") as stream:
            whole.update(hashlib.file_digest(stream, "sha256").digest())
    return whole.hexdigest()


def missing_thing(name: str) -> str:
    """Return how a message names a corpus or a package that is missing.

    >>> missing_thing("ewt"), missing_thing("PyDelphin")
    ('the corpus ewt', 'the package PyDelphin')
    """
    return f"the {'package' if name in PACKAGES else 'corpus'} {name}"


def source_of(name: str) -> str:
    """Return where to get a corpus or a package.

    >>> source_of("ewt"), source_of("PyDelphin")
    ('github.com/UniversalDependencies/UD_English-EWT', 'pip install pydelphin')
    """
    if name in PACKAGES:
        return PACKAGES[name][1]
    known = {each.name.partition("/")[0]: each.source for each in CORPORA}
    return known.get(name.partition("/")[0], "see `weft data list`")
