"""Tests that can never hold again, so that a search can end early.

Graphs only grow. What has a value keeps it, and what exists goes on existing: a test that a value
is another, or that something does not exist, has failed for good. Nothing depends on this but time.
"""

from __future__ import annotations

from weft.lfg.language import At, CheckEqual, CheckExists, Designator, Local, Meta, Symbol
from weft.lfg.paths import list_plain
from weft.lfg.reference.describe import Said, Scope
from weft.lfg.reference.graph import Atom, Graph


def is_doomed(graph: Graph, said: Said) -> bool:
    """Say whether a test has failed for good; False if that is not yet known."""
    match said.statement:
        case CheckExists(what, False):
            return _find(graph, what, said.scope) is not None
        case CheckEqual(what, Symbol(text), positive):
            node = _find(graph, what, said.scope)
            value = None if node is None else graph[node].value
            return isinstance(value, Atom) and (value.text == text) != positive
    return False


def _find(graph: Graph, designator: Designator, scope: Scope) -> int | None:
    """Return the one node of a designator, if it exists and no set lies on the way."""
    match designator:
        case Meta("^"):
            return scope.up
        case Meta("!"):
            return scope.down
        case Local(name):
            return scope.names[name]
        case At(base, path):
            node = _find(graph, base, scope)
            plain = list_plain(path)
            if plain is None or len(plain) != 1:
                return None
            for step in plain[0]:
                if node is None or step.off_path or graph[node].elements is not None:
                    return None
                node = graph[node].features.get(step.name)
            return node
    return None
