"""Random trees of a grammar.

A tree is drawn with a probability proportional to its weight: from the start symbol down, each
symbol is expanded by the rule r with probability p_r = w_r ∏ Z^Y / Z^X. A probabilistic grammar
need not be given: any weighted one whose sum over all trees is finite will do.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from weft.errors import LimitError
from weft.grammars.sums.partition import Partition, partition, require_convergence, rule_shares
from weft.structures.grammar import Grammar
from weft.structures.tree import Tree

MOST_NODES = 1_000_000
"""A tree with more nodes is given up: near a radius of 1 there are trees of any size."""


def sample_trees(
    grammar: Grammar,
    generator: np.random.Generator,
    count: int = 1,
    sums: Partition | None = None,
    limit: int = MOST_NODES,
) -> Iterator[Tree]:
    """Draw trees.

    >>> from weft.grammars.forms.notation import parse_grammar
    >>> words = parse_grammar("S -> 'a' S [0.5] | 'b' [0.5]")
    >>> next(sample_trees(words, np.random.default_rng(1)))
    Tree('(S b)')

    Args:
        grammar: The grammar.
        generator: The source of random numbers.
        count: How many trees to draw.
        sums: The grammar's partition functions, where they are known already.
        limit: How many symbols a tree may have, words included.

    Yields:
        The trees.

    Raises:
        DivergenceError: If the sum over all trees is infinite.
        EvidenceError: If the grammar has no tree.
        LimitError: If a tree grows beyond the limit.
    """
    sums = partition(grammar) if sums is None else sums
    require_convergence(grammar, sums)
    choices = _choices(grammar, rule_shares(grammar, sums))
    for _ in range(count):
        yield _drawn(grammar, choices, generator, limit)


_Choices = list[tuple[list[int], np.ndarray]]


def _choices(grammar: Grammar, shares: np.ndarray) -> _Choices:
    """The rules of each symbol, and the sums of their probabilities up to each."""
    order = np.argsort(grammar.heads, kind="stable")
    order = order[shares[order] > 0]
    cuts = np.searchsorted(grammar.heads[order], np.arange(len(grammar.nonterminals) + 1))
    choices: _Choices = []
    for first, last in itertools.pairwise(cuts.tolist()):
        rules = order[first:last]
        choices.append((rules.tolist(), np.cumsum(shares[rules])))
    return choices


def _drawn(grammar: Grammar, choices: _Choices, generator: np.random.Generator, limit: int) -> Tree:
    """Draw rules in pre-order, then put the tree together from its end."""
    used: list[int] = []
    waiting, size = [grammar.start], 1
    while waiting:
        rules, sums = choices[waiting.pop()]
        place = int(np.searchsorted(sums, generator.random() * sums[-1], side="right"))
        rule = rules[min(place, len(rules) - 1)]
        used.append(rule)
        body = grammar.body(rule).tolist()
        size += len(body)
        if size > limit:
            raise LimitError(
                f"a random tree has more than {limit:,} nodes; lower the weights of recursive "
                "rules, or raise the limit"
            )
        waiting.extend(each for each in reversed(body) if each >= 0)
    return built(grammar, used)


def built(grammar: Grammar, rules: list[int]) -> Tree:
    """Return the tree that uses these rules, which are given in pre-order.

    >>> from weft.grammars.forms.notation import parse_grammar
    >>> built(parse_grammar("S -> 'a' S 'b' | "), [0, 0, 1])
    Tree('(S a (S a (S) b) b)')
    """
    ready: list[Tree] = []
    for rule in reversed(rules):
        children = (
            ready.pop() if each >= 0 else grammar.terminals[~each]
            for each in grammar.body(rule).tolist()
        )
        ready.append(Tree(grammar.nonterminals[grammar.heads[rule]], tuple(children)))
    [tree] = ready
    return tree
