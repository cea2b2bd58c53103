"""How well a model fits for its size: the criteria of Akaike and of Schwarz.

    AIC = 2 k − 2 log L,     BIC = k log n − 2 log L

for k free parameters, n observations and the likelihood L of a corpus. The smaller, the better.
They are meant for weights of the highest likelihood; with a penalty, L is less than it could be.

Reference: H. Akaike (1974), "A new look at the statistical model identification"; G. Schwarz
(1978), "Estimating the dimension of a model".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft.errors import NotDefined, OptionError, no_such
from weft.models.answers import Answering
from weft.reprs import count_things, describe

LIKELIHOODS = ("conditional", "joint", "marginal")
"""Of labels given inputs, of both, and of inputs."""


@dataclass(frozen=True, slots=True, repr=False)
class Information:
    """How well a model fits a corpus for its size.

    Attributes:
        likelihood: Which likelihood it is: conditional, joint or marginal.
        log_likelihood: log L; -inf where the model excludes an example.
        parameters: k, how many numbers are free.
        observations: n.
    """

    likelihood: str
    log_likelihood: float
    parameters: int
    observations: float

    def __repr__(self) -> str:
        sizes = count_things(self.parameters, "parameter"), f"n {self.observations:,g}"
        figures = {"log L": self.log_likelihood, "AIC": self.aic, "BIC": self.bic}
        shown = (f"{name} {value:,.2f}" for name, value in figures.items())
        return describe(self, self.likelihood, *sizes, *shown)

    @property
    def aic(self) -> float:
        """Akaike's information criterion."""
        return 2 * self.parameters - 2 * self.log_likelihood

    @property
    def bic(self) -> float:
        """Schwarz's, the Bayesian information criterion."""
        return self.parameters * math.log(self.observations) - 2 * self.log_likelihood


def information(
    trained: Answering[Any, Any],
    corpus: Sequence[Any],
    likelihood: str | None = None,
    *,
    observations: float | None = None,
    threads: int | None = None,
) -> Information:
    """Return how well a model fits a corpus for its size.

    >>> import weft
    >>> corpus = [weft.example(["a", "b"], ["X", "Y"]), weft.example(["a"], ["X"])]
    >>> hmm = weft.fit(weft.Chain(normalisation="joint", attributes="all", ngrams="all",
    ...     templates=weft.templates("word[0]")), corpus, criterion=weft.joint, optimiser=weft.EM())
    >>> found = information(hmm, corpus)
    >>> found.likelihood, found.parameters, found.aic > found.bic
    ('joint', 9, True)

    Args:
        trained: The model with its weights.
        corpus: The examples, as for training.
        likelihood: ``conditional``, ``joint`` or ``marginal``; None for that of its training.
        observations: n; the number of examples, by their weights, by default.
        threads: How many threads to use, all by default; no result depends on it.

    Raises:
        OptionError: If there is no such likelihood, or no example, or none with labels.
        ExampleError: If something else is given.
        NotDefined: If the model is no distribution over sentences and one is asked for, or its
            parameters cannot be counted.
    """
    kind = likelihood or _trained_by(trained)
    if kind not in LIKELIHOODS:
        raise OptionError(no_such("likelihood", kind, LIKELIHOODS))
    if not corpus:
        raise OptionError("there is no example: a likelihood is that of a corpus")
    corpus = trained.examples(corpus)
    if kind != "marginal" and not any(map(trained.says_answer, corpus)):
        raise OptionError(
            f"no example has what the {kind} likelihood is about, tags or a tree: give examples "
            "that have, or ask for the marginal one"
        )
    parameters = free_parameters(trained)
    values = getattr(trained.log_sums(corpus, threads), kind)
    if values is None:
        raise NotDefined(
            f"the model is no distribution over sentences, and has no {kind} likelihood: ask for "
            "the conditional one"
        )
    weights = np.array([each.weight for each in corpus])
    total = float(values[weights > 0] @ weights[weights > 0])
    return Information(kind, total, parameters, observations or float(weights.sum()))


def _trained_by(trained: Answering[Any, Any]) -> str:
    notes: dict[str, str] = getattr(trained, "notes", {})
    named = notes.get("criterion", "")
    return named if named in LIKELIHOODS else "conditional"


def free_parameters(trained: Answering[Any, Any]) -> int:
    """Return how many numbers of a model are free.

    Those are its weights, but for those of impossible events; of the probabilities of one
    distribution, all but one.

    Raises:
        NotDefined: If it has no weights: interpolated tables are no point of a family whose
            parameters could be counted.
    """
    if not len(trained.weights):
        raise NotDefined(
            "interpolated tables have no free parameters that could be counted, and so neither "
            "AIC nor BIC"
        )
    known = trained.distributions
    if known is None:
        return int(np.isfinite(trained.weights).sum())
    # Weights outside all distributions are zeros, and stay so.
    mine = known.members
    return int(mine.sum()) - len(np.unique(known.groups[mine]))
