"""Probabilities of prefixes: what a string begins with, and which word may come next.

With the weights of a probabilistic grammar, and w a string,

    prefix(w) = Σ_{strings that begin with w} P(string),

P(next = a | w) = prefix(w a) / prefix(w), and P(end | w) = P(w) / prefix(w). Words are added one at
a time. Let I(i, j, X) be the probability that X becomes the words between i and j, and y_j(X) the
probability that the words up to j come first and X is begun there. Both solve linear systems, whose
matrices are those of the grammar, not of the words: I by passing words on to a single symbol, the
others becoming nothing; y by beginning X with one of its symbols, those before it becoming nothing
and those after it anything. They are inverted once, and so left recursion, cycles and empty right
sides are summed exactly. The y_j of terminals are the probabilities of the next word.

Reference: Stolcke (1995), "An efficient probabilistic context-free parsing algorithm that computes
prefix probabilities", Computational Linguistics 21(2), sections 4.5 and 4.7; Jelinek and Lafferty
(1991), "Computation of the probability of initial substring generation by stochastic context-free
grammars", Computational Linguistics 17(3).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from weft.arrays import FloatArray, IntArray
from weft.errors import EvidenceError, LimitError
from weft.grammars.binary import Pieces, pieces
from weft.grammars.elimination import Factors, elimination
from weft.grammars.lengths import empty_sums
from weft.grammars.normalise import normalise
from weft.grammars.systems import summed
from weft.grammars.trim import trimmed
from weft.structures.grammar import Grammar

END = ""
"""The end of a string among the words that may come next. No word is empty."""

MOST_NUMBERS = 50_000_000
"""Nothing is kept that has more numbers than this: 400 megabytes of them."""

_UNSEEN = 1e-280  # what is begun with less than this has no influence that a number could show


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
    _pairs: tuple[IntArray, IntArray, IntArray, FloatArray]  # heads, lefts, rights, probabilities
    _empty: FloatArray
    _within: Factors
    _begun: Factors


@dataclass(frozen=True, slots=True, eq=False)
class Prefix:
    """The words of a prefix, and all that is needed to go on.

    Attributes:
        parser: The grammar.
        words: The words.
        log_prob: The logarithm of the prefix's probability.
        next_probs: The probability of each word to come next, of those that can, and of
            :data:`END`.
    """

    parser: PrefixParser
    words: tuple[str, ...]
    log_prob: float
    next_probs: dict[str, float]
    _columns: tuple[FloatArray, ...]  # of each end j: I(i, j, ·) / P(words i … j | those before)
    _begun: tuple[FloatArray, ...]  # of each j: y_j / prefix(words up to j)

    @property
    def log_sentence_prob(self) -> float:
        """The logarithm of the probability that these words are the whole string."""
        with np.errstate(divide="ignore"):
            return float(self.log_prob + np.log(self.next_probs.get(END, 0.0)))


def prefix_parser(grammar: Grammar) -> PrefixParser:
    """Prepare a grammar: a weighted one counts as the probabilistic one with the same trees.

    Raises:
        DivergenceError: If the sum over all trees is infinite.
        EvidenceError: If the grammar has no tree.
        LimitError: If the grammar's recursion would take too much memory.
    """
    found = normalise(trimmed(grammar))
    rules = found.grammar
    cut = pieces(rules)
    logs = cut.weights(rules.weights)
    probs = np.exp(logs)
    empty = np.exp(empty_sums(cut, logs).log_values)
    pairs = cut.pairs
    heads, lefts, rights = cut.heads[pairs], cut.lefts[pairs], cut.rights[pairs]
    single = np.flatnonzero((cut.lefts >= 0) & (cut.rights < 0))
    alone = (cut.heads[single], cut.lefts[single], probs[single])
    after = (heads, rights, probs[pairs] * empty[lefts])
    within = _closure(cut.count, (heads, lefts, probs[pairs] * empty[rights]), after, alone)
    begun = _closure(cut.count, (heads, lefts, probs[pairs]), after, alone)
    return PrefixParser(
        found.sums.log_value,
        rules.terminals,
        {word: number for number, word in enumerate(rules.terminals)},
        rules.start,
        cut,
        (heads, lefts, rights, probs[pairs]),
        empty,
        within,
        begun,
    )


def begin(parser: PrefixParser) -> Prefix:
    """Return the prefix without words.

    >>> from weft.grammars.notation import parse_grammar
    >>> begin(prefix_parser(parse_grammar("S -> 'a' S [0.5] | 'b' [0.25] | [0.25]"))).next_probs
    {'a': 0.5, 'b': 0.25, '': 0.25}
    """
    first = np.zeros((parser._cut.count, 1))
    first[parser._start] = 1.0
    begun = parser._begun.solve_transposed(first)[:, 0]
    ending = float(parser._empty[parser._start])
    return Prefix(parser, (), 0.0, _next(parser, begun, ending), (), (begun,))


def extended(prefix: Prefix, word: str) -> Prefix:
    """Return the prefix with one more word; the one that is given stays as it is.

    >>> from weft.grammars.notation import parse_grammar
    >>> start = begin(prefix_parser(parse_grammar("S -> S S [0.4] | 'a' [0.6]")))
    >>> one = extended(start, "a")
    >>> round(one.next_probs["a"], 6), round(one.next_probs[END], 6)
    (0.4, 0.6)

    Raises:
        EvidenceError: If no string of the grammar goes on so.
        LimitError: If the prefix is too long to be kept.
    """
    share = prefix.next_probs.get(word, 0.0) if word != END else 0.0
    if share == 0.0:
        raise EvidenceError(_impossible(prefix, word))
    parser = prefix.parser
    count, end = parser._cut.count, len(prefix.words) + 1
    if end * (end + 1) // 2 * count > MOST_NUMBERS:
        raise LimitError(
            f"a prefix of {end} words with {count:,} symbols would keep more than "
            f"{MOST_NUMBERS:,} numbers; give a shorter one"
        )
    column = _column(prefix, parser._numbers[word], share)
    columns = (*prefix._columns, column)
    begun = _opened(parser, prefix._begun, column)
    ending = float(column[0, parser._start])
    # The sum is 1 but for rounding, which must not add up from word to word.
    total = float(begun[_terminals(parser)].sum()) + ending
    column /= total
    begun /= total
    column.flags.writeable = begun.flags.writeable = False
    log_prob = prefix.log_prob + float(np.log(share) + np.log(total))
    chances = _next(parser, begun, ending / total)
    words = (*prefix.words, word)
    return Prefix(parser, words, log_prob, chances, columns, (*prefix._begun, begun))


def next_symbols(grammar: Grammar | PrefixParser, prefix: Sequence[str]) -> dict[str, float]:
    """Return the probability of each word that can follow a prefix, and of the end.

    For one prefix after the other, :func:`extended` saves doing the same again.

    >>> from weft.grammars.notation import parse_grammar
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
        prefix = extended(prefix, word)
    return prefix


