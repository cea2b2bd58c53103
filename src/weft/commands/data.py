"""The corpora that Weft knows of, and which of them are here."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from weft.corpora import BUNDLED, CORPORA, Corpus, bundled_folder, corpus_path, found_corpus
from weft.errors import WeftError


@dataclass(frozen=True, slots=True)
class Holding:
    """A corpus, and where it lies.

    Attributes:
        corpus: What is known of it.
        path: Its folder on this machine; None if it is not here.
    """

    corpus: Corpus
    path: str | None

    def as_json(self) -> dict[str, Any]:
        """Return everything, ready for JSON."""
        return {**asdict(self.corpus), "found": self.path is not None, "path": self.path}


@dataclass(frozen=True, slots=True)
class Data:
    """The corpora that Weft knows of.

    Attributes:
        folder: The folder that ``WEFT_DATA`` names; None if there is none.
        problem: What is wrong with ``WEFT_DATA`` then, and what to do.
        corpora: The corpora, the one that comes with the package first.
    """

    folder: str | None
    problem: str | None
    corpora: tuple[Holding, ...]

    def as_json(self) -> dict[str, Any]:
        """Return everything, ready for JSON."""
        return {**asdict(self), "corpora": [each.as_json() for each in self.corpora]}


def corpora() -> Data:
    """Return the corpora that Weft knows of, and say which are here.

    >>> corpora().corpora[0].corpus.name
    'english'
    """
    try:
        folder, problem = str(corpus_path()), None
    except WeftError as error:
        folder, problem = None, str(error)
    bundled = Holding(BUNDLED, str(bundled_folder()))
    return Data(folder, problem, (bundled, *map(_holding, CORPORA)))


def _holding(corpus: Corpus) -> Holding:
    path = found_corpus(corpus.name)
    return Holding(corpus, None if path is None else str(path))
