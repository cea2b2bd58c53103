"""Chains written out: a weight for every tag n-gram, and for every word of the vocabulary.

What conversions are made of. Features that several words share become a weight for each word, and
weights of shorter n-grams are added to those of the longest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from weft.arrays import FloatArray, IndexArray, IntArray, offsets_of
from weft.conversions.growth import check_size
from weft.derivations.chain.rows import RowTable
from weft.derivations.chain.topology import Topology
from weft.errors import OptionError
from weft.features.attributes import AttributeIndex, index_attributes
from weft.features.numbering import number_names
from weft.features.templates import template
from weft.models.chain.model import ChainModel
from weft.models.options import Normalisation
from weft.structures.evidence import Sentence

WORD = template("word[0]")


def check_one_word(model: ChainModel) -> None:
    """Refuse features whose value the word itself does not determine, and models without words.

    Raises:
        OptionError: If there is one, naming its template.
    """
    reasons = [
        f"template {each} looks at {where}"
        for each in model.index.templates
        for where, holds in (
            ("other words", each.window != (0, 0)),
            ("another column than the words", any(atom.column for atom in each.atoms)),
        )
        if holds
    ]
    if model.index.given and model.signatures is None:
        reasons.append("attributes were given by the user")
    if not model.vocabulary:
        reasons.append("this model has none")
    if reasons:
        raise OptionError(
            f"this conversion goes over the vocabulary word by word, but {reasons[0]}: train a "
            "model with templates of the word itself, such as word[0] and suffix3[0]"
        )


def with_ngrams(
    model: ChainModel, weights: FloatArray, table: FloatArray
) -> tuple[ChainModel, FloatArray]:
    """Return the same model with other transitions, and its weights.

    Args:
        model: A chain.
        weights: Its weights [θ].
        table: [groups, width, width], the weights that transitions shall have.
    """
    topology, transitions = ngrams_of(model.topology, table)
    start = len(transitions)
    rows = replace(model.tag_rows, start=start)
    pairs = model.pair_rows
    if pairs is not None:
        pairs = replace(pairs, start=start + len(rows))
    changed = replace(model, topology=topology, tag_rows=rows, pair_rows=pairs)
    return changed, np.concatenate([transitions, weights[model.tag_rows.start :]])


def ngrams_of(topology: Topology, table: FloatArray) -> tuple[Topology, FloatArray]:
    """Return a topology whose longest n-grams are all that are possible, and their weights."""
    nothing = np.empty((0, 2), np.int32)
    bare = replace(topology, bigrams=nothing, trigrams=nothing[:, [0, 0, 0]], trigram_start=0)
    used = topology.tags + 1
    check_size(used ** (topology.order + 1), "the table of tag n-grams", "fewer tags, or order 1")
    possible = np.isfinite(topology.base[..., :used, :used])
    boundary = topology.tags
    if topology.order == 1:
        possible[0, boundary, boundary] = False  # no sentence is empty
        found = np.argwhere(possible[0])
        weights = table[0][tuple(found.T)]
    else:
        possible = possible[:used].transpose(1, 0, 2)  # [first, middle, last]
        possible[:, boundary, boundary] = False
        possible[:boundary, boundary] = False
        found = np.argwhere(possible)
        first, middle, last = found.T
        weights = table[middle, first, last]
    ngrams = found.astype(np.int32)
    if topology.order == 2:
        return replace(bare, trigrams=ngrams), weights
    return replace(bare, bigrams=ngrams, trigram_start=len(ngrams)), weights


def written_out(
    model: ChainModel, table: FloatArray, words: Iterable[FloatArray], *, paired: bool
) -> tuple[ChainModel, FloatArray]:
    """Return a chain with free weights of tag n-grams and of words alone, and its weights.

    Args:
        model: The chain that it is made from.
        table: [groups, width, width], the weights of transitions.
        words: Batches of the weights of the vocabulary's items (its words, then the classes of
            unknown ones), [items, width or 1, width].
        paired: Whether words go with pairs of tags.
    """
    check_words(model, paired=paired)
    topology, transitions = ngrams_of(model.topology, table)
    entries = [_entries(topology, model.words.bias, *batch) for batch in _numbered(words, paired)]
    lengths, columns, weights = (np.concatenate(part) for part in zip(*entries, strict=True))
    start, width = len(transitions), topology.width
    full = RowTable(offsets_of(lengths), columns, start, width**2 if paired else width)
    empty = RowTable(np.zeros_like(full.offsets), columns[:0], start, width)
    changed = replace(
        model,
        topology=topology,
        index=index_words(model.vocabulary, model.index.given),
        tag_rows=empty if paired else full,
        pair_rows=full if paired else None,
        normalisation=Normalisation.NONE,
    )
    return changed, np.concatenate([transitions, weights])


def check_words(model: ChainModel, *, paired: bool) -> None:
    """Refuse to write out the words of a model where that would take too much memory."""
    items = len(model.vocabulary) + len(model.index.given)
    pairs = int((~model.topology.forbidden[:, :-1]).sum())
    each = pairs if paired else model.topology.tags
    check_size(items * each, "its table of words", "a model with fewer tags or words")


def _numbered(words: Iterable[FloatArray], paired: bool) -> Iterator[tuple[int, FloatArray, bool]]:
    first = 0
    for batch in words:
        yield first, batch, paired
        first += len(batch)


def _entries(
    topology: Topology, bias: FloatArray, first: int, scores: FloatArray, paired: bool
) -> tuple[IntArray, IndexArray, FloatArray]:
    """How many weights some items have, their columns and the weights; none for the impossible."""
    width, used = topology.width, topology.tags + 1
    kept = (bias[first : first + len(scores)] > -np.inf)[:, None, :]
    if paired:
        follows = np.zeros((width, width), np.bool_)
        follows[:used, : used - 1] = ~topology.forbidden[:, :-1]
        kept = kept & follows
    flat = kept.reshape(len(scores), -1)
    weights = np.broadcast_to(scores, kept.shape)[kept]
    return flat.sum(axis=1), np.nonzero(flat)[1].astype(np.int32), weights


def index_words(words: Sequence[str], classes: Iterable[str]) -> AttributeIndex:
    """Return every word, and every class of unknown words, as an attribute."""
    index = index_attributes([[Sentence(((word,),)) for word in words]], (WORD,))
    return replace(index, given=number_names(classes, len(words)))
