"""Classes of words that were never seen: shapes and suffixes that rare words share.

A word that a model has not seen is known by its *signature*. Every string belongs to exactly one
of finitely many classes, which form a tree:

    everything  ⊃  a shape, such as capital+hyphen  ⊃  … with suffix -g  ⊃  -ng  ⊃  -ing

A node of the tree exists if enough rare words of the training corpus lie in it: words that occur
once resemble the words that never occurred (Good 1953). A word's class is the deepest node that
holds it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from weft.arrays import FloatArray, IndexArray
from weft.errors import OptionError

EVERYTHING = "*"
"""The name of the class that holds every word."""

_LONGEST = 20


def shape_of(word: str) -> str:
    """Return the flags of a word, joined by ``+``: how capitals, digits and hyphens stand in it.

    >>> shape_of("Anglo-Saxon"), shape_of("IBM"), shape_of("1,234"), shape_of("1990s")
    ('capital+hyphen', 'capitals', 'number', 'lower+digit')

    Where no character is a letter or a digit the shape is ``symbol``:

    >>> shape_of("eBay"), shape_of("the"), shape_of("%")
    ('mixed', 'lower', 'symbol')
    """
    letters = [character for character in word if character.isalpha()]
    digit = any(character.isdigit() for character in word)
    flags = [_case(word, letters) if letters else "number" if digit else "symbol"]
    if letters and digit:
        flags.append("digit")
    if "-" in word:
        flags.append("hyphen")
    return "+".join(flags)


def _case(word: str, letters: Sequence[str]) -> str:
    if not any(letter.isupper() for letter in letters):
        return "lower"
    if all(letter.isupper() for letter in letters) and len(letters) > 1:
        return "capitals"
    return "capital" if word[0].isupper() else "mixed"


def _nodes(word: str, longest: int) -> Iterator[str]:
    """The names of all nodes that could hold a word, from the widest to the narrowest."""
    yield EVERYTHING
    shape = shape_of(word)
    yield shape
    lower = word[-longest:].lower()
    # A suffix leaves at least one character of the word, else the class would be the word itself.
    for length in range(1, min(longest, len(word) - 1) + 1):
        yield f"{shape}:{lower[-length:]}"


@dataclass(frozen=True, slots=True, eq=False)
class Signatures:
    """A finite partition of all strings.

    Attributes:
        names: The classes' names, ``*`` first, every class after those that contain it.
        longest: The length of the longest suffixes.
        parents: [classes], the smallest class that contains each; -1 for ``*``.
    """

    names: tuple[str, ...]
    longest: int
    parents: IndexArray = field(init=False)
    _numbers: dict[str, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        numbers = {name: number for number, name in enumerate(self.names)}
        if not 0 <= self.longest <= _LONGEST:
            raise OptionError(f"suffixes have 0 to {_LONGEST} characters, not {self.longest}")
        if self.names[:1] != (EVERYTHING,) or len(numbers) != len(self.names):
            raise OptionError(f"signatures are distinct names that begin with '{EVERYTHING}'")
        parents = np.array([_parent(name, numbers) for name in self.names], np.int32)
        object.__setattr__(self, "_numbers", numbers)
        object.__setattr__(self, "parents", parents)

    def __len__(self) -> int:
        return len(self.names)

    def class_of(self, word: str) -> int:
        """Return the number of a word's class.

        >>> learn_signatures(["eating", "being"], enough=2).class_of("weaving")
        4
        """
        number = 0
        for name in _nodes(word, self.longest):
            number = self._numbers.get(name, number)
        return number

    def classes_of(self, words: Sequence[str]) -> IndexArray:
        """Return the number of each word's class, [words]."""
        return np.fromiter(map(self.class_of, words), np.int32, len(words))


def _parent(name: str, numbers: Mapping[str, int]) -> int:
    """The number of the class around a class, which must come before it."""
    if name == EVERYTHING:
        return -1
    shape, _, suffix = name.partition(":")
    around = f"{shape}:{suffix[1:]}" if len(suffix) > 1 else shape if suffix else EVERYTHING
    number = numbers.get(around, len(numbers))
    if number >= numbers[name]:
        raise OptionError(f"the class '{name}' must come after '{around}', which contains it")
    return number


def learn_signatures(rare_words: Iterable[str], longest: int = 3, enough: int = 5) -> Signatures:
    """Return the classes that rare words fall into.

    >>> learn_signatures(["eating", "being", "Bonn"], longest=2, enough=2).names
    ('*', 'lower', 'lower:g', 'lower:ng')

    Args:
        rare_words: The distinct rare words of a corpus, in any order.
        longest: The length of the longest suffixes.
        enough: How many rare words make a class.

    Returns:
        The signatures. Without rare words there is one class, of everything.

    Raises:
        OptionError: If ``enough`` is below 1, or ``longest`` is negative or beyond 20.
    """
    if enough < 1:
        raise OptionError(f"a class needs at least 1 rare word, not {enough}")
    support = Counter(name for word in rare_words for name in _nodes(word, longest))
    names = {name for name, count in support.items() if count >= enough} - {EVERYTHING}
    # By depth: a class comes after those that contain it, and the order of the words is forgotten.
    return Signatures((EVERYTHING, *sorted(names, key=lambda name: (_depth(name), name))), longest)


def _depth(name: str) -> int:
    return len(name.partition(":")[2])


def shares_of_classes(
    signatures: Signatures, counts: FloatArray, prior: FloatArray, backoff: float
) -> FloatArray:
    """Return the tags of each class, smoothed by those of the class around it.

    q(t | c) = (n(c, t) + κ q(t | parent of c)) / (n(c) + κ), where n counts all within c, and the
    class of everything is smoothed by a prior.

    Args:
        signatures: The classes.
        counts: [classes, tags], how often words whose class is c had tag t.
        prior: [tags], which sums to 1.
        backoff: κ.

    Returns:
        [classes, tags], each row a distribution.
    """
    within = counts.copy()
    parents = signatures.parents.tolist()
    for number in range(len(parents) - 1, 0, -1):
        within[parents[number]] += within[number]
    shares = np.empty_like(within)
    for number, parent in enumerate(parents):
        around = shares[parent] if number else prior
        total = within[number].sum() + backoff
        shares[number] = (within[number] + backoff * around) / total
    return shares
