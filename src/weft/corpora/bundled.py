"""The small English corpora that come with the package, and a grammar with its sentences."""

from __future__ import annotations

import io
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from weft.corpora.catalogue import BUNDLED
from weft.corpora.parses.sets import read_parse_sets
from weft.corpora.records import read_examples
from weft.corpora.tags.tagged import Tagged
from weft.errors import OptionError, no_such
from weft.structures.evidence import Example
from weft.structures.parse_set import ParseSet

if TYPE_CHECKING:
    from weft.lfg.marks import Mark

PARTS = ("train", "heldout", "test")
"""The parts of the corpus."""

DOMAINS = ("appointments", "manuals")
"""What the sentences of the lexical-functional grammar are about."""


def bundled_folder() -> Path:
    """Return the folder with the files of the corpus, a file per part.

    >>> sorted(path.name for path in bundled_folder().glob("*.tagged"))
    ['heldout.tagged', 'test.tagged', 'train.tagged']
    """
    return Path(str(resources.files("weft.corpora").joinpath(BUNDLED.name)))


def bundled(part: str) -> list[Example]:
    """Return a part of the English corpus that comes with the package.

    Args:
        part: ``train``, ``heldout`` or ``test``.

    Raises:
        OptionError: If there is no such part.

    >>> bundled("heldout")[0].tokens.source
    'english/heldout.tagged:1'
    """
    if part not in PARTS:
        raise OptionError(no_such("part", part, PARTS))
    path = bundled_folder() / f"{part}.tagged"
    stream = io.BytesIO(path.read_bytes())
    # Sentences say where they come from, and where the package lies is no part of that.
    stream.name = f"{BUNDLED.name}/{path.name}"
    return read_examples(Tagged(), stream)


def bundled_parses() -> Path:
    """Return the file of parse sets that comes with the package.

    >>> bundled_parses().name
    'attachments.jsonl'
    """
    return Path(str(resources.files("weft.corpora").joinpath("parses", "attachments.jsonl")))


def bundled_parse_sets() -> list[ParseSet]:
    """Return a hundred sentences with their analyses by a tiny grammar of English.

    They are ambiguous in where prepositional phrases are attached.

    >>> len(bundled_parse_sets())
    100
    """
    stream = io.BytesIO(bundled_parses().read_bytes())
    stream.name = "parses/attachments.jsonl"
    return list(read_parse_sets(stream))


def bundled_trees() -> Path:
    """Return the file of trees that comes with the package: 63 sentences, many of them with *that*.

    *That* is a complementiser (*we know that sheep sleep*) or a determiner (*we know that sheep
    sleeps*), which only a later word tells; see the guide's page on shift-reduce parsers.

    >>> bundled_trees().name
    'that.mrg'
    """
    return Path(str(resources.files("weft.corpora").joinpath("trees", "that.mrg")))


def bundled_lfg() -> Path:
    """Return the lexical-functional grammar of English that comes with the package.

    >>> bundled_lfg().name
    'english.lfg'
    """
    return Path(str(resources.files("weft.corpora").joinpath("lfg", "english", "english.lfg")))


def bundled_marks(domain: str) -> Path:
    """Return the file with sentences for that grammar, each with a mark of the analysis meant.

    Args:
        domain: ``appointments``, turns of dialogues about them, or ``manuals`` of printers.

    Raises:
        OptionError: If there is no such domain.

    >>> bundled_marks("manuals").name
    'manuals.marks'
    """
    if domain not in DOMAINS:
        raise OptionError(no_such("domain", domain, DOMAINS))
    return Path(str(resources.files("weft.corpora").joinpath("lfg", f"{domain}.marks")))


def bundled_marked(domain: str) -> list[Mark]:
    """Return the sentences of a domain with their marks; see `bundled_marks`.

    >>> bundled_marked("appointments")[0].text
    'Hello, this is Peter Lang.'
    """
    from weft.lfg.marks import read_marks  # what tags words needs no grammars

    path = bundled_marks(domain)
    stream = io.BytesIO(path.read_bytes())
    stream.name = f"lfg/{path.name}"
    return list(read_marks(stream))
