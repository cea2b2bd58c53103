"""Parse sets of marked sentences: the analyses by a grammar, and the one that is meant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from weft.errors import EvidenceError
from weft.features.functional import Functions, make_candidate
from weft.lfg.marks import Mark, find_marked
from weft.lfg.parser import LfgParser
from weft.structures.parse_set import ParseSet


def marked_sets(parser: LfgParser, marks: Iterable[Mark]) -> Iterator[ParseSet]:
    """Yield the analyses of marked sentences, with the one that is meant.

    >>> from weft.corpora.bundled import bundled_lfg, bundled_marked
    >>> from weft.lfg.parser import load_lfg
    >>> [first] = marked_sets(load_lfg(bundled_lfg()), bundled_marked("appointments")[:1])
    >>> first.text, len(first.analyses), first.right
    ('Hello, this is Peter Lang.', 1, (0,))

    Raises:
        EvidenceError: If a mark does not single out an analysis.
    """
    functions = Functions.of(parser.grammar)
    for number, mark in enumerate(marks, 1):
        analyses = list(parser.parse(mark.text))
        right = find_marked(mark, analyses)
        if len(right) != 1:
            raise EvidenceError(
                f"{mark.source}: {len(right) or 'none'} of {len(analyses):,} analyses fit the "
                "mark, and one should: see 'weft unify marks'"
            )
        candidates = tuple(make_candidate(each, functions) for each in analyses)
        yield ParseSet(str(number), mark.text, candidates, right, source=mark.source)
