"""What all estimators have in common: parameters, fitting, and what becomes of answers."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from weft.cluster import sendable
from weft.criteria import Criterion, Penalty
from weft.derivations.threads import thread_count
from weft.errors import EvidenceError, OptionError, quote
from weft.estimators.messages import told_in_python
from weft.models.selection.selector import Selector
from weft.models.tree_parser import TreeParser
from weft.recipes import Recipe, fit_recipe, is_patience, plan_recipe

_SETTING = "settings__"


class RecipeEstimator(BaseEstimator):  # type: ignore[misc]
    """A recipe as scikit-learn knows estimators.

    Settings are parameters, too: ``settings__order`` is ``order`` of ``settings``.
    """

    family: ClassVar[str]
    """The estimator of its family, as :func:`estimator_of` has it."""

    def __init__(
        self,
        recipe: str | Recipe,
        criterion: str | Criterion | None,
        penalty: str | Penalty | None,
        optimiser: Any,
        settings: Mapping[str, Any] | None,
        threads: int | None,
        cluster: Any,
    ) -> None:
        self.recipe = recipe
        self.criterion = criterion
        self.penalty = penalty
        self.optimiser = optimiser
        self.settings = settings
        self.threads = threads
        self.cluster = cluster

    inputs: ClassVar[str] = "sentences"
    """What ``X`` is a list of."""

    def _example(self, given: Any, answer: Any, weight: float, source: str) -> Any:
        """Return an example of an input with its answer, which may be None."""
        raise NotImplementedError

    def _score(self, examples: Sequence[Any]) -> float | None:
        """Return how good the answers are, a share; None where no example says what is right."""
        raise NotImplementedError

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name; ``deep``, also those of ``settings``."""
        found: dict[str, Any] = super().get_params(deep)
        if deep and isinstance(self.settings, Mapping):  # what else it may be, fit refuses
            found |= {f"{_SETTING}{key}": value for key, value in self.settings.items()}
        return found

    def set_params(self, **params: Any) -> Self:
        """Set parameters; ``settings__order=2`` sets one of the settings, and leaves the rest."""
        changed = {
            name.removeprefix(_SETTING): params.pop(name)
            for name in list(params)
            if name.startswith(_SETTING)
        }
        super().set_params(**params)
        if changed:
            self.settings = {**(self.settings or {}), **changed}
        return self

    def __getstate__(self) -> dict[str, Any]:
        """Return what is copied or pickled, with the address of a Dask client in its place."""
        state: dict[str, Any] = super().__getstate__()
        return {**state, "cluster": sendable(self.cluster)}

    def __sklearn_clone__(self) -> Self:
        """Return an estimator of the same parameters, not fitted, and with the same Dask client."""
        found: Self = BaseEstimator.__sklearn_clone__(copy(self))
        found.cluster = self.cluster
        return found

    def _plan(self) -> Recipe:
        """The recipe that the parameters come to."""
        if not isinstance(self.settings, Mapping | None):
            raise OptionError(f"settings are a dictionary by name, not {self.settings!r}")
        if isinstance(self.penalty, Real):
            raise OptionError(
                "the penalty is a text such as 'gaussian:10', or a weft.Gaussian, not "
                f"{self.penalty}"
            )
        whole = isinstance(self.threads, Integral) and not isinstance(self.threads, bool)
        if self.threads is not None and not whole:
            raise OptionError(f"threads is a whole number, or None, not {quote(self.threads)}")
        thread_count(self.threads)
        settings = dict(self.settings or {})
        for name in ("criterion", "optimiser"):
            value = getattr(self, name)
            if value is not None and name in settings:
                raise OptionError(f"give {name} or settings['{name}'], not both")
            settings |= {} if value is None else {name: value}
        plan = plan_recipe(self.recipe, self.penalty, settings)
        if estimator_of(plan) != self.family:
            raise OptionError(
                f"the recipe {plan.name} is not for {self.family}, but for "
                f"weft.estimators.{estimator_of(plan)}"
            )
        return plan

    def _examples(self, X: Any, y: Any, sample_weight: Any = None) -> list[Any]:  # noqa: N803
        """The examples of inputs and answers."""
        self._check_inputs(X)
        check_consistent_length(X, y, sample_weight)
        answers = [None] * len(X) if y is None else y
        weights = np.ones(len(X)) if sample_weight is None else np.asarray(sample_weight, float)
        if weights.ndim != 1:
            raise EvidenceError(f"there is a weight per example, not {list(weights.shape)} of them")
        triples = enumerate(zip(X, answers, weights.tolist(), strict=True))
        found = [
            self._example(given, answer, weight, f"X[{place}]")
            for place, (given, answer, weight) in triples
            if weight
        ]
        if not found and len(X):
            raise EvidenceError("all sample weights are zero: there is nothing to learn from")
        return found

    def _check_inputs(self, X: Any) -> None:  # noqa: N803
        """Refuse what is no list of inputs."""
        scalar = getattr(X, "ndim", 1) == 0  # an array that has no length
        if scalar or isinstance(X, str | bytes | Mapping) or not hasattr(X, "__len__"):
            raise EvidenceError(f"X is a list of {self.inputs}, not {quote(X)}")

    def _check_some(self, X: Any) -> None:  # noqa: N803
        """Refuse what is no list of inputs, or an empty one."""
        self._check_inputs(X)
        if not len(X):
            raise EvidenceError(f"X is empty: give a list of {self.inputs}")

    @told_in_python()
    def fit(
        self,
        X: Any,  # noqa: N803
        y: Any = None,
        sample_weight: Any = None,
        *,
        X_dev: Any = None,  # noqa: N803
        y_dev: Any = None,
    ) -> Self:
        """Estimate a model.

        Args:
            X: The inputs.
            y: Their answers; None where the recipe learns without.
            sample_weight: How often each example counts; 1 by default.
            X_dev: Inputs to watch training with: the weights of the last gain there are kept, as
                ``settings={"patience": 5}`` says, 0 for those of the end.
            y_dev: Their answers.

        Raises:
            OptionError: If a parameter does not exist, or parameters do not go together.
            EvidenceError: If an example has no possible analysis.
            ValueError: If there are not as many answers as inputs, or labels as tokens.
        """
        plan = self._plan()
        self._check_some(X)
        self._check_held_out(X_dev, y_dev, labelled=y is not None)
        self.model_ = fit_recipe(
            plan,
            self._examples(X, y, sample_weight),
            raw=self._raw(plan),
            development=None if X_dev is None else self._examples(X_dev, y_dev),
            threads=self.threads,
            cluster=self.cluster,
        )
        self.n_iter_ = self.model_.trace[-1].iteration if self.model_.trace else 0
        return self

    def _check_held_out(self, X_dev: Any, y_dev: Any, labelled: bool) -> None:  # noqa: N803
        """Refuse held-out examples that are given in part, and patience without any."""
        if X_dev is None and y_dev is not None:
            raise OptionError("y_dev are the answers of held-out inputs: give X_dev, too")
        if X_dev is not None and y_dev is None and labelled:
            raise OptionError("X_dev are held-out inputs, whose answers are not known: give y_dev")
        patient = is_patience((self.settings or {}).get("patience"))
        if patient and (X_dev is None or not len(X_dev)):
            raise OptionError("patience looks at held-out examples: give X_dev and y_dev")

    def _raw(self, plan: Recipe) -> list[Any]:  # noqa: ARG002
        """Raw text beside the corpus."""
        return []

    @told_in_python()
    def _nearest(self, X: Any) -> list[Any]:  # noqa: N803
        """The answers of the model, or the closest ones, with a warning that says which."""
        check_is_fitted(self)
        inputs = self._inputs(X)
        found, strayed = self.model_.nearest(inputs, threads=self.threads)
        if strayed:
            shown = ", ".join(f"X[{place}]" for place in strayed[:5])
            warnings.warn(
                f"{len(strayed)} of {len(inputs)} inputs have no possible answer by the model "
                f"({shown}{', …' if len(strayed) > 5 else ''}); the closest one is given, or None",
                stacklevel=4,
            )
        return list(found)

    def _inputs(self, X: Any) -> list[Any]:  # noqa: N803
        return [each.tokens for each in self._examples(X, None)]

    @told_in_python()
    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:  # noqa: N803
        """Return how good answers are: of tags and choices the share that is right, of trees F1.

        Raises:
            OptionError: If no example says what is right.
        """
        check_is_fitted(self)
        if sample_weight is not None:
            raise OptionError("scores count every example once: leave sample_weight out")
        self._check_some(X)
        found = self._score(self._examples(X, y))
        if found is None:
            raise OptionError("nothing says what is right: give y")
        return float(found)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.no_validation = True  # sentences, not rows of numbers
        return tags


def read_tokens(given: Any, source: str) -> list[Any]:
    """Return the tokens of a sentence.

    Raises:
        EvidenceError: If it is no list of them.
    """
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise EvidenceError(
            f"{source}: a sentence is a list of words, not {quote(given)}; X has such lists, as in "
            "[['time', 'flies'], ['dogs', 'bark']]"
        )
    return list(given)


def estimator_of(plan: Recipe) -> str:
    """Return the name of the estimator that a recipe is for.

    >>> estimator_of(plan_recipe("pcfg"))
    'Parser'
    """
    made = plan.model.analyser
    kinds = {"Parser": TreeParser, "ParseSelector": Selector}
    of = (name for name, kind in kinds.items() if isinstance(made, type) and issubclass(made, kind))
    return next(of, "Tagger")
