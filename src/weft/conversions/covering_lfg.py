"""Bounds of what a model of parse sets sums to over all analyses of a lexical-functional grammar.

Without f-structures such a grammar is a context-free one over its annotated rules, whose
derivations cover the analyses. What a model says of productions is local there; of a property that
looks at f-structures all that is known is that it counts something, so that a weight below 0 makes
nothing larger. See :mod:`weft.conversions.covering`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from weft.arrays import FloatArray
from weft.conversions.covering import LARGEST
from weft.errors import LimitError, OptionError
from weft.features.compile import GIVEN
from weft.grammars import partition
from weft.lfg.covering import Covering, State
from weft.lfg.language import Category, Description
from weft.lfg.reference.describe import settle_branches
from weft.models.selection.model import SelectionModel
from weft.structures.grammar import Rule, Terminal, grammar

PRODUCTIONS = "productions: "


def bound_lfg_partition(covering: Covering, model: SelectionModel, weights: FloatArray) -> float:
    """Return an upper bound of the log of the sum of all analyses' weights; inf for none.

    Raises:
        OptionError: If there is no such bound: a property other than `productions` has a weight
            above 0, or a defining statement has several paths that only whole sentences decide.
        LimitError: If the covering grammar is too large.
    """
    return partition(grammar(_Bound(covering, model, weights).rules(), "ROOT ")).log_value


def _local_weights(model: SelectionModel, weights: FloatArray) -> dict[str, float]:
    found = {}
    for (kind, name), weight in zip(model.names, weights.tolist(), strict=True):
        if kind == GIVEN and name.startswith(PRODUCTIONS):
            found[name.removeprefix(PRODUCTIONS)] = weight
        elif weight > 0:
            of = name.partition(":")[0] if kind == GIVEN else kind
            raise OptionError(
                f"the property '{of}' is not known from productions alone, and has weights above "
                "0, so that a covering grammar does not bound it"
            )
    return found


class _Bound:
    def __init__(self, covering: Covering, model: SelectionModel, weights: FloatArray) -> None:
        self.covering = covering
        self.weights = _local_weights(model, weights)
        self.beginnings = {
            tuple(name.split(" ")[:length])
            for name in self.weights
            for length in range(2, name.count(" ") + 2)
        }

    def rules(self) -> Iterator[Rule]:
        """The rules of the covering grammar, from the root down."""
        root = self.covering.grammar.root
        yield Rule("ROOT ", (root,), 0.0)
        waiting, seen, count = [root], {root}, 0
        while waiting:
            for rule, below in self._expand(waiting.pop()):
                count += 1
                if count > LARGEST:
                    raise LimitError(f"the covering grammar has more than {LARGEST:,} rules")
                yield rule
                waiting += [each for each in below if each not in seen]
                seen.update(below)

    def _expand(self, category: str) -> Iterator[tuple[Rule, tuple[str, ...]]]:
        for entry, _ in self.covering.entries.get(category, ()):
            yield Rule(category, (Terminal(entry.word),), _log_count(entry.notes)), ()
        rows = self.covering.states.get(category, ())
        if rows:
            yield Rule(category, (f"{category} 0 {category} →",), 0.0), ()
            yield from self._walk(category, rows)

    def _walk(
        self, category: str, rows: tuple[State, ...]
    ) -> Iterator[tuple[Rule, tuple[str, ...]]]:
        """A right side; states know the daughters so far, as long as some weight is for them."""
        waiting: list[tuple[int, tuple[str, ...] | None]] = [(0, (category, "→"))]
        seen = set(waiting)
        while waiting:
            state, so_far = waiting.pop()
            here = _name(category, state, so_far)
            if rows[state].end:
                weight = 0.0 if so_far is None else self.weights.get(" ".join(so_far), 0.0)
                yield Rule(here, (), weight), ()
            for arc in rows[state].arcs:
                after = so_far
                below: tuple[str, ...] = ()
                if isinstance(arc.step, Category):
                    below = (arc.step.name,)
                    after = None if so_far is None else (*so_far, arc.step.name)
                    after = after if after in self.beginnings else None
                there = (arc.target, after)
                body = (*below, _name(category, *there))
                yield Rule(here, body, _log_count(arc.step.notes)), below
                if there not in seen:
                    seen.add(there)
                    waiting.append(there)


def _name(category: str, state: int, so_far: tuple[str, ...] | None) -> str:
    return f"{category} {state} {'' if so_far is None else ' '.join(so_far)}"


def _log_count(notes: Description) -> float:
    """The log of how many branches a description has."""
    found = settle_branches(notes)
    for each in found:
        if each.waiting:
            place = each.waiting[0].place
            raise OptionError(
                f"{place.path}:{place.line}: a statement defines something along a path without "
                "end, so that a covering grammar does not bound the number of analyses"
            )
    return math.log(len(found)) if found else -math.inf
