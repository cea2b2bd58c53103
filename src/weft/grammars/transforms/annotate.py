"""Labels with those of the nodes above them, and back.

With vertical order v a phrase is named after itself and v − 1 nodes above it: ``NP^S^TOP`` for
v = 3. A grammar read off such trees expands a phrase depending on where it stands.

References: M. Johnson (1998), "PCFG models of linguistic tree representations", Computational
Linguistics 24(4); D. Klein and C. Manning (2003), "Accurate unlexicalized parsing", ACL.
"""

from __future__ import annotations

from weft.errors import OptionError
from weft.grammars.heads import HeadFinder
from weft.grammars.transforms.binarise import binarise_right, head_outward, unbinarise
from weft.grammars.transforms.labels import join_labels, part_label
from weft.grammars.transforms.rebuild import rebuilt, relabel
from weft.structures.tree import Tree, is_preterminal

_MARK = "^"


def annotate(tree: Tree, order: int = 2, *, tags: bool = False) -> Tree:
    """Return a tree with labels that name the nodes above, too.

    Args:
        tree: The tree.
        order: How many labels a new one is made of, at most: with 1, those of the tree.
        tags: Whether nodes over nothing but one word are annotated, too. With words as leaves these
            are the tags; with tags as leaves they are phrases of one word, and should be.

    Raises:
        OptionError: If the order is below 1.

    >>> sentence = Tree("S", (Tree("NP", (Tree("NN", ("time",)),)), Tree("VBZ", ("flies",))))
    >>> annotate(sentence)
    Tree('(S (NP^S (NN time)) (VBZ flies))')
    >>> annotate(sentence, order=3, tags=True)
    Tree('(S (NP^S (NN^NP^S time)) (VBZ^S flies))')
    """
    if order < 1:
        raise OptionError(f"a vertical order is at least 1, the label itself, not {order}")
    path: list[str] = []

    def make(node: Tree, children: tuple[Tree | str, ...]) -> Tree:
        path.pop()
        above = [] if is_preterminal(node) and not tags else path[:-order:-1]
        return Tree(join_labels([node.label, *above], _MARK), children)

    return rebuilt(tree, make, enter=lambda node: path.append(node.label))


def remove_annotation(tree: Tree) -> Tree:
    """Return the tree that was annotated.

    >>> remove_annotation(Tree("S", (Tree("NP^S", (Tree("NN", ("time",)),)),)))
    Tree('(S (NP (NN time)))')
    """
    return relabel(tree, plain_label)


def plain_label(label: str) -> str:
    """Return the label that was annotated.

    >>> plain_label("NP^S^TOP")
    'NP'
    """
    return part_label(label, _MARK)[0]


def ancestors_of(label: str, parents: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the ancestors that an annotated label names, and those that its children name.

    >>> ancestors_of("NP^S^TOP", 2)
    (('S', 'TOP'), ('NP', 'S'))
    """
    names = part_label(label, _MARK)
    return tuple(names[1:]), tuple(names[:parents])


def markovise(
    tree: Tree,
    horizontal: int | None = None,
    vertical: int = 1,
    heads: HeadFinder | None = None,
    *,
    tags: bool = False,
) -> Tree:
    """Return a tree that is annotated, and then binarised, from the head outwards or the right.

    Args:
        tree: The tree.
        horizontal: After how many of its sisters a new node is named; all by default.
        vertical: Of how many labels, one above the other, a new one is made.
        heads: Which of a node's children is its head; None to join from the right.
        tags: Whether nodes over nothing but one word are annotated, too; see :func:`annotate`.

    >>> noun_phrase = Tree("NP", (Tree("DT", ("a",)), Tree("JJ", ("b",)), Tree("NN", ("c",))))
    >>> markovise(Tree("S", (noun_phrase,)), horizontal=0, vertical=2)
    Tree('(S (NP^S (DT a) (@NP^S (JJ b) (NN c))))')
    """
    above = annotate(tree, vertical, tags=tags)
    if heads is None:
        return binarise_right(above, horizontal)
    return head_outward(above, of_plain_labels(heads), horizontal)


def unmarkovise(tree: Tree) -> Tree:
    """Return the tree that was markovised.

    >>> tree = Tree("S", (Tree("NP", ("DT", "JJ", "NN")),))
    >>> unmarkovise(markovise(tree, 1, 2)) == tree
    True
    """
    return remove_annotation(unbinarise(tree))


def of_plain_labels(heads: HeadFinder) -> HeadFinder:
    """Return what finds the heads of annotated trees, by the labels they had before.

    >>> from weft.grammars.heads import find_head_rules
    >>> verb_phrase = Tree("VP^S", ("RB", Tree("VP^VP", ("VB",))))
    >>> of_plain_labels(find_head_rules("collins"))(verb_phrase)
    1
    """

    def find(node: Tree) -> int:
        children = tuple(
            [
                child if isinstance(child, str) else Tree(plain_label(child.label), ())
                for child in node.children
            ]
        )
        return heads(Tree(plain_label(node.label), children))

    return find
