"""A kept report beside today's: which figures differ, and which verdicts.

Only the same experiment can be compared: one whose parts have other settings differs as a whole.
Rows and columns of corpora that are not here today are left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from weft.papers.results import show_cell

_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_DECIMALS = re.compile(r"\.(\d+)f")
_RELATIVE = 1e-4  # of numbers that are not shown to so many decimals
_NAMED = 3  # parts, where their settings are others
_ROUNDED = 1.001  # how many last digits two numbers may be apart


class Compared(StrEnum):
    """What is compared."""

    SETTINGS = "settings"
    """The parts of an experiment: its figures are not compared where these are others."""

    FIGURE = "figure"
    """A cell of a table, a title, or what a finding says."""

    VERDICT = "verdict"
    """Whether a finding holds."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference between a kept report and today's.

    Attributes:
        experiment: The name of the experiment.
        place: The cell of a table, the finding, or the experiment as a whole.
        kept: The value in the kept report.
        today: The value today.
        of: Whether it is of settings, a figure or a verdict.
    """

    experiment: str
    place: str
    kept: str
    today: str
    of: Compared = Compared.FIGURE


@dataclass(frozen=True, slots=True)
class Checked:
    """The comparison of a kept report with today's.

    Attributes:
        figures: The number of figures that were compared: cells of tables, and texts of findings.
        verdicts: The number of verdicts that were compared.
        differences: All differences.
        missing: The corpora and packages that are not here, whose figures were left out.
    """

    figures: int
    verdicts: int
    differences: tuple[Difference, ...]
    missing: tuple[str, ...] = ()

    def different(self, of: Compared) -> list[Difference]:
        """Return the differences of one kind."""
        return [each for each in self.differences if each.of is of]

    def as_json(self) -> dict[str, Any]:
        """Return everything, ready for JSON."""
        return asdict(self)


def compare_reports(
    kept: Mapping[str, Any], today: Mapping[str, Any], *, whole: bool = False
) -> Checked:
    """Compare the experiments of today's report with those of a kept one.

    Numbers differ if they are shown with other values, by more than one in the last digit; whole
    numbers and verdicts, if they are not equal.

    Args:
        kept: A report, as it is in JSON.
        today: Today's, of the same kind of run, of some experiments or all.
        whole: Whether today's has all experiments, so that others of the kept one are gone.
    """
    before = {each["name"]: each for each in kept["experiments"]}
    tally = _Tally()
    missing: dict[str, None] = {}
    for each in json.loads(json.dumps(today["experiments"])):
        missing |= dict.fromkeys(each["missing"])
        tally.compare(each["name"], before.pop(each["name"], None), each)
    if whole:
        for name in before:
            tally.compare(name, {}, None)
    return Checked(tally.figures, tally.verdicts, tuple(tally.differences), tuple(missing))


class _Tally:
    """What was compared, and what differs."""

    def __init__(self) -> None:
        self.figures = self.verdicts = 0
        self.differences: list[Difference] = []
        self._name = ""

    def compare(self, name: str, kept: Any, today: Any) -> None:
        """Compare an experiment."""
        self._name = name
        if kept is None or today is None:
            self._differ("the experiment", _there(kept), _there(today), Compared.SETTINGS)
            return
        if changed := _changed_parts(kept["settings"], today["settings"]):
            count = f"{len(kept['settings'])} parts"
            self._differ("the experiment", count, changed, Compared.SETTINGS)
            return
        partial = bool(today["missing"] or today["failed"] or kept["missing"] or kept["failed"])
        nothing: dict[str, Any] = {"tables": [], "findings": []}
        first, second = (each["result"] or nothing for each in (kept, today))
        for title, before, now in _pair_tables(first["tables"], second["tables"]):
            self._table(title, before, now, partial)
        self._findings(first["findings"], second["findings"], partial)

    def _differ(self, place: str, kept: str, today: str, of: Compared = Compared.FIGURE) -> None:
        self.differences.append(Difference(self._name, place, kept, today, of))

    def _absent(self, place: str, kept: Any, today: Any, partial: bool) -> bool:
        """Whether one of two is not there, which is a difference where no corpus is missing."""
        if kept is not None and today is not None:
            return False
        if not partial:
            self._differ(place, _there(kept), _there(today))
        return True

    def _table(self, title: str, kept: Any, today: Any, partial: bool) -> None:
        if self._absent(title, kept, today, partial):
            return
        self._text("title", title, kept["title"], today["title"], partial)
        first, second = _cells(kept), _cells(today)
        for key in dict.fromkeys([*first, *second]):
            place = f"{title}, {key[0]}: {key[1]}"
            before, now = first.get(key), second.get(key)
            if self._absent(place, before, now, partial) or before is None or now is None:
                continue
            self.figures += 1
            if not _same(before[0], now[0], before[1]):
                self._differ(place, show_cell(*before), show_cell(*now))

    def _findings(self, kept: Sequence[Any], today: Sequence[Any], partial: bool) -> None:
        first, second = (
            {(each["claim"], each["corpus"]): each for each in some} for some in (kept, today)
        )
        for key in dict.fromkeys([*first, *second]):
            place = f"{key[0]} ({key[1]})"
            before, now = first.get(key), second.get(key)
            if self._absent(place, before, now, partial) or before is None or now is None:
                continue
            self.verdicts += 1
            if before["verdict"] != now["verdict"]:
                self._differ(place, before["verdict"], now["verdict"], Compared.VERDICT)
            self.figures += 1
            self._text("here", place, before["ours"], now["ours"], False)

    def _text(self, what: str, place: str, kept: str, today: str, partial: bool) -> None:
        if not partial and not same_text(kept, today):
            self._differ(f"{place}: {what}", kept, today)


def _changed_parts(kept: Mapping[str, Any], today: Mapping[str, Any]) -> str:
    """What makes another experiment of it: parts that one lacks, or with other settings."""
    said = []
    for name in dict.fromkeys([*kept, *today]):
        before, now = kept.get(name), today.get(name)
        if before is None or now is None:
            said.append(f"{name} is {'new' if before is None else 'gone'}")
        elif before != now:
            names = [each for each in {**before, **now} if before.get(each) != now.get(each)]
            said.append(f"{name} has another {', '.join(names)}")
    more = f"; and {len(said) - _NAMED} more" if len(said) > _NAMED else ""
    return "; ".join(said[:_NAMED]) + more


def _there(thing: Any) -> str:
    return "—" if thing is None else "there"


def _pair_tables(kept: Sequence[Any], today: Sequence[Any]) -> Iterator[tuple[str, Any, Any]]:
    """Tables of the same title, or of one that differs in its numbers alone."""
    found: dict[int, Any] = {}
    left = list(today)
    for same in (str, _without_numbers):
        for place, each in enumerate(kept):
            titles = [same(other["title"]) for other in left]
            if place not in found and same(each["title"]) in titles:
                found[place] = left.pop(titles.index(same(each["title"])))
    for place, each in enumerate(kept):
        yield each["title"], each, found.get(place)
    for each in left:
        yield each["title"], None, each


def _without_numbers(text: str) -> str:
    return _NUMBER.sub("#", text)


def _cells(table: Any) -> dict[tuple[str, str], tuple[Any, str]]:
    """The cells of a table by row and column, each with the form of its column.

    A row is named by its first cells, those before the first number.
    """
    columns = [(each["name"], each["form"]) for each in table["columns"]]
    named = next((place for place, (_, form) in enumerate(columns) if form), 1) or 1
    if named == len(columns):
        named = 1
    found: dict[tuple[str, str], tuple[Any, str]] = {}
    times: dict[str, int] = {}
    for row in table["rows"]:
        name = " ".join(show_cell(each) for each in row[:named])
        times[name] = times.get(name, 0) + 1
        name += f" ({times[name]})" if times[name] > 1 else ""
        for (column, form), cell in zip(columns[named:], row[named:], strict=True):
            found[name, column] = cell, form
    return found


def _same(kept: Any, today: Any, form: str) -> bool:
    if isinstance(kept, str) and isinstance(today, str):
        return same_text(kept, today)
    if isinstance(kept, str | None) or isinstance(today, str | None):
        return bool(kept == today)
    if isinstance(kept, int) and isinstance(today, int):
        return kept == today
    decimals = _DECIMALS.search(form)
    places = 4 if form == "%" else int(decimals[1]) if decimals else None
    unit = _RELATIVE * abs(kept) if places is None else 10.0**-places
    return bool(abs(kept - today) <= _ROUNDED * unit)


def same_text(kept: str, today: str) -> bool:
    """Whether texts are the same, but for the last digit of the numbers with a point in them.

    >>> same_text("94.19 and 93.70", "94.20 and 93.70"), same_text("5 of 6", "6 of 6")
    (True, False)
    """
    if _without_numbers(kept) != _without_numbers(today):
        return False
    pairs = zip(_NUMBER.findall(kept), _NUMBER.findall(today), strict=True)
    return all(_same_number(before, now) for before, now in pairs)


def _same_number(kept: str, today: str) -> bool:
    first, second = (each.partition(".")[2] for each in (kept, today))
    if not first or len(first) != len(second):
        return kept == today
    apart = abs(float(kept.replace(",", "")) - float(today.replace(",", "")))
    return apart <= _ROUNDED * 10.0 ** -len(first)
