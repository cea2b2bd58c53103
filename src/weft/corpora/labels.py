"""What a label says about a token's tag: the tag, a set it lies in, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from weft.errors import FormatError, quote
from weft.structures.evidence import Analysis, Label

UNKNOWN = frozenset({"_", "?"})
"""The partial labels that say nothing."""


def parse_label(text: str, sets: bool = True) -> Label:
    """Read a partial label: ``_`` or ``?`` for unknown, ``A|B`` for one of these, or a tag.

    Args:
        text: The label.
        sets: Whether there are sets; if not, ``|`` is a character like any other.

    Raises:
        ValueError: If the label, or one of its alternatives, is empty.

    >>> parse_label("NN"), parse_label("?"), sorted(parse_label("NN|VB"))
    ('NN', None, ['NN', 'VB'])
    >>> parse_label("Mood=Imp|Number=Plur", sets=False)
    'Mood=Imp|Number=Plur'
    """
    if text in UNKNOWN:
        return None
    if not sets:
        return text
    tags = frozenset(text.split("|"))
    if "" in tags:
        raise ValueError(f"the label {quote(text)} has an empty alternative")
    return tags if len(tags) > 1 else next(iter(tags))


def read_labels(
    texts: Sequence[str],
    partial: bool,
    error: Callable[[int, str], FormatError],
    sets: bool = True,
) -> Analysis:
    """Read the labels of a sentence.

    Args:
        texts: A label per token.
        partial: Whether labels may be unknown or sets of tags; if not, they are taken literally.
        error: Makes an error from a token's index and a message.
        sets: Whether partial labels may be sets; if not, ``|`` is a character like any other.
    """
    if "" in texts:
        unknown = ", or '?' if it is unknown" if partial else ""
        raise error(texts.index(""), f"the label is empty; give the token a tag{unknown}")
    return tuple(_partial_labels(texts, error, sets)) if partial else tuple(texts)


def _partial_labels(
    texts: Sequence[str], error: Callable[[int, str], FormatError], sets: bool
) -> list[Label]:
    labels: list[Label] = []
    for index, text in enumerate(texts):
        try:
            labels.append(parse_label(text, sets))
        except ValueError as problem:
            raise error(index, f"{problem}; write 'A|B' for one of A and B") from None
    return labels
