"""The variance of each feature among the analyses of sentences, at some weights.

Of listed analyses all probabilities are known. In a packed forest the derivations of an edge's
tails are independent, and a vertex is a mixture of its edges: with p(e) the probability of an edge
given its head,

    mean(e) = φ(e) + Σ_t mean(t),    var(e) = Σ_t var(t)                    over the tails,
    mean(v) = Σ_e p(e) mean(e),      var(v) = Σ_e p(e) (var(e) + mean(e)²) - mean(v)²

feature by feature, so that no derivation is listed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weft.arrays import FloatArray, IndexArray
from weft.derivations.forest import Weighted
from weft.derivations.threads import thread_count
from weft.inference import inside_outside
from weft.models.selection.model import SelectionModel
from weft.structures.alternatives import Selected
from weft.structures.hypergraph import edges_of


class Spread:
    """Σ over sentences of the variance of each feature among the analyses, at some weights.

    Args:
        model: The model.
        corpus: The sentences, listed or packed.
        threads: How many threads to use; no result depends on it.
    """

    def __init__(
        self, model: SelectionModel, corpus: Sequence[Selected], threads: int | None = None
    ) -> None:
        listed = [each for each in corpus if each.tokens.forest is None]
        self._listed = _Listed(model, listed, thread_count(threads))
        self._forests = [
            (each.weight, model.packed(each.evidence(labelled=False)))
            for each in corpus
            if each.tokens.forest is not None
        ]

    def __call__(self, weights: FloatArray) -> FloatArray:
        """[θ]: the variances at some weights."""
        found = self._listed(weights)
        for count, forest in self._forests:
            columns, variances = forest_variances(forest, weights)
            found[columns] += count * variances
        return found


def forest_variances(forest: Weighted, weights: FloatArray) -> tuple[IndexArray, FloatArray]:
    """Return the features that a forest has, and the variance of each among its derivations.

    >>> from weft.derivations.feature_map import from_lists
    >>> from weft.structures.hypergraph import hypergraph
    >>> two = hypergraph(2, [(0, ()), (0, ()), (1, (0, 0))])
    >>> coin = Weighted(two, np.zeros(3), from_lists([[4], [], []], 5))
    >>> forest_variances(coin, np.zeros(5))  # two throws, which are independent
    (array([4], dtype=int32), array([0.5]))
    """
    graph, features = forest.hypergraph, forest.features
    columns, places = np.unique(features.features, return_inverse=True)
    values = np.ones(len(places)) if features.values is None else features.values
    _, uses = inside_outside(graph, forest.weights(weights))
    of_heads = np.bincount(graph.heads, uses, minlength=graph.vertex_count)
    means = np.zeros((graph.vertex_count, len(columns)))
    variances = np.zeros_like(means)
    for edge, (head, tails) in enumerate(edges_of(graph)):
        if uses[edge] == 0.0:
            continue
        share = uses[edge] / of_heads[head]
        mine = slice(*features.offsets[edge : edge + 2].tolist())
        mean = means[list(tails)].sum(axis=0)
        np.add.at(mean, places[mine], values[mine])
        # Until all edges into a vertex are known, its square of the mean is not taken off.
        variances[head] += share * (_within(means, variances, tails) + mean**2)
        means[head] += share * mean
    root = graph.root
    return columns, np.maximum(variances[root] - means[root] ** 2, 0.0)


def _within(means: FloatArray, variances: FloatArray, tails: Sequence[int]) -> FloatArray:
    """The variance of a sum over tails: that of independent terms."""
    some = list(tails)
    spread: FloatArray = (variances[some] - means[some] ** 2).sum(axis=0)
    return spread


class _Listed:
    """The same of listed analyses."""

    def __init__(self, model: SelectionModel, corpus: Sequence[Selected], threads: int) -> None:
        bags = model.analyses([each.tokens for each in corpus])
        features = bags.features
        self._threads = threads
        self._bags = bags
        self._values = 1.0 if features.values is None else features.values
        self._size = model.parameters.size
        self._rows = np.repeat(np.arange(len(bags.base)), np.diff(features.offsets))
        sentences = np.repeat(np.arange(len(bags.sentences) - 1), np.diff(bags.sentences))
        # The distinct pairs of a sentence and a feature, and which of them an entry belongs to.
        keys = sentences[self._rows] * self._size + features.features
        self._pairs, self._owners = np.unique(keys, return_inverse=True)
        weights = np.array([each.weight for each in corpus])
        self._counts = weights[sentences[self._rows]]
        self._pair_counts = weights[self._pairs // self._size] if self._size else np.zeros(0)

    def __call__(self, weights: FloatArray) -> FloatArray:
        bags = self._bags
        if not len(bags.base):
            return np.zeros(self._size)
        scores = bags.scores(weights, self._threads)
        starts, sizes = bags.sentences[:-1], np.diff(bags.sentences)
        top = np.repeat(np.maximum.reduceat(scores, starts), sizes)
        probs = np.exp(scores - top)
        probs /= np.repeat(np.add.reduceat(probs, starts), sizes)
        shares = probs[self._rows] * self._values
        means = np.bincount(self._owners.reshape(-1), shares, minlength=len(self._pairs))
        squares = self._counts * shares * self._values
        second = np.bincount(bags.features.features, squares, minlength=self._size)
        first = self._pair_counts * means**2
        squared = np.bincount(self._pairs % self._size, first, minlength=self._size)
        return np.asarray(second - squared, np.float64)
