"""What counts of a tree when its brackets are compared; see :mod:`weft.evaluate.brackets`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from weft.arrays import IntArray
from weft.evaluate.bracket_parameters import BracketParameters, same_as
from weft.grammars.transforms.rebuild import rebuilt
from weft.structures.tree import Tree, is_preterminal

_CATEGORY = re.compile(r"[^-=]+")


@dataclass(frozen=True, slots=True)
class Bracketing:
    """What counts of a tree.

    Attributes:
        words: The words, with what stands for those that are the same.
        tags: Their tags; empty where a word has none of its own.
        brackets: The start, the end and the label of each bracket.
        length: How many words there are, but for those that do not count for the length.
    """

    words: list[str]
    tags: list[str]
    brackets: list[tuple[int, int, str]]
    length: int


@dataclass(frozen=True, slots=True)
class Ready:
    """The parameters, with what stands for labels and words that are the same."""

    parameters: BracketParameters
    labels: Mapping[str, str]
    words: Mapping[str, str]
    deleted: frozenset[str]


def ready(parameters: BracketParameters) -> Ready:
    """Prepare parameters for many trees."""
    labels = same_as(parameters.equal_labels)
    deleted = frozenset(labels.get(label, label) for label in parameters.deleted)
    return Ready(parameters, labels, same_as(parameters.equal_words), deleted)


def bracketing(tree: Tree, rules: Ready) -> Bracketing:
    """Read off a tree what counts of it.

    >>> noun_phrase = Tree("NP-1", (Tree("NN", ("time",)), Tree(",", (",",))))
    >>> found = bracketing(noun_phrase, ready(BracketParameters(deleted=frozenset({","}))))
    >>> found.words, found.brackets
    (['time'], [(0, 1, 'NP')])
    """
    words: list[str] = []
    tags: list[str] = []
    brackets: list[tuple[int, int, str]] = []
    above: list[tuple[Tree, int]] = []
    length = 0

    def leaf(word: str) -> str:
        nonlocal length
        node, _ = above[-1]
        tag = node.label if is_preterminal(node) else ""
        if tag not in rules.parameters.deleted_for_length:
            length += 1
        if tag not in rules.parameters.deleted:
            words.append(rules.words.get(word, word))
            tags.append(rules.labels.get(tag, tag))
        return word

    def make(node: Tree, _: object) -> str:
        _, start = above.pop()
        if start < len(words) and not is_preterminal(node):
            category = _category(node.label)
            label = rules.labels.get(category, category)
            if label not in rules.deleted:
                brackets.append((start, len(words), label))
        return ""

    rebuilt(tree, make, leaf, lambda node: above.append((node, len(words))))
    return Bracketing(words, tags, brackets, length)


def common(gold: Iterable[tuple[object, ...]], predicted: Iterable[tuple[object, ...]]) -> int:
    """Count what two lists have in common, each as often as both have it.

    >>> common([(1,), (1,), (2,)], [(1,), (1,), (1,)])
    2
    """
    return (Counter(gold) & Counter(predicted)).total()


def crossing(gold: Bracketing, predicted: Bracketing) -> int:
    """Count the predicted brackets within which a longer gold one begins, or ends."""
    size = len(gold.words) + 1
    last_end: IntArray = np.zeros(size, np.int64)
    first_start: IntArray = np.full(size, size, np.int64)
    spans = {(start, end) for start, end, _ in gold.brackets}
    for start, end in spans:
        last_end[start] = max(last_end[start], end)
        first_start[end] = min(first_start[end], start)
    crosses = {
        (start, end): bool(
            (last_end[start + 1 : end] > end).any() or (first_start[start + 1 : end] < start).any()
        )
        for start, end, _ in predicted.brackets
        if (start, end) not in spans
    }
    return sum(crosses.get((start, end), False) for start, end, _ in predicted.brackets)


def _category(label: str) -> str:
    match = _CATEGORY.match(label)
    return match[0] if match else label
