"""Models of labels as reference distributions over the analyses of a grammar."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from weft.errors import EvidenceError
from weft.features.derived import entity, lexical_type, preterminals_of
from weft.features.reference import Reference, Scored
from weft.structures.evidence import Example, sentence
from weft.structures.tree import Tree

_NEIGHBOURS = (
    "a tagger looks at neighbouring words, which lie in different nodes: its weights are no sum "
    "over nodes"
)


def label_reference(model: Any) -> Reference:
    """Return a model of labels as a reference; see ``Answering.as_reference``."""
    scores = _LabelScores(model)
    return Reference(of_trees=scores.of_trees, why_listed=_NEIGHBOURS)


class _LabelScores:
    def __init__(self, model: Any) -> None:
        self._model = model
        self._labels = frozenset(getattr(model.model, "tags", ()))

    def of_trees(self, trees: Sequence[Tree]) -> list[Scored]:
        """Return the log-weights of the labels of trees; -inf where the model excludes them."""
        examples = [self._example(tree) for tree in trees]
        known = [
            place
            for place, each in enumerate(examples)
            if not self._labels or self._labels.issuperset(each.analysis or ())
        ]
        scores = np.full(len(trees), -np.inf)
        if known:
            scores[known] = self._scores([examples[place] for place in known])
        return [
            Scored(score, 0) if score > -math.inf else Scored(-math.inf, 1)
            for score in scores.tolist()
        ]

    def _scores(self, examples: Sequence[Example]) -> Any:
        try:
            if self._is_joint:
                return self._model.log_sums(examples, 1).complete
            return self._model.log_probs(examples, 1)
        except EvidenceError:  # of one of them; the others are asked alone
            if len(examples) == 1:
                return np.array([-np.inf])
            return np.concatenate([self._scores([each]) for each in examples])

    @cached_property
    def _is_joint(self) -> bool:
        """Whether tokens have probabilities, too: what differs in them then counts."""
        normalisation = getattr(self._model.model, "normalisation", None)
        return str(normalisation) == "joint"

    def _example(self, tree: Tree) -> Example:
        entries = list(preterminals_of(tree))
        words = [" ".join(str(word) for word in each.children) for each in entries]
        return Example(sentence(words), tuple(self._label(each.label) for each in entries))

    def _label(self, label: str) -> str:
        kind = lexical_type(label)
        return kind if kind in self._labels else entity(label)
