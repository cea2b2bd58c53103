"""What users give as examples, as models take them; and what is said of anything else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from weft.errors import ExampleError
from weft.grammars.forms.nltk import is_nltk_tree, tree_from_nltk
from weft.structures.evidence import Example, Sentence
from weft.structures.tree import Tree, leaves

_TAGGED = "weft.example(words, tags)"


def observed(each: Any) -> Any:
    """Return what is given as an example, if it is one of any family.

    >>> observed([("the", "DT"), ("dog", "NN")])
    Traceback (most recent call last):
    weft.errors.ExampleError: an example must be a weft.example, not a list of pairs: make examples
    of tagged sentences with examples_from_nltk of weft.interfaces.nltk

    Raises:
        ExampleError: If it is something else, with what to do.
    """
    if callable(getattr(each, "evidence", None)):
        return each
    kind, advice = _advice(each)
    raise ExampleError(f"an example must be a weft.example, not {kind}: {advice}")


def _advice(each: Any) -> tuple[str, str]:
    """What something is that is no example, and what to do."""
    kind = type(each).__name__
    if isinstance(_tree_of(each), Tree) or is_nltk_tree(each):
        return "a tree", f"parsers (weft.Cfg) learn from trees, and taggers from {_TAGGED}"
    if isinstance(each, list | tuple) and each:
        first = each[0]
        if isinstance(first, list | tuple) and len(first) == 2:
            tool = "examples_from_nltk of weft.interfaces.nltk"
            return f"a {kind} of pairs", f"make examples of tagged sentences with {tool}"
    return kind, f"give {_TAGGED}"


def tree_example(each: Any) -> Example:
    """Return an example, given one or a tree, ours, a file's or NLTK's, whose leaves are its words.

    Raises:
        ExampleError: If it is neither, with what to do.
    """
    if isinstance(each, Example):
        if not is_nltk_tree(each.parse):
            return each
        return replace(each, parse=tree_from_nltk(each.parse))
    tree = tree_from_nltk(each) if is_nltk_tree(each) else _tree_of(each)
    if not isinstance(tree, Tree):
        kind = type(each).__name__
        raise ExampleError(f"an example must be a weft.example or a tree, not {kind}")
    source = "" if tree is each else str(getattr(each, "source", ""))
    return Example(Sentence((tuple(leaves(tree)),), source=source), parse=tree)


def _tree_of(each: Any) -> Any:
    """A tree, or that of a record of a treebank's file."""
    return each if isinstance(each, Tree) else getattr(each, "tree", None)
