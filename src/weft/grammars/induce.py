"""Grammars that are read off trees, and the rules that a tree uses.

Every node of a tree is expanded by a rule, head → children, in which words are terminals and
labels nonterminals. With n(r) the number of nodes that rule r expands in a treebank, the
relative-frequency estimate

    θ(r) = (n(r) + λ) / Σ (n(r′) + λ),   the sum being over the rules r′ with the head of r,

is for λ = 0 the maximum-likelihood estimate of a probabilistic grammar.

Reference: E. Charniak (1996), "Tree-bank grammars", AAAI; Johnson (2001), "Joint and conditional
estimation of tagging and parsing models", section 2.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from weft.arrays import FloatArray, IndexArray
from weft.errors import EvidenceError
from weft.structures.grammar import Grammar, Rule, Symbol, Terminal, grammar, reweight, shown
from weft.structures.tree import Tree

# A terminal is a tuple of its text: much quicker to make and to hash than an object of ours.
_Key = tuple[str, tuple[str | tuple[str], ...]]


@dataclass(frozen=True, slots=True, eq=False)
class RuleIndex:
    """The rules of a grammar by what they look like in a tree; made by :func:`rule_index`.

    Attributes:
        grammar: The grammar.
        numbers: The number of each rule, by its head and its children: a nonterminal by its name,
            a terminal by a tuple of its text.
    """

    grammar: Grammar
    numbers: dict[_Key, int]


def rule_index(grammar: Grammar) -> RuleIndex:
    """Prepare to find the rules of trees.

    >>> index = rule_index(grammar([Rule("S", ("S", Terminal("a"))), Rule("S", ())]))
    >>> index.numbers
    {('S', ('S', ('a',))): 0, ('S', ()): 1}
    """
    names = grammar.nonterminals
    texts = [(text,) for text in grammar.terminals]
    # A body's number n is a nonterminal, and −1 − t, which is ~t, a terminal.
    symbols = [
        names[number] if number >= 0 else texts[~number] for number in grammar.bodies.tolist()
    ]
    ends = grammar.body_offsets.tolist()
    bodies = [tuple(symbols[start:end]) for start, end in pairwise(ends)]
    heads = [names[head] for head in grammar.heads.tolist()]
    return RuleIndex(
        grammar, {key: number for number, key in enumerate(zip(heads, bodies, strict=True))}
    )


def grammar_of(
    trees: Iterable[Tree], *, start: str | None = None, pseudocount: float = 0.0
) -> tuple[Grammar, FloatArray]:
    """Return the grammar of trees, with relative frequencies as weights, and its rules' counts.

    Args:
        trees: The trees, at least one.
        start: The start symbol; by default the label that all trees have at their roots.
        pseudocount: λ, what is added to every count.

    Returns:
        The grammar, whose rules are in the order in which they come in the trees, and how often
        each comes there, [rules].

    Raises:
        ValueError: If there is no tree, or roots have different labels and no start symbol is
            given; or if the pseudocount is negative.

    >>> noun, verb = Tree("NN", ("dog",)), Tree("VB", ("dog",))
    >>> dogs, counts = grammar_of([Tree("S", (noun, verb)), Tree("S", (verb,))])
    >>> for rule, count in zip(dogs.rules(), counts.tolist()):
    ...     print(shown(rule), count, round(np.exp(rule.weight), 3))
    S -> NN VB 1.0 0.5
    NN -> 'dog' 1.0 1.0
    VB -> 'dog' 2.0 1.0
    S -> VB 1.0 0.5
    """
    counts: dict[_Key, int] = {}
    roots: dict[str, None] = {}
    for tree in trees:
        roots.setdefault(tree.label)
        for key in _keys(tree):
            counts[key] = counts.get(key, 0) + 1
    if not roots:
        raise ValueError("there is no tree to read a grammar off")
    if start is None:
        start = next(iter(roots))
        if len(roots) > 1:
            raise ValueError(
                f"the roots of the trees have {len(roots)} labels, among them "
                f"{', '.join(sorted(roots)[:3])}: put one root over all of them (rooted), or say "
                "which is the start symbol"
            )
    found = grammar([_rule(key) for key in counts], start)
    numbers = np.array(list(counts.values()), np.float64)
    return relative_frequencies(found, numbers, pseudocount), numbers


def relative_frequencies(grammar: Grammar, counts: FloatArray, pseudocount: float = 0.0) -> Grammar:
    """Return a grammar whose weights are the logs of relative frequencies.

    Args:
        grammar: The rules.
        counts: How often each was used, or is expected to be, [rules].
        pseudocount: λ, what is added to every count.

    Returns:
        The grammar; rules of a head that was never used have weight −inf, if λ is 0.

    Raises:
        ValueError: If a count or the pseudocount is negative, or there are not as many counts as
            rules.

    >>> coin = grammar([Rule("S", (Terminal("heads"),)), Rule("S", (Terminal("tails"),))])
    >>> np.exp(relative_frequencies(coin, np.array([2.0, 1.0]), 0.5).weights)
    array([0.625, 0.375])
    """
    if counts.shape != (grammar.rule_count,):
        raise ValueError(f"{grammar.rule_count} rules need as many counts, not {counts.shape}")
    smoothed = counts + pseudocount
    if not (pseudocount >= 0 and (counts >= 0).all() and np.isfinite(smoothed).all()):
        raise ValueError(f"counts, and the pseudocount {pseudocount}, must be finite and ≥ 0")
    totals = np.bincount(grammar.heads, smoothed, len(grammar.nonterminals))
    with np.errstate(divide="ignore"):
        logs = np.log(smoothed) - np.log(np.where(totals > 0, totals, 1.0))[grammar.heads]
    return reweight(grammar, logs)


def rule_numbers(rules: Grammar | RuleIndex, tree: Tree) -> IndexArray:
    """Return the numbers of the rules of a tree, each node's before those below it, [nodes].

    Args:
        rules: The grammar, or for several trees its index, which is then made only once.
        tree: The tree.

    Raises:
        EvidenceError: If a rule of the tree is not in the grammar.

    >>> dogs, _ = grammar_of([Tree("S", (Tree("S", ("dog",)), Tree("S", ("dog",))))])
    >>> rule_numbers(dogs, Tree("S", (Tree("S", ("dog",)), Tree("S", ("dog",)))))
    array([0, 1, 1], dtype=int32)
    """
    numbers = (rule_index(rules) if isinstance(rules, Grammar) else rules).numbers
    keys = list(_keys(tree))
    try:
        return np.array([numbers[key] for key in keys], np.int32)
    except KeyError as error:
        missing = shown(_rule(error.args[0]))
        raise EvidenceError(
            f"the grammar has no rule {missing}, which the tree needs: read the grammar off this "
            "tree, too, or leave the tree out"
        ) from None


def rule_counts(rules: Grammar | RuleIndex, trees: Iterable[Tree]) -> FloatArray:
    """Return how often the trees use each rule, [rules].

    Args:
        rules: The grammar, or its index.
        trees: The trees.

    Raises:
        EvidenceError: If a rule of a tree is not in the grammar.

    >>> tree = Tree("S", (Tree("S", ("dog",)), Tree("S", ("dog",))))
    >>> dogs, counts = grammar_of([tree])
    >>> bool((rule_counts(dogs, [tree]) == counts).all())
    True
    """
    index = rule_index(rules) if isinstance(rules, Grammar) else rules
    totals = np.zeros(index.grammar.rule_count)
    for tree in trees:
        np.add.at(totals, rule_numbers(index, tree), 1.0)
    return totals


def _keys(tree: Tree) -> Iterator[_Key]:
    """Each node's rule, before those of its children, from left to right."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        children = node.children
        below = [child for child in children if not isinstance(child, str)]
        if len(below) == len(children):
            yield node.label, tuple([child.label for child in below])
        else:
            yield (
                node.label,
                tuple([(child,) if isinstance(child, str) else child.label for child in children]),
            )
        below.reverse()
        waiting.extend(below)


def _rule(key: _Key) -> Rule:
    body: list[Symbol] = [
        symbol if isinstance(symbol, str) else Terminal(symbol[0]) for symbol in key[1]
    ]
    return Rule(key[0], tuple(body))
