"""Lines from the nodes of a tree to parts of a matrix beside it, which cross no text.

A line leaves a node to the space below its row, goes on there to the gutter between tree and
matrix, and in the gutter to the height at which it enters the matrix: between two rows, then along
the left side of the values there, as deep as the part is, and ends at the part's left edge. Of
nodes with the same tag only the topmost has a line; the others show their tags.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from weft.report.matrices.boxes import LINE, Anchor

LANE = 5.0
"""How far apart lines are in the gutter."""

_BELOW, _APART, _ARROW = 3.0, 2.5, 4.0


def first_links(anchors: Iterable[Anchor]) -> list[tuple[Anchor, Anchor]]:
    """Return nodes and what they are joined with: of each tag the first node that has it."""
    found = list(anchors)
    targets = {each.tag: each for each in found if not each.node}
    nodes: dict[str, Anchor] = {}
    for each in found:
        if each.node and each.tag in targets:
            nodes.setdefault(each.tag, each)
    return [(node, targets[tag]) for tag, node in nodes.items()]


def draw_links(links: list[tuple[Anchor, Anchor]], gutter: float) -> str:
    """Return the path of all lines; the gutter begins at this place."""
    rows: defaultdict[float, list[Anchor]] = defaultdict(list)
    for node, _ in links:
        rows[node.y].append(node)
    heights = {}
    for y, row in rows.items():
        # The leftmost node is lowest, so that no line of a row crosses another one's way down.
        for number, node in enumerate(sorted(row, key=lambda each: -each.x)):
            heights[node] = y + LINE / 2 + _BELOW + min(number * _APART, 16.0)
    order = sorted(links, key=lambda link: (heights[link[0]], link[0].x))
    # What comes from above and goes far down turns last, on the right.
    lanes = {node: gutter + LANE * (1 + place) for place, (node, _) in enumerate(reversed(order))}
    return "".join(_line(node, heights[node], lanes[node], target) for node, target in order)


def _line(node: Anchor, height: float, lane: float, target: Anchor) -> str:
    points = [f"M{node.x + 3:.1f} {node.y:.1f}h2", f"V{height:.1f}", f"H{lane:.1f}"]
    for x, y in target.way:
        points += [f"V{y:.1f}", f"H{x:.1f}"]
    end = target.x - 1
    points += [f"V{target.y:.1f}", f"H{end:.1f}"]
    head = f"M{end - _ARROW:.1f} {target.y - 3:.1f}L{end:.1f} {target.y:.1f}"
    return "".join(points) + head + f"L{end - _ARROW:.1f} {target.y + 3:.1f}"
