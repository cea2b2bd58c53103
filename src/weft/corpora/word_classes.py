"""Classes of rare words as the leaves of trees, so that a grammar of words has rules for new ones.

Words that come often enough in a treebank are *known*. In place of any other word stands its
class, ``unknown:`` and a signature (:mod:`weft.features.signatures`): in the trees that a grammar
is read off, where rare words stand for those that never came, and in what it is to parse.

    (NP (DT the) (NN rewiring))   →   (NP (DT the) (NN unknown:lower:ing))
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from weft.errors import OptionError
from weft.features.signatures import Signatures, learn_signatures
from weft.grammars.transforms.words import with_leaves
from weft.structures.evidence import Example, Sentence
from weft.structures.tree import Tree

UNKNOWN = "unknown:"
"""With this the names of classes begin; a word that does is never known."""


@dataclass(frozen=True, slots=True, eq=False)
class WordClasses:
    """The known words, and the classes of all others.

    Attributes:
        known: The words that stand for themselves.
        signatures: The classes of the others.
    """

    known: frozenset[str]
    signatures: Signatures

    def item(self, word: str) -> str:
        """Return what stands for a word: itself if it is known, else its class.

        >>> classes = WordClasses(frozenset({"the"}), Signatures(("*", "lower"), 0))
        >>> classes.item("the"), classes.item("a"), classes.item("A")
        ('the', 'unknown:lower', 'unknown:*')
        """
        if word in self.known:
            return word
        return UNKNOWN + self.signatures.names[self.signatures.class_of(word)]


def learn_word_classes(
    sentences: Iterable[Iterable[str]], *, rare: int = 1, longest: int = 3, enough: int = 5
) -> WordClasses:
    """Divide words into known ones and classes.

    Args:
        sentences: The words of each sentence of a corpus.
        rare: How often a word may come and still be rare; 0 makes all words known.
        longest: The length of the longest suffixes that classes have.
        enough: How many rare words make a class.

    Raises:
        OptionError: If ``rare`` is negative, or another number makes no sense.

    >>> classes = learn_word_classes([["the", "weaving"], ["the", "being"]], enough=2)
    >>> classes.item("the"), classes.item("eating"), classes.item("Bonn")
    ('the', 'unknown:lower:ing', 'unknown:*')
    """
    if rare < 0:
        raise OptionError(f"a rare word comes 0 times or more, not {rare}")
    counts = Counter(word for words in sentences for word in words)
    scarce = [word for word, count in counts.items() if count <= rare]
    known = {word for word, count in counts.items() if count > rare}
    return WordClasses(
        frozenset(word for word in known if not word.startswith(UNKNOWN)),
        learn_signatures(scarce, longest, enough),
    )


def with_classes(example: Example, classes: WordClasses) -> Example:
    """Return an example with classes in place of words that are not known.

    The words themselves are the sentence's last column.

    >>> from weft.structures.evidence import example
    >>> classes = WordClasses(frozenset({"the"}), Signatures(("*", "lower"), 0))
    >>> with_classes(example(["the", "dog"]), classes).tokens.columns
    (('the', 'unknown:lower'), ('the', 'dog'))
    """
    tokens = example.tokens
    items = tuple([classes.item(word) for word in tokens.words])
    sentence = Sentence(
        (items, *tokens.columns[1:], tokens.words), tokens.attributes, tokens.source
    )
    parse = example.parse
    if isinstance(parse, Tree):
        parse = with_leaves(parse, items)
    return replace(example, tokens=sentence, parse=parse)