def prefix_log_prob(grammar: Grammar | PrefixParser, words: Sequence[str]) -> float:
    """Return the log-probability that a string begins with some words, −inf if none does.

    >>> from weft.grammars.notation import parse_grammar
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

    >>> from weft.grammars.notation import parse_grammar
    >>> rules = parse_grammar("S -> S S [0.4] | 'a' [0.6]")
    >>> round(float(np.exp(sentence_log_prob(rules, ["a", "a"]))), 6)
    0.144
    """
    try:
        return read_prefix(grammar, words).log_sentence_prob
    except EvidenceError:
        return -np.inf


def _terminals(parser: PrefixParser) -> slice:
    first = parser._cut.nonterminals
    return slice(first, first + parser._cut.terminals)


def _next(parser: PrefixParser, begun: FloatArray, ending: float) -> dict[str, float]:
    probs = begun[_terminals(parser)]
    chances = {parser.words[number]: float(probs[number]) for number in np.flatnonzero(probs)}
    return {**chances, END: ending} if ending > 0 else chances


def _column(prefix: Prefix, word: int, share: float) -> FloatArray:
    """I(i, j, ·) for the new end j and all i, each relative to what its words were expected."""
    parser = prefix.parser
    heads, lefts, rights, probs = parser._pairs
    end = len(prefix.words) + 1
    column = np.zeros((end, parser._cut.count))
    for start in range(end - 1, -1, -1):
        right = np.zeros(parser._cut.count)
        if start == end - 1:
            right[parser._cut.nonterminals + word] = 1.0 / share
        elif len(probs):
            lower = np.stack([prefix._columns[k - 1][start] for k in range(start + 1, end)])
            products = np.einsum("kp,kp->p", lower[:, lefts], column[start + 1 :, rights])
            right = summed(heads, probs * products, parser._cut.count)
        whole = parser._within.solve(right[:, None])[:, 0]
        # What was not begun here can be as unlikely as it likes: it must not overflow.
        column[start] = np.where(prefix._begun[start] > _UNSEEN, whole, 0.0)
    return column


def _opened(parser: PrefixParser, begun: tuple[FloatArray, ...], column: FloatArray) -> FloatArray:
    """y_j, given the words between all earlier places and j."""
    heads, lefts, rights, probs = parser._pairs
    flows = np.zeros(len(probs))
    for opened, whole in zip(begun, column, strict=True):
        flows += opened[heads] * whole[lefts]
    fresh = summed(rights, probs * flows, parser._cut.count)
    return parser._begun.solve_transposed(fresh[:, None])[:, 0]


def _closure(count: int, *edges: tuple[IntArray, IntArray, FloatArray]) -> Factors:
    """The inverse of I - M for a matrix that is given in parts."""
    sources, targets, values = (np.concatenate(parts) for parts in zip(*edges, strict=True))
    live = values > 0
    keys, places = np.unique(sources[live] * count + targets[live], return_inverse=True)
    pattern = elimination(count, keys // count, keys % count)
    factors = pattern.factorised(summed(places, values[live], len(keys)))
    factors.invert()
    return factors


def _impossible(prefix: Prefix, word: str) -> str:
    place = len(prefix.words) + 1
    before = f" after {' '.join(prefix.words[-5:])!r}" if prefix.words else ""
    if word not in prefix.parser._numbers:
        return f"word {place}, {word!r}, is in no string of the grammar"
    return f"word {place}, {word!r}, cannot follow{before}: no string of the grammar goes on so"
