"""Neighbourhoods: for a sentence x a set N(x) of strings like it, x among them.

Every neighbourhood is a minimal deterministic lattice (or a sausage), holds x, and never holds the
empty string. Those of the paper are

===============  =================================================================
DEL1WORD         one word is deleted
TRANS1           two neighbouring words are transposed
DELORTRANS1      either of the two
DEL1SUBSEQ       one span of words is deleted
LENGTH           every word is replaced by any word of a vocabulary
===============  =================================================================

In general a small transducer says what may become of x. x is composed with it, and what it writes
is determinised and minimised. The functions here make the paper's neighbourhoods directly, which is
faster; ``*_transducer`` are their definitions, to which the tests hold them.

Reference: Smith and Eisner (2005), "Contrastive Estimation", section 4 and figure 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from weft.algebra import MAX
from weft.automata import direct
from weft.automata.composition import compose
from weft.automata.determinisation import determinise
from weft.automata.epsilons import remove_epsilons
from weft.automata.lattices import to_lattice
from weft.automata.minimisation import minimise
from weft.automata.order import topological_order
from weft.automata.transducer import (
    ANY,
    EPSILON,
    MOST_ARCS,
    Tape,
    Transducer,
    project,
    remove_weights,
    string_acceptor,
    transducer,
    union,
    with_words,
)
from weft.errors import LimitError, NotNestedError
from weft.structures.lattice import Lattice, accepts
from weft.structures.sausage import Sausage

Neighbourhood = Callable[[Sequence[str]], Lattice | Sausage]
"""From a sentence to its neighbours."""


def del1word(words: Sequence[str]) -> Lattice:
    """Return the strings from which one word is missing: DEL1WORD.

    Deleting either of two equal neighbours gives one string, and the only word stays.

    >>> [" ".join(string) for string in del1word("so so good".split()).strings()]
    ['so so', 'so so good', 'so good']

    Raises:
        ValueError: If there are no words, or they are one string.
    """
    return direct.deletions(_checked(words))


def trans1(words: Sequence[str]) -> Lattice:
    """Return the strings in which two neighbouring words are exchanged: TRANS1.

    >>> [" ".join(string) for string in trans1("natural language is".split()).strings()]
    ['natural language is', 'natural is language', 'language natural is']

    Raises:
        ValueError: If there are no words, or they are one string.
    """
    return direct.transpositions(_checked(words))


def delortrans1(words: Sequence[str]) -> Lattice:
    """Return the union of the neighbourhoods by deletion and by transposition: DELORTRANS1.

    >>> delortrans1("natural language is a delicate thing".split()).count()
    12

    Raises:
        ValueError: If there are no words, or they are one string.
    """
    return direct.deletions_and_transpositions(_checked(words))


def del1subseq(words: Sequence[str], limit: int = MOST_ARCS) -> Lattice:
    """Return the strings from which one span of words is missing: DEL1SUBSEQ.

    m different words have m (m + 1) / 2 of them, in a lattice of 2 m - 1 states but also about
    m² / 2 arcs.

    >>> strings = del1subseq("natural language is a delicate thing".split())
    >>> strings.count(), strings.state_count, strings.arc_count
    (21, 11, 25)

    Raises:
        ValueError: If there are no words, or they are one string.
        LimitError: If the lattice would have more than ``limit`` arcs.
    """
    return direct.span_deletions(_checked(words), limit)


@dataclass(frozen=True, slots=True)
class Length:
    """All strings as long as the sentence, over a vocabulary: LENGTH.

    Attributes:
        vocabulary: The words there are, each once.

    >>> Length(("time", "flies"))(["flies"]).count()
    2
    """

    vocabulary: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "vocabulary", tuple(self.vocabulary))
        Sausage(self.vocabulary, len(self.vocabulary[:1]))  # refuses what is there twice

    def __call__(self, words: Sequence[str]) -> Sausage:
        """Return the strings.

        Raises:
            ValueError: If there are no words, or they are one string.
            NotNestedError: If a word is not in the vocabulary.
        """
        unknown = set(_checked(words)).difference(self.vocabulary)
        for word in words:
            if word in unknown:
                raise NotNestedError(
                    f"the word {word!r} is not in the vocabulary, and so the sentence is not among "
                    "its neighbours; add it to the vocabulary"
                )
        return Sausage(self.vocabulary, len(words))


@dataclass(frozen=True, slots=True)
class Transduced:
    """What a transducer writes when it reads the sentence, and the sentence itself.

    The weights do not matter: a neighbourhood is a set. The empty string is left out.

    Attributes:
        machine: The transducer. Its :data:`ANY` is any word of the sentence.
        limit: How many arcs a machine on the way to the lattice may have.

    Raises:
        LimitError: If the transducer can write without end and without reading.

    >>> replace_first = transducer([(0, ANY, "that", 1), (1, ANY, ANY, 1)], [1])
    >>> list(Transduced(replace_first)(["this", "is"]).strings())
    [('this', 'is'), ('that', 'is')]
    """

    machine: Transducer
    limit: int = MOST_ARCS

    def __post_init__(self) -> None:
        moves: dict[int, list[int]] = {}
        for arc in self.machine.arcs:
            if arc.input == EPSILON:
                moves.setdefault(arc.source, []).append(arc.target)
        try:
            topological_order(moves, range(self.machine.state_count))
        except LimitError as error:
            message = "the transducer can go on without reading a word, and neighbours would be"
            raise LimitError(f"{message} infinitely many: {error}") from None

    def __call__(self, words: Sequence[str]) -> Lattice:
        """Return the strings.

        Raises:
            ValueError: If there are no words, or they are one string.
            LimitError: If a machine would be larger than the limit.
        """
        sentence = string_acceptor(_checked(words))
        relation = with_words(remove_weights(self.machine), words, self.limit)
        written = project(compose(sentence, relation, self.limit), Tape.OUTPUT)
        every = remove_epsilons(union(written, sentence), MAX, self.limit)
        strings = determinise(every, MAX, self.limit)
        # Nothing leads to the initial state: no other string ends in it than the empty one.
        proper = replace(strings, finals=(-math.inf, *strings.finals[1:]))
        return to_lattice(minimise(proper, MAX), words)


@dataclass(frozen=True, slots=True)
class Custom:
    """What a function says the neighbours of a sentence are.

    Attributes:
        function: From the words to the lattice.

    >>> from weft.structures.lattice import lattice
    >>> shouted = Custom(lambda words: lattice([(0, words[0], 1), (0, words[0].upper(), 1)], [1]))
    >>> list(shouted(["hello"]).strings())
    [('hello',), ('HELLO',)]
    """

    function: Callable[[Sequence[str]], Lattice]

    def __call__(self, words: Sequence[str]) -> Lattice:
        """Return the strings.

        Raises:
            ValueError: If there are no words, or they are one string, or the empty string is
                among the neighbours.
            NotNestedError: If the sentence is not.
        """
        strings = self.function(_checked(words))
        if strings.final[0]:
            raise ValueError("the empty string is among the neighbours; leave it out")
        if not accepts(strings, words):
            raise NotNestedError(
                f"the sentence '{' '.join(words)}' is not among its neighbours; add it"
            )
        return strings


def del1word_transducer() -> Transducer:
    """Return the definition of :func:`del1word`.

    >>> del1word_transducer().state_count
    2
    """
    return transducer([(0, ANY, ANY, 0), (0, ANY, EPSILON, 1), (1, ANY, ANY, 1)], [0, 1])


def trans1_transducer(words: Sequence[str]) -> Transducer:
    """Return the definition of :func:`trans1`, which has arcs for each pair of neighbours.

    >>> trans1_transducer(["natural", "language", "is"]).state_count
    4
    """
    arcs = [(0, ANY, ANY, 0), (1, ANY, ANY, 1)]
    for state, (one, other) in enumerate(dict.fromkeys(pairwise(words)), 2):
        arcs += [(0, one, other, state), (state, other, one, 1)]
    return transducer(arcs, [0, 1])


def delortrans1_transducer(words: Sequence[str]) -> Transducer:
    """Return the definition of :func:`delortrans1`.

    >>> delortrans1_transducer(["natural", "language", "is"]).state_count
    7
    """
    return union(del1word_transducer(), trans1_transducer(words))


def del1subseq_transducer() -> Transducer:
    """Return the definition of :func:`del1subseq`.

    >>> del1subseq_transducer().state_count
    3
    """
    arcs = [
        (0, ANY, ANY, 0),
        (0, EPSILON, EPSILON, 1),
        (1, ANY, EPSILON, 1),
        (1, EPSILON, EPSILON, 2),
        (2, ANY, ANY, 2),
    ]
    return transducer(arcs, [2])


def length_transducer(vocabulary: Sequence[str]) -> Transducer:
    """Return the definition of :class:`Length`.

    >>> len(length_transducer(["time", "flies"]).arcs)
    2
    """
    return transducer([(0, ANY, word, 0) for word in vocabulary], [0])


NEIGHBOURHOODS: Mapping[str, Neighbourhood] = {
    "del1word": del1word,
    "trans1": trans1,
    "delortrans1": delortrans1,
    "del1subseq": del1subseq,
}
"""The paper's neighbourhoods that need nothing but the sentence."""


def _checked(words: Sequence[str]) -> Sequence[str]:
    if isinstance(words, str):
        raise ValueError(f"a sentence is a list of words, not the string {words!r}: split it first")
    if not words or "" in words:
        raise ValueError("a sentence with neighbours has one or more words, none of them empty")
    return words
