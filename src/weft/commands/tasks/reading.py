"""What all families read of the files of a request, and remember of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from weft import DISTRIBUTION
from weft.commands.files.inputs import FileLayout, other_format
from weft.commands.request import Request
from weft.corpora import Format, guess_format, read_examples
from weft.corpora.formats import SUFFIXES, suffix_of
from weft.corpora.records import stream_examples
from weft.corpora.tags.tagged import Text
from weft.files import Source, name_of
from weft.structures.evidence import Example
from weft.structures.stream import BUFFER, Corpus, Stream, token_count

OWN: Mapping[str, str] = {
    "dictionary": "dictionary",
    "dictionary_from": "dictionary",
    "spelling": "spelling",
    "terminals": "--terminals, which is for parsers",
    "clean": "--clean, which is for parsers",
    "grammar": "--grammar, which is for parsers",
    "only": "--only, which is for parse sets",
    "skip_broken": "--skip-broken, which is for parse sets",
    "reference": "--reference, which is for parse sets",
    "universe": "--universe, which is for parse sets",
    "tag_map": "--tag-map, which is for taggers",
    "template": "--template, which is for chains",
}
"""The options of a request that are not for every family, as messages call them."""


def gather(request: Request, read: Callable[[], Iterator[Any]]) -> Any:
    """Return the examples of a training file: in memory, or as a stream if that is asked for."""
    return Stream(read, request.buffer or BUFFER) if request.stream else list(read())


def notes_of_files(request: Request, corpus: Corpus) -> dict[str, str]:
    """Return what a model of any family keeps about the files that it comes from."""
    held_out = request.development
    return {
        "settings": ", ".join(f"{key}={value}" for key, value in request.settings.items()),
        "files": ", ".join(Path(name_of(source)).name for source in request.sources),
        "development": "" if held_out is None else Path(name_of(held_out)).name,
        "sentences": str(len(corpus)),
        "tokens": str(token_count(corpus)),
        "weft": version(DISTRIBUTION),
    }


def stream_other(layout: FileLayout, source: Source, first: Format) -> Iterator[Example]:
    """Read a file beside the first; where that is plain text, its name may show its format."""
    if layout.name == "text" and suffix_of(source) in SUFFIXES:
        return stream_examples(guess_format(source), source)
    return stream_examples(other_format(layout, source, first), source)


def read_raw(source: Source) -> list[Example]:
    """Return sentences alone, a line each or as a file's name shows, whatever labels it has."""
    layout = guess_format(source) if suffix_of(source) in SUFFIXES else Text()
    return [replace(example, analysis=None) for example in read_examples(layout, source)]
