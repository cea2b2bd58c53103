"""Pages that are read from top to bottom: their style sheet, tables and links.

They need no other file and no network, are light or dark by the reader's wish, fit a phone and can
be printed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from weft.report.page import BASE, whole_page
from weft.report.trees import escaped

Cell = tuple[str, str]
"""A text, and its class: ``number``, ``link`` (to the anchor of that name), or any of the style
sheet's; empty for none."""

STYLE = (
    BASE
    + """
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
.claim { min-width: 13rem; } .figures { min-width: 6rem; overflow-wrap: anywhere; }
.holds { color: var(--good); } .fails { color: var(--bad); } .open { color: var(--open); }
.holds::before { content: "✓ "; } .fails::before { content: "✗ "; } .open::before { content: "? "; }
figure { margin: 1rem 0; overflow-x: auto; }
figcaption { color: var(--faint); font-size: .9rem; }
figure svg { max-width: 100%; height: auto; }
figure svg.plot { color: inherit; }
@media (max-width: 40rem) {
  figure svg { max-width: none; } figure svg.plot { min-width: 36rem; }
}
figure.drawing { background: #ffffff; border-radius: .4rem; padding: .5rem; }
figure.drawing figcaption { color: #5c5c5c; }
.drawing svg { color: #111; } .drawing .ground { fill: #ffffff; } .drawing .label { fill: #1d5f9e; }
details { margin: .5rem 0; } summary { cursor: pointer; color: var(--faint); }
pre { overflow-x: auto; background: var(--soft); padding: .5rem; font-size: .8rem; }
.note { color: var(--faint); }
@media print {
  :root { color-scheme: light; --page: #fff; --text: #000; --faint: #333; --line: #999; }
  body { max-width: none; font-size: 9pt; }
  nav.contents, details { display: none; }
  tr, figure { break-inside: avoid; } h2, h3 { break-after: avoid; }
  .wide, figure { overflow: visible; } table { font-size: 7.5pt; overflow-wrap: anywhere; }
  th, td { padding: .15rem .3rem; } .number, .verdict { white-space: normal; }
  .claim, .figures { min-width: 0; }
  figure svg, figure svg.plot { max-width: 100%; min-width: 0; }
}
"""
)
"""The style sheet."""


def document(title: str, body: str, more_style: str = "") -> str:
    """Return a page of its own.

    Args:
        title: Its title.
        body: HTML.
        more_style: What is added to the style sheet.
    """
    return whole_page(escaped(title), body, STYLE + more_style, "")


def anchor(name: str) -> str:
    """Return what a place in a page is called."""
    return escaped(name.replace("/", "."))


def markup_table(
    title: str, heads: Sequence[tuple[str, bool]], rows: Iterable[Sequence[Cell]]
) -> str:
    """Return a table, which is scrolled where it is too wide.

    Args:
        title: Its caption; empty for none.
        heads: The names of its columns, and whether they have numbers.
        rows: Its cells.

    >>> "<td>NN</td>" in markup_table("", [("tag", False)], [[("NN", "")]])
    True
    """
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


def _cell(cell: Cell) -> str:
    text, kind = cell
    if kind == "link":
        name = text.removeprefix("#")
        return f'<td><a href="#{anchor(name)}">{escaped(name)}</a></td>'
    return f'<td class="{kind}">{escaped(text)}</td>' if kind else f"<td>{escaped(text)}</td>"
