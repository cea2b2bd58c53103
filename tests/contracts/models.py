"""The table that laws are checked on (see ``laws.py``): subjects, criteria, and what they list.

A subject is a small instance of a model (:mod:`weft.models.instances`); a *listing* is all its
derivations of one sentence, written out by plain loops, with which of them were observed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from charts import all_trees
from oracles import all_derivations, log_sum
from parse_sets import matrix
from stack_models import edges_of_moves, list_parses, move_scores
from weft.criteria import CRITERIA, Criterion, Total, Unit, margin, softmax_margin
from weft.evaluate.tagging import is_right
from weft.grammars.transforms import moves_of, tree_of
from weft.models.grammar.phrases import phrases_of
from weft.models.instances import Instance, instances
from weft.models.model import Outcome
from weft.models.tagger import Tagger
from weft.models.tree_parser import TreeParser
from weft.structures.alternatives import Selected
from weft.structures.constituents import Span
from weft.structures.derivation import preorder
from weft.structures.evidence import Evidence, Example, Sentence
from weft.structures.tree import Tree

EVERY = {**CRITERIA, **{each.name: each for each in (margin(0.3), softmax_margin(2.5))}}

SMOOTH = {name: each for name, each in EVERY.items() if each.unit is not Unit.CHOICE}


@dataclass(frozen=True)
class Subject:
    """What the laws are about: an instance, and what they compare it with.

    Attributes:
        instance: The instance.
        listing: From its model, an example and θ to all derivations, by plain loops.
        answer_parts: The parts of an answer, as often as it has them.
        reason: Why a criterion does not exist for it, in words of its message. This and what
            follows is by default as of models that are written out as hypergraphs.
        flat: Why a criterion that exists has no gradient.
        places: Where the parts of a derivation stand among marginals.
        part_probs: From what the model with its weights gives to parts with their probabilities.
        example: From a sentence and an answer to an example; None where it would say more.
        low: What is added to weights, so that sums over all sentences converge.
    """

    instance: Instance
    listing: Callable[[Any, Any, np.ndarray], Listing]
    answer_parts: Callable[[Any], list[Any]]
    reason: Callable[[Criterion], str | None] = lambda c: (
        "look at the words of a sentence together" if c.denominator.any_word else None
    )
    flat: Callable[[Criterion], str | None] = lambda c: (
        "a step function" if c.unit is Unit.CHOICE else None
    )
    places: Callable[[Any], list[Any]] = lambda derivation: list(preorder(derivation))
    part_probs: Callable[[Any, Any], dict[Any, float]] = lambda _, found: found
    example: Callable[[Any, Any], Any] = Example
    low: float = -2.0

    def __getattr__(self, name: str) -> Any:
        return getattr(object.__getattribute__(self, "instance"), name)

    def trained(self, theta: np.ndarray) -> Any:
        """The model with weights."""
        return self.spec.trained(self.model, Outcome(theta))


def weights_of(family: Subject, rng: np.random.Generator) -> np.ndarray:
    """Random weights, low enough that sums over all sentences converge."""
    return 0.4 * rng.normal(size=family.model.parameters.size) + family.low


def _reason(family: Instance, criterion: Criterion) -> str | None:
    """Why a cell does not exist, in words of its message; the whole list of them."""
    varies = criterion.denominator.name not in ("complete", "input")
    any_word = criterion.denominator.any_word
    if family.kind == "selection" and varies:
        return "chooses among the analyses of a sentence"
    if family.name in ("selection, listed", "selection, mixed") and criterion.unit is Unit.TOKEN:
        return "a listed analysis is a bag of features"
    if family.name.startswith("chain normalised by steps") and varies:
        return "normalised given the sentence has no distribution over sentences"
    if family.name.startswith("tables johnson-5") and varies:
        return "johnson-5 has no distribution over words"
    if family.name.startswith("free chain") and "single" not in family.name and any_word:
        return r"word\[-1\] looks at other words"
    if family.kind == "stack" and family.name != "shift-reduce, joint" and varies:
        return "has no distribution over sentences"
    if family.name in ("grammar, phrases", "grammar, all") and any_word:
        return "features of phrases look at the words"
    return None


def _flat(family: Instance, criterion: Criterion) -> str | None:
    """Why a cell that exists has no gradient."""
    if criterion.unit is Unit.CHOICE:
        return "a step function"
    return "counted, not climbed to" if family.spec.counted else None


@dataclass
class Listing:
    """All derivations of a sentence.

    Attributes:
        scores: [derivations].
        observed: [derivations], whether each agrees with what was observed.
        wrong: [derivations], how many of its parts no observed derivation has.
        units: [units, derivations], whether each has an observed part.
    """

    scores: np.ndarray
    observed: np.ndarray
    wrong: np.ndarray
    units: np.ndarray


def of_tags(model, example, theta) -> Listing:
    every = list(product(model.tags, repeat=len(example.tokens)))
    members = model.derivations([Evidence(example.tokens, tags) for tags in every])
    labels = example.analysis or (None,) * len(example.tokens)
    right = np.array(
        [
            [
                label is None or tag in ({label} if isinstance(label, str) else label)
                for tag, label in zip(tags, labels, strict=True)
            ]
            for tags in every
        ]
    )
    scores = members.log_partition(theta)
    return Listing(scores, right.all(axis=1), (~right).sum(axis=1), right.T)


def listing_of(example, every: list[tuple[Any, list[Any], float]]) -> Listing:
    """All labellings of a sentence: the labels, parts and score of each."""
    known = example.analysis or (None,) * len(example.tokens)
    observed = np.array(
        [
            all(is_right(*each) is not False for each in zip(known, one[0], strict=True))
            for one in every
        ]
    )
    right = {part for one, seen in zip(every, observed, strict=True) if seen for part in one[1]}
    units = [] if example.analysis is None else sorted(right)
    has = np.array([[unit in parts for _, parts, _ in every] for unit in units], np.bool_)
    wrong = np.array([sum(part not in right for part in parts) for _, parts, _ in every])
    scores = np.array([score for *_, score in every])
    return Listing(scores, observed, wrong, has.reshape(len(units), len(every)))


def spans(tree: Tree, start: int = 0) -> tuple[list[tuple[str, int, int]], int]:
    """The labels over spans of a tree, and where it ends."""
    found, end = [], start
    for child in tree.children:
        if isinstance(child, str):
            end += 1
        else:
            below, end = spans(child, end)
            found += below
    return [(tree.label, start, end), *found], end


def of_trees(model, example, theta) -> Listing:
    words = example.tokens.words
    terminals = model.terminals(words)
    every = sorted({t for t, _ in all_trees(model.grammar, terminals, 3 * len(words) + 3)}, key=str)
    restored = [model.restored(tree, words) for tree in every]
    scores = model.trees([Evidence(example.tokens, parse=t) for t in restored]).log_partition(theta)
    nodes = [spans(tree)[0] for tree in every]
    known = example.parse
    if isinstance(known, Tree):
        observed = np.array([tree == known for tree in restored])
        mine = nodes[int(np.argmax(observed))]
        wanted = [node for node in dict.fromkeys(mine) if not node[0].startswith("@")]
    else:
        wanted = [] if known is None else [(s.label, s.start, s.end) for s in known.spans]
    units = np.array(
        [
            [any(node[1:] == span and label in (None, node[0]) for node in each) for each in nodes]
            for label, span in ((node[0], node[1:]) for node in wanted)
        ]
    ).reshape(len(wanted), len(every))
    if not isinstance(known, Tree):
        observed = units.all(axis=0)
    right = {node for each, seen in zip(nodes, observed, strict=True) if seen for node in each}
    wrong = [sum(n not in right and not n[0].startswith("@") for n in each) for each in nodes]
    return Listing(scores, observed, np.array(wrong), units)


def of_parses(model, example, theta) -> Listing:
    """All parses of a sentence by plain loops, their edges being their parts."""
    words, every = example.tokens.words, []
    scorer = move_scores(model, words, theta)
    for moves, score in list_parses(words, scorer):
        every.append((tree_of(moves), edges_of_moves(moves), score))
    known = example.parse
    nodes = [spans(tree)[0] for tree, _, _ in every]
    if isinstance(known, Tree):
        wanted = model.moves(known)
        observed = np.array([moves_of(tree) == wanted for tree, _, _ in every])
    else:
        asked = [] if known is None else known.spans
        observed = np.array(
            [
                all(
                    any((i, j) == s[:2] and s.label in (None, label) for label, i, j in mine)
                    for s in asked
                )
                for mine in nodes
            ]
        )
    right = {part for one, seen in zip(every, observed, strict=True) if seen for part in one[1]}
    units = [] if known is None else sorted(right)
    has = np.array([[unit in parts for _, parts, _ in every] for unit in units], np.bool_)
    wrong = np.array([sum(part not in right for part in parts) for _, parts, _ in every])
    scores = np.array([score for *_, score in every])
    return Listing(scores, observed, wrong, has.reshape(len(units), len(every)))


def of_analyses(model, example, theta) -> Listing:
    tokens = example.tokens
    rows = tokens.base + matrix(model, tokens) @ theta
    known = set(range(len(rows)) if example.analysis is None else example.analysis)
    every = [(n,) for n in range(len(rows))]
    if tokens.forest is not None:
        every = all_derivations(tokens.forest)
    scores = np.array([rows[list(each)].sum() for each in every])
    observed = np.array([known.issuperset(each) for each in every])
    right = {edge for each, seen in zip(every, observed, strict=True) if seen for edge in each}
    wrong = np.array([sum(edge not in right for edge in each) for each in every])
    units = [] if example.analysis is None else sorted(right)
    has = np.array([[unit in each for each in every] for unit in units])
    return Listing(scores, observed, wrong, has.reshape(len(units), len(every)))


LISTINGS = {
    "chain": of_tags,
    "tables": of_tags,
    "grammar": of_trees,
    "stack": of_parses,
    "selection": of_analyses,
}


def _answer_parts(kind: str, answer) -> list[Any]:
    if kind in ("grammar", "stack"):
        return [Span(start, end, label) for label, start, end in phrases_of(answer)]
    if kind == "selection":
        return [answer] if isinstance(answer, int) else list(answer)
    return list(enumerate(answer))


def _places(family: Instance, derivation) -> list[Any]:
    if family.kind in ("chain", "tables"):
        return list(enumerate(derivation.tolist()))
    if family.kind == "grammar":
        nodes, length = spans(derivation)
        order = [(i, j) for i in range(length) for j in range(i + 1, length + 1)]
        labels = family.model.labels
        return [(order.index((i, j)), labels[label]) for label, i, j in nodes if i < j]
    return [derivation] if isinstance(derivation, int) else list(preorder(derivation))


def _part_probs(trained, found) -> dict[Any, float]:
    if isinstance(trained, Tagger):
        np.testing.assert_allclose(found.sum(axis=1), 1.0, atol=1e-9)
        tags = trained.model.tags
        return {
            (j, tag): p for j, row in enumerate(found) for tag, p in zip(tags, row, strict=True)
        }
    return found if isinstance(trained, TreeParser) else dict(enumerate(found.tolist()))


def _example(kind: str, tokens, answer):
    if kind in ("grammar", "stack"):
        return Example(tokens, parse=answer)
    if kind != "selection":
        return Example(tokens, answer)
    # The edges of one derivation may make another.
    return Selected(tokens, (answer,)) if tokens.forest is None else None


def subject_of(family: Instance) -> Subject:
    """One of Weft's own instances."""
    return Subject(
        family,
        LISTINGS[family.kind],
        partial(_answer_parts, family.kind),
        partial(_reason, family),
        partial(_flat, family),
        partial(_places, family),
        _part_probs,
        partial(_example, family.kind),
        0.0 if family.kind == "selection" else -2.0,
    )


