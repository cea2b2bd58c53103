"""Shapes as HTML, which needs no picture: shaded tables, bars, and curves as SVG."""

from __future__ import annotations

from weft.report.palette import AGAINST, FOR, RIGHT
from weft.report.plots import lines_svg
from weft.report.shapes import Bars, Grid, Lines
from weft.report.trees import escaped

STYLE = f"""
table.grid {{ font-size: .75rem; border-spacing: 1px; border-collapse: separate; }}
table.grid th, table.grid td {{ border: 0; padding: .1rem .3rem; text-align: center; }}
table.grid th {{ text-align: right; white-space: nowrap; }}
table.grid thead th {{ vertical-align: bottom; }}
table.grid thead th span {{ writing-mode: vertical-rl; white-space: nowrap; }}
.weights {{ list-style: none; margin: 0; padding: 0; max-width: 46rem; }}
.weights li {{
  display: grid; grid-template-columns: minmax(0, 1fr) 9rem 4.5rem; gap: .5rem;
  align-items: center; padding: .05rem 0; font-size: .9rem;
}}
.weights .track {{ height: .8rem; }}
.weights .bar {{ display: block; height: 100%; background: {FOR}; }}
.weights .against .bar {{ background: {AGAINST}; }}
@media (max-width: 30rem) {{ .weights li {{ grid-template-columns: minmax(0, 1fr) 4rem 4rem; }} }}
@media print {{ .bar, table.grid td {{ print-color-adjust: exact; }} }}
"""
"""What shapes add to a page's style sheet."""

_FULL = 204
"""From this opacity on, a cell is as bright on dark ground as on light: light texts would fade."""


def grid_html(shape: Grid) -> str:
    """Return shaded cells as a table.

    >>> import numpy as np
    >>> grid = Grid("", ("NN",), ("VB",), np.array([[0.5]]), (("7",),), diagonal=True)
    >>> 'style="background:#2f9e6280">7</td>' in grid_html(grid)
    True
    >>> grid = Grid("", ("NN",), ("VB",), np.array([[1.0]]), (("8",),), diagonal=True)
    >>> 'style="background:#2f9e62ff;color:#000">8</td>' in grid_html(grid)
    True
    """
    heads = "".join(f'<th scope="col"><span>{escaped(each)}</span></th>' for each in shape.columns)
    corner = f"{shape.up} ↓ {shape.across} →".strip() if shape.up or shape.across else ""
    rows = []
    for row, name in enumerate(shape.rows):
        cells = "".join(_shaded(shape, row, column) for column in range(len(shape.columns)))
        rows.append(f'<tr><th scope="row">{escaped(name)}</th>{cells}</tr>')
    return (
        f'<div class="wide"><table class="grid"><caption>{escaped(shape.title)}</caption>'
        f"<thead><tr><th>{escaped(corner)}</th>{heads}</tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _shaded(shape: Grid, row: int, column: int) -> str:
    value = float(shape.values[row, column])
    colour = AGAINST if value < 0 else FOR
    if shape.diagonal:
        colour = RIGHT if row == column else AGAINST
    opacity = round(255 * min(abs(value), 1.0))
    text = escaped(shape.texts[row][column]) if shape.texts else ""
    ink = ";color:#000" if opacity >= _FULL else ""
    style = f' style="background:{colour}{opacity:02x}{ink}"' if opacity else ""
    return f"<td{style}>{text}</td>"


def bars_html(shape: Bars) -> str:
    """Return bars as a list, those below 0 in another colour."""
    largest = max((abs(value) for _, value in shape.bars), default=1.0) or 1.0
    form = "+.3f" if any(value < 0 for _, value in shape.bars) else ".3f"
    items = "".join(
        f"<li{' class=against' if value < 0 else ''}><span>{escaped(name)}</span>"
        f'<span class="track"><span class="bar" style="width:{100 * abs(value) / largest:.0f}%">'
        f'</span></span><span class="number">{value:{form}}</span></li>'
        for name, value in shape.bars
    )
    return f'<ul class="weights">{items}</ul>'


def lines_html(shape: Lines) -> str:
    """Return curves as a figure."""
    return f"<figure>{lines_svg(shape)}<figcaption>{escaped(shape.title)}</figcaption></figure>"
