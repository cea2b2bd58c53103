"""Profiles of [incr tsdb()], the folders in which DELPH-IN keeps the analyses of test suites.

A profile is a small database: ``item`` has the sentences, ``parse`` the attempts to parse them,
``result`` derivations, and ``preference`` which of them an annotator kept. Where a profile has
``edge``, that is the packed forest of all analyses, of which ``result`` only has the kept one; that
one is then looked up in the forest by its rules and positions. Forests may hold derivations that
unpacking would throw out: edges are packed into others that are more general.

PyDelphin reads the tables: ``pip install 'weft-nlp[delphin]'``.

Reference: S. Oepen and D. Flickinger (1998), "Towards systematic grammar profiling", Computer
Speech and Language 12.
"""

from __future__ import annotations

import os
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weft.corpora.parses.derivations import read_derivation
from weft.corpora.parses.sets import Skip
from weft.corpora.parses.tsdb import read_relations
from weft.errors import (
    LONGEST_TEXT,
    FormatError,
    OptionError,
    abbreviate,
    not_installed,
    quote,
)
from weft.features.derived import entity
from weft.files import Source
from weft.structures.parse_set import Candidate, Packed, PackedEdge, ParseSet
from weft.structures.tree import Tree

TOP = "top"
"""The name of a forest's top node; other nodes have numbers."""

_TOKEN, _ROOT = 0, 4  # types of edges


def is_profile(source: Source) -> bool:
    """Say whether a source is the folder of a profile."""
    return isinstance(source, str | os.PathLike) and Path(source, "relations").is_file()


def read_profile(folder: Path, *, skip: Skip | None = None) -> Iterator[ParseSet]:
    """Read the sentences of a profile that have analyses, one at a time.

    Args:
        folder: The profile.
        skip: Told of sentences that are broken, which are then left out; by default the first
            one is an error.

    Raises:
        OptionError: If PyDelphin is not installed.
        FormatError: If a table cannot be read, or a derivation is broken and is not to be skipped.
    """
    tables = _Tables(folder)
    items = {row["i-id"]: row["i-input"] or "" for row in tables.rows("item", "i-id", "i-input")}
    kept = _preferences(tables)
    results = tables.grouped("result", "parse-id", "result-id", "derivation")
    edges = tables.grouped(
        "edge", "parse-id", "e-id", "e-label", "e-type", "e-daughters", "e-alternates"
    )
    for row in tables.rows("parse", "parse-id", "i-id"):
        parse, item = row["parse-id"], row["i-id"]
        # A sentence that was not parsed has no results, and tokens alone for edges.
        whole = any(edge["e-type"] == _ROOT for edge in edges.get(parse, ()))
        if not results.get(parse) and not whole:
            continue
        name = f"{folder.name}/{item}"
        try:
            analyses, right = _analyses(
                results[parse], edges[parse] if whole else None, kept.get(parse, set())
            )
        except ValueError as error:
            message = error.message if isinstance(error, FormatError) else str(error)
            problem = FormatError(f"item {item}: {message}", path=os.fspath(folder))
            if skip is None:
                raise problem from None
            skip(problem)
            continue
        yield ParseSet(name, items.get(item, ""), analyses, right, source=f"{folder}: item {item}")


def _preferences(tables: _Tables) -> Mapping[int, set[int]]:
    """The results that the last version of the annotation kept."""
    versions: dict[int, tuple[int, set[int]]] = {}
    for row in tables.rows("preference", "parse-id", "t-version", "result-id"):
        parse, version = row["parse-id"], row["t-version"] or 0
        newest, found = versions.get(parse, (version, set()))
        if version > newest:
            newest, found = version, set()
        if version == newest:
            found.add(row["result-id"])
        versions[parse] = newest, found
    return {parse: found for parse, (_, found) in versions.items()}


def _analyses(
    results: list[dict[str, Any]], edges: list[dict[str, Any]] | None, kept: set[int]
) -> tuple[tuple[Candidate, ...] | Packed, tuple[int, ...] | None]:
    trees = [read_derivation(row["derivation"] or "").tree for row in results]
    right = [place for place, row in enumerate(results) if row["result-id"] in kept]
    if edges is None:
        return tuple(Candidate(tree) for tree in trees), tuple(right) or None
    forest = _Forest(edges)
    if len(right) != 1:
        return forest.packed, None
    found = forest.find(trees[right[0]])
    if found is None:
        raise ValueError("the kept derivation is not in the packed forest of its edges")
    return forest.packed, tuple(sorted(found))