FAMILIES = {name: subject_of(each) for name, each in instances().items()}


def by_definition(criterion: Criterion, these: Listing, ties: bool) -> float:
    """What an example is worth, from the list of all derivations."""
    if criterion.unit is Unit.CHOICE:
        best = these.scores >= these.scores.max() - 1e-9  # equals may differ in their last digits
        return float(these.observed[best].mean() if ties else these.observed[np.argmax(best)])
    if criterion.unit is Unit.TOKEN:
        total = log_sum(these.scores)
        t = np.array([log_sum(these.scores[has]) - total for has in these.units])
        return float(criterion.link.value(t).sum()) if len(t) else 0.0
    inside = these.scores[these.observed]
    everywhere = these.scores + criterion.cost * these.wrong
    above = max(inside) if criterion.totals[0] is Total.BEST else log_sum(inside)
    if criterion.totals[1] is Total.BEST:
        return above - max(everywhere)
    if criterion.totals[1] is Total.RIVAL:
        outside = these.scores[~these.observed]
        return above - np.logaddexp(above, max(outside, default=-np.inf))
    return above - log_sum(everywhere)


def neighbours_of(name: str, words: tuple[str, ...], corpus) -> set[tuple[str, ...]] | None:
    """The neighbours of a sentence by their definition; None where they are too many to list."""
    m = len(words)
    deleted = {words[:i] + words[i + 1 :] for i in range(m)}
    exchanged = {(*words[:i], words[i + 1], words[i], *words[i + 2 :]) for i in range(m - 1)}
    named = {
        "del1word": deleted,
        "trans1": exchanged,
        "delortrans1": deleted | exchanged,
        "del1subseq": {words[:i] + words[j:] for i in range(m) for j in range(i + 1, m + 1)},
        "corpus": {each.tokens.words for each in corpus},
    }
    return (named[name] | {words}) - {()} if name in named else None


def among_neighbours(family: Subject, criterion: Criterion, corpus, theta) -> list[float] | None:
    """What examples are worth among strings that are summed over one by one."""
    name = criterion.denominator.name.removeprefix("neighbours by ")
    values = []
    for each in corpus:
        strings = neighbours_of(name, each.tokens.words, corpus)
        if strings is None:
            return None
        around = [Evidence(Sentence((words,))) for words in sorted(strings)]
        labelled = criterion.numerator.name == "complete"
        members = family.model.derivations([each.evidence(labelled), *around])
        found = members.log_partition(theta)
        values.append(float(found[0] - np.logaddexp.reduce(found[1:])))
    return values
