"""Tagging dictionaries made of what is at hand: a tagged corpus, a tagger, another dictionary.

A dictionary *allows*: a word that is in it may have the tags that stand there and no other. So a
token whose label is not known takes its word out, since nothing is known to be excluded, and a
token whose label is a set gives its word every tag of the set.

A *diluted* dictionary leaves words out that one has seen too rarely to know their tags. Words
outside a dictionary may have every tag, or, where a model is told so, every *open-class* tag: one
that many words have, such as those of nouns, and not those of determiners.

Reference: Smith and Eisner (2005), "Contrastive Estimation", sections 5.1 and 5.2.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice

import numpy as np

from weft.errors import OptionError, abbreviate
from weft.models.tagger import Tagger, Tokens
from weft.ranking import TIE, first_largest
from weft.structures.evidence import Example, Sentence

_COUNT = "count<"
_NUMBER = re.compile(r"[0-9]{1,18}")


def dictionary_of(corpus: Iterable[Example]) -> dict[str, frozenset[str]]:
    """Return the words of a tagged corpus with the tags that they have there.

    A word that is somewhere without a label is left out: it may have any tag.

    >>> from weft.structures.evidence import example
    >>> corpus = [example(["a", "saw"], ["DT", "NN"]), example(["saw", "it"], ["VBD", None])]
    >>> {word: sorted(tags) for word, tags in dictionary_of(corpus).items()}
    {'a': ['DT'], 'saw': ['NN', 'VBD']}
    """
    seen: dict[str, set[str]] = defaultdict(set)
    anything: set[str] = set()
    for example in corpus:
        words = example.tokens.words
        if example.analysis is None:
            anything.update(words)
            continue
        for word, label in zip(words, example.analysis, strict=True):
            if label is None:
                anything.add(word)
            else:
                seen[word].update({label} if isinstance(label, str) else label)
    return {word: frozenset(tags) for word, tags in seen.items() if word not in anything}


def dictionary_from_tagger(
    tagger: Tagger,
    sentences: Sequence[Tokens],
    share: float = 0.1,
    threads: int | None = None,
) -> dict[str, frozenset[str]]:
    """Return the words of raw sentences with the tags that a tagger finds likely for them.

    Args:
        tagger: Any tagger; its tags become those of the dictionary.
        sentences: The sentences; it is their words that the dictionary holds.
        share: A tag is allowed if it has at least this probability at one of the word's tokens,
            or is the likeliest one there. 1 keeps the likeliest alone.
        threads: How many threads to use, all by default; no result depends on it.

    Raises:
        OptionError: If the share is no probability above 0.

    >>> from weft import Chain, example, fit
    >>> tagger = fit(Chain(), [example(["the", "dog"], ["DT", "NN"])])
    >>> sorted(dictionary_from_tagger(tagger, [["the", "dog"]], 1.0)["dog"])
    ['NN']
    """
    if not 0 < share <= 1:
        raise OptionError(f"a share is a probability above 0 and at most 1, not {share}")
    texts = [each.words if isinstance(each, Sentence) else each for each in sentences]
    words = list(chain.from_iterable(texts))
    numbers = {word: number for number, word in enumerate(dict.fromkeys(words))}
    if not words:
        return {}
    probs = np.concatenate(tagger.marginals(sentences, threads))
    allowed = np.zeros((len(numbers), len(tagger.model.tags)), np.bool_)
    places = np.array([numbers[word] for word in words], np.int64)
    allowed[places, first_largest(probs)] = True
    tokens, tags = np.nonzero(probs >= share * (1 - TIE))
    allowed[places[tokens], tags] = True
    names = np.array(tagger.model.tags, object)
    return {
        word: frozenset(names[row].tolist()) for word, row in zip(numbers, allowed, strict=True)
    }


@dataclass(frozen=True, slots=True)
class Dilution:
    """Which words keep their place in a dictionary, by what a corpus shows of them.

    Attributes:
        sentences: Words that are not in this many first sentences are left out; None for all.
        count: Words that occur less often in the whole corpus are left out.

    >>> str(Dilution(sentences=500)), str(Dilution(count=3))
    ('500', 'count<3')
    """

    sentences: int | None = None
    count: int = 0

    def __post_init__(self) -> None:
        for name in ("sentences", "count"):
            value = getattr(self, name)
            if value is not None and value < 0:
                raise OptionError(f"a dilution's {name} is at least 0, not {value}")

    def __str__(self) -> str:
        parts = [] if self.sentences is None else [str(self.sentences)]
        return ",".join([*parts, *([f"{_COUNT}{self.count}"] if self.count else [])])


def read_dilution(text: str) -> Dilution:
    """Read ``500`` (words unseen in 500 sentences), ``count<3`` (rarer words), or both.

    >>> read_dilution("500,count<2")
    Dilution(sentences=500, count=2)
    """
    numbers: dict[str, int] = {}
    for part in text.split(","):
        name = "count" if part.startswith(_COUNT) else "sentences"
        digits = part.removeprefix(_COUNT)
        if name in numbers or not _NUMBER.fullmatch(digits):
            raise OptionError(
                f"'{abbreviate(text)}' is no dilution; expected 500 (words unseen in the first "
                "500 sentences may have any tag), 'count<3' (words that occur less than 3 times) "
                "or both, '500,count<3'"
            )
        numbers[name] = int(digits)
    return Dilution(**numbers)


def dilute(
    dictionary: Mapping[str, frozenset[str]], corpus: Iterable[Example], dilution: Dilution
) -> dict[str, frozenset[str]]:
    """Return a dictionary without the words that a corpus shows too rarely.

    Args:
        dictionary: The tags that words may have.
        corpus: Where words are seen and counted; its labels play no part.
        dilution: Which words are left out.

    >>> from weft.structures.evidence import example
    >>> corpus = [example("a dog".split()), example("a cat".split())]
    >>> known = dict.fromkeys(["a", "dog", "cat"], frozenset({"DT", "NN"}))
    >>> list(dilute(known, corpus, Dilution(count=2))), list(dilute(known, corpus, Dilution(1)))
    (['a'], ['a', 'dog'])
    """
    counts = Counter(chain.from_iterable(each.tokens.words for each in corpus))
    kept = set(dictionary) if dilution.sentences is None else set[str]()
    for each in islice(corpus, dilution.sentences or 0):
        kept.update(each.tokens.words)
    return {
        word: tags
        for word, tags in dictionary.items()
        if word in kept and counts[word] >= dilution.count
    }


def open_tags_of(dictionary: Mapping[str, Collection[str]], words: int) -> frozenset[str]:
    """Return the tags that at least this many different words may have.

    Raises:
        OptionError: If there is none.

    >>> known = {"the": {"DT"}, "dog": {"NN"}, "walk": {"NN", "VB"}, "go": {"VB"}}
    >>> sorted(open_tags_of(known, 2))
    ['NN', 'VB']
    """
    counts = Counter(chain.from_iterable(dictionary.values()))
    found = frozenset(tag for tag, count in counts.items() if count >= words)
    if not found:
        most = max(counts.values(), default=0)
        raise OptionError(
            f"no tag has {words} different words in the dictionary, so that none is open; "
            f"the most that a tag has is {most}"
        )
    return found


def exclude(
    dictionary: Mapping[str, Collection[str]],
    corpus: Iterable[Example],
    open_tags: Collection[str] | None = None,
) -> Iterable[tuple[Example, int]]:
    """Find the tokens none of whose gold tags a dictionary allows.

    Args:
        dictionary: The tags that words may have.
        corpus: Labelled examples; a token without a label is never excluded.
        open_tags: The tags of words outside the dictionary; None for every one.

    Yields:
        The example and the token's place in it.

    >>> from weft.structures.evidence import example
    >>> [place for _, place in exclude({"dog": {"NN"}}, [example(["a", "dog"], ["DT", "VB"])])]
    [1]
    """
    for example in corpus:
        for place, label in enumerate(example.analysis or ()):
            allowed = dictionary.get(example.tokens.words[place], open_tags)
            if label is None or allowed is None:
                continue
            if not ({label} if isinstance(label, str) else label) & set(allowed):
                yield example, place


def check_not_excluded(
    dictionary: Mapping[str, Collection[str]],
    corpus: Iterable[Example],
    open_tags: Collection[str] | None = None,
) -> None:
    """Refuse a corpus with a gold tag that a dictionary excludes; see :func:`exclude`.

    Raises:
        OptionError: With the first such token.
    """
    for example, place in exclude(dictionary, corpus, open_tags):
        tokens, label = example.tokens, (example.analysis or ())[place]
        shown = label if isinstance(label, str) else "|".join(sorted(label or ()))
        word = tokens.words[place]
        allowed = " ".join(sorted(dictionary.get(word, open_tags or ())))
        raise OptionError(
            f"{tokens.source or 'a sentence'}: token {place + 1}, '{abbreviate(word)}', has the "
            f"tag {shown}, "
            f"but the dictionary allows it only {allowed}; mend one of them"
        )
