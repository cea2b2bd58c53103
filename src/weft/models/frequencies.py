"""Relative frequencies as weights: the hidden Markov model that a labelled corpus is.

The weights of tag n-grams and of words are the logs of

    p(t | t″ t′) = (c(t″ t′ t) + λ) / Σ_u (c(t″ t′ u) + λ),     p(w | t) = (c(t, w) + λ) / Σ_v (…)

all others are zero. With every n-gram and every word × tag the sum over all sentences is 1, so that
globally normalised models begin here: at zero that sum diverges.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weft.arrays import FloatArray, IntArray
from weft.features.templates import template
from weft.models.chain import ChainModel
from weft.structures.evidence import Evidence, Example

_WORD = str(template("word[0]"))


def relative_frequencies(
    model: ChainModel, corpus: Sequence[Example], smoothing: float = 1.0
) -> FloatArray:
    """Return the weights [θ] that make a chain the HMM of a corpus.

    Args:
        model: A chain with every tag n-gram.
        corpus: Labelled examples; labels that are partial count in proportion.
        smoothing: λ, what is added to every count.

    Returns:
        The weights. Where the model has no words among its attributes, every word is as likely
        as any other.
    """
    counts = _counts(model, corpus)
    weights = np.zeros(model.parameters.size)
    topology = model.topology
    ngrams, start = (
        (topology.bigrams, topology.bigram_start)
        if topology.order == 1
        else (topology.trigrams, topology.trigram_start)
    )
    run = slice(start, start + len(ngrams))
    contexts = np.unique(ngrams[:, :-1], axis=0, return_inverse=True)[1].reshape(-1)
    weights[run] = _log_shares(counts[run] + smoothing, contexts)
    words = {kind.name: kind for kind in model.parameters.kinds}.get(f"tag:{_WORD}")
    if words is None:
        # Each tag then stands for the whole vocabulary.
        weights[run] -= np.where(ngrams[:, -1] < topology.tags, np.log(len(model.vocabulary)), 0.0)
        return weights
    run = slice(words.start, words.stop)
    first = words.start - model.tag_rows.start
    tags = model.tag_rows.columns[first : first + len(words)]
    weights[run] = _log_shares(counts[run] + smoothing, tags.astype(np.int64))
    return weights


def _counts(model: ChainModel, corpus: Sequence[Example]) -> FloatArray:
    """[θ]: how often each feature occurs, with unknown labels shared out evenly."""
    evidences = [Evidence(example.tokens, example.analysis) for example in corpus]
    trellis = model.trellis(evidences)
    shares = np.array([example.weight for example in corpus])
    return trellis.evaluate(np.zeros(model.parameters.size), shares)[1]


def _log_shares(counts: FloatArray, groups: IntArray) -> FloatArray:
    """The logs of counts divided by the sum of their group."""
    totals = np.bincount(groups, counts)
    shares: FloatArray = np.log(counts) - np.log(totals)[groups]
    return shares
