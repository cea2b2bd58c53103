"""The factors of a table model's product, as probabilities of items and tags.

The product over a sentence falls into four kinds of factors: of a step from tag to tag, of a token
with its tag, of a token with its tag and the tag before, and of the end of the sentence after its
last token.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weft.arrays import FloatArray, IntArray
from weft.models.smoothing.interpolation import Interpolation
from weft.models.tables.contexts import given_tag, given_tags, given_word
from weft.models.tables.form import Form
from weft.models.tables.lexicon import Emissions

LEXICAL = (Form.HMM, Form.PREVIOUS_WORD)
"""The forms in which words depend on their own tag alone."""


@dataclass(frozen=True, slots=True, eq=False)
class Factors:
    """The distributions of a table model.

    Attributes:
        form: Which factors there are.
        tags: How many tags there are; the boundary's number among tags.
        boundary: The boundary's number among items.
        next_tag: P(t | t′), P₀(t | w, t′) or P₁(t | w′, t′), for order 2 given t″, too.
        next_word: P(w | t′), for order 2 given t″, too, or P(w | t′, t); None for the other forms.
        lexicon: P(w | t); None for the other forms.
        order: On how many tags before it a tag depends, 1 or 2.
    """

    form: Form
    tags: int
    boundary: int
    next_tag: Interpolation
    next_word: Interpolation | None
    lexicon: Emissions | None
    order: int = 1

    @property
    def tripled(self) -> bool:
        """Whether some factor depends on a token and three tags."""
        return self.order == 2 and self.form not in (Form.HMM, Form.MEALY)

    def histories(self, before: IntArray) -> tuple[IntArray, IntArray | None]:
        """Return the tags before in the shape of their axes: [n], or [n, tags + 1] with t″."""
        if self.order == 1:
            return before, None
        return before[:, None], np.arange(self.tags + 1)


def step_probs(factors: Factors) -> FloatArray:
    """Return the factors of steps [tags + 1, tags + 1], the boundary last, before and after.

    For order 2 they are [tags + 1, tags + 1, tags + 1]: the tag before, the one before that, and
    the tag. A step from boundary to boundary is an empty sentence, of which the models say nothing:
    it has one derivation, of weight one, that is no part of everything.
    """
    size = factors.tags + 1
    probs = np.ones((size,) * (factors.order + 1))
    if factors.form in (Form.HMM, Form.MEALY):
        before, earlier = factors.histories(np.arange(size))
        probs = factors.next_tag.rows(given_tag(before, factors.tags, earlier))
    probs[(-1,) * probs.ndim] = 1.0
    return probs


def token_probs(factors: Factors, items: IntArray) -> FloatArray:
    """Return the factors of items with their tag, [items, tags]."""
    if factors.lexicon is None:
        return np.ones((len(items), factors.tags))
    return factors.lexicon.table(items)


def end_probs(factors: Factors, items: IntArray) -> FloatArray:
    """Return the factors of the end after a last item with its tag.

    They are [items, tags], for order 2 [items, tags + 1, tags] with the tag before.
    """
    own, size = np.arange(factors.tags), factors.tags + 1
    earlier = None if factors.order == 1 else np.arange(size)[:, None]
    probs = np.ones((len(items), *((size,) * (factors.order - 1)), factors.tags))
    if factors.form is Form.PREVIOUS_WORD:
        contexts = given_word(_over(items, factors.order), own, factors.tags, earlier)
        probs *= factors.next_tag.probs(contexts, np.array(factors.tags))
    elif factors.form is Form.NEXT_WORD and factors.next_word is not None:
        contexts = given_tag(own, factors.tags, earlier)
        probs *= factors.next_word.probs(contexts, np.array(factors.boundary))
    return probs


def _over(items: IntArray, axes: int) -> IntArray:
    """Items as an axis before others."""
    return items.reshape(-1, *([1] * axes))


def pair_probs(factors: Factors, items: IntArray) -> FloatArray:
    """Return the factors of items with two tags, [items, tags + 1, tags].

    The tags are those of a token and of the one before, or the boundary, and the item is the
    token's own; but for the form in which tags depend on the previous word, the previous token's.
    Where a factor depends on three tags they are [items, tags + 1, tags + 1, tags], the tag before
    the one before in the middle.
    """
    before, own = np.arange(factors.tags + 1), np.arange(factors.tags)
    if factors.form is Form.MEALY and factors.next_word is not None:
        contexts = given_tags(before[:, None], own, factors.tags)
        return factors.next_word.probs(contexts, items[:, None, None])
    before, earlier = factors.histories(before)
    over = _over(items, factors.order)
    probs = factors.next_tag.rows(given_word(over, before, factors.tags, earlier))
    probs = probs[..., : factors.tags]
    if factors.next_word is not None:
        words = factors.next_word.probs(given_tag(before, factors.tags, earlier), over)
        probs = probs * words[..., None]
    return probs
