"""What the weights of a grammar are called."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weft.arrays import IntArray
from weft.grammars.heads import HeadFinder
from weft.structures.alternatives import FeatureName
from weft.structures.grammar import Rule, shown
from weft.structures.tree import Tree

if TYPE_CHECKING:
    from weft.models.grammar.model import GrammarModel


def head_of(rule: Rule, find: HeadFinder) -> str:
    """Return what the head of a rule's right side is called; empty where there is none."""
    names = [each if isinstance(each, str) else each.text for each in rule.body]
    node = Tree(rule.head, tuple(Tree(name, ()) for name in names))
    return names[find(node)] if names else ""


def grammar_features(
    model: GrammarModel, coordinates: IntArray, find: HeadFinder
) -> list[FeatureName]:
    """Return the kinds and names of some coordinates of θ, in the order given."""
    rules, kinds = model.grammar.rule_count, model.parameters.kinds
    starts = np.array([kind.start for kind in kinds], np.int64)
    which = (np.searchsorted(starts, coordinates, side="right") - 1).tolist()
    others = _others(model, find) if (coordinates >= rules).any() else {}
    return [
        (
            kinds[kind].name,
            shown(model.grammar.rule(place)) if place < rules else others[place],
        )
        for kind, place in zip(which, coordinates.tolist(), strict=True)
    ]


def _others(model: GrammarModel, find: HeadFinder) -> dict[int, str]:
    """The names of what goes with the labels of phrases: heads, and what tables look at."""
    grammar = model.grammar
    found: dict[int, str] = {}
    if model.head_weights is not None:
        for rule, place in zip(grammar.rules(), model.head_weights.tolist(), strict=True):
            found.setdefault(place, f"{head_of(rule, find)} → {rule.head}")
    for table in model.tables:
        for value, row in table.values.items():
            for label in np.flatnonzero(table.weights[row] >= 0).tolist():
                name = f"{table.feature}={value} → {grammar.nonterminals[label]}"
                found[int(table.weights[row, label])] = name
    return found
