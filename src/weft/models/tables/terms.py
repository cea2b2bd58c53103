"""What the score of a tagged sentence is a sum of: the logs of a table model's factors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log

import numpy as np

from weft.models.explaining import TermOf, Terms
from weft.models.tables.factors import Factors, end_probs, pair_probs, step_probs, token_probs
from weft.models.tables.form import Form
from weft.models.tables.items import Items
from weft.structures.alternatives import FeatureName
from weft.structures.evidence import END, START


def table_terms(
    factors: Factors, items: Items, names: Sequence[str], tokens: Sequence[int], tags: Sequence[int]
) -> Terms:
    """Return the factors of a tagged sentence, by kind and name.

    Args:
        factors: The tables.
        items: What stands for words.
        names: The tags' names.
        tokens: The item of each token.
        tags: The tag of each.
    """
    found: dict[FeatureName, TermOf] = {}
    for kind, left, right, prob in _factors(factors, tokens, tags):
        shown = [
            items.name_of(each) if is_item else (*names, START)[each] for is_item, each in left
        ]
        name = kind, f"{' '.join(shown)} → {(*names, END)[right]}"
        term = found.get(name, TermOf(log(prob) if prob else -np.inf, 0.0))
        if prob != 1.0:
            found[name] = term._replace(value=term.value + 1.0)
    return found


def _factors(
    factors: Factors, tokens: Sequence[int], tags: Sequence[int]
) -> Iterator[tuple[str, list[tuple[bool, int]], int, float]]:
    """Of each factor: its kind, the items and tags that it is given, its tag, its probability."""
    boundary, twice = factors.tags, factors.order == 2
    steps = step_probs(factors)
    path = [boundary, boundary, *tags, boundary]
    for earlier, before, after in zip(path, path[1:], path[2:], strict=False):
        given = [(False, earlier), (False, before)] if twice else [(False, before)]
        prob = steps[before, earlier, after] if twice else steps[before, after]
        yield "step", given, after, float(prob)
    if not tokens:
        return
    alone = token_probs(factors, np.array(tokens))
    lagging = factors.form is Form.PREVIOUS_WORD
    beside = [factors.boundary, *tokens[:-1]] if lagging else tokens
    for place, tag in enumerate(tags):
        yield "word", [(True, tokens[place])], tag, float(alone[place, tag])
        if factors.form is not Form.HMM:
            earlier, before = path[place : place + 2]
            pairs = pair_probs(factors, np.array(beside[place : place + 1]))[0]
            where = (before, earlier, tag) if factors.tripled else (before, tag)
            shown = [(False, earlier)] if factors.tripled else []
            given = [(True, beside[place]), *shown, (False, before)]
            yield "pair", given, tag, float(pairs[where])
    before = path[len(tags)]
    end = end_probs(factors, np.array(tokens[-1:]))[0]
    last = float(end[before, tags[-1]] if twice else end[tags[-1]])
    shown = [(False, before)] if twice else []
    yield "end", [(True, tokens[-1]), *shown, (False, tags[-1])], boundary, last
