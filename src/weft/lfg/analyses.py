"""The analyses of a sentence, best first: listed, or packed (:mod:`weft.lfg.forest`)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import overload

import numpy as np

from weft.lfg.analysis import Analysis
from weft.lfg.pictures import show_analysis
from weft.reprs import Pictured, shorten


class Analyses(Pictured, ABC):
    """The analyses of a sentence, best first: a sequence."""

    @abstractmethod
    def __len__(self) -> int: ...

    @overload
    def __getitem__(self, number: int) -> Analysis: ...

    @overload
    def __getitem__(self, number: slice) -> tuple[Analysis, ...]: ...

    @abstractmethod
    def __getitem__(self, number: int | slice) -> Analysis | tuple[Analysis, ...]: ...

    def __iter__(self) -> Iterator[Analysis]:
        return (self[number] for number in range(len(self)))

    @abstractmethod
    def sample(self, count: int, rng: np.random.Generator) -> list[Analysis]:
        """Draw some, all alike."""

    @property
    @abstractmethod
    def words(self) -> tuple[str, ...]:
        """The words that it was split into."""

    @property
    @abstractmethod
    def unknown(self) -> tuple[str, ...]:
        """Words that the lexicon has nothing for."""

    @property
    @abstractmethod
    def optimal(self) -> int:
        """How many of the analyses, the first ones, are optimal."""

    @property
    def truncated(self) -> bool:
        """Whether a limit ended the search, so that analyses are missing."""
        return False

    @property
    def is_starred(self) -> bool:
        """Whether the optimal analyses are ungrammatical."""
        return False

    @property
    def count(self) -> int:
        """How many there are, however many."""
        return len(self)

    def __repr__(self) -> str:
        more = ", truncated" if self.truncated else ""
        things = "analysis" if self.numbers in ("1", "*1") else "analyses"
        return f"<{self.numbers} {things} of {shorten(' '.join(self.words))!r}{more}>"

    @property
    def numbers(self) -> str:
        """How many there are as XLE shows it: the optimal ones and, if there are any, others.

        A star before it says that the optimal ones are ungrammatical.
        """
        others = self.count - self.optimal
        optimal = f"{'*' if self.is_starred else ''}{self.optimal}"
        return f"{optimal}+{others}" if others else optimal

    def best(self) -> Analysis:
        """Return the first of the optimal analyses.

        Raises:
            IndexError: If there is none.
        """
        return self[0]

    def draw(self, number: int = 0) -> str:
        """Return an analysis as text: its c-structure, and its f-structure as a matrix.

        Raises:
            IndexError: If there is no such analysis.
        """
        return show_analysis(self[number])


@dataclass(frozen=True, eq=False, repr=False)
class ListedAnalyses(Analyses):
    """Analyses that were found one by one.

    Attributes:
        words: The words that the sentence was split into.
        items: The analyses.
        optimal: How many of them, the first ones, are optimal.
        unknown: Words that the lexicon has nothing for.
        truncated: Whether a limit ended the search, so that analyses are missing.
        is_starred: Whether the optimal ones are ungrammatical.
    """

    words: tuple[str, ...] = ()
    items: tuple[Analysis, ...] = ()
    optimal: int = 0
    unknown: tuple[str, ...] = ()
    truncated: bool = False
    is_starred: bool = False

    def __len__(self) -> int:
        return len(self.items)

    @overload
    def __getitem__(self, number: int) -> Analysis: ...

    @overload
    def __getitem__(self, number: slice) -> tuple[Analysis, ...]: ...

    def __getitem__(self, number: int | slice) -> Analysis | tuple[Analysis, ...]:
        return self.items[number]

    def sample(self, count: int, rng: np.random.Generator) -> list[Analysis]:
        """Draw optimal analyses, all alike."""
        return [self.items[int(each)] for each in rng.integers(self.optimal, size=count)]
