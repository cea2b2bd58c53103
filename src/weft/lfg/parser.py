"""Parsing with a lexical-functional grammar."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from weft.files import Source
from weft.lfg.analyses import Analyses as Analyses
from weft.lfg.analyses import ListedAnalyses
from weft.lfg.analysis import Analysis
from weft.lfg.forest import Kernel, rank
from weft.lfg.language import Lfg
from weft.lfg.optimality import Optimality
from weft.lfg.read import read_lfg
from weft.lfg.reference.solve import Solver
from weft.lfg.solve import Kernels, Solved, needs_plain_solver, solve_block
from weft.lfg.tokens import TokenLattice, analyse
from weft.lfg.why import LfgReasons, find_lfg_reasons
from weft.unification.limits import Allowance, ParseLimits, Spent, check_limits, take_memory

_BLOCK = 64


@dataclass(slots=True)
class _Sentence:
    """The work on a sentence, and how it ended if it took more than it may."""

    number: int
    text: str | Sequence[str]
    allowance: Allowance
    lattice: TokenLattice | None = None
    kernel: Kernel | None = None
    solved: Solved | None = None
    status: int = 0

    @property
    def words(self) -> tuple[str, ...]:
        """Its words, also before these were looked up."""
        if self.lattice is not None:
            return self.lattice.words
        return tuple(self.text.split() if isinstance(self.text, str) else self.text)

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Open the allowance, and note if it is used up."""
        try:
            with self.allowance:
                yield
        except Spent as spent:
            self.status = self.status or spent.status


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
        by one; then each branch of a description that is attempted counts as an edge.

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
        numbered = enumerate(sentences, 1)
        while block := list(itertools.islice(numbered, _BLOCK if threads > 1 else 1)):
            work = [_Sentence(number, text, Allowance(given.seconds)) for number, text in block]
            for each in work:
                with each.attempt():
                    each.lattice = self.look_up(each.text)
                    each.kernel = self._kernels.find(each.lattice)
            self._solve(work, given, threads, root)
            for each in work:
                yield self._finish(each, given, root)

    @staticmethod
    def _solve(
        work: Sequence[_Sentence], limits: ParseLimits, threads: int, root: str | None
    ) -> None:
        """Let the kernel solve what it knows all entries and rules of."""
        for kernel in {id(each.kernel): each.kernel for each in work}.values():
            some = [each for each in work if each.kernel is kernel and each.lattice is not None]
            if kernel is None or not some:
                continue
            lattices = [each.lattice for each in some if each.lattice is not None]
            block = solve_block(kernel, lattices, limits, threads=threads, root=root)
            for each in some:
                if len(work) > 1:  # others were solved at the same time
                    each.allowance = Allowance(limits.seconds)
                with each.allowance:
                    each.solved = next(block)

    def _finish(self, work: _Sentence, limits: ParseLimits, root: str | None) -> Analyses:
        """Rank what the kernel found, or list the analyses.

        Raises:
            LimitError: If the sentence takes more than it may.
        """
        lattice, solved = work.lattice, work.solved
        found: Analyses = ListedAnalyses(work.words)
        if solved is not None and not needs_plain_solver(solved):
            if solved.status:  # what was found until then is ranked, in time of its own
                work.status, work.allowance = solved.status, Allowance(limits.seconds)
            with work.attempt():
                found = rank(solved.forest, self._optimality)
        elif lattice is not None:
            items: list[Analysis] = []
            with work.attempt(), Allowance(steps=limits.edges, megabytes=limits.megabytes):
                for each in () if lattice.unknown else self._solver.each(lattice, root):
                    take_memory(1000 + 250 * len(each.values))
                    items.append(each)
            found = self._list(lattice, items, truncated=work.status > 0)
        check_limits(work.status, work.words, work.number, limits, found=bool(found))
        return found

    def _list(
        self, lattice: TokenLattice, items: list[Analysis], *, truncated: bool
    ) -> ListedAnalyses:
        ranked, optimal = self._optimality.rank([(each, each.marks) for each in items])
        starred = any(self._optimality.is_ungrammatical(each.marks) for each in ranked[:1])
        return ListedAnalyses(
            lattice.words, tuple(ranked), optimal, lattice.unknown, truncated, starred
        )

    def explain(
        self, sentence: str | Sequence[str], most: int = 5, limits: ParseLimits | None = None
    ) -> LfgReasons:
        """Say why a sentence has no analysis.

        Args:
            sentence: Its text, or its words where they are split already.
            most: How many reasons are named.
            limits: How much the search may take; its end is said with the reasons.
        """
        return find_lfg_reasons(self._solver, self.look_up(sentence), most, limits)

    def look_up(self, sentence: str | Sequence[str]) -> TokenLattice:
        """Return what the lexicon says of a sentence."""
        return analyse(self.grammar, sentence)


def load_lfg(source: Source, *, encoding: str | None = None) -> LfgParser:
    """Return a parser for a grammar in XLE's notation.

    Raises:
        FormatError: If it cannot be read.
    """
    return LfgParser(read_lfg(source, encoding=encoding))
