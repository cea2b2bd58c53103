"""Parsing with a feature grammar: a thin object around the kernel."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft.arrays import IndexArray, freeze, offsets_of
from weft.errors import NotDefined, quote
from weft.files import Source
from weft.interrupts import interruptible
from weft.kernels import kernels
from weft.structures.hypergraph import Hypergraph
from weft.unification.compile import CompiledGrammar, compile_grammar
from weft.unification.forest import FeatureForest
from weft.unification.grammar import FeatureGrammar
from weft.unification.limits import (
    TOO_DEEP,
    TOO_LARGE,
    TOO_LONG,
    TOO_MANY,
    ParseLimits,
    check_limits,
    seconds_left,
)
from weft.unification.nltk import from_nltk
from weft.unification.notations import read_feature_grammar

_BLOCK = 64
_UNDECIDED = 5


@dataclass(frozen=True, slots=True)
class Work:
    """What was done for a sentence.

    Attributes:
        steps: How many steps of rules were made.
        attempts: How many unifications were tried.
        successes: How many of them did not fail.
    """

    steps: int
    attempts: int
    successes: int


class FeatureParser:
    """Finds all analyses of sentences.

    >>> import io
    >>> from weft.unification import read_fcfg
    >>> rules = "S -> S S | 'a'"
    >>> parser = FeatureParser(read_fcfg(io.BytesIO(rules.encode())))
    >>> forest = parser.parse("a a a a")
    >>> len(forest), str(forest[0])
    (5, '(S[] (S[] a) (S[] (S[] a) (S[] (S[] a) (S[] a))))')

    Args:
        grammar: The grammar.
    """

    def __init__(self, grammar: FeatureGrammar) -> None:
        self.grammar = grammar
        self.compiled = compile_grammar(grammar)

    def __repr__(self) -> str:
        return f"FeatureParser({self.grammar!r})"

    def parse(
        self, sentence: str | Sequence[str], limits: ParseLimits | None = None
    ) -> FeatureForest:
        """Return all analyses of a sentence, packed; of none, a forest of none.

        No constituent of an analysis is part of itself: of one over the same words that no tested
        feature tells apart from it.

        Args:
            sentence: Its words, or a text with spaces between them.
            limits: How much it may take.

        Raises:
            LimitError: If it takes more.
            NotDefined: If terms are compared that would have to be computed first.
        """
        return next(self.parse_all([sentence], limits))

    def parse_all(
        self,
        sentences: Iterable[str | Sequence[str]],
        limits: ParseLimits | None = None,
        threads: int = 1,
    ) -> Iterator[FeatureForest]:
        """Yield the analyses of each sentence, in order; threads change no result."""
        taken = (tuple(each.split() if isinstance(each, str) else each) for each in sentences)
        numbered = enumerate(taken, 1)
        while block := list(itertools.islice(numbered, _BLOCK if threads > 1 else 1)):
            results = parse_block(
                self.compiled, [words for _, words in block], limits or ParseLimits(), threads
            )
            for (number, words), result in zip(block, results, strict=True):
                check_status(result, words, number, limits or ParseLimits())
                yield make_forest(self.compiled, words, result)


def load(
    source: Source | Any, *, encoding: str = "utf-8", notation: str | None = None
) -> FeatureParser:
    """Return a parser for a grammar in a file, or for a feature grammar of NLTK.

    Args:
        source: A file ``.fcfg``, or in the notation of PATR-II: ``.patr`` or ``.grm``; a stream;
            or what NLTK makes of such a file.
        encoding: How the file's characters are written.
        notation: ``"fcfg"`` or ``"patr"``; by default, what the file's name says.

    Raises:
        FormatError: If it is no such grammar.
        OptionError: If there is no such encoding or notation.
    """
    if callable(getattr(source, "productions", None)):
        return FeatureParser(from_nltk(source))
    grammar = read_feature_grammar(source, encoding=encoding, notation=notation)
    return FeatureParser(grammar)


@dataclass(frozen=True, slots=True, eq=False)
class KernelForest:
    """What the kernel gives for a sentence; arrays as in :class:`FeatureForest`."""

    status: int
    work: Work
    spans: IndexArray
    objects: tuple[IndexArray, ...]
    heads: IndexArray
    rules: IndexArray
    arities: IndexArray
    tails: IndexArray


def parse_block(
    compiled: CompiledGrammar,
    sentences: Sequence[Sequence[str]],
    limits: ParseLimits,
    threads: int = 1,
    whole: bool = False,
) -> Iterator[KernelForest]:
    """Parse some sentences; with ``whole``, give all constituents, and no edges."""
    numbers = [compiled.words.get(word, -1) for words in sentences for word in words]
    parse: Any = kernels.unify_parse
    facts, *flat = interruptible(
        parse,
        *compiled.arrays,
        np.array(numbers, np.int32),
        offsets_of(map(len, sentences)),
        limits.edges,
        int(limits.megabytes * 250_000),
        min(limits.seconds, seconds_left()),
        whole,
        threads,
    )
    spans, lengths, cells, heads, rules, arities, tails = map(_Cursor, flat)
    for status, vertices, edges, *work in facts.reshape(-1, 6).tolist():
        sizes = lengths.take(vertices)
        edge_arities = arities.take(edges)
        yield KernelForest(
            status,
            Work(*work),
            spans.take(3 * vertices).reshape(-1, 3),
            tuple(cells.take(size) for size in sizes.tolist()),
            heads.take(edges),
            rules.take(edges),
            edge_arities,
            tails.take(int(edge_arities.sum())),
        )


class _Cursor:
    """An array that is taken piece by piece."""

    def __init__(self, array: IndexArray) -> None:
        self.array, self.place = freeze(array), 0

    def take(self, count: int) -> IndexArray:
        self.place += count
        return self.array[self.place - count : self.place]


def make_forest(
    compiled: CompiledGrammar, words: tuple[str, ...], found: KernelForest
) -> FeatureForest:
    """Make a forest of what the kernel gives."""
    spans, objects = found.spans, found.objects
    if not len(spans):
        spans = freeze(np.array([[0, len(words), -1]], np.int32))
        objects = (freeze(np.zeros(0, np.int32)),)
    hypergraph = Hypergraph(len(spans), found.heads, offsets_of(found.arities), found.tails)
    unknown = tuple(dict.fromkeys(word for word in words if word not in compiled.words))
    truncated = found.status in (TOO_MANY, TOO_LARGE, TOO_LONG, TOO_DEEP)
    return FeatureForest(
        words, compiled, hypergraph, found.rules, spans, objects, truncated, unknown
    )


def check_status(
    found: KernelForest, words: Sequence[str], number: int, limits: ParseLimits
) -> None:
    """Refuse a sentence whose analyses could not all be found."""
    shown = f"sentence {number}, {quote(' '.join(words))}"
    if found.status == _UNDECIDED:
        raise NotDefined(
            f"{shown}: a rule compares a term that is computed from others, such as <?f(?x)> or "
            "(?a+?b), with another value; compare an atomic feature instead"
        )
    check_limits(found.status, words, number, limits)
