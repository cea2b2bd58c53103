"""The look of pictures in notebooks.

Colours are those of the notebook where it says them (Jupyter, Visual Studio Code); else those of
the system, light or dark.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from weft.report.trees import escaped

_STYLE = """
.weft { --t: #1a1a1a; --f: #5c5c5c; --l: #c9c9c9; --s: #f1f3f5; --a: #1d5f9e; --p: #fff; }
@media (prefers-color-scheme: dark) {
  .weft { --t: #e8e8e8; --f: #a9adb5; --l: #4a4f57; --s: #2a2e35; --a: #7fb8ee; --p: #111; }
}
[data-jp-theme-light="true"] .weft, .vscode-light .weft {
  --t: #1a1a1a; --f: #5c5c5c; --l: #c9c9c9; --s: #f1f3f5; --a: #1d5f9e; --p: #fff;
}
[data-jp-theme-light="false"] .weft, .vscode-dark .weft {
  --t: #e8e8e8; --f: #a9adb5; --l: #4a4f57; --s: #2a2e35; --a: #7fb8ee; --p: #111;
}
.weft { color: var(--t); font: 13px/1.45 system-ui, sans-serif; overflow-x: auto; }
.weft .faint { color: var(--f); }
.weft .parts { display: flex; flex-wrap: wrap; gap: 8px 28px; align-items: flex-start; }
.weft table { border-collapse: collapse; margin: 4px 0; color: inherit; font: inherit; }
.weft th, .weft td { padding: 1px 10px 1px 0; text-align: left; color: inherit; border: 0; }
.weft tr, .weft tr:nth-child(n) { background: none; }
.weft th { color: var(--f); font-weight: 600; }
.weft td { white-space: pre-line; vertical-align: top; }
.weft td.number { text-align: right; font-variant-numeric: tabular-nums; }
.weft svg { display: block; max-width: none; color: var(--t); }
.weft svg rect.page, .weft svg > rect:first-of-type { fill: none; }
.weft svg path, .weft svg circle { stroke: var(--f); }
.weft svg path.line { stroke: var(--a); }
.weft svg text { fill: var(--t); }
.weft svg [fill="white"] { fill: var(--p); }
.weft svg [stroke="white"] { stroke: var(--p); }
.weft svg [fill="#111"] { fill: var(--t); }
.weft svg [fill="#1d5f9e"] { fill: var(--a); }
.weft svg text.label, .weft svg text.accent { fill: var(--a); }
.weft .tokens { display: flex; flex-wrap: wrap; gap: 6px 12px; }
.weft .token { min-width: 34px; }
.weft .tag { color: var(--a); font-weight: 600; }
.weft .track { display: block; width: 64px; height: 5px; background: var(--s); margin: 1px 0 2px; }
.weft .bar { display: block; height: 100%; background: var(--a); }
"""


def framed(*parts: str) -> str:
    """Return HTML with its style, ready for the cell of a notebook."""
    return f'<div class="weft"><style>{_STYLE}</style>{"".join(parts)}</div>'


def heading(text: str) -> str:
    """Return a line above a picture."""
    return f"<div><strong>{escaped(text)}</strong></div>"


def rows_table(headers: Sequence[str], rows: Iterable[Sequence[str | float]]) -> str:
    """Return a table; numbers are at the right of their columns."""
    head = "".join(f"<th>{escaped(each)}</th>" for each in headers)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(map(_row, rows))}</tbody></table>"


def _row(cells: Sequence[str | float]) -> str:
    return f"<tr>{''.join(map(_cell, cells))}</tr>"


def _cell(cell: str | float) -> str:
    if isinstance(cell, str):
        return f"<td>{escaped(cell)}</td>"
    shown = f"{cell:,}" if isinstance(cell, int) else f"{cell:.4g}"
    return f'<td class="number">{shown}</td>'
