"""Views: the part of an example that a sum over derivations is told.

    complete D(x, y)  ⊂  input D(x, ?)  ⊂  neighbours D(N(x), ?)  ⊂  everything D(?, ?)

A view gives its evidence a *key*: evidence with equal keys is summed over once.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass

from weft.structures.evidence import EVERYTHING, Evidence, Example


@dataclass(frozen=True, slots=True)
class View:
    """What of an example is observed.

    Attributes:
        name: What messages call it.
        breadth: Its place in the chain of nested sets; a broader view has more derivations.
        look: The key and the evidence of an example.
    """

    name: str
    breadth: int
    look: Callable[[Example], tuple[Hashable, Evidence]]


def _complete(example: Example) -> tuple[Hashable, Evidence]:
    return (example.tokens, example.analysis), Evidence(example.tokens, example.analysis)


def _input(example: Example) -> tuple[Hashable, Evidence]:
    return (example.tokens, None), Evidence(example.tokens)


def _everything(example: Example) -> tuple[Hashable, Evidence]:  # noqa: ARG001
    return None, EVERYTHING


complete = View("complete", 0, _complete)
"""The sentence and all that its labels say."""

input_only = View("input", 1, _input)
"""The sentence alone."""

everything = View("everything", 3, _everything)
"""Nothing: every sentence of the vocabulary with every analysis. All examples share it."""
