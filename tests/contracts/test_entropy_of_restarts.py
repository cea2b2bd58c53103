"""The restart that is kept for its entropy is the least certain one of all sentences together."""

from __future__ import annotations

import numpy as np
import pytest

from contracts.models import FAMILIES
from weft.criteria import conditional, marginal
from weft.models import Chain
from weft.models.grammar.spec import Cfg
from weft.models.selection.spec import Selection
from weft.optimise.em import EM
from weft.optimise.lbfgs import LBFGS
from weft.optimise.search import Search
from weft.structures.evidence import example
from weft.train import fit

TEXTS = ["w u", "u v w v", "v w u u", "u w", "w w v u v"]
RAW = [example(text.split()) for text in TEXTS]
WORDS = {"u": frozenset("AB"), "v": frozenset("BC"), "w": frozenset("A")}
HMM = Chain(
    templates=FAMILIES["hidden Markov model"].spec.templates,
    normalisation="joint",
    attributes="all",
    ngrams="all",
    dictionary=WORDS,
)
PARSES = [*FAMILIES["selection, listed"].corpora["complete"]] * 2

CASES = {
    "chain": (HMM, RAW, {"criterion": marginal, "optimiser": EM(2)}),
    "grammar": (
        Cfg(normalisation="joint", symbols=2),
        RAW,
        {"criterion": marginal, "optimiser": EM(2)},
    ),
    "selection": (
        Selection(relevance=0),
        PARSES,
        {"criterion": conditional, "optimiser": LBFGS(max_iterations=1)},
    ),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("seed", range(4))
def test_more_restarts_never_leave_less_entropy(name, seed):
    """Restarts are drawn one after the other: the first of many are those of a few."""
    spec, corpus, options = CASES[name]
    found = []
    for restarts in range(1, 9):
        search = Search(restarts=restarts, spread=1.0, seed=seed, choose="entropy")
        trained = fit(spec, corpus, search=search, **options)
        inputs = [each.evidence(labelled=False) for each in corpus]
        entropies = trained.model.derivations(inputs).entropy(trained.weights)
        found.append(float(entropies.sum()))
    assert (np.diff(found) >= -1e-9).all()
