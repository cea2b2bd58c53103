"""The report as one page that needs no other file and no network."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

from weft.papers.pages.markdown import FINDINGS, finding_cells
from weft.papers.pages.outcomes import Reproduced, Reproduction
from weft.papers.pages.words import READING, TITLE, TOO_SMALL, about, remarks, tally
from weft.papers.results import Finding, ResultTable, Verdict, show_cell
from weft.report.page import STYLE, whole_page
from weft.report.trees import escaped

_MORE_STYLE = """
:root { --good: #1b7a3d; --bad: #b3261e; --open: #6b5b00; }
@media (prefers-color-scheme: dark) {
  :root { --good: #6fd08f; --bad: #ff8f86; --open: #e0c75a; }
}
body { max-width: 72rem; }
h2 { margin-top: 2.5rem; border-bottom: 2px solid var(--line); }
h3 { font-size: 1.05rem; color: var(--text); margin: 2rem 0 .25rem; }
nav.contents { position: static; display: block; border: 0; }
nav.contents ul { columns: 22rem; padding-left: 1.2rem; margin: .25rem 0; }
a { color: var(--label); }
code { background: var(--soft); padding: 0 .25rem; border-radius: .2rem; }
.wide { overflow-x: auto; margin: .5rem 0 1rem; }
table { border-collapse: collapse; font-size: .9rem; overflow-wrap: normal; }
caption { text-align: left; font-weight: 600; padding: .25rem 0; }
th, td { padding: .25rem .6rem; text-align: left; vertical-align: top; }
th { border-bottom: 2px solid var(--line); font-weight: 600; }
td { border-bottom: 1px solid var(--line); }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.verdict { font-weight: 700; white-space: nowrap; }
.holds { color: var(--good); } .fails { color: var(--bad); } .open { color: var(--open); }
.holds::before { content: "✓ "; } .fails::before { content: "✗ "; } .open::before { content: "? "; }
figure { margin: 1rem 0; overflow-x: auto; }
figcaption { color: var(--faint); font-size: .9rem; }
figure svg { max-width: 100%; height: auto; }
@media (max-width: 40rem) { figure svg { max-width: none; min-width: 36rem; } }
figure.drawing { background: #ffffff; border-radius: .4rem; padding: .5rem; }
figure.drawing figcaption { color: #5c5c5c; }
details { margin: .5rem 0; } summary { cursor: pointer; color: var(--faint); }
pre { overflow-x: auto; background: var(--soft); padding: .5rem; font-size: .8rem; }
.note { color: var(--faint); }
@media print {
  :root { color-scheme: light; --page: #fff; --text: #000; --faint: #333; --line: #999; }
  body { max-width: none; font-size: 9pt; }
  nav.contents, details { display: none; }
  tr, figure { break-inside: avoid; } h2, h3 { break-after: avoid; } .wide { overflow: visible; }
}
"""

_MARKS = {Verdict.HOLDS: "holds", Verdict.FAILS: "fails", Verdict.OPEN: "open"}


def html_report(made: Reproduction, papers: Mapping[str, str]) -> str:
    """Return the report as an HTML page of its own.

    Args:
        made: What was run.
        papers: By name, what each paper is called.
    """
    style = STYLE.split("svg { display: block; }")[0] + _MORE_STYLE
    return whole_page(TITLE, "\n".join(_body(made, papers)), style, "")


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
                f'<li><a href="#{_anchor(each.name)}">{escaped(each.title)}</a></li>'
                for each in several
            )
            yield "</ul></li>"
    yield "</ul></nav>"


def _short(title: str) -> str:
    """The authors and the year."""
    authors, found, _ = title.partition("), ")
    return f"{authors})" if found else title.partition(":")[0]


def _anchor(name: str) -> str:
    return escaped(name.replace("/", "."))


def _section(outcome: Reproduced) -> Iterator[str]:
    yield f'<section><h3 id="{_anchor(outcome.name)}">{escaped(outcome.title)}</h3>'
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
    return _markup(table.title, heads, rows)


def _findings(findings: Sequence[Finding], names: Sequence[str] = ()) -> str:
    rows = []
    for number, finding in enumerate(findings):
        cells = finding_cells(finding)
        row = [(text, "number" if 4 <= place <= 6 else "") for place, text in enumerate(cells)]
        row[-1] = (cells[-1], f"verdict {_MARKS[finding.verdict]}")
        rows.append([*row, (f"#{names[number]}", "link")] if names else row)
    heads = [(name, 4 <= place <= 6) for place, name in enumerate(FINDINGS)]
    return _markup("", [*heads, ("experiment", False)] if names else heads, rows)


def _markup(
    title: str, heads: Sequence[tuple[str, bool]], rows: Iterable[Sequence[tuple[str, str]]]
) -> str:
    caption = f"<caption>{escaped(title)}</caption>" if title else ""
    head = "".join(
        f'<th scope="col"{" class=number" if number else ""}>{escaped(name)}</th>'
        for name, number in heads
    )
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return (
        f'<div class="wide"><table>{caption}<thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _cell(cell: tuple[str, str]) -> str:
    text, kind = cell
    if kind == "link":
        name = text.removeprefix("#")
        return f'<td><a href="#{_anchor(name)}">{escaped(name)}</a></td>'
    return f'<td class="{kind}">{escaped(text)}</td>' if kind else f"<td>{escaped(text)}</td>"
