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
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from weft.errors import EvidenceError, OptionError
from weft.models.chain.first_pass import AllowedLoss, FirstPass, TokenTags, Words, words_of
from weft.models.chain.model import ChainModel
from weft.models.chain.multinomials import counts_of, frequencies, multinomials
from weft.models.chain.unknown import open_vocabulary
from weft.models.options import LEARNT, AllowedTags, Dictionary, Normalisation
from weft.structures.evidence import Evidence, Example
from weft.structures.stream import Corpus, sections_of

if TYPE_CHECKING:
    from weft.models.chain.spec import Chain

ALLOWED_COUNT, ALLOWED_POSTERIOR = 5, 0.0001
"""How often a word of a learnt dictionary occurs, and what a first pass leaves out."""

_ONLY_OF = (
    ("allowed_count", ALLOWED_COUNT, AllowedTags.DICTIONARY),
    ("allowed_posterior", ALLOWED_POSTERIOR, AllowedTags.FIRST),
)

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


def check_allowed(chain: Chain) -> None:
    """Refuse options that do not go together, or that nothing would look at.

    Raises:
        OptionError: If there are any.
    """
    if not 0.0 < chain.allowed_posterior < 1.0:
        raise OptionError(
            "allowed_posterior is a probability above 0 and below 1, not "
            f"{chain.allowed_posterior:g}"
        )
    for name, unsaid, wanted in _ONLY_OF:
        if chain.allowed is not wanted and getattr(chain, name) != unsaid:
            raise OptionError(
                f"{name} is of allowed={wanted}, and here is allowed={chain.allowed}: say "
                f"allowed={wanted}, or leave {name} out"
            )
    if chain.allowed is AllowedTags.ALL:
        return
    if chain.dictionary is not None:
        raise OptionError(
            f"allowed={chain.allowed} learns which tags words may have, and a dictionary says "
            "so already: leave out one of them"
        )
    if chain.normalisation is Normalisation.JOINT:
        raise OptionError(
            f"allowed={chain.allowed} is not for normalisation=joint: p(word | tag) of an HMM "
            "sums to one over all words, those included that tags would be taken from, and "
            "counting it makes no sums; use a CRF, or a dictionary of yours"
        )


def restrict(
    chain: Chain, corpus: Corpus, threads: int | None = None
) -> tuple[Chain, FirstPass | None]:
    """Return a chain with the dictionary that it learns from a corpus, or with its first pass."""
    if chain.allowed is AllowedTags.DICTIONARY:
        known, rest = learn_dictionary(corpus, chain.allowed_count)
        learnt = replace(
            chain,
            dictionary=known,
            open_tags=rest,
            allowed=AllowedTags.ALL,
            allowed_count=ALLOWED_COUNT,
        )
        return learnt, None
    if chain.allowed is AllowedTags.FIRST:
        return chain, learn_first_pass(chain, list(corpus), threads)
    return chain, None


def learn_first_pass(
    chain: Chain, corpus: Sequence[Example], threads: int | None = None
) -> FirstPass:
    """Return a counted HMM of a corpus, and the tags that are allowed there.

    The tags of a sentence are those that an HMM of other sentences allows, as it will be in
    prediction: an HMM is far too sure of sentences that it has counted, and a chain would learn
    from too few tags. The observed tags are added.
    """
    for number, each in enumerate(corpus, 1):
        certain_tags(each, number)  # before anything is counted
    found = list(_by_folds(chain, corpus, threads))
    kept: dict[Words, TokenTags] = {}
    for number, (each, allowed, _) in enumerate(found, 1):
        words, gold = each.tokens.words, certain_tags(each, number)
        kept[words] = tuple(
            mine if tag in mine else mine | {tag}
            for mine, tag in zip(kept.get(words, allowed), gold, strict=True)
        )
    first = _count(chain, corpus)
    learnt = _summed(found, len(first.model.tags), bounded=True)
    return replace(first, kept=kept, learnt=learnt)


def _by_folds(
    chain: Chain, corpus: Sequence[Example], threads: int | None
) -> Iterator[tuple[Example, TokenTags, float]]:
    """Yield what HMMs allow in sentences that they have not counted, and have of other tags."""
    folds = min(_FOLDS, len(corpus))
    for fold in range(folds):
        some = corpus[fold::folds]
        others = [each for place, each in enumerate(corpus) if place % folds != fold]
        first = _count(chain, others or corpus)
        passed = first.posteriors([each.tokens for each in some], threads)
        yield from ((each, *found[1:]) for each, found in zip(some, passed, strict=True))


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


def allowed_loss(
    model: ChainModel, corpus: Corpus, threads: int | None = None
) -> AllowedLoss | None:
    """Return what allowing few tags loses, as it does in prediction; None where all are."""
    if model.dictionary is None and model.first is None:
        return None
    found = (each for section in sections_of(corpus) for each in _allowed(model, section, threads))
    return _summed(found, len(model.tags), bounded=model.first is not None)


def losses_of(
    model: ChainModel, seen: Corpus, held_out: Sequence[Example], threads: int | None
) -> dict[str, str]:
    """Say what allowing few tags loses in training, before observed tags are added, and elsewhere.

    A first pass says so of sentences that it has not counted: see :func:`learn_first_pass`.
    """
    learnt = None if model.first is None else model.first.learnt
    training = learnt or allowed_loss(model, seen, threads)
    other = allowed_loss(model, held_out, threads)
    found = {} if training is None else {LEARNT: str(training)}
    return found | ({"allowed_held_out": str(other)} if other is not None and other.tokens else {})


def _summed(
    found: Iterable[tuple[Example, TokenTags, float]], tags: int, *, bounded: bool
) -> AllowedLoss:
    tokens = missed = sizes = length = sentences = 0
    outside = 0.0
    for example, allowed, mass in found:
        labels = zip(example.analysis or (), allowed, strict=False)
        known = [(tag, mine) for tag, mine in labels if isinstance(tag, str)]
        tokens += len(known)
        missed += sum(tag not in mine for tag, mine in known)
        sizes += sum(map(len, allowed))
        length += len(allowed)
        sentences += 1
        outside += mass
    bound = outside / max(sentences, 1) if bounded else None
    return AllowedLoss(tokens, missed, sizes / max(length, 1), tags, bound)


def _allowed(
    model: ChainModel, corpus: Sequence[Example], threads: int | None
) -> Iterator[tuple[Example, TokenTags, float]]:
    """Yield the tags that are allowed, and what the first pass has of others."""
    sentences = [each.tokens for each in corpus]
    if model.first is None:
        allowed = model.allowed(sentences)
        yield from ((*pair, 0.0) for pair in zip(corpus, allowed, strict=True))
        return
    passed = model.first.posteriors(sentences, threads)
    yield from ((each, *found[1:]) for each, found in zip(corpus, passed, strict=True))
