"""Probabilities of prefixes: what a string begins with, and which word may come next.

With the weights of a probabilistic grammar, and w a string,

    prefix(w) = Σ_{strings that begin with w} P(string),

P(next = a | w) = prefix(w a) / prefix(w), and P(end | w) = P(w) / prefix(w). Words are added one at
a time. Let I(i, j, X) be the probability that X becomes the words between i and j, and y_j(X) the
probability that the words up to j come first and X is begun there. Both solve linear systems, whose
matrices are those of the grammar, not of the words: I by passing words on to a single symbol, the
others becoming nothing; y by beginning X with one of its symbols, those before it becoming nothing
and those after it anything. They are eliminated once, and so left recursion, cycles and empty right
sides are summed exactly. The y_j of terminals are the probabilities of the next word. All of them
are logarithms: what is unlikely beyond the range of numbers may turn out to be what was meant.

Reference: Stolcke (1995), "An efficient probabilistic context-free parsing algorithm that computes
prefix probabilities", Computational Linguistics 21(2), sections 4.5 and 4.7; Jelinek and Lafferty
(1991), "Computation of the probability of initial substring generation by stochastic context-free
grammars", Computational Linguistics 17(3).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from weft.arrays import FloatArray, IntArray, freeze
from weft.errors import EvidenceError, LimitError
from weft.grammars.binary import Pieces, pieces
from weft.grammars.normalise import normalise
from weft.grammars.sums.closure import LogAdder, LogClosure, log_total
from weft.grammars.sums.lengths import empty_sums
from weft.grammars.trim import trim_grammar
from weft.structures.grammar import Grammar

END = ""
"""The end of a string among the words that may come next. No word is empty."""

MOST_NUMBERS = 50_000_000
"""Nothing is kept that has more numbers than this: 400 megabytes of them."""


@dataclass(frozen=True, slots=True, eq=False)
class PrefixParser:
    """A grammar prepared for prefixes.

    Attributes:
        log_total: log Z: the weight of all trees of the grammar, by which weights are divided.
        words: The terminals that some tree has.
    """

    log_total: float
    words: tuple[str, ...]
    _numbers: dict[str, int]
    _start: int
    _cut: Pieces
    _pairs: tuple[IntArray, IntArray, IntArray, FloatArray]  # heads, lefts, rights, log-weights
    _to_heads: LogAdder
    _to_rights: LogAdder
    _empty: FloatArray
    _within: LogClosure
    _begun: LogClosure


@dataclass(frozen=True, slots=True, eq=False)
class Prefix:
    """The words of a prefix, and all that is needed to go on.

    Attributes:
        parser: The grammar.
        words: The words.
        log_prob: The logarithm of the prefix's probability.
        next_log_probs: The logarithm of the probability of each word to come next, of those that
            can, and of :data:`END`.
    """

    parser: PrefixParser
    words: tuple[str, ...]
    log_prob: float
    next_log_probs: dict[str, float]
    _columns: tuple[FloatArray, ...]  # of each end j: log I(i, j, ·)
    _begun: tuple[FloatArray, ...]  # of each j: log y_j

    @property
    def next_probs(self) -> dict[str, float]:
        """The probabilities; 0 for what can come but is less likely than a number can be."""
        return {word: math.exp(log) for word, log in self.next_log_probs.items()}

    @property
    def log_sentence_prob(self) -> float:
        """The logarithm of the probability that these words are the whole string."""
        return self.log_prob + self.next_log_probs.get(END, -math.inf)


def prefix_parser(grammar: Grammar) -> PrefixParser:
    """Prepare a grammar: a weighted one counts as the probabilistic one with the same trees.

    Raises:
        DivergenceError: If the sum over all trees is infinite.
        EvidenceError: If the grammar has no tree.
        LimitError: If the grammar's recursion would take too much memory.
    """
    found = normalise(trim_grammar(grammar))
    rules = found.grammar
    cut = pieces(rules)
    logs = cut.weights(rules.weights)
    empty = empty_sums(cut, logs).log_values
    pairs = cut.pairs
    heads, lefts, rights = cut.heads[pairs], cut.lefts[pairs], cut.rights[pairs]
    single = np.flatnonzero((cut.lefts >= 0) & (cut.rights < 0))
    alone = (cut.heads[single], cut.lefts[single], logs[single])
    after = (heads, rights, logs[pairs] + empty[lefts])
    within = _edges((heads, lefts, logs[pairs] + empty[rights]), after, alone)
    sources, targets, values = _edges((heads, lefts, logs[pairs]), after, alone)
    return PrefixParser(
        found.sums.log_value,
        rules.terminals,
        {word: number for number, word in enumerate(rules.terminals)},
        rules.start,
        cut,
        (heads, lefts, rights, logs[pairs]),
        LogAdder(heads, cut.count),
        LogAdder(rights, cut.count),
        empty,
        LogClosure(cut.count, *within),
        LogClosure(cut.count, targets, sources, values),  # transposed: from the start symbol down
    )


def begin(parser: PrefixParser) -> Prefix:
    """Return the prefix without words.

    >>> from weft.grammars.forms.notation import parse_grammar
    >>> start = begin(prefix_parser(parse_grammar("S -> 'a' S [0.5] | 'b' [0.25] | [0.25]")))
    >>> {word: round(prob, 9) for word, prob in start.next_probs.items()}
    {'a': 0.5, 'b': 0.25, '': 0.25}
    """
    first = np.full(parser._cut.count, -np.inf)
    first[parser._start] = 0.0
    begun = parser._begun.solve(first)
    return _prefix(parser, (), (), (begun,), float(parser._empty[parser._start]))


def extend_prefix(prefix: Prefix, word: str) -> Prefix:
    """Return the prefix with one more word; the one that is given stays as it is.

    >>> from weft.grammars.forms.notation import parse_grammar
    >>> start = begin(prefix_parser(parse_grammar("S -> S S [0.4] | 'a' [0.6]")))
    >>> one = extend_prefix(start, "a")
    >>> round(one.next_probs["a"], 6), round(one.next_probs[END], 6)
    (0.4, 0.6)

    Raises:
        EvidenceError: If no string of the grammar goes on so.
        LimitError: If the prefix is too long to be kept.
    """
    if word == END or word not in prefix.next_log_probs:
        raise EvidenceError(_impossible(prefix, word))
    parser = prefix.parser
    count, end = parser._cut.count, len(prefix.words) + 1
    if end * (end + 1) // 2 * count > MOST_NUMBERS:
        raise LimitError(
            f"a prefix of {end} words with {count:,} symbols would keep more than "
            f"{MOST_NUMBERS:,} numbers; give a shorter one"
        )
    column = freeze(_column(prefix, parser._numbers[word]))
    begun = (*prefix._begun, freeze(_opened(parser, prefix._begun, column)))
    ending = float(column[0, parser._start])
    return _prefix(parser, (*prefix.words, word), (*prefix._columns, column), begun, ending)


def next_symbols(grammar: Grammar | PrefixParser, prefix: Sequence[str]) -> dict[str, float]:
    """Return the probability of each word that can follow a prefix, and of the end.

    For one prefix after the other, :func:`extend_prefix` saves doing the same again.

    >>> from weft.grammars.forms.notation import parse_grammar
    >>> rules = parse_grammar("S -> 'a' S 'b' [0.5] | [0.5]")
    >>> {word: round(prob, 9) for word, prob in next_symbols(rules, ["a"]).items()}
    {'a': 0.5, 'b': 0.5}
    >>> next_symbols(rules, ["a", "b"])
    {'': 1.0}

    Args:
        grammar: The grammar, or one prepared by :func:`prefix_parser`.
        prefix: The words so far.

    Returns:
        Probabilities that sum to 1, that of the end under :data:`END`; impossible words are left
        out.

    Raises:
        EvidenceError: If no string begins so; the message says at which word.
        DivergenceError: If the sum over all trees is infinite.
    """
    return read_prefix(grammar, prefix).next_probs


def read_prefix(grammar: Grammar | PrefixParser, words: Sequence[str]) -> Prefix:
    """Return the prefix of some words.

    Raises:
        EvidenceError: If no string begins so; the message says at which word.
        DivergenceError: If the sum over all trees is infinite.
    """
    if isinstance(words, str):
        raise ValueError(f"a prefix is a list of words, not the string {words!r}: split it first")
    prefix = begin(grammar if isinstance(grammar, PrefixParser) else prefix_parser(grammar))
    for word in words:
        prefix = extend_prefix(prefix, word)
    return prefix


def prefix_log_prob(grammar: Grammar | PrefixParser, words: Sequence[str]) -> float:
    """Return the log-probability that a string begins with some words, −inf if none does.

    >>> from weft.grammars.forms.notation import parse_grammar
    >>> rules = parse_grammar("S -> S S [0.4] | 'a' [0.6]")
    >>> round(float(np.exp(prefix_log_prob(rules, ["a", "a", "a"]))), 6)
    0.256
    """
    try:
        return read_prefix(grammar, words).log_prob
    except EvidenceError:
        return -np.inf


def sentence_log_prob(grammar: Grammar | PrefixParser, words: Sequence[str]) -> float:
    """Return the log-probability of a string, −inf if it is none of the grammar's.

    >>> from weft.grammars.forms.notation import parse_grammar
    >>> rules = parse_grammar("S -> S S [0.4] | 'a' [0.6]")
    >>> round(float(np.exp(sentence_log_prob(rules, ["a", "a"]))), 6)
    0.144
    """
    try:
        return read_prefix(grammar, words).log_sentence_prob
    except EvidenceError:
        return -np.inf


def _prefix(
    parser: PrefixParser,
    words: tuple[str, ...],
    columns: tuple[FloatArray, ...],
    begun: tuple[FloatArray, ...],
    ending: float,
) -> Prefix:
    """The prefix whose last y and whose probability of being a string are given."""
    first = parser._cut.nonterminals
    logs = begun[-1][first : first + parser._cut.terminals]
    possible = np.flatnonzero(logs > -np.inf).tolist()
    chances = {parser.words[number]: float(logs[number]) for number in possible}
    if ending > -np.inf:
        chances[END] = ending
    # What may come next sums to the prefix itself, but for rounding, which must not add up.
    total = float(log_total(np.array(list(chances.values()))))
    shares = {word: log - total for word, log in chances.items()}
    return Prefix(parser, words, total if words else 0.0, shares, columns, begun)


def _column(prefix: Prefix, word: int) -> FloatArray:
    """The logarithms of I(i, j, ·) for the new end j and all i."""
    parser = prefix.parser
    _, lefts, rights, logs = parser._pairs
    end = len(prefix.words) + 1
    column = np.full((end, parser._cut.count), -np.inf)
    for start in range(end - 1, -1, -1):
        right = np.full(parser._cut.count, -np.inf)
        if start == end - 1:
            right[parser._cut.nonterminals + word] = 0.0
        elif len(logs):
            lower = np.stack([prefix._columns[k - 1][start] for k in range(start + 1, end)])
            products = _products(lower, column[start + 1 :], lefts, rights)
            right = parser._to_heads.added(logs + products)
        whole = parser._within.solve(right)
        column[start] = np.where(prefix._begun[start] > -np.inf, whole, -np.inf)
    return column


def _opened(parser: PrefixParser, begun: tuple[FloatArray, ...], column: FloatArray) -> FloatArray:
    """The logarithms of y_j, given the words between all earlier places and j."""
    heads, lefts, _, logs = parser._pairs
    flows = _products(np.stack(begun), column, heads, lefts)
    return parser._begun.solve(parser._to_rights.added(logs + flows))


def _products(left: FloatArray, right: FloatArray, lefts: IntArray, rights: IntArray) -> FloatArray:
    """[pairs]: log Σ_k exp(left[k, l] + right[k, r]); of most pairs one never occurs."""
    able = (left.max(axis=0)[lefts] > -np.inf) & (right.max(axis=0)[rights] > -np.inf)
    found = np.full(len(lefts), -np.inf)
    found[able] = log_total(left[:, lefts[able]] + right[:, rights[able]])
    return found


def _edges(
    *parts: tuple[IntArray, IntArray, FloatArray],
) -> tuple[IntArray, IntArray, FloatArray]:
    """A matrix that is given in parts, as its elements that are not 0."""
    sources, targets, logs = (np.concatenate(each) for each in zip(*parts, strict=True))
    live = logs > -np.inf
    return sources[live], targets[live], logs[live]


def _impossible(prefix: Prefix, word: str) -> str:
    place = len(prefix.words) + 1
    before = f" after {' '.join(prefix.words[-5:])!r}" if prefix.words else ""
    if word not in prefix.parser._numbers:
        return f"word {place}, {word!r}, is in no string of the grammar"
    return f"word {place}, {word!r}, cannot follow{before}: no string of the grammar goes on so"
