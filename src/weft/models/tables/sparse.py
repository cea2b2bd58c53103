"""The steps of tables of order 1 as sparse mixtures: what was counted, and a shared rest.

The factors of a step from tag k to tag y at a token with item a are

    rate[a, k] emission[a, y] (w₀ N_a[k, y] + w₁ P_a[y] + w₂ B[k, y] + w₃ W[y])

where N, P and B have entries only where something was counted, W is the widest distribution, and
the weights are those of the bucket and the pattern that (a, k) has: the usual ones of all pairs
that never occurred, and others for the few that did. So a step costs what differs from the
back-off, not the square of the tags. :func:`~weft.models.tables.factors.pair_probs` are the same,
written out.

A Mealy machine's P(y | k) P(a | k, y) falls into the lexicon's part, P(y | k) λ₁(k, y) L(a | y),
and an entry for each pair of tags that a word had; with L as the emission,

    B[k, y]   = P(y | k) λ₁(k, y) - w₃ W[y],
    N_a[k, y] = P(y | k) λ₀(k, y) C(a | k, y) / L(a | y).

B then is negative where pairs of tags leave less to the lexicon than the back-off has: what is
lost to rounding is 1 / λ₁ times as much as in the sums written out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from weft.arrays import FloatArray, IndexArray, IntArray, offsets_of, ranges
from weft.derivations.chain.topology import pad
from weft.kernels import StepMixtures
from weft.models.smoothing.counts import CountTable
from weft.models.smoothing.interpolation import Interpolation
from weft.models.tables.contexts import given_tag, given_tags, given_word
from weft.models.tables.factors import Factors, end_probs, step_probs
from weft.models.tables.form import Form
from weft.models.tables.lexicon import Emissions


class _Entries(NamedTuple):
    """Lists of columns with values."""

    offsets: IntArray
    columns: IndexArray
    values: FloatArray


class _Rows(NamedTuple):
    """The tags before that items have rows of their own for, and the entries of each row."""

    offsets: IntArray
    tags: IndexArray
    classes: IndexArray
    entries: _Entries


@dataclass(frozen=True, eq=False)
class SparseSteps:
    """The steps of tables of order 1.

    Attributes:
        factors: The tables.
    """

    factors: Factors

    def __reduce__(self) -> tuple[type[SparseSteps], tuple[Factors]]:
        """Pickle the tables alone: the rest is made again where it is needed."""
        return SparseSteps, (self.factors,)

    @property
    def lagging(self) -> bool:
        """Whether the item of a step is that of the token before."""
        return self.factors.form is Form.PREVIOUS_WORD

    @cached_property
    def kernel(self) -> StepMixtures:
        """What sums over sequences of such steps."""
        factors = self.factors
        given_words = factors.form not in (Form.HMM, Form.MEALY)
        weights, defaults, rows = _given_word(factors) if given_words else _given_tag(factors)
        items, count = factors.boundary + 1, len(factors.next_tag.components)
        tag_table, widest = (_table(each) for each in factors.next_tag.components[count - 2 :])
        base, kinds = _frequencies(tag_table, factors.tags + 1), np.zeros(items, np.int32)
        shares = _Entries(np.zeros(items + 1, np.int64), *_nothing())
        final = None if self.lagging else _final(factors)
        if given_words:
            by_item = _table(factors.next_tag.components[count - 3])
            shares = _frequencies(by_item, items)
            kinds = (by_item.seen(np.arange(items)) > 0).astype(np.int32)
        elif factors.form is Form.MEALY:
            base, rows = _mealy(factors, weights[defaults[0], 3])
            weights[:, 2] = 1.0
        return StepMixtures(
            factors.tags,
            np.ascontiguousarray(weights),
            defaults,
            widest.rows(np.arange(2)),
            *base,
            kinds,
            *shares,
            *rows[:3],
            *rows.entries,
            final,
        )

    def emission(self, items: IntArray) -> FloatArray | None:
        """[items, width]: the factors of items with their own tag; None where all are 1."""
        lexicon = _lexicon(self.factors)
        return None if lexicon is None else _padded(lexicon.table(items), self.factors.tags)

    def rates(self, items: IntArray) -> FloatArray | None:
        """[items, width]: the factors of items with the tag before; None where all are 1."""
        if self.factors.form is not Form.NEXT_WORD:
            return None
        tags, (by_word, rest, widest) = self.factors.tags, self._words
        out = np.zeros((len(items), pad(tags + 1)))
        beginning = np.repeat([0, 1], [tags, 1])
        out[:, : tags + 1] = rest * widest.probs(np.arange(2), items[:, None])[:, beginning]
        lengths = (by_word.offsets[1:] - by_word.offsets[:-1])[items]
        entries = ranges(by_word.offsets[items], lengths)
        places = np.repeat(np.arange(len(items)), lengths)
        out[places, by_word.columns[entries]] += by_word.values[entries]
        return out

    @cached_property
    def _words(self) -> tuple[_Entries, FloatArray, CountTable]:
        """P(w | t′) with its weight, by word; the widest one's weight [tags + 1]; the widest."""
        words, tags = self.factors.next_word, self.factors.tags
        assert isinstance(words, Interpolation)  # noqa: S101
        table, widest = (_table(each) for each in words.components)
        weights = words.weights(given_tag(np.arange(tags + 1), tags))
        contexts, items = np.divmod(table.keys, table.outcomes)
        order = np.argsort(items, kind="stable")
        shares = table.counts / np.repeat(table.totals, np.diff(table.starts))
        offsets = np.searchsorted(items[order], np.arange(table.outcomes + 1)).astype(np.int64)
        values = (weights[contexts, 0] * shares)[order]
        return _Entries(offsets, contexts[order].astype(np.int32), values), weights[:, 1], widest


