"""Why a sentence has no analysis: the largest pieces of it, and what failed between them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import nsmallest
from itertools import chain, islice

from weft.unification.compile import CompiledGrammar
from weft.unification.decode import decode
from weft.unification.evaluate import evaluate
from weft.unification.grammar import FeatureGrammar, FeatureRule, category_of
from weft.unification.limits import Allowance, ParseLimits, Spent, check_time
from weft.unification.parser import FeatureParser, KernelForest, check_status, parse_block
from weft.unification.structure import Atom, FeatureStructure, Node, Struct, canonical
from weft.unification.unify import Graph, describe

MOST_ATTEMPTS = 3000
"""So many applications of rules are looked at, those that end last first."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A constituent that was found, without what is carried; or a word."""

    start: int
    end: int
    structure: FeatureStructure


@dataclass(frozen=True, slots=True)
class Failure:
    """A rule that would apply, but for the features of one of its sides.

    Attributes:
        rule: The rule.
        pieces: What would be its parts, up to the one that does not fit.
        path: The features that lead to what differs; empty where it is not one place.
        wanted: What the rule asks for there.
        given: What the part has there.
    """

    rule: FeatureRule
    pieces: tuple[Piece, ...]
    path: tuple[str, ...]
    wanted: str
    given: str

    @property
    def words(self) -> int:
        """How many words it would be over."""
        return self.pieces[-1].end - self.pieces[0].start


@dataclass(frozen=True, slots=True)
class Reasons:
    """What is known of a sentence, with or without analyses.

    Attributes:
        words: The sentence.
        unknown: Words that are in no rule.
        pieces: The fewest constituents that cover it, from left to right; words of which nothing
            was made are left out.
        failures: What failed, last first: by where it ends, then by how many words it is over.
        analyses: How many analyses it has, if nothing is wrong with it.
        truncated: Whether the time ended the search, so that there may be other failures.
    """

    words: tuple[str, ...]
    unknown: tuple[str, ...]
    pieces: tuple[Piece, ...]
    failures: tuple[Failure, ...]
    analyses: int = 0
    truncated: bool = False


def find_reasons(
    parser: FeatureParser, words: Sequence[str], most: int = 5, limits: ParseLimits | None = None
) -> Reasons:
    r"""Say what of a sentence can be analysed, and what fails where.

    Args:
        parser: The parser.
        words: The sentence.
        most: How many failures are wanted.
        limits: How much it may take. If the time ends after parsing, what was found until then is
            named.

    Raises:
        LimitError: If parsing takes more than it may.

    >>> import io
    >>> from weft.unification import read_fcfg
    >>> rules = b"S -> NP[NUM=?n] VP[NUM=?n]\nNP[NUM=sg] -> 'Kim'\nVP[NUM=pl] -> 'sleep'"
    >>> found = find_reasons(FeatureParser(read_fcfg(io.BytesIO(rules))), ["Kim", "sleep"])
    >>> [str(piece.structure) for piece in found.pieces]
    ["NP[NUM='sg']", "VP[NUM='pl']"]
    >>> [(failure.path, failure.wanted, failure.given) for failure in found.failures]
    [(('NUM',), "'sg'", "'pl'")]
    """
    given = limits or ParseLimits()
    pieces: list[Piece] = []
    kept: dict[tuple[FeatureRule, Piece], Failure] = {}
    truncated = False
    with Allowance(given.seconds):
        [found] = parse_block(parser.compiled, [words], given, whole=True)
        check_status(found, words, 1, given)
        try:
            pieces.extend(_pieces(parser.compiled, found))
            for rule, parts in _attempts(parser.grammar, pieces, words):
                failure = _try(parser.grammar, rule, parts)
                if failure is not None:
                    kept.setdefault((rule, failure.pieces[-1]), failure)
        except Spent:
            truncated = True
    unknown = tuple(dict.fromkeys(word for word in words if word not in parser.compiled.words))
    last = sorted(kept.values(), key=lambda each: (-each.pieces[-1].end, -each.words))
    cover = _cover(pieces, len(words))
    return Reasons(tuple(words), unknown, cover, tuple(last[:most]), truncated=truncated)


def _pieces(compiled: CompiledGrammar, found: KernelForest) -> Iterator[Piece]:
    for (start, end, category), cells in zip(found.spans.tolist(), found.objects, strict=True):
        check_time()
        yield Piece(start, end, evaluate(decode(compiled, category, cells.tolist())))


