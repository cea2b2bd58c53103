"""Weighted finite-state transducers: relations between strings, with weights.

A path from the initial state to a final one reads the inputs of its arcs and writes their outputs;
its log-weight is the sum of those of its arcs and of its end. The machine relates the string x to
the string y with the sum of the weights of all paths that read x and write y, where an algebra
(:data:`weft.algebra.LOG` or :data:`weft.algebra.MAX`) says what a sum is. An *acceptor* writes
what it reads: it is a weighted set of strings.

Reference: Mohri (2009), "Weighted Automata Algorithms", in Droste, Kuich and Vogler (eds.),
Handbook of Weighted Automata.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from weft.errors import LimitError

EPSILON = ""
"""Reads or writes nothing. No word is empty."""

ANY = "\n"
"""Stands for any word, until :func:`with_words` says which there are. No word is a line's end."""

MOST_ARCS = 1_000_000
"""A machine with more arcs is not made unless it is asked for."""


class Arc(NamedTuple):
    """A step of a transducer.

    Attributes:
        source: The state that it leaves.
        input: What it reads, a word or :data:`EPSILON`.
        output: What it writes, likewise.
        target: The state that it leads to.
        weight: Its log-weight; −inf for what is impossible.
    """

    source: int
    input: str
    output: str
    target: int
    weight: float = 0.0


@dataclass(frozen=True, slots=True)
class Transducer:
    """A machine whose states are numbered from 0, the initial one.

    Attributes:
        arcs: The arcs, sorted by their sources; those of a state keep their order.
        finals: The log-weight with which a path may end in each state; −inf where it may not.

    Raises:
        ValueError: If there is no state, an arc leads from or to one that does not exist, or a
            weight is not a number or +inf.

    >>> once = Transducer((Arc(0, "a", "b", 1),), (-math.inf, 0.0))
    >>> once.state_count
    2
    """

    arcs: tuple[Arc, ...]
    finals: tuple[float, ...]

    def __post_init__(self) -> None:
        arcs = sorted((Arc(*arc) for arc in self.arcs), key=lambda arc: arc.source)
        object.__setattr__(self, "arcs", tuple(arcs))
        object.__setattr__(self, "finals", tuple(map(float, self.finals)))
        if not self.finals:
            raise ValueError("a transducer needs at least one state, the initial one")
        for arc in self.arcs:
            if not (0 <= arc.source < self.state_count and 0 <= arc.target < self.state_count):
                raise ValueError(f"{arc}: there are states 0 to {self.state_count - 1} only")
        for weight in (*self.finals, *(arc.weight for arc in self.arcs)):
            if math.isnan(weight) or weight == math.inf:
                raise ValueError(f"a log-weight must be a number or -inf, not {weight}")

    @property
    def state_count(self) -> int:
        """How many states there are."""
        return len(self.finals)

    @property
    def acceptor(self) -> bool:
        """Whether every arc writes what it reads."""
        return all(arc.input == arc.output for arc in self.arcs)


class Tape(Enum):
    """The two strings that a path relates."""

    INPUT = "input"
    OUTPUT = "output"


def transducer(
    arcs: Iterable[tuple[int, str, str, int] | tuple[int, str, str, int, float]],
    finals: Iterable[int],
) -> Transducer:
    """Make an unweighted transducer, or one with weights on its arcs.

    >>> delete_one = transducer(
    ...     [(0, ANY, ANY, 0), (0, ANY, EPSILON, 1), (1, ANY, ANY, 1)], finals=[0, 1]
    ... )
    >>> delete_one.state_count, delete_one.finals
    (2, (0.0, 0.0))

    Args:
        arcs: Each arc's source, input, output and target, and perhaps its log-weight.
        finals: The states in which a path may end.

    Returns:
        The transducer.

    Raises:
        ValueError: If a state's number is negative, or far larger than the number of arcs.
    """
    made = [Arc(*arc) for arc in arcs]
    ends = set(finals)
    states = [0, *ends, *(state for arc in made for state in (arc.source, arc.target))]
    if min(states) < 0:
        raise ValueError("states are numbered from 0, the initial one")
    if max(states) > 2 * len(made) + MOST_ARCS:
        raise ValueError(f"there is a state {max(states)}, but few arcs; number states from 0 on")
    weights = (0.0 if state in ends else -math.inf for state in range(max(states) + 1))
    return Transducer(tuple(made), tuple(weights))


def string_acceptor(words: Sequence[str]) -> Transducer:
    """Return the machine of one string.

    >>> [arc.input for arc in string_acceptor(["time", "flies"]).arcs]
    ['time', 'flies']
    """
    arcs = [(number, word, word, number + 1) for number, word in enumerate(words)]
    return transducer(arcs, [len(words)])


def outgoing(machine: Transducer) -> list[list[Arc]]:
    """Return the arcs of each state.

    >>> [len(arcs) for arcs in outgoing(string_acceptor(["time", "flies"]))]
    [1, 1, 0]
    """
    rows: list[list[Arc]] = [[] for _ in machine.finals]
    for arc in machine.arcs:
        rows[arc.source].append(arc)
    return rows


