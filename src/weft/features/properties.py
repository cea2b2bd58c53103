"""Properties of derivations: what the analyses of a sentence are told apart by.

A property is a small function with a name. It returns the features of a derivation, names that
may come several times, or names with values; a feature's value is how often its name comes. *Local*
properties look at one node with its children, and at as many of the nodes above it as they say.
They take trees and packed forests alike. The others look at whole trees.

References: Johnson, Geman, Canon, Chi and Riezler (1999), "Estimators for Stochastic
'Unification-Based' Grammars", section 2; Toutanova, Manning, Flickinger and Oepen (2005),
"Stochastic HPSG Parse Disambiguation using the Redwoods Corpus", for grandparents and n-grams.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from weft.errors import OptionError, abbreviate, no_such
from weft.features import derived
from weft.structures.alternatives import FeatureName
from weft.structures.tree import Tree

Names = Iterable[str] | Mapping[str, float]
"""Names of features, which may be repeated; or names with values."""


LEXICAL = "*"
"""What stands for a lexical entry where it is not named."""


class Node(NamedTuple):
    """A node of a derivation with its children, as local properties see it.

    Attributes:
        label: The rule or the lexical entry.
        children: The labels of the nodes below, from left to right; none over words.
        words: The words of a lexical entry; none over nodes.
        above: The labels of the nodes above, the nearest first; ``^`` above the root.
        types: For each child that is a lexical entry its type, empty where it has none; None for
            the others.
    """

    label: str
    children: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    above: tuple[str, ...] = ()
    types: tuple[str | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Property:
    """A property with its name.

    Attributes:
        name: What switches it on, and the kind of its features.
        help: What it looks at, in a line.
        of_node: From a node to names, if it is local.
        of_tree: From a whole tree to names, if it is not.
        above: How many nodes above it looks at, if it is local.

    >>> words = Property("words", "the words", of_node=lambda node: node.words)
    >>> features(Tree("S", (Tree("A", ("x",)), Tree("B", ("x",)))), [words])
    {('words', 'x'): 2.0}
    """

    name: str
    help: str
    of_node: Callable[[Node], Names] | None = None
    of_tree: Callable[[Tree], Names] | None = None
    above: int = 0

    def __post_init__(self) -> None:
        if not self.name or any(each.isspace() or each == "," for each in self.name):
            raise OptionError(
                f"a property's name has no spaces or commas: '{abbreviate(self.name)}' does"
            )
        if (self.of_node is None) == (self.of_tree is None):
            raise OptionError(
                f"the property '{abbreviate(self.name)}' needs either of_node or of_tree"
            )

    def __str__(self) -> str:
        return self.name


def features(tree: Tree, properties: Sequence[Property]) -> dict[FeatureName, float]:
    """Return the features of a derivation, with the property each comes from.

    >>> tree = Tree("S", (Tree("it", ("it",)), Tree("rain", ("rains",))))
    >>> features(tree, properties("rules"))
    {('rules', 'S → it rain'): 1.0}
    """
    found: dict[FeatureName, float] = defaultdict(float)
    local = [(each.name, each.of_node) for each in properties if each.of_node is not None]
    if local:
        for node in nodes(tree, max(each.above for each in properties)):
            for kind, of_node in local:
                _add(found, kind, of_node(node))
    for each in properties:
        if each.of_tree is not None:
            _add(found, each.name, each.of_tree(tree))
    return dict(found)


def add_names(found: dict[FeatureName, float], local: Property, node: Node) -> None:
    """Add what a local property says of a node to features, which begin at 0."""
    if local.of_node is not None:
        _add(found, local.name, local.of_node(node))


def _add(found: dict[FeatureName, float], kind: str, names: Names) -> None:
    if type(names) is not tuple and isinstance(names, Mapping):  # most are tuples, or empty
        for name, value in names.items():
            found[kind, name] += value
    else:
        for name in names:
            found[kind, name] += 1.0


def nodes(tree: Tree, above: int = 0) -> Iterator[Node]:
    """Return the nodes of a tree as local properties see them.

    >>> [node.above for node in nodes(Tree("S", (Tree("A", ("x",)),)), above=2)]
    [('^', '^'), ('S', '^')]
    """
    waiting: list[tuple[Tree, tuple[str, ...]]] = [(tree, ("^",) * above)]
    while waiting:
        here, context = waiting.pop()
        below = [child for child in here.children if isinstance(child, Tree)]
        if below:
            label = derived.entity(here.label)
            names = tuple([derived.entity(child.label) for child in below])
            yield Node(label, names, (), context, tuple([_type_of(child) for child in below]))
            inner = (label, *context)[:above]
            waiting.extend([(child, inner) for child in reversed(below)])
        else:
            # A lexical entry keeps its type, which only some properties look at.
            words = tuple([word for word in here.children if isinstance(word, str)])
            yield Node(here.label, (), words, context)


def _type_of(tree: Tree) -> str | None:
    """The type of a lexical entry; None of a phrase."""
    over_words = all(isinstance(child, str) for child in tree.children)
    return derived.lexical_type(tree.label) if over_words else None


def _rules(node: Node) -> Names:
    return (f"{node.label} → {' '.join(node.children)}",) if node.children else ()


def _grandparents(node: Node) -> Names:
    rule = f"{node.above[0]} / {node.label} → {' '.join(node.children)}"
    return (rule,) if node.children else ()


def _delexicalised(node: Node, *, typed: bool) -> str:
    """A rule that does not name its lexical daughters."""
    pairs = zip(node.children, node.types, strict=True)
    daughters = (name if kind is None else (typed and kind) or LEXICAL for name, kind in pairs)
    return f"{node.label} → {' '.join(daughters)}"


def _bare_rules(node: Node) -> Names:
    return (node.label, _delexicalised(node, typed=False)) if node.children else ()


def _bare_grandparents(node: Node) -> Names:
    rule = f"{node.above[0]} / {_delexicalised(node, typed=False)}"
    return (rule,) if node.children else ()


def _typed_rules(node: Node) -> Names:
    return (node.label, _delexicalised(node, typed=True)) if node.children else ()


def _typed_grandparents(node: Node) -> Names:
    rule = f"{node.above[0]} / {_delexicalised(node, typed=True)}"
    return (rule,) if node.children else ()


def _entries(node: Node) -> Names:
    return (derived.entity(node.label),) if node.words else ()


def _types(node: Node) -> Names:
    found = derived.lexical_type(node.label) if node.words else ""
    return (found,) if found else ()


def _words(node: Node) -> Names:
    return (f"{derived.entity(node.label)} {' '.join(node.words)}",) if node.words else ()


PROPERTIES: Mapping[str, Property] = {
    each.name: each
    for each in (
        Property("rules", "each rule with its daughters", _rules),
        Property("grandparents", "the same with the node above", _grandparents, above=1),
        Property(
            "bare-rules",
            "each rule's name; and with its daughters, where all lexical entries are alike",
            _bare_rules,
        ),
        Property(
            "bare-grandparents", "the latter with the node above", _bare_grandparents, above=1
        ),
        Property(
            "typed-rules",
            "each rule's name; and with its daughters, of lexical entries only the type",
            _typed_rules,
        ),
        Property(
            "typed-grandparents", "the latter with the node above", _typed_grandparents, above=1
        ),
        Property("entries", "each lexical entry", _entries),
        Property("types", "each lexical type, where derivations have them (entry@type)", _types),
        Property("words", "each lexical entry with its words", _words),
        Property("entry-bigrams", "pairs of neighbouring entries", of_tree=derived.entry_bigrams),
        Property("entry-trigrams", "three neighbouring entries", of_tree=derived.entry_trigrams),
        Property("type-bigrams", "pairs of neighbouring types", of_tree=derived.type_bigrams),
        Property("type-trigrams", "three neighbouring types", of_tree=derived.type_trigrams),
        Property(
            "heights",
            "how deep the phrase is that something is attached to, high or low",
            of_tree=derived.heights,
        ),
        Property(
            "right-branching",
            "how many branching nodes are last daughters, and how many are not",
            of_tree=derived.right_branching,
        ),
        Property(
            "coordination",
            "whether coordinated phrases are built alike",
            of_tree=derived.coordination,
        ),
        Property(
            "dependencies",
            "a rule with the entries of its head and of each dependent",
            of_tree=derived.dependencies,
        ),
    )
}
"""All properties by name."""


def properties(text: str | Iterable[str]) -> tuple[Property, ...]:
    """Return properties by their names, with spaces or commas between them.

    ``all`` stands for all of them, and ``local`` for those that packed forests take, too.

    >>> [each.name for each in properties("rules entries")]
    ['rules', 'entries']

    Raises:
        OptionError: If there is no such property.
    """
    given = text.replace(",", " ").split() if isinstance(text, str) else list(text)
    every = {name: [name] for name in PROPERTIES}
    every["all"] = list(PROPERTIES)
    every["local"] = [name for name, each in PROPERTIES.items() if each.of_node is not None]
    for name in given:
        if name not in every:
            raise OptionError(no_such("property", name, every) + ", and your own in Python")
    return tuple(
        PROPERTIES[name] for name in dict.fromkeys(n for each in given for n in every[each])
    )