def _cover(pieces: Sequence[Piece], length: int) -> tuple[Piece, ...]:
    """The fewest pieces that leave fewest words out, the longest first where there is a choice."""
    ending: list[list[Piece]] = [[] for _ in range(length + 1)]
    for piece in pieces:
        ending[piece.end].append(piece)
    best: list[tuple[int, int, tuple[Piece, ...]]] = [(0, 0, ())]
    for end in range(1, length + 1):
        missing, count, before = best[end - 1]
        found = (missing + 1, count, before)
        for piece in ending[end]:
            if piece.start < end:
                missing, count, before = best[piece.start]
                candidate = (missing, count + 1, (*before, piece))
                if candidate[:2] <= found[:2]:  # the later one is made of the earlier
                    found = candidate
        best.append(found)
    return best[length][2]


def _attempts(
    grammar: FeatureGrammar, pieces: Sequence[Piece], words: Sequence[str]
) -> list[tuple[FeatureRule, tuple[Piece, ...]]]:
    """Rules with parts of the right categories side by side, those that end last first."""
    beginning = _Beginning([defaultdict(list) for _ in range(len(words) + 1)])
    for piece in pieces:
        beginning.pieces[piece.start][category_of(piece.structure, 0)].append(piece)
    for place, word in enumerate(words):
        atom = Piece(place, place + 1, canonical([Atom(word)]))
        beginning.words[word, place] = atom
    every = chain.from_iterable(_of_rule(beginning, rule) for rule in grammar.rules)
    return nsmallest(MOST_ATTEMPTS, every, key=lambda each: (-each[1][-1].end, each[1][0].start))


def _of_rule(
    beginning: _Beginning, rule: FeatureRule
) -> Iterator[tuple[FeatureRule, tuple[Piece, ...]]]:
    """A rule with some of what may be its parts; nothing where all of them are words."""
    check_time()
    if all(word is not None for word in rule.words):
        return
    starts = range(len(beginning.pieces))
    sequences = chain.from_iterable(_sequences(beginning, rule, 0, start) for start in starts)
    for each in islice(sequences, MOST_ATTEMPTS):
        yield rule, each


@dataclass(frozen=True, slots=True)
class _Beginning:
    """Constituents by where they begin and by their categories; words by where they are."""

    pieces: list[defaultdict[str | None, list[Piece]]]
    words: dict[tuple[str, int], Piece] = field(default_factory=dict)

    def fitting(self, rule: FeatureRule, number: int, start: int) -> Iterable[Piece]:
        """What may be a side of a rule, as far as its category says."""
        word = rule.words[number]
        if word is not None:
            return [self.words[word, start]] if (word, start) in self.words else []
        kind = category_of(rule.structure, rule.sides[number + 1])
        found = self.pieces[start]
        if kind is None:
            return chain.from_iterable(found.values())
        return chain(found.get(kind, ()), found.get(None, ()))


def _sequences(
    beginning: _Beginning, rule: FeatureRule, number: int, start: int
) -> Iterator[tuple[Piece, ...]]:
    """What may be the sides of a rule, side by side, from one of them on."""
    check_time()
    if number == len(rule.words):
        yield ()
        return
    for piece in beginning.fitting(rule, number, start):
        rest = _sequences(beginning, rule, number + 1, piece.end)
        yield from ((piece, *others) for others in rest)


def _try(grammar: FeatureGrammar, rule: FeatureRule, pieces: tuple[Piece, ...]) -> Failure | None:
    """What fails when a rule is applied; None if nothing does."""
    check_time()
    graph = Graph(rule.structure.nodes)
    for number, (side, piece) in enumerate(zip(rule.sides[1:], pieces, strict=True)):
        if rule.words[number] is not None:
            continue
        below = graph.add(piece.structure.nodes)
        before = list(graph.nodes)
        if not graph.unify(side, below, grammar.defaults):
            clash = graph.failed
            assert clash is not None  # noqa: S101
            wanted, given = clash.places
            path = _path(before, side, wanted) or _path(before, below, given)
            return Failure(rule, pieces[: number + 1], path, *map(describe, clash.nodes))
    return None


def _path(nodes: Sequence[Node], start: int, target: int) -> tuple[str, ...]:
    """The features that lead from one node to another; empty if there are none."""
    waiting: list[tuple[int, tuple[str, ...]]] = [(start, ())]
    seen = {start}  # of shared nodes, one way is enough: there may be exponentially many
    for place, path in waiting:
        if place == target:
            return path
        node = nodes[place]
        for name, value in node.features if isinstance(node, Struct) else ():
            if value not in seen:
                seen.add(value)
                waiting.append((value, (*path, name)))
    return ()
