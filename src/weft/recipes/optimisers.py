"""Optimisers by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from weft.errors import OptionError, no_such
from weft.optimise.annealing import Annealing
from weft.optimise.conjugate_gradient import ConjugateGradient
from weft.optimise.em import EM
from weft.optimise.frank_wolfe import FrankWolfe
from weft.optimise.lbfgs import LBFGS
from weft.optimise.mert import LineSearchAscent
from weft.optimise.online import AROW, PassiveAggressive, Perceptron
from weft.optimise.stochastic import SGD, AdaGrad, Adam
from weft.optimise.subgradient import Subgradient
from weft.optimise.variational import VariationalBayes

OPTIMISERS: Mapping[str, Any] = {
    "lbfgs": LBFGS,
    "conjugate-gradient": ConjugateGradient,
    "annealing": Annealing,
    "line-search": LineSearchAscent,
    "em": EM,
    "variational-bayes": VariationalBayes,
    "sgd": SGD,
    "adagrad": AdaGrad,
    "adam": Adam,
    "subgradient": Subgradient,
    "frank-wolfe": FrankWolfe,
    "perceptron": Perceptron,
    "pa": PassiveAggressive,
    "arow": AROW,
}
"""All optimisers by name."""


def find_optimiser(name: str) -> Any:
    """Return an optimiser with its defaults.

    >>> find_optimiser("conjugate-gradient").max_iterations
    1000

    Raises:
        OptionError: If there is none of that name.
    """
    if name not in OPTIMISERS:
        raise OptionError(no_such("optimiser", name, OPTIMISERS))
    return OPTIMISERS[name]()


def name_of_optimiser(optimiser: object) -> str:
    """Return the name of an optimiser, or what it is called in Python.

    >>> name_of_optimiser(EM())
    'em'
    """
    named = (name for name, kind in OPTIMISERS.items() if type(optimiser) is kind)
    return next(named, type(optimiser).__name__)
