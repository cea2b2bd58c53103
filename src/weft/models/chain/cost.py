"""What a chain takes on a corpus; see :mod:`weft.models.forecast`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from weft.models.chain.allowed import learn_dictionary, tags_per_token
from weft.models.chain.prepare import tags_of
from weft.models.forecast import Forecast, forecast_chain
from weft.models.options import AllowedTags, Extent, Normalisation, Scheme
from weft.structures.evidence import Example, Label

if TYPE_CHECKING:
    from weft.models.chain.spec import Chain

_FIRST_PASS = 16.0
"""How many tags a first pass allows per token, roughly."""


def forecast_of(chain: Chain, corpus: Sequence[Example]) -> Forecast | None:
    """Return what tables of transitions take; None where a dictionary leaves few of them."""
    if chain.dictionary is not None and chain.order == 1:
        return None
    tags = len(tags_of(corpus).union(*(chain.dictionary or {}).values()))
    lengths = [len(each.tokens) for each in corpus]
    if not tags:
        return None
    return forecast_chain(
        chain.order,
        tags,
        sum(lengths),
        every_ngram=chain.ngrams is Extent.ALL,
        ngrams=_ngrams(chain, corpus),
        allowed=_allowed(chain, corpus),
        longest=max(lengths, default=0),
    )


def _allowed(chain: Chain, corpus: Sequence[Example]) -> float | None:
    """How many tags a token may have, on average; None for all."""
    if chain.allowed is AllowedTags.DICTIONARY:
        return tags_per_token(*learn_dictionary(corpus, chain.allowed_count), corpus)
    return _FIRST_PASS if chain.allowed is AllowedTags.FIRST else None


def _ngrams(chain: Chain, corpus: Sequence[Example]) -> int | None:
    """How many of the longest n-grams of tags have a weight.

    None where all may, where all are looked at, or where tokens look at pairs.
    """
    observed = chain.ngrams is Extent.OBSERVED
    whole = chain.normalisation is Normalisation.JOINT or (chain.order == 2 and not chain.linear)
    restricted = chain.order == 1 and (chain.forbidden or chain.scheme is not Scheme.NONE)
    if chain.pair_templates or restricted or whole or not observed:
        return None
    found = set[tuple[Label, ...]]()
    before: tuple[Label, ...] = (None,) * chain.order
    for each in corpus:
        if each.analysis is None or not all(isinstance(tag, str) for tag in each.analysis):
            return None
        tags = (*before, *each.analysis, None)
        found.update(zip(*(tags[place:] for place in range(chain.order + 1)), strict=False))
    return len(found)
