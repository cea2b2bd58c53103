"""Analyses of all sentences of a feature grammar, drawn for criteria that compare with them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from weft.arrays import FloatArray
from weft.commands.files.inputs import StrPath, open_model
from weft.conversions.covering import bound_partition
from weft.corpora.parses.sets import parse_set_line, read_parse_sets
from weft.errors import FormatError, LimitError, NotDefined, OptionError
from weft.features.compile import compile_parses
from weft.files import name_of, write_text
from weft.inference.metropolis import effective_size
from weft.models.selection.selector import Selector
from weft.structures.parse_set import Packed, ParseSet
from weft.structures.tree import Tree
from weft.unification.grammar import FeatureGrammar
from weft.unification.notations import read_feature_grammar
from weft.unification.propose import covering, propose, rule_counts, universe


@dataclass(frozen=True, slots=True)
class Drawn:
    """What was drawn.

    Attributes:
        tried: How many trials there were.
        analyses: How many of them came to an analysis.
        distinct: How many different ones these are.
        deep: How many trials got too deep.
        effective: How many independent draws they are worth, by the model or else if all analyses
            weigh the same.
        bound: An upper bound of the log of the sum over all analyses, by the model; inf where
            none is known; None without a model, or where properties look at whole trees.
    """

    tried: int
    analyses: int
    distinct: int
    deep: int
    effective: float
    bound: float | None = None

    def as_json(self) -> dict[str, Any]:
        """Return it for programs; a bound that is not finite is null."""
        return {**asdict(self), "bound": None if self.bound == math.inf else self.bound}


def propose_universe(
    grammar: StrPath,
    output: StrPath,
    trials: int,
    *,
    like: StrPath | None = None,
    model: StrPath | None = None,
    smoothing: float = 0.5,
    depth: int = 40,
    seed: int = 0,
    encoding: str = "utf-8",
) -> Drawn:
    """Draw analyses of a feature grammar, and write them as one parse set.

    Args:
        grammar: The grammar, in a file ``.fcfg``.
        output: The file to write.
        trials: How many trials there are.
        like: Parse sets whose right analyses say how often rules are used; an earlier universe
            says it by its analyses' weights.
        model: A selector that weighs the analyses of ``like`` where none is said to be right, so
            that what is drawn is as close as it can be to what it holds for likely.
        smoothing: What is added to the count of every rule.
        depth: How many categories may lie above a word.
        seed: Of the draws.
        encoding: How the grammar's characters are written.

    Raises:
        FormatError: If a file cannot be read or written.
        OptionError: If a number is out of range, nothing is drawn, or options do not go together.
        NotDefined: If the grammar is open.
    """
    if model is not None and like is None:
        raise OptionError(
            "a model weighs the analyses of --like, and there are none: give parse sets, such as "
            "the universe that it was trained with"
        )
    selector = None if model is None else open_model(model)
    if selector is not None and not isinstance(selector, Selector):
        raise OptionError(f"{model}: only a model for parse sets weighs analyses")
    rules = read_feature_grammar(grammar, encoding=encoding)
    if rules.is_open:
        message = "analyses are drawn only where rules name all categories; X may be of any"
        raise NotDefined(f"{name_of(grammar)}: {message}")
    counts = None if like is None else count_rules(like, selector)
    if counts is not None and not any(rule.name in counts for rule in rules.rules):
        raise OptionError(
            f"{like}: its analyses have no rule of the grammar {grammar}; give parse sets that "
            "'weft unify export' wrote with it"
        )
    rng = np.random.default_rng(seed)
    found = propose(rules, covering(rules, counts, smoothing), trials, rng, depth)
    drawn = universe(found)
    with write_text(output) as stream:
        stream.write(parse_set_line(drawn) + "\n")
    return Drawn(
        trials,
        len(found.trees),
        len(set(map(str, found.trees))),
        found.deep,
        effective_size(_weights(drawn, selector)),
        None if selector is None else _bound(rules, selector),
    )


def _bound(rules: FeatureGrammar, selector: Selector) -> float | None:
    local = all(each.of_node is not None for each in selector.model.selection.properties)
    try:
        return bound_partition(rules, selector.model, selector.weights) if local else None
    except LimitError:
        return None


def count_rules(path: StrPath, selector: Selector | None = None) -> dict[str, float]:
    """Return how often rules are used in the analyses of a file, by their names.

    Raises:
        FormatError: If it cannot be read, or a forest has no right analysis.
    """
    totals: defaultdict[str, float] = defaultdict(float)
    for parse_set in read_parse_sets(path):
        for name, amount in _counts_of(parse_set, selector):
            totals[name] += amount
    return dict(totals)


def _counts_of(parse_set: ParseSet, selector: Selector | None) -> Iterator[tuple[str, float]]:
    analyses, right = parse_set.analyses, parse_set.right
    if isinstance(analyses, Packed):
        if right is None:
            raise FormatError(
                "a forest of which no analysis is said to be right does not say how often rules "
                "are used: say which edges are right",
                path=parse_set.source,
            )
        for edge in right:
            yield analyses.edges[edge].rule, parse_set.weight
        return
    if right is None:
        weights = _weights(parse_set, selector)
        shares = np.exp(weights - weights.max())
        shares *= len(shares) / shares.sum()
    else:
        shares = np.zeros(len(analyses))
        shares[list(right)] = 1.0 / len(right)
    trees: list[tuple[Tree, float]] = [
        (each.tree, parse_set.weight * share)
        for each, share in zip(analyses, shares.tolist(), strict=True)
        if each.tree is not None and share
    ]
    yield from rule_counts(trees).items()


def _weights(parse_set: ParseSet, selector: Selector | None) -> FloatArray:
    """[analyses]: the logs of their weights."""
    if selector is None:
        tokens = compile_parses(parse_set, ()).tokens
        return tokens.base
    tokens = selector.model.selection.compiler()(parse_set).tokens
    return selector.model.analyses([tokens]).scores(selector.weights, 1)
