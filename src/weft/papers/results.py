"""What an experiment found: tables, pictures, and findings with a verdict that is computed.

A *finding* is what a paper says of its corpora, asked again of ours. What answers it is a paired
test, or a check that holds or does not. :func:`judge` is the one place in which a verdict is made.

Everything here is ready for JSON, and read back from it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from weft.evaluate.significance import PairedTest
from weft.report.tables import Cell

LEVEL = 0.05
"""A difference with a larger p is not significant."""


class Verdict(StrEnum):
    """Whether a finding of a paper is one here."""

    HOLDS = "holds"
    FAILS = "does not hold"
    OPEN = "not significant"


@dataclass(frozen=True, slots=True)
class Gain:
    """By how much one system is better than another, on the same sentences.

    Attributes:
        difference: What was said to be better minus the other.
        low: The lower end of its 95 % interval, by the bootstrap.
        high: The upper end.
        p_value: How probable so large a difference is by chance, two-sided.
    """

    difference: float
    low: float
    high: float
    p_value: float


def gain_of(test: PairedTest, *, bootstrap: bool = False) -> Gain:
    """Return the gain of the second of two systems over the first.

    Args:
        test: How they were compared.
        bootstrap: Whether p is the bootstrap's, as where the paper took that, or of swaps.
    """
    p_value = test.bootstrap_p_value if bootstrap else test.p_value
    return Gain(test.difference, test.low, test.high, p_value)


def judge(gain: Gain | None, holds: bool | None = None) -> Verdict:
    """Return the verdict on a finding.

    Args:
        gain: By how much what should be better is, by a paired test; None for a mere check.
        holds: Whether the check holds; without a test, None means that it could not be made.

    >>> judge(Gain(0.02, 0.01, 0.03, 0.001)), judge(Gain(0.02, -0.01, 0.05, 0.2))
    (<Verdict.HOLDS: 'holds'>, <Verdict.OPEN: 'not significant'>)
    >>> judge(Gain(-0.02, -0.03, -0.01, 0.001)), judge(None, True)
    (<Verdict.FAILS: 'does not hold'>, <Verdict.HOLDS: 'holds'>)
    """
    if gain is None:
        return Verdict.OPEN if holds is None else Verdict.HOLDS if holds else Verdict.FAILS
    if not gain.p_value < LEVEL or gain.difference == 0:
        return Verdict.OPEN
    return Verdict.HOLDS if gain.difference > 0 else Verdict.FAILS


@dataclass(frozen=True, slots=True)
class Finding:
    """What a paper says, and what is so here.

    Attributes:
        claim: What is said.
        corpus: What it is asked of here.
        paper: The paper's own figures; empty where the question is ours.
        ours: Ours.
        gain: The paired test, if it is answered by one.
        holds: Whether it holds, if it is answered by a check.
        unit: What the gain is of, and what it is multiplied by to be shown.
    """

    claim: str
    corpus: str
    paper: str
    ours: str
    gain: Gain | None = None
    holds: bool | None = None
    unit: str = "points"

    @property
    def verdict(self) -> Verdict:
        """Whether it holds here."""
        return judge(self.gain, self.holds)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes:
        name: What stands above it.
        form: How its numbers are written: ``%`` for shares in per cent, or as :func:`format` takes
            it; by default as they are.
    """

    name: str
    form: str = ""


@dataclass(frozen=True, slots=True)
class ResultTable:
    """A table: its title, its columns, and a cell per column and row."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture: what it shows, and the text of an SVG file."""

    title: str
    svg: str


@dataclass(frozen=True, slots=True)
class Result:
    """What an experiment found.

    Attributes:
        tables: Its tables.
        pictures: Its pictures.
        findings: What was asked, with the answers.
        notes: How the corpora differ from the paper's, and what else must be known.
    """

    tables: tuple[ResultTable, ...] = ()
    pictures: tuple[Picture, ...] = ()
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return everything, ready for JSON, the verdicts, too."""
        findings = [{**asdict(each), "verdict": str(each.verdict)} for each in self.findings]
        return {**asdict(self), "findings": findings}


def make_table(
    title: str, columns: Mapping[str, str], rows: Iterable[Sequence[Any]]
) -> ResultTable:
    """Return a table of columns, each with the form of its numbers, and rows.

    >>> made = make_table("Accuracy", {"model": "", "right": "%"}, [("crf", 0.9444)])
    >>> [show_cell(cell, column.form) for cell, column in zip(made.rows[0], made.columns)]
    ['crf', '94.44']
    """
    listed = tuple(tuple(_finite(cell) for cell in row) for row in rows)
    named = tuple(Column(name, form) for name, form in columns.items())
    for row in listed:
        if len(row) != len(named):
            raise ValueError(f"{title}: {len(named)} columns, but a row of {len(row)}")
    return ResultTable(title, named, listed)


def _finite(cell: Cell) -> Cell:
    """JSON has no infinity."""
    if isinstance(cell, float) and not math.isfinite(cell):
        return "—" if math.isnan(cell) else "∞" if cell > 0 else "−∞"
    return cell


def show_cell(cell: Cell, form: str = "") -> str:
    """Return what is shown of a cell.

    >>> show_cell(None), show_cell(0.5, "%"), show_cell(12345, ",d"), show_cell("text", ".2f")
    ('—', '50.00', '12,345', 'text')
    """
    if cell is None:
        return "—"
    if isinstance(cell, str):
        return cell
    if form == "%":
        return f"{100 * cell:.2f}"
    return format(cell, form) if form else f"{cell:,}" if isinstance(cell, int) else f"{cell:g}"


def show_gain(finding: Finding) -> tuple[str, str, str]:
    """Return the difference, its interval and p of a finding, as they are shown.

    >>> made = Finding("a > b", "english", "", "", Gain(0.0123, -0.001, 0.02, 0.00009))
    >>> show_gain(made)
    ('+1.23', '−0.10 to +2.00', '< 0.001')
    """
    gain = finding.gain
    if gain is None:
        return "", "", ""
    scale = 100 if finding.unit == "points" else 1
    first, low, high = (
        f"{scale * each:+.2f}".replace("-", "−") for each in (gain.difference, gain.low, gain.high)
    )
    return first, f"{low} to {high}", show_p(gain.p_value)


def show_p(p_value: float) -> str:
    """Return a p-value as it is shown.

    >>> show_p(0.0423), show_p(0.0002)
    ('0.042', '< 0.001')
    """
    return f"{p_value:.3f}" if p_value >= 0.001 else "< 0.001"


def read_result(found: Mapping[str, Any]) -> Result:
    """Return the result that :meth:`Result.as_json` wrote."""
    findings = []
    for each in found["findings"]:
        fields = {name: value for name, value in each.items() if name != "verdict"}
        gain = fields.pop("gain")
        findings.append(Finding(**fields, gain=None if gain is None else Gain(**gain)))
    tables = [
        ResultTable(
            each["title"],
            tuple(Column(**column) for column in each["columns"]),
            tuple(map(tuple, each["rows"])),
        )
        for each in found["tables"]
    ]
    pictures = [Picture(**each) for each in found["pictures"]]
    return Result(tuple(tables), tuple(pictures), tuple(findings), tuple(found["notes"]))
