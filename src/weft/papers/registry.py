"""Every experiment, in the order of the report."""

from __future__ import annotations

from collections.abc import Sequence

from weft.errors import OptionError, no_such
from weft.papers.experiment import Experiment
from weft.papers.rows import (
    beyond,
    johnson2001,
    johnson_et_al1999,
    smith_eisner2005,
    smith_johnson2007,
)

PAPERS = {
    "johnson-2001": "M. Johnson (2001), Joint and conditional estimation of tagging and parsing "
    "models, ACL",
    "johnson-et-al-1999": "M. Johnson, S. Geman, S. Canon, Z. Chi and S. Riezler (1999), "
    "Estimators for stochastic “unification-based” grammars, ACL",
    "smith-eisner-2005": "N. Smith and J. Eisner (2005), Contrastive estimation: training "
    "log-linear models on unlabeled data, ACL",
    "smith-johnson-2007": "N. Smith and M. Johnson (2007), Weighted and probabilistic context-free "
    "grammars are equally expressive, Computational Linguistics 33(4)",
    "beyond": "Beyond the papers: what they ask for, and what one library can ask of them all",
}
"""The papers, in the order of the report."""

EXPERIMENTS: tuple[Experiment, ...] = (
    *johnson2001.EXPERIMENTS,
    *johnson_et_al1999.EXPERIMENTS,
    *smith_eisner2005.EXPERIMENTS,
    *smith_johnson2007.EXPERIMENTS,
    *beyond.EXPERIMENTS,
)
"""All there are."""


def find_experiments(names: Sequence[str] = ()) -> list[Experiment]:
    """Return experiments by their names, or by that of a paper; all if none is named.

    Raises:
        OptionError: If there is no such experiment, with those that are meant perhaps.

    >>> [each.name for each in find_experiments(["smith-johnson-2007/figure-1"])]
    ['smith-johnson-2007/figure-1']
    """
    known = [*PAPERS, *(each.name for each in EXPERIMENTS)]
    for name in names:
        if name not in known:
            listed = "those that `weft reproduce --list` names"
            raise OptionError(no_such("experiment", name, known, listed))
    wanted = set(names)
    return [each for each in EXPERIMENTS if not wanted or {each.name, each.paper} & wanted]
