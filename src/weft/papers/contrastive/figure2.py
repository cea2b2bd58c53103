"""Figure 2 and table 3 of Smith and Eisner (2005): how well each method learns.

Taggers are scored on the text that they learnt from, on the words to which the dictionary gives
several tags. Beside them stand supervised taggers, which are ceilings, and what choosing a tag of
the dictionary at random would get right.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from weft.corpora.tags.dictionaries_made import dictionary_of, dilute, read_dilution
from weft.corpora.tags.maps import coarse_examples, find_tag_map
from weft.evaluate.tagging import tagging_scores
from weft.models import Dictionary
from weft.models.tagger import Tagger
from weft.papers.contrastive.learning import (
    METHODS,
    SUPERVISED,
    Settings,
    check_methods,
    criterion_of,
    first_words,
    learn,
    read_text,
    value_of,
)
from weft.structures.evidence import Example

EVERY = (*SUPERVISED, *METHODS)
"""All methods, the ceilings first."""

RANDOM = "random"
"""What stands for choosing at random."""

PAPER: Mapping[str, float] = {
    "crf": 0.995,
    "hmm": 0.972,
    "em": 0.621,
    "del1word": 0.604,
    "del1subseq": 0.587,
    "trans1": 0.790,
    "delortrans1": 0.788,
    "length": 0.793,
    RANDOM: 0.351,
}
"""Figure 2 at 96,000 words of the Wall Street Journal, the smoothing chosen by an oracle."""

REFERENCE: Mapping[str, Mapping[float, float]] = {
    "em": {0.1: 0.683, 1.0: 0.701, 10.0: 0.688},
    "del1word": {0.1: 0.518, 1.0: 0.769, 10.0: 0.762},
    "trans1": {1.0: 0.875},
    "delortrans1": {1.0: 0.872},
    "length": {0.1: 0.851, 1.0: 0.875, 10.0: 0.877},
}
"""What an independent implementation found on the whole WSJ sample, by smoothing."""

_REFERENCE_TEXT = ("wsj-sample", 94_084, 34_357)


@dataclass(frozen=True, slots=True)
class LearntRow:
    """A method with a smoothing, and how well it does.

    Attributes:
        method: ``crf``, ``hmm``, ``em``, or the neighbourhood.
        smoothing: λ of EM and HMM, or the variance of the Gaussian; None for no penalty.
        ambiguous: The accuracy on words to which the whole dictionary gives several tags.
        accuracy: On all words.
        value: What was maximised, where training stopped.
        iterations: How many it took.
        seconds: And how long.
        development: The criterion on the development text, which has no labels; None without one,
            or where the model excludes a sentence of it.
    """

    method: str
    smoothing: float | None
    ambiguous: float | None
    accuracy: float | None
    value: float
    iterations: int
    seconds: float
    development: float | None = None


@dataclass(frozen=True, slots=True)
class LearntTable:
    """Methods of learning from raw text, on one corpus.

    Attributes:
        corpus: Its name.
        tokens: How many words it has.
        ambiguous_tokens: How many of them have several tags in the whole dictionary.
        tags_a_token: How many tags the (diluted) dictionary gives a word of the text on average.
        random: The accuracy on ambiguous words that is expected of choosing uniformly among these.
        dilution: What was left out of the dictionary.
        settings: What the methods had in common.
        rows: One per method and smoothing.
    """

    corpus: str
    tokens: int
    ambiguous_tokens: int
    tags_a_token: float
    random: float | None
    dilution: str
    settings: Settings
    rows: tuple[LearntRow, ...]

    def reference(self, row: LearntRow) -> float | None:
        """The independent implementation's accuracy on ambiguous words; None if there is none."""
        text = (self.corpus, self.tokens, self.ambiguous_tokens)
        if text != _REFERENCE_TEXT or self.dilution or self.settings.spelling:
            return None
        return REFERENCE.get(row.method, {}).get(row.smoothing or 0.0)

    def selected(self, method: str) -> LearntRow | None:
        """The row whose criterion is highest on the development text; None without one."""
        rows = [row for row in self._rows(method) if row.development is not None]
        return max(rows, key=lambda row: row.development or 0.0) if rows else None

    def oracle(self, method: str) -> LearntRow:
        """The row with the highest accuracy on all words."""
        return max(self._rows(method), key=lambda row: row.accuracy or 0.0)

    def _rows(self, method: str) -> list[LearntRow]:
        return [row for row in self.rows if row.method == method]


