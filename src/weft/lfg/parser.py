"""Parsing with a lexical-functional grammar."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence

from weft.files import Source
from weft.lfg.analyses import Analyses as Analyses
from weft.lfg.analyses import ListedAnalyses
from weft.lfg.forest import rank
from weft.lfg.language import Lfg
from weft.lfg.optimality import Optimality
from weft.lfg.read import read_lfg
from weft.lfg.reference.solve import Solver
from weft.lfg.solve import Kernels, Solved, needs_plain_solver, solve_block
from weft.lfg.tokens import TokenLattice, analyse
from weft.lfg.why import LfgReasons, find_lfg_reasons
from weft.unification.limits import ParseLimits, check_limits

_BLOCK = 64


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
    (<1 analysis of 'Kim sleeps'>, <0 analyses of 'sleeps Kim'>)

    Args:
        grammar: The grammar.
    """

    def __init__(self, grammar: Lfg) -> None:
        self.grammar = grammar
        self._solver = Solver(grammar)
        self._optimality = Optimality(grammar.optimality)
        self._kernels = Kernels(grammar, self._solver)

    def __repr__(self) -> str:
        return f"LfgParser({self.grammar.name!r})"

    def parse(
        self,
        sentence: str | Sequence[str],
        root: str | None = None,
        limits: ParseLimits | None = None,
    ) -> Analyses:
        """Return all analyses of a sentence, packed.

        Those of grammars or sentences with constructs that the kernel does not know are listed one
        by one, without regard to limits.

        Args:
            sentence: Its text, or its words where they are split already.
            root: The category that it is to have; by default, the grammar's ROOTCAT.
            limits: How much it may take.

        Raises:
            LimitError: If it takes more; with `ParseLimits.truncate`, only if no analysis was
                found until then.
        """
        return next(self.parse_all([sentence], limits, root=root))

    def parse_all(
        self,
        sentences: Iterable[str | Sequence[str]],
        limits: ParseLimits | None = None,
        threads: int = 1,
        root: str | None = None,
    ) -> Iterator[Analyses]:
        """Yield the analyses of each sentence, in order; threads change no result."""
        given = limits or ParseLimits()
        numbered = enumerate(map(self.look_up, sentences), 1)
        while block := list(itertools.islice(numbered, _BLOCK if threads > 1 else 1)):
            lattices = [lattice for _, lattice in block]
            for (number, lattice), solved in zip(
                block, self._solve(lattices, given, threads, root), strict=True
            ):
                if solved is None or needs_plain_solver(solved):
                    yield self._list(lattice, root)
                    continue
                found = bool(solved.forest)
                check_limits(solved.status, lattice.words, number, given, found=found)
                yield rank(solved.forest, self._optimality)

    def _solve(
        self,
        lattices: Sequence[TokenLattice],
        limits: ParseLimits,
        threads: int,
        root: str | None,
    ) -> list[Solved | None]:
        """What the kernel finds; None where it knows some entry or rule not."""
        kernels = [self._kernels.find(lattice) for lattice in lattices]
        found: list[Solved | None] = [None] * len(lattices)
        for kernel in {id(each): each for each in kernels if each is not None}.values():
            places = [place for place, each in enumerate(kernels) if each is kernel]
            some = [lattices[place] for place in places]
            block = solve_block(kernel, some, limits, threads=threads, root=root)
            for place, solved in zip(places, block, strict=True):
                found[place] = solved
        return found

    def _list(self, lattice: TokenLattice, root: str | None) -> ListedAnalyses:
        found = [] if lattice.unknown else self._solver.solve(lattice, root)
        ranked, optimal = self._optimality.rank([(each, each.marks) for each in found])
        return ListedAnalyses(lattice.words, tuple(ranked), optimal, lattice.unknown)

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
