"""Whether two taggers say the same.

Taggings of short sentences are all compared; of longer ones those that either tagger thinks best,
and some that are drawn at random, token by token, from what the first one thinks likely.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from weft.arrays import FloatArray
from weft.errors import DivergenceError
from weft.models.tagger import Decoder, Tagger, Tokens
from weft.ranking import agree, first_largest
from weft.structures.evidence import EVERYTHING, Evidence, Example, Sentence, sentence

_MOST_TAGGINGS = 300
_DRAWS = 20
_BATCH = 2_000  # examples at a time
_TOGETHER = 200  # sentences at a time
_ROUNDING = 1e-6  # a smaller difference is no reason to look into a sentence

LogProbs = Callable[[Tagger, Sequence[Example]], FloatArray]


@dataclass(frozen=True, slots=True)
class Difference:
    """How far two taggers are apart.

    Attributes:
        largest: The largest absolute difference of log-probabilities that was found; infinite where
            one of the taggers excludes what the other does not.
        compared: How many tagged sentences were compared.
        where: The tagged sentence where it was found, the first of several; None if there is no
            difference but rounding.
        log_probs: What the two taggers make of it.
    """

    largest: float
    compared: int
    where: Example | None = None
    log_probs: tuple[float, float] | None = None


def same_conditional(
    first: Tagger, second: Tagger, sentences: Sequence[Tokens], *, seed: int = 0
) -> Difference:
    """Compare log p(tags | words) of two taggers with the same tags.

    Args:
        first: A tagger.
        second: Another one.
        sentences: Where to compare them; empty ones are left out.
        seed: For the taggings that are drawn.

    Returns:
        The largest difference, with its place.

    Raises:
        ValueError: If the taggers have different tags.
        EvidenceError: If one of them has no tagging for a sentence.

    >>> import numpy as np
    >>> from weft import Chain, example, fit
    >>> tagger = fit(Chain(), [example(["the", "dog"], ["DT", "NN"])])
    >>> same_conditional(tagger, tagger, [["the", "dog"]]).largest
    0.0
    >>> other = Tagger(tagger.model, 1.1 * tagger.weights)
    >>> found = same_conditional(tagger, other, [["the", "dog"], ["dog"]])
    >>> found.largest > 0, found.compared, found.where.tokens.words
    (True, 6, ('the', 'dog'))
    """
    return _compare(first, second, sentences, seed, Tagger.log_probs)


def same_joint(
    first: Tagger, second: Tagger, sentences: Sequence[Tokens], *, seed: int = 0
) -> Difference:
    """Compare log p(tags, words) of two taggers; see :func:`same_conditional`.

    Raises:
        OptionError: If one of them has no distribution over sentences.
        DivergenceError: If the sum over all sentences is infinite for one of them.
    """
    return _compare(first, second, sentences, seed, joint_log_probs)


def joint_log_probs(tagger: Tagger, examples: Sequence[Example]) -> FloatArray:
    """[examples]: log p(labels, words), of a tagger with a distribution over sentences.

    Raises:
        OptionError: If it has none.
        DivergenceError: If the sum over all sentences is infinite.
    """
    evidences = [Evidence(example.tokens, example.analysis) for example in examples]
    values = tagger.model.derivations([*evidences, EVERYTHING]).log_partition(tagger.weights)
    if values[-1] == np.inf:
        raise DivergenceError(
            "the sum over all sentences is infinite, so that none has a probability: scale the "
            "weights down, as conversion into an HMM does"
        )
    return values[:-1] - values[-1:]


def _compare(
    first: Tagger, second: Tagger, sentences: Sequence[Tokens], seed: int, log_probs: LogProbs
) -> Difference:
    if first.model.tags != second.model.tags:
        raise ValueError("taggers are compared that have the same tags, in the same order")
    found = Difference(0.0, 0)
    for batch in _batches(_taggings(first, second, sentences, seed)):
        logs = np.stack([log_probs(tagger, batch) for tagger in (first, second)])
        with np.errstate(invalid="ignore"):  # -inf for both is no difference
            apart = np.where(logs[0] == logs[1], 0.0, np.abs(logs[0] - logs[1]))
        place = int(first_largest(apart))
        largest = float(apart[place])
        if largest > found.largest and not agree(largest, found.largest):
            found = replace(found, largest=largest)
            if largest > _ROUNDING:
                both = float(logs[0, place]), float(logs[1, place])
                found = replace(found, where=batch[place], log_probs=both)
        found = replace(found, compared=found.compared + len(batch))
    return found


def _batches(examples: Iterator[Example]) -> Iterator[list[Example]]:
    batch: list[Example] = []
    for example in examples:
        batch.append(example)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _taggings(
    first: Tagger, second: Tagger, sentences: Sequence[Tokens], seed: int
) -> Iterator[Example]:
    rng = np.random.default_rng(seed)
    several = [each if isinstance(each, Sentence) else sentence(each) for each in sentences]
    several = [each for each in several if len(each)]
    for start in range(0, len(several), _TOGETHER):
        tokens = several[start : start + _TOGETHER]
        guesses = [tagger.tag(tokens, decoder) for tagger in (first, second) for decoder in Decoder]
        probs = first.marginals(tokens)
        for place, each in enumerate(tokens):
            for tags in _tried(first.model.tags, rng, probs[place], [g[place] for g in guesses]):
                yield Example(each, tags)


def _tried(
    names: Sequence[str],
    rng: np.random.Generator,
    probs: FloatArray,
    guesses: Sequence[tuple[str, ...]],
) -> list[tuple[str, ...]]:
    """All taggings of a sentence, if they are few; else the guesses and some that are drawn."""
    if len(probs) * np.log(len(names)) <= np.log(_MOST_TAGGINGS):
        return list(product(names, repeat=len(probs)))
    sums = probs.cumsum(axis=1)
    dice = rng.random((_DRAWS, len(probs), 1)) * sums[:, -1:]
    drawn = np.minimum((dice >= sums).sum(axis=2), len(names) - 1)
    named = [tuple(names[tag] for tag in tags) for tags in drawn.tolist()]
    return list(dict.fromkeys([*guesses, *named]))