class _Tables:
    """The tables of a profile, as PyDelphin reads them."""

    def __init__(self, folder: Path) -> None:
        try:
            from delphin import tsdb
        except ImportError as error:
            raise OptionError(not_installed("a profile", "PyDelphin", "delphin")) from error
        self._folder = folder
        self._tsdb = tsdb
        self._unreadable = (tsdb.TSDBError, ValueError, LookupError, OSError, EOFError, zlib.error)
        read_relations(folder)  # names the line that is broken, where PyDelphin knows none
        try:
            self._schema = tsdb.read_schema(folder)
        except (*self._unreadable, AttributeError) as error:
            message = f"is no profile: {abbreviate(str(error), LONGEST_TEXT)}"
            raise FormatError(message, path=os.fspath(folder)) from error

    def rows(self, table: str, *columns: str) -> Iterator[dict[str, Any]]:
        """Yield the rows of a table; none where the profile has no such table."""
        if not any(Path(self._folder, f"{table}{end}").is_file() for end in ("", ".gz")):
            return
        path, number = os.fspath(self._folder / table), 0
        try:
            fields = self._schema[table]
            places = [[field.name for field in fields].index(column) for column in columns]
            with self._tsdb.open(self._folder, table, encoding="utf-8") as lines:
                for line in lines:
                    number += 1
                    cells = self._tsdb.split(line)
                    # Only what is asked for: dates are often not what they should be.
                    numbered = zip(columns, places, strict=True)
                    yield {
                        name: self._tsdb.cast(fields[at].datatype, cells[at])
                        for name, at in numbered
                    }
        except self._unreadable as error:
            problem = abbreviate(str(error), LONGEST_TEXT)
            message = f"this is no row of the table '{table}': {problem}"
            raise FormatError(message, path=path, line=max(number, 1)) from error

    def grouped(self, table: str, key: str, *columns: str) -> dict[int, list[dict[str, Any]]]:
        """Return the rows of a table by a key."""
        found: dict[int, list[dict[str, Any]]] = defaultdict(list)
        for row in self.rows(table, key, *columns):
            found[row[key]].append(row)
        return found


@dataclass(frozen=True, slots=True)
class _Edge:
    """One way to build a node, before it has a number."""

    node: str
    label: str
    children: tuple[str, ...]
    words: tuple[str, ...]


class _Forest:
    """The edges of a parse as a packed forest; an edge and those packed into it make a node."""

    def __init__(self, rows: Iterable[Mapping[str, Any]]) -> None:
        by_id = {row["e-id"]: row for row in rows}
        edges: list[_Edge] = []
        for number, row in by_id.items():
            if row["e-type"] == _ROOT:
                edges.append(_edge(TOP, row, by_id))
            elif row["e-type"] != _TOKEN:
                members = [row, *_alternates(row, by_id)]
                edges.extend(_edge(str(number), member, by_id) for member in members)
        self._edges = _reachable(edges)
        self.by_node: dict[str, list[int]] = defaultdict(list)
        for place, edge in enumerate(self._edges):
            self.by_node[edge.node].append(place)
        self.packed = Packed(
            tuple(
                PackedEdge(edge.node, edge.label, edge.children, edge.words) for edge in self._edges
            ),
            TOP,
        )

    def find(self, tree: Tree) -> frozenset[int] | None:
        """Return the edges of a derivation; its root condition need not be said."""
        known: dict[tuple[int, str], frozenset[int] | None] = {}
        for place in self.by_node[TOP]:
            edge = self._edges[place]
            whole = self._match(tree, place, known)
            if whole is not None:
                return whole
            if len(edge.children) == 1:
                below = self._match_node(tree, edge.children[0], known)
                if below is not None:
                    return below | {place}
        return None

    def _match_node(
        self, tree: Tree, node: str, known: dict[tuple[int, str], frozenset[int] | None]
    ) -> frozenset[int] | None:
        key = (id(tree), node)
        if key not in known:
            known[key] = None  # so that no node is looked for below itself
            matches = (self._match(tree, place, known) for place in self.by_node[node])
            known[key] = next((match for match in matches if match is not None), None)
        return known[key]

    def _match(
        self, tree: Tree, place: int, known: dict[tuple[int, str], frozenset[int] | None]
    ) -> frozenset[int] | None:
        edge = self._edges[place]
        below = [child for child in tree.children if isinstance(child, Tree)]
        if entity(tree.label) != edge.label or len(below) != len(edge.children):
            return None
        found = frozenset([place])
        for child, node in zip(below, edge.children, strict=True):
            match = self._match_node(child, node, known)
            if match is None:
                return None
            found |= match
        return found


def _edge(node: str, row: Mapping[str, Any], by_id: Mapping[int, Mapping[str, Any]]) -> _Edge:
    children = _numbers(row["e-daughters"])
    missing = [child for child in children if child not in by_id]
    if missing:
        raise ValueError(f"edge {row['e-id']} has a daughter {missing[0]} that there is not")
    words = tuple(str(child) for child in children if by_id[child]["e-type"] == _TOKEN)
    nodes = tuple(str(child) for child in children if by_id[child]["e-type"] != _TOKEN)
    return _Edge(node, entity(row["e-label"] or ""), nodes, () if nodes else words)


def _alternates(
    row: Mapping[str, Any], by_id: Mapping[int, Mapping[str, Any]]
) -> Iterator[Mapping[str, Any]]:
    """Yield the edges packed into an edge, and those packed into them."""
    waiting, seen = _numbers(row["e-alternates"]), {row["e-id"]}
    while waiting:
        number = waiting.pop()
        if number in seen or number not in by_id:
            continue
        seen.add(number)
        yield by_id[number]
        waiting.extend(_numbers(by_id[number]["e-alternates"]))


def _numbers(text: str | None) -> list[int]:
    parts = (text or "").strip("() ").split()
    if not all(part.isascii() and part.isdigit() for part in parts):
        raise ValueError(f"expected numbers of edges, as in (12 7), not {quote(text)}")
    return [int(part) for part in parts]


def _reachable(edges: list[_Edge]) -> list[_Edge]:
    """Keep what the top needs."""
    by_node: dict[str, list[_Edge]] = defaultdict(list)
    for edge in edges:
        by_node[edge.node].append(edge)
    seen, waiting = {TOP}, [TOP]
    while waiting:
        for edge in by_node[waiting.pop()]:
            new = [child for child in edge.children if child not in seen]
            seen.update(new)
            waiting.extend(new)
    return [edge for edge in edges if edge.node in seen]
