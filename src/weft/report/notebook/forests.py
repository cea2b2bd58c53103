"""Forests: hypergraphs as pictures, and the analyses of parse sets."""

from __future__ import annotations

from collections.abc import Sequence

from weft.errors import LimitError
from weft.report.notebook.style import heading
from weft.report.trees import escaped, tree_svg
from weft.structures.hypergraph import Hypergraph
from weft.structures.parse_set import Candidate, Packed, ParseSet

MOST_DRAWN = 100
"""A picture of more edges would show nothing."""

_ACROSS, _DOWN, _RADIUS = 64.0, 72.0, 12.0
_MOST_TREES = 3


def hypergraph_svg(forest: Hypergraph) -> str:
    """Return a picture: the root on top, and a dot per edge between its head and its tails.

    Raises:
        LimitError: If there are more than ``MOST_DRAWN`` edges.
    """
    if forest.edge_count > MOST_DRAWN:
        raise LimitError(f"a picture of {forest.edge_count:,} edges would show nothing")
    tails = [
        forest.tails[start:stop].tolist()
        for start, stop in zip(forest.tail_offsets[:-1], forest.tail_offsets[1:], strict=True)
    ]
    heads = forest.heads.tolist()
    places = _places(forest.vertex_count, heads, tails)
    lines, dots = _edges(heads, tails, places)
    circles = [
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{_RADIUS:.0f}" fill="none" stroke="#888"/>'
        f'<text x="{x:.1f}" y="{y + 4:.1f}">{vertex}</text>'
        for vertex, (x, y) in enumerate(places)
    ]
    width = max(x for x, _ in places) + 2 * _RADIUS
    height = max([y for _, y in places] + [y for _, y in dots]) + 2 * _RADIUS
    drawn = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="#888" stroke="#888"/>' for x, y in dots
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width:.0f}" '
        f'height="{height:.0f}" font-family="sans-serif" font-size="11" text-anchor="middle">'
        f"<title>a forest</title>"
        f'<rect class="page" width="{width:.0f}" height="{height:.0f}" fill="none"/>'
        f'<path d="{"".join(lines)}" fill="none" stroke="#888"/>{drawn}{"".join(circles)}</svg>'
    )


def _places(
    count: int, heads: Sequence[int], tails: Sequence[Sequence[int]]
) -> list[tuple[float, float]]:
    """Where vertices stand: as far down as the longest way from the root."""
    depths = [0] * count
    for head, below in zip(reversed(heads), reversed(tails), strict=True):  # heads come descending
        for tail in below:
            depths[tail] = max(depths[tail], depths[head] + 1)
    filled = [0] * count
    found = []
    for depth in depths:
        found.append(((filled[depth] + 0.5) * _ACROSS, depth * _DOWN + 2 * _RADIUS))
        filled[depth] += 1
    widest = max(filled)
    return [
        (x + (widest - filled[depth]) * _ACROSS / 2, y)
        for (x, y), depth in zip(found, depths, strict=True)
    ]


def _edges(
    heads: Sequence[int], tails: Sequence[Sequence[int]], places: Sequence[tuple[float, float]]
) -> tuple[list[str], list[tuple[float, float]]]:
    """The lines of edges, and the dots in their middles, side by side below a head."""
    lines, dots = [], []
    seen: dict[int, int] = {}
    for head, below in zip(heads, tails, strict=True):
        x, y = places[head]
        order, every = seen.get(head, 0), heads.count(head)
        seen[head] = order + 1
        dot = (x + (order - (every - 1) / 2) * 14, y + _RADIUS + 16)
        dots.append(dot)
        lines.append(f"M{x:.1f} {y + _RADIUS:.1f}L{dot[0]:.1f} {dot[1]:.1f}")
        lines += [
            f"M{dot[0]:.1f} {dot[1]:.1f}L{places[tail][0]:.1f} {places[tail][1] - _RADIUS:.1f}"
            for tail in below
        ]
    return lines, dots


def parse_set_card(parse_set: ParseSet) -> str:
    """Return a sentence with its first analyses, and which of them are right."""
    analyses = parse_set.analyses
    if isinstance(analyses, Packed):
        nodes = len({edge.node for edge in analyses.edges})
        said = f"{parse_set.text}: a forest of {nodes:,} nodes and {len(analyses.edges):,} edges"
        return heading(said)
    parts = [_analysis(*each, parse_set.right) for each in enumerate(analyses[:_MOST_TREES])]
    more = len(analyses) - len(parts)
    rest = f'<div class="faint">and {more:,} more</div>' if more else ""
    return f'{heading(parse_set.text)}<div class="parts">{"".join(parts)}</div>{rest}'


def _analysis(number: int, each: Candidate, right: tuple[int, ...] | None) -> str:
    mark = ' <span class="tag">right</span>' if number in (right or ()) else ""
    features = ", ".join(f"{name} {value:g}" for name, value in each.features.items())
    below = tree_svg(each.tree, f"analysis {number}") if each.tree else escaped(features)
    return f"<div>{number}{mark}{below}</div>"
