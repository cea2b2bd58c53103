"""Choices among the analyses of a grammar as estimators."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from weft.arrays import FloatArray
from weft.criteria import Criterion, Penalty
from weft.errors import EvidenceError, quote
from weft.estimators.base import RecipeEstimator
from weft.estimators.messages import told_in_python
from weft.models.selection.scores import judge
from weft.recipes import Recipe
from weft.structures.parse_set import ParseSet


class ParseSelector(RecipeEstimator):
    """Chooses among the analyses that a grammar gives a sentence.

    ``X`` are parse sets, such as :func:`weft.corpora.parses.sets.read_parse_sets` reads. ``y`` has
    the number of the right analysis per sentence, or several; None where the parse set itself
    says it. Its score is the share of ambiguous sentences with the right choice.

    >>> from weft.corpora.bundled import bundled_parse_sets
    >>> parses = bundled_parse_sets()
    >>> selector = ParseSelector(penalty="relative:7").fit(parses[:80])
    >>> selector.score(parses[80:]) > 0.5
    True

    Args:
        recipe: The name of a recipe of parse selection (``weft recipes``), or a recipe.
        criterion: Which two sums are compared; None for the recipe's own.
        penalty: What large weights cost; by default the recipe chooses its scale.
        optimiser: How weights move, a name or an optimiser.
        settings: Other settings of the recipe by name (``weft recipes parse-selection``), such as
            ``{"properties": "rules dependencies"}``; each is a parameter, too:
            ``settings__properties``.
        threads: How many threads to use, all by default; no result depends on it.
        cluster: The address of a Dask scheduler whose workers sum over examples; or a client, which
            clones share, and whose address is pickled.

    Attributes:
        model_: The :class:`weft.Selector`, which :func:`weft.save` saves.
        n_iter_: How many iterations training took.
    """

    family = "ParseSelector"
    inputs = "parse sets"

    def __init__(
        self,
        recipe: str | Recipe = "parse-selection",
        *,
        criterion: str | Criterion | None = None,
        penalty: str | Penalty | None = None,
        optimiser: Any = None,
        settings: Mapping[str, Any] | None = None,
        threads: int | None = None,
        cluster: Any = None,
    ) -> None:
        super().__init__(recipe, criterion, penalty, optimiser, settings, threads, cluster)

    def predict(self, X: Any) -> list[int | tuple[int, ...]]:  # noqa: N803
        """Return the number of the best analysis; of a packed forest, its edges."""
        return self._nearest(X)

    @told_in_python()
    def predict_marginals(self, X: Any) -> list[FloatArray]:  # noqa: N803
        """Return the probability of each analysis; of a packed forest, of each edge."""
        check_is_fitted(self)
        found: list[FloatArray] = self.model_.marginals(self._inputs(X), self.threads)
        return found

    def _inputs(self, X: Any) -> list[ParseSet]:  # noqa: N803
        self._check_inputs(X)
        return [self._example(each, None, 1.0, f"X[{place}]") for place, each in enumerate(X)]

    def _example(self, given: Any, answer: Any, weight: float, source: str) -> ParseSet:
        if not isinstance(given, ParseSet):
            raise EvidenceError(
                f"{source}: expected a parse set, as weft.corpora.read_parse_sets reads them, not "
                f"{quote(given)}"
            )
        right = given.right if answer is None else _numbers(answer, source)
        named = given.source or source
        return replace(given, right=right, weight=given.weight * weight, source=named)

    def _score(self, examples: Sequence[ParseSet]) -> float | None:
        compiled = [each for each in self.model_.compiled(examples) if each.analysis is not None]
        model, weights = self.model_.model, self.model_.weights
        return judge(model, weights, compiled, self.threads).scores().accuracy


def _numbers(answer: Any, source: str) -> tuple[int, ...]:
    several = isinstance(answer, Iterable) and not isinstance(answer, str)
    numbers = tuple(answer) if several else (answer,)
    if not all(isinstance(each, int | np.integer) for each in numbers):
        raise EvidenceError(
            f"{source}: the right analysis is a number, or several in a list, not {quote(answer)}"
        )
    return tuple(map(int, numbers))
