"""The contexts of the components of each distribution, as numbers.

Arguments are arrays of shapes that broadcast; ``tags`` is the number of tags, which is the number
of the boundary among them. Each function returns one array per component, narrowest context first.
"""

from __future__ import annotations

import numpy as np

from weft.arrays import IntArray

Contexts = tuple[IntArray, ...]
"""One array of contexts per component."""


def _beginning(before: IntArray, tags: int) -> IntArray:
    """1 where a sentence begins, and so cannot end at once, else 0: the widest context."""
    return np.where(before == tags, 1, 0)


def given_tag(before: IntArray, tags: int, earlier: IntArray | None = None) -> Contexts:
    """Of P(t | t′) and P(w | t′): t′, and whether the sentence begins.

    Of P(t | t′, t″) and P(w | t′, t″), where t″ is the tag before t′, that pair comes first.
    """
    pair = () if earlier is None else (earlier * (tags + 1) + before,)
    return *pair, before, _beginning(before, tags)


def given_word(
    items: IntArray, before: IntArray, tags: int, earlier: IntArray | None = None
) -> Contexts:
    """Of P₀ and P₁(t | w, t′): (w, t′), w, t′, and whether the sentence begins.

    Of P₀ and P₁(t | w, t′, t″): (w, t′, t″), (w, t′), w, (t′, t″), and so on.
    """
    pair = items * (tags + 1) + before
    triple = () if earlier is None else (pair * (tags + 1) + earlier,)
    return *triple, pair, items, *given_tag(before, tags, earlier)


def given_tags(before: IntArray, own: IntArray, tags: int) -> Contexts:
    """Of P(w | t′, t): (t′, t), and t."""
    return before * (tags + 1) + own, own
