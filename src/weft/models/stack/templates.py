"""What features of moves look at: the two labels on top, the words at their edges, and the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from weft.arrays import IntArray, flatten, offsets_of
from weft.derivations.stack.parses import Parses
from weft.derivations.stack.table import MoveTable
from weft.errors import OptionError, no_such
from weft.kernels import MoveScorer, kernels
from weft.structures.moves import END

ATTRIBUTES = {
    "s1": "the label on top of the stack",
    "s2": "the label below it",
    "first": "the first terminal under the label on top",
    "last": "the last terminal under it",
    "before": "the terminal before these, the last under the label below",
    "next": "the next terminal",
    "after": "the terminal after the next",
}
"""What may be looked at, and what that is; terminals are words, or tags where the leaves are.

The order is that of ``native/stack_scores.hpp``.
"""

_LABELS = ("s1", "s2")

Template = str
"""What one kind of feature looks at together, with plus signs between."""


def move_templates(text: str) -> tuple[Template, ...]:
    """Read templates, with spaces between them, and a plus between what one looks at.

    >>> move_templates("s1+s2 next")
    ('s1+s2', 'next')

    Raises:
        OptionError: If there is no such attribute.
    """
    found = tuple(text.split())
    for name in (each for template in found for each in template.split("+")):
        if name not in ATTRIBUTES:
            raise OptionError(no_such("attribute of moves", name, ATTRIBUTES))
    return found


@dataclass(frozen=True, eq=False)
class Contexts:
    """From what a parser knows to numbers, one per template.

    Attributes:
        labels: The labels, by their numbers.
        terminals: The terminals that features know; all others are alike.
        templates: What is looked at.

    Raises:
        OptionError: If a template has more combinations than there are numbers.
    """

    labels: tuple[str, ...]
    terminals: tuple[str, ...]
    templates: tuple[Template, ...]

    def __post_init__(self) -> None:
        most = np.iinfo(np.int64).max
        for template in self.templates:
            sizes = [float(self.radix(name)) for name in template.split("+")]
            if float(np.prod(sizes)) * self.moves >= most:
                raise OptionError(f"{template} looks at too much together: leave some out")

    @property
    def moves(self) -> int:
        """How many moves there are."""
        return 3 * len(self.labels)

    def radix(self, attribute: str) -> int:
        """Return how many values an attribute has; of terminals, ⋆ and the unknown are two."""
        return len(self.labels) if attribute in _LABELS else len(self.terminals) + 2

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {terminal: number for number, terminal in enumerate(self.terminals, 1)}

    def ids_of(self, terminals: Sequence[str]) -> IntArray:
        """[terminals + 3]: their numbers, with ⋆ before the sentence and twice after it."""
        unknown = len(self.terminals) + 1
        known = [self._numbers.get(terminal, unknown) for terminal in terminals]
        # So all that is looked at is there.
        return np.array([0, *known, 0, 0], np.int64)

    def scorer(self, keys: Sequence[IntArray], table: MoveTable) -> MoveScorer:
        """Return what scores moves without a list of the features of each.

        Args:
            keys: The features of each template.
            table: Which moves are possible.
        """
        names = list(ATTRIBUTES)
        looked = [[names.index(name) for name in each.split("+")] for each in self.templates]
        offsets, attributes = flatten(looked)
        return kernels.MoveScorer(
            offsets,
            np.array(attributes, np.int32),
            np.array([self.radix(name) for name in names], np.int64),
            offsets_of(map(len, keys)),
            np.concatenate([np.zeros(0, np.int64), *keys]),
            table.rows,
            table.looks,
            table.offsets,
            table.moves,
        )

    def numbers_of(self, parses: Parses, terminals: Sequence[str]) -> list[IntArray]:
        """[templates]: the number [vertices] of what each template looks at.

        Args:
            parses: The vertices.
            terminals: Those of the sentence.
        """
        ids = self.ids_of(terminals)
        starts, ends = (parses.spans[:, column].astype(np.int64) for column in (0, 1))
        empty = starts == ends
        values = {
            "s1": parses.items[:, 1].astype(np.int64),
            "s2": parses.items[:, 3].astype(np.int64),
            "first": np.where(empty, 0, ids[starts + 1]),
            "last": np.where(empty, 0, ids[ends]),
            "before": ids[starts],
            "next": ids[ends + 1],
            "after": ids[np.minimum(ends + 2, len(ids) - 1)],
        }
        return [self._together(template, values) for template in self.templates]

    def _together(self, template: Template, values: dict[str, IntArray]) -> IntArray:
        number = np.zeros_like(values["s1"])
        for name in template.split("+"):
            number = number * self.radix(name) + values[name]
        return number

    def shown(self, template: Template, number: int) -> str:
        """Return what a template saw, given its number."""
        texts = []
        for name in reversed(template.split("+")):
            number, value = divmod(number, self.radix(name))
            names = self.labels if name in _LABELS else (END, *self.terminals, "?")
            texts.append(f"{name}={names[value]}")
        return " ".join(reversed(texts))
