"""What scores ask of a tagger beside its tags: allowed tags, posteriors, p(word | tag)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from weft.arrays import BoolArray, FloatArray
from weft.errors import OptionError
from weft.evaluate.choices import ChoiceScores, TokenBatch, choice_scores
from weft.evaluate.chunks import known_chunks
from weft.evaluate.lexical import LexicalDivergence, lexical_divergence
from weft.evaluate.tagging import tagging_scores
from weft.models.model import Judge, filled
from weft.models.tagger import Tagger
from weft.structures.chunking import is_chunking
from weft.structures.evidence import Evidence, Example, Sentence

if TYPE_CHECKING:
    from weft.models.chain.model import ChainModel
    from weft.models.tables import TableModel

_BATCH_TOKENS = 30_000  # at a time: all probabilities would take more memory than the corpus


def allowed_tags(tagger: Tagger, words: Sequence[str]) -> BoolArray:
    """[words, tags]: whether a word may have a tag, by the model's dictionary.

    >>> from weft import Chain, example, fit
    >>> model = Chain(dictionary={"dog": frozenset({"NN"})})
    >>> tagger = fit(model, [example(["the", "dog"], ["DT", "NN"])])
    >>> allowed_tags(tagger, ["dog", "the"])
    array([[False,  True],
           [ True,  True]])
    """
    model = tagger.model
    states = np.isfinite(model.bias_of(words))[:, : model.topology.tags]
    if model.shown is None:
        return states
    allowed = np.zeros((len(words), len(model.tags)), np.bool_)
    np.logical_or.at(allowed.T, np.array(model.shown), states.T)
    return allowed


def choices_of(
    tagger: Tagger, corpus: Sequence[Example], threads: int | None = None
) -> ChoiceScores:
    """Return what chance and a tagger's posterior get right on a corpus.

    A token may have the tags that the dictionary allows its word, or those that a first pass allows
    it there. Where the model has a dictionary, a token is ambiguous if it allows its word several
    tags; where it has none, if the training corpus gave its word several.

    >>> from weft import Chain, example, fit
    >>> tagger = fit(Chain(), [example(["the", "dog"], ["DT", "NN"])])
    >>> choices_of(tagger, [example(["the", "dog"], ["DT", "NN"])]).random_accuracy
    0.5
    """
    return choice_scores(_choices(tagger, corpus, threads), tagger.model.tags)


def _choices(
    tagger: Tagger, corpus: Sequence[Example], threads: int | None
) -> Iterator[TokenBatch]:
    for batch in _batches(corpus):
        words = list(chain.from_iterable(each.tokens.words for each in batch))
        if not words:
            continue
        distinct = {word: number for number, word in enumerate(dict.fromkeys(words))}
        numbers = np.array([distinct[word] for word in words], np.int64)
        allowed = allowed_tags(tagger, list(distinct))
        ambiguous = ambiguous_words(tagger, list(distinct), allowed)
        gold = [label for each in batch for label in each.analysis or (None,) * len(each.tokens)]
        sentences = [each.tokens for each in batch]
        probs = np.concatenate(tagger.marginals(sentences, threads))
        passed = _passed(tagger, sentences, threads)
        own = allowed[numbers] if passed is None else allowed[numbers] & passed
        yield TokenBatch(gold, own, probs, ambiguous[numbers])


def _passed(tagger: Tagger, sentences: Sequence[Sentence], threads: int | None) -> BoolArray | None:
    """[tokens, tags]: what the model's first pass allows; None where it has none."""
    first = tagger.model.first
    if first is None:
        return None
    numbers = {tag: number for number, tag in enumerate(tagger.model.tags)}
    found = first.allowed(sentences, threads)
    sets = [tags for each in sentences for tags in found[each]]
    allowed = np.zeros((len(sets), len(numbers)), np.bool_)
    for row, tags in zip(allowed, sets, strict=True):
        row[[numbers[tag] for tag in tags]] = True
    return allowed


def ambiguous_words(tagger: Tagger, words: Sequence[str], allowed: BoolArray) -> BoolArray:
    """[words]: which of them are ambiguous; see :func:`choices_of`."""
    if tagger.model.dictionary is not None:
        several: BoolArray = allowed.sum(axis=1) > 1
        return several
    return np.array([len(tagger.lexicon.get(word, ())) > 1 for word in words], np.bool_)


def _batches(corpus: Sequence[Example]) -> Iterator[Sequence[Example]]:
    first, tokens = 0, 0
    for place, example in enumerate(corpus):
        tokens += len(example.tokens)
        if tokens >= _BATCH_TOKENS:
            yield corpus[first : place + 1]
            first, tokens = place + 1, 0
    yield corpus[first:]


def word_probs(tagger: Tagger) -> FloatArray | None:
    """[words, tags]: p(word | tag) over the model's vocabulary, from its weights alone.

    None where the model has no such distribution: its attributes look at other words or at pairs
    of tags, or it has none of words at all.
    """
    model = tagger.model
    if model.pair_rows is not None or model.shown is not None:
        return None
    try:
        probs = model.chain.words.at(tagger.weights).probabilities()
    except OptionError:
        return None
    return probs[: len(model.vocabulary), 0, : len(model.tags)]


def divergence_of(tagger: Tagger, corpus: Sequence[Example]) -> LexicalDivergence | None:
    """Return how far a tagger's p(word | tag) is from a labelled corpus's; None without such."""
    probs = word_probs(tagger)
    if probs is None:
        return None
    return lexical_divergence(corpus, tagger.chain.vocabulary, tagger.model.tags, probs)


def tagging_judge(
    tagger_at: Callable[[FloatArray], Tagger],
    model: ChainModel | TableModel,
    corpus: Sequence[Example],
    threads: int | None = None,
) -> Judge:
    """Return the accuracy of the chosen tags, as a function of the weights; of chunks, F1.

    Where no sentence is labelled as a whole, no chunk is known, and it is the accuracy.

    Args:
        tagger_at: From weights to the tagger, which knows how tags are chosen.
        model: The model.
        corpus: Examples; it is compiled once.
        threads: How many threads to use, all by default; no result depends on it.
    """
    evidences = [Evidence(example.tokens) for example in corpus]
    derivations = model.trellis(evidences, threads)
    lengths = [len(example.tokens) for example in corpus]
    gold = [example.analysis or (None,) * len(example.tokens) for example in corpus]
    words = [example.tokens.words for example in corpus]
    chunks = is_chunking(model.tags)

    def score(theta: FloatArray) -> float | None:
        tagger = tagger_at(theta)
        predicted = tagger.predict_from(evidences, derivations)
        for place, answer in enumerate(predicted):
            if answer is None:
                predicted[place] = tagger.closest(corpus[place].tokens, threads)
        answers = filled(predicted, lengths)
        if chunks and (known := known_chunks(gold, answers)) is not None:
            return known.overall.f1
        return tagging_scores(gold, answers, words, {}).accuracy

    return score
