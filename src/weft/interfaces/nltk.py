"""Taggers as NLTK has them, and NLTK's as examples.

Reference: Bird, Klein and Loper (2009), Natural Language Processing with Python, chapter 5.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from weft.errors import ExampleError, quote
from weft.grammars.forms.nltk import import_nltk
from weft.models.tagger import Tagger, as_tagger
from weft.structures.evidence import Example, example, sentence

TaggedWords = list[tuple[str, str]]


class NltkTagger(import_nltk().tag.api.TaggerI):  # type: ignore[misc,unused-ignore]
    """A tagger of Weft's with the interface of NLTK's: tag, tag_sents, accuracy, confusion.

    >>> import weft
    >>> tagger = NltkTagger(weft.fit(weft.Chain(), [weft.example(["the", "dog"], ["DT", "NN"])]))
    >>> tagger.tag(["the", "dog"])
    [('the', 'DT'), ('dog', 'NN')]
    >>> tagger.accuracy([[("the", "DT"), ("dog", "VB")]])
    0.5

    Attributes:
        tagger: Weft's.
    """

    def __init__(self, tagger: Tagger) -> None:
        self.tagger = as_tagger(tagger)

    def tag(self, tokens: Sequence[str]) -> TaggedWords:
        """Return each word with its tag."""
        return self.tag_sents([tokens])[0]

    def tag_sents(self, sentences: Iterable[Sequence[str]]) -> list[TaggedWords]:
        """Return the words of each sentence with their tags; all at once is faster."""
        given = [list(sentence(words).words) for words in sentences]
        found = self.tagger.tag(given)
        pairs = zip(given, found, strict=True)
        return [list(zip(words, tags, strict=True)) for words, tags in pairs]

    def __repr__(self) -> str:
        return f"NltkTagger({self.tagger!r})"


def examples_from_nltk(tagged: Iterable[Sequence[tuple[str, str]]]) -> list[Example]:
    """Return tagged sentences of NLTK's as examples, to train on or to compare with.

    A word whose tag is None, as NLTK's taggers without a back-off give, has an unknown label.

    >>> [found] = examples_from_nltk([[("the", "DT"), ("dog", None)]])
    >>> found.tokens.words, found.analysis
    (('the', 'dog'), ('DT', None))

    Raises:
        ExampleError: If these are no pairs.
    """
    return [_example(each) for each in tagged]


def _example(tagged: Sequence[tuple[str, str]]) -> Example:
    for each in tagged:
        if not isinstance(each, list | tuple) or len(each) != 2:
            raise ExampleError(
                "a tagged sentence must be pairs, such as [('the', 'DT'), ('dog', 'NN')]; "
                f"{quote(each)} is none"
            )
    return example([word for word, _ in tagged], [tag for _, tag in tagged])


def tag_by_nltk(tagger: Any, sentences: Iterable[Sequence[str]]) -> list[Example]:
    """Return what a tagger of NLTK's makes of sentences, as examples.

    >>> from nltk.tag import DefaultTagger
    >>> tag_by_nltk(DefaultTagger("NN"), [["time", "flies"]])[0].analysis
    ('NN', 'NN')
    """
    return examples_from_nltk(tagger.tag_sents([list(words) for words in sentences]))
