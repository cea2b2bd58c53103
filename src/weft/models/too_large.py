"""Examples that are left out, since their derivations cannot be kept in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft.arrays import BoolArray
from weft.reprs import count_things

_NAMED = 5  # of the examples that are left out


@dataclass(frozen=True, slots=True, eq=False)
class TooLarge:
    """Examples whose derivations cannot be kept in memory.

    Attributes:
        flags: [examples], which they are.
        reason: What each of them would take.
        corpus: All examples.

    >>> from weft import example
    >>> print(TooLarge(np.array([True]), "would take much", [example(["a"])]))
    1 of 1 sentences, which would take much: example 1 (1 token)
    """

    flags: BoolArray
    reason: str
    corpus: Sequence[Any]

    def kept(self) -> list[Any]:
        """Return the other examples."""
        pairs = zip(self.corpus, self.flags.tolist(), strict=True)
        return [example for example, large in pairs if not large]

    def __str__(self) -> str:
        places = np.flatnonzero(self.flags).tolist()
        named = [_named(self.corpus[place], place) for place in places[:_NAMED]]
        more = [f"and {len(places) - _NAMED:,} more"] if len(places) > _NAMED else []
        count = f"{len(places):,} of {len(self.corpus):,} sentences"
        return f"{count}, which {self.reason}: {', '.join([*named, *more])}"


def _named(example: Any, place: int) -> str:
    size = count_things(len(example.tokens), "token")
    return f"{example.tokens.source or f'example {place + 1}'} ({size})"
