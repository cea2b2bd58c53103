r"""Derivations of unification grammars, as DELPH-IN systems write them.

In the unified derivation format a node has a number, the name of a rule or of a lexical entry, a
score and the positions where it starts and ends; a leaf has a form in quotes, and perhaps the
tokens that it is made of, each with its feature structure:

    (12 subj-head 0.5 0 2 (7 bare-np 0 0 1 (3 rain_n1 0 0 1 ("rain" 1 "token [ ... ]"))) ...)

The first bracket may hold nothing but the name of the root condition. A short form has names and
words only: ``(subj-head (bare-np (rain_n1 rain)) (fall_v1 falls))``. Both are read into a
:class:`~weft.structures.tree.Tree` whose labels are the names, and whose preterminals are lexical
entries. In the extended format (UDX) names may have a ``^`` before them, for heads, and their type
behind them, as in ``rain_n1@n_-_c_le``: labels keep both.

Names with spaces, such as ``S → NP VP``, and words with brackets cannot be written in either form.
In JSON such a derivation is a list: ``["S → NP VP", ["NP → 'kim'", "kim"], …]``.

Reference: M. Goodman, "Derivation trees", documentation of PyDelphin
(https://pydelphin.readthedocs.io), which has the grammar of the format.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import Any

from weft.errors import FormatError, abbreviate
from weft.structures.tree import Tree, subtrees, write_brackets

# A quotation mark that is not closed takes all the rest, so that it is tried only once.
_SYMBOL = re.compile(r'[()]|"(?:[^"\\]|\\.)*"?|[^\s()"]+', re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_PLAIN = re.compile(r'[^\s()"]+')
_LONG = 5  # number, name, score, start, end
_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Leaf:
    """A word of a derivation.

    Attributes:
        form: As it is written.
        start: The position where its lexical entry starts; None in the short form.
        end: Where it ends.
        tokens: The numbers and feature structures of the tokens that it is made of.
    """

    form: str
    start: int | None = None
    end: int | None = None
    tokens: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class RuleTree:
    """A tree over names of rules and lexical entries.

    Attributes:
        tree: The tree; its words are the forms.
        leaves: The words from left to right, with what is known of them.
    """

    tree: Tree
    leaves: tuple[Leaf, ...]


def read_derivation(text: str) -> RuleTree:
    r"""Read one derivation.

    Raises:
        FormatError: If it is none, with the column.

    >>> read_derivation("(subj-head (bare-np (rain_n1 rain)) (fall_v1 falls))").tree
    Tree('(subj-head (bare-np (rain_n1 rain)) (fall_v1 falls))')
    >>> long = '(root (9 bare-np 0.5 0 1 (3 rain_n1 0 0 1 ("rain" 1 "token [ +TO \\"4\\" ]"))))'
    >>> derivation = read_derivation(long)
    >>> derivation.tree
    Tree('(root (bare-np (rain_n1 rain)))')
    >>> derivation.leaves
    (Leaf(form='rain', start=0, end=1, tokens=((1, 'token [ +TO "4" ]'),)),)
    """
    leaves: list[Leaf] = []
    stack: list[list[str | Tree | Leaf]] = []
    symbols = _SYMBOL.findall(text)
    for place, symbol in enumerate(symbols):
        if symbol == "(":
            stack.append([])
        elif symbol != ")":
            if not stack:
                raise _error("a derivation begins with '('", text, place)
            stack[-1].append(symbol)
        elif not stack:
            raise _error("there is no '(' to this ')'", text, place)
        else:
            try:
                node = _node(stack.pop(), leaves)
            except ValueError as problem:
                raise _error(str(problem), text, place) from None
            if stack:
                stack[-1].append(node)
            elif isinstance(node, Leaf):
                raise _error("a word without a lexical entry over it", text, place)
            elif place + 1 < len(symbols):
                raise _error("one derivation is expected here, and it has ended", text, place + 1)
            else:
                return RuleTree(node, tuple(leaves))
    raise FormatError(
        f"the derivation ends too early; close {len(stack)} brackets of it, or a quotation mark"
        if stack
        else "there is no derivation here; expected '(rule ...)'",
        column=len(text) + 1,
    )


def write_derivation(tree: Tree) -> str | list[Any]:
    """Write a derivation for JSON: in brackets if these can be read back, otherwise as a list.

    >>> write_derivation(Tree("NP", (Tree("N", ("rain",)),)))
    '(NP (N rain))'
    >>> write_derivation(Tree("NP → N", (Tree("N → 'rain'", ("rain",)),)))
    ['NP → N', ["N → 'rain'", 'rain']]
    """
    if all(map(_is_plain, subtrees(tree))):
        return write_brackets(tree)
    whole: list[Any] = [tree.label]
    waiting = [(tree, whole)]
    while waiting:
        node, items = waiting.pop()
        for child in node.children:
            items.append([child.label] if isinstance(child, Tree) else child)
            if isinstance(child, Tree):
                waiting.append((child, items[-1]))
    return whole


def _is_plain(node: Tree) -> bool:
    words = [child for child in node.children if isinstance(child, str)]
    return bool(node.children) and all(map(_PLAIN.fullmatch, (node.label, *words)))


def tree_of_list(items: Any) -> Tree:
    """Read a derivation that is a list: a name, then words or lists.

    Raises:
        FormatError: If it is none.

    >>> tree_of_list(["NP → N", ["N → 'rain'", "rain"]]).label
    'NP → N'
    """
    made: list[Tree | str] = []
    waiting: list[Any] = [items]
    while waiting:
        item = waiting.pop()
        if isinstance(item, _Built):
            below = [made.pop() for _ in range(item.arity)]
            made.append(Tree(item.label, tuple(below)))
        elif isinstance(item, str) and waiting:
            made.append(item)
        elif isinstance(item, list) and item and isinstance(item[0], str) and item[0]:
            if len(set(map(type, item[1:]))) > 1:
                raise FormatError(f"'{abbreviate(item[0])}' has both words and nodes below it")
            waiting += [_Built(item[0], len(item) - 1), *item[1:]]
        else:
            shown = abbreviate(repr(item))
            raise FormatError(f"a node is a list of a name and words or nodes, not {shown}")
    [tree] = made
    assert isinstance(tree, Tree)  # noqa: S101
    return tree


@dataclass(frozen=True, slots=True)
class _Built:
    label: str
    arity: int


def _node(items: list[str | Tree | Leaf], leaves: list[Leaf]) -> Tree | Leaf:
    """Make a node of what stands in its brackets; new leaves are added to the list."""
    first = items[0] if items else ""
    kinds = set(map(type, items[1:]))
    if kinds == {Tree} and isinstance(first, str):  # the short form: most nodes are like this
        return Tree(first, tuple(items[1:]))  # type: ignore[arg-type]
    if isinstance(first, str) and first.startswith('"'):
        return _leaf(first, items[1:])
    count = 0
    while count < len(items) and isinstance(items[count], str):
        count += 1
    names, children = items[:count], items[count:]
    if not children and count > 1:  # the short form: a lexical entry and its words
        words = tuple(str(name) for name in names[1:])
        leaves.extend(Leaf(word) for word in words)
        return Tree(str(first), words)
    strays = not children or any(isinstance(child, str) for child in children)
    if count not in (1, _LONG) or strays:
        raise ValueError(
            "a node is (NAME CHILD ...) or (NUMBER NAME SCORE START END CHILD ...), "
            f"with at least one child; this one has {len(children)} after {count} names and numbers"
        )
    label = str(names[0] if count == 1 else names[1])
    if any(isinstance(child, Leaf) for child in children):
        words = tuple(
            _placed(child, names, leaves) for child in children if isinstance(child, Leaf)
        )
        if len(words) < len(children):
            raise ValueError(f"'{label}' has both words and nodes below it")
        return Tree(label, words)
    return Tree(label, tuple(child for child in children if isinstance(child, Tree)))


def _placed(leaf: Leaf, names: list[str | Tree | Leaf], leaves: list[Leaf]) -> str:
    """Note a leaf with the positions of its entry, and return its form."""
    if leaf.start is None and len(names) == _LONG:
        start, end = (_integer(str(name), "a position") for name in names[3:])
        leaf = Leaf(leaf.form, start, end, leaf.tokens)
    leaves.append(leaf)
    return leaf.form


def _leaf(form: str, rest: list[str | Tree | Leaf]) -> Leaf:
    """A form, and after it tokens; or the two positions that older systems write there."""
    texts = [item for item in rest if isinstance(item, str)]
    if len(texts) % 2 or len(texts) < len(rest):
        raise ValueError('a word is ("FORM") or ("FORM" NUMBER "TOKEN" ...)')
    pairs = list(zip(texts[::2], texts[1::2], strict=True))
    if len(pairs) == 1 and not pairs[0][1].startswith('"'):
        start, end = (_integer(text, "a position") for text in pairs[0])
        return Leaf(_unquoted(form), start, end)
    tokens = tuple((_integer(number, "a token"), _unquoted(token)) for number, token in pairs)
    return Leaf(_unquoted(form), None, None, tokens)


def _unquoted(text: str) -> str:
    inner = text[1:-1] if text.startswith('"') else text
    return _ESCAPE.sub(r"\1", inner) if "\\" in inner else inner


def _integer(text: str, what: str) -> int:
    # Not int alone: it takes underscores, and any number of digits at a cost that grows faster.
    if not re.fullmatch(r"-?[0-9]{1,18}", text):
        raise ValueError(f"{what} is a whole number, not '{text[:_SHOWN]}'")
    return int(text)


def _error(message: str, text: str, place: int) -> FormatError:
    column = next(itertools.islice(_SYMBOL.finditer(text), place, None)).start() + 1
    near = text[max(0, column - _SHOWN) : column + _SHOWN]
    return FormatError(f"{message}, near '{near}'", column=column)
