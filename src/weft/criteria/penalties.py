"""Penalties: what large weights cost, and what is added to counts.

The Gaussian penalty is -Σ_j (θ_j - μ_j)² / (2 σ_j²): the log of a normal prior with variance σ²,
up to a constant. The mean μ is where estimation starts: zeros, or the relative frequencies of a
joint model. CRFsuite's c2 is 1 / (2 σ²).

The Dirichlet penalty is Σ_j λ_j θ_j, where θ are the logs of probabilities: the log of a Dirichlet
prior with parameter 1 + λ, whose maximum adds λ to every count.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from weft.arrays import FloatArray, dot
from weft.criteria.objective import Objective
from weft.errors import OptionError, abbreviate
from weft.features.parameters import Parameters


@dataclass(frozen=True, slots=True)
class Gaussian:
    """A variance for all weights, and others for some kinds.

    Attributes:
        variance: σ² of every weight; inf is no penalty.
        kinds: σ² of the kinds that match a pattern such as ``tag:suffix*``; the last match counts.
        relative: Whether a weight's variance is that times the square of the largest value that
            its feature has in the corpus: σ of Johnson et al. (1999) is 7 times that value.
    """

    variance: float = 10.0
    kinds: Mapping[str, float] = field(default_factory=dict)
    relative: bool = False

    def __post_init__(self) -> None:
        for variance in (self.variance, *self.kinds.values()):
            if not variance > 0:
                raise OptionError(f"a Gaussian penalty's variance must be above 0, not {variance}")

    def __str__(self) -> str:
        if math.isinf(self.variance) and not self.kinds:
            return "none"
        if self.relative:
            multiples = {kind: math.sqrt(value) for kind, value in self.kinds.items()}
            return _shown("relative", math.sqrt(self.variance), multiples)
        return _shown("gaussian", self.variance, self.kinds)

    def precisions(self, parameters: Parameters) -> FloatArray:
        """[θ]: 1 / σ² of each weight.

        Raises:
            OptionError: If a pattern matches no kind of the model, or a relative penalty is for
                features whose largest values are not known.
        """
        if not (self.kinds or self.relative):  # one number, in the room of one
            return np.broadcast_to(np.float64(1.0 / self.variance), (parameters.size,))
        precisions: FloatArray = 1.0 / _by_kind(parameters, self.variance, self.kinds)
        if not self.relative:
            return precisions
        if parameters.largest is None:
            raise OptionError(
                f"the penalty {self} depends on the largest values of features, which this model "
                "does not keep: use gaussian:1.0, say"
            )
        # A feature that is always 0 has no say, whatever its weight.
        largest: FloatArray = np.where(parameters.largest > 0, parameters.largest, 1.0)
        return precisions / largest**2

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
        gradient: FloatArray = self.precisions * distance
        np.negative(gradient, out=gradient)
        return 0.5 * dot(gradient, distance), gradient


no_penalty = Gaussian(math.inf)


@dataclass(frozen=True, slots=True)
class Dirichlet:
    """What is added to every count, and to those of some kinds; for counting and EM.

    Attributes:
        pseudocount: λ of every weight.
        kinds: λ of the kinds that match a pattern such as ``tag:*``; the last match counts.
    """

    pseudocount: float = 0.1
    kinds: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for pseudocount in (self.pseudocount, *self.kinds.values()):
            if not 0 <= pseudocount < math.inf:
                raise OptionError(
                    f"what a Dirichlet penalty adds must be finite and ≥ 0, not {pseudocount}"
                )

    def __str__(self) -> str:
        return _shown("dirichlet", self.pseudocount, self.kinds)

    def pseudocounts(self, parameters: Parameters) -> FloatArray:
        """[θ]: what is added to the count of each weight.

        Raises:
            OptionError: If a pattern matches no kind of the model.
        """
        return _by_kind(parameters, self.pseudocount, self.kinds)


Penalty = Gaussian | Dirichlet
"""What large weights cost, or what is added to counts."""


_PENALTIES: Mapping[str, type[Gaussian] | type[Dirichlet]] = {
    "gaussian": Gaussian,
    "dirichlet": Dirichlet,
}


def _shown(name: str, number: float, kinds: Mapping[str, float]) -> str:
    return ",".join([f"{name}:{number:g}", *(f"{k}={v:g}" for k, v in kinds.items())])


def _by_kind(parameters: Parameters, number: float, kinds: Mapping[str, float]) -> FloatArray:
    """[θ]: one number for all weights, and others for the kinds that match a pattern."""
    numbers = np.full(parameters.size, number)
    for pattern, other in kinds.items():
        for kind in parameters.matching(pattern):
            numbers[kind.start : kind.stop] = other
    return numbers


def read_penalty(text: str) -> Penalty:
    """Read ``gaussian:VARIANCE[,KIND=VARIANCE …]``, ``dirichlet:COUNT[,…]`` or ``none``.

    ``relative:MULTIPLE[,…]`` is a Gaussian with a standard deviation of this many times the largest
    value of the feature.

    >>> read_penalty("gaussian:2.0,bigram=10")
    Gaussian(variance=2.0, kinds={'bigram': 10.0}, relative=False)
    >>> read_penalty("relative:7")
    Gaussian(variance=49.0, kinds={}, relative=True)
    >>> read_penalty("dirichlet:0.5")
    Dirichlet(pseudocount=0.5, kinds={})
    """
    if text == "none":
        return no_penalty
    name, _, rest = text.partition(":")
    first, *others = rest.split(",")
    try:
        pairs = [part.rpartition("=") for part in others]
        kinds = {kind: float(value) for kind, _, value in pairs}
        if name == "relative":
            squares = {kind: value**2 for kind, value in kinds.items()}
            return Gaussian(float(first) ** 2, squares, relative=True)
        return _PENALTIES[name](float(first), kinds)
    except (KeyError, ValueError) as error:
        if isinstance(error, OptionError):
            raise
        raise OptionError(
            f"'{abbreviate(text)}' is no penalty; expected none, gaussian:1.0, "
            "gaussian:1.0,bigram=10, "
            "relative:7 or dirichlet:0.1"
        ) from None
