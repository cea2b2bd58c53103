"""Figure 1 of Smith and Johnson (2007): classes of weighted grammars, and members of each.

Weights of the same rules are of one of four classes, each within the one before it:

    Zₙ = ∞     some length of strings has an infinite sum: no distribution of trees given strings
    Zₙ < ∞     every length has a finite sum, and all lengths together have not
    Z < ∞      all trees have a finite sum: a distribution of trees
    PCFG       the weights of each symbol's rules sum to one, and so do all trees
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from weft.grammars import endless_cycle, partition, tightness
from weft.report.trees import escaped
from weft.structures.grammar import Grammar, reweight

ENDLESS, CONDITIONAL, JOINT, PROBABILISTIC = "Zₙ = ∞", "Zₙ < ∞", "Z < ∞", "PCFG"

CLASSES = (ENDLESS, CONDITIONAL, JOINT, PROBABILISTIC)
"""From the widest to the narrowest."""

_SAME = {
    CONDITIONAL: "theorem 1: as many distributions of trees given strings as …",
    JOINT: "Chi’s conversion: as many distributions of trees as …",
    PROBABILISTIC: "… probabilistic grammars have",
}
_WIDTH, _STEP, _LINE, _TOP = 660.0, 26.0, 20.0, 12.0


def class_of(grammar: Grammar) -> str:
    """Return the narrowest class that a grammar's weights are of.

    >>> from weft.grammars import parse_grammar
    >>> class_of(parse_grammar("A -> A A | 'a'")), class_of(parse_grammar("A -> 'a' [2]"))
    ('Zₙ < ∞', 'Z < ∞')
    """
    if endless_cycle(grammar):
        return ENDLESS
    sums = partition(grammar)
    if not sums.convergent:
        return CONDITIONAL
    proper = tightness(grammar).proper and abs(sums.log_value) < 1e-9
    return PROBABILISTIC if proper else JOINT


def sample_classes(
    grammar: Grammar, count: int, spread: float, rng: np.random.Generator
) -> dict[str, int]:
    """Return how many of some random weights of a grammar's rules are of each class.

    Args:
        grammar: The rules, whose weights are multiplied by random numbers.
        count: How many weightings to draw.
        spread: The standard deviation of the logs of these numbers.
        rng: Draws them.
    """
    found = dict.fromkeys(CLASSES, 0)
    for _ in range(count):
        noise = spread * rng.standard_normal(grammar.rule_count)
        found[class_of(reweight(grammar, grammar.weights + noise))] += 1
    return found


def draw_classes(title: str, members: Mapping[str, Sequence[str]]) -> str:
    """Return the classes as boxes within each other, with members of each, as an SVG file.

    Args:
        title: What programs that read it out call it.
        members: By class, what stands there.
    """
    heights = [_LINE * (len(members.get(each, ())) + 2) for each in CLASSES]
    whole = sum(heights) + 2 * _TOP + _STEP
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" class="plot" width="{_WIDTH:g}" '
        f'height="{whole:g}" viewBox="0 0 {_WIDTH:g} {whole:g}" font-family="sans-serif" '
        f'font-size="13" fill="currentColor"><title>{escaped(title)}</title>'
    )
    return "\n".join([head, *_boxes(members, heights, whole), "</svg>"]) + "\n"


def _boxes(
    members: Mapping[str, Sequence[str]], heights: Sequence[float], whole: float
) -> Iterator[str]:
    top = _TOP
    for level, (name, height) in enumerate(zip(CLASSES, heights, strict=True)):
        left, bottom = _TOP + level * _STEP / 2, whole - _TOP - level * _STEP / 4
        yield (
            f'<rect x="{left:g}" y="{top:g}" width="{_WIDTH - 2 * left:g}" '
            f'height="{bottom - top:g}" rx="10" fill="currentColor" fill-opacity="0.05" '
            'stroke="currentColor" stroke-opacity="0.55"/>'
        )
        yield f'<text x="{left + 12:g}" y="{top + 18:g}" font-weight="bold">{escaped(name)}</text>'
        yield (
            f'<text x="{_WIDTH - left - 12:g}" y="{top + 18:g}" text-anchor="end" '
            f'opacity="0.75">{escaped(_SAME.get(name, ""))}</text>'
        )
        for place, text in enumerate(members.get(name, ()), 2):
            yield f'<text x="{left + 24:g}" y="{top + _LINE * place:g}">{escaped(text)}</text>'
        top += height
