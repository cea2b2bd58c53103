"""What may be known of a tree without knowing all of it: some spans, with or without labels.

Reference: Pereira and Schabes (1992), "Inside-Outside Reestimation from Partially Bracketed
Corpora".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np


class Span(NamedTuple):
    """A constituent that is known to be there.

    Attributes:
        start: The position before its first word, from 0.
        end: The position after its last word.
        label: Its label; None where only the brackets are known.
    """

    start: int
    end: int
    label: str | None = None


@dataclass(frozen=True, slots=True)
class Constituents:
    """Constituents that a tree is known to have; it may have others that cross none of them.

    Attributes:
        spans: The constituents, none of which crosses another.

    Raises:
        ValueError: If a span is empty, or two spans cross.

    >>> Constituents((Span(0, 2, "NP"), Span(1, 3)))
    Traceback (most recent call last):
    ValueError: the spans 0–2 and 1–3 cross: one must contain the other, or they be apart
    """

    spans: tuple[Span, ...]

    def __post_init__(self) -> None:
        ordered = sorted(self.spans, key=lambda span: (span.start, -span.end))
        above: list[Span] = []
        for span in ordered:
            whole = all(isinstance(end, int | np.integer) for end in span[:2])
            if not whole or not 0 <= span.start < span.end:
                raise ValueError(f"a span begins at 0 or later and has a word, not {span}")
            while above and above[-1].end <= span.start:
                above.pop()
            if above and above[-1].end < span.end:
                one, other = above[-1], span
                raise ValueError(
                    f"the spans {one.start}–{one.end} and {other.start}–{other.end} cross: one "
                    "must contain the other, or they be apart"
                )
            above.append(span)
