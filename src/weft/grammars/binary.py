"""The rules of a grammar cut into pieces of two symbols, beginnings that rules share only once.

    X → Y₁ Y₂ Y₃ Y₄   becomes   b₂ → Y₁ Y₂,   b₃ → b₂ Y₃,   X → b₃ Y₄,

where b₂ and b₃ stand for all rules that begin with these symbols. Terminals are symbols, too. This
is how sums over strings are done, where a rule with many symbols would be split in many ways; it is
never seen from outside.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weft.arrays import FloatArray, IntArray
from weft.grammars.sums.systems import System
from weft.structures.grammar import Grammar


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """Rules of at most two symbols.

    Symbols are numbered: first the nonterminals, then the terminals, then the beginnings.

    Attributes:
        nonterminals: How many nonterminals there are.
        terminals: How many terminals there are.
        count: How many symbols there are.
        heads: The symbol that each piece makes. [pieces]
        lefts: Its first symbol, −1 for an empty right side. [pieces]
        rights: Its second symbol, −1 where there is none. [pieces]
        rules: The rule that a piece ends, whose weight it has; −1 for a beginning. [pieces]
    """

    nonterminals: int
    terminals: int
    count: int
    heads: IntArray
    lefts: IntArray
    rights: IntArray
    rules: IntArray

    def weights(self, rule_weights: FloatArray) -> FloatArray:
        """Return the log-weight of each piece, given those of the rules."""
        padded = np.append(rule_weights, 0.0)
        return padded[self.rules]

    @property
    def pairs(self) -> IntArray:
        """The numbers of the pieces with two symbols."""
        return np.flatnonzero(self.rights >= 0)

    def system(self) -> System:
        """Return the equations of the sums below each symbol; a terminal has none."""
        factors = np.stack([self.lefts, self.rights], axis=1)
        there = factors >= 0
        owners = np.broadcast_to(np.arange(len(self.heads))[:, None], factors.shape)[there]
        return System(self.count, self.heads, owners, factors[there])


def pieces(grammar: Grammar) -> Pieces:
    """Cut the rules of a grammar into pieces.

    >>> from weft.grammars.forms.notation import parse_grammar
    >>> cut = pieces(parse_grammar("S -> 'a' S 'b' | 'a' S 'c' | "))
    >>> cut.count, np.stack([cut.heads, cut.lefts, cut.rights], axis=1).tolist()
    (5, [[4, 1, 0], [0, 4, 2], [0, 4, 3], [0, -1, -1]])
    """
    names, words = len(grammar.nonterminals), len(grammar.terminals)
    beginnings: dict[tuple[int, int], int] = {}
    rows: list[tuple[int, int, int, int]] = []
    heads, offsets = grammar.heads.tolist(), grammar.body_offsets.tolist()
    bodies = np.where(grammar.bodies >= 0, grammar.bodies, names + ~grammar.bodies).tolist()
    for rule, head in enumerate(heads):
        body = bodies[offsets[rule] : offsets[rule + 1]]
        left = body[0] if body else -1
        for symbol in body[1:-1]:
            key = left, symbol
            if key not in beginnings:
                beginnings[key] = names + words + len(beginnings)
                rows.append((beginnings[key], left, symbol, -1))
            left = beginnings[key]
        rows.append((head, left, body[-1] if len(body) > 1 else -1, rule))
    table = np.array(rows, np.int64).reshape(-1, 4).T
    return Pieces(names, words, names + words + len(beginnings), *table)
