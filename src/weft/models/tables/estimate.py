"""Estimating tables from a labelled corpus: count, and fit the weights of the interpolation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from weft.features.signatures import learn_signatures
from weft.models.tables.distributions import (
    Stock,
    fit_distribution,
    lexicon_of,
    make_stock,
    next_tag_of,
    next_word_of,
)
from weft.models.tables.factors import LEXICAL, Factors
from weft.models.tables.items import Items
from weft.models.tables.model import TableModel
from weft.models.tables.observe import TaggedTokens, observe
from weft.structures.evidence import Example

if TYPE_CHECKING:
    from weft.models.tables.spec import Tables


def estimate_tables(spec: Tables, corpus: Sequence[Example]) -> TableModel:
    """Return the tables of a labelled corpus.

    >>> from weft.models.tables import Tables
    >>> from weft.structures.evidence import Evidence, example, sentence
    >>> corpus = [example("the dog barks".split(), "DT NN VBZ".split())]
    >>> model = estimate_tables(Tables("johnson-6"), corpus)
    >>> probs = model.trellis([Evidence(sentence(["the", "cat"]))]).marginals(model.weights)[1]
    >>> [model.tags[tag] for tag in probs[0].argmax(axis=1)]
    ['DT', 'NN']

    Args:
        spec: Which tables, and how they are smoothed.
        corpus: Examples whose every token has one tag. An example's weight is how often it counts.

    Raises:
        EvidenceError: If some token has no tag or several, or there are no tokens at all.
    """
    words, tags, observed = observe(corpus, spec.parts, spec.order)
    seen = np.bincount(observed.words, observed.counts)
    rare = [words[number] for number in np.flatnonzero(seen <= spec.rare).tolist()]
    items = Items(words, learn_signatures(rare, spec.suffix, spec.enough))
    classes = items.signatures.classes_of(words).astype(np.int64)

    def stock_of(part: TaggedTokens) -> Stock:
        return make_stock(part, items, classes, spec.rare)

    next_word = next_word_of(spec, len(tags))
    factors = Factors(
        spec.form,
        len(tags),
        items.boundary,
        fit_distribution(next_tag_of(spec, len(tags)), observed, stock_of),
        fit_distribution(next_word, observed, stock_of) if next_word else None,
        lexicon_of(observed, stock_of(observed), spec) if spec.form in LEXICAL else None,
        spec.order,
    )
    return TableModel(tags, items, factors)
