"""Parse sets of sentences by a lexical-functional grammar, with the analysis that is meant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from weft.errors import EvidenceError
from weft.features.functional import Functions, make_candidate
from weft.features.functional_forest import pack_forest
from weft.lfg.forest import LfgForest
from weft.lfg.marks import Mark, find_derivations, find_marked
from weft.lfg.parser import Analyses, LfgParser
from weft.structures.parse_set import Candidate, Packed, ParseSet


def marked_sets(
    parser: LfgParser, marks: Iterable[Mark], *, packed: bool = False
) -> Iterator[ParseSet]:
    """Yield the optimal analyses of marked sentences, with the one that is meant.

    >>> from weft.corpora.bundled import bundled_lfg, bundled_marked
    >>> from weft.lfg.parser import load_lfg
    >>> [first] = marked_sets(load_lfg(bundled_lfg()), bundled_marked("appointments")[:1])
    >>> first.text, len(first.analyses), first.right
    ('Hello, this is Peter Lang.', 1, (0,))

    Args:
        parser: The grammar.
        marks: The sentences.
        packed: Whether their analyses are packed, where the grammar can do that.

    Raises:
        EvidenceError: If a mark does not single out an analysis.
        NotDefined: If what a property says is no sum over the parts of a packed sentence.
    """
    functions = Functions.of(parser.grammar)
    for number, mark in enumerate(marks, 1):
        found = parser.parse(mark.text)
        analyses, right = make_set(found, functions, mark, packed=packed)
        yield ParseSet(str(number), mark.text, analyses, right, source=mark.source)


def make_set(
    found: Analyses, functions: Functions, mark: Mark | None = None, *, packed: bool = True
) -> tuple[tuple[Candidate, ...] | Packed, tuple[int, ...] | None]:
    """Return the optimal analyses of a sentence, and those, or edges, that a mark means.

    Raises:
        EvidenceError: If the mark does not single out an analysis.
        NotDefined: If what a property says is no sum over the parts of the packed analyses.
    """
    if packed and isinstance(found, LfgForest):
        if mark is not None:
            derivations = find_derivations(mark, found)
            _check_one(mark, len(derivations), found)
        forest = pack_forest(found, functions)
        return forest.packed, None if mark is None else forest.edges(derivations[0])
    optimal = found[: found.optimal]
    right = None if mark is None else find_marked(mark, optimal)
    if mark is not None and right is not None:
        _check_one(mark, len(right), found)
    return tuple(make_candidate(each, functions) for each in optimal), right


def _check_one(mark: Mark, fitting: int, found: Analyses) -> None:
    if fitting != 1:
        raise EvidenceError(
            f"{mark.source}: {fitting or 'none'} of {found.optimal:,} analyses fit the "
            "mark, and one should: see 'weft unify marks'"
        )
