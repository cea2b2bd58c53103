"""The usual clean-ups of treebanks, as steps with names, one after the other.

    traces        words tagged -NONE- go, and phrases that have nothing else
    empties       phrases without a word go
    functions     NP-SBJ-1 and NP=2 become NP; of labels joined by ``|`` the first stays; labels
                  that begin with one of these signs, such as -LRB-, stay as they are
    repeats       X over nothing but X becomes one X
    punctuation   , : . and quotation marks go, and phrases that have nothing else
    root          an outermost ROOT, TOP or S1, or one without a label, over one tree goes
    top           every tree gets the root TOP, in place of such a root where it has one
    words         words go, and their tags become the leaves
    codes         brackets labelled CODE, ID or METADATA go, with all that is in them
    gaps          0, *con*, *T*-1 and the like go, whatever their label, and phrases that have
                  nothing else
    lemmas        of word-lemma the word stays
    historical    codes and gaps go from trees that have a code at their outermost bracket
    text          lines between trees that do not begin with a bracket go

The last five are for treebanks such as the Penn parsed corpora of historical English; see
:mod:`weft.corpora.trees.historical`.

Every name says what goes, but for ``top``. A step takes a tree to a tree, or to None where
nothing is left of it.

References: A. Bies et al. (1995), "Bracketing guidelines for Treebank II style Penn Treebank
project", University of Pennsylvania; M. Collins (1999), "Head-driven statistical models for
natural language parsing", PhD thesis, University of Pennsylvania, for what parsers leave out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from weft.corpora.trees.bracketing import TRACE
from weft.corpora.trees.historical import (
    without_codes,
    without_gaps,
    without_historical,
    without_lemmas,
)
from weft.errors import OptionError, no_such
from weft.grammars.transforms.rebuild import rebuilt, relabel
from weft.grammars.transforms.roots import TOP, add_root
from weft.grammars.transforms.words import without_words
from weft.structures.tree import Tree, is_preterminal

Step = Callable[[Tree], Tree | None]
"""From a tree to a tree, or to None where nothing is left."""

PUNCTUATION = frozenset({",", ":", "``", "''", "."})
"""The Penn Treebank's tags of punctuation that EVALB does not look at; brackets are none."""

ROOTS = frozenset({"", "ROOT", "TOP", "S1"})
"""The labels of roots that say nothing of the sentence."""

_LABEL = re.compile(r"[^-=|]+")


def plain_label(label: str) -> str:
    """Return a label without functions and indices.

    >>> plain_label("NP-SBJ-1"), plain_label("NP=2"), plain_label("-LRB-"), plain_label("ADVP|PRT")
    ('NP', 'NP', '-LRB-', 'ADVP')
    """
    match = _LABEL.match(label)
    return match[0] if match else label


def without_traces(tree: Tree) -> Tree | None:
    """Remove the words that are not heard, and phrases that have no others.

    >>> subject = Tree("NP-SBJ", (Tree("-NONE-", ("*",)),))
    >>> without_traces(Tree("S", (subject, Tree("VP", (Tree("VB", ("Run",)),)))))
    Tree('(S (VP (VB Run)))')
    """
    return _without(tree, frozenset({TRACE}))


def without_punctuation(tree: Tree) -> Tree | None:
    """Remove the words whose tag is one of ``PUNCTUATION``, and phrases that have no others.

    >>> without_punctuation(Tree("S", (Tree("VP", (Tree("VB", ("Run",)),)), Tree(".", ("!",)))))
    Tree('(S (VP (VB Run)))')
    """
    return _without(tree, PUNCTUATION)


def without_empties(tree: Tree) -> Tree | None:
    """Remove the phrases without a word.

    >>> without_empties(Tree("S", (Tree("NP", ()), Tree("VB", ("Run",)))))
    Tree('(S (VB Run))')
    """
    return _without(tree, frozenset(), empties=True)


def without_functions(tree: Tree) -> Tree:
    """Remove functions and indices from all labels; see :func:`plain_label`.

    >>> without_functions(Tree("NP-SBJ", (Tree("NN", ("dog",)),)))
    Tree('(NP (NN dog))')
    """
    return relabel(tree, plain_label)


