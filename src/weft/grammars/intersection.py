"""The strings that a grammar and an automaton have in common, as a grammar.

A state p before and a state q after each symbol make the rules of the product,

    X@p₀,pₖ → Y₁@p₀,p₁ Y₂@p₁,p₂ … Yₖ@pₖ₋₁,pₖ,

terminals standing for arcs of the automaton. Its trees are those of the grammar, each with a path
of the automaton for its string, and weights multiply: sums over it are sums over what both allow.
All else that a grammar can be asked (:func:`weft.grammars.partition`, expectations, samples) then
is asked of the product.

Reference: Bar-Hillel, Perles and Shamir (1961), "On formal properties of simple phrase structure
grammars"; Nederhof and Satta (2003), "Probabilistic parsing as intersection".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from weft.arrays import BoolArray
from weft.automata.lattices import from_lattice
from weft.automata.transducer import ANY, EPSILON, Arc, Transducer, trim, with_words
from weft.errors import DivergenceError, LimitError
from weft.grammars.binary import Pieces, pieces
from weft.grammars.trim import trim_grammar
from weft.structures.grammar import Grammar, Rule, Symbol, Terminal, grammar
from weft.structures.lattice import Lattice

MOST_RULES = 1_000_000
"""A product with more rules is not made unless it is asked for."""

_MOST_NUMBERS = 100_000_000


def intersect(rules: Grammar, machine: Lattice | Transducer, limit: int = MOST_RULES) -> Grammar:
    """Return the grammar of the trees whose strings an automaton accepts.

    >>> from weft.grammars.forms.notation import parse_grammar
    >>> from weft.grammars.sums.partition import partition
    >>> every = parse_grammar("S -> S S | 'a'")
    >>> three = intersect(every, Lattice.from_sentence(["a", "a", "a"]))
    >>> three.nonterminals[three.start], round(float(np.exp(partition(three).log_value)), 9)
    ('S@', 2.0)

    Args:
        rules: The grammar.
        machine: A lattice, or an acceptor with or without weights and cycles; ``ANY`` in it is any
            of the grammar's terminals.
        limit: How many rules the product may have.

    Returns:
        The product, trimmed. Its nonterminals are named ``X@p,q``, its start symbol ``S@``, which
        has a rule for each state in which a path may end, of that end's weight.

    Raises:
        ValueError: If the machine is not an acceptor.
        DivergenceError: If its arcs without a word form a cycle whose sum diverges.
        LimitError: If the product would be too large.
    """
    rules = trim_grammar(rules)
    product = _Product(rules, _acceptor(machine, rules.terminals), limit)
    start = rules.nonterminals[rules.start]
    return trim_grammar(grammar(product.rules(), f"{start}@"))


def origin(name: str) -> tuple[str, int, int]:
    """Return the symbol and the two states that a symbol of a product was made of.

    >>> origin("NP@3,12")
    ('NP', 3, 12)
    """
    symbol, _, states = name.rpartition("@")
    before, after = states.split(",")
    return symbol, int(before), int(after)


def _acceptor(machine: Lattice | Transducer, words: tuple[str, ...]) -> Transducer:
    if isinstance(machine, Lattice):
        return from_lattice(machine)
    if not machine.acceptor:
        raise ValueError("a grammar meets an acceptor, not a transducer; see weft.automata.project")
    if any(arc.input == ANY for arc in machine.arcs):
        machine = with_words(machine, words)
    return _without_empty_arcs(trim(machine))


def _without_empty_arcs(machine: Transducer) -> Transducer:
    """The same weights of strings, empty arcs being gone through before a word or the end.

    Unlike :func:`weft.automata.remove_epsilons`, cycles of them are summed.
    """
    empty = [arc for arc in machine.arcs if arc.input == EPSILON]
    if not empty:
        return machine
    size = machine.state_count
    matrix = np.zeros((size, size))
    for arc in empty:
        matrix[arc.source, arc.target] += np.exp(arc.weight)
    try:
        closure = np.linalg.inv(np.eye(size) - matrix)
    except np.linalg.LinAlgError:
        closure = np.full((size, size), -1.0)
    if not (closure.sum(axis=1) > 0).all():
        raise DivergenceError(
            "the automaton's arcs without a word form a cycle that loses no weight; lower their "
            "weights"
        )
    arcs: list[Arc] = []
    finals = [-np.inf] * size
    with np.errstate(divide="ignore"):
        logs = np.log(np.maximum(closure, 0.0))
    for before, after in np.argwhere(logs > -np.inf).tolist():
        weight = float(logs[before, after])
        finals[before] = float(np.logaddexp(finals[before], weight + machine.finals[after]))
        arcs += [
            arc._replace(source=before, weight=arc.weight + weight)
            for arc in machine.arcs
            if arc.source == after and arc.input != EPSILON
        ]
    return trim(Transducer(tuple(arcs), tuple(finals)))


@dataclass(frozen=True, slots=True, eq=False)
class _Path:
    """A way of a rule's symbols through states, and the log-weight of its arcs."""

    states: tuple[int, ...]
    weight: float


_Span = tuple[int, int, int]  # a symbol of a right side, and the states before and after it


