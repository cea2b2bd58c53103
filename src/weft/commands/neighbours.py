"""Listing, counting and drawing the neighbours of sentences."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from weft.automata import (
    NEIGHBOURHOODS,
    Length,
    Neighbourhood,
    Transduced,
    from_lattice,
    read_transducer,
)
from weft.automata.att import format_transducer
from weft.automata.drawing import to_dot, to_svg
from weft.commands.files.inputs import StrPath
from weft.corpora import Text
from weft.errors import FormatError, LimitError, NotNestedError, OptionError, no_such
from weft.files import Source, name_of, read_lines
from weft.reprs import Brief
from weft.structures.evidence import Sentence, sentence
from weft.structures.lattice import Lattice
from weft.structures.sausage import Sausage

LENGTH = "length"
"""The neighbourhood that has a vocabulary."""

NAMES = (*NEIGHBOURHOODS, LENGTH)
"""The neighbourhoods that can be named."""

_MOST_DIGITS = 30


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Neighbours(Brief):
    """A sentence and its neighbours.

    Attributes:
        words: The sentence.
        strings: The set of its neighbours, itself among them.
    """

    words: tuple[str, ...]
    strings: Lattice | Sausage

    def count(self) -> str:
        """Return how many there are, in digits; Python itself writes 4,300 of them at most."""
        return f"{Decimal(self.strings.count()):f}"

    def lines(self, limit: int) -> Iterator[str]:
        """Return the first strings, words separated by a space."""
        every = self.strings.strings(limit=self.strings.count())
        return map(" ".join, itertools.islice(every, limit))

    def missing(self, limit: int) -> str:
        """Return what a listing leaves out, in words; nothing where it leaves out nothing."""
        if self.strings.count() <= limit:
            return ""
        digits = self.count()
        number = digits if len(digits) <= _MOST_DIGITS else f"a number of {len(digits):,} digits"
        return f"these are the first {limit:,} strings of {number}"

    def dot(self) -> str:
        """Return the lattice for Graphviz."""
        return to_dot(_lattice(self.strings), self._title)

    def att(self) -> str:
        """Return the lattice in the AT&T format.

        Raises:
            FormatError: If a word cannot be written in it.
        """
        return format_transducer(from_lattice(_lattice(self.strings)))

    def svg(self) -> str:
        """Return a picture of the lattice."""
        return to_svg(_lattice(self.strings), self.words, self._title)

    @property
    def _title(self) -> str:
        return f"neighbours of: {' '.join(self.words)}"


def neighbours_of(
    neighbourhood: Neighbourhood, sentences: Source | Sequence[Sequence[str]]
) -> Iterator[Neighbours]:
    r"""Find the neighbours of sentences, one after the other.

    >>> import io
    >>> [one] = neighbours_of(find_neighbourhood("trans1"), io.BytesIO(b"time flies\n"))
    >>> list(one.lines(10)), one.count()
    (['time flies', 'flies time'], '2')

    Args:
        neighbourhood: From words to neighbours; see :func:`find_neighbourhood`.
        sentences: The sentences' words, or a file with a sentence per line.

    Yields:
        Each sentence with its neighbours.

    Raises:
        FormatError: If the file cannot be read.
        LimitError: If a sentence has too many neighbours; the message says which.
        NotNestedError: If a sentence is not among them.
    """
    for tokens in _sentences(sentences):
        try:
            yield Neighbours(tokens.words, neighbourhood(tokens.words))
        except (LimitError, NotNestedError) as error:
            if not tokens.source:
                raise
            raise type(error)(f"{tokens.source}: {error}") from None


def find_neighbourhood(
    name: str | None, *, vocabulary: StrPath | None = None, transducer: StrPath | None = None
) -> Neighbourhood:
    """Return one of the neighbourhoods of the paper, or that of a transducer.

    >>> find_neighbourhood("del1word")(["time", "flies"]).count()
    3

    Args:
        name: One of ``NAMES``, or None where there is a transducer.
        vocabulary: For ``length``, a file of words, separated by white space; by default the words
            of each sentence.
        transducer: A file in the AT&T format; see :func:`weft.automata.read_transducer`.

    Returns:
        The neighbourhood.

    Raises:
        OptionError: If there is no such neighbourhood, or it does not go with the rest.
        FormatError: If a file cannot be read.
        LimitError: If the transducer can write without end.
    """
    if (name is None) == (transducer is None):
        message = f"give a neighbourhood ({', '.join(NAMES)}) or --transducer FILE"
        raise OptionError(message if name is None else f"{message}, not both")
    if vocabulary is not None and name != LENGTH:
        raise OptionError(f"--vocabulary goes with the neighbourhood {LENGTH} only")
    if transducer is not None:
        return Transduced(read_transducer(transducer))
    if name == LENGTH:
        return _own_words if vocabulary is None else Length(_read_vocabulary(vocabulary))
    if name is None or name not in NEIGHBOURHOODS:
        raise OptionError(no_such("neighbourhood", name, NAMES))
    return NEIGHBOURHOODS[name]


def _own_words(words: Sequence[str]) -> Sausage:
    return Length(tuple(dict.fromkeys(words)))(words)


def _read_vocabulary(source: Source) -> tuple[str, ...]:
    words = tuple(dict.fromkeys(word for _, line in read_lines(source) for word in line.split()))
    if not words:
        raise FormatError("there is no word; give a file of words", path=name_of(source))
    return words


def _sentences(sentences: Source | Sequence[Sequence[str]]) -> Iterator[Sentence]:
    if isinstance(sentences, str) or not isinstance(sentences, Sequence):
        return (record.example.tokens for record in Text().read(sentences))
    return map(sentence, sentences)


def _lattice(strings: Lattice | Sausage) -> Lattice:
    return strings if isinstance(strings, Lattice) else strings.lattice()
