"""Analyses of all sentences of a unification grammar, drawn for criteria that compare with them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from weft.arrays import FloatArray
from weft.commands.files.inputs import StrPath, open_model
from weft.conversions.covering import bound_partition
from weft.conversions.covering_lfg import bound_lfg_partition
from weft.corpora.parses.drawn import drawn_set
from weft.corpora.parses.sets import parse_set_line, read_parse_sets
from weft.errors import FormatError, LimitError, NotDefined, OptionError
from weft.features.compile import compile_parses, expand_packed
from weft.features.functional import Functions
from weft.files import name_of, write_text
from weft.inference import inside_outside
from weft.inference.metropolis import effective_size, walk
from weft.lfg.covering import build_covering
from weft.lfg.language import Lfg
from weft.lfg.parser import load_lfg
from weft.lfg.propose import propose_lfg
from weft.lfg.tokens import analyse
from weft.lfg.vocabulary import build_vocabulary
from weft.models.selection.selector import Selector
from weft.models.selection.spec import Selection
from weft.reprs import Brief
from weft.structures.alternatives import Alternatives
from weft.structures.parse_set import Candidate, Packed, ParseSet
from weft.structures.tree import Tree
from weft.unification.fcfg import decoded_lines
from weft.unification.notations import read_feature_grammar
from weft.unification.propose import covering, propose, rule_counts, universe
from weft.unify import is_lfg


@dataclass(frozen=True, slots=True, repr=False)
class Drawn(Brief):
    """What was drawn.

    Attributes:
        tried: How many trials there were.
        analyses: How many of them came to an analysis.
        distinct: How many different ones these are.
        deep: How many trials got too deep, or too large.
        effective: How many independent draws they are worth, by the model or else if all analyses
            weigh the same.
        accepted: The share of draws that an independence Metropolis walk over them accepts.
        bound: An upper bound of the log of the sum over all analyses, by the model; inf where
            none is known; None without a model, or where there cannot be one.
        unbounded: Why there cannot be one; empty where there is no model.
    """

    tried: int
    analyses: int
    distinct: int
    deep: int
    effective: float
    accepted: float
    bound: float | None = None
    unbounded: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return it for programs; a bound that is not finite is null."""
        return {**asdict(self), "bound": None if self.bound == math.inf else self.bound}


@dataclass(frozen=True, slots=True, repr=False)
class Draws(Brief):
    """How analyses are drawn.

    Attributes:
        trials: How many trials there are.
        smoothing: What is added to the count of every rule.
        depth: How many categories may lie above a word.
        seed: Of the draws.
    """

    trials: int
    smoothing: float = 0.5
    depth: int = 40
    seed: int = 0


@dataclass(frozen=True, slots=True)
class _Universe:
    """A universe, how many different analyses it has, what got too deep, and its bound."""

    parse_set: ParseSet
    distinct: int
    deep: int
    bound: Callable[[Selector], float]


