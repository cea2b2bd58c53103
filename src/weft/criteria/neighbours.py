"""Neighbours: sentences like the one observed, with every analysis.

The view D(N(x), ?) of contrastive estimation, for any neighbourhood N with x in N(x). Sums over
equal sets of strings are made once: that of a sentence which comes twice, that of all sentences of
a length, and that of all sentences of a corpus.

References: Smith and Eisner (2005), "Contrastive Estimation", sections 2.2, 3.2 and 4. All
sentences of the corpus as neighbours: Riezler (1999), the paper's equation 8. Some tokens fixed:
conditional EM, Jebara and Pentland (1998), section 3.2 of the paper.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass

from weft.automata.neighbourhoods import NEIGHBOURHOODS, Custom, Neighbourhood
from weft.criteria.views import Look, View
from weft.errors import LimitError, OptionError, no_such, quote
from weft.structures.evidence import Evidence, Example, OfLength, OneOf
from weft.structures.lattice import Lattice, lattice
from weft.structures.sausage import MOST_ARCS, Sausage

_BREADTH = 2


@dataclass(frozen=True, slots=True)
class _Strings:
    """Looks at the lattice of a sentence's neighbours, made once for equal sentences."""

    neighbourhood: Neighbourhood

    def __call__(self, corpus: Sequence[Example]) -> Look:  # noqa: ARG002
        found: dict[tuple[str, ...], Evidence] = {}

        def look(example: Example) -> tuple[Hashable, Evidence]:
            words = example.tokens.words
            if words not in found:
                found[words] = Evidence(_spelt(self.neighbourhood(words)))
            # A lattice is equal to itself alone, and so is its evidence.
            return found[words], found[words]

        return look


@dataclass(frozen=True, slots=True)
class _Checked:
    """A user's neighbourhood; each set of strings is seen to hold its sentence."""

    function: Neighbourhood

    def __call__(self, words: Sequence[str]) -> Lattice:
        return Custom(lambda each: _spelt(self.function(each)))(words)


def _spelt(strings: Lattice | Sausage) -> Lattice:
    try:
        return strings if isinstance(strings, Lattice) else strings.lattice()
    except LimitError as error:
        raise LimitError(f"{error}: neighbours('length') needs no lattice") from None


def _by_length(example: Example) -> tuple[Hashable, Evidence]:
    strings = OfLength(len(example.tokens))
    return strings, Evidence(strings)


def _among(corpus: Sequence[Example]) -> Look:
    every = Evidence(OneOf(tuple(example.tokens for example in corpus)))
    return lambda example: (every, every)  # noqa: ARG005


def _of_any(corpus: Sequence[Example]) -> Look:  # noqa: ARG001
    return _by_length


_LENGTH = View("neighbours by length", _BREADTH, _of_any, any_word=True)
_CORPUS = View("neighbours by corpus", _BREADTH, _among, whole=True)
_NAMED = {"length": _LENGTH, "corpus": _CORPUS} | {
    name: View(f"neighbours by {name}", _BREADTH, _Strings(function))
    for name, function in NEIGHBOURHOODS.items()
}

NEIGHBOURHOOD_NAMES = tuple(sorted(_NAMED))
"""The neighbourhoods that have a name."""


def neighbours(neighbourhood: str | Neighbourhood) -> View:
    """Return the view of a sentence's neighbours, with every analysis.

    >>> neighbours("trans1").name
    'neighbours by trans1'

    Args:
        neighbourhood: ``del1word``, ``trans1``, ``delortrans1`` or ``del1subseq``; ``length``, all
            sentences of the same length over the model's vocabulary; ``corpus``, all sentences of
            the corpus; or a function from words to a lattice with them, such as
            :class:`~weft.automata.Transduced` or :class:`Varying`.

    Raises:
        OptionError: If there is no neighbourhood of that name.
    """
    if not isinstance(neighbourhood, str):
        name = getattr(neighbourhood, "__name__", type(neighbourhood).__name__.lower())
        return View(f"neighbours by {name}", _BREADTH, _Strings(_Checked(neighbourhood)))
    if neighbourhood not in _NAMED:
        raise OptionError(
            no_such("neighbourhood", neighbourhood, NEIGHBOURHOOD_NAMES)
            + ", or give a function from words to a lattice"
        )
    return _NAMED[neighbourhood]


@dataclass(frozen=True, slots=True)
class Varying:
    """All strings that differ from a sentence in some of its words only: the rest is given.

    Contrastive estimation with these neighbours is conditional EM: it maximises the probability
    of the words that vary given those that do not. They partition the sentences if the words of
    ``choices`` stand for each other and do not change which tokens vary.

    Attributes:
        where: From the words of a sentence to whether each varies.
        choices: The words that may stand there; or from a word to those that may stand for it.
            The word itself always may.
        limit: How many arcs a sentence's lattice may have.

    >>> numerals = Varying(lambda words: [word.isdigit() for word in words], ("1", "2"))
    >>> list(numerals(["3", "blind", "mice"]).strings())
    [('3', 'blind', 'mice'), ('1', 'blind', 'mice'), ('2', 'blind', 'mice')]
    """

    where: Callable[[Sequence[str]], Iterable[bool]]
    choices: Collection[str] | Callable[[str], Collection[str]]
    limit: int = MOST_ARCS

    def __post_init__(self) -> None:
        if isinstance(self.choices, str):
            raise OptionError(
                f"choices are words, not the string {quote(self.choices)}: split it first"
            )

    def __call__(self, words: Sequence[str]) -> Lattice:
        """Return the strings.

        Raises:
            ValueError: If there is not one answer per word.
            LimitError: If the lattice would have more arcs than the limit.
        """
        answers = list(self.where(words))
        if len(answers) != len(words):
            raise ValueError(
                f"where gave {len(answers)} answers for {len(words)} words: give one per word"
            )
        arcs: list[tuple[int, str, int]] = []
        for place, (word, varies) in enumerate(zip(words, answers, strict=True)):
            others = self._choices(word) if varies else ()
            if len(arcs) + len(others) >= self.limit:
                raise LimitError(
                    f"the strings that vary '{' '.join(words[:20])}' need more than "
                    f"{self.limit:,} arcs: let fewer tokens vary, or fewer words stand there"
                )
            arcs += [(place, form, place + 1) for form in dict.fromkeys((word, *others))]
        return lattice(arcs, [len(words)])

    def _choices(self, word: str) -> Collection[str]:
        return self.choices(word) if callable(self.choices) else self.choices
