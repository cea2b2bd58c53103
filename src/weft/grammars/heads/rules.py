"""Which child of a node is its head, by a table of rules.

A table has a line a search: a label, a way to search and the labels searched for.

    VP   left        TO VBD VBN     the leftmost TO; if there is none the leftmost VBD; and so on
    PP   right       IN TO          likewise from the right
    NP   any-right   NN NNS JJR     the rightmost child that is any of these; any-left likewise
    NP   last        POS            the last child, if it is one of these
    NP   right                      the rightmost child, if nothing was found so far
    *    coordinated CC             if the child before the head is one of these, the head is the
                                    child before that; for all labels

The searches of a label are tried in their order. Where none finds a child it is the leftmost, or
the rightmost if the last search was from the right; ``*`` has the searches of all labels that the
table does not have. Lines that begin with ``#`` are comments.

The table ``collins`` comes with the package: M. Collins (1999), "Head-driven statistical models
for natural language parsing", PhD thesis, University of Pennsylvania, appendix A.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import NamedTuple

from weft.errors import FormatError, OptionError, no_such
from weft.files import Source, name_of, read_lines
from weft.structures.tree import Tree

HeadFinder = Callable[[Tree], int]
"""From a node to the number of its child that is the head, from 0."""

HEAD_TABLES = ("collins",)
"""The tables that come with the package."""

WAYS = ("left", "right", "any-left", "any-right", "last")
"""The ways to search."""

_OTHERS = "*"
_COORDINATED = "coordinated"


class HeadSearch(NamedTuple):
    """One search for a head among the children.

    Attributes:
        way: One of ``WAYS``.
        labels: What is searched for; any child if there are none.
    """

    way: str
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HeadRules:
    """A table of head rules: called with a node, it says which of its children is the head.

    Attributes:
        searches: The searches of each label, in their order; ``*`` for all others.
        conjunctions: The labels behind which no head stands: what is before them is the head.

    >>> rules = HeadRules({"VP": (HeadSearch("left", ("VBZ", "VB")),)})
    >>> rules(Tree("VP", ("RB", "VB", "NP")))
    1
    """

    searches: Mapping[str, tuple[HeadSearch, ...]]
    conjunctions: frozenset[str] = frozenset()

    def __call__(self, node: Tree) -> int:
        """Return the number of a node's head among its children, from 0.

        Raises:
            ValueError: If there are no children.
        """
        if not node.children:
            raise ValueError(f"a node {node.label!r} without children has no head")
        names = [child if isinstance(child, str) else child.label for child in node.children]
        found = _found(self.searches.get(node.label, self.searches.get(_OTHERS, ())), names)
        if found >= 2 and names[found - 1] in self.conjunctions:
            return found - 2
        return found

    def lines(self) -> Iterator[str]:
        """Yield the lines of the table, as :func:`read_head_rules` reads them.

        >>> list(HeadRules({"VP": (HeadSearch("left", ("VBZ", "VB")),)}).lines())
        ['VP left VBZ VB']
        """
        for label, several in self.searches.items():
            yield from (" ".join([label, way, *labels]) for way, labels in several)
        if self.conjunctions:
            yield " ".join([_OTHERS, _COORDINATED, *sorted(self.conjunctions)])


def choose_head_rules(text: str) -> HeadRules:
    """Return a table that comes with the package, by its name, or else that of a file.

    Raises:
        OptionError: If there is neither a table nor a file of that name.
        FormatError: If the file cannot be read.

    >>> choose_head_rules("collins")(Tree("NP", ("DT", "NN", "POS")))
    2
    """
    if text in HEAD_TABLES or not os.path.exists(text):
        return find_head_rules(text)
    return read_head_rules(text)


def find_head_rules(name: str) -> HeadRules:
    """Return a table that comes with the package.

    >>> find_head_rules("collins")(Tree("NP", ("DT", "NN", "POS")))
    2

    Raises:
        OptionError: If there is none of that name.
    """
    if name not in HEAD_TABLES:
        message = no_such("table of head rules", name, HEAD_TABLES)
        raise OptionError(f"{message}, or give a file with lines 'LABEL left|right LABEL …'")
    data = resources.files("weft.grammars.heads").joinpath(f"{name}.heads").read_bytes()
    return read_head_rules(io.BytesIO(data))


def read_head_rules(source: Source) -> HeadRules:
    r"""Read a table of head rules.

    Args:
        source: A path, ``-`` for the standard input, or a binary stream.

    Raises:
        FormatError: At a line that is no rule.

    >>> rules = read_head_rules(io.BytesIO(b"# English\nVP left VBZ VB\n* right\n"))
    >>> rules(Tree("VP", ("RB", "VB", "NP"))), rules(Tree("NP", ("DT", "NN")))
    (1, 1)
    """
    searches: dict[str, tuple[HeadSearch, ...]] = {}
    conjunctions: set[str] = set()
    for number, line in read_lines(source):
        fields = line.split()
        if not fields or fields[0].startswith("#"):
            continue
        if fields[:2] == [_OTHERS, _COORDINATED] and len(fields) > 2:
            conjunctions.update(fields[2:])
            continue
        if len(fields) < 2 or fields[1] not in WAYS:
            message = f"expected a label and one of {', '.join(WAYS)}, then labels"
            raise FormatError(
                f"{message}; write for example 'VP left VBZ VB', or '* coordinated CC'",
                path=name_of(source),
                line=number,
                text=line[:300],
            )
        label, way, *labels = fields
        searches[label] = (*searches.get(label, ()), HeadSearch(way, tuple(labels)))
    return HeadRules(searches, frozenset(conjunctions))


def first_child(node: Tree) -> int:  # noqa: ARG001
    """The head is the first child.

    >>> first_child(Tree("NP", ("DT", "NN")))
    0
    """
    return 0


def last_child(node: Tree) -> int:
    """The head is the last child.

    >>> last_child(Tree("NP", ("DT", "NN")))
    1
    """
    return len(node.children) - 1


def _found(searches: Sequence[HeadSearch], names: Sequence[str]) -> int:
    for search in searches:
        for place in _places(search, names):
            return place
    from_right = bool(searches) and searches[-1].way not in ("left", "any-left")
    return len(names) - 1 if from_right else 0


def _places(search: HeadSearch, names: Sequence[str]) -> Iterator[int]:
    """The places that a search finds, the best first."""
    places = range(len(names))
    ordered = places if search.way in ("left", "any-left") else places[::-1]
    if not search.labels:
        yield from ordered
    elif search.way == "last":
        yield from places[-1:] if names[-1] in search.labels else ()
    elif search.way in ("any-left", "any-right"):
        yield from (place for place in ordered if names[place] in search.labels)
    else:
        for label in search.labels:
            yield from (place for place in ordered if names[place] == label)
