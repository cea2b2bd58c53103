"""The tags that tokens may have, learnt before a chain is estimated, and what that loses.

Taggings are then those over allowed tags, Ω(x) = ∏_j A_j, in estimation and in prediction alike,
and sums over them are exact. By a *dictionary*, A_j holds the tags that the word had in the corpus,
if it occurred often there; else the tags of all rarer words, the *open* ones. By a *first pass*,
it holds the tags whose posterior p(y_j | x) in a counted HMM is not below a threshold, and the
likeliest one. What that leaves out of the HMM's distribution is bounded by the union of its parts:

    p(y is outside Ω(x) | x)  ≤  Σ_j Σ_{t outside A_j} p(y_j = t | x).

In estimation the observed tag is always allowed, as its probability would else be zero; and the
tags of a sentence are allowed by an HMM that has not counted it. With words that are not observed
a first pass has no sums: A_j depends on the whole sentence.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from weft.errors import EvidenceError
from weft.models.chain.first_pass import FirstPass, TokenTags, Words, words_of
from weft.models.chain.model import ChainModel
from weft.models.chain.multinomials import counts_of, frequencies, multinomials
from weft.models.chain.unknown import open_vocabulary
from weft.models.options import AllowedTags, Dictionary
from weft.structures.evidence import Evidence, Example
from weft.structures.stream import Corpus

if TYPE_CHECKING:
    from weft.models.chain.spec import Chain

LEARNT = "allowed_training"
"""The note of what is lost in training; that of held-out sentences is beside it."""

_FOLDS = 5  # of a corpus, the tags of each of which are allowed by an HMM of the others
_TAGS_ADDED, _WORDS_ADDED = 0.1, 0.001  # to the counts of the first pass, as the recipe hmm does


def learn_dictionary(corpus: Corpus, often: int) -> tuple[Dictionary, frozenset[str] | None]:
    """Return the tags of words that occur often, and those of all others.

    >>> from weft.structures.evidence import example
    >>> corpus = [example(["a", "rose", "is", "a", "rose"], ["DT", "NN", "VBZ", "DT", "NN"])]
    >>> learn_dictionary(corpus, 2)
    ({'a': frozenset({'DT'}), 'rose': frozenset({'NN'})}, frozenset({'VBZ'}))

    Args:
        corpus: Sentences with a tag at each token.
        often: How many times a word occurs at least that has the tags it had, and no other.
    """
    counts, tags = Counter[str](), defaultdict[str, set[str]](set)
    for number, each in enumerate(corpus, 1):
        words = each.tokens.words
        counts.update(words)
        for word, tag in zip(words, certain_tags(each, number), strict=True):
            tags[word].add(tag)
    known = {word: frozenset(tags[word]) for word, count in counts.items() if count >= often}
    rest = frozenset[str]().union(*(tags[word] for word in counts if word not in known))
    return known, rest or None


def tags_per_token(
    known: Dictionary, rest: frozenset[str] | None, corpus: Sequence[Example]
) -> float:
    """Return how many tags a learnt dictionary allows, on average."""
    words = Counter(word for each in corpus for word in each.tokens.words)
    sizes = sum(count * len(known.get(word, rest or ())) for word, count in words.items())
    return sizes / max(words.total(), 1)


def certain_tags(example: Example, number: int) -> list[str]:
    """The tags of a sentence, if each token has one.

    Raises:
        EvidenceError: If one has none, or several.
    """
    words = example.tokens.words
    tags = example.analysis or (None,) * len(words)
    for place, (word, tag) in enumerate(zip(words, tags, strict=True), 1):
        if not isinstance(tag, str):
            raise EvidenceError(
                f"{example.tokens.source or f'example {number}'}: token {place}, '{word}', has no "
                "certain tag, and which tags are allowed is learnt from labels: give every token "
                "one, or say allowed=all"
            )
    return [tag for tag in tags if isinstance(tag, str)]


def restrict(chain: Chain, corpus: Corpus) -> tuple[Chain, FirstPass | None]:
    """Return a chain with the dictionary that it learns from a corpus, or with its first pass."""
    if chain.allowed is AllowedTags.DICTIONARY:
        known, rest = learn_dictionary(corpus, chain.allowed_count)
        return replace(chain, dictionary=known, open_tags=rest, allowed=AllowedTags.ALL), None
    if chain.allowed is AllowedTags.FIRST:
        return chain, learn_first_pass(chain, list(corpus))
    return chain, None


def learn_first_pass(chain: Chain, corpus: Sequence[Example]) -> FirstPass:
    """Return a counted HMM of a corpus, and the tags that are allowed there.

    The tags of a sentence are those that an HMM of other sentences allows, as it will be in
    prediction: an HMM is far too sure of sentences that it has counted, and a chain would learn
    from too few tags. The observed tags are added.
    """
    golds = {each.tokens: certain_tags(each, 1 + place) for place, each in enumerate(corpus)}
    folds = min(_FOLDS, len(corpus))
    kept: dict[Words, TokenTags] = {}
    for fold in range(folds):
        some = [each.tokens for each in corpus[fold::folds]]
        others = [each for place, each in enumerate(corpus) if place % folds != fold]
        for tokens, allowed, _ in _count(chain, others or corpus).posteriors(some):
            kept[tokens.words] = tuple(
                mine if tag in mine else mine | {tag}
                for mine, tag in zip(kept.get(tokens.words, allowed), golds[tokens], strict=True)
            )
    return replace(_count(chain, corpus), kept=kept)


def _count(chain: Chain, corpus: Sequence[Example]) -> FirstPass:
    """The HMM of a corpus."""
    from weft.models.chain.prepare import prepare  # which imports this

    corpus = [Example(words_of(each.tokens), each.analysis, each.weight) for each in corpus]
    model = prepare(chain.first_pass(), corpus)
    added = np.full(model.parameters.size, _WORDS_ADDED)
    added[: model.tag_rows.start] = _TAGS_ADDED
    weights = frequencies(model, counts_of(model, corpus) + added * multinomials(model).times)
    evidences = [Evidence(each.tokens, each.analysis) for each in corpus]
    return FirstPass(*open_vocabulary(model, weights, evidences), chain.allowed_posterior)


class AllowedLoss(NamedTuple):
    """What is lost by allowing few tags, on a corpus.

    Attributes:
        tokens: The tokens whose tag is known.
        missed: Those of them whose tag is not allowed.
        allowed: How many tags are allowed per token.
        tags: How many there are.
        outside: What the first pass has outside the allowed taggings, at most: the mean of all
            sentences. None where a dictionary allows tags.
    """

    tokens: int
    missed: int
    allowed: float
    tags: int
    outside: float | None

    def __str__(self) -> str:
        share = 100.0 * self.missed / self.tokens if self.tokens else 0.0
        lost = (
            f"{self.allowed:.1f} of {self.tags:,} tags per token; the right one was left out at "
            f"{self.missed:,} of {self.tokens:,} tokens ({share:.2f} %)"
        )
        if self.outside is None:
            return lost
        return f"{lost}; of a sentence's mass in the first pass at most {self.outside:.3g} is lost"


def allowed_loss(model: ChainModel, corpus: Corpus) -> AllowedLoss | None:
    """Return what allowing few tags loses, as it does in prediction; None where all are."""
    if model.dictionary is None and model.first is None:
        return None
    tokens = missed = sizes = length = sentences = 0
    outside = 0.0
    for example, allowed, mass in _allowed(model, list(corpus)):
        labels = zip(example.analysis or (), allowed, strict=False)
        known = [(tag, mine) for tag, mine in labels if isinstance(tag, str)]
        tokens += len(known)
        missed += sum(tag not in mine for tag, mine in known)
        sizes += sum(map(len, allowed))
        length += len(allowed)
        sentences += 1
        outside += mass
    bound = None if model.first is None else outside / max(sentences, 1)
    return AllowedLoss(tokens, missed, sizes / max(length, 1), len(model.tags), bound)


def _allowed(
    model: ChainModel, corpus: Sequence[Example]
) -> Iterator[tuple[Example, TokenTags, float]]:
    """Yield the tags that are allowed, and what the first pass has of others."""
    if model.first is None:
        found = model.allowed([each.tokens for each in corpus])
        yield from ((*pair, 0.0) for pair in zip(corpus, found, strict=True))
        return
    passed = model.first.posteriors([each.tokens for each in corpus])
    yield from ((each, *found[1:]) for each, found in zip(corpus, passed, strict=True))
