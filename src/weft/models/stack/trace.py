"""A sentence's best parse, move by move: each with its probability, and with its rivals'."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter

import numpy as np

from weft.derivations.stack.forest import ParseDerivation
from weft.derivations.stack.parses import CLOSED, Parses, Stopped
from weft.derivations.stack.rounds import SETTLED
from weft.derivations.stack.table import SHIFT
from weft.errors import EvidenceError, OptionError, abbreviate, no_such, quote
from weft.models.stack.chances import Chances, Given, Place, chances_of, given_of
from weft.models.stack.model import StackModel
from weft.models.stack.parser import StackParser
from weft.ranking import by_value
from weft.reprs import Pictured, count_things, describe, shorten
from weft.structures.derivation import Derivation
from weft.structures.evidence import Evidence, sentence
from weft.structures.moves import Move, Reduce, Shift
from weft.structures.tree import Tree

_TAKEN = {Stopped.EDGES: "edges", Stopped.BYTES: "memory", Stopped.SECONDS: "time"}

RIVALS = 3
"""How many rivals of a move are listed, if nothing is said."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A move with its probability."""

    move: Move
    probability: float


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A move of a parse.

    Attributes:
        stack: What is on the stack before it, the top last: binary trees, and terminals.
        words: The words that are not yet on it.
        next: The terminal that is looked ahead to, of a word its tag; None where none is.
        made: The move.
        rivals: The best other moves that the sentence allows, the best first.
        log_prob: The log-probability of this move and all before it.
    """

    stack: tuple[Tree | str, ...]
    words: tuple[str, ...]
    next: str | None
    made: Choice
    rivals: tuple[Choice, ...]
    log_prob: float

    @property
    def rest(self) -> float:
        """The probability of all moves that are not listed, shifts of other words among them."""
        return max(0.0, 1.0 - sum(each.probability for each in (self.made, *self.rivals)))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Trace(Pictured):
    """The best parse of a sentence.

    Attributes:
        words: The sentence.
        steps: The moves.
        given: What their probabilities are given.
        tree: The tree, as treebanks have it.
        share: Its share of the sum over all parses of the sentence.
    """

    words: tuple[str, ...]
    steps: tuple[Step, ...]
    given: Given
    tree: Tree
    share: float

    def __repr__(self) -> str:
        return describe(self, shorten(" ".join(self.words)), count_things(len(self.steps), "move"))


def trace_parse(parser: StackParser, words: Sequence[str], count: int = RIVALS) -> Trace:
    """Return the moves of a sentence's best parse.

    Args:
        parser: The parser.
        words: The sentence: words, or tags for a parser that reads tags.
        count: How many rivals of each move to list.

    Raises:
        OptionError: If there are no words, or one that the parser does not know.
        EvidenceError: If the sentence has no parse.

    >>> from weft import fit
    >>> from weft.models.stack.spec import MoveTables
    >>> parser = fit(MoveTables("conditional", rare=0), [Tree("S", ("a",)), Tree("S", ("b", "a"))])
    >>> for step in trace_parse(parser, ["b", "a"]).steps:
    ...     print(step.stack, step.made.move)
    () shift(b)
    ('b',) shift(a)
    ('b', 'a') reduce2(S)
    (Tree('(S b a)'),) shift(⋆)
    """
    _check(parser.model, words)
    evidence = Evidence(sentence(list(words)))
    forest = parser.model.forest([evidence])
    [score], [best] = forest.best(parser.weights)
    [parses] = forest.parses
    if not isinstance(best, ParseDerivation):
        raise EvidenceError(_no_parse(words, parses, forest.impossible(0)))
    chances = chances_of(parser.model, parser.weights, evidence, parses)
    total = float(forest.log_partition(parser.weights)[0])
    return Trace(
        tuple(words),
        tuple(_steps(parser.model, tuple(words), parses, best, chances, count)),
        given_of(parser.model),
        parser.model.answer(evidence, best),
        float(np.exp(score - total)),
    )


def _check(model: StackModel, words: Sequence[str]) -> None:
    if not words:
        raise OptionError("the sentence is empty: give its words, with spaces between them")
    for word, terminal in zip(words, model.terminals(words), strict=True):
        if terminal in model.choices:
            continue
        if model.lexicon is not None:
            raise OptionError(
                f"no word like {quote(word)} was seen in training, and so it has no tag: give "
                "another sentence, or train on a larger treebank"
            )
        known = sorted(model.choices)
        some = abbreviate(", ".join(known), 60)
        raise OptionError(
            f"{no_such('terminal', word, known, some)}; this parser reads what it was trained on, "
            "which after --terminals tags are tags, not words"
        )


def _no_parse(words: Sequence[str], parses: Parses, place: int | None) -> str:
    if parses.stopped:
        return (
            f"the search was given up, since it took more {_TAKEN[parses.stopped]} than the parser "
            "allows: train with a narrower beam (beam=1e-3), or give a shorter sentence"
        )
    at = 0 if place is None else place
    return (
        f"the sentence has no parse, at the latest from word {at + 1}, {quote(words[at])}, on: "
        "give another sentence, or train without a beam (beam=0) or on a larger treebank"
    )


def _steps(
    model: StackModel,
    words: tuple[str, ...],
    parses: Parses,
    best: ParseDerivation,
    chances: Chances,
    count: int,
) -> Iterator[Step]:
    stack: list[Tree | str] = []
    read, log_prob = 0, 0.0
    ahead = _looks(model, parses)
    for place, number in _made(parses, best):
        found = chances(place)
        coming = words[read] if model.lexicon is not None and read < len(words) else None
        others = [(other, chance) for other, chance in found.items() if other != number and chance]
        rivals = [
            Choice(_move(model, other, coming), chance)
            for other, chance in by_value(others, itemgetter(1), itemgetter(0))[:count]
        ]
        move = _move(model, number, coming)
        log_prob += float(np.log(found[number]))
        mine = Choice(move, found[number])
        seen = None if ahead is None else ahead[place.vertex]
        yield Step(tuple(stack), words[read:], seen, mine, tuple(rivals), log_prob)
        if isinstance(move, Reduce):
            stack[-move.size :] = [Tree(move.label, tuple(stack[-move.size :]))]
        else:
            stack.append(move.label if move.word is None else Tree(move.label, (move.word,)))
            read += 1


def _looks(model: StackModel, parses: Parses) -> list[str] | None:
    """[vertices]: the terminal that is looked ahead to; None where none is."""
    if not model.looks or given_of(model) is Given.SENTENCE:
        return None
    return [model.looks[look] for look in parses.terminals.looks[parses.items[:, 2]].tolist()]


def _move(model: StackModel, number: int, coming: str | None) -> Move:
    kind, label = divmod(number, len(model.labels))
    name = model.labels[label]
    return Shift(name, coming) if kind == SHIFT else Reduce(kind, name)


def _made(parses: Parses, derivation: ParseDerivation) -> Iterator[tuple[Place, int]]:
    """The moves of a derivation in their order, each with where it is made."""
    below: list[int] = []
    made, vertices = parses.row_moves.tolist(), parses.row_vertices.tolist()
    waiting: list[tuple[Derivation, bool]] = [(derivation, False)]
    while waiting:
        node, ready = waiting.pop()
        if not ready:  # what its first tail is made of, then its move, then its second tail
            waiting += [(each, False) for each in node.children[1:]]
            waiting.append((node, True))
            waiting += [(each, False) for each in node.children[:1]]
            continue
        for row in derivation.chains.get(node.edge, ()):
            yield Place(vertices[row], tuple(below)), made[row]
        move = made[node.edge]
        if move < 0:  # an item begins, or is settled
            continue
        first = _head(parses, node.children[0])
        settled = parses.rounds is None and parses.items[first, 4] == SETTLED
        top = _head(parses, node.children[0].children[0]) if settled else first
        yield Place(top, tuple(below)), move
        if len(node.children) == 2:  # a shift
            below.append(first)
        elif parses.items[_head(parses, node), 4] == CLOSED:
            below.pop()


def _head(parses: Parses, node: Derivation) -> int:
    return int(parses.hypergraph.heads[node.edge])
