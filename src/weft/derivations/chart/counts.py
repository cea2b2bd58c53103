"""How many trees charts have, exactly.

Trees are counted modulo primes below 2⁶², as many as a rough count says are needed, and the count
put together by the Chinese remainder theorem. A member in whose trees a cycle of unary or empty
expansions occurs has infinitely many.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice

import numpy as np

from weft.arrays import FloatArray
from weft.derivations.chart.chart import Chart
from weft.derivations.chart.limits import Flags
from weft.derivations.chart.weights import EmptyRules, scores_of_edges
from weft.inference.components import components
from weft.kernels import kernels

_LARGEST = 2**61 - 1  # which is a prime
_WITNESSES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
_TINY = -50.0  # so small a log-weight that no sum diverges


def counts(chart: Chart) -> list[int | float]:
    """Return the number of trees of each member: an int, or inf.

    >>> from weft.structures.evidence import Evidence, sentence
    >>> from weft.structures.grammar import Rule, Terminal, grammar
    >>> rules = grammar([Rule("S", ("S", "S")), Rule("S", (Terminal("a"),))])
    >>> counts(Chart(rules, [Evidence(sentence(["a"] * length)) for length in (1, 4, 60)]))
    [1, 5, 405944995127576985730643443367112]

    Raises:
        LimitError: If a chart would take too much memory.
    """
    empty = chart.empty
    ways = _empty_counts(empty)
    endless = _endless(chart, ways)
    logs = _with_empties(chart, [0.0 if 0 < n < math.inf else -math.inf for n in ways], 0.0)
    finite = [n if n < math.inf else 0 for n in ways]
    logs = chart.rules.left_out.scores(np.array([math.log(n or 1) for n in finite]), logs)
    sizes = np.zeros(len(chart))
    kernels.chart_sizes(*chart.arguments(logs), sizes, chart.threads)
    chart.refuse_large(sizes)
    bits = max([0.0, *sizes[np.isfinite(sizes)].tolist()]) / math.log(2) + 2
    totals, modulus = [0] * len(chart), 1
    for prime in islice(_primes(), 1 + int(bits // 60)):
        residues = np.zeros(len(chart), np.uint64)
        worth = np.array(
            [
                math.prod(finite[symbol] for symbol in edge.empties) % prime
                for edge in chart.rules.edges
            ],
            np.uint64,
        )
        arguments = chart.arguments(logs)
        kernels.chart_residues(*arguments, worth, prime, residues, chart.threads)
        inverse = pow(modulus, -1, prime) if modulus > 1 else 1
        for place, residue in enumerate(residues.tolist()):
            totals[place] += modulus * ((residue - totals[place]) * inverse % prime)
        modulus *= prime
    return [
        math.inf if without_end else total
        for total, without_end in zip(totals, endless.tolist(), strict=True)
    ]


def _with_empties(chart: Chart, empties: list[float], rule: float) -> FloatArray:
    """The log-weights of edges, given those of empty nonterminals and one of all rules."""
    rules = np.full(chart.grammar.rule_count, rule)
    return scores_of_edges(chart.rules, rules, np.array(empties))


def _endless(chart: Chart, ways: list[int | float]) -> Flags:
    """Whether each member has infinitely many trees."""
    infinite = np.array([float(n == math.inf) for n in ways])
    marks = (chart.rules.left_out.scores(infinite) > 0).astype(np.uint8)
    weights = _with_empties(chart, [_TINY if n else -math.inf for n in ways], _TINY)
    found = np.zeros(len(chart), np.uint8)
    kernels.chart_endless(*chart.arguments(weights), marks, found, chart.threads)
    return found


def _empty_counts(empty: EmptyRules) -> list[int | float]:
    """How many empty trees each nonterminal has."""
    grammar = empty.grammar
    owners = np.repeat(np.arange(grammar.rule_count), np.diff(grammar.body_offsets))
    heads, bodies = grammar.heads.astype(np.int64), grammar.bodies.astype(np.int64)
    found = components(len(grammar.nonterminals), heads[owners], bodies)
    rules = np.argsort(heads, kind="stable")
    cuts = np.searchsorted(heads[rules], np.arange(len(grammar.nonterminals) + 1))
    ways: list[int | float] = [0] * len(grammar.nonterminals)
    for symbol in np.argsort(found.numbers, kind="stable").tolist():
        if found.cyclic[found.numbers[symbol]]:
            ways[symbol] = math.inf
            continue
        for rule in rules[cuts[symbol] : cuts[symbol + 1]].tolist():
            ways[symbol] += math.prod(ways[child] for child in grammar.body(rule).tolist())
    return ways


def _primes() -> Iterator[int]:
    """The primes from 2⁶¹ - 1 downwards."""
    number = _LARGEST
    while True:
        if _is_prime(number):
            yield number
        number -= 2


def _is_prime(number: int) -> bool:
    """Miller and Rabin's test, which with these witnesses is exact below 2⁶⁴."""
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for witness in _WITNESSES:
        power = pow(witness, odd, number)
        if power in (1, number - 1):
            continue
        for _ in range(twos - 1):
            power = power * power % number
            if power == number - 1:
                break
        else:
            return False
    return True
