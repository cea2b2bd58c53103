"""Tagged corpora by name, as files of columns that any program can read.

``make`` writes a part of a corpus, a line of JSON per sentence: its columns, words first and tags
last. Reading such a file takes nothing but the standard library, so that the memory of a tool is
measured without what the corpora's own formats need.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from string import ascii_letters, digits
from typing import Any
from zlib import crc32

from benchmarks.job import Result

CORPORA = {
    # the corpus, and the column or layer with its tags
    "english": ("english", ""),
    "ewt upos": ("ewt", "upos"),
    "ewt xpos": ("ewt", "xpos"),
    "ewt upos+feats": ("ewt", "upos+feats"),
    "ewt opaque": ("ewt", "opaque"),
    "ewt positional": ("ewt", "positional"),
    "sequoia upos": ("sequoia", "upos"),
    "sequoia upos+feats": ("sequoia", "upos+feats"),
    "sequoia opaque": ("sequoia", "opaque"),
    "sequoia positional": ("sequoia", "positional"),
    "conll2000 pos": ("conll2000", "pos"),
    "conll2000 chunks": ("conll2000", "chunks"),
    "wsj-sample": ("wsj-sample", ""),
    "craft": ("craft", ""),
}
"""Opaque and positional tags are those of ``upos+feats`` written otherwise: as numbers, of which no
part can be seen, and with a letter for each feature, as in tag sets of Slavic languages."""

CHUNK_DEV = 900
"""How many sentences at the end of CoNLL-2000's training part are its development part."""

Columns = list[list[str]]
"""The columns of a sentence, words first and tags last."""


def make(corpus: str, part: str, path: str) -> Result:
    """Write the sentences of a part of a corpus, a line of JSON each."""
    with Path(path).open("w", encoding="utf-8") as stream:
        for columns in _sentences(*CORPORA[corpus], part):
            stream.write(json.dumps(columns) + "\n")
    return {}


def read(path: str, first: int | None = None) -> list[Columns]:
    """Read the first sentences that :func:`make` wrote, or all."""
    with Path(path).open(encoding="utf-8") as stream:
        return [json.loads(line) for line in islice(stream, first)]


def _sentences(corpus: str, tags: str, part: str) -> Iterator[Sequence[Sequence[str]]]:
    if corpus == "conll2000":
        yield from _conll2000(tags, part)
        return
    rewritten = {"opaque": _opaque, "positional": _positional}.get(tags)
    for each in _examples(corpus, "upos+feats" if rewritten else tags, part):
        yield each.tokens.words, each.analysis if not rewritten else rewritten(each.analysis)


def _examples(corpus: str, column: str, part: str) -> list[Any]:
    from weft.corpora import Conllu, part_files, read_examples, read_part

    if not column:
        return read_part(corpus, part)
    return [one for file in part_files(corpus, part) for one in read_examples(Conllu(column), file)]


def _conll2000(tags: str, part: str) -> Iterator[Sequence[Sequence[str]]]:
    from benchmarks.data import CONLL2000, sentences

    found = sentences(CONLL2000, "test" if part == "test" else "train")
    if part != "test":
        found = found[-CHUNK_DEV:] if part == "dev" else found[:-CHUNK_DEV]
    for each in found:
        yield (each.words, each.pos) if tags == "pos" else each


def _opaque(tags: Sequence[str]) -> list[str]:
    return [f"T{crc32(tag.encode())}" for tag in tags]


def _positional(tags: Sequence[str]) -> list[str]:
    return ["".join(_letters(tag)) for tag in tags]


_PLACES = [
    "Case",
    "Number",
    "Gender",
    "Person",
    "Tense",
    "VerbForm",
    "Mood",
    "Voice",
    "Degree",
    "Definite",
    "PronType",
    "NumType",
    "Poss",
    "Polarity",
    "Reflex",
    "Abbr",
    "Foreign",
    "Typo",
    "NumForm",
    "Style",
    "ExtPos",
    "CorrectForm",
    "Emph",
    "Number[psor]",
    "Person[psor]",
]


def _letters(tag: str) -> Iterator[str]:
    """A letter for the part of speech, and one for each feature, or a hyphen."""
    upos, *features = tag.replace("+", "|").split("|")
    known = dict(each.split("=", 1) for each in features if "=" in each)
    for value in (upos, *(known.get(name) for name in _PLACES)):
        signs = ascii_letters + digits
        yield "-" if value is None else signs[crc32(value.encode()) % len(signs)]
