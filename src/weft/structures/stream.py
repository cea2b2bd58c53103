"""Corpora that are read anew whenever they are gone over, so that they need not fit into memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any

from weft.errors import EvidenceError, OptionError
from weft.reprs import Brief

BUFFER = 5000
"""How many examples are in memory at a time, if nothing is said."""

Step = Callable[[list[Any]], list[Any]]
"""What is made of the examples that are in memory."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Stream(Brief):
    """A corpus of which a *section* is in memory at a time, one after the other.

    >>> stream = Stream(lambda: iter(range(5)), buffer=2)
    >>> list(stream.sections()), len(stream)
    ([[0, 1], [2, 3], [4]], 5)

    Attributes:
        examples: A function that begins to read examples, from the first one on; or an object
            whose ``__iter__`` does.
        buffer: How many examples a section has.
        steps: What is made of each section when it is read.

    Raises:
        OptionError: If the examples can be gone over only once, or a section has none.
    """

    examples: Callable[[], Iterable[Any]] | Iterable[Any]
    buffer: int = BUFFER
    steps: tuple[Step, ...] = ()
    _counted: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if isinstance(self.examples, Iterator):
            raise OptionError(
                "a stream is read anew for every pass, and an iterator can be read only once: give "
                "a function that begins to read, or an object whose __iter__ does"
            )
        if self.buffer < 1:
            raise OptionError(f"a stream holds at least 1 example at a time, not {self.buffer}")

    def __iter__(self) -> Iterator[Any]:
        for section in self.sections():
            yield from section

    def sections(self) -> Iterator[list[Any]]:
        """Read the examples, as many as the buffer holds at a time.

        Raises:
            EvidenceError: If there are more or fewer than when they were read before.
        """
        given = self.examples
        reading = iter(given() if callable(given) else given)
        count = tokens = 0
        while section := list(islice(reading, self.buffer)):
            count += len(section)
            tokens += sum(len(getattr(each, "tokens", ())) for each in section)
            for step in self.steps:
                section = step(section)
            yield section
        before = self._counted.setdefault("examples", count)
        if count != before:
            raise EvidenceError(
                f"the corpus had {before:,} examples, and has {count:,} now that it is read again: "
                "leave its files as they are while a model is trained"
            )
        self._counted["tokens"] = tokens

    def __len__(self) -> int:
        return self._total("examples")

    @property
    def tokens(self) -> int:
        """How many tokens there are in all examples."""
        return self._total("tokens")

    def _total(self, what: str) -> int:
        if what not in self._counted:
            for _ in Stream(self.examples, self.buffer, (), self._counted).sections():
                pass
        return self._counted[what]

    @property
    def sizes(self) -> list[int]:
        """How many examples each section has."""
        whole, rest = divmod(len(self), self.buffer)
        return [self.buffer] * whole + [rest] * (rest > 0)


Corpus = Sequence[Any] | Stream
"""Examples, in memory or not."""


def through(corpus: Corpus, step: Step) -> Any:
    """Return what a step makes of a corpus: at once, or whenever a section of a stream is read.

    >>> through([1, 2], lambda some: [-each for each in some])
    [-1, -2]
    """
    if isinstance(corpus, Stream):
        return Stream(corpus.examples, corpus.buffer, (*corpus.steps, step), corpus._counted)
    return step(list(corpus))


def joined(corpora: Sequence[Corpus]) -> Any:
    """Return one corpus after the other as one: a stream if they are streams."""
    if len(corpora) == 1:
        return corpora[0]
    first = corpora[0]
    if isinstance(first, Stream):
        return Stream(lambda: chain.from_iterable(corpora), first.buffer)
    return list(chain.from_iterable(corpora))


def sections_of(corpus: Corpus) -> Iterator[Sequence[Any]]:
    """Yield the examples of a corpus, as many as are in memory at a time."""
    return corpus.sections() if isinstance(corpus, Stream) else iter([corpus])


def example_at(corpus: Corpus, place: int) -> Any:
    """Return an example by its number, from 0."""
    return next(islice(iter(corpus), place, None))


def token_count(corpus: Corpus) -> int:
    """Return how many tokens a corpus has."""
    if isinstance(corpus, Stream):
        return corpus.tokens
    return sum(len(example.tokens) for example in corpus)
