"""Whether marks of meant analyses single out one analysis each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from weft.commands.files.inputs import StrPath
from weft.corpora.parses.marked import marked_sets
from weft.corpora.parses.sets import parse_set_line
from weft.errors import FormatError
from weft.files import name_of, write_text
from weft.lfg.marks import Mark, find_marked, read_marks
from weft.lfg.parser import load_lfg
from weft.reprs import Brief


@dataclass(frozen=True, slots=True, repr=False)
class MarkResult(Brief):
    """How a mark does.

    Attributes:
        mark: The mark.
        analyses: How many analyses the sentence has.
        fitting: The numbers of those that fit, from 0.
        unknown: Words that the grammar does not know.
    """

    mark: Mark
    analyses: int
    fitting: tuple[int, ...]
    unknown: tuple[str, ...] = ()

    @property
    def is_good(self) -> bool:
        """Whether one analysis fits, and no other."""
        return len(self.fitting) == 1

    def as_json(self) -> dict[str, Any]:
        """Return it for programs."""
        return {
            "source": self.mark.source,
            "text": self.mark.text,
            "analyses": self.analyses,
            "fitting": list(self.fitting),
            "unknown": list(self.unknown),
        }

    def problem(self) -> str:
        """Return a line that says what is wrong with the mark."""
        if self.unknown:
            why = f"the grammar does not know {', '.join(self.unknown)}"
        else:
            fitting = len(self.fitting) or "none"
            why = f"{fitting} of {self.analyses:,} analyses fit, and one should"
        return f"{self.mark.source}: {why}: {self.mark.text}"


def check_marks(grammar: StrPath, marks: StrPath, every: int = 1) -> Iterator[MarkResult]:
    """Parse marked sentences and look which analyses fit.

    Args:
        grammar: A file ``.lfg``.
        marks: Marked sentences; see `weft.lfg.marks`.
        every: Of this many sentences, take the first one only.

    Raises:
        FormatError: If a file cannot be read, or there are no marks.
    """
    parser = load_lfg(grammar)
    empty = True
    for mark in islice(read_marks(marks), 0, None, every):
        empty = False
        found = parser.parse(mark.text)
        optimal = found[: found.optimal]
        yield MarkResult(mark, len(optimal), find_marked(mark, optimal), found.unknown)
    if empty:
        raise _no_marks(marks)


def export_marked(grammar: StrPath, marks: StrPath, output: StrPath, every: int = 1) -> int:
    """Write the analyses of marked sentences as parse sets, and return how many.

    Args:
        grammar: A file ``.lfg``.
        marks: Marked sentences; see `weft.lfg.marks`.
        output: The file to write.
        every: Of this many sentences, take the first one only.

    Raises:
        FormatError: If a file cannot be read or written, or there are no marks.
        EvidenceError: If a mark does not single out an analysis.
    """
    count = 0
    parser = load_lfg(grammar)
    with write_text(output) as stream:
        for found in marked_sets(parser, islice(read_marks(marks), 0, None, every)):
            stream.write(parse_set_line(found) + "\n")
            count += 1
        if not count:
            raise _no_marks(marks)
    return count


def _no_marks(path: StrPath) -> FormatError:
    message = "there is no marked sentence here; expected a sentence, and brackets below it"
    return FormatError(message, path=name_of(path))


@dataclass(frozen=True, slots=True, repr=False)
class MarkSummary(Brief):
    """Sentences, those with more than one analysis, and how many analyses both have."""

    sentences: int
    good: int
    ambiguous: int
    analyses: int
    ambiguous_analyses: int
    most: int

    def lines(self) -> Iterator[str]:
        """Yield it for people, a line each."""
        yield f"{self.good:,} of {self.sentences:,} marks single out one analysis."
        yield (
            f"{self.ambiguous:,} sentences are ambiguous; analyses on average: "
            f"{self.analyses / max(1, self.sentences):.2f} of all, "
            f"{self.ambiguous_analyses / max(1, self.ambiguous):.2f} of ambiguous ones, "
            f"at most {self.most:,}."
        )


def summarise_marks(results: list[MarkResult]) -> MarkSummary:
    """Count how marks do, and how ambiguous their sentences are."""
    counts = [each.analyses for each in results]
    several = [count for count in counts if count > 1]
    return MarkSummary(
        sentences=len(results),
        good=sum(each.is_good for each in results),
        ambiguous=len(several),
        analyses=sum(counts),
        ambiguous_analyses=sum(several),
        most=max(counts, default=0),
    )
