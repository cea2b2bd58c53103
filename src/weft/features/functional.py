"""Properties of analyses by lexical-functional grammars: what they are told apart by.

A property is a function with a name. It takes an analysis and which attributes are grammatical
functions, and gives names of features, which may come several times; a feature's value is how often
its name comes.

Reference: Johnson, Geman, Canon, Chi and Riezler (1999), "Estimators for Stochastic
'Unification-Based' Grammars", section 2, which took them from Hobbs and Bear (1995).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from weft.features import derived
from weft.lfg.analysis import Analysis, CNode, FValue
from weft.lfg.language import Lfg
from weft.lfg.names import Names
from weft.structures.parse_set import Candidate
from weft.structures.tree import Tree

_DEEPEST = 3  # from which depth on phrases are alike


@dataclass(frozen=True, slots=True)
class Functions:
    """Which attributes are grammatical functions.

    Attributes:
        arguments: Those that a PRED has to list.
        adjuncts: The others whose values have a PRED.
        time: An attribute that only dates and times have.
    """

    arguments: Names
    adjuncts: Names
    time: str = "TIME"

    @classmethod
    def of(cls, grammar: Lfg) -> Functions:
        """Return those of a grammar."""
        return cls(Names(grammar.governable), Names(grammar.semantic))

    def kind(self, attribute: str) -> str:
        """Return ``argument``, ``adjunct``, or nothing."""
        if attribute in self.arguments:
            return "argument"
        return "adjunct" if attribute in self.adjuncts else ""


View = Callable[[CNode], Hashable]
"""What a property looks at of a constituent, beside its category and its f-structure."""


@dataclass(frozen=True, slots=True)
class FunctionalProperty:
    """A property with its name, what it looks at, and its function.

    Attributes:
        name: What comes before the names of its features.
        help: What it looks at, in a line.
        of_analysis: From an analysis to names.
        view: If it is local, what the node above a constituent looks at in its c-structure; what
            constituents with the same view add to an analysis is then the same wherever they
            stand. None if it looks at whole analyses.
    """

    name: str
    help: str
    of_analysis: Callable[[Analysis, Functions], Iterable[str]]
    view: View | None = None


def _nodes(tree: CNode) -> Iterator[CNode]:
    """The nodes of a c-structure without its words, mothers first."""
    agenda = [tree]
    while agenda:
        here = agenda.pop()
        yield here
        agenda += reversed(_daughters(here))


def _daughters(node: CNode) -> list[CNode]:
    return [child for child in node.children if child.value >= 0]


def productions(analysis: Analysis, _: Functions) -> Iterator[str]:
    """Yield each category with its daughters, but not with words."""
    for node in _nodes(analysis.tree):
        below = _daughters(node)
        if below:
            yield f"{node.label} → {' '.join(child.label for child in below)}"


def attachments(analysis: Analysis, functions: Functions) -> Iterator[str]:
    """Yield ``argument`` or ``adjunct`` for each daughter that is one, and that with its function.

    A daughter is attached as a function if the mother's f-structure has the daughter's as the value
    of this function, or as an element of it.
    """
    for node in _nodes(analysis.tree):
        for child in _daughters(node):
            for name in _roles(analysis, node.value, child.value):
                kind = functions.kind(name)
                if kind:
                    yield kind
                    yield f"{kind} {name}"


def _roles(analysis: Analysis, mother: int, daughter: int) -> list[str]:
    if mother == daughter:
        return []
    values = analysis.values
    return [
        name
        for name, value in values[mother].features
        if value == daughter or daughter in (values[value].elements or ())
    ]


def functions_of(analysis: Analysis, functions: Functions) -> Iterator[str]:
    """Yield each grammatical function once for each f-structure that has it, or element of it."""
    for value in analysis.values:
        for name, number in value.features:
            if functions.kind(name):
                elements = analysis.values[number].elements
                yield from [name] * (1 if elements is None else len(elements))


def attribute_atoms(analysis: Analysis, _: Functions) -> Iterator[str]:
    """Yield each attribute with its value that is an atom and no semantic form."""
    for value in analysis.values:
        for name, number in value.features:
            for atom in _atoms(analysis, analysis.values[number]):
                yield f"{name} {atom}"


def _atoms(analysis: Analysis, value: FValue) -> Iterator[str]:
    inside = [value, *(analysis.values[each] for each in value.elements or ())]
    return (e.atom for e in inside if e.atom is not None and e.arguments is None)


def attachment_heights(analysis: Analysis, functions: Functions) -> Iterator[str]:
    """Yield how deep the phrase is that each argument or adjunct is attached to, from 0 to 3.

    The depth counts branching nodes: what could be attached high or low has a smaller number where
    it is attached low.
    """
    depths = _depths(analysis.tree)
    for node in _nodes(analysis.tree):
        below = _daughters(node)
        for child in below:
            kinds = {functions.kind(r) for r in _roles(analysis, node.value, child.value)} - {""}
            others = [depths[id(each)] for each in below if each is not child]
            if kinds and others:
                for kind in sorted(kinds):
                    yield f"{kind} {min(max(others), _DEEPEST)}"


def _depths(tree: CNode) -> dict[int, int]:
    found: dict[int, int] = {}
    for node in reversed(list(_nodes(tree))):
        below = _daughters(node)
        deepest = max((found[id(child)] for child in below), default=0)
        found[id(node)] = deepest + (len(below) > 1)
    return found


def branching(analysis: Analysis, _: Functions) -> Iterator[str]:
    """Yield ``right`` for each branching node that is a last daughter, ``other`` for others."""
    return derived.right_branching(plain_tree(analysis.tree))


def coordination(analysis: Analysis, _: Functions) -> Iterator[str]:
    """Yield ``parallel`` for each coordination whose parts are built alike, ``other`` for the rest.

    A coordination is a node with two or more daughters that are elements of its own set. They are
    built alike if they have the same category, and their daughters the same categories.
    """
    for node in _nodes(analysis.tree):
        elements = analysis.values[node.value].elements or ()
        parts = [child for child in _daughters(node) if child.value in elements]
        if len(parts) > 1:
            shapes = {(part.label, _view_daughters(part)) for part in parts}
            yield "parallel" if len(shapes) == 1 else "other"


def dates(analysis: Analysis, functions: Functions) -> Iterator[str]:
    """Yield what kind of date or time each f-structure is that is one."""
    for value in analysis.values:
        for name, number in value.features:
            if name == functions.time:
                yield from _atoms(analysis, analysis.values[number])


def _view_nothing(_: CNode) -> None:
    return None


def _view_daughters(node: CNode) -> tuple[str, ...]:
    return tuple(child.label for child in _daughters(node))


def _view_depth(node: CNode) -> int:
    return min(_depths(node)[id(node)], _DEEPEST)


def _view_branching(node: CNode) -> bool:
    return _view_depth(node) > 0


def plain_tree(node: CNode) -> Tree:
    """Return a c-structure as a tree of categories over words; a headword of several is these."""
    below: list[Tree | str] = []
    for each in node.children:
        below += each.label.split() if each.value < 0 else [plain_tree(each)]
    return Tree(node.label, tuple(below))


FUNCTIONAL: Mapping[str, FunctionalProperty] = {
    name: FunctionalProperty(name, text, of_analysis, view)
    for name, text, of_analysis, view in (
        ("productions", "each category with its daughters", productions, _view_nothing),
        ("attachments", "arguments and adjuncts, by function", attachments, _view_nothing),
        ("functions", "each grammatical function", functions_of, _view_nothing),
        (
            "heights",
            "how deep the phrase is that arguments and adjuncts are attached to",
            attachment_heights,
            _view_depth,
        ),
        ("branching", "nodes that are last daughters, and others", branching, _view_branching),
        (
            "coordination",
            "whether coordinated phrases are built alike",
            coordination,
            _view_daughters,
        ),
        ("atoms", "each attribute with its atomic value", attribute_atoms, _view_nothing),
        ("dates", "phrases that are dates or times", dates, _view_nothing),
    )
}
"""All properties of lexical-functional analyses, by name."""


def functional_features(
    analysis: Analysis,
    functions: Functions,
    properties: Iterable[FunctionalProperty] = tuple(FUNCTIONAL.values()),
) -> dict[str, float]:
    """Return the features of an analysis: a property and a name, with how often that comes."""
    counts = Counter(
        f"{each.name}: {name}"
        for each in properties
        for name in each.of_analysis(analysis, functions)
    )
    return {name: float(count) for name, count in counts.items()}


def make_candidate(analysis: Analysis, functions: Functions) -> Candidate:
    """Return an analysis as parse selection takes it: its c-structure and its properties."""
    return Candidate(plain_tree(analysis.tree), functional_features(analysis, functions))
