"""Trees with at most two children per node as the moves of a shift-reduce parser, and back.

The moves of a tree are its nodes in post-order, each after its children: a leaf is shifted, a node
over one child is a reduce₁, one over two a reduce₂; and at the end ⋆ is shifted. Trees and parses
are in one-to-one correspondence.

    (NP DT (@NN-1 JJ NN))   ↔   shift(DT) shift(JJ) shift(NN) reduce2(@NN-1) reduce2(NP) shift(⋆)

The leaves are terminals: the tags of words, after
:func:`~weft.grammars.transforms.words.without_words`. Where words have tags and are to be kept, a
shift is of a tag with its word, and the tag comes on the stack.

Reference: Johnson (2001), "Joint and conditional estimation of tagging and parsing models",
section 4.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.errors import EvidenceError
from weft.structures.moves import ACCEPT, END, Move, Reduce, Shift, State
from weft.structures.tree import Tree, is_preterminal


def moves_of(tree: Tree, *, words: bool = False) -> list[Move]:
    """Return the moves that make a tree.

    >>> from weft.structures.tree import Tree
    >>> tree = Tree("NP", (Tree("DT", ("the",)), Tree("NN", ("dog",))))
    >>> print(*moves_of(tree, words=True))
    shift(DT the) shift(NN dog) reduce2(NP) shift(⋆)
    >>> print(*moves_of(Tree("NP", ("DT", "NN"))))
    shift(DT) shift(NN) reduce2(NP) shift(⋆)

    Args:
        tree: The tree, each of whose nodes has one or two children.
        words: Whether its leaves are words with tags over them, and the tags are what is put on
            the stack; by default the leaves themselves are.

    Raises:
        EvidenceError: If a node has no children or more than two, a label is ``END``, or, with
            words, a word has no tag.
    """
    # The last comes first: parents before their children, from right to left.
    moves: list[Move] = [ACCEPT]
    waiting: list[Tree | str] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            moves.append(Shift(node))
            continue
        _check(node, words)
        if words and is_preterminal(node):
            moves.append(Shift(node.label, str(node.children[0])))
        else:
            moves.append(Reduce(len(node.children), node.label))
            waiting.extend(node.children)
    moves.reverse()
    return moves


def _check(node: Tree, words: bool) -> None:
    if not 1 <= len(node.children) <= 2:
        raise EvidenceError(
            f"{node.label!r} has {len(node.children) or 'no'} children, and moves make nodes "
            "with one or two: remove empty nodes, and binarise the tree"
        )
    if END in (node.label, *(() if words else node.children)):
        raise EvidenceError(f"the label {END!r} stands for the end of a sentence: rename it")
    for child in node.children if words and not is_preterminal(node) else ():
        if isinstance(child, str):
            raise EvidenceError(
                f"the word {child!r} has no tag of its own: write it as (TAG {child})"
            )


def tree_of(moves: Sequence[Move]) -> Tree:
    """Return the tree that moves make: the inverse of :func:`moves_of`.

    >>> tree_of([Shift("DT"), Shift("NN"), Reduce(2, "NP"), ACCEPT])
    Tree('(NP DT NN)')

    Raises:
        EvidenceError: If these are not the moves of a parse, with the number of the move that is
            not possible.
    """
    stack: list[Tree | str] = []
    for number, move in enumerate(moves, 1):
        if isinstance(move, Shift):
            if (move.label == END) != (number == len(moves)):
                raise EvidenceError(f"move {number}, {move}: {ACCEPT} is the last move, no other")
            stack.append(move.label if move.word is None else Tree(move.label, (move.word,)))
        elif not 1 <= move.size <= min(2, len(stack)):
            held = f"{len(stack)} label{'' if len(stack) == 1 else 's'}"
            raise EvidenceError(f"move {number}, {move}: the stack has {held}")
        else:
            stack[-move.size :] = [Tree(move.label, tuple(stack[-move.size :]))]
    if len(stack) != 2 or stack[-1] != END or isinstance(stack[0], str):
        left = [one if isinstance(one, str) else one.label for one in stack]
        raise EvidenceError(
            f"the moves leave the stack {' '.join(left) or 'empty'}: a parse leaves {END} over one "
            "nonterminal"
        )
    return stack[0]


def states_of(moves: Sequence[Move]) -> list[State]:
    """Return what the parser knows before each of the moves of a parse.

    >>> for state in states_of(moves_of(Tree("NP", ("DT", "NN")))):
    ...     print(state.top, state.below, state.next)
    ⋆ ⋆ shift(DT)
    DT ⋆ shift(NN)
    NN DT shift(⋆)
    NP ⋆ shift(⋆)
    """
    coming = [move for move in reversed(moves) if isinstance(move, Shift)]
    stack, states = [END, END], []
    for move in moves:
        states.append(State(stack[-1], stack[-2], coming[-1]))
        if isinstance(move, Shift):
            coming.pop()
        else:
            del stack[-move.size :]
        stack.append(move.label)
    return states
