"""What a run can be continued from: snapshots between two iterations.

An optimiser offers a snapshot before it tells its callback of an iteration. A callback that is a
:class:`Keeper` may take it, and may bring one along: then the run goes on from there, tells of that
iteration again, and ends with the same bits as one that was never interrupted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from weft.arrays import FloatArray
from weft.optimise.solution import Callback, Step

Arrays = Mapping[str, npt.NDArray[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """All there is to know of a run.

    Attributes:
        arrays: Its arrays by name, with every number that need not be finite.
        facts: The rest, ready for JSON.
    """

    arrays: Arrays
    facts: Mapping[str, Any] = field(default_factory=dict)

    def under(self, name: str) -> Snapshot:
        """Return the same with names that begin with another."""
        arrays = {f"{name}.{key}": each for key, each in self.arrays.items()}
        return Snapshot(arrays, {name: dict(self.facts)})

    def part(self, name: str) -> Snapshot:
        """Return what :meth:`under` was given."""
        start = f"{name}."
        arrays = {
            key.removeprefix(start): each
            for key, each in self.arrays.items()
            if key.startswith(start)
        }
        return Snapshot(arrays, self.facts[name])

    def __add__(self, other: Snapshot) -> Snapshot:
        return Snapshot({**self.arrays, **other.arrays}, {**self.facts, **other.facts})


Take = Callable[[], Snapshot]
"""Makes the snapshot, if somebody wants it."""


@dataclass(frozen=True, slots=True, eq=False)
class Keeper:
    """A callback that is offered snapshots.

    Attributes:
        tell: Told of every iteration; True stops.
        keep: Offered a snapshot before that.
        resume: Where the run is to go on; None for its start.
    """

    tell: Callback | None
    keep: Callable[[Take], None]
    resume: Snapshot | None = None

    def __call__(self, step: Step, weights: FloatArray) -> bool | None:
        """Tell of an iteration."""
        return self.tell(step, weights) if self.tell else None


def resumed(callback: Callback | None) -> Snapshot | None:
    """Return where a run is to go on; None for its start."""
    return callback.resume if isinstance(callback, Keeper) else None


def offer(callback: Callback | None, take: Take) -> None:
    """Offer a snapshot to whoever may want it."""
    if isinstance(callback, Keeper):
        callback.keep(take)


def telling(callback: Callback | None, tell: Callback) -> Callback:
    """Return a callback that tells otherwise, and keeps the same."""
    return Keeper(tell, callback.keep, callback.resume) if isinstance(callback, Keeper) else tell


def pack_steps(steps: Sequence[Step]) -> FloatArray:
    """Return a trace as an array [steps, fields]."""
    rows = [
        (each.iteration, each.value, each.gradient_norm, each.step, each.evaluations, each.seconds)
        for each in steps
    ]
    return np.array(rows, np.float64).reshape(len(rows), 6)


def unpack_steps(rows: npt.NDArray[Any]) -> list[Step]:
    """Return the trace that :func:`pack_steps` was given.

    >>> unpack_steps(pack_steps([Step(1, -2.5, 0.5, 1.0, 3, 0.25)]))
    [Step(iteration=1, value=-2.5, gradient_norm=0.5, step=1.0, evaluations=3, seconds=0.25)]
    """
    return [Step(int(row[0]), row[1], row[2], row[3], int(row[4]), row[5]) for row in rows.tolist()]
