"""The format of a file that a model is given: its own, or another that the file shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from weft.commands.files.inputs import UNSAID, FileLayout, labelled_format, layout_of
from weft.corpora import Format
from weft.corpora.beginnings import beginning
from weft.corpora.fields import column_number
from weft.corpora.formats import SUFFIXES, looks_like, suffix_of
from weft.errors import FormatError
from weft.files import Source, name_of
from weft.models.model import Trained

Told = Callable[[str], None]
"""Told what a user may want to know."""

_SENTENCES_IN_LINES = ("tagged", "text")


@dataclass(frozen=True, slots=True)
class Recognised:
    """How a file is read.

    Attributes:
        corpus_format: Its format.
        source: What to read it from: where it was given as a stream, its beginning was looked at.
    """

    corpus_format: Format
    source: Source


def recognise(
    trained: Trained,
    source: Source,
    layout: FileLayout = UNSAID,
    *,
    labelled: bool = False,
    told: Told | None = None,
) -> Recognised:
    """Return how a file is read that a model is given.

    It is read in the format that is named; else in that of the training corpus, unless the file's
    name or its first lines show that it is in another.

    Args:
        trained: The model.
        source: The file; of a stream, no more than it has at once is looked at.
        layout: What is said about the format.
        labelled: Whether the labels are needed.
        told: Told which format was taken, if that is not the training corpus's.

    Raises:
        OptionError: If there is no such format, or it has no such options or labels.
        FormatError: If the model needs attributes that the file cannot have, or nothing shows
            what the file is.
    """
    known = layout_of(trained)
    other = None
    if layout.name is None and known.name is not None:
        other, source = _other(trained, known, source, told)
    if other is not None:
        if told is not None:
            told(f"{name_of(source)}: read as {other}; the model was trained on {known.name}")
        known = FileLayout(other)
    elif labelled and known.name == "text":
        # A model of plain text has seen no tags; a file that has them shows its own format.
        known = UNSAID
    asked = layout.or_else(known)
    chosen = labelled_format(asked, source) if labelled else asked.format_of(source)
    return Recognised(chosen, source)


def _other(
    trained: Trained, known: FileLayout, source: Source, told: Told | None
) -> tuple[str | None, Source]:
    """The format that a file shows if it is not the training corpus's; and the file."""
    first = trained.notes.get("files", "").partition(", ")[0]
    suffix = suffix_of(source)
    shown = SUFFIXES.get(suffix)
    if suffix == suffix_of(first) and shown is not None:
        return None, source
    if shown is None:
        lines, source = beginning(source)
        shown = _shown(known, lines, name_of(source))
        if shown is None and told is not None and _may_be_text(known, lines):
            told(
                f"{name_of(source)}: read as columns, a line per token, as the model was trained; "
                "if these are lines of text, give --format text"
            )
    if shown is not None and shown != known.name and known.name == "crfsuite":
        _refuse(shown, name_of(source))
    return (None if shown == known.name else shown), source


def _shown(known: FileLayout, lines: Sequence[str], path: str) -> str | None:
    """The format that lines certainly are in, where it is not the known one."""
    shown = looks_like(lines)
    if known.name == "crfsuite":
        # Nothing but a label in every line: these are words.
        without = lines and not any("\t" in line for line in lines)
        return shown if shown == "conllu" else "text" if without else None
    if shown == "columns":
        if known.name in _SENTENCES_IN_LINES and all("\t" in line for line in lines if line):
            message = f"this looks like columns, but the model was trained on {known.name}"
            raise FormatError(
                f"{message}; name the format with --format, and its words with --inputs 1 if it "
                "has columns",
                path=path,
            )
        return None  # as any text does whose sentences are of one length
    if shown == "tagged" and known.name == "text":
        return None  # whose words may well have slashes
    if shown == "conllu" and known.name == "columns" and (known.inputs or ("1",))[0] != "1":
        return None  # it was read as columns in training
    return shown


def _may_be_text(known: FileLayout, lines: Sequence[str]) -> bool:
    """Whether what would be columns has lines as sentences have: one, or several of any length."""
    widths = [len(line.split()) for line in lines if line.strip()]
    if known.name != "columns" or not widths or any("\t" in line for line in lines):
        return False
    inputs = max(map(int, known.inputs or ("1",)))
    tags = column_number(known.column) if known.column is not None else -1
    seen = max(inputs, tags) if tags > 0 else inputs - tags
    return len(set(widths)) > 1 or (len(widths) == 1 and widths[0] > seen)


def _refuse(shown: str, path: str) -> None:
    raise FormatError(
        f"the model was trained on attributes that were given, and this is read as {shown}, which "
        "has none; give a file with the same attributes in CRFsuite's format, or train a model "
        "on words",
        path=path,
    )
