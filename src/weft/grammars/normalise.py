"""Weighted grammars made probabilistic.

Chi's conversion keeps the distribution of *trees*, where the sum over all trees is finite:

    p_{X → α} = w_{X → α} ∏_{Y in α} Z^Y / Z^X.

Theorem 1 of Smith & Johnson (2007) keeps the distribution of trees *given strings* and needs no
more than Z_n < ∞ for each length n: divide a rule's weight by c for each terminal in it, which
makes the sum over all trees finite if c is large enough, and then convert. The paper's c is
8|Σ|βυ, with β and υ the sums of the weights of the binary and of the lexical rules of a grammar in
Chomsky normal form (at least 1 each). It always works, and is far larger than needed: anything
above the growth rate of Z_n will do (:mod:`weft.grammars.sums.growth`), and which one is taken
decides how long sentences are. At the growth rate itself sums are the least certain, and so the
least scale is the first above it at which the result can be shown to be right.

Reference: Smith and Johnson (2007), sections 2.1 and 3; Chi (1999), "Statistical properties of
probabilistic context-free grammars", Computational Linguistics 25(1).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from weft.arrays import FloatArray, IntArray
from weft.errors import DivergenceError, EvidenceError, LimitError, OptionError
from weft.grammars.binary import pieces
from weft.grammars.conversion import ACCEPTED, Conversion, convert_grammar
from weft.grammars.sums.elimination import Pattern
from weft.grammars.sums.growth import growth, require_finite_lengths, scale_weights
from weft.grammars.sums.lengths import empty_sums
from weft.grammars.sums.partition import Partition, expected_length, partition
from weft.grammars.sums.smallest import smallest_lengths
from weft.grammars.trim import trim_grammar
from weft.structures.grammar import Grammar

_ABOVE = 0.01  # how far above log ρ the least scale is where the sum diverges at ρ
_STEPS = tuple(10.0**power for power in range(-14, 2))  # and where it is not certain at ρ
_LENGTH = 1e-4  # how far, relatively, a mean length may be from the one that was asked for
_TOO_LARGE = "8|Σ|βυ is too large for a number; choose another scale"


class Scale(Enum):
    """Which constant theorem 1 is applied with.

    Attributes:
        PAPER: 8|Σ|βυ.
        LEAST: The growth rate, or one per cent more where the sum diverges there, or as much more
            as it takes for the sums to be certain.
    """

    PAPER = "paper"
    LEAST = "least"


@dataclass(frozen=True, slots=True, eq=False)
class Normalised:
    """A probabilistic grammar made of a weighted one.

    Attributes:
        grammar: The same rules, each with a probability; −inf for those that are in no tree.
        log_scale: The logarithm of what weights were divided by for each terminal.
        sums: The partition functions of the grammar after that division.
        error: How far from 0 the log of a symbol's sum in the new grammar may be.
        log_rate: The logarithm of the growth rate, where the least scale was looked for and there
            is a rate.
        raised: Why the scale is above that rate; empty where it is not.
    """

    grammar: Grammar
    log_scale: float
    sums: Partition
    error: float
    log_rate: float | None = None
    raised: str = ""


def normalise(grammar: Grammar) -> Normalised:
    """Return the probabilistic grammar with the same distribution of trees.

    >>> from weft.grammars.forms.notation import parse_grammar
    >>> found = normalise(parse_grammar("S -> S S [0.12] | 'a' [2]"))
    >>> np.exp(found.grammar.weights).round(6)
    array([0.4, 0.6])

    Args:
        grammar: A weighted grammar whose sum over all trees is finite.

    Raises:
        DivergenceError: If it is infinite; see :func:`normalise_conditional` then.
        EvidenceError: If the grammar has no tree.
        LimitError: If the sums are not known well enough for the result to be right.
    """
    return _accepted(convert_grammar(grammar), 0.0)


def normalise_conditional(grammar: Grammar, scale: Scale | float = Scale.LEAST) -> Normalised:
    """Return a probabilistic grammar with the same distribution of trees given strings.

    >>> from weft.grammars.forms.notation import parse_grammar
    >>> every = parse_grammar("A -> A A | 'a'")  # its sum over all trees is infinite
    >>> np.exp(normalise_conditional(every, 8.0).grammar.weights).round(6)
    array([0.146447, 0.853553])

    Args:
        grammar: A weighted grammar in which the strings of each length have a finite sum.
        scale: The constant that weights are divided by for each terminal.

    Raises:
        DivergenceError: If the sum of some length is infinite, or if the scale is too small.
        EvidenceError: If the grammar has no tree.
        LimitError: If the sums are not known well enough for the result to be right.
    """
    require_finite_lengths(grammar)
    if scale is Scale.LEAST:
        return _least(grammar)
    if isinstance(scale, Scale):
        return _divided(grammar, paper_scale(grammar))
    if not (np.isfinite(scale) and scale > 0):
        raise OptionError(f"a scale must be a positive number, not {scale}")
    return _divided(grammar, float(np.log(scale)))


def normalise_to_length(grammar: Grammar, mean_length: float) -> Normalised:
    """Do as :func:`normalise_conditional` does, with strings of a given mean length.

    >>> from weft.grammars.forms.notation import parse_grammar
    >>> found = normalise_to_length(parse_grammar("A -> A A | 'a'"), 3.0)
    >>> np.exp(found.grammar.weights).round(6), round(float(np.exp(found.log_scale)), 6)
    (array([0.4, 0.6]), 4.166667)

    Args:
        grammar: As there.
        mean_length: The expected number of terminals, for example that of a corpus.

    Raises:
        OptionError: If no scale gives this length.
        DivergenceError: If the sum of some length is infinite.
        EvidenceError: If the grammar has no tree.
        LimitError: If the sums are not known well enough for the result to be right.
    """
    require_finite_lengths(grammar)
    low, high = _length_bracket(grammar, mean_length)
    while high - low > 1e-13 * (1.0 + abs(high)):
        middle = 0.5 * (low + high)
        if _length_at(grammar, middle) > mean_length:
            low = middle
        else:
            high = middle
    found = _divided(grammar, high)
    length = expected_length(found.grammar, partition(found.grammar))
    if not abs(length - mean_length) <= _LENGTH * mean_length:
        raise LimitError(
            f"the mean length comes to {length:.9g} words instead of {mean_length:g}: the scale "
            "that gives it is too near to the growth rate; choose a shorter length"
        )
    return found


def paper_scale(grammar: Grammar) -> float:
    """Return log(8|Σ|βυ), the constant of theorem 1.

    The grammar in Chomsky normal form is one in which long rules share their beginnings, and of
    which only the sums of its weights are computed.

    >>> from weft.grammars.forms.notation import parse_grammar
    >>> round(float(np.exp(paper_scale(parse_grammar("A -> A A | 'a'")))), 9)
    8.0

    Raises:
        DivergenceError: If the sum of some length is infinite.
        EvidenceError: If the grammar has no tree, or only that of the empty string.
    """
    require_finite_lengths(grammar)
    rules = trim_grammar(grammar)
    if not rules.terminals:
        raise EvidenceError("the grammar has no string with a terminal: there is nothing to scale")
    cut = pieces(rules)
    logs = cut.weights(rules.weights)
    with np.errstate(over="ignore"):
        weights, empty = np.exp(logs), np.exp(empty_sums(cut, logs).log_values)
    if not (np.isfinite(weights).all() and np.isfinite(empty).all()):
        raise LimitError(_TOO_LARGE)
    pairs, single = cut.pairs, np.flatnonzero((cut.lefts >= 0) & (cut.rights < 0))
    word = np.zeros(cut.count, bool)
    word[cut.nonterminals : cut.nonterminals + cut.terminals] = True
    lexical = single[word[cut.lefts[single]]]
    unary = single[~word[cut.lefts[single]]]
    sources = np.concatenate([cut.heads[pairs], cut.heads[pairs], cut.heads[unary]])
    targets = np.concatenate([cut.lefts[pairs], cut.rights[pairs], cut.lefts[unary]])
    to_left, to_right = (weights[pairs] * empty[rest[pairs]] for rest in (cut.rights, cut.lefts))
    passed = np.concatenate([to_left, to_right, weights[unary]])
    reach = _times_passed_on(cut.count, sources, targets, passed)
    binary = float((reach[cut.heads[pairs]] * weights[pairs]).sum())
    in_pairs = np.unique(np.concatenate([cut.lefts[pairs], cut.rights[pairs]]))
    words = float((reach[cut.heads[lexical]] * weights[lexical]).sum()) + float(
        (reach[in_pairs] * word[in_pairs]).sum()
    )
    if not (np.isfinite(binary) and np.isfinite(words)):
        raise LimitError(_TOO_LARGE)
    factors = (8.0, float(len(rules.terminals)), max(1.0, binary), max(1.0, words))
    return float(np.log(factors).sum())


def _times_passed_on(
    count: int, sources: IntArray, targets: IntArray, passed: FloatArray
) -> FloatArray:
    """[symbols]: the weight of all ways from any symbol down to each by passing a string on."""
    live = passed > 0
    keys, places = np.unique(sources[live] * count + targets[live], return_inverse=True)
    values = np.bincount(places, passed[live], len(keys)).astype(np.float64, copy=False)
    pattern = Pattern(count, keys // count, keys % count)
    pattern.check_size()
    return pattern.factorised(values).solve_transposed(np.ones(count))


def _divided(grammar: Grammar, log_scale: float) -> Normalised:
    return _accepted(convert_grammar(scale_weights(grammar, log_scale)), log_scale)


def _accepted(found: Conversion, log_scale: float) -> Normalised:
    if not found.accepted:
        raise LimitError(_uncertain(found))
    return Normalised(found.grammar, log_scale, found.sums, found.doubt)


def _uncertain(found: Conversion) -> str:
    return (
        f"the sums over trees are known to {max(found.doubt, found.change):.2g} only, in "
        f"logarithms, where {ACCEPTED:g} is needed: some recursion is so near to divergence, or "
        "trees are so large, that rounding decides; lower the weights of recursive rules, or keep "
        "only the distribution of trees given strings, with a larger scale"
    )


def _least(grammar: Grammar) -> Normalised:
    """Convert at the least scale at which the sums are certain."""
    rate = growth(grammar)
    if rate.log_rate == -np.inf:  # a longest string: nothing needs to be divided
        return _divided(grammar, 0.0)
    steps = (0.0, *(each * min(1.0 + abs(rate.log_rate), 1.0 / each) for each in _STEPS))
    first: Conversion | None = None
    passable: Normalised | None = None
    for step in steps if rate.attained else (each for each in steps if each >= _ABOVE):
        log_scale = rate.log_rate + step
        try:
            found = convert_grammar(scale_weights(grammar, log_scale))
        except DivergenceError:  # the rate itself is known to rounding only
            continue
        first = first or found
        reason = _reason(first, rate.attained) if step else ""
        made = Normalised(found.grammar, log_scale, found.sums, found.doubt, rate.log_rate, reason)
        if found.sure:
            return made
        if passable is None and found.accepted:
            passable = made
    if passable is not None:
        return passable
    raise LimitError(_uncertain(first) if first else "no scale makes the sum over trees finite")


def _reason(first: Conversion, attained: bool) -> str:
    if not attained:
        return "at the growth rate the sum over all trees diverges"
    doubt = max(first.doubt, first.change)
    known = f"known to {doubt:.2g} only" if np.isfinite(doubt) else "not known"
    return f"at the growth rate the sums are {known}, in logarithms"


def _length_at(grammar: Grammar, log_scale: float) -> float:
    """The mean length at a scale, infinite where the sum is or where it is at criticality."""
    divided = scale_weights(grammar, log_scale)
    sums = partition(divided)
    try:
        return expected_length(divided, sums)
    except DivergenceError:
        return np.inf


def _length_bracket(grammar: Grammar, mean_length: float) -> tuple[float, float]:
    shortest = smallest_lengths(grammar)[grammar.start]
    if not mean_length > shortest:
        raise OptionError(
            f"no scale gives a mean length of {mean_length:g}: the shortest string has {shortest} "
            "words; choose more"
        )
    found = growth(grammar).log_rate
    start = 0.0 if found == -np.inf else found
    step = 1e-3
    while _length_at(grammar, start + step) > mean_length:
        step *= 2
        if step > 1e6:
            raise OptionError(f"no scale gives a mean length of {mean_length:g}")
    if found > -np.inf:
        return start, start + step
    down = 1e-3
    while _length_at(grammar, start - down) < mean_length:
        down *= 2
        if down > 1e6:
            raise OptionError(
                f"no scale gives a mean length of {mean_length:g}: all strings are shorter; "
                "choose less"
            )
    return start - down, start + step
