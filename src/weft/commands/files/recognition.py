"""The format of a file that a model is given: its own, or another that the file shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from weft.commands.files.inputs import UNSAID, FileLayout, labelled_format, layout_of
from weft.corpora import Columns, Format
from weft.corpora.beginnings import beginning
from weft.corpora.formats import (
    SUFFIXES,
    check_sentences,
    looks_like,
    may_be_sentences,
    suffix_of,
)
from weft.errors import FormatError, quote
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
        other, source = _other(trained, layout.or_else(known), source, told)
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
    path, suffix = name_of(source), suffix_of(source)
    named = SUFFIXES.get(suffix)
    if named is not None and suffix == suffix_of(first):
        named = known.name  # as in training
    lines, source = beginning(source)
    shown = named or _shown(known, lines)
    if (shown or known.name) in _SENTENCES_IN_LINES:
        check_sentences(lines, path, known.separator)
    elif shown is None and known.name == "columns":
        if may_be_sentences(lines):
            _check_columns(trained, known.format_of(source), lines, path)
        if told is not None and _is_ragged(lines):
            told(
                f"{path}: read as columns, a line per token, as the model was trained; "
                "if these are lines of text, give --format text"
            )
    if shown is not None and shown != known.name and known.name == "crfsuite":
        _refuse(shown, path)
    return (None if shown == known.name else shown), source


def _shown(known: FileLayout, lines: Sequence[str]) -> str | None:
    """The format that lines certainly are in, where it is not the known one."""
    shown = looks_like(lines)
    if known.name == "crfsuite":
        # Nothing but a label in every line: these are words.
        without = lines and not any("\t" in line for line in lines)
        return shown if shown == "conllu" else "text" if without else None
    if shown == "columns":
        return None  # as any text does whose sentences are of one length
    if shown == "tagged" and known.name == "text":
        return None  # whose words may well have slashes
    if shown == "conllu" and known.name == "columns" and (known.inputs or ("1",))[0] != "1":
        return None  # it was read as columns in training
    return shown


def _check_columns(trained: Trained, columns: Format, lines: Sequence[str], path: str) -> None:
    """Refuse lines that may be sentences, if words of theirs would be replaced by tags."""
    tags = getattr(trained.model, "tags", None)
    if tags is None or not isinstance(columns, Columns):
        return
    found = columns.replaced(lines)
    lost = [each for each in found if each.isalpha() and not each.isupper()]
    if lost and found.isdisjoint(tags):
        raise FormatError(
            "these lines may be columns, as the model was trained on, or sentences: where tags "
            f"would be written, there is {quote(min(lost))}, which is none of the model's tags; "
            "name the format with --format columns or --format text",
            path=path,
        )


def _is_ragged(lines: Sequence[str]) -> bool:
    """Whether what would be columns has lines of any length, as sentences have."""
    widths = {len(line.split()) for line in lines if line.strip()}
    return len(widths) > 1 and looks_like(lines) is None and not any("\t" in each for each in lines)


def _refuse(shown: str, path: str) -> None:
    raise FormatError(
        f"the model was trained on attributes that were given, and this is read as {shown}, which "
        "has none; give a file with the same attributes in CRFsuite's format, or train a model "
        "on words",
        path=path,
    )