def _lexicon(factors: Factors) -> Emissions | None:
    if factors.form is not Form.MEALY:
        return factors.lexicon
    return next(each for each in factors.next_word.components if isinstance(each, Emissions))  # type: ignore[union-attr]


def _table(component: object) -> CountTable:
    assert isinstance(component, CountTable)  # noqa: S101
    return component


def _padded(table: FloatArray, tags: int) -> FloatArray:
    out = np.zeros((len(table), pad(tags + 1)))
    out[:, : table.shape[1]] = table
    return out


def _nothing() -> tuple[IndexArray, FloatArray]:
    return np.empty(0, np.int32), np.empty(0)


def _frequencies(table: CountTable, contexts: int) -> _Entries:
    """The relative frequencies of a table whose contexts are numbers below a bound."""
    lengths = np.diff(table.starts)
    sizes = np.zeros(contexts, np.int64)
    sizes[table.contexts] = lengths
    values = table.counts / np.repeat(table.totals, lengths)
    return _Entries(offsets_of(sizes), (table.keys % table.outcomes).astype(np.int32), values)


def _final(factors: Factors) -> FloatArray:
    """[tags + 1]: what the end weighs after each tag."""
    final = np.ones(factors.tags + 1)
    final[: factors.tags] = end_probs(factors, np.zeros(1, np.int64))[0]
    final[: factors.tags] *= step_probs(factors)[: factors.tags, factors.tags]
    return final


def _given_tag(factors: Factors) -> tuple[FloatArray, IndexArray, _Rows]:
    """The weights [classes, 4], the usual classes [1, tags + 1], and no rows of items."""
    tags, mixed = factors.tags, factors.next_tag
    classes = mixed.classes(given_tag(np.arange(tags + 1), tags))
    used, defaults = np.unique(classes, return_inverse=True)
    weights = np.zeros((len(used), 4))
    weights[:, 0] = 1.0
    weights[:, 2:] = mixed.weights_of(used)
    none = np.empty(0, np.int32)
    empty = _Entries(np.zeros(1, np.int64), *_nothing())
    rows = _Rows(np.zeros(factors.boundary + 2, np.int64), none, none, empty)
    return weights, defaults.reshape(1, -1).astype(np.int32), rows


def _given_word(factors: Factors) -> tuple[FloatArray, IndexArray, _Rows]:
    """The same, given a word: the usual classes are those of unseen items and of seen ones."""
    tags, mixed = factors.tags, factors.next_tag
    items, before = factors.boundary + 1, np.arange(tags + 1)
    pairs, by_item = _table(mixed.components[0]), _table(mixed.components[1])
    # No pair (a, k) has this number, whatever k, and no item that one: neither was ever seen.
    unseen = items * (tags + 1) + before
    known = np.full(tags + 1, by_item.contexts[0])
    usual = np.stack(
        [
            mixed.classes((unseen, item, *given_tag(before, tags)))
            for item in (np.full(tags + 1, items), known)
        ]
    )
    owners, row_tags = np.divmod(pairs.contexts, tags + 1)
    own = mixed.classes(given_word(owners, row_tags, tags))
    used, places = np.unique(np.append(usual.reshape(-1), own), return_inverse=True)
    places_of: IndexArray = places.reshape(-1).astype(np.int32)
    rows = _Rows(
        np.searchsorted(owners, np.arange(items + 1)).astype(np.int64),
        row_tags.astype(np.int32),
        places_of[usual.size :],
        _Entries(
            pairs.starts,
            (pairs.keys % pairs.outcomes).astype(np.int32),
            pairs.counts / np.repeat(pairs.totals, np.diff(pairs.starts)),
        ),
    )
    return mixed.weights_of(used), places_of[: usual.size].reshape(usual.shape), rows


def _mealy(factors: Factors, rest: FloatArray) -> tuple[_Entries, _Rows]:
    """The differences from the back-off, and the entries of items; ``rest``: w₃ [tags + 1]."""
    tags, size = factors.tags, factors.tags + 1
    words, steps = factors.next_word, factors.next_tag
    assert isinstance(words, Interpolation)  # noqa: S101
    table, lexicon = _table(words.components[0]), words.components[1]
    seen = np.union1d(_table(steps.components[0]).keys, table.contexts)
    before, own = np.divmod(seen, size)
    probs = steps.probs(given_tag(before, tags), own)
    word = own < tags
    left = words.weights(given_tags(before[word], own[word], tags))[:, 1]
    wide = steps.components[1].probs(given_tag(before, tags)[-1], own)
    values = probs - rest[before] * wide
    values[word] = probs[word] * left - (rest[before] * wide)[word]
    base = _Entries(offsets_of(np.bincount(before, minlength=size)), own.astype(np.int32), values)
    # The entries of words, by word and then by the tag before and their own.
    contexts, items = np.divmod(table.keys, table.outcomes)
    order = np.argsort(items, kind="stable")
    contexts, items = contexts[order], items[order]
    before, own = np.divmod(contexts, size)
    first = words.weights(given_tags(before, own, tags))[:, 0] * table.probs(contexts, items)
    found = steps.probs(given_tag(before, tags), own) * first / lexicon.probs(own, items)
    starts = np.flatnonzero(np.diff(items * size + before, prepend=-1))
    row_tags = before[starts].astype(np.int32)
    defaults = _given_tag(factors)[1][0]
    rows = _Rows(
        np.searchsorted(items[starts], np.arange(factors.boundary + 2)).astype(np.int64),
        row_tags,
        defaults[row_tags],
        _Entries(np.append(starts, len(items)).astype(np.int64), own.astype(np.int32), found),
    )
    return base, rows
