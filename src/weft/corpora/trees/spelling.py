r"""Words of running text spelt as a treebank spells them, so that they are found in it.

    ( ) [ ] { }    -LRB- -RRB- -LSB- -RSB- -LCB- -RCB-
    "              `` where it opens and '' where it closes, in turns
    “ ” ‘ ’        `` '' ` '
    / *            \/ \*

Treebanks differ, and so only what one has is written so: a treebank that has slashes without
backslashes keeps them. Of brackets that one does not have at all, round ones are the nearest.

Reference: A. Bies et al. (1995), "Bracketing guidelines for Treebank II style Penn Treebank
project", University of Pennsylvania.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from collections.abc import Set as AbstractSet
from itertools import cycle

from weft.corpora.trees.bracketing import BRACKETS, unescape_word

_OPENING, _CLOSING = "``", "''"
_SIGNS = {**{sign: f"-{name}-" for name, sign in BRACKETS.items()}, "/": r"\/", "*": r"\*"}
_ROUND = {"[": "(", "{": "(", "]": ")", "}": ")"}
_SIGN = re.compile(r"(?<!\\)[()\[\]{}/*]")
_CURLED = str.maketrans({"“": _OPENING, "”": _CLOSING, "‘": "`", "’": "'"})

ESCAPES = (*_SIGNS.values(), _OPENING, _CLOSING)
"""What treebanks write for signs, within words or alone."""


def escapes_in(words: Iterable[str]) -> tuple[str, ...]:
    r"""Return those of ``ESCAPES`` that a treebank's words have.

    >>> escapes_in(["-LRB-", r"1\/2", "``", "-LRB-"])
    ('-LRB-', '\\/', '``')
    """
    text = " ".join(set(words))
    return tuple(escape for escape in ESCAPES if escape in text)


def spelt(
    words: Sequence[str], escapes: Collection[str], known: AbstractSet[str]
) -> tuple[str, ...]:
    r"""Return the words of a sentence as a treebank spells them.

    Args:
        words: The sentence, of which words that are known stay as they are.
        escapes: What the treebank writes for signs; see :func:`escapes_in`.
        known: The words that the treebank has.

    >>> spelt(["(", '"', "Hi", '"', "1/2", ")"], ("-LRB-", "``", "''", r"\/"), {"Hi"})
    ('-LRB-', '``', 'Hi', "''", '1\\/2', ')')
    >>> spelt(["-LRB-", "“", "it", "’s"], (), {"(", '"', "'s"})
    ('(', '"', 'it', "'s")
    """
    found = {word: _spelt(word, escapes, known) for word in set(words) - known}
    turns = cycle([mark for mark in (_OPENING, _CLOSING) if mark in escapes] or ['"'])
    return tuple(
        next(turns) if word == '"' and word in found else found.get(word, word) for word in words
    )


def _spelt(word: str, escapes: Collection[str], known: AbstractSet[str]) -> str:
    """One word that is not known as it is, and no straight quotation mark."""
    escaped = _SIGN.sub(lambda match: _written(match[0], escapes), word.translate(_CURLED))
    if escaped in _ROUND:
        near = _ROUND[escaped]
        return near if near in known else _written(near, escapes, escaped)
    plain = unescape_word(word).translate(_CURLED)
    straight = '"' if plain in (_OPENING, _CLOSING) else plain
    likely = (each for each in (escaped, plain, straight) if each in known)
    # Of words that are not known the class counts, and it was learnt from the treebank's spelling.
    return next(likely, escaped)


def _written(sign: str, escapes: Collection[str], otherwise: str | None = None) -> str:
    return _SIGNS[sign] if _SIGNS[sign] in escapes else otherwise or sign
