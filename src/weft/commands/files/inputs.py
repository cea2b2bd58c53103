"""What commands are given: models, and files with what is said about their format."""

from __future__ import annotations

import io
import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from weft.corpora import (
    FORMATS,
    TAG_MAPS,
    Attributes,
    Columns,
    Format,
    Text,
    coarse_examples,
    find_format,
    find_tag_map,
    guess_format,
    read_tag_map,
    tag_map_text,
)
from weft.corpora.fields import column_number
from weft.corpora.formats import PLAIN, guess_name, mostly_tagged, suffix_of
from weft.corpora.tags.tagged import SEPARATOR
from weft.errors import FormatError, OptionError
from weft.files import Source, name_of
from weft.grammars.forms.notation import read_grammar
from weft.models.model import Trained
from weft.models.storage import load_model, load_tagger
from weft.models.tagger import Tagger, as_tagger
from weft.structures.evidence import Example
from weft.structures.grammar import Grammar
from weft.structures.stream import Corpus, through

_OPTIONS = ("column", "inputs", "partial", "separator")
_UNIFICATION = (".fcfg", ".patr", ".grm", ".lfg")

StrPath = str | os.PathLike[str]
"""The name of a file."""


def open_model(model: Trained | StrPath, *, max_bytes: int | None = None) -> Trained:
    """Return a model of any kind, read from its file if need be.

    Args:
        model: The model or its file.
        max_bytes: How much memory it may take; see :func:`~weft.models.storage.load_model`.

    Raises:
        MissingFileError: If there is no such file.
        FormatError: If it is no model's, or it takes too much memory.
    """
    if isinstance(model, str | os.PathLike):
        loaded: Trained = load_model(model, max_bytes=max_bytes)
        return loaded
    return model


def open_tagger(model: Tagger | StrPath, *, max_bytes: int | None = None) -> Tagger:
    """Return a tagger, read from its file if need be; see :func:`open_model`.

    Raises:
        MissingFileError: If there is no such file.
        FormatError: If it is no tagger's, or it takes too much memory.
        OptionError: If another model is given.
    """
    if isinstance(model, str | os.PathLike):
        return load_tagger(model, max_bytes=max_bytes)
    return as_tagger(model)


def read_rules(source: Source) -> Grammar:
    """Read a grammar in the notation of :func:`~weft.grammars.read_grammar`.

    Raises:
        FormatError: If it cannot be read; for a unification grammar, it names `weft unify`.
    """
    try:
        return read_grammar(source)
    except FormatError as error:
        name = name_of(source)
        if suffix_of(name).lower() not in _UNIFICATION or not Path(name).is_file():
            raise
        message = f"{error.message}; 'weft unify' reads unification grammars, such as this file"
        raise FormatError(
            message, path=error.path, line=error.line, column=error.column, text=error.text
        ) from None


@dataclass(frozen=True, slots=True)
class FileLayout:
    """What is said about the format of a file; None where nothing is.

    Attributes:
        name: The format's name.
        column: The labelled column.
        inputs: The columns that the model sees.
        partial: Whether labels may be unknown or sets of tags.
        separator: What stands between a word and its tag, in the format ``tagged``.

    >>> FileLayout("conllu", "xpos").format_of("-")
    Conllu(column='xpos', inputs=(), partial=False)
    """

    name: str | None = None
    column: int | str | None = None
    inputs: tuple[int | str, ...] | None = None
    partial: bool | None = None
    separator: str | None = None

    @property
    def options(self) -> list[str]:
        """What is said of words and tags in a file, as options."""
        return [f"--{each}" for each in _OPTIONS if getattr(self, each) is not None]

    def format_of(self, source: Source) -> Format:
        """Return the format that is meant; a file whose format is not named shows it itself.

        Raises:
            OptionError: If there is no such format, or it has no such options.
            FormatError: If the format is not named, and the file does not show it.
        """
        given = {each: getattr(self, each) for each in _OPTIONS if getattr(self, each) is not None}
        spoken = self.column is not None or self.inputs is not None
        named = self.name or (None if self.separator is None else "tagged")
        name = named or guess_name(source, columns=spoken)
        if name == "columns":
            self._check_inputs()
        return find_format(name, **given)

    def _check_inputs(self) -> None:
        if self.column is None or self.inputs is not None or column_number(self.column) != 1:
            return
        message = "the tags are in column 1, and no column before it could hold the words"
        raise OptionError(f"{message}; say where they are, such as --inputs 2")

    def or_else(self, other: FileLayout) -> FileLayout:
        """Return this layout with its gaps filled from another, if that is of the same format.

        >>> FileLayout(column=2).or_else(FileLayout("columns", 3, (1,)))
        FileLayout(name='columns', column=2, inputs=(1,), partial=None, separator=None)
        """
        if self.name not in (None, other.name):
            return self
        given = {key: value for key, value in asdict(self).items() if value is not None}
        return replace(other, **given)


UNSAID = FileLayout()
"""Nothing is said: a file, or the model, tells the format."""


def _name_of(corpus_format: Format) -> str:
    return next(name for name, kind in FORMATS.items() if isinstance(corpus_format, kind))


