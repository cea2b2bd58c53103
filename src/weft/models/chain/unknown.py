"""Room for unknown words in chains that are normalised over a vocabulary.

An HMM is estimated over the words of its corpus. Its vocabulary is then *opened*: the classes that
:mod:`~weft.features.signatures` learns from rare words become items beside the words, and an
unknown word stands for its class. Rare words count twice, as themselves and as members of their
class, so that p(item | tag) stays a distribution and leaves unknown words the mass of rare ones:

    p(c | t) = M(c, t) / (N(t) + Σ_d M(d, t)),     M(c, t) = (m(c) + ½) q(t | c)

with N(t) the tokens of tag t, m(c) the rare words whose class is c, and q(t | c) their tags,
smoothed by those of the class around c: (n(c, t) + κ q(t | parent)) / (n(c) + κ). Where tags are
not known they are what the model expects them to be. A tag that no word of the corpus may have
counts as if it had been there a millionth of a time, so that later words may have it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from weft.arrays import FloatArray, IndexArray, IntArray
from weft.derivations.chain.layout import split
from weft.derivations.chain.rows import RowTable
from weft.features.attributes import AttributeIndex
from weft.features.numbering import number_names
from weft.features.signatures import Signatures, learn_signatures, shares_of_classes
from weft.models.chain.model import ChainModel
from weft.structures.evidence import Evidence, Sentence

_UNSEEN = 0.5
_LEAST = 1e-6
_CLASS_BACKOFF = 5.0
_CELLS = 2**21  # of tokens with tags at a time


def open_vocabulary(
    model: ChainModel, weights: FloatArray, evidences: Sequence[Evidence], rare: int = 1
) -> tuple[ChainModel, FloatArray]:
    """Return a model of all words, whether its corpus has them or not.

    Args:
        model: A chain that is normalised jointly.
        weights: Its weights [θ].
        evidences: What is known of the corpus that they were estimated from.
        rare: Words that occur at most so often there are rare.

    Returns:
        The model with an attribute a class of unknown words, and its weights; as it was if there
        are no rare words.
    """
    counts = Counter(word for each in evidences for word in _words(each))
    scarce = [word for word, count in counts.items() if count <= rare]
    if not scarce:
        return model, weights
    signatures = learn_signatures(scarce)
    tokens, own = _expected(model, weights, evidences, dict.fromkeys(scarce), signatures)
    frequent = np.maximum(tokens, _LEAST)
    shares = shares_of_classes(signatures, own, frequent / frequent.sum(), _CLASS_BACKOFF)
    masses = (own.sum(axis=1) + _UNSEEN)[:, None] * shares
    # Where words depend on the tag before, too, classes weigh as much as words do on average.
    of_pair = model.words.at(weights).totals[:, : len(model.tags)]
    totals = np.logaddexp.reduce(of_pair, axis=0) - np.log(len(of_pair))
    totals[np.isneginf(totals)] = 0.0  # a tag without words has classes alone
    with np.errstate(divide="ignore"):
        logs = totals + np.log(masses) - np.log(np.maximum(tokens, _UNSEEN))
    return _extended(model, signatures), _inserted(model, weights, logs)


def _words(evidence: Evidence) -> tuple[str, ...]:
    return evidence.tokens.words if isinstance(evidence.tokens, Sentence) else ()


def _expected(
    model: ChainModel,
    weights: FloatArray,
    evidences: Sequence[Evidence],
    scarce: dict[str, None],
    signatures: Signatures,
) -> tuple[FloatArray, FloatArray]:
    """How often tags are expected: [tags], and with rare words of a class [classes, tags]."""
    every, own = np.zeros(len(model.tags)), np.zeros((len(signatures), len(model.tags)))
    numbering = {tag: number for number, tag in enumerate(model.tags)}
    known, uncertain = Counter[int](), []
    for each in evidences:
        tags = _certain(each, numbering)
        if tags is None:
            uncertain.append(each)
            continue
        known.update(tags)
        for word, tag in zip(_words(each), tags, strict=True):
            if word in scarce:
                own[signatures.class_of(word), tag] += 1
    for tag, count in known.items():
        every[tag] += count
    lengths = np.array([len(_words(each)) for each in uncertain], np.int64)
    bounds = split(lengths, max(1, _CELLS // len(model.tags))) if uncertain else []
    for first, last in pairwise(bounds):
        some = uncertain[first:last]
        probs = np.concatenate(model.trellis(some).marginals(weights)[1])
        words = [word for each in some for word in _words(each)]
        places = [place for place, word in enumerate(words) if word in scarce]
        np.add.at(own, signatures.classes_of([words[place] for place in places]), probs[places])
        every += probs.sum(axis=0)
    return every, own


def _certain(evidence: Evidence, numbering: Mapping[str, int]) -> list[int] | None:
    """The tags of a sentence that is fully labelled: nothing has to be expected of it."""
    if evidence.analysis is None:
        return None
    tags = [numbering.get(each, -1) if isinstance(each, str) else -1 for each in evidence.analysis]
    return None if -1 in tags else tags


def _extended(model: ChainModel, signatures: Signatures) -> ChainModel:
    """The same model with a weight for each class with each tag."""
    index, rows, tags = model.index, model.tag_rows, len(model.tags)
    classes = len(signatures)
    names = number_names((f"unknown:{name}" for name in signatures.names), len(index))
    return replace(
        model,
        index=AttributeIndex(index.templates, index.values, index.keys, names),
        tag_rows=_with_rows(rows, np.full(classes, tags), np.tile(np.arange(tags), classes)),
        pair_rows=None
        if model.pair_rows is None
        else replace(
            _with_rows(model.pair_rows, np.zeros(classes, np.int64), np.empty(0, np.int32)),
            start=model.pair_rows.start + classes * tags,
        ),
        signatures=signatures,
    )


def _with_rows(rows: RowTable, lengths: IntArray, columns: IntArray | IndexArray) -> RowTable:
    """A table with more attributes."""
    offsets = np.append(rows.offsets, rows.offsets[-1] + np.cumsum(lengths))
    return replace(rows, offsets=offsets, columns=np.append(rows.columns, columns.astype(np.int32)))


def _inserted(model: ChainModel, weights: FloatArray, logs: FloatArray) -> FloatArray:
    """[θ]: the weights of the extended model."""
    end = model.tag_rows.start + len(model.tag_rows)
    return np.concatenate([weights[:end], logs.reshape(-1), weights[end:]])
