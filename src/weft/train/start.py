"""Where estimation starts if it is told: at the weights of another model, or where a name says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from weft.arrays import FloatArray
from weft.errors import OptionError, no_such
from weft.models.distributions import Distributions
from weft.models.model import Spec, Trained

STARTS = ("zeros", "uniform", "counts")
"""The names of starts."""

SMALL = "small random weights"
"""What the start ``uniform`` is of weights that are no probabilities."""

_SPREAD = 0.01  # of these


def named_start(
    name: str,
    spec: Spec[Any],
    model: Any,
    seen: Sequence[Any],
    *,
    closed_form: bool,
    seed: int,
) -> tuple[FloatArray, str]:
    """Return the weights [θ] that a name stands for, and what they are.

    Args:
        name: ``zeros``; ``uniform``, which is uniform distributions where weights are the logs of
            probabilities, and small random weights elsewhere; or ``counts``, relative frequencies.
        spec: The family.
        model: The model that is estimated.
        seen: The examples, with the labels that the criterion looks at.
        closed_form: Whether weights are the logs of probabilities throughout.
        seed: Of the random numbers.

    Raises:
        OptionError: If there is no such start, or the family has none.
    """
    if name not in STARTS:
        raise OptionError(no_such("start", name, STARTS) + "; or give a model")
    size = model.parameters.size
    if name == "counts":
        weights = spec.counts(model, seen)
        if weights is None:
            raise OptionError(
                f"the weights of a {type(spec).__name__} are no frequencies, so that counts say "
                "nothing of them: start from zeros, uniform or a model"
            )
        finite = weights if closed_form else np.where(np.isneginf(weights), 0.0, weights)
        return finite, "relative frequencies"
    distributions = _distributions(spec, model)
    if distributions is not None and (closed_form or name == "uniform"):
        weights = distributions.weights(np.ones(size))
        finite = weights if closed_form else np.where(np.isneginf(weights), 0.0, weights)
        return finite, "uniform distributions"
    if name == "zeros":
        return np.zeros(size), "zeros"
    noise = np.random.default_rng(seed).uniform(-_SPREAD, _SPREAD, size)
    return noise, SMALL


def _distributions(spec: Spec[Any], model: Any) -> Distributions | None:
    try:
        return spec.distributions(model)
    except OptionError:
        return None


def warm_start(
    given: Trained | FloatArray | Sequence[float],
    model: Any,
    own: FloatArray,
    distributions: Distributions | None = None,
) -> tuple[FloatArray, int]:
    """Return the weights to start from [θ], and how many of them were given.

    Args:
        given: A model of the same family, whose weights are carried over by their names; or all
            weights.
        model: The model that is estimated.
        own: Where it would start otherwise [θ]: what is not given stays there.
        distributions: Which weights are the logs of one distribution, where each is to be one;
            only there a weight may be -inf.

    Raises:
        OptionError: If the model is of another family, or shares no weight; or if there are more
            or fewer weights, or one is no number.
        TypeError: If it is neither a model nor weights.
    """
    if isinstance(given, np.ndarray | Sequence):
        weights = _checked(given, len(own))
    else:
        weights = _carried(given, model)
    known = ~np.isnan(weights)
    if distributions is None:
        known &= np.isfinite(weights)
    start = np.where(known, weights, own)
    if distributions is not None:
        start = distributions.weights(np.exp(start))
    return start, int(known.sum())


def _carried(given: Trained, model: Any) -> FloatArray:
    """[θ]: the weights of the same names; NaN where there is none."""
    if not hasattr(given, "weights"):
        raise TypeError(f"the start must be a trained model or its weights, not {given!r}")
    if type(given.model) is not type(model):
        raise OptionError(
            f"the start is a {type(given.model).__name__}, and a {type(model).__name__} is "
            "estimated: start from a model of the same family, trained by a recipe of its kind"
        )
    theirs = given.model.named(np.arange(len(given.weights)))
    known = dict(zip(theirs, given.weights.tolist(), strict=True))
    mine = model.named(np.arange(model.parameters.size))
    if mine and known.keys().isdisjoint(mine):
        raise OptionError(
            f"the start shares none of its {len(theirs):,} weights with the model that is "
            f"estimated: it has, for example, '{_shown(theirs)}', and the model '{_shown(mine)}'; "
            "start from a model with the same kinds of features and labels"
        )
    return np.array([known.get(name, np.nan) for name in mine])


def _shown(names: list[tuple[str, str]]) -> str:
    return ": ".join(names[0]) if names else "nothing"


def _checked(given: Any, size: int) -> FloatArray:
    weights = np.asarray(given, np.float64)
    if weights.shape != (size,):
        raise OptionError(f"the model has {size:,} weights: start from as many, not {weights.size}")
    if np.isnan(weights).any() or np.isposinf(weights).any():
        raise OptionError("the weights to start from are numbers, and one is NaN or infinite")
    return weights
