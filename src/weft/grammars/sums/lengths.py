"""Sums over the strings of each length.

    Z_n = Σ_{trees with n terminals} weight(tree),    Z = Z_0 + Z_1 + Z_2 + …

Z_0, the trees without a terminal, solves a polynomial system (the ε-system). Given all shorter
lengths, those of length n solve a linear one: a rule passes the length n on to one of its symbols,
where the others become nothing, or divides it. Z_n is finite for every n exactly if the ε-system is
finite and the matrix of passing on has spectral radius below 1; otherwise some Z_n is infinite.

Reference: Smith and Johnson (2007), section 3.
"""

from __future__ import annotations

import numpy as np

from weft.arrays import BoolArray, FloatArray
from weft.errors import LimitError
from weft.grammars.binary import Pieces, pieces
from weft.grammars.sums.solve import LeastSolution, solve_stages, solve_system
from weft.grammars.sums.systems import Stage, System, depending, first_values, stages, useful_terms
from weft.grammars.trim import trim_grammar
from weft.structures.grammar import Grammar

MOST_NUMBERS = 50_000_000
"""Nothing is made that has more numbers than this: 400 megabytes of them."""


def length_sums(grammar: Grammar, longest: int) -> FloatArray:
    """Return log Z_n for n = 0 … longest; −inf where there is no tree, +inf where it diverges.

    >>> from weft.grammars.forms.notation import parse_grammar
    >>> np.exp(length_sums(parse_grammar("A -> A A | 'a'"), 6)).round(6)
    array([ 0.,  1.,  1.,  2.,  5., 14., 42.])

    Args:
        grammar: The grammar.
        longest: The largest length.

    Returns:
        The sums of the start symbol. [longest + 1]

    Raises:
        ValueError: If the length is negative.
        LimitError: If the sums would take too much memory.
    """
    if longest < 0:
        raise ValueError(f"a length is 0 or more, not {longest}")
    rules = trim_grammar(grammar)
    cut = pieces(rules)
    if (longest + 1) * cut.count > MOST_NUMBERS:
        raise LimitError(
            f"the sums of {cut.count:,} symbols for {longest:,} lengths would be more than "
            f"{MOST_NUMBERS:,} numbers; ask for shorter ones"
        )
    weights = cut.weights(rules.weights)
    sums = np.full((longest + 1, cut.count), -np.inf)
    sums[0] = empty_sums(cut, weights).log_values
    linear = _Passing(cut, weights, sums[0])
    for length in range(1, longest + 1):
        constants = np.full(cut.count, -np.inf)
        if length == 1:
            constants[cut.nonterminals : cut.nonterminals + cut.terminals] = 0.0
        divided = _divided(sums, cut, length)
        np.logaddexp.at(constants, cut.heads[cut.pairs], weights[cut.pairs] + divided)
        sums[length] = linear.solve(constants)
    return sums[:, rules.start]


def endless_cycle(grammar: Grammar) -> tuple[str, ...]:
    """Return a cycle by which Z_n diverges for some n, empty where every Z_n is finite.

    >>> from weft.grammars.forms.notation import parse_grammar
    >>> endless_cycle(parse_grammar("A -> A A | A | 'a'"))
    ('A',)
    >>> endless_cycle(parse_grammar("A -> A A | A [0.99] | 'a'"))
    ()
    """
    rules = trim_grammar(grammar)
    cut = pieces(rules)
    weights = cut.weights(rules.weights)
    empty = empty_sums(cut, weights)
    solved = empty
    if not np.isposinf(empty.log_values).any():
        linear = _Passing(cut, weights, empty.log_values)
        words = np.zeros(cut.count, bool)
        words[cut.nonterminals : cut.nonterminals + cut.terminals] = True
        solved = linear.solution(np.where(depending(cut.system(), words), 0.0, -np.inf))
    infinite = np.isposinf(solved.log_values[: cut.nonterminals])
    for symbol in np.flatnonzero(infinite).tolist():
        if symbol in solved.cycles:
            # Beginnings of rules are on the way of a cycle, but are none of the user's symbols.
            cycle = [each for each in solved.cycles[symbol] if each < cut.nonterminals]
            return tuple(rules.nonterminals[each] for each in cycle)
    return ()


def empty_sums(cut: Pieces, weights: FloatArray) -> LeastSolution:
    """Return the sums over the trees without a terminal, by symbol."""
    return solve_system(cut.system(), weights)


class _Passing:
    """The linear system by which the sums of one length depend on each other."""

    def __init__(self, cut: Pieces, weights: FloatArray, empty: FloatArray) -> None:
        pairs = cut.pairs
        single = np.flatnonzero((cut.lefts >= 0) & (cut.rights < 0))
        heads = [cut.heads[pairs], cut.heads[pairs], cut.heads[single]]
        factors = [cut.lefts[pairs], cut.rights[pairs], cut.lefts[single]]
        passed = [
            weights[pairs] + empty[cut.rights[pairs]],
            weights[pairs] + empty[cut.lefts[pairs]],
            weights[single],
        ]
        self._weights = np.concatenate(passed)
        live = self._weights > -np.inf
        self._weights = self._weights[live]
        terms = cut.count + np.arange(int(live.sum()))
        self._system = System(
            cut.count,
            np.concatenate([np.arange(cut.count), np.concatenate(heads)[live]]),
            terms,
            np.concatenate(factors)[live],
        )
        self._plan: tuple[BoolArray, tuple[Stage, ...]] | None = None

    def solution(self, constants: FloatArray) -> LeastSolution:
        weights = np.concatenate([constants, self._weights])
        start = first_values(self._system, weights)
        useful = useful_terms(self._system, weights, start)
        # Lengths differ in which terms are 0, but mostly only the first few do.
        if self._plan is None or not np.array_equal(self._plan[0], useful):
            self._plan = useful, stages(self._system, useful)
        return solve_stages(self._plan[1], weights, start)

    def solve(self, constants: FloatArray) -> FloatArray:
        return self.solution(constants).log_values


def _divided(sums: FloatArray, cut: Pieces, length: int) -> FloatArray:
    """[pairs]: the log-weight of dividing a length among both symbols, none becoming nothing."""
    pairs = cut.pairs
    if length < 2 or not len(pairs):
        return np.full(len(pairs), -np.inf)
    left = sums[1:length][:, cut.lefts[pairs]]
    right = sums[length - 1 : 0 : -1][:, cut.rights[pairs]]
    with np.errstate(invalid="ignore"):
        terms = left + right
        terms[np.isnan(terms)] = -np.inf  # infinitely many times nothing
        largest = terms.max(axis=0)
        shift = np.where(np.isinf(largest), 0.0, largest)
        with np.errstate(divide="ignore", over="ignore"):
            logs: FloatArray = np.log(np.exp(terms - shift).sum(axis=0)) + shift
    return logs
