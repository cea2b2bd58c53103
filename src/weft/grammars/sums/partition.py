"""Partition functions: the sum of the weights of all trees below each symbol of a grammar.

    Z^X = Σ_{trees below X} weight(tree),    Z^X = Σ_{X → α} w_{X → α} ∏_{Y in α} Z^Y,

the least solution of the equations on the right. It may be infinite, and whether it is is decided;
it may be 0, where X has no tree. All values are logarithms. How often a random tree uses a rule,

    E[uses of r] = ∂ log Z^S / ∂ log w_r,

solves the linear system of the expected numbers of symbols, from the start symbol down.

Reference: Smith and Johnson (2007), section 2; the method is that of Etessami and Yannakakis
(2009), "Recursive Markov chains, stochastic grammars, and monotone systems of nonlinear equations".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weft.arrays import FloatArray, freeze
from weft.errors import DivergenceError, EvidenceError, LimitError
from weft.grammars.sums.newton import block, point
from weft.grammars.sums.solve import LeastSolution, solve_system
from weft.grammars.sums.systems import Stage, stages, sum_terms, system_of, useful_terms
from weft.structures.grammar import Grammar

_LONGEST_SHOWN = 12


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """The sums over all trees.

    Attributes:
        start: The number of the start symbol.
        log_values: log Z^X of each nonterminal: −inf where there is no tree, +inf where the sum
            diverges. [nonterminals]
        errors: How far each log-value may be from the truth, by rounding alone: about 10ε/(1 -
            radius), and √ε at a radius of 1. [nonterminals]
        radii: The spectral radius of the expected numbers of children, among the symbols that
            depend on each other: 0 without recursion, below 1 where trees are of finite expected
            size, 1 at criticality, +inf where the sum diverges. [nonterminals]
        certain: Whether convergence or divergence is proved for every symbol; otherwise some
            radius is so near to 1 that rounding does not tell.
        steps: The largest number of Newton steps that a component took.
        cycle: The symbols of a cycle by which the sum over all trees diverges; empty where it
            does not.
    """

    start: int
    log_values: FloatArray
    errors: FloatArray
    radii: FloatArray
    certain: bool
    steps: int
    cycle: tuple[str, ...]

    @property
    def log_value(self) -> float:
        """The log of the sum over all trees of the grammar: that of the start symbol."""
        return float(self.log_values[self.start])

    @property
    def error(self) -> float:
        """How far ``log_value`` may be from the truth."""
        return float(self.errors[self.start])

    @property
    def convergent(self) -> bool:
        """Whether the sum over all trees of the grammar is finite."""
        return self.log_value < np.inf


def partition(grammar: Grammar) -> Partition:
    """Sum the weights of all trees below each nonterminal.

    >>> import math
    >>> from weft.structures.grammar import Rule, Terminal, grammar
    >>> third, rest = math.log(1 / 3), math.log(2 / 3)
    >>> sums = partition(grammar([Rule("S", ("S", "S"), rest), Rule("S", (Terminal("a"),), third)]))
    >>> round(math.exp(sums.log_value), 12), sums.radii.round(12)
    (0.5, array([0.66666667]))

    Args:
        grammar: The grammar; its log-weights may be of any size.

    Returns:
        The sums, with their errors.

    Raises:
        LimitError: If solving would take too much memory.
    """
    solved = solve_system(system_of(grammar), grammar.weights)
    names = grammar.nonterminals
    cycle: tuple[int, ...] = ()
    if solved.log_values[grammar.start] == np.inf:
        cycle = _cycle_below(grammar, solved)
    return Partition(
        grammar.start,
        freeze(solved.log_values),
        freeze(solved.errors),
        freeze(solved.radii),
        solved.certain,
        solved.steps,
        tuple(names[symbol] for symbol in cycle),
    )


def _cycle_below(grammar: Grammar, solved: LeastSolution) -> tuple[int, ...]:
    """The first cycle that diverges on its own among the symbols that the start symbol uses."""
    system = system_of(grammar)
    useful = useful_terms(system, grammar.weights, solved.log_values)
    below: dict[int, list[int]] = {}
    live = useful[system.owners] & np.isposinf(solved.log_values[system.factors])
    heads = system.heads[system.owners[live]]
    for head, factor in zip(heads.tolist(), system.factors[live].tolist(), strict=True):
        below.setdefault(head, []).append(factor)
    waiting, seen = [grammar.start], {grammar.start}
    while waiting:
        symbol = waiting.pop(0)
        if symbol in solved.cycles:
            return solved.cycles[symbol]
        for other in below.get(symbol, []):
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    return ()


def require_convergence(grammar: Grammar, sums: Partition) -> None:
    """Refuse a grammar whose sum over all trees is 0 or infinite.

    Raises:
        EvidenceError: If it has no tree.
        DivergenceError: If its sum diverges.
    """
    name = grammar.nonterminals[grammar.start]
    if sums.log_value == -np.inf:
        raise EvidenceError(
            f"the grammar has no tree at all: every expansion of {name} ends in a symbol without "
            "rules, or never ends; see useless, or weft grammar check"
        )
    if not sums.convergent:
        gains = "gains more weight in each round than it loses"
        gains = gains if sums.certain else f"{gains}, or as much to rounding"
        raise DivergenceError(
            f"the sum over all trees is infinite: the cycle {shown_cycle(sums.cycle)} {gains}; "
            "lower its rules' weights, or keep only the "
            "distribution of trees given strings: normalise_conditional, or normalise --conditional"
        )


def shown_cycle(cycle: tuple[str, ...]) -> str:
    """Write a cycle for a message.

    >>> shown_cycle(("A", "B"))
    'A -> B -> A'
    """
    names = [*cycle, *cycle[:1]]
    if len(names) > _LONGEST_SHOWN:
        names = [*names[:4], "…", *names[-3:]]
    return " -> ".join(names)


def rule_shares(grammar: Grammar, sums: Partition) -> FloatArray:
    """Return the probability that a symbol is expanded by each of its rules in a random tree.

        p_r = w_r ∏_{Y in α} Z^Y / Z^X,

    Chi's weights, 0 for a rule that is in no tree or whose symbol's sum is infinite. [rules]
    """
    system = system_of(grammar)
    values = sums.log_values
    inner = sum_terms(system.owners, values[system.factors], grammar.rule_count)
    heads = values[system.heads]
    usable = np.isfinite(heads) & (grammar.weights > -np.inf) & np.isfinite(inner)
    shares = np.zeros(grammar.rule_count)
    shares[usable] = np.exp(grammar.weights[usable] + inner[usable] - heads[usable])
    return shares


def expected_counts(grammar: Grammar, sums: Partition) -> FloatArray:
    """Return how often a random tree of the grammar uses each rule [rules].

    This is the gradient of log Z^S with respect to the rules' log-weights.

    >>> import math
    >>> from weft.structures.grammar import Rule, Terminal, grammar
    >>> third, rest = math.log(1 / 3), math.log(2 / 3)
    >>> pair = grammar([Rule("S", ("S", "S"), third), Rule("S", (Terminal("a"),), rest)])
    >>> expected_counts(pair, partition(pair)).round(9)
    array([1., 2.])

    Args:
        grammar: The grammar.
        sums: Its partition functions.

    Raises:
        DivergenceError: If the sum over all trees is infinite, or finite but so that a random
            tree has no finite expected size (at a radius of 1, to rounding).
        EvidenceError: If the grammar has no tree.
    """
    require_convergence(grammar, sums)
    shares = rule_shares(grammar, sums)
    return shares * expected_symbols(grammar, sums)[grammar.heads]


def expected_symbols(grammar: Grammar, sums: Partition) -> FloatArray:
    """Return how many nodes of a random tree each nonterminal labels [nonterminals].

    Raises:
        DivergenceError: If these numbers are infinite.
        LimitError: If they are too large for numbers.
    """
    system = system_of(grammar)
    useful = useful_terms(system, grammar.weights, sums.log_values)
    useful &= sums.log_values[system.heads] < np.inf
    counts = np.zeros(system.count)
    counts[grammar.start] = 1.0
    shares = rule_shares(grammar, sums)
    with np.errstate(over="ignore", invalid="ignore"):
        for stage in reversed(stages(system, useful)):
            used = counts[stage.unknowns]
            if not used.any():
                continue
            if stage.cyclic:
                used = _round_cycles(grammar, stage, sums, used)
                counts[stage.unknowns] = 0.0
            flow = shares[stage.terms] * used[stage.heads]
            np.add.at(counts, stage.factors, flow[stage.owners])
            if stage.cyclic:
                counts[stage.unknowns] = used
    if not np.isfinite(counts).all():
        raise LimitError(
            "a random tree has more nodes than 1.8e308 on average, too many for their number; "
            "shorten the chains of rules with several symbols"
        )
    return counts


def _round_cycles(grammar: Grammar, stage: Stage, sums: Partition, used: FloatArray) -> FloatArray:
    logs = sums.log_values
    name = grammar.nonterminals[int(stage.unknowns[0])]
    radius = float(sums.radii[stage.unknowns[0]])
    part = block(stage, grammar.weights, logs, sums.errors)
    try:
        factors = part.pattern.factorised(point(part, logs[stage.unknowns]).matrix)
        counts = factors.solve_transposed(used)
    except np.linalg.LinAlgError:
        counts = np.full(len(used), -1.0)
    # Near a radius of 1 the size is 1 / (1 - radius), which is not known better than the values.
    doubt = float(sums.errors[stage.unknowns].max())
    if not (counts >= 0).all() or doubt > 0.01 * (1.0 - radius):
        raise DivergenceError(
            f"a random tree has no finite expected size: the symbols that depend on {name} "
            f"have {radius:.9g} of themselves as expected children, 1 to rounding; lower the "
            "weights of their recursive rules"
        )
    return counts


def expected_length(grammar: Grammar, sums: Partition) -> float:
    """Return the mean number of terminals in a random tree.

    >>> import math
    >>> from weft.structures.grammar import Rule, Terminal, grammar
    >>> more, end = math.log(0.75), math.log(0.25)
    >>> words = grammar([Rule("S", (Terminal("a"), "S"), more), Rule("S", (), end)])
    >>> round(expected_length(words, partition(words)), 9)
    3.0

    Raises:
        DivergenceError: If it is infinite.
        EvidenceError: If the grammar has no tree.
    """
    return float(expected_counts(grammar, sums) @ terminal_counts(grammar))


def terminal_counts(grammar: Grammar) -> FloatArray:
    """Return how many terminals the right side of each rule has [rules]."""
    rules = np.repeat(np.arange(grammar.rule_count), np.diff(grammar.body_offsets))
    return np.bincount(rules[grammar.bodies < 0], minlength=grammar.rule_count).astype(np.float64)


def entropy(grammar: Grammar, sums: Partition) -> float:
    """Return the entropy of the distribution of trees, in nats.

    >>> import math
    >>> from weft.structures.grammar import Rule, Terminal, grammar
    >>> half = math.log(0.5)
    >>> words = grammar([Rule("S", (Terminal("a"), "S"), half), Rule("S", (), half)])
    >>> round(entropy(words, partition(words)) / math.log(2), 9)
    2.0

    Raises:
        DivergenceError: If the sum over all trees or their expected size is infinite.
        EvidenceError: If the grammar has no tree.
    """
    counts = expected_counts(grammar, sums)
    used = counts > 0
    return sums.log_value - float(counts[used] @ grammar.weights[used])
