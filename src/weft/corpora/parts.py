"""The parts of the corpora that experiments use: training, development and test.

    english      train / heldout / test, as they come with the package
    wsj-sample   files 0001–0159 / 0160–0179 / 0180–0199, Penn tags at the leaves of the trees
    wsj-tenths   all its files, the first eight tenths of the sentences / the ninth / the last
    craft        the articles that its folder ``ids`` lists, likewise
    ewt          its three files, Penn tags in the column XPOS
    sequoia      its three files, universal tags in the column UPOS

Sentences are in the order of the files, and files in the order of their numbers or of the list.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from weft.corpora.bundled import bundled, bundled_folder
from weft.corpora.catalogue import BUNDLED
from weft.corpora.locate import corpus_folder, corpus_path
from weft.corpora.records import Format, read_examples
from weft.corpora.tags.conllu import Conllu
from weft.corpora.trees.brackets import Brackets
from weft.errors import FormatError, OptionError, no_such, quote
from weft.files import read_lines
from weft.structures.evidence import Example

PARTS = ("train", "dev", "test")
"""The parts that every corpus here has."""

_WSJ_FILES = {"train": range(1, 160), "dev": range(160, 180), "test": range(180, 200)}
_TENTHS = "wsj-tenths"
_TENTHS_OF = {"train": (0, 8), "dev": (8, 9), "test": (9, 10)}
_BUNDLED_PARTS = {"train": "train", "dev": "heldout", "test": "test"}

ItemT = TypeVar("ItemT")


def read_part(corpus: str, part: str) -> list[Example]:
    """Return the tagged sentences of a part of a corpus.

    Args:
        corpus: ``english``, which comes with the package; or ``wsj-sample`` (also divided as
            ``wsj-tenths``), ``craft``, ``ewt`` or ``sequoia``, below the folder that
            ``WEFT_DATA`` names.
        part: ``train``, ``dev`` or ``test``.

    Raises:
        OptionError: If there is no such corpus or part.
        FormatError: If a file is absent or broken.
        WeftError: If ``WEFT_DATA`` names no folder, or one without the corpus.

    >>> len(read_part("english", "test"))
    139
    """
    files = part_files(corpus, part)
    if corpus == BUNDLED.name:
        return bundled(_BUNDLED_PARTS[part])
    found = [example for file in files for example in read_examples(_FORMATS[corpus], file)]
    return tenth_of(corpus, part, found)


def tenth_of(corpus: str, part: str, found: list[ItemT]) -> list[ItemT]:
    """Return a part's share of what its files have: all, unless the corpus is cut into tenths.

    >>> tenth_of("wsj-tenths", "dev", list(range(20))), tenth_of("craft", "dev", [1, 2])
    ([16, 17], [1, 2])
    """
    if corpus != _TENTHS:
        return found
    first, last = _TENTHS_OF[part]
    return found[len(found) * first // 10 : len(found) * last // 10]


def part_files(corpus: str, part: str) -> list[Path]:
    """Return the files of a part of a corpus, for the arguments and errors of :func:`read_part`.

    >>> [path.name for path in part_files("english", "dev")]
    ['heldout.tagged']
    """
    if corpus not in _FILES:
        names = ", ".join(_FILES)
        raise OptionError(
            f"there are no parts of a corpus {quote(corpus)}; there are those of {names}"
        )
    if part not in PARTS:
        raise OptionError(no_such("part", part, PARTS))
    if corpus != BUNDLED.name:
        corpus_folder("wsj-sample" if corpus == _TENTHS else corpus)
    return _FILES[corpus](part)


def _bundled_files(part: str) -> list[Path]:
    return [bundled_folder() / f"{_BUNDLED_PARTS[part]}.tagged"]


def _wsj_files(part: str) -> list[Path]:
    folder = corpus_path("wsj-sample", "combined")
    return [folder / f"wsj_{number:04}.mrg" for number in _WSJ_FILES[part]]


def _all_wsj_files(part: str) -> list[Path]:  # noqa: ARG001
    return [path for each in PARTS for path in _wsj_files(each)]


def _craft_files(part: str) -> list[Path]:
    listed = corpus_path("craft", "ids", f"craft-ids-{part}.txt")
    names = [(number, line.strip(" \t")) for number, line in read_lines(listed)]
    for number, name in names:
        # Names become paths: nothing but a number is let through.
        if name and not (name.isascii() and name.isdigit()):
            message = f"expected the number of an article but found {quote(name)}; restore the list"
            raise FormatError(message, path=str(listed), line=number)
    return [corpus_path("craft", "penn", f"{name}.tree") for _, name in names if name]


def _ewt_files(part: str) -> list[Path]:
    return [corpus_path("ewt", f"en_ewt-ud-{part}.conllu")]


def _sequoia_files(part: str) -> list[Path]:
    return [corpus_path("sequoia", f"fr_sequoia-ud-{part}.conllu")]


_FILES: Mapping[str, Callable[[str], list[Path]]] = {
    BUNDLED.name: _bundled_files,
    "wsj-sample": _wsj_files,
    _TENTHS: _all_wsj_files,
    "craft": _craft_files,
    "ewt": _ewt_files,
    "sequoia": _sequoia_files,
}
_FORMATS: Mapping[str, Format] = {
    "wsj-sample": Brackets(),
    _TENTHS: Brackets(),
    "craft": Brackets(),
    "ewt": Conllu("xpos"),
    "sequoia": Conllu("upos"),
}

DIVIDED = tuple(_FILES)
"""The corpora with parts."""
