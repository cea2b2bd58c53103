"""Why a sentence has no analysis: the largest pieces, and what ended the attempts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from weft.lfg.language import Place
from weft.lfg.reference.describe import Failure, Failures
from weft.lfg.reference.solve import Run, Solver
from weft.lfg.tokens import TokenLattice, list_left_out
from weft.lfg.write import show_statement
from weft.unification.limits import Allowance, ParseLimits, Spent


@dataclass(frozen=True, slots=True)
class Piece:
    """Words that a category has a c-structure over; `solved` if an f-structure goes with one."""

    category: str
    text: str
    solved: bool


@dataclass(frozen=True, slots=True)
class Reason:
    """Why attempts ended.

    Attributes:
        text: The words that were attempted.
        message: What was wrong.
        statement: The statement that could not be true; "" for completeness and coherence.
        place: Where that statement stands.
        times: How many attempts ended so.
    """

    text: str
    message: str
    statement: str
    place: Place
    times: int


@dataclass(frozen=True, slots=True)
class LfgReasons:
    """Why a sentence has no analysis.

    Attributes:
        words: Its words.
        unknown: Words that the lexicon has nothing for.
        whole: Whether there is a c-structure of the whole sentence.
        pieces: The largest pieces, if there is none.
        reasons: What ended attempts, of the whole sentence first, then over fewer words.
        truncated: Whether a limit ended the search, so that there may be other reasons.
        analyses: How many analyses it has, if nothing is wrong with it.
        left_out: The entries of unknown words that cannot be read, with their places.
    """

    words: tuple[str, ...]
    unknown: tuple[str, ...]
    whole: bool
    pieces: tuple[Piece, ...]
    reasons: tuple[Reason, ...]
    truncated: bool = False
    analyses: int = 0
    left_out: tuple[str, ...] = ()


def find_lfg_reasons(
    solver: Solver, lattice: TokenLattice, most: int = 5, limits: ParseLimits | None = None
) -> LfgReasons:
    """Say why a sentence has no analysis.

    Args:
        solver: The grammar.
        lattice: The sentence, looked up.
        most: How many reasons are named.
        limits: How much the search may take; when that is over, what was found is said.
    """
    given, failures = limits or ParseLimits(), Failures()
    run = Run(solver, lattice, failures)
    pieces: list[Piece] = []
    whole = truncated = False
    try:
        with Allowance(given.seconds, given.edges, given.megabytes):
            whole = lattice.last in run.chart.ends.get((solver.grammar.root, 0), ())
            if whole:
                for solution in run.whole():
                    for _ in run.finish(solution):
                        pass
            else:
                pieces.extend(_pieces(run))
    except Spent:
        truncated = True
    ranked = sorted(failures.found.items(), key=_importance)
    found = tuple(_reason(lattice, *each) for each in ranked[:most])
    unknown = dict.fromkeys(lattice.unknown)
    left_out = tuple(each for word in unknown for each in list_left_out(solver.grammar, word))
    return LfgReasons(
        lattice.words, lattice.unknown, whole, tuple(pieces), found, truncated, left_out=left_out
    )


def _importance(item: tuple[Failure, int]) -> tuple[bool, int, int]:
    failure, times = item
    return not failure.late, failure.start - failure.end, -times


def _reason(lattice: TokenLattice, failure: Failure, times: int) -> Reason:
    statement = failure.statement
    return Reason(
        text_between(lattice, failure.start, failure.end),
        failure.message,
        "" if statement is None else show_statement(statement),
        Place() if statement is None else statement.place,
        times,
    )


def _pieces(run: Run) -> Iterator[Piece]:
    spans = {
        (start, end, name)
        for (name, start), ends in run.chart.ends.items()
        for end in ends
        if end > start
    }
    largest = {
        (start, end)
        for start, end, _ in spans
        if not any(s <= start and end <= e and (s, e) != (start, end) for s, e, _ in spans)
    }
    return (
        Piece(
            name,
            text_between(run.lattice, start, end),
            bool(run.solutions(name, start, end, frozenset())),
        )
        for start, end, name in sorted(spans)
        if (start, end) in largest
    )


def text_between(lattice: TokenLattice, start: int, end: int) -> str:
    """Return words between two states: the tokens of a path with as few of them as possible."""
    best: dict[int, tuple[str, ...]] = {start: ()}
    for arc in sorted(lattice.arcs, key=lambda each: each.start):
        if arc.start in best and arc.end <= end:
            longer = (*best[arc.start], arc.text)
            if arc.end not in best or len(longer) < len(best[arc.end]):
                best[arc.end] = longer
    return " ".join(best.get(end, ()))
