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
        next_tag: P(t | t′), P₀(t | w, t′) or P₁(t | w′, t′).
        next_word: P(w | t′) or P(w | t′, t); None for the other forms.
        lexicon: P(w | t); None for the other forms.
    """

    form: Form
    tags: int
    boundary: int
    next_tag: Interpolation
    next_word: Interpolation | None
    lexicon: Emissions | None


def step_probs(factors: Factors) -> FloatArray:
    """Return the factors of steps [tags + 1, tags + 1], the boundary last, before and after.

    A step from boundary to boundary is an empty sentence, of which the models say nothing: it has
    one derivation, of weight one, that is no part of everything.
    """
    size = factors.tags + 1
    probs = np.ones((size, size))
    if factors.form in (Form.HMM, Form.MEALY):
        probs = factors.next_tag.rows(given_tag(np.arange(size), factors.tags))
    probs[-1, -1] = 1.0
    return probs


def token_probs(factors: Factors, items: IntArray) -> FloatArray:
    """Return the factors of items with their tag, [items, tags]."""
    if factors.lexicon is None:
        return np.ones((len(items), factors.tags))
    return factors.lexicon.probs(np.arange(factors.tags), items[:, None])


def end_probs(factors: Factors, items: IntArray) -> FloatArray:
    """Return the factors of the end after a last item with its tag, [items, tags]."""
    tags = np.arange(factors.tags)
    probs = np.ones((len(items), factors.tags))
    if factors.form is Form.PREVIOUS_WORD:
        contexts = given_word(items[:, None], tags, factors.tags)
        probs *= factors.next_tag.probs(contexts, np.array(factors.tags))
    elif factors.form is Form.NEXT_WORD and factors.next_word is not None:
        contexts = given_tag(tags, factors.tags)
        probs *= factors.next_word.probs(contexts, np.array(factors.boundary))
    return probs


def pair_probs(factors: Factors, items: IntArray) -> FloatArray:
    """Return the factors of items with two tags, [items, tags + 1, tags].

    The tags are those of a token and of the one before, or the boundary, and the item is the
    token's own; but for the form in which tags depend on the previous word, the previous token's.
    """
    before, own = np.arange(factors.tags + 1), np.arange(factors.tags)
    if factors.form is Form.MEALY and factors.next_word is not None:
        contexts = given_tags(before[:, None], own, factors.tags)
        return factors.next_word.probs(contexts, items[:, None, None])
    contexts = given_word(items[:, None], before, factors.tags)
    probs = factors.next_tag.rows(contexts)[..., : factors.tags]
    if factors.next_word is not None:
        words = factors.next_word.probs(given_tag(before, factors.tags), items[:, None])
        probs = probs * words[..., None]
    return probs
