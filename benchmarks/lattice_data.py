"""Lattices of neighbours, and chains over them, as every tool takes them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks import hmm_data
from weft.arrays import FloatArray, IndexArray
from weft.automata.neighbourhoods import trans1
from weft.features.templates import templates
from weft.models import Chain, ChainModel, prepare
from weft.structures.evidence import Example, example
from weft.structures.lattice import Lattice, arcs_of


@dataclass(frozen=True)
class Task:
    """A trigram chain over raw sentences with the dictionary of their tags, and some weights.

    Only tag n-grams have weights other than 0, so that other tools need not know our features.
    """

    model: ChainModel
    corpus: Sequence[Example]
    theta: FloatArray
    tags_of: dict[str, list[int]]

    def lattices(self, count: int | None = None) -> list[Lattice]:
        """The neighbours by transposition of the first sentences."""
        return [trans1(each.tokens.words) for each in self.corpus[:count]]


def task(corpus: str) -> Task:
    """The task of a corpus; the same at each call."""
    tagged = hmm_data.sentences(corpus)
    dictionary: dict[str, set[str]] = defaultdict(set)
    for each in tagged:
        for word, tag in zip(each.words, each.tags, strict=True):
            dictionary[word].add(tag)
    raw = [example(each.words) for each in tagged]
    chain = Chain(
        order=2,
        templates=templates("word[0]"),
        attributes="observed",
        ngrams="all",
        dictionary={word: frozenset(tags) for word, tags in dictionary.items()},
    )
    model = prepare(chain, raw)
    theta = np.zeros(model.parameters.size)
    for ngrams, start in (
        (model.topology.bigrams, model.topology.bigram_start),
        (model.topology.trigrams, model.topology.trigram_start),
    ):
        theta[start : start + len(ngrams)] = np.random.default_rng(0).normal(size=len(ngrams))
    numbers = {tag: number for number, tag in enumerate(model.tags)}
    tags_of = {word: sorted(map(numbers.__getitem__, tags)) for word, tags in dictionary.items()}
    return Task(model, raw, theta, tags_of)


@dataclass(frozen=True)
class Paths:
    """An explicit automaton: arcs sorted by head; state 0 begins, and the last one ends."""

    states: int
    heads: IndexArray
    tails: IndexArray
    weights: FloatArray


def paths(these: Task) -> Paths:
    """The trigram chain over all lattices written out: states are pairs of tags, arcs triples."""
    heads: list[int] = []
    tails: list[int] = []
    ends: list[int] = []
    states = 1
    boundary = len(these.model.tags)
    for strings in these.lattices():
        arriving: list[list[tuple[int, str]]] = [[] for _ in range(strings.state_count)]
        for source, symbol, target in arcs_of(strings):
            arriving[target].append((source, strings.symbols[symbol]))
        found: list[dict[tuple[int, int], int]] = [{(boundary, boundary): 0}]
        for arcs in arriving[1:]:
            pairs: dict[tuple[int, int], list[int]] = defaultdict(list)
            for source, word in arcs:
                for (_, before), state in found[source].items():
                    for tag in these.tags_of[word]:
                        pairs[before, tag].append(state)
            found.append({})
            for pair in sorted(pairs):
                heads += [states] * len(pairs[pair])
                tails += pairs[pair]
                found[-1][pair] = states
                states += 1
        ends += [state for q in np.flatnonzero(strings.final) for state in found[q].values()]
    heads += [states] * len(ends)
    weights = np.random.default_rng(1).normal(size=len(heads))
    return Paths(
        states + 1, np.array(heads, np.int32), np.array([*tails, *ends], np.int32), weights
    )
