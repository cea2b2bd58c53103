"""What a tagger's choices are worth beside chance, and beside its own doubts.

A token may have some tags and not others: those that a dictionary allows its word, or all. Of them

    random     Σ_i |gold_i ∩ allowed_i| / |allowed_i|      is what choosing blindly gets right
    expected   Σ_i p(gold_i | sentence)                    is what drawing from the posterior does

Both are divided by the number of tokens. A token whose gold tag is not allowed can never be right,
and is counted.

Reference: Smith and Eisner (2005), "Contrastive Estimation", section 5.1 and table 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from weft.arrays import BoolArray, FloatArray, dot
from weft.structures.evidence import Label


@dataclass(frozen=True, slots=True)
class ChoiceScores:
    """Accuracies by chance and in expectation; None where there are no tokens.

    Attributes:
        tags_per_token: How many tags a token may have on average.
        random_accuracy: Expected of choosing uniformly among the tags that a token may have.
        expected_accuracy: Expected of drawing tags from the posterior.
        ambiguous_random_accuracy: The same as the random one, over ambiguous tokens.
        ambiguous_expected_accuracy: The same as the expected one, over ambiguous tokens.
        excluded_tokens: The tokens none of whose gold tags is allowed.
        unknown_tag_tokens: Those of them none of whose gold tags the model has at all.
    """

    tags_per_token: float | None
    random_accuracy: float | None
    expected_accuracy: float | None
    ambiguous_random_accuracy: float | None
    ambiguous_expected_accuracy: float | None
    excluded_tokens: int
    unknown_tag_tokens: int


@dataclass(frozen=True, slots=True)
class TokenBatch:
    """The tokens of one batch.

    Attributes:
        gold: [tokens], a label each.
        allowed: [tokens, tags], whether a token may have a tag.
        probs: [tokens, tags], the posterior probabilities.
        ambiguous: [tokens], whether a token is ambiguous.
    """

    gold: Sequence[Label]
    allowed: BoolArray
    probs: FloatArray
    ambiguous: BoolArray


def choice_scores(batches: Iterable[TokenBatch], tags: Sequence[str]) -> ChoiceScores:
    """Add up what chance and the posterior get right.

    Args:
        batches: Tokens, in any division.
        tags: The names of the tags.

    >>> some = TokenBatch(["A", "B"], np.ones((2, 2), bool), np.full((2, 2), 0.5), np.ones(2, bool))
    >>> choice_scores([some], ["A", "B"]).random_accuracy
    0.5
    """
    numbers = {tag: number for number, tag in enumerate(tags)}
    totals = sum((_totals(batch, numbers) for batch in batches), np.zeros((2, 6)))
    (tokens, allowed, random, expected, excluded, unknown), hard = totals.tolist()

    def share(total: float, of: float) -> float | None:
        return total / of if of else None

    return ChoiceScores(
        tags_per_token=share(allowed, tokens),
        random_accuracy=share(random, tokens),
        expected_accuracy=share(expected, tokens),
        ambiguous_random_accuracy=share(hard[2], hard[0]),
        ambiguous_expected_accuracy=share(hard[3], hard[0]),
        excluded_tokens=int(excluded),
        unknown_tag_tokens=int(unknown),
    )


def _totals(batch: TokenBatch, numbers: Mapping[str, int]) -> FloatArray:
    """[all or ambiguous, 6]: tokens, allowed tags, chance, draws, excluded, of unknown tags."""
    right = np.zeros(batch.allowed.shape, np.bool_)
    for token, label in enumerate(batch.gold):
        names = [label] if isinstance(label, str) else label or ()
        right[token, [numbers[name] for name in names if name in numbers]] = True
    labelled = np.array([label is not None for label in batch.gold], np.bool_)
    sizes = batch.allowed.sum(axis=1)
    chance = (right & batch.allowed).sum(axis=1) / np.maximum(sizes, 1)
    drawn = np.where(right, batch.probs, 0.0).sum(axis=1)
    unknown = ~right.any(axis=1)
    columns = np.stack([np.ones(len(sizes)), sizes, chance, drawn, chance == 0.0, unknown])
    counted = [labelled, labelled & batch.ambiguous]
    return np.array([[dot(each.astype(np.float64), row) for row in columns] for each in counted])
