"""What counts of a tree when its brackets are compared; see :mod:`weft.evaluate.brackets`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from weft.arrays import IntArray
from weft.errors import FormatError
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


def bracketing(tree: Tree, rules: Ready, counting: Sequence[bool] | None = None) -> Bracketing:
    """Read off a tree what counts of it.

    Args:
        tree: The tree.
        rules: What counts.
        counting: Which of its words count; by default those whose tags are not deleted.

    >>> noun_phrase = Tree("NP-1", (Tree("NN", ("time",)), Tree(",", (",",))))
    >>> rules = ready(BracketParameters(deleted=frozenset({","})))
    >>> found = bracketing(noun_phrase, rules)
    >>> found.words, found.brackets
    (['time'], [(0, 1, 'NP')])
    >>> bracketing(noun_phrase, rules, [True, True]).brackets
    [(0, 2, 'NP')]
    """
    read = _leaves(tree, rules)
    if counting is None:
        counting = [tag not in rules.parameters.deleted for _, tag in read]
    words = [word for (word, _), counts in zip(read, counting, strict=True) if counts]
    tags = [
        rules.labels.get(tag, tag)
        for (_, tag), counts in zip(read, counting, strict=True)
        if counts
    ]
    length = sum(tag not in rules.parameters.deleted_for_length for _, tag in read)
    return Bracketing(words, tags, _brackets(tree, rules, counting), length)


def align(gold: Tree, predicted: Tree, rules: Ready, source: str) -> tuple[Bracketing, Bracketing]:
    """Read off two trees of a sentence what counts, the gold tags deciding which words do.

    A tree may lack the traces of the other, or all words that do not count by the tags of both.

    Raises:
        FormatError: If the trees have different words.

    >>> gold, predicted = Tree("S", (Tree(",", ("-",)),)), Tree("S", (Tree("NN", ("-",)),))
    >>> rules = ready(BracketParameters(deleted=frozenset({","})))
    >>> [each.words for each in align(gold, predicted, rules, "1")]
    [[], []]
    """
    parameters = rules.parameters
    right, guess = _leaves(gold, rules), _leaves(predicted, rules)
    for absent in (frozenset[str](), parameters.deleted_for_length, parameters.deleted):
        present = [(word, tag) for word, tag in right if tag not in absent]
        if [word for word, _ in present] == [word for word, tag in guess if tag not in absent]:
            decided = iter([tag not in parameters.deleted for _, tag in present])
            counting = [tag not in absent and next(decided) for _, tag in guess]
            return bracketing(gold, rules), bracketing(predicted, rules, counting)
    absent = parameters.deleted_for_length
    heard = [[word for word, tag in words if tag not in absent] for words in (right, guess)]
    message = f"{_difference(*heard)}; compare trees of the same sentences, in the same order"
    raise FormatError(message, path=source)


def _leaves(tree: Tree, rules: Ready) -> list[tuple[str, str]]:
    """The words, with what stands for those that are the same, and their tags, if any."""
    found: list[tuple[str, str]] = []
    waiting: list[Tree | str] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            found.append((rules.words.get(node, node), ""))
        elif len(node.children) == 1 and isinstance(word := node.children[0], str):
            found.append((rules.words.get(word, word), node.label))
        else:
            waiting.extend(reversed(node.children))
    return found


def _brackets(tree: Tree, rules: Ready, counting: Sequence[bool]) -> list[tuple[int, int, str]]:
    """The brackets over words that count, the innermost first."""
    brackets: list[tuple[int, int, str]] = []
    starts: list[int] = []
    decided = iter(counting)
    end = 0

    def leaf(word: str) -> str:
        nonlocal end
        end += next(decided)
        return word

    def make(node: Tree, _: object) -> str:
        start = starts.pop()
        if start < end and not is_preterminal(node):
            category = _category(node.label) if rules.parameters.cut else node.label
            label = rules.labels.get(category, category)
            if label not in rules.deleted:
                brackets.append((start, end, label))
        return ""

    rebuilt(tree, make, leaf, lambda _: starts.append(end))
    return brackets


def _difference(gold: list[str], predicted: list[str]) -> str:
    """What is different about the words of two trees."""
    for place, (one, other) in enumerate(zip(gold, predicted, strict=False), 1):
        if one != other:
            return f"the gold word {place} is {one!r} but the predicted one {other!r}"
    return f"the gold tree has {len(gold):,} words but the predicted one {len(predicted):,}"


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
