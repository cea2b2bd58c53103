"""The report in Markdown, with pictures in files beside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from weft.papers.pages.outcomes import Reproduced, Reproduction
from weft.papers.pages.words import READING, TITLE, TOO_SMALL, about, remarks, tally
from weft.papers.results import Finding, ResultTable, show_cell, show_gain

FINDINGS = ("finding", "corpus", "verdict", "paper", "here", "difference", "95 % interval", "p")
"""The columns of a table of findings."""


def markdown_report(made: Reproduction, papers: Mapping[str, str]) -> str:
    """Return the report in Markdown.

    Args:
        made: What was run.
        papers: By name, what each paper is called.
    """
    return "\n".join(_lines(made, papers)) + "\n"


def picture_name(outcome: Reproduced, number: int) -> str:
    """Return the name of the file with a picture, below the folder of the report."""
    return f"figures/{outcome.name.replace('/', '.')}.{number}.svg"


def _lines(made: Reproduction, papers: Mapping[str, str]) -> Iterator[str]:
    yield from (f"# {TITLE}", "", about(made), "", tally(made), "")
    if made.quick:
        yield from (TOO_SMALL, "")
    yield from (READING, "")
    for paper, title in papers.items():
        several = [each for each in made.outcomes if each.paper == paper]
        if several:
            yield from (f"## {title}", "")
        for outcome in several:
            yield from _outcome(outcome)


def _outcome(outcome: Reproduced) -> Iterator[str]:
    yield from (f"### {outcome.title}", "", f"`weft reproduce {outcome.name}`", "")
    for remark in remarks(outcome):
        yield from (remark, "")
    if outcome.result is None:
        return
    for table in outcome.result.tables:
        yield from (f"**{table.title}**", "", *_table(table), "")
    for number, picture in enumerate(outcome.result.pictures, 1):
        name = picture_name(outcome, number)
        yield from (f"![{picture.title}]({name})", "", f"*{picture.title}*", "")
    if outcome.result.findings:
        rows = [finding_cells(each) for each in outcome.result.findings]
        yield from (*_rows(FINDINGS, rows), "")


def finding_cells(finding: Finding) -> tuple[str, ...]:
    """Return what a table of findings shows of one."""
    shown = (finding.claim, finding.corpus, str(finding.verdict), finding.paper, finding.ours)
    return (*shown, *show_gain(finding))


def _table(table: ResultTable) -> Iterator[str]:
    names = [column.name for column in table.columns]
    forms = [column.form for column in table.columns]
    shown = [
        [show_cell(cell, form) for cell, form in zip(row, forms, strict=True)] for row in table.rows
    ]
    return _rows(names, shown, [bool(form) for form in forms])


def _rows(
    names: Sequence[str], rows: Iterable[Sequence[str]], numeric: Sequence[bool] = ()
) -> Iterator[str]:
    yield _line(names)
    yield _line(["--:" if right else "---" for right in numeric] or ["---"] * len(names))
    yield from map(_line, rows)


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(each.replace("|", "\\|").replace("\n", " ") for each in cells) + " |"
