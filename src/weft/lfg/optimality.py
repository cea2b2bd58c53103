"""Marks of optimality: which analyses are optimal, and which are none at all.

The order of a grammar names marks from the most important one to the least. Of two analyses the
better one has, at the first mark in which they differ, fewer of it, or more of it if it is a mark
of preference, written with +; * before a mark says that what has it is ungrammatical. Marks in one
group count together; others than those named have no effect. Four names are no marks, but say what
those before them do:

NOGOOD
    An analysis with one of them is none.
UNGRAMMATICAL
    An analysis with one of them is of an ungrammatical sentence.
STOPPOINT
    An analysis with one of them is one only if the sentence has no other.
CSTRUCTURE
    They decide among c-structures before f-structures are made; here they decide first, too.

Reference: Frank, King, Kuhn and Maxwell (1998), "Optimality Theory Style Constraint Ranking in
Large-scale LFG Grammars".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

LIMITS = ("NOGOOD", "UNGRAMMATICAL", "STOPPOINT", "CSTRUCTURE")

T = TypeVar("T")


@dataclass(frozen=True)
class Optimality:
    """An order of marks.

    Args:
        order: Groups of marks as `Lfg.optimality` has them.
    """

    order: tuple[tuple[str, ...], ...]
    nogood: frozenset[str] = field(init=False)
    ungrammatical: frozenset[str] = field(init=False)
    stages: tuple[frozenset[str], ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "nogood", self._before("NOGOOD")[-1] | {"NOGOOD"})
        starred = {name[1:] for group in self.order for name in group if name[:1] == "*"}
        object.__setattr__(self, "ungrammatical", self._before("UNGRAMMATICAL")[-1] | starred)
        object.__setattr__(self, "stages", self._before("STOPPOINT"))

    def _before(self, limit: str) -> tuple[frozenset[str], ...]:
        """The marks before each place where a limit stands, after a set of none."""
        found, before = [frozenset[str]()], set[str]()
        for group in self.order:
            if limit in group:
                found.append(frozenset(before))
            before |= {name.lstrip("+*") for name in group} - set(LIMITS)
        return tuple(found)

    def is_ungrammatical(self, marks: Iterable[str]) -> bool:
        """Say whether an analysis with some marks is of an ungrammatical sentence."""
        return not self.ungrammatical.isdisjoint(marks)

    def score(self, marks: Iterable[str]) -> tuple[int, ...]:
        """Return what is least for the best analysis."""
        counts = Counter(marks)
        return tuple(
            sum((-1 if name[:1] == "+" else 1) * counts[name.lstrip("+*")] for name in group)
            for group in self.order
            if not set(group) & set(LIMITS)
        )

    def rank(self, marked: Sequence[tuple[T, Iterable[str]]]) -> tuple[list[T], int]:
        """Return things with marks, best first, and how many of them are optimal.

        >>> order = Optimality((("Rare",), ("+Idiom",)))
        >>> order.rank([("a", ["Rare"]), ("b", []), ("c", ["Idiom"])])
        (['c', 'b', 'a'], 1)
        """
        kept = [(thing, set(marks), self.score(marks)) for thing, marks in marked]
        kept = [each for each in kept if not each[1] & self.nogood]
        # The last STOPPOINT is the first stage: what stands before it is tried only in need.
        for stage in reversed(self.stages):
            within = [each for each in kept if not each[1] & stage]
            if within:
                kept = within
                break
        kept.sort(key=lambda each: (self.is_ungrammatical(each[1]), each[2]))
        best = kept[0][2] if kept else ()
        return [thing for thing, _, _ in kept], sum(each[2] == best for each in kept)
