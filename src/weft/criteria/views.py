"""Views: the part of an example that a sum over derivations is told.

    complete D(x, y)  ⊂  input D(x, ?)  ⊂  neighbours D(N(x), ?)  ⊂  everything D(?, ?)

A view gives its evidence a *key*: evidence with equal keys is summed over once.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from weft.reprs import describe
from weft.structures.evidence import EVERYTHING


class Observed(Protocol):
    """All that a criterion asks of an example, whatever its analyses are."""

    @property
    def tokens(self) -> Any:
        """The sentence; the same object wherever it is the same sentence."""
        ...

    @property
    def weight(self) -> float:
        """How often the example counts."""
        ...

    def evidence(self, labelled: bool = True) -> Any:
        """What the model takes for evidence, with the analysis or without; equal if alike."""
        ...


Look = Callable[[Any], tuple[Hashable, Any]]
"""From an example to the key and the evidence of what is observed of it."""


@dataclass(frozen=True, slots=True, repr=False)
class View:
    """What of an example is observed.

    Attributes:
        name: What messages call it.
        breadth: Its place in the chain of nested sets; a broader view has more derivations.
        over: From a corpus to how each of its examples is looked at.
        any_word: Whether it sums over all words of the model's vocabulary, so that sentences with
            other words are no part of it.
        whole: Whether it looks at all examples at once.
    """

    name: str
    breadth: int
    over: Callable[[Sequence[Any]], Look]
    any_word: bool = False
    whole: bool = False

    def __repr__(self) -> str:
        return describe(self, self.name)

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Return where a view of this module is found: copies are itself, compared by ``is``."""
        place = _CONSTANTS.get(self.name)
        ours = place is not None and globals()[place] is self
        return place if ours else object.__reduce_ex__(self, protocol)


_CONSTANTS = {"complete": "complete", "input": "input_only", "everything": "everything"}
"""Where the views of this module are found, by their names."""


def _complete(example: Observed) -> tuple[Hashable, Any]:
    evidence = example.evidence()
    return evidence, evidence


def _input(example: Observed) -> tuple[Hashable, Any]:
    evidence = example.evidence(labelled=False)
    return evidence, evidence


def _everything(example: Observed) -> tuple[Hashable, Any]:  # noqa: ARG001
    return None, EVERYTHING


complete = View("complete", 0, lambda corpus: _complete)  # noqa: ARG005
"""The sentence and all that its labels say."""

input_only = View("input", 1, lambda corpus: _input)  # noqa: ARG005
"""The sentence alone."""

everything = View("everything", 3, lambda corpus: _everything, any_word=True)  # noqa: ARG005
"""Nothing: every sentence of the vocabulary with every analysis. All examples share it."""
