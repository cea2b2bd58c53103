r"""Labels that transforms make, of another type than those of the treebank.

A made label begins with ``@``. A treebank may have such labels, too: wherever a transform makes
labels, those that it finds are *protected*, by a backslash before an ``@`` or a backslash with
which they begin. So the first character says whether a label was made, whatever labels a
treebank has, and after several transforms each inverse finds what its own transform made.

Where several names become one label they are joined by a mark, before which, and before a
backslash, stands a backslash if it was in a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from weft.errors import LimitError
from weft.structures.tree import Tree

MADE = "@"
"""The first character of every made label."""

LONGEST_LABEL = 5_000
"""A longer made label is refused: those of wide nodes grow without bound, if all is named."""

_ESCAPE = "\\"
_TERMINAL = "'"


def made(text: str) -> str:
    """Return the label of a new node.

    Raises:
        LimitError: If it has more than ``LONGEST_LABEL`` characters.

    >>> made("NP-1")
    '@NP-1'
    """
    if len(text) > LONGEST_LABEL:
        message = f"the name of a new node, '{MADE}{text[:20]}…', has {len(text):,} characters"
        raise LimitError(f"{message}, too many for a label; binarise trees with an order")
    return MADE + text


def is_made(label: str) -> bool:
    """Say whether a label is one of a new node.

    >>> is_made(made("NP-1")), is_made("NP-1"), is_made(protect("@NP-1"))
    (True, False, False)
    """
    return label.startswith(MADE)


def protect(label: str, mark: str = MADE) -> str:
    r"""Return a label that does not begin with a mark, and from which ``unprotect`` gets it back.

    >>> protect("NP"), protect("@NP")
    ('NP', '\\@NP')
    """
    return _ESCAPE + label if label.startswith((mark, _ESCAPE)) else label


def unprotect(label: str) -> str:
    """Return the label that was protected.

    >>> unprotect("NP"), unprotect(protect("@NP"))
    ('NP', '@NP')
    """
    return label.removeprefix(_ESCAPE)


def name_of(child: Tree | str) -> str:
    """Return a child's name: its label, or the word with a quotation mark before it.

    >>> name_of(Tree("DT", ("the",))), name_of("the")
    ('DT', "'the")
    """
    return _TERMINAL + child if isinstance(child, str) else protect(child.label, _TERMINAL)


def join_labels(names: Iterable[str], mark: str) -> str:
    r"""Return one label of several names.

    >>> join_labels(["NP", "a+b"], "+")
    'NP+a\\+b'
    """
    return mark.join([_escaped(name, mark) for name in names])


def part_label(label: str, mark: str) -> list[str]:
    r"""Return the names that were joined.

    >>> part_label("NP+a\\+b", "+")
    ['NP', 'a+b']
    """
    if _ESCAPE not in label:
        return label.split(mark)
    # A name is whole characters, of which a backslash and what follows is one.
    texts = re.findall(rf"(?:^|\{mark})((?:\\.|[^\\\{mark}])*)", label, re.DOTALL)
    return [re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL) for text in texts]


def _escaped(name: str, mark: str) -> str:
    if _ESCAPE in name or mark in name:
        return name.replace(_ESCAPE, _ESCAPE * 2).replace(mark, _ESCAPE + mark)
    return name
