"""The laws of a semiring, checked on examples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import Any, TypeAlias, TypeVar

from weft.algebra.semiring import Semiring
from weft.errors import WeftError

T = TypeVar("T")

Equation: TypeAlias = tuple[str, T, T]
"""A law, and what its two sides come to."""


class LawError(WeftError, AssertionError):
    """A law does not hold; the message names the law and the elements."""


def check_semiring(semiring: Semiring[T], elements: Iterable[T]) -> None:
    """Check every law of a semiring on all triples of some elements.

    >>> from weft.algebra import COUNTING
    >>> check_semiring(COUNTING, [0, 1, 2, 5])

    Args:
        semiring: What to check.
        elements: Examples; a few, since every triple of them is tried.

    Raises:
        LawError: If some law does not hold, up to ``semiring.close``.
    """
    examples = list(elements)
    for laws, arity in _LAWS:
        for chosen in product(examples, repeat=arity):
            for law, left, right in laws(semiring, *chosen):
                if not semiring.close(left, right):
                    names = ", ".join(f"{n} = {x!r}" for n, x in zip("abc", chosen, strict=False))
                    raise LawError(
                        f"{semiring!r} breaks the law {law} for {names}: {left!r} is not {right!r}"
                    )


def _identities(semiring: Semiring[T], a: T) -> Iterator[Equation[T]]:
    zero, one, plus, times = semiring.zero, semiring.one, semiring.plus, semiring.times
    yield "a = a", a, a
    yield "0 ⊕ a = a", plus(zero, a), a
    yield "a ⊕ 0 = a", plus(a, zero), a
    yield "1 ⊗ a = a", times(one, a), a
    yield "a ⊗ 1 = a", times(a, one), a
    yield "0 ⊗ a = 0", times(zero, a), zero
    yield "a ⊗ 0 = 0", times(a, zero), zero


def _commutativity(semiring: Semiring[T], a: T, b: T) -> Iterator[Equation[T]]:
    yield "a ⊕ b = b ⊕ a", semiring.plus(a, b), semiring.plus(b, a)


def _associativity(semiring: Semiring[T], a: T, b: T, c: T) -> Iterator[Equation[T]]:
    plus, times = semiring.plus, semiring.times
    yield "(a ⊕ b) ⊕ c = a ⊕ (b ⊕ c)", plus(plus(a, b), c), plus(a, plus(b, c))
    yield "(a ⊗ b) ⊗ c = a ⊗ (b ⊗ c)", times(times(a, b), c), times(a, times(b, c))


def _distributivity(semiring: Semiring[T], a: T, b: T, c: T) -> Iterator[Equation[T]]:
    plus, times = semiring.plus, semiring.times
    yield "a ⊗ (b ⊕ c) = a ⊗ b ⊕ a ⊗ c", times(a, plus(b, c)), plus(times(a, b), times(a, c))
    yield "(a ⊕ b) ⊗ c = a ⊗ c ⊕ b ⊗ c", times(plus(a, b), c), plus(times(a, c), times(b, c))


# From the simplest to the most derived, so that the first to fail says most.
_LAWS: tuple[tuple[Callable[..., Iterator[Equation[Any]]], int], ...] = (
    (_identities, 1),
    (_commutativity, 2),
    (_associativity, 3),
    (_distributivity, 3),
)
