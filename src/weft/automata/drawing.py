"""Drawings of lattices: as an SVG picture, and for Graphviz.

:mod:`weft.automata.layout` says where the states stand, and :mod:`weft.automata.curves` how arcs
run between them and where their words stand. The picture keeps to what every program can show:
arrowheads and the white rims of words are shapes of their own.

Reference: Smith and Eisner (2005), "Contrastive Estimation", figure 1.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence

import numpy as np

from weft.arrays import FloatArray
from weft.automata.curves import FONT, MARGIN, RADIUS, Curve, Label, centres, curves, labels
from weft.automata.layout import StatePlaces, layout
from weft.errors import LimitError
from weft.structures.lattice import Lattice, arcs_of

MOST_DRAWN = 1_000
"""A picture of more arcs, those between the same two states being one, would show nothing."""

_MOST_WORDS = 4
_LONGEST_TEXT = 40
_SPINE, _OTHER = "#111", "#1d5f9e"

# What XML 1.0 has no way to write.
_UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_dot(strings: Lattice, title: str = "neighbours") -> str:
    r"""Return a lattice in Graphviz's language.

    >>> print(to_dot(Lattice.from_sentence(["time"])), end="")
    digraph "neighbours" {
      rankdir=LR;
      node [shape=circle, label="", width=0.2];
      start [shape=none, width=0];
      start -> 0;
      1 [shape=doublecircle, width=0.15];
      0 -> 1 [label="time"];
    }

    Args:
        strings: The lattice.
        title: The graph's name.

    Returns:
        The text.
    """
    lines = [
        f"digraph {_quoted(title)} {{",
        "  rankdir=LR;",
        '  node [shape=circle, label="", width=0.2];',
        "  start [shape=none, width=0];",
        "  start -> 0;",
    ]
    lines += [
        f"  {state} [shape=doublecircle, width=0.15];"
        for state in strings.final.nonzero()[0].tolist()
    ]
    lines += [
        f"  {source} -> {target} [label={_quoted(strings.symbols[symbol])}];"
        for source, symbol, target in arcs_of(strings)
    ]
    return "\n".join([*lines, "}\n"])


def to_svg(strings: Lattice, words: Sequence[str] | None = None, title: str = "") -> str:
    """Return a picture of a lattice as a self-contained SVG file.

    >>> picture = to_svg(Lattice.from_sentence(["R&D", "pays"]), title="a sentence")
    >>> "<title>a sentence</title>" in picture, "R&amp;D" in picture
    (True, True)

    Args:
        strings: The lattice.
        words: The string that is drawn as a straight line; one of the longest by default.
        title: What the picture is called by programs that read it out.

    Returns:
        The text.

    Raises:
        LimitError: If more than ``MOST_DRAWN`` pairs of states have arcs between them.
    """
    texts = _texts(strings)
    if len(texts) > MOST_DRAWN:
        message = f"a picture of {len(texts):,} arcs would show nothing"
        raise LimitError(f"{message}; draw a shorter sentence, of {MOST_DRAWN:,} arcs at most")
    placed = layout(strings, words)
    states = centres(placed, texts)
    arcs = curves(placed, texts, states)
    return "\n".join(_svg(strings, placed, states, arcs, title)) + "\n"


def _texts(strings: Lattice) -> dict[tuple[int, int], str]:
    words: dict[tuple[int, int], list[str]] = {}
    for source, symbol, target in arcs_of(strings):
        words.setdefault((source, target), []).append(strings.symbols[symbol])
    return {ends: _joined(several) for ends, several in words.items()}


def _joined(words: Sequence[str]) -> str:
    if len(words) > _MOST_WORDS:
        return f"{_shortened(' | '.join(words[: _MOST_WORDS - 1]))} … ({len(words):,} words)"
    return _shortened(" | ".join(words))


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_TEXT else f"{text[: _LONGEST_TEXT - 1]}…"


def _svg(
    strings: Lattice, placed: StatePlaces, states: FloatArray, arcs: Sequence[Curve], title: str
) -> Iterator[str]:
    spine = set(zip(placed.spine, placed.spine[1:], strict=False))
    lines = [states, *(curve.samples() for curve in arcs)]
    top = min(float(line[:, 1].min()) for line in lines) - MARGIN
    height = max(float(line[:, 1].max()) for line in lines) + MARGIN - top
    width = float(states[:, 0].max()) + MARGIN
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width:.0f}" '
        f'height="{height:.0f}" viewBox="0 {top:.0f} {width:.0f} {height:.0f}" '
        f'font-family="sans-serif" font-size="{FONT:.0f}" text-anchor="middle">'
    )
    yield f"<title>{_escaped(title)}</title>"
    yield f'<rect y="{top:.0f}" width="{width:.0f}" height="{height:.0f}" fill="white"/>'
    start = states[0] - (RADIUS + 1, 0)
    yield from _arrow(np.stack([start - (24, 0), start - (12, 0), start]), _SPINE)
    for curve in arcs:
        yield from _arrow(curve.points, _SPINE if curve.ends in spine else _OTHER)
    for state, (x, y) in enumerate(states):
        colour = _SPINE if state in placed.spine else _OTHER
        yield from _circles(x, y, bool(strings.final[state]), colour)
    for curve, label in zip(arcs, labels(arcs, states), strict=True):
        yield from _words(label, _SPINE if curve.ends in spine else _OTHER)
    yield "</svg>"


def _arrow(points: FloatArray, colour: str) -> Iterator[str]:
    _, control, end = points
    along = (end - control) / np.hypot(*(end - control))
    foot, across = end - 9 * along, 3.2 * np.array([along[1], -along[0]])
    (x0, y0), (x1, y1), (x2, y2) = *points[:2], foot
    yield (
        f'<path d="M{x0:.1f} {y0:.1f}Q{x1:.1f} {y1:.1f} {x2:.1f} {y2:.1f}" fill="none" '
        f'stroke="{colour}" stroke-width="1.2"/>'
    )
    corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in (end, foot + across, foot - across))
    yield f'<polygon points="{corners}" fill="{colour}"/>'


def _circles(x: float, y: float, final: bool, colour: str) -> Iterator[str]:
    for radius in (RADIUS, RADIUS - 3)[: 1 + final]:
        yield (
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.0f}" fill="white" '
            f'stroke="{colour}" stroke-width="1.2"/>'
        )


def _words(label: Label, colour: str) -> Iterator[str]:
    (x, y), slope = label.middle, label.slope
    turned = f' transform="rotate({slope:.1f} {x:.1f} {y:.1f})"' if abs(slope) >= 0.05 else ""
    rim = 'stroke="white" stroke-width="4" stroke-linejoin="round" fill="white" aria-hidden="true"'
    for style in (rim, f'fill="{colour}"'):
        yield f'<text x="{x:.1f}" y="{y:.1f}"{turned} {style}>{_escaped(label.text)}</text>'


def _escaped(text: str) -> str:
    return html.escape(_UNWRITABLE.sub("\N{REPLACEMENT CHARACTER}", text))


def _quoted(text: str) -> str:
    """Return a string of Graphviz's language, in which a backslash is an escape."""
    plain = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + re.sub(r"[\0\r\n]", " ", plain) + '"'
