"""A proper grammar by a change of variables, with a check that it is what it should be.

For any positive z, the weights

    p_{X → α} = w_{X → α} ∏_{Y in α} z^Y / z^X

give every tree of the start symbol 1 / z^S of its weight, and so the same distribution of trees.
With z = Z they sum to 1 for each symbol; Z being known to some digits only, what is missing has to
be shared out, and then p is another distribution. So the conversion is repeated on its own result,
whose sums are all near 1 whatever the weights were, and what is left is measured: by how much the
weights differ from such a change of variables, and how far from 1 the sums of the result may be.
Where the first is rounding, log-odds of trees are kept; where the second is, none are lost.

Reference: Chi (1999), "Statistical properties of probabilistic context-free grammars",
Computational Linguistics 25(1).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from weft.arrays import BoolArray, FloatArray, freeze
from weft.grammars.sums.partition import Partition, partition, require_convergence
from weft.grammars.sums.systems import System, sum_terms, system_of
from weft.grammars.trim import useful_rules
from weft.structures.grammar import Grammar, reweight

SURE = 1e-8
"""How far from 1 the sums of a grammar with well-known sums may be, in logarithms."""

ACCEPTED = 1e-6
"""How far from 1 they may be at all: at criticality no more than √ε can be known."""

_SAME = 1e-10  # of a log-weight, relative to its change: a tenth of what a comparison allows
_ROUNDS = 3
_EPSILON = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True, eq=False)
class Conversion:
    """A proper grammar made of another, and what is known of it.

    Attributes:
        grammar: The same rules with probabilities; −inf for those that are in no tree.
        sums: The partition functions of the grammar that was converted.
        change: By how much a log-weight differs from the change of variables, relative to what it
            was changed by.
        doubt: How far from 0 the log of a symbol's sum in the result may be; +inf where it
            diverges.
    """

    grammar: Grammar
    sums: Partition
    change: float
    doubt: float

    @property
    def sure(self) -> bool:
        """Whether the distribution is kept, and none of it lost, beyond doubt."""
        return self.change <= _SAME and self.doubt <= SURE

    @property
    def accepted(self) -> bool:
        """Whether the same is true as far as rounding tells at criticality."""
        return self.change <= _SAME and self.doubt <= ACCEPTED


def convert_grammar(grammar: Grammar) -> Conversion:
    """Return the proper grammar with the same distribution of trees.

    >>> from weft.grammars.forms.notation import parse_grammar
    >>> found = convert_grammar(parse_grammar("S -> S S [0.12] | 'a' [2]"))
    >>> np.exp(found.grammar.weights).round(6), found.sure
    (array([0.4, 0.6]), True)

    Raises:
        DivergenceError: If the sum over all trees is infinite.
        EvidenceError: If the grammar has no tree.
    """
    sums = partition(grammar)
    require_convergence(grammar, sums)
    made = _converted(grammar, sums)
    for _ in range(_ROUNDS - 1):
        if made.sure or not np.isfinite(made.doubt):
            break
        again = _converted(grammar, made.sums)
        if again.change > _SAME or (made.change <= _SAME and again.doubt >= made.doubt):
            break
        made = again
    return made


def _converted(grammar: Grammar, sums: Partition) -> Conversion:
    system = system_of(grammar)
    used = useful_rules(grammar)
    weights = _proper(grammar, system, sums.log_values)
    proper = reweight(grammar, weights)
    found = partition(proper)
    change = _change(grammar, system, sums.log_values, weights, used)
    symbols = np.unique(grammar.heads[used])
    doubt = float((abs(found.log_values) + found.errors)[symbols].max())
    return Conversion(proper, _refined(sums, found), change, doubt)


def _proper(grammar: Grammar, system: System, logs: FloatArray) -> FloatArray:
    """Chi's log-weights, made to sum to 1; −inf where a sum is 0 or infinite."""
    moved = _moved(grammar, system, logs)
    largest = np.full(system.count, -np.inf)
    np.maximum.at(largest, system.heads, moved)
    shift = np.where(np.isfinite(largest), largest, 0.0)
    totals = sum_terms(system.heads, np.exp(moved - shift[system.heads]), system.count)
    with np.errstate(divide="ignore"):
        logs_of_totals = np.where(totals > 0, np.log(totals) + shift, 0.0)
    proper: FloatArray = moved - logs_of_totals[system.heads]
    return proper


def _moved(grammar: Grammar, system: System, logs: FloatArray) -> FloatArray:
    inner = sum_terms(system.owners, logs[system.factors], grammar.rule_count)
    heads = logs[system.heads]
    usable = np.isfinite(heads) & (grammar.weights > -np.inf) & np.isfinite(inner)
    moved = np.full(grammar.rule_count, -np.inf)
    moved[usable] = grammar.weights[usable] + inner[usable] - heads[usable]
    return moved


def _change(
    grammar: Grammar, system: System, logs: FloatArray, proper: FloatArray, used: BoolArray
) -> float:
    """The largest difference from a change of variables, relative as in a comparison."""
    rest = abs(_moved(grammar, system, logs)[used] - proper[used]).max()
    if rest > ACCEPTED:  # which is much, however large the logarithms are
        return float(rest)
    return float(rest / (1.0 + abs(grammar.weights[used] - proper[used]).max()))


def _refined(sums: Partition, found: Partition) -> Partition:
    """The sums of a grammar by those of its proper form, where these are finite."""
    finite = np.isfinite(sums.log_values) & np.isfinite(found.log_values)
    values, errors = sums.log_values.copy(), sums.errors.copy()
    values[finite] += found.log_values[finite]
    errors[finite] = found.errors[finite] + 4 * _EPSILON * (1.0 + abs(values[finite]))
    return replace(
        sums,
        log_values=freeze(values),
        errors=freeze(errors),
        radii=freeze(np.where(finite, found.radii, sums.radii)),
        certain=found.certain,
    )
