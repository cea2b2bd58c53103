"""Models whose probabilities are counted, so that they have no weights."""

from __future__ import annotations

from weft.arrays import IntArray
from weft.features.parameters import Parameters, parameters
from weft.structures.alternatives import FeatureName


class CountedModel:
    """A model without weights."""

    __slots__ = ()

    @property
    def parameters(self) -> Parameters:
        """The layout of θ, which has no coordinates: tables are no weights."""
        return parameters([])

    def named(self, coordinates: IntArray) -> list[FeatureName]:  # noqa: ARG002
        """Return the names of weights, of which there are none."""
        return []
