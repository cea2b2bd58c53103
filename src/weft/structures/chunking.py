"""Chunks written as tags: the BIO, BIOES and BILOU notations.

A tag is ``O`` or ``PREFIX-TYPE``. The prefix says where a token lies in its chunk: B first, I
inside (or anywhere but first), E or L last, S or U alone. A new chunk begins between two tags,
neither of them O, iff

    the types differ, or the left one closes (E L S U), or the right one opens (B S U).

For B, I and O these are the rules of conlleval, so IOB1 (B only between neighbouring chunks of
one type), IOB2 and illegal sequences are read as it reads them; E, L, S and U extend them.

Reference: E. Tjong Kim Sang and S. Buchholz, Introduction to the CoNLL-2000 shared task, and
its evaluation program ``conlleval``, functions ``startOfChunk`` and ``endOfChunk``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Span = tuple[int, int, str]
"""A chunk: its first token, the token after its last, and its type."""

_SCHEMES = (frozenset("BI"), frozenset("BIES"), frozenset("BILU"))
_OPENING = frozenset("BSU")
_CLOSING = frozenset("ELSU")
_CONTINUING = frozenset("IEL")
_UNFINISHED = frozenset("BI")
_PREFIXES = _OPENING | _CONTINUING


def is_chunking(tags: Iterable[str]) -> bool:
    """Tell whether a set of tags is BIO, BIOES or BILOU.

    All tags must be ``O`` or ``PREFIX-TYPE`` with the prefixes of one notation, and one of them
    must open a chunk.

    >>> is_chunking({"O", "B-NP", "I-NP"}), is_chunking({"O", "NN", "VB"})
    (True, False)
    """
    parts = [tag.partition("-") for tag in tags if tag != "O"]
    prefixes = {prefix for prefix, _, _ in parts}
    return (
        all(kind for _, _, kind in parts)
        and not prefixes.isdisjoint(_OPENING)
        and any(prefixes <= scheme for scheme in _SCHEMES)
    )


def spans(tags: Sequence[str]) -> list[Span]:
    """Read the chunks of a sentence from its tags, as conlleval reads them.

    Args:
        tags: A tag per token; a tag that is not of the notation counts as ``O``.

    Returns:
        The chunks from left to right.

    >>> spans(["B-NP", "I-NP", "O", "I-VP", "B-NP", "I-VP"])
    [(0, 2, 'NP'), (3, 4, 'VP'), (4, 5, 'NP'), (5, 6, 'VP')]
    """
    found: list[Span] = []
    start, previous = 0, ("O", "")
    for position, tag in enumerate((*tags, "O")):
        current = _split(tag)
        if _is_boundary(previous, current):
            if previous[0] != "O":
                found.append((start, position, previous[1]))
            start = position
        previous = current
    return found


def forbidden_transitions(tags: Iterable[str]) -> set[tuple[str | None, str | None]]:
    """Return the pairs of tags that no legal sequence contains.

    I, E and L must follow a B or I of their type; where the notation has E or L, B and I must
    be followed by an I, E or L of their type. None stands for either end of the sentence.

    Nothing is forbidden where the tags are not chunks, or are certainly IOB1: a type that has I
    but no B. Other IOB1 tag sets look like IOB2; forbid only what the training data lack.

    Args:
        tags: The set of tags.

    Returns:
        Pairs (previous, next).

    >>> sorted(forbidden_transitions({"O", "B-NP", "I-NP"}), key=str)
    [('O', 'I-NP'), (None, 'I-NP')]
    """
    known = set(tags)
    if not is_chunking(known) or _is_iob1(known):
        return set()
    closes = any(tag.startswith(("E-", "L-")) for tag in known)
    ends = (None, *known)
    return {(left, right) for left in ends for right in ends if not _is_legal(left, right, closes)}


def stray_tag(tags: Iterable[str]) -> str | None:
    """Return a tag because of which tags are no chunking, or are certainly IOB1, if there is one.

    :func:`forbidden_transitions` can then forbid nothing.

    >>> stray_tag({"O", "B-NP", "I-NP"}), stray_tag({"O", "B-NP", "I-PER"}), stray_tag({"O", "NN"})
    (None, 'I-PER', 'NN')
    """
    known = set(tags) - {"O"}
    if not known or (is_chunking(known) and not _is_iob1(known)):
        return None
    begun = {kind for prefix, kind in map(_split, known) if prefix == "B"}

    def rank(tag: str) -> int:
        """The less a tag looks like a chunk's, the smaller."""
        prefix, kind = _split(tag)
        return 0 if not kind else 1 if prefix == "I" and kind not in begun else 2

    return min(sorted(known), key=rank)


def _split(tag: str) -> tuple[str, str]:
    """Return the prefix and the type, at the first hyphen as conlleval does."""
    prefix, _, kind = tag.partition("-")
    return (prefix, kind) if prefix in _PREFIXES else ("O", "")


def _is_boundary(left: tuple[str, str], right: tuple[str, str]) -> bool:
    return (
        left[1] != right[1]
        or (left[0] == "O") != (right[0] == "O")
        or left[0] in _CLOSING
        or right[0] in _OPENING
    )


def _is_legal(left: str | None, right: str | None, closes: bool) -> bool:
    before, left_type = _split(left or "O")
    after, right_type = _split(right or "O")
    same_chunk = before in _UNFINISHED and after in _CONTINUING and left_type == right_type
    must_continue = after in _CONTINUING or (closes and before in _UNFINISHED)
    return same_chunk or not must_continue


def _is_iob1(tags: set[str]) -> bool:
    parts = [_split(tag) for tag in tags]
    begun = {kind for prefix, kind in parts if prefix == "B"}
    return any(prefix == "I" and kind not in begun for prefix, kind in parts)
