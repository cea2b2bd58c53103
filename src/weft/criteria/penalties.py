"""Penalties: what large weights cost.

The Gaussian penalty is -Σ_j (θ_j - μ_j)² / (2 σ_j²): the log of a normal prior with variance σ²,
up to a constant. The mean μ is where estimation starts: zeros, or the relative frequencies of a
joint model. CRFsuite's c2 is 1 / (2 σ²).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from weft.arrays import FloatArray, dot
from weft.criteria.objective import Objective
from weft.errors import OptionError
from weft.features.parameters import Parameters


@dataclass(frozen=True, slots=True)
class Gaussian:
    """A variance for all weights, and others for some kinds.

    Attributes:
        variance: σ² of every weight; inf is no penalty.
        kinds: σ² of the kinds that match a pattern such as ``tag:suffix*``; the last match counts.
    """

    variance: float = 10.0
    kinds: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for variance in (self.variance, *self.kinds.values()):
            if not variance > 0:
                raise OptionError(f"a Gaussian penalty's variance must be above 0, not {variance}")

    def __str__(self) -> str:
        if math.isinf(self.variance) and not self.kinds:
            return "none"
        return ",".join(
            [f"gaussian:{self.variance:g}", *(f"{k}={v:g}" for k, v in self.kinds.items())]
        )

    def precisions(self, parameters: Parameters) -> FloatArray:
        """[θ]: 1 / σ² of each weight.

        Raises:
            OptionError: If a pattern matches no kind of the model.
        """
        precisions = np.full(parameters.size, 1.0 / self.variance)
        for pattern, variance in self.kinds.items():
            for kind in parameters.matching(pattern):
                precisions[kind.start : kind.stop] = 1.0 / variance
        return precisions

    def objective(self, parameters: Parameters, centre: FloatArray | None = None) -> Objective:
        """Return the penalty as an objective, to be added to a criterion's.

        Args:
            parameters: The kinds of the model's weights.
            centre: [θ], the weights that cost nothing, if not zeros.
        """
        return GaussianObjective(self.precisions(parameters), centre)


@dataclass(frozen=True, slots=True, eq=False)
class GaussianObjective(Objective):
    """-½ Σ_j precision_j (θ_j - centre_j)²."""

    precisions: FloatArray
    centre: FloatArray | None = None

    def __call__(self, theta: FloatArray) -> tuple[float, FloatArray]:
        """Return the value and the gradient at θ."""
        distance = theta if self.centre is None else theta - self.centre
        gradient = -self.precisions * distance
        return 0.5 * dot(gradient, distance), gradient


no_penalty = Gaussian(math.inf)


def read_penalty(text: str) -> Gaussian:
    """Read ``gaussian:VARIANCE[,KIND=VARIANCE …]`` or ``none``.

    >>> read_penalty("gaussian:2.0,bigram=10")
    Gaussian(variance=2.0, kinds={'bigram': 10.0})
    """
    if text == "none":
        return no_penalty
    name, _, rest = text.partition(":")
    first, *others = rest.split(",")
    try:
        if name != "gaussian":
            raise ValueError
        pairs = [part.rpartition("=") for part in others]
        return Gaussian(float(first), {kind: float(value) for kind, _, value in pairs})
    except ValueError as error:
        if isinstance(error, OptionError):
            raise
        raise OptionError(
            f"'{text}' is no penalty; expected none, gaussian:1.0 or gaussian:1.0,bigram=10"
        ) from None
