"""Training on a cluster."""

from __future__ import annotations

from typing import Any

from weft.criteria import Criterion, Unit
from weft.criteria.guides import has_kinks
from weft.errors import OptionError
from weft.models.model import Spec
from weft.optimise.annealing import Annealing
from weft.optimise.mert import LineSearchAscent
from weft.optimise.passes import ByPasses

ABLE = "lbfgs, conjugate-gradient, em or variational-bayes"
"""The optimisers that look at all examples at once."""

_ALONE = {
    ByPasses: "goes on from a few examples to the next ones, whose weights wait for those before",
    Annealing: "changes one weight after the other, and looks at the examples that have it",
    LineSearchAscent: "follows single examples along a line",
}


def check_spread(spec: Spec[Any], optimiser: Any, criterion: Criterion | None) -> None:
    """Refuse tables, and optimisers that make no sums over all examples.

    Args:
        spec: The family.
        optimiser: How the weights move.
        criterion: What is compared; None where tables are counted.

    Raises:
        OptionError: With the reason.
    """
    if spec.counted or criterion is None:
        raise OptionError("tables are counted, which takes no cluster: leave it out")
    for kind, reason in _ALONE.items():
        if isinstance(optimiser, kind):
            rough = has_kinks(criterion) or criterion.unit is Unit.CHOICE
            other = (
                f", as {criterion.name} needs such an optimiser" if rough else f", or name {ABLE}"
            )
            raise OptionError(
                f"the optimiser {type(optimiser).__name__} {reason}: a cluster, which sums over "
                f"all examples at once, is of no use; leave it out{other}"
            )
