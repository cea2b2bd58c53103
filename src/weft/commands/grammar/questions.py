"""Questions about a grammar: its sums, what is wrong with it, its probabilistic form, random trees.

A grammar is read from a file in the notation (:mod:`weft.grammars.forms.notation`), or as JSON if
the file's name ends in ``.json``, or it is that of a saved parser.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft.commands.files.inputs import StrPath
from weft.commands.grammar.inputs import load_grammar
from weft.errors import DivergenceError, FormatError, LimitError, OptionError, WeftError
from weft.grammars.equivalence import Equivalence, same_conditional, same_trees
from weft.grammars.forms.notation import format_weight
from weft.grammars.normalise import (
    Normalised,
    Scale,
    normalise,
    normalise_conditional,
    normalise_to_length,
)
from weft.grammars.sampling import MOST_NODES, sample_trees
from weft.grammars.sums.growth import Growth, growth
from weft.grammars.sums.lengths import length_sums
from weft.grammars.sums.partition import Partition, entropy, expected_length, partition
from weft.grammars.sums.tightness import Tightness, tightness
from weft.grammars.trim import Useless, ambiguous_cycle, useless
from weft.reprs import Brief
from weft.structures.grammar import Grammar, shown
from weft.structures.tree import Tree, write_brackets

Number = float | str | None
"""A number for JSON, which has no infinity: ``"inf"`` where a sum diverges."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class GrammarSums(Brief):
    """The sums over all trees of a grammar, and what follows from them.

    Attributes:
        grammar: The grammar.
        sums: The partition functions.
        tightness: Whether it is proper and tight.
        mean_length: The expected number of words, None where there is none.
        entropy: The entropy of the distribution of trees in nats, None where there is none.
        growth: How fast the weight of all strings of a length grows; None without trees, or where
            it was not asked for.
        lengths: The log-weight of all strings of each length that was asked for.
    """

    grammar: Grammar
    sums: Partition
    tightness: Tightness
    mean_length: float | None
    entropy: float | None
    growth: Growth | None
    lengths: tuple[float, ...]

    def as_json(self) -> dict[str, Any]:
        """Return all of it for programs; a sum that diverges is ``"inf"``."""
        names = self.grammar.nonterminals
        logs = dict(zip(names, self.sums.log_values.tolist(), strict=True))
        start = self.sums.start
        return {
            "partition": {name: exp_for_json(value) for name, value in logs.items()},
            "log_partition": {name: log_for_json(value) for name, value in logs.items()},
            "start": names[start],
            "convergent": self.sums.convergent,
            "certain": self.sums.certain,
            "error": self.sums.error,
            "radius": log_for_json(float(self.sums.radii[start])),
            "steps": self.sums.steps,
            "cycle": list(self.sums.cycle),
            "proper": self.tightness.proper,
            "tight": self.tightness.tight,
            "mean_length": self.mean_length,
            "entropy": self.entropy,
            "growth_rate": None if self.growth is None else exp_for_json(self.growth.log_rate),
            "lengths": [exp_for_json(value) for value in self.lengths],
        }


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class GrammarCheck(Brief):
    """What may be wrong with a grammar.

    Attributes:
        grammar: The grammar.
        useless: What no tree uses.
        tightness: Whether it is proper and tight.
        ambiguous: A cycle by which some string has infinitely many trees.
    """

    grammar: Grammar
    useless: Useless
    tightness: Tightness
    ambiguous: tuple[str, ...]

    @property
    def problems(self) -> list[str]:
        """Return in words what is likely to be a mistake."""
        found = self.useless
        lines = [
            *(f"undefined: {name} has no rule" for name in found.undefined),
            *(f"unproductive: no string can be derived from {name}" for name in found.unproductive),
            *(f"unreachable: no tree of the start symbol has {name}" for name in found.unreachable),
        ]
        if len(found.rules) == self.grammar.rule_count:
            lines.append("empty: the grammar has no tree at all")
        return lines

    def as_json(self) -> dict[str, Any]:
        """Return all of it for programs."""
        improper = self.tightness.improper
        return {
            "rules": self.grammar.rule_count,
            "nonterminals": len(self.grammar.nonterminals),
            "terminals": len(self.grammar.terminals),
            "start": self.grammar.nonterminals[self.grammar.start],
            "undefined": list(self.useless.undefined),
            "unproductive": list(self.useless.unproductive),
            "unreachable": list(self.useless.unreachable),
            "impossible": [shown(rule) for rule in self.useless.impossible],
            "useless": [shown(rule) for rule in self.useless.rules],
            "infinitely_ambiguous": bool(self.ambiguous),
            "cycle": list(self.ambiguous),
            "proper": self.tightness.proper,
            "improper": None if improper is None else {improper[0]: log_for_json(improper[1])},
            "tight": self.tightness.tight,
        }


