"""Sentences of XLE's Prolog files as parse sets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from weft.corpora.parses.xle.choices import Space, TermError
from weft.corpora.parses.xle.constituents import constituent_features
from weft.corpora.parses.xle.contexts import NEVER, TooManyNodes
from weft.corpora.parses.xle.functions import Fact, Feature, functional_features
from weft.corpora.parses.xle.packing import Forest, TooManyStates, find_reading, pack
from weft.corpora.parses.xle.terms import Compound, Term
from weft.errors import FormatError, abbreviate
from weft.structures.parse_set import Candidate, ParseSet

MOST_FEATURES = 500_000
"""A sentence with more is refused."""

WHOLE = "whole"
"""The flag of a sentence that has as many readings as XLE has found solutions."""

_PARTS = ("the text", "properties", "choices", "equivalences", "constraints", "the c-structure")
_PROPERTIES, _CHOICES, _EQUIVALENCES, _CONSTRAINTS, _TREE = range(1, 6)
_SOLUTIONS = re.compile(r"([0-9]{1,18})(?:\+[0-9]+)? solutions?\b")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A term ``fstructure(…)``.

    Attributes:
        term: The term.
        path: What messages call its file.
        id: What it is called.
    """

    term: Compound
    path: str
    id: str

    @property
    def text(self) -> str:
        """The words."""
        text = self.term.arguments[0] if self.term.arguments else ""
        return text if isinstance(text, str) else ""

    @property
    def is_packed(self) -> bool:
        """Whether it has choices."""
        return bool(self.term.arguments[_CHOICES:]) and bool(self.term.arguments[_CHOICES])

    @property
    def source(self) -> str:
        """The file and the line."""
        return f"{self.path}:{self.term.line}"

    def items(self, place: int) -> tuple[Term, ...]:
        """Return one of the lists.

        Raises:
            TermError: If it is none.
        """
        found = self.term.arguments[place]
        if not isinstance(found, tuple):
            raise TermError(f"{_PARTS[place]} must be a list [...]", self.term.line)
        return found


def make_sentence(term: Term, path: str, name: str) -> Sentence:
    """Return a sentence.

    Raises:
        FormatError: If the term is none.
    """
    if isinstance(term, Compound) and term.name == "fstructure":
        if len(term.arguments) == len(_PARTS):
            return Sentence(term, path, name)
        message = f"fstructure has six parts ({', '.join(_PARTS)}), not {len(term.arguments)}"
        raise FormatError(message, path=path, line=term.line)
    shown = f"{term.name}(...)" if isinstance(term, Compound) else str(term)
    message = f"expected fstructure(...), as XLE writes it, not {abbreviate(shown)}"
    line = term.line if isinstance(term, Compound) else None
    raise FormatError(message, path=path, line=line)


def make_parse_set(sentence: Sentence, singles: Sequence[Sentence] = ()) -> ParseSet:
    """Return the readings of a sentence, and which of them are right.

    Args:
        sentence: The sentence.
        singles: Single solutions of the same sentence: the right reading.

    Raises:
        FormatError: With the line, if it is not what it should be, is too large, or no reading is
            the single solution or has the alternatives that were selected.
    """
    space, forest = _packed(sentence)
    right = _selected(sentence, space, forest)
    for single in singles:
        marked = _marked(sentence, forest, single)
        if right is not None and not set(marked).issubset(right):
            message = f"the single solution in {single.source} is not the reading marked before it"
            raise FormatError(message, path=sentence.path, line=sentence.term.line)
        right = marked
    packed = forest.packed
    plain = not space.diagrams.choices
    return ParseSet(
        sentence.id,
        sentence.text,
        (Candidate(features=packed.edges[0].features),) if plain else packed,
        right,
        flags=_flags(sentence, forest.readings),
        source=sentence.source,
    )


def _packed(sentence: Sentence) -> tuple[Space, Forest]:
    path, line = sentence.path, sentence.term.line
    try:
        space = Space(sentence.items(_CHOICES), sentence.items(_EQUIVALENCES))
        features = _features(sentence, space)
        return space, pack(space.diagrams, features, space.wrong, space.names)
    except TermError as error:
        raise error.at(path) from None
    except (TooManyNodes, TooManyStates) as error:
        message = f"the sentence is too large: {error}; have XLE print fewer of its readings"
        raise FormatError(message, path=path, line=line) from None
    except RecursionError:
        message = "something here is defined by itself, or nested too deeply"
        raise FormatError(message, path=path, line=line) from None


def _features(sentence: Sentence, space: Space) -> Iterator[Feature]:
    functional = list(_facts(sentence, space, _CONSTRAINTS))
    tree = list(_facts(sentence, space, _TREE))
    found = chain(
        functional_features(space.diagrams, functional),
        constituent_features(space.diagrams, tree),
    )
    for count, feature in enumerate(found):
        if count >= MOST_FEATURES:
            raise TooManyStates(f"it has more than {MOST_FEATURES:,} features")
        if feature[1] != NEVER:
            yield feature


def _facts(sentence: Sentence, space: Space, place: int) -> Iterator[Fact]:
    for term in sentence.items(place):
        if isinstance(term, Compound) and term.name == "cf" and len(term.arguments) == 2:
            context, fact = term.arguments
            if isinstance(fact, Compound):
                yield space.context(context, term.line), fact
                continue
        line = term.line if isinstance(term, Compound) else sentence.term.line
        raise TermError(f"{_PARTS[place]} must have nothing but cf(CONTEXT, FACT)", line)


def _selected(sentence: Sentence, space: Space, forest: Forest) -> tuple[int, ...] | None:
    if not space.is_selected:
        return None
    if not forest.right:
        message = "no reading has all alternatives that were selected"
        raise FormatError(message, path=sentence.path, line=sentence.term.line)
    return forest.right


def _marked(sentence: Sentence, forest: Forest, single: Sentence) -> tuple[int, ...]:
    _, alone = _packed(single)
    problem = "is none of the readings here"
    try:
        found = find_reading(forest.packed, alone.packed.edges[0].features)
    except TooManyStates as error:
        found, problem = None, f"was not found among the readings: {error}"
    if found is None:
        message = (
            f"the single solution of this sentence in {single.source} {problem}; print both from "
            "the same grammar, or mark the reading with select(ALTERNATIVE, 1)"
        )
        raise FormatError(message, path=sentence.path, line=sentence.term.line)
    return found


def _flags(sentence: Sentence, readings: int) -> dict[str, bool]:
    """Whether the readings are all that there were, if the file says how many."""
    for term in sentence.items(_PROPERTIES):
        if isinstance(term, Compound) and term.name == "statistics" and term.arguments:
            found = _SOLUTIONS.match(str(term.arguments[0]))
            if found is not None:
                return {WHOLE: int(found.group(1)) == readings}
    return {}