def without_repeats(tree: Tree) -> Tree:
    """Make one node of a label over nothing but the same label.

    >>> without_repeats(Tree("NP", (Tree("NP", (Tree("NN", ("dog",)),)),)))
    Tree('(NP (NN dog))')
    """
    return rebuilt(tree, _without_repeat)


def without_root(tree: Tree) -> Tree:
    """Remove a root of ``ROOTS`` over one tree, and again while there is one.

    >>> without_root(Tree("ROOT", (Tree("S", (Tree("VB", ("Run",)),)),)))
    Tree('(S (VB Run))')
    """
    while tree.label in ROOTS and len(tree.children) == 1:
        [child] = tree.children
        if isinstance(child, str):
            break
        tree = child
    return tree


def with_top(tree: Tree) -> Tree:
    """Put the root TOP over a tree, in place of one of ``ROOTS`` where it has one.

    >>> with_top(Tree("S", (Tree("VB", ("Run",)),)))
    Tree('(TOP (S (VB Run)))')
    >>> with_top(Tree("", (Tree("UH", ("Oh",)), Tree(",", (",",)))))
    Tree('(TOP (UH Oh) (, ,))')
    """
    tree = without_root(tree)
    if tree.label in ROOTS and not is_preterminal(tree):
        return Tree(TOP, tree.children)
    return add_root(tree)


def without_text(tree: Tree) -> Tree:
    """Leave a tree as it is: lines between trees are gone when they have been read."""
    return tree


STEPS: Mapping[str, Step] = {
    "traces": without_traces,
    "empties": without_empties,
    "functions": without_functions,
    "repeats": without_repeats,
    "punctuation": without_punctuation,
    "root": without_root,
    "top": with_top,
    "words": without_words,
    "codes": without_codes,
    "gaps": without_gaps,
    "lemmas": without_lemmas,
    "historical": without_historical,
    "text": without_text,
}
"""The steps by name."""

USUAL = (without_historical, without_traces, without_functions, without_repeats, with_top)
"""The steps before a grammar is read off a treebank, if nothing is said."""


def find_steps(names: str) -> tuple[Step, ...]:
    """Return the steps of a list such as ``traces,functions``; of the empty list, none.

    Raises:
        OptionError: If there is no step of a name.

    >>> find_steps("traces,words") == (without_traces, without_words)
    True
    """
    listed = [name.strip() for name in names.split(",")] if names.strip() else []
    for name in listed:
        if name not in STEPS:
            message = no_such("clean-up", name, STEPS)
            raise OptionError(f"{message}: list those that you want with commas between them")
    return tuple(STEPS[name] for name in listed)


def names_of(steps: Iterable[Step]) -> str:
    """Return the list that names steps, those without a name left out.

    >>> names_of(USUAL)
    'historical,traces,functions,repeats,top'
    """
    named = {step: name for name, step in STEPS.items()}
    return ",".join(named[step] for step in steps if step in named)


def clean(tree: Tree, steps: Iterable[Step] = USUAL) -> Tree | None:
    """Return a tree after several steps, or None where nothing is left of it.

    >>> subject = Tree("NP-SBJ", (Tree("-NONE-", ("*",)),))
    >>> clean(Tree("S", (subject, Tree("VP", (Tree("VB", ("Run",)),)))))
    Tree('(TOP (S (VP (VB Run))))')
    >>> clean(subject) is None
    True
    """
    left: Tree | None = tree
    for step in steps:
        if left is None:
            return None
        left = step(left)
    return left


def _without(tree: Tree, tags: frozenset[str], empties: bool = False) -> Tree | None:
    """Remove words by their tags, and what they leave empty; or also what was empty before."""

    def make(node: Tree, children: tuple[Tree | str | None, ...]) -> Tree | None:
        if is_preterminal(node):
            return None if node.label in tags else node
        left = tuple([child for child in children if child is not None])
        if not left and (empties or node.children):
            return None
        return Tree(node.label, left)

    return rebuilt(tree, make)


def _without_repeat(node: Tree, children: tuple[Tree | str, ...]) -> Tree:
    if len(children) == 1:
        [child] = children
        if isinstance(child, Tree) and child.label == node.label:
            return child
    return Tree(node.label, children)
