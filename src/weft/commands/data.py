"""The corpora that Weft knows of, and which of them are here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weft.corpora import BUNDLED, CORPORA, Corpus, bundled_folder, corpus_path, found_corpus
from weft.corpora.sources import ADDRESSES, Address
from weft.errors import OptionError, WeftError, no_such
from weft.reprs import Brief

if TYPE_CHECKING:
    from weft.corpora.fetching import Fetched


@dataclass(frozen=True, slots=True, repr=False)
class Holding(Brief):
    """A corpus, and where it lies.

    Attributes:
        corpus: What is known of it.
        path: Its folder on this machine; None if it is not here.
    """

    corpus: Corpus
    path: str | None

    def as_json(self) -> dict[str, Any]:
        """Return everything, ready for JSON."""
        here = {"found": self.path is not None, "path": self.path}
        return {**asdict(self.corpus), **here, "fetched_from": self.addresses}

    @property
    def addresses(self) -> list[str]:
        """Where :func:`fetch` finds it; nothing if it cannot."""
        found = ADDRESSES.get(self.corpus.name)
        return [] if found is None else [each.url for each in found.downloads]


@dataclass(frozen=True, slots=True, repr=False)
class Data(Brief):
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


def fetch(
    name: str,
    *,
    out: str | Path | None = None,
    force: bool = False,
    tell: Callable[[str], None] = lambda _: None,
) -> Fetched:
    """Fetch a corpus over HTTPS, check its files, and put them into its folder.

    Args:
        name: Its name in the catalogue.
        out: The folder; by default the one of this name below ``WEFT_DATA``.
        force: Replace the folder, if it is empty or has files of a fetched corpus only.
        tell: Called with each address before it is asked.

    Raises:
        OptionError: If there is no such corpus, or it cannot be fetched.
        WeftError: If ``WEFT_DATA`` names no folder and ``out`` is not given, or if the corpus
            cannot be fetched or checked; see :func:`weft.corpora.fetching.fetch`.

    >>> fetch("conll2003")
    Traceback (most recent call last):
    weft.errors.OptionError: there is no corpus 'conll2003': did you mean conll2000? There are
    wsj-sample/combined, conll2000, ewt, sequoia, grammars
    """
    from weft.corpora import fetching

    address = _address(name)
    folder = corpus_path(name) if out is None else Path(out)
    return fetching.fetch(address, folder, force=force, tell=tell)


def _address(name: str) -> Address:
    if name in ADDRESSES:
        return ADDRESSES[name]
    if name == BUNDLED.name:
        raise OptionError(f"{name} comes with Weft: `weft data list` says where")
    for corpus in CORPORA:
        if corpus.name == name:
            raise OptionError(
                f"{name} has no address to fetch it from; get it from {corpus.source}"
            )
    raise OptionError(no_such("corpus", name, ADDRESSES))
