"""Grammars and trees of NLTK, taken for ours and given back, without a need for NLTK.

What has ``productions()`` and ``start()`` is taken for a grammar, what has ``label()`` and is a
sequence of children for a tree; so NLTK's own classes and those that are derived from them will
do. Only :func:`to_nltk` and :func:`tree_to_nltk` import it.

Reference: Bird, Klein and Loper (2009), Natural Language Processing with Python, chapter 8.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np

from weft.errors import FormatError, OptionError, WeftError, quote
from weft.files import write_text
from weft.grammars.forms.notation import quote_terminal
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
    nltk = import_nltk()
    _check_sums(grammar)
    productions = [
        nltk.ProbabilisticProduction(
            nltk.Nonterminal(rule.head),
            [e.text if isinstance(e, Terminal) else nltk.Nonterminal(e) for e in rule.body],
            prob=math.exp(rule.weight),
        )
        for rule in grammar.rules()
    ]
    return nltk.PCFG(nltk.Nonterminal(grammar.nonterminals[grammar.start]), productions)


def write_nltk(path: str | os.PathLike[str], grammar: Grammar) -> dict[str, str]:
    """Write a grammar as NLTK's ``PCFG.fromstring`` reads it; ``-`` is the standard output.

    A character that NLTK has no place for in a name becomes its number between slashes: ``,`` is
    ``/2C/``.

    >>> half = math.log(0.5)
    >>> write_nltk("-", grammar([Rule("S.", (Terminal("a"),), half), Rule("S.", (), half)]))
    % start S/2E/
    S/2E/ -> 'a' [0.5]
    S/2E/ -> [0.5]
    {'S.': 'S/2E/'}

    Returns:
        The new names of the symbols that have one.

    Raises:
        OptionError: If the rules of a symbol do not sum to one, which NLTK's must.
        FormatError: If a terminal cannot be written, or two symbols would get one name.
    """
    _check_sums(grammar)
    names = {name: _readable(name) for name in grammar.nonterminals}
    if len(set(names.values())) < len(names):
        raise FormatError("two symbols would get one name in NLTK's notation; rename one of them")
    lines = [f"% start {names[grammar.nonterminals[grammar.start]]}\n"]
    for rule in grammar.rules():
        body = (quote_terminal(e.text) if isinstance(e, Terminal) else names[e] for e in rule.body)
        # NLTK reads no exponents, and knows no rule without probability.
        if rule.weight > -math.inf:
            prob = np.format_float_positional(math.exp(rule.weight), trim="-")
            lines.append(" ".join([names[rule.head], "->", *body, f"[{prob}]"]) + "\n")
    with write_text(path) as stream:
        stream.writelines(lines)
    return {name: new for name, new in names.items() if name != new}


def _readable(name: str) -> str:
    first = re.sub(r"^[\^<>-]|[^\w/^<>-]", lambda match: f"/{ord(match[0]):X}/", name)
    return first or "//"


def _check_sums(grammar: Grammar) -> None:
    sums: dict[str, float] = {}
    for rule in grammar.rules():
        sums[rule.head] = sums.get(rule.head, 0.0) + math.exp(min(rule.weight, 700.0))
    for head, total in sums.items():
        if not math.isclose(total, 1.0, rel_tol=1e-6):
            raise OptionError(
                f"the weights of {head} sum to {total:.6g}, but NLTK's are probabilities: "
                "normalise the grammar first (weft grammar normalise, weft.grammars.normalise)"
            )


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
    return _rebuilt(tree, import_nltk().Tree, lambda each: (each.label, each.children))


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


def import_nltk() -> Any:
    """Return the module.

    Raises:
        WeftError: If NLTK is not installed.
    """
    try:
        import nltk  # type: ignore[import-untyped,unused-ignore]
    except ImportError:
        raise WeftError("NLTK is not installed: pip install nltk") from None
    return nltk