def grammar_sums(path: StrPath, longest: int | None = None, *, rate: bool = False) -> GrammarSums:
    """Sum over all trees of a grammar.

    Args:
        path: The grammar.
        longest: The largest length to sum by; None for none.
        rate: Whether the growth rate is looked for, which takes some fifty sums.

    Raises:
        FormatError: If the grammar cannot be read.
        LimitError: If solving would take too much memory.
    """
    rules = load_grammar(path)
    sums = partition(rules)
    some = np.isfinite(sums.log_value)
    return GrammarSums(
        rules,
        sums,
        tightness(rules),
        _finite(lambda: expected_length(rules, sums)) if some else None,
        _finite(lambda: entropy(rules, sums)) if some else None,
        growth(rules) if rate and sums.log_value > -np.inf else None,
        () if longest is None else tuple(length_sums(rules, longest).tolist()),
    )


def check_grammar(path: StrPath) -> GrammarCheck:
    """Look for mistakes in a grammar.

    Raises:
        FormatError: If the grammar cannot be read.
    """
    rules = load_grammar(path)
    return GrammarCheck(rules, useless(rules), tightness(rules), ambiguous_cycle(rules))


def compare_grammars(one: StrPath, other: StrPath, *, conditional: bool = False) -> Equivalence:
    """Say whether two weightings of the same rules define the same distribution.

    Args:
        one: A grammar.
        other: A grammar with the same rules in the same order.
        conditional: Whether trees given strings are meant.

    Raises:
        FormatError: If a grammar cannot be read.
        OptionError: If their rules are not the same.
        EvidenceError: If a grammar has no tree.
    """
    question = same_conditional if conditional else same_trees
    try:
        return question(load_grammar(one), load_grammar(other))
    except ValueError as error:
        if isinstance(error, WeftError):
            raise
        raise OptionError(f"{one} and {other}: {error}") from None


def normalise_grammar(
    path: StrPath,
    *,
    conditional: bool = False,
    scale: str | None = None,
    mean_length: float | None = None,
) -> Normalised:
    """Make a grammar probabilistic.

    Args:
        path: The grammar.
        conditional: Whether only the distribution of trees given strings is to be kept.
        scale: ``paper``, ``least`` or a number; implies ``conditional``.
        mean_length: The mean length that strings are to have; implies ``conditional``.

    Raises:
        FormatError: If the grammar cannot be read.
        OptionError: If the options exclude each other, or there is no such scale.
        DivergenceError: If a sum is infinite; the message names the cycle.
        EvidenceError: If the grammar has no tree.
        LimitError: If the sums are not known well enough for the result to be right.
    """
    if scale is not None and mean_length is not None:
        raise OptionError("--scale and --mean-length exclude each other; choose one")
    rules = load_grammar(path)
    if mean_length is not None:
        return normalise_to_length(rules, mean_length)
    if scale is not None or conditional:
        return normalise_conditional(rules, _scale(scale or Scale.LEAST.value))
    return normalise(rules)


def normalised_json(found: Normalised) -> dict[str, Any]:
    """Return what was done to a grammar, for programs."""
    rate = found.log_rate
    return {
        "conversion": {
            "scale": exp_for_json(found.log_scale),
            "log_scale": found.log_scale,
            "growth_rate": None if rate is None else exp_for_json(rate),
            "raised": found.raised or None,
            "error": found.error,
        }
    }


def sample_grammar(
    path: StrPath, count: int = 1, seed: int = 0, limit: int = MOST_NODES
) -> Iterator[Tree]:
    """Draw random trees of a grammar.

    Raises:
        FormatError: If the grammar cannot be read.
        DivergenceError: If the sum over all trees is infinite.
        EvidenceError: If the grammar has no tree.
        LimitError: If a tree grows beyond the limit.
    """
    return sample_trees(load_grammar(path), np.random.default_rng(seed), count, limit=limit)


def format_tree(tree: Tree) -> str:
    """Return a tree in brackets.

    Raises:
        FormatError: If it cannot be written so, because of a label or a word.
    """
    try:
        return write_brackets(tree)
    except ValueError as error:
        raise FormatError(f"{error}; rename the symbol in the grammar") from None


def exp_for_json(value: float) -> Number:
    """Return the number of which a logarithm is given; text where it is out of range.

    >>> exp_for_json(-math.inf), exp_for_json(math.inf), exp_for_json(1000.0)
    (0.0, 'inf', '1.9700711140170470E+434')
    """
    if value == math.inf:
        return "inf"
    return math.exp(value) if abs(value) < 690 or value == -math.inf else format_weight(value)


def log_for_json(value: float) -> Number:
    """Return a number for JSON: infinities as text.

    >>> log_for_json(-1.5), log_for_json(math.inf), log_for_json(-math.inf)
    (-1.5, 'inf', '-inf')
    """
    return value if math.isfinite(value) else str(value)


def _finite(question: Callable[[], float]) -> float | None:
    try:
        return float(question())
    except (DivergenceError, LimitError):
        return None


def _scale(text: str) -> Scale | float:
    names = [each.value for each in Scale]
    if text in names:
        return Scale(text)
    try:
        return float(text)
    except ValueError:
        raise OptionError(f"{text!r} is no scale; give {', '.join(names)} or a number") from None
