"""Training on a cluster."""

from __future__ import annotations

from typing import Any

from weft.criteria import Criterion, Unit
from weft.criteria.guides import has_kinks
from weft.errors import OptionError
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


def check_spread(optimiser: Any, criterion: Criterion) -> None:
    """Refuse an optimiser that makes no sums over all examples.

    Raises:
        OptionError: With the reason.
    """
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
