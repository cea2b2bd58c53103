"""Composition: what one machine writes, the next one reads.

    (S ∘ T)(x, z) = ⊕_y S(x, y) ⊗ T(y, z)

Reference: Mohri, Pereira and Riley (1996), "Weighted Automata in Text and Speech Processing".
"""

from __future__ import annotations

from collections.abc import Iterator

from weft.automata.transducer import (
    EPSILON,
    MOST_ARCS,
    Arc,
    Transducer,
    check_size,
    outgoing,
    trim,
)

_State = tuple[int, int, bool]


def compose(first: Transducer, second: Transducer, limit: int = MOST_ARCS) -> Transducer:
    """Return the machine that relates what the first reads to what the second writes.

    Between two words that pass from one to the other, the first machine takes its steps that
    write nothing before the second takes those that read nothing. So each pair of paths makes
    one path, and no weight counts twice.

    >>> from weft.automata import string_acceptor, transducer
    >>> swap = transducer([(0, "a", "b", 0), (0, "b", "a", 0)], [0])
    >>> [arc.output for arc in compose(string_acceptor(["a", "b"]), swap).arcs]
    ['b', 'a']

    Args:
        first: The machine that writes.
        second: The machine that reads what the first one writes.
        limit: How many arcs the result may have.

    Returns:
        The composition, trimmed.

    Raises:
        LimitError: If it would have more arcs.
    """
    left, right = outgoing(first), _by_input(second)
    numbers: dict[_State, int] = {(0, 0, False): 0}
    waiting: list[_State] = [(0, 0, False)]
    arcs: list[Arc] = []
    for state in waiting:
        for reads, writes, target, weight in _steps(left, right, state):
            if target not in numbers:
                numbers[target] = len(numbers)
                waiting.append(target)
            arcs.append(Arc(numbers[state], reads, writes, numbers[target], weight))
            check_size(len(arcs), limit, "the composition's arcs")
    finals = (first.finals[one] + second.finals[other] for one, other, _ in numbers)
    return trim(Transducer(tuple(arcs), tuple(finals)))


def _by_input(machine: Transducer) -> list[dict[str, list[Arc]]]:
    rows: list[dict[str, list[Arc]]] = [{} for _ in machine.finals]
    for arc in machine.arcs:
        rows[arc.source].setdefault(arc.input, []).append(arc)
    return rows


def _steps(
    left: list[list[Arc]], right: list[dict[str, list[Arc]]], state: _State
) -> Iterator[tuple[str, str, _State, float]]:
    """Yield what is read and written, where it leads, and the weight.

    The third part of a state says that the second machine has moved alone since the last word.
    """
    one, other, alone = state
    for arc in left[one]:
        if arc.output != EPSILON:
            for match in right[other].get(arc.output, ()):
                target = (arc.target, match.target, False)
                yield arc.input, match.output, target, arc.weight + match.weight
        elif not alone:
            yield arc.input, EPSILON, (arc.target, other, False), arc.weight
    for arc in right[other].get(EPSILON, ()):
        yield EPSILON, arc.output, (one, arc.target, True), arc.weight
