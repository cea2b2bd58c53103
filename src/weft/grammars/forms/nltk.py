"""Grammars and trees of NLTK, taken for ours and given back, without a need for NLTK.

What has ``productions()`` and ``start()`` is taken for a grammar, what has ``label()`` and is a
sequence of children for a tree; so NLTK's own classes and those that are derived from them will
do. Only :func:`to_nltk` and :func:`tree_to_nltk` import it.

Reference: Bird, Klein and Loper (2009), Natural Language Processing with Python, chapter 8.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from weft.errors import FormatError, OptionError, WeftError, quote
from weft.structures.grammar import Grammar, Rule, Symbol, Terminal, grammar
from weft.structures.tree import Tree

MadeT = TypeVar("MadeT")


def is_nltk_grammar(value: object) -> bool:
    """Say whether something is a grammar as NLTK has them.

    >>> is_nltk_grammar("S -> 'a'")
    False
    """
    return callable(getattr(value, "productions", None)) and callable(getattr(value, "start", None))


def is_nltk_tree(value: object) -> bool:
    """Say whether something is a tree as NLTK has them.

    >>> is_nltk_tree(Tree("NP", ("dogs",)))
    False
    """
    return callable(getattr(value, "label", None)) and hasattr(value, "__iter__")


def from_nltk(value: Any) -> Grammar:
    """Return the grammar that a CFG or PCFG of NLTK is; without probabilities, weights are 1.

    Raises:
        FormatError: If it is none, has features, or has a rule twice.
    """
    if not is_nltk_grammar(value):
        raise FormatError(f"expected a CFG or PCFG of NLTK, not {quote(value)}")
    rules = list(map(_rule, value.productions()))
    try:
        return grammar(rules, _name(value.start()))
    except ValueError as error:
        raise FormatError(str(error)) from None


def _rule(production: Any) -> Rule:
    prob = production.prob() if hasattr(production, "prob") else 1.0
    body = tuple(map(_symbol, production.rhs()))
    return Rule(_name(production.lhs()), body, math.log(prob) if prob > 0 else -math.inf)


def _symbol(symbol: Any) -> Symbol:
    return Terminal(symbol) if isinstance(symbol, str) else _name(symbol)


def _name(nonterminal: Any) -> str:
    name = nonterminal.symbol() if hasattr(nonterminal, "symbol") else nonterminal
    if not isinstance(name, str):
        message = f"the nonterminal {quote(nonterminal)} has no plain name"
        raise FormatError(f"{message}; grammars with features are not read")
    return name


def to_nltk(grammar: Grammar) -> Any:
    """Return a grammar as a PCFG of NLTK.

    Raises:
        OptionError: If the rules of a symbol do not sum to one, which NLTK's must.
        WeftError: If NLTK is not installed.
    """
    nltk = _nltk()
    sums: dict[str, float] = {}
    for rule in grammar.rules():
        sums[rule.head] = sums.get(rule.head, 0.0) + math.exp(min(rule.weight, 700.0))
    for head, total in sums.items():
        if not math.isclose(total, 1.0, rel_tol=1e-6):
            raise OptionError(
                f"the weights of {head} sum to {total:.6g}, but NLTK's are probabilities: "
                "normalise the grammar first (weft.grammars.normalise)"
            )
    productions = [
        nltk.ProbabilisticProduction(
            nltk.Nonterminal(rule.head),
            [e.text if isinstance(e, Terminal) else nltk.Nonterminal(e) for e in rule.body],
            prob=math.exp(rule.weight),
        )
        for rule in grammar.rules()
    ]
    return nltk.PCFG(nltk.Nonterminal(grammar.nonterminals[grammar.start]), productions)


def tree_from_nltk(tree: Any) -> Tree:
    """Return the tree that a tree of NLTK is.

    Raises:
        FormatError: If it is none, or a leaf is no word.
    """
    if not is_nltk_tree(tree):
        raise FormatError(f"expected a tree of NLTK, not {quote(tree)}")
    return _rebuilt(tree, lambda label, children: Tree(str(label), tuple(children)), _parts)


def tree_to_nltk(tree: Tree) -> Any:
    """Return a tree as one of NLTK.

    Raises:
        WeftError: If NLTK is not installed.
    """
    return _rebuilt(tree, _nltk().Tree, lambda each: (each.label, each.children))


def _parts(tree: Any) -> tuple[Any, Any]:
    children = list(tree)
    for each in children:
        if not isinstance(each, str) and not is_nltk_tree(each):
            raise FormatError(f"a leaf of a tree must be a word, not {quote(each)}")
    return tree.label(), children


def _rebuilt(tree: Any, make: Callable[[Any, list[Any]], MadeT], parts: Any) -> MadeT:
    """The same tree of other nodes, without recursion: trees may be deep."""
    label, children = parts(tree)
    stack: list[tuple[Any, Iterator[Any], list[Any]]] = [(label, iter(children), [])]
    while True:
        label, waiting, done = stack[-1]
        child = next(waiting, None)
        if child is None:
            made = make(label, done)
            stack.pop()
            if not stack:
                return made
            stack[-1][2].append(made)
        elif isinstance(child, str):
            done.append(child)
        else:
            label, children = parts(child)
            stack.append((label, iter(children), []))


def _nltk() -> Any:
    try:
        import nltk  # type: ignore[import-untyped,unused-ignore]
    except ImportError:
        raise WeftError("NLTK is not installed: pip install nltk") from None
    return nltk