@dataclass(frozen=True, slots=True, eq=False)
class LearningText:
    """A text to learn from, with its dictionary.

    Attributes:
        corpus: The sentences, with their tags.
        held_out: More of them, for the choice of the smoothing.
        whole: The tags of all words.
        dictionary: The same without the words that were left out.
    """

    corpus: list[Example]
    held_out: list[Example]
    whole: Dictionary
    dictionary: Dictionary

    @property
    def tokens(self) -> int:
        """How many words it has."""
        return sum(len(example.tokens) for example in self.corpus)

    @property
    def ambiguous(self) -> list[list[bool]]:
        """Of every word of every sentence whether the whole dictionary gives it several tags."""
        return [
            [len(self.whole[word]) > 1 for word in example.tokens.words] for example in self.corpus
        ]

    @property
    def ambiguous_tokens(self) -> int:
        """How many words have several tags."""
        return sum(map(sum, self.ambiguous))

    @property
    def sizes(self) -> list[list[int]]:
        """Of every word of every sentence how many tags it may have."""
        tags = {tag for several in self.whole.values() for tag in several}
        return [
            [len(self.dictionary.get(word, tags)) for word in example.tokens.words]
            for example in self.corpus
        ]

    @property
    def tags_a_token(self) -> float:
        """The mean of these."""
        return sum(map(sum, self.sizes)) / self.tokens

    @property
    def random(self) -> float | None:
        """What choosing a tag at random is expected to get right of ambiguous words."""
        chances = [
            1 / size
            for sizes, several in zip(self.sizes, self.ambiguous, strict=True)
            for size, hard in zip(sizes, several, strict=True)
            if hard
        ]
        return sum(chances) / len(chances) if chances else None


def prepare_text(
    corpus_name: str,
    words: int | None = None,
    development: int = 0,
    tag_map: str | None = None,
    dilution: str = "",
) -> LearningText:
    """Read a text and make its dictionary; the arguments are those of :func:`unlabelled_table`."""
    text = read_text(corpus_name)
    if tag_map is not None:
        text = coarse_examples(text, find_tag_map(tag_map))
    corpus = first_words(text, words)
    held_out = first_words(text[len(corpus) :], development)
    whole = dictionary_of([*corpus, *held_out])
    dictionary = dilute(whole, corpus, read_dilution(dilution)) if dilution else whole
    return LearningText(corpus, held_out, whole, dictionary)


def unlabelled_table(
    corpus_name: str,
    methods: Sequence[str] = EVERY,
    *,
    smoothings: Sequence[float | None] = (1.0,),
    dilution: str = "",
    words: int | None = None,
    development: int = 0,
    tag_map: str | None = None,
    settings: Settings | None = None,
    watch: Callable[[str], None] | None = None,
) -> LearntTable:
    """Learn trigram taggers from the words of a corpus and a dictionary, and score them on it.

    The dictionary is that of the text itself and of the development text; words that are diluted
    may have every tag. What is scored is the text that was learnt from, as in the paper.

    Args:
        corpus_name: A corpus that :func:`weft.corpora.parts.read_part` knows, all parts together.
        methods: Names of :data:`EVERY`; those that are supervised look at the tags.
        smoothings: Values of λ for EM and HMM, variances for the others; None for no penalty.
        dilution: As ``count<3`` (rarer words) or ``500`` (words unseen in this many sentences).
        words: Take this many words at most, from the beginning.
        development: And this many at most after those, for the choice of the smoothing.
        tag_map: A map that makes the tags coarse, by name.
        settings: What the methods have in common.
        watch: Told what is trained next.

    Raises:
        OptionError: If there is no such method or corpus.

    >>> made = unlabelled_table("english", ["trans1"], words=500)
    >>> made.rows[0].method, made.rows[0].ambiguous > 0.5
    ('trans1', True)
    """
    check_methods(methods, EVERY)
    settings = settings or Settings()
    text = prepare_text(corpus_name, words, development, tag_map, dilution)
    corpus, held_out = text.corpus, text.held_out
    rows = []
    for method in methods:
        for smoothing in smoothings:
            if watch:
                watch(f"{method}, smoothing {smoothing}")
            tagger = learn(method, smoothing, corpus, held_out, text.dictionary, settings)
            threads = settings.threads
            rows.append(_row(tagger, method, smoothing, corpus, held_out, text.whole, threads))
    return LearntTable(
        corpus_name,
        text.tokens,
        text.ambiguous_tokens,
        text.tags_a_token,
        text.random,
        dilution,
        settings,
        tuple(rows),
    )


def _row(
    tagger: Tagger,
    method: str,
    smoothing: float | None,
    corpus: Sequence[Example],
    held_out: Sequence[Example],
    whole: Dictionary,
    threads: int | None,
) -> LearntRow:
    sentences = [example.tokens for example in corpus]
    tags = tagger.tag(sentences, threads=threads)
    gold = [example.analysis or () for example in corpus]
    scores = tagging_scores(gold, tags, [each.words for each in sentences], whole)
    last = tagger.trace[-1]
    held_out_value = -math.inf
    if held_out and method not in SUPERVISED:
        held_out_value = value_of(tagger, held_out, criterion_of(method), threads)
    return LearntRow(
        method,
        smoothing,
        scores.ambiguous_accuracy,
        scores.accuracy,
        last.value,
        last.iteration,
        last.seconds or 0.0,
        held_out_value if math.isfinite(held_out_value) else None,
    )
