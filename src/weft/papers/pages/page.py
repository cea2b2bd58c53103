"""The report as one page that needs no other file and no network."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from weft.papers.pages.markdown import FINDINGS, finding_cells
from weft.papers.pages.outcomes import Reproduced, Reproduction
from weft.papers.pages.words import READING, TITLE, TOO_SMALL, about, remarks, tally
from weft.papers.results import Finding, ResultTable, Verdict, show_cell
from weft.report.document import anchor, document, markup_table
from weft.report.trees import escaped

_NUMBERS = ("number",) * 3  # the last cells of a finding
_MARKS = {Verdict.HOLDS: "holds", Verdict.FAILS: "fails", Verdict.OPEN: "open"}


def html_report(made: Reproduction, papers: Mapping[str, str]) -> str:
    """Return the report as an HTML page of its own.

    Args:
        made: What was run.
        papers: By name, what each paper is called.
    """
    return document(TITLE, "\n".join(_body(made, papers)))


def _body(made: Reproduction, papers: Mapping[str, str]) -> Iterator[str]:
    yield f"<header><h1>{TITLE}</h1><p>{escaped(about(made))}</p></header>"
    yield f"<p><strong>{escaped(tally(made))}</strong></p>"
    if made.quick:
        yield f"<p><strong>{escaped(TOO_SMALL)}</strong></p>"
    yield f"<p>{escaped(READING)}</p>"
    yield from _contents(made, papers)
    yield "<main>"
    yield "<h2>All findings</h2>"
    yield _findings([finding for _, finding in made.findings], [name for name, _ in made.findings])
    for paper, title in papers.items():
        several = [each for each in made.outcomes if each.paper == paper]
        if several:
            yield f'<h2 id="{escaped(paper)}">{escaped(title)}</h2>'
        for outcome in several:
            yield from _section(outcome)
    yield "</main>"


def _contents(made: Reproduction, papers: Mapping[str, str]) -> Iterator[str]:
    yield '<nav class="contents" aria-label="Contents"><ul>'
    for paper, title in papers.items():
        several = [each for each in made.outcomes if each.paper == paper]
        if several:
            yield f'<li><a href="#{paper}">{escaped(_short(title))}</a><ul>'
            yield from (
                f'<li><a href="#{anchor(each.name)}">{escaped(each.title)}</a></li>'
                for each in several
            )
            yield "</ul></li>"
    yield "</ul></nav>"


def _short(title: str) -> str:
    """The authors and the year."""
    authors, found, _ = title.partition("), ")
    return f"{authors})" if found else title.partition(":")[0]


def _section(outcome: Reproduced) -> Iterator[str]:
    yield f'<section><h3 id="{anchor(outcome.name)}">{escaped(outcome.title)}</h3>'
    yield f"<p><code>weft reproduce {escaped(outcome.name)}</code></p>"
    yield from (f'<p class="note">{escaped(each)}</p>' for each in remarks(outcome))
    if outcome.result is not None:
        yield from map(_table, outcome.result.tables)
        for picture in outcome.result.pictures:
            kind = "" if 'class="plot"' in picture.svg else ' class="drawing"'
            caption = f"<figcaption>{escaped(picture.title)}</figcaption>"
            yield f"<figure{kind}>{picture.svg}{caption}</figure>"
        if outcome.result.findings:
            yield _findings(outcome.result.findings)
    settings = json.dumps(outcome.settings, ensure_ascii=False, indent=1)
    yield f"<details><summary>Settings; {outcome.seconds:,.0f} processor seconds</summary>"
    yield f"<pre>{escaped(settings)}</pre></details></section>"


def _table(table: ResultTable) -> str:
    heads = [(column.name, bool(column.form)) for column in table.columns]
    rows = (
        [
            (show_cell(cell, column.form), "number" if column.form else "")
            for cell, column in zip(row, table.columns, strict=True)
        ]
        for row in table.rows
    )
    return markup_table(table.title, heads, rows)


def _findings(findings: Sequence[Finding], names: Sequence[str] = ()) -> str:
    rows = []
    for number, finding in enumerate(findings):
        kinds = ("claim", "", f"verdict {_MARKS[finding.verdict]}", "figures", "figures", *_NUMBERS)
        row = list(zip(finding_cells(finding), kinds, strict=True))
        rows.append([*row, (f"#{names[number]}", "link")] if names else row)
    numbers = len(FINDINGS) - len(_NUMBERS)
    heads = [(name, place >= numbers) for place, name in enumerate(FINDINGS)]
    return markup_table("", [*heads, ("experiment", False)] if names else heads, rows)
