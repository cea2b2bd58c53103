"""What the Penn parsed corpora of historical languages have in trees beside words.

    ( (CODE <P_26>) (IP-MAT (NP-SBJ *con*) (VBD saw) (CP-THT (C 0) ...)) (ID AELR3,26.5))

Brackets labelled CODE, ID or METADATA say something of the text, and are no part of the sentence.
What is not heard stands under any label: ``0``, ``*con*``, ``*pro*``, ``*T*-1`` or ``*``. Some
corpora, such as the Icelandic one, write words with their lemmas: ``sagði-segja``.

Reference: A. Kroch and A. Taylor (2000), "The Penn-Helsinki Parsed Corpus of Middle English",
second edition, University of Pennsylvania; E. Rögnvaldsson et al. (2012), "The Icelandic Parsed
Historical Corpus (IcePaHC)", LREC.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from weft.grammars.transforms.rebuild import rebuilt
from weft.grammars.transforms.words import with_leaves
from weft.structures.tree import Tree, is_preterminal, leaves

CODES = frozenset({"CODE", "ID", "METADATA"})
"""The labels of what is said of the text."""

_GAP = re.compile(r"0|\*(?:[A-Za-z]+\*)?(?:-[0-9]+)?")
_NUMERALS = ("NUM", "CD")
_LEMMA = re.compile(r"(.*[^-])-([^-]+)", re.DOTALL)


def is_historical(tree: Tree) -> bool:
    """Say whether a tree has one of ``CODES`` at its root, or right below one without a label.

    >>> is_historical(Tree("", (Tree("FRAG", ("amen",)), Tree("ID", ("A,1.2",)))))
    True
    """
    below = tree.children if not tree.label else ()
    return tree.label in CODES or any(
        isinstance(child, Tree) and child.label in CODES for child in below
    )


def without_codes(tree: Tree) -> Tree | None:
    """Remove brackets labelled CODE, ID or METADATA, with all that is in them.

    >>> without_codes(Tree("", (Tree("FRAG", ("amen",)), Tree("ID", ("A,1.2",)))))
    Tree('( (FRAG amen))')
    """

    def make(node: Tree, children: tuple[Tree | str | None, ...]) -> Tree | None:
        return None if node.label in CODES else _kept(node, children)

    return rebuilt(tree, make)


def without_gaps(tree: Tree) -> Tree | None:
    """Remove ``0`` where it is no numeral, ``*con*``, ``*T*-1`` and the like, under any label.

    >>> without_gaps(Tree("CP", (Tree("C", ("0",)), Tree("NP", ("*pro*",)), Tree("VBD", ("ran",)))))
    Tree('(CP (VBD ran))')
    """

    def make(node: Tree, children: tuple[Tree | str | None, ...]) -> Tree | None:
        heard = [
            child
            for child in children
            if not (isinstance(child, str) and _GAP.fullmatch(child) and _is_gap(child, node))
        ]
        return _kept(node, heard)

    return rebuilt(tree, make)


def without_lemmas(tree: Tree) -> Tree:
    """Remove from words what follows their last hyphen, where there is something on both sides.

    >>> without_lemmas(Tree("VBDI", ("sagði-segja",))), without_lemmas(Tree(",", ("---",)))
    (Tree('(VBDI sagði)'), Tree('(, ---)'))
    """
    return with_leaves(tree, map(_without_lemma, leaves(tree)))


def without_historical(tree: Tree) -> Tree | None:
    """Do both ``without_codes`` and ``without_gaps`` where a tree is one of those corpora's.

    >>> without_historical(Tree("", (Tree("C", ("0",)), Tree("ID", ("A,1.2",))))) is None
    True
    >>> without_historical(Tree("NP", (Tree("CD", ("0",)), Tree("NN", ("*",)))))
    Tree('(NP (CD 0) (NN *))')
    """
    if not is_historical(tree):
        return tree
    left = without_codes(tree)
    return None if left is None else without_gaps(left)


def lemma_share(words: Iterable[str]) -> float:
    """Return the share of words that may be followed by lemmas.

    >>> lemma_share(["og-og", "sagði-segja", "hann", "-"])
    0.5
    """
    found = [bool(_LEMMA.fullmatch(word)) for word in words]
    return sum(found) / max(len(found), 1)


def _is_gap(word: str, node: Tree) -> bool:
    return word != "0" or not (is_preterminal(node) and node.label.startswith(_NUMERALS))


def _kept(node: Tree, children: Iterable[Tree | str | None]) -> Tree | None:
    """The node with what is left below it; None where something was there and nothing is left."""
    left = tuple(child for child in children if child is not None)
    return None if node.children and not left else Tree(node.label, left)


def _without_lemma(word: str) -> str:
    match = _LEMMA.fullmatch(word)
    return match[1] if match else word
