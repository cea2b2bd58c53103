"""Training on a cluster."""

from __future__ import annotations

from typing import Any

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


def check_spread(optimiser: Any) -> None:
    """Refuse an optimiser that makes no sums over all examples.

    Raises:
        OptionError: With the reason.
    """
    for kind, reason in _ALONE.items():
        if isinstance(optimiser, kind):
            raise OptionError(
                f"the optimiser {type(optimiser).__name__} {reason}: a cluster, which sums over "
                f"all examples at once, is of no use; leave it out, or name {ABLE}"
            )