def with_words(machine: Transducer, words: Iterable[str], limit: int = MOST_ARCS) -> Transducer:
    """Return a transducer in which :data:`ANY` has become arcs for the words there are.

    ``ANY`` to ``ANY`` copies: it reads and writes the same word. Otherwise it stands for each word
    on its own.

    >>> copy = transducer([(0, ANY, ANY, 0)], [0])
    >>> [(arc.input, arc.output) for arc in with_words(copy, ["time", "flies"]).arcs]
    [('time', 'time'), ('flies', 'flies')]

    Raises:
        LimitError: If it would have more than ``limit`` arcs.
    """
    known = tuple(dict.fromkeys(words))
    wild = sum(ANY in (arc.input, arc.output) for arc in machine.arcs)
    check_size(len(machine.arcs) + wild * (len(known) - 1), limit, "the words' arcs")
    arcs: list[Arc] = []
    for arc in machine.arcs:
        if ANY in (arc.input, arc.output):
            arcs += [_with_word(arc, word) for word in known]
        else:
            arcs.append(arc)
    return Transducer(tuple(arcs), machine.finals)


def project(machine: Transducer, tape: Tape) -> Transducer:
    """Return the acceptor of a transducer's inputs or outputs.

    >>> project(transducer([(0, "a", "b", 1)], [1]), Tape.OUTPUT).arcs[0][1:3]
    ('b', 'b')
    """
    symbols = [arc.input if tape is Tape.INPUT else arc.output for arc in machine.arcs]
    arcs = (
        arc._replace(input=symbol, output=symbol)
        for arc, symbol in zip(machine.arcs, symbols, strict=True)
    )
    return Transducer(tuple(arcs), machine.finals)


def union(*machines: Transducer) -> Transducer:
    """Return the machine of all paths of several machines.

    Its initial state has no other arcs than one without a word to each machine's.

    >>> both = union(string_acceptor(["a"]), string_acceptor(["b"]))
    >>> both.state_count, len(both.arcs)
    (5, 4)
    """
    arcs: list[Arc] = []
    finals = [-math.inf]
    for machine in machines:
        shift = len(finals)
        arcs.append(Arc(0, EPSILON, EPSILON, shift))
        moved = (arc._replace(source=arc.source + shift) for arc in machine.arcs)
        arcs += [arc._replace(target=arc.target + shift) for arc in moved]
        finals += machine.finals
    return Transducer(tuple(arcs), tuple(finals))


def remove_weights(machine: Transducer) -> Transducer:
    """Return a transducer whose possible arcs and ends all have weight 0.

    >>> remove_weights(transducer([(0, "a", "a", 1, -2.5), (0, "b", "b", 1, -math.inf)], [1])).arcs
    (Arc(source=0, input='a', output='a', target=1, weight=0.0),)
    """
    arcs = (arc._replace(weight=0.0) for arc in machine.arcs if arc.weight > -math.inf)
    finals = (weight if weight == -math.inf else 0.0 for weight in machine.finals)
    return Transducer(tuple(arcs), tuple(finals))


def trim(machine: Transducer) -> Transducer:
    """Return a transducer without the states and arcs that no path from start to end uses.

    The states keep their order. The initial one stays, even where no path is left.

    >>> trim(transducer([(0, "a", "a", 2), (0, "b", "b", 1)], [2])).state_count
    2
    """
    arcs = [arc for arc in machine.arcs if arc.weight > -math.inf]
    ends = [state for state, weight in enumerate(machine.finals) if weight > -math.inf]
    forwards = _reached([0], _neighbours((arc.source, arc.target) for arc in arcs))
    backwards = _reached(ends, _neighbours((arc.target, arc.source) for arc in arcs))
    kept = sorted((forwards & backwards) | {0})
    numbers = {state: number for number, state in enumerate(kept)}
    if 0 not in backwards:
        return Transducer((), (-math.inf,))
    return Transducer(
        tuple(
            arc._replace(source=numbers[arc.source], target=numbers[arc.target])
            for arc in arcs
            if arc.source in numbers and arc.target in numbers
        ),
        tuple(machine.finals[state] for state in kept),
    )


def check_size(size: int, limit: int, what: str) -> None:
    """Refuse a machine that is too large.

    Raises:
        LimitError: If its arcs are more than the limit.
    """
    if size > limit:
        message = f"{what} would be more than {limit:,}"
        raise LimitError(f"{message}; make the machine or the sentence smaller, or raise the limit")


def _with_word(arc: Arc, word: str) -> Arc:
    reads, writes = (word if symbol == ANY else symbol for symbol in (arc.input, arc.output))
    return arc._replace(input=reads, output=writes)


def _neighbours(pairs: Iterable[tuple[int, int]]) -> dict[int, list[int]]:
    rows: dict[int, list[int]] = {}
    for one, other in pairs:
        rows.setdefault(one, []).append(other)
    return rows


def _reached(starts: Iterable[int], neighbours: Mapping[int, Iterable[int]]) -> set[int]:
    seen = set(starts)
    waiting = list(seen)
    while waiting:
        for state in neighbours.get(waiting.pop(), ()):
            if state not in seen:
                seen.add(state)
                waiting.append(state)
    return seen
