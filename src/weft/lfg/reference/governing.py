"""Completeness and coherence.

Reference: Kaplan and Bresnan (1982), section 4.5.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

from weft.lfg.language import Lfg, Path
from weft.lfg.names import Names
from weft.lfg.paths import build_path
from weft.lfg.reference.graph import Graph, SemanticForm
from weft.lfg.reference.reading import Group, View


class Government:
    """Which functions need a governor, and which need a PRED of their own."""

    def __init__(self, grammar: Lfg) -> None:
        self.governable = Names(grammar.governable)
        self.semantic = Names(grammar.semantic)


@cache
def licensed(form: SemanticForm) -> frozenset[str]:
    """Return the functions that a semantic form lists."""
    paths = [path for path in (*form.thematic, *form.other) if path is not None]
    return frozenset(
        getattr(move, "name", "") for path in paths for move, _, _ in build_path(path).arcs[0]
    )


def predicate(graph: Graph, node: int) -> SemanticForm | None:
    """Return the semantic form that is the PRED of a node."""
    found = graph[node].features.get("PRED")
    value = None if found is None else graph[found].value
    return value if isinstance(value, SemanticForm) else None


def find_incoherent(
    graph: Graph, government: Government, *, late: bool, nodes: Iterable[int] | None = None
) -> Iterator[str]:
    """Yield what no PRED governs; unless `late`, only where there is a PRED that does not.

    With `nodes`, which stand for all that are one with them, only what these have is looked at.
    """
    for node in list(graph.nodes()) if nodes is None else nodes:
        features = graph.contents[node].features
        if not features or not (late or "PRED" in features):
            continue
        found = [name for name in features if name in government.governable]
        if not found or (late and graph.contents[node].elements is not None):
            continue
        form = predicate(graph, node)
        if form is None:
            if late:
                yield f"{', '.join(sorted(found))} without a PRED"
            continue
        for name in sorted(found):
            if name not in licensed(form):
                yield f"PRED '{form.name}' governs no {name}"


def find_incomplete(view: View, government: Government) -> Iterator[str]:
    """Yield arguments that are not there, and functions that lack a PRED."""
    for node in list(view.graph.nodes()):
        if view.graph.contents[node].elements is not None:
            continue
        form = predicate(view.graph, node)
        if form is not None:
            yield from (
                f"PRED '{form.name}' lacks {show_path(path)}"
                for paths, needs_pred in ((form.thematic, True), (form.other, False))
                for path in paths
                if path is not None and not _reaches(view, node, path, needs_pred)
            )
        for name in sorted(view.graph.contents[node].features):
            if name in government.semantic and not _have_pred(view, view.follow((node,), name)):
                yield f"{name} without a PRED"


def _reaches(view: View, node: int, path: Path, needs_pred: bool) -> bool:
    ends = (way.end for way in view.walk((node,), path))
    return any(None not in end and (not needs_pred or _have_pred(view, end)) for end in ends)


def _have_pred(view: View, group: Group) -> bool:
    return None not in view.follow(group, "PRED")


def show_path(path: Path) -> str:
    """Return a path for messages."""
    names = sorted({getattr(m, "name", "$") for row in build_path(path).arcs for m, _, _ in row})
    return " ".join(names)
