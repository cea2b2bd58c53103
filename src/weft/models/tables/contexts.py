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


def given_tag(before: IntArray, tags: int) -> Contexts:
    """Of P(t | t′) and P(w | t′): t′, and whether the sentence begins."""
    return before, _beginning(before, tags)


def given_word(items: IntArray, before: IntArray, tags: int) -> Contexts:
    """Of P₀ and P₁(t | w, t′): (w, t′), w, t′, and whether the sentence begins."""
    return items * (tags + 1) + before, items, before, _beginning(before, tags)


def given_tags(before: IntArray, own: IntArray, tags: int) -> Contexts:
    """Of P(w | t′, t): (t′, t), and t."""
    return before * (tags + 1) + own, own