def notes_of(corpus_format: Format, corpus: Iterable[Example]) -> dict[str, str]:
    """Return what a model keeps of its corpus's layout, so that other files are read likewise."""
    notes = {"format": _name_of(corpus_format)}
    if isinstance(corpus_format, Columns) and corpus_format.inputs is None:
        # Where the last column is labelled, only this tells a file without labels from one with.
        columns = min(len(example.tokens.columns) for example in corpus)
        corpus_format = replace(corpus_format, inputs=tuple(range(1, columns + 1)))
    for option in _OPTIONS:
        value = getattr(corpus_format, option, None)
        if isinstance(value, tuple):
            value = ",".join(map(str, value))
        if value not in (None, "", False) and (option, value) != ("separator", SEPARATOR):
            notes[option] = str(value)
    return notes


def layout_of(trained: Trained) -> FileLayout:
    """Return the layout of the files that a model was trained on, as far as it is known."""
    notes = trained.notes
    inputs = tuple(notes["inputs"].split(",")) if notes.get("inputs") else None
    partial = True if notes.get("partial") == str(True) else None
    separator = notes.get("separator")
    return FileLayout(notes.get("format"), notes.get("column"), inputs, partial, separator)


def read_map(name: StrPath | None) -> dict[str, str] | None:
    """Return a tag map by its name or from its file; None for ``none`` or where none is asked for.

    >>> read_map("penn-17")["NN"], read_map("none")
    ('N', None)
    """
    if name is None or os.fspath(name) == "none":
        return None
    if os.fspath(name) in TAG_MAPS:
        return find_tag_map(os.fspath(name))
    return read_tag_map(name) if Path(name).exists() else find_tag_map(os.fspath(name))


def map_note(name: StrPath | None) -> dict[str, str]:
    """Return what a model keeps of its tag map: its name, or all of it where it is the user's."""
    found = read_map(name)
    if name is None or found is None:
        return {}
    return {"tag_map": os.fspath(name) if os.fspath(name) in TAG_MAPS else tag_map_text(found)}


def gold_map(tagger: Tagger, name: StrPath | None = None) -> dict[str, str] | None:
    """Return the map that makes gold tags those of a tagger: the one named, or its own."""
    kept = tagger.notes.get("tag_map")
    if name is not None or kept is None:
        return read_map(name)
    return find_tag_map(kept) if kept in TAG_MAPS else read_tag_map(io.BytesIO(kept.encode()))


def with_tag_map(corpus: Corpus, tag_map: Mapping[str, str] | None) -> Any:
    """Return a corpus with the tags that a map gives, if there is one."""
    if tag_map is None:
        return corpus
    return through(corpus, lambda some: coarse_examples(some, tag_map))


def labelled_format(layout: FileLayout, source: Source) -> Format:
    """Return the format of a file whose tags are needed.

    A file named as plain text has tags if most of its words do: its reader names those without.

    Raises:
        OptionError: If the format has none.
    """
    if layout.name is None and suffix_of(source) in PLAIN and mostly_tagged(source):
        return replace(layout, name="tagged").format_of(source)
    if is_plain_text(layout, source):
        labelled = ", ".join(name for name, kind in FORMATS.items() if kind is not Text)
        raise OptionError(
            f"{name_of(source)}: plain text has no tags, and here they are needed; give a file in "
            f"one of the formats {labelled}, or name its format with --format"
        )
    return layout.format_of(source)


def is_plain_text(layout: FileLayout, source: Source) -> bool:
    """Whether a file is plain text, as is said or as its name shows."""
    if layout.name is not None or suffix_of(source) not in PLAIN:
        return layout.name == "text"
    return isinstance(layout.format_of(source), Text)


def other_format(layout: FileLayout, source: Source, first: Format) -> Format:
    """Return the format of a file that belongs with another one.

    If none is named, it is what the file shows, with those of the layout's options that it has.
    A file that shows none, such as a pipe, is like the other one.

    Raises:
        FormatError: If only one of the two gives the attributes, which others have from templates.

    >>> other_format(FileLayout(column="2"), "b.tagged", Columns("2"))
    Tagged(separator='/', partial=False)
    """
    if layout.name is not None:
        return first
    try:
        shown = guess_format(source)
    except FormatError:
        return first
    if isinstance(shown, Text):
        return first  # its name shows no more than that it is text, as all of them are
    if isinstance(shown, Attributes) != isinstance(first, Attributes):
        message = "CRFsuite's format and others do not go together; give files of one kind"
        raise FormatError(message, path=name_of(source))
    absent = {option: None for option in _OPTIONS if not hasattr(shown, option)}
    return replace(layout, name=_name_of(shown), **absent).format_of(source)


def finite(number: float) -> float | None:
    """Return a number, or None for what JSON cannot write.

    >>> finite(1.5), finite(-math.inf)
    (1.5, None)
    """
    return number if math.isfinite(number) else None


def check_writable(path: StrPath) -> None:
    """Refuse a place where nothing could be saved, before hours are spent on what to save.

    Raises:
        FormatError: If the folder is missing or read-only, or the path is a folder's.
    """
    folder, name = Path(path).parent, os.fspath(path)
    if not folder.is_dir():
        raise FormatError(f"there is no folder '{folder}'; make it first", path=name)
    if Path(path).is_dir():
        raise FormatError("this is a folder; name a file in it", path=name)
    if not os.access(folder, os.W_OK):
        raise FormatError(f"the folder '{folder}' may not be written to", path=name)
