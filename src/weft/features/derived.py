"""What properties that look at whole derivations are made of: functions from a tree to names.

Labels are names of rules and of lexical entries. In DELPH-IN's extended format a head has a ``^``
before its name, and any name may have its type behind it: ``^rain_n1@n_-_c_le``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from weft.structures.tree import Tree, subtrees

_DEEPEST = 3  # from which depth on phrases are alike
_SPECIFIED = ("spec", "spr-", "sp-")


def entity(label: str) -> str:
    """Return the name in a label.

    >>> entity("^rain_n1@n_-_c_le"), entity("subjh")
    ('rain_n1', 'subjh')
    """
    if "@" not in label and label[:1] != "^":
        return label
    if label[:1] == "^" and len(label) > 1:
        label = label[1:]
    return label.partition("@")[0] or label


def lexical_type(label: str) -> str:
    """Return the type in a label, if it has one.

    >>> lexical_type("rain_n1@n_-_c_le"), lexical_type("rain_n1")
    ('n_-_c_le', '')
    """
    return label.partition("@")[2] if entity(label) != label else ""


def entry_bigrams(tree: Tree) -> Iterator[str]:
    """Yield pairs of neighbouring lexical entries, the sentence's ends included.

    >>> list(entry_bigrams(Tree("S", (Tree("it_x", ("it",)), Tree("rain_v", ("rains",))))))
    ['^ it_x', 'it_x rain_v', 'rain_v $']
    """
    return _ngrams([entity(each.label) for each in preterminals_of(tree)], 2)


def entry_trigrams(tree: Tree) -> Iterator[str]:
    """Yield three neighbouring lexical entries."""
    return _ngrams([entity(each.label) for each in preterminals_of(tree)], 3)


def type_bigrams(tree: Tree) -> Iterator[str]:
    """Yield pairs of neighbouring lexical types; nothing where derivations have none."""
    return _ngrams(_types(tree), 2)


def type_trigrams(tree: Tree) -> Iterator[str]:
    """Yield three neighbouring lexical types; nothing where derivations have none."""
    return _ngrams(_types(tree), 3)


def _types(tree: Tree) -> list[str]:
    found = [lexical_type(each.label) for each in preterminals_of(tree)]
    return found if any(found) else []


def _ngrams(items: Sequence[str], length: int) -> Iterator[str]:
    padded = ["^", *items, "$"] if items else []
    return (" ".join(padded[start : start + length]) for start in range(len(padded) - length + 1))


def preterminals_of(tree: Tree) -> Iterator[Tree]:
    """Yield the lexical entries from left to right: the nodes over words, be they several.

    >>> [each.label for each in preterminals_of(Tree("NP", (Tree("new_york", ("New", "York")),)))]
    ['new_york']
    """
    return (each for each in subtrees(tree) if each.children and isinstance(each.children[0], str))


def _below(tree: Tree) -> list[Tree]:
    return [child for child in tree.children if isinstance(child, Tree)]


def _measured(tree: Tree) -> Iterator[tuple[Tree, int]]:
    """Yield every node, children first, with the branching nodes on a longest way down."""
    order = list(subtrees(tree))
    depth: dict[int, int] = {}
    for node in reversed(order):  # in pre-order, children come after their parents
        below = _below(node)
        deepest = max((depth[id(child)] for child in below), default=0)
        depth[id(node)] = deepest + (len(below) > 1)
        yield node, depth[id(node)]


def heights(tree: Tree) -> Iterator[str]:
    """Yield each branching rule with the depth of the deepest phrase that it joins something to.

    An adjunct that could be attached to phrases within each other has a smaller depth where it is
    attached low.

    >>> inner = Tree("vp", (Tree("left_v", ("left",)), Tree("early_a", ("early",))))
    >>> list(heights(Tree("vp", (inner, Tree("today_a", ("today",))))))
    ['vp 0', 'vp 1']
    """
    for node, depth in _measured(tree):
        if len(_below(node)) > 1:
            shown = min(depth - 1, _DEEPEST)
            yield f"{entity(node.label)} {shown}{'+' if shown == _DEEPEST else ''}"


def right_branching(tree: Tree) -> Iterator[str]:
    """Yield ``right`` for each branching node that is a last daughter, and ``other`` for the rest.

    >>> pair = Tree("np", (Tree("the_d", ("the",)), Tree("dog_n", ("dog",))))
    >>> list(right_branching(Tree("s", (pair, Tree("vp", (Tree("saw_v", ("saw",)), pair))))))
    ['other', 'right', 'right']
    """
    for node in subtrees(tree):
        below = _below(node)
        for place, child in enumerate(below):
            if len(_spine(child).children) > 1 and len(below) > 1:
                yield "right" if place + 1 == len(below) else "other"


def _spine(tree: Tree) -> Tree:
    """The first node from here down that does not have one daughter only."""
    while len(tree.children) == 1 and isinstance(tree.children[0], Tree):
        tree = tree.children[0]
    return tree


def coordination(tree: Tree) -> Iterator[str]:
    """Yield for each coordination whether its first and last phrase are built alike.

    A coordination is a branching node whose name has ``coord`` or ``conj`` in it, or ends in
    ``&``; below it, such nodes are parts of it. Phrases are alike if the same rules are at their
    tops.

    >>> one, other = Tree("np", (Tree("dog_n", ("dogs",)),)), Tree("n", (Tree("cat_n", ("cats",)),))
    >>> mid = Tree("np_coord_mid", (Tree("and_c", ("and",)), other))
    >>> list(coordination(Tree("np_coord_top", (one, mid))))
    ['unlike', 'unlike np_coord_top']
    """
    inner: set[int] = set()
    for node in subtrees(tree):
        below = _below(node)
        if not _coordinates(node) or len(below) < 2:
            continue
        inner.update(id(child) for child in below if _coordinates(child))
        if id(node) in inner:
            continue
        first, last = below[0], below[-1]
        while _coordinates(last) and len(_below(last)) > 1:
            last = _below(last)[-1]
        alike = "alike" if entity(first.label) == entity(last.label) else "unlike"
        yield from (alike, f"{alike} {entity(node.label)}")


def _coordinates(tree: Tree) -> bool:
    name = entity(tree.label).lower()
    return "coord" in name or "conj" in name or name.endswith("&")


def dependencies(tree: Tree) -> Iterator[str]:
    """Yield each rule with the lexical entries of its head and of each other daughter.

    >>> tree = Tree("subj-head", (Tree("dog_n", ("dogs",)), Tree("bark_v", ("bark",))))
    >>> list(dependencies(tree))
    ['subj-head bark_v dog_n']
    """
    heads: dict[int, str] = {}
    for node in reversed(list(subtrees(tree))):
        below = _below(node)
        if not below:
            heads[id(node)] = entity(node.label)
            continue
        place = head_of([child.label for child in below], node.label)
        heads[id(node)] = heads[id(below[place])]
        for other, child in enumerate(below):
            if other != place:
                yield f"{entity(node.label)} {heads[id(node)]} {heads[id(child)]}"


def head_of(daughters: Iterable[str], label: str) -> int:
    """Return which daughter is the head.

    It is the one that is marked with ``^``. Where none is, names of rules tell: in ``subj-head``
    and ``sb-hd_mc_c`` the head comes last, in ``head-comp`` and ``hcomp`` first; a specifier
    comes before its head whatever the name; and what no name tells has its head last.

    >>> head_of(["a", "^b", "c"], "x"), head_of("ab", "hd-cmp_u_c"), head_of("ab", "head-spec")
    (1, 0, 1)
    """
    labels = list(daughters)
    for place, daughter in enumerate(labels):
        if daughter[:1] == "^" and len(daughter) > 1:
            return place
    last = len(labels) - 1
    name = entity(label).lower()
    if any(part in name for part in _SPECIFIED):
        return last
    return 0 if name.startswith("h") else last
