"""Texts that taggers learn from, with their dictionaries: section 5 of Smith and Eisner (2005).

Taggers are scored on the text that they learnt from, on the words to which the dictionary gives
several tags. Beside them stands what choosing a tag of the dictionary at random would get right.
"""

from __future__ import annotations

from dataclasses import dataclass

from weft.corpora.tags.dictionaries_made import dictionary_of, dilute, read_dilution
from weft.corpora.tags.maps import coarse_examples, find_tag_map
from weft.models import Dictionary
from weft.papers.contrastive.learning import first_words, read_text
from weft.structures.evidence import Example


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
    def tags_per_token(self) -> float:
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
    """Read a text and make its dictionary.

    The dictionary is that of the text itself and of the development text; words that are diluted
    may have every tag.

    Args:
        corpus_name: A corpus that :func:`weft.corpora.parts.read_part` knows, all parts together.
        words: Take this many words at most, from the beginning.
        development: And this many at most after those, for the choice of the smoothing.
        tag_map: A map that makes the tags coarse, by name.
        dilution: As ``count<3`` (rarer words) or ``500`` (words unseen in this many sentences).

    Raises:
        OptionError: If there is no such corpus, map or dilution.

    >>> text = prepare_text("english", words=500, dilution="count<2")
    >>> text.tokens <= 500, text.tags_per_token > 5
    (True, True)
    """
    text = read_text(corpus_name)
    if tag_map is not None:
        text = coarse_examples(text, find_tag_map(tag_map))
    corpus = first_words(text, words)
    held_out = first_words(text[len(corpus) :], development)
    whole = dictionary_of([*corpus, *held_out])
    dictionary = dilute(whole, corpus, read_dilution(dilution)) if dilution else whole
    return LearningText(corpus, held_out, whole, dictionary)
