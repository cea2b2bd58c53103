"""Tagging dictionaries: which tags a word may have, as lines ``word<TAB>TAG TAG …``."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping

from weft.corpora.blocks import read_single_lines
from weft.corpora.fields import split_fields
from weft.errors import FormatError, quote
from weft.files import Source, write_text


def read_dictionary(source: Source) -> dict[str, frozenset[str]]:
    r"""Read a tagging dictionary; a word that comes twice has the tags of both lines.

    Raises:
        FormatError: At a line without a tab, a word or a tag.

    >>> import io
    >>> sorted(read_dictionary(io.BytesIO(b"time\tNN VB\n"))["time"])
    ['NN', 'VB']
    """
    found: dict[str, set[str]] = {}
    for block in read_single_lines(source):
        word, tab, text = block.lines[0].partition("\t")
        tags = frozenset(filter(None, split_fields(text.replace("\t", " "))))
        if not tab or not word or not tags:
            missing = "tab" if not tab else "tag" if word else "word"
            message = f"expected a word, a tab and tags, but there is no {missing}"
            raise block.error(0, f"{message}; write 'word<TAB>TAG TAG …'")
        found.setdefault(word, set()).update(tags)
    return {word: frozenset(several) for word, several in found.items()}


def write_dictionary(
    path: str | os.PathLike[str], dictionary: Mapping[str, Collection[str]]
) -> None:
    r"""Write a tagging dictionary, its words in their order, the tags of each sorted.

    Raises:
        FormatError: If a word or tag cannot be written, and then nothing is.

    >>> write_dictionary("-", {"time": {"VB", "NN"}})
    time	NN VB
    """
    with write_text(path) as stream:
        for word, tags in dictionary.items():
            _check_entry(os.fspath(path), word, tags)
            stream.write(f"{word}\t{' '.join(sorted(tags))}\n")


def _check_entry(path: str, word: str, tags: Collection[str]) -> None:
    if not word or not tags or any(mark in word for mark in "\t\n"):
        message = (
            f"the word {quote(word)} cannot be written: it needs a tag, and no tab or line end"
        )
        raise FormatError(message, path=path)
    for tag in tags:
        if not tag or any(mark in tag for mark in " \t\n"):
            message = (
                f"the tag {quote(tag)} of {quote(word)} cannot be written: it needs a "
                "character, no space"
            )
            raise FormatError(message, path=path)
