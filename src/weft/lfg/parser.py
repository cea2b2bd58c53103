"""Parsing with a lexical-functional grammar."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np

from weft.files import Source
from weft.lfg.analysis import Analysis
from weft.lfg.language import Lfg
from weft.lfg.optimality import Optimality
from weft.lfg.pictures import show_analysis
from weft.lfg.read import read_lfg
from weft.lfg.reference.solve import Solver
from weft.lfg.tokens import TokenLattice, analyse
from weft.lfg.why import LfgReasons, find_lfg_reasons


@dataclass(frozen=True, eq=False, repr=False)
class Analyses(Sequence[Analysis]):
    """The analyses of a sentence, best first.

    Attributes:
        words: The words that it was split into.
        items: The analyses.
        optimal: How many of them, the first ones, are optimal.
        unknown: Words that the lexicon has nothing for.
    """

    words: tuple[str, ...]
    items: tuple[Analysis, ...]
    optimal: int
    unknown: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<{self.numbers} analyses of {' '.join(self.words)!r}>"

    def __len__(self) -> int:
        return len(self.items)

    @overload
    def __getitem__(self, number: int) -> Analysis: ...

    @overload
    def __getitem__(self, number: slice) -> tuple[Analysis, ...]: ...

    def __getitem__(self, number: int | slice) -> Analysis | tuple[Analysis, ...]:
        return self.items[number]

    def __iter__(self) -> Iterator[Analysis]:
        return iter(self.items)

    @property
    def numbers(self) -> str:
        """How many there are as XLE shows it: the optimal ones and, if there are any, others."""
        others = len(self.items) - self.optimal
        return f"{self.optimal}+{others}" if others else str(self.optimal)

    def best(self) -> Analysis:
        """Return the first of the optimal analyses.

        Raises:
            IndexError: If there is none.
        """
        return self.items[0]

    def draw(self, number: int = 0) -> str:
        """Return an analysis as text: its c-structure, and its f-structure as a matrix.

        Raises:
            IndexError: If there is no such analysis.
        """
        return show_analysis(self.items[number])

    def sample(self, count: int, rng: np.random.Generator) -> list[Analysis]:
        """Draw optimal analyses, all alike."""
        return [self.items[int(each)] for each in rng.integers(self.optimal, size=count)]


class LfgParser:
    r"""Finds all analyses of sentences.

    >>> import io
    >>> text = '''
    ... TOY ENGLISH CONFIG (1.0)
    ...   ROOTCAT S.  RULES (TOY ENGLISH).  LEXENTRIES (TOY ENGLISH).
    ...   GOVERNABLERELATIONS SUBJ.
    ... ----
    ... TOY ENGLISH RULES (1.0)
    ...   S --> N: (^ SUBJ)=!; V.
    ... ----
    ... TOY ENGLISH LEXICON (1.0)
    ... Kim     N * (^ PRED)='Kim'.
    ... sleeps  V * (^ PRED)='sleep<(^ SUBJ)>'.
    ... ----'''
    >>> parser = LfgParser(read_lfg(io.BytesIO(text.encode())))
    >>> parser.parse("Kim sleeps"), parser.parse("sleeps Kim")
    (<1 analyses of 'Kim sleeps'>, <0 analyses of 'sleeps Kim'>)

    Args:
        grammar: The grammar.
    """

    def __init__(self, grammar: Lfg) -> None:
        self.grammar = grammar
        self._solver = Solver(grammar)
        self._optimality = Optimality(grammar.optimality)

    def __repr__(self) -> str:
        return f"LfgParser({self.grammar.name!r})"

    def parse(self, sentence: str | Sequence[str], root: str | None = None) -> Analyses:
        """Return all analyses of a sentence.

        Args:
            sentence: Its text, or its words where they are split already.
            root: The category that it is to have; by default, the grammar's ROOTCAT.
        """
        lattice = self.look_up(sentence)
        unknown = lattice.unknown
        found = [] if unknown else self._solver.solve(lattice, root)
        ranked, optimal = self._optimality.rank([(each, each.marks) for each in found])
        return Analyses(lattice.words, tuple(ranked), optimal, unknown)

    def explain(self, sentence: str | Sequence[str], most: int = 5) -> LfgReasons:
        """Say why a sentence has no analysis, with at most so many reasons."""
        return find_lfg_reasons(self._solver, self.look_up(sentence), most)

    def look_up(self, sentence: str | Sequence[str]) -> TokenLattice:
        """Return what the lexicon says of a sentence."""
        return analyse(self.grammar, sentence)


def load_lfg(source: Source, *, encoding: str | None = None) -> LfgParser:
    """Return a parser for a grammar in XLE's notation.

    Raises:
        FormatError: If it cannot be read.
    """
    return LfgParser(read_lfg(source, encoding=encoding))
