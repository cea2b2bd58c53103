"""How a command does what it does, for models of every kind; and what it finds."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from weft.commands.asking import PLAIN, Ask
from weft.commands.files.inputs import UNSAID, FileLayout
from weft.commands.files.recognition import Told
from weft.commands.selecting import Chosen
from weft.models.answers import Decoder
from weft.reprs import Brief


def unheard(message: str) -> None:
    """Tell nobody."""


@dataclass(frozen=True, slots=True, repr=False)
class How(Brief):
    """How a file is read, asked about and answered; each kind of model takes what concerns it.

    Attributes:
        ask: What is asked about each sentence.
        layout: What is said about the file's format.
        chosen: Which parse sets are taken.
        json: Whether answers are written as JSON, an object per sentence.
        indent: Whether trees are written over several lines.
        svg: A folder that trees are drawn in, too.
        inputs: The files that are read, which no drawing may replace.
        force: Whether it may.
        decoder: How answers are chosen that are compared with others.
        tag_map: A map that makes gold tags coarse.
        strict: Whether a gold tag is refused that the dictionary excludes.
        typed: Whether sentences are typed, and so each is answered at once.
        tagger: A tagger whose tags a parser over tags reads, several per word.
        least: How probable such a tag must be; None for what is usual.
        threads: How many threads to use, all by default; no result depends on it.
        told: Told what a user may want to know.
    """

    ask: Ask = PLAIN
    layout: FileLayout = UNSAID
    chosen: Chosen = field(default_factory=Chosen)
    json: bool = False
    indent: bool = False
    svg: Path | None = None
    inputs: tuple[Path, ...] = ()
    force: bool = False
    decoder: Decoder | None = None
    tag_map: str | None = None
    strict: bool = False
    typed: bool = False
    tagger: Any = None
    least: float | None = None
    threads: int | None = None
    told: Told = unheard


class Found(Protocol):
    """What a command has found: for programs here, and for people in :mod:`weft.cli`."""

    def as_json(self) -> dict[str, Any]:
        """Return everything, ready for JSON."""
        ...


class Traced(Found, Protocol):
    """How an answer was come to, step by step."""

    def page(self) -> str:
        """Return an HTML page of its own that is stepped through."""
        ...