class _Product:
    """The rules of a product, made from the start symbol down, and only those with a tree."""

    def __init__(self, rules: Grammar, machine: Transducer, limit: int) -> None:
        self._rules = rules
        self._machine = machine
        self._limit = limit
        size = machine.state_count
        cut = pieces(rules)
        if cut.count * size * size > _MOST_NUMBERS:
            raise LimitError(
                f"{cut.count:,} symbols between {size:,} states would be more than "
                f"{_MOST_NUMBERS:,}; give a smaller automaton"
            )
        self._arcs: list[dict[tuple[int, int], float]] = [{} for _ in rules.terminals]
        numbers = {word: number for number, word in enumerate(rules.terminals)}
        for arc in machine.arcs:
            if arc.input in numbers and arc.weight > -np.inf:
                known = self._arcs[numbers[arc.input]]
                key = arc.source, arc.target
                known[key] = float(np.logaddexp(known.get(key, -np.inf), arc.weight))
        self._spans = _spans(cut, self._arcs, size)

    def rules(self) -> Iterator[Rule]:
        start = self._rules.start
        name = self._rules.nonterminals[start]
        by_head: dict[int, list[int]] = {}
        for number, head in enumerate(self._rules.heads.tolist()):
            by_head.setdefault(head, []).append(number)
        waiting: list[_Span] = []
        for state, weight in enumerate(self._machine.finals):
            if weight > -np.inf and self._spans[start, 0, state]:
                waiting.append((start, 0, state))
                yield Rule(f"{name}@", (f"{name}@0,{state}",), weight)
        seen, made = set(waiting), 0
        while waiting:
            span = waiting.pop()
            for number in by_head.get(span[0], []):
                body = self._rules.body(number).tolist()
                for path in self._paths(body, span[1], span[2]):
                    made += 1
                    self._check(made)
                    below = [each for each in _below(body, path) if each[0] >= 0]
                    fresh = [each for each in dict.fromkeys(below) if each not in seen]
                    seen.update(fresh)
                    waiting += fresh
                    yield self._rule(number, span, _below(body, path), path.weight)

    def _check(self, made: int) -> None:
        if made > self._limit:
            raise LimitError(
                f"the product would have more than {self._limit:,} rules; give a smaller "
                "automaton, cut long rules into short ones, or raise the limit"
            )

    def _rule(self, number: int, span: _Span, below: list[_Span], weight: float) -> Rule:
        names = self._rules.nonterminals
        body: list[Symbol] = [
            f"{names[symbol]}@{before},{after}"
            if symbol >= 0
            else Terminal(self._rules.terminals[~symbol])
            for symbol, before, after in below
        ]
        head = f"{names[span[0]]}@{span[1]},{span[2]}"
        return Rule(head, tuple(body), float(self._rules.weights[number]) + weight)

    def _paths(self, body: list[int], before: int, after: int) -> Iterator[_Path]:
        """Ways of a right side between two states; which can be finished is known beforehand."""
        names = len(self._rules.nonterminals)
        ends = np.zeros(self._machine.state_count, bool)
        ends[after] = True
        possible = [ends]
        for symbol in reversed(body):
            span = self._spans[symbol if symbol >= 0 else names + ~symbol]
            possible.append(span @ possible[-1])
        possible.reverse()
        if not possible[0][before]:
            return
        waiting = [_Path((before,), 0.0)]
        while waiting:
            path = waiting.pop()
            place, state = len(path.states) - 1, path.states[-1]
            if place == len(body):
                yield path
                continue
            symbol = body[place]
            span = self._spans[symbol if symbol >= 0 else names + ~symbol, state]
            for other in np.flatnonzero(span & possible[place + 1])[::-1].tolist():
                weight = 0.0 if symbol >= 0 else self._arcs[~symbol][state, other]
                waiting.append(_Path((*path.states, other), path.weight + weight))


def _below(body: list[int], path: _Path) -> list[_Span]:
    return list(zip(body, path.states[:-1], path.states[1:], strict=True))


def _spans(cut: Pieces, arcs: list[dict[tuple[int, int], float]], size: int) -> BoolArray:
    """[symbols, states, states]: between which states each symbol can stand."""
    spans = np.zeros((cut.count, size, size), bool)
    for number, known in enumerate(arcs):
        for before, after in known:
            spans[cut.nonterminals + number, before, after] = True
    empty = np.flatnonzero(cut.lefts < 0)
    spans[cut.heads[empty]] |= np.eye(size, dtype=bool)
    waiting = np.flatnonzero(cut.lefts >= 0).tolist()
    uses: dict[int, list[int]] = {}
    for piece in waiting:
        for symbol in {int(cut.lefts[piece]), int(cut.rights[piece])} - {-1}:
            uses.setdefault(symbol, []).append(piece)
    queued = set(waiting)
    while waiting:
        piece = waiting.pop()
        queued.discard(piece)
        head, left, right = int(cut.heads[piece]), int(cut.lefts[piece]), int(cut.rights[piece])
        found = spans[left] if right < 0 else (spans[left].astype(np.float32) @ spans[right]) > 0
        if (found & ~spans[head]).any():
            spans[head] |= found
            fresh = [each for each in uses.get(head, []) if each not in queued]
            queued.update(fresh)
            waiting += fresh
    return spans
