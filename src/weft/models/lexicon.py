"""Words as the terminals of a grammar, with classes for those that are rare or unknown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from weft.features.signatures import Signatures, learn_signatures
from weft.grammars.transforms import with_leaves
from weft.structures.tree import Tree, leaves


@dataclass(frozen=True, slots=True, eq=False)
class Lexicon:
    """What stands for each word in a grammar: the word itself, or its class.

    Attributes:
        known: The words that stand for themselves.
        classes: The classes of all others.
        stand_ins: [classes], the class that stands for each: itself if a rare word was in it,
            else one around it, else the most frequent one.
    """

    known: frozenset[str]
    classes: Signatures
    stand_ins: tuple[int, ...]

    def terminal(self, word: str) -> str:
        """Return the terminal of a word; a class has brackets that words do not have.

        >>> lexicon = lexicon_of([["the", "the", "dog"]], rare=1)
        >>> lexicon.terminal("the"), lexicon.terminal("cat")
        ('the', '⟨*⟩')
        """
        if word in self.known:
            return word
        return f"⟨{self.classes.names[self.stand_ins[self.classes.class_of(word)]]}⟩"

    def terminals(self, words: Sequence[str]) -> tuple[str, ...]:
        """Return the terminals of several words."""
        found = {word: self.terminal(word) for word in set(words)}
        return tuple(found[word] for word in words)

    def spelt(self, tree: Tree) -> Tree:
        """Return a tree with terminals for its words."""
        return with_leaves(tree, self.terminals(tuple(leaves(tree))))


def lexicon_of(texts: Iterable[Sequence[str]], rare: int) -> Lexicon:
    """Return the lexicon of a corpus.

    Args:
        texts: Its sentences.
        rare: Words that occur at most so often are what unknown words are like.
    """
    counts = Counter(word for words in texts for word in words)
    known = frozenset(word for word, count in counts.items() if count > rare)
    unusual = [word for word in counts if word not in known]
    classes = learn_signatures(unusual)
    used = Counter(classes.class_of(word) for word in unusual)
    # Of equals the first, so that the order of the words does not matter.
    common = min(used, key=lambda number: (-used[number], number), default=0)
    stand_ins: list[int] = []
    for number, parent in enumerate(classes.parents.tolist()):
        # A class comes after the one around it.
        around = stand_ins[parent] if parent >= 0 else common
        stand_ins.append(number if number in used else around)
    return Lexicon(known, classes, tuple(stand_ins))
