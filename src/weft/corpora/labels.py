"""What a label says about a token's tag: the tag, a set it lies in, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from weft.errors import FormatError
from weft.structures.evidence import Analysis, Label

UNKNOWN = frozenset({"_", "?"})
"""The partial labels that say nothing."""


def parse_label(text: str) -> Label:
    """Read a partial label: ``_`` or ``?`` for unknown, ``A|B`` for one of these, or a tag.

    Raises:
        ValueError: If the label, or one of its alternatives, is empty.

    >>> parse_label("NN"), parse_label("?"), sorted(parse_label("NN|VB"))
    ('NN', None, ['NN', 'VB'])
    """
    if text in UNKNOWN:
        return None
    tags = frozenset(text.split("|"))
    if "" in tags:
        raise ValueError(f"the label {text!r} has an empty alternative")
    return tags if len(tags) > 1 else next(iter(tags))


def read_labels(
    texts: Sequence[str], partial: bool, error: Callable[[int, str], FormatError]
) -> Analysis:
    """Read the labels of a sentence.

    Args:
        texts: A label a token.
        partial: Whether labels may be unknown or sets of tags; if not, they are taken literally.
        error: Makes an error from a token's index and a message.
    """
    if "" in texts:
        unknown = ", or '?' if it is unknown" if partial else ""
        raise error(texts.index(""), f"the label is empty; give the token a tag{unknown}")
    return tuple(_partial_labels(texts, error)) if partial else tuple(texts)


def _partial_labels(texts: Sequence[str], error: Callable[[int, str], FormatError]) -> list[Label]:
    labels: list[Label] = []
    for index, text in enumerate(texts):
        try:
            labels.append(parse_label(text))
        except ValueError as problem:
            raise error(index, f"{problem}; write 'A|B' for one of A and B") from None
    return labels