def propose_universe(
    grammar: StrPath,
    output: StrPath,
    draws: Draws,
    *,
    like: StrPath | None = None,
    model: StrPath | None = None,
    words: StrPath | None = None,
    encoding: str = "utf-8",
) -> Drawn:
    """Draw analyses of a unification grammar, and write them as one parse set.

    Args:
        grammar: The grammar, in a file ``.fcfg``, ``.patr``, ``.grm`` or ``.lfg``.
        output: The file to write.
        draws: How they are drawn.
        like: Parse sets whose right analyses say how often rules are used; where none is said to
            be right, all analyses of a forest do, and those of a universe by their weights.
        model: A selector that weighs the analyses of ``like`` where none is said to be right, so
            that what is drawn is as close as it can be to what it holds for likely.
        words: Sentences of a lexical-functional grammar, whose words are drawn and no others; by
            default, all words of its lexicon.
        encoding: How the characters of the grammar are written, or those of ``words``.

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
    if words is not None and not is_lfg(grammar):
        raise OptionError(
            "only the words of a grammar .lfg are chosen: a feature grammar has its words in rules"
        )
    selector = None if model is None else open_model(model)
    if selector is not None and not isinstance(selector, Selector):
        raise OptionError(f"{model}: only a model for parse sets weighs analyses")
    if is_lfg(grammar):
        found = _draw_lfg(grammar, draws, like, words, selector, encoding)
    else:
        found = _draw(grammar, draws, like, selector, encoding)
    with write_text(output) as stream:
        stream.write(parse_set_line(found.parse_set) + "\n")
    weights = _weights(found.parse_set, selector)
    bound, unbounded = (None, "") if selector is None else _bound(found, selector)
    return Drawn(
        draws.trials,
        len(weights),
        found.distinct,
        found.deep,
        effective_size(weights),
        walk(weights, np.random.default_rng(draws.seed)).accepted,
        bound,
        unbounded,
    )


def _draw(
    grammar: StrPath, draws: Draws, like: StrPath | None, selector: Selector | None, encoding: str
) -> _Universe:
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
    rng = np.random.default_rng(draws.seed)
    probs = covering(rules, counts, draws.smoothing)
    found = propose(rules, probs, draws.trials, rng, draws.depth)
    return _Universe(
        universe(found),
        len(set(map(str, found.trees))),
        found.deep,
        lambda selector: bound_partition(rules, selector.model, selector.weights),
    )


def _draw_lfg(
    grammar: StrPath,
    draws: Draws,
    like: StrPath | None,
    words: StrPath | None,
    selector: Selector | None,
    encoding: str,
) -> _Universe:
    if words is None and encoding != "utf-8":
        raise OptionError("--encoding is that of --words; CONFIG says it of the grammar")
    rules = load_lfg(grammar).grammar
    given = None if words is None else list(_list_words(rules, words, encoding))
    vocabulary = build_vocabulary(rules, given)
    trees = () if like is None else list(_weighted_trees(like, selector))
    if like is not None and not trees:
        raise OptionError(
            f"{like}: there is no analysis with a tree; give parse sets that "
            "'weft unify export --list' or 'weft unify marks' wrote"
        )
    cover = build_covering(rules, vocabulary, trees, draws.smoothing)
    rng = np.random.default_rng(draws.seed)
    found = propose_lfg(cover, draws.trials, rng, draws.depth)
    return _Universe(
        drawn_set(found, Functions.of(rules)),
        len(set(found.analyses)),
        found.deep,
        lambda selector: bound_lfg_partition(cover, selector.model, selector.weights),
    )


def _list_words(grammar: Lfg, path: StrPath, encoding: str) -> Iterator[str]:
    """The words of sentences, and headwords of several words that they have."""
    for _, line in decoded_lines(path, encoding):
        lattice = analyse(grammar, line.strip())
        yield from lattice.words
        yield from (arc.text for arc in lattice.arcs if " " in arc.text)


def _bound(found: _Universe, selector: Selector) -> tuple[float | None, str]:
    try:
        return found.bound(selector), ""
    except (OptionError, LimitError) as error:
        return None, str(error)


def count_rules(path: StrPath, selector: Selector | None = None) -> dict[str, float]:
    """Return how often rules are used in the analyses of a file, by their names.

    Raises:
        FormatError: If it cannot be read, or right edges make no analysis.
    """
    totals: defaultdict[str, float] = defaultdict(float)
    for parse_set in read_parse_sets(path):
        for name, amount in _counts_of(parse_set, selector):
            totals[name] += amount
    return dict(totals)


def _weighted_trees(path: StrPath, selector: Selector | None) -> Iterator[tuple[Tree, float]]:
    for parse_set in read_parse_sets(path):
        if isinstance(parse_set.analyses, Packed):
            raise FormatError(
                "rules of a grammar .lfg are counted in analyses that are listed, and these are "
                "packed: give parse sets that 'weft unify export --list' wrote",
                path=parse_set.source,
            )
        yield from _trees_of(parse_set, parse_set.analyses, selector)


def _counts_of(parse_set: ParseSet, selector: Selector | None) -> Iterator[tuple[str, float]]:
    analyses = parse_set.analyses
    if isinstance(analyses, Packed):
        yield from _packed_counts(parse_set, analyses, selector)
    else:
        yield from rule_counts(_trees_of(parse_set, analyses, selector)).items()


def _packed_counts(
    parse_set: ParseSet, packed: Packed, selector: Selector | None
) -> Iterator[tuple[str, float]]:
    """Rules with how often a forest's analyses use them on average: right ones alone, if known."""
    selection = Selection(properties=()) if selector is None else selector.model.selection
    reference = None if selection.reference is None else selection.reference.as_reference()
    tokens, origins = expand_packed(packed, selection.properties, parse_set.source, reference)
    assert tokens.forest is not None  # noqa: S101
    if parse_set.right is None:
        weights = _scores(tokens, selector)
    else:
        wanted = {-1, *parse_set.right}
        weights = np.where([edge in wanted for edge in origins], 0.0, -np.inf)
    log_z, shares = inside_outside(tokens.forest, weights)
    if log_z == -np.inf:
        raise FormatError("the right edges make no whole analysis", path=parse_set.source)
    for edge, share in zip(origins, shares.tolist(), strict=True):
        if edge >= 0 and share:
            yield packed.edges[edge].rule, parse_set.weight * share


def _trees_of(
    parse_set: ParseSet, analyses: Sequence[Candidate], selector: Selector | None
) -> Iterator[tuple[Tree, float]]:
    """The trees of a parse set with how much each counts: right ones alone, where it says so."""
    right = parse_set.right
    if right is None:
        weights = _weights(parse_set, selector)
        shares = np.exp(weights - weights.max())
        shares *= len(shares) / shares.sum()
    else:
        shares = np.zeros(len(analyses))
        shares[list(right)] = 1.0 / len(right)
    for each, share in zip(analyses, shares.tolist(), strict=True):
        if each.tree is not None and share:
            yield each.tree, parse_set.weight * share


def _weights(parse_set: ParseSet, selector: Selector | None) -> FloatArray:
    """[analyses]: the logs of their weights."""
    if selector is None:
        return _scores(compile_parses(parse_set, ()).tokens, selector)
    return _scores(selector.model.selection.compiler()(parse_set).tokens, selector)


def _scores(tokens: Alternatives, selector: Selector | None) -> FloatArray:
    """[rows]: the logs of the weights of analyses, or of the edges of a forest."""
    if selector is None:
        return tokens.base
    return selector.model.analyses([tokens]).scores(selector.weights, 1)
