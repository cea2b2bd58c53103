"""Variational Bayes: the bound never falls, is below the evidence, and is exact where it can be."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import scipy.special

from weft.criteria import Dirichlet, contrast, expected_counts, joint, marginal
from weft.errors import OptionError
from weft.features.templates import templates
from weft.models import Chain, Extent, Normalisation, prepare
from weft.models.chain.multinomials import check_multinomials
from weft.optimise.em import EM
from weft.optimise.search import Search
from weft.optimise.variational import VariationalBayes, VariationalBound
from weft.structures.evidence import Example, example
from weft.train import fit

DENSE = {"attributes": Extent.ALL, "ngrams": Extent.ALL}
OPTIONS = {
    "templates": templates("word[0]"),
    "normalisation": Normalisation.JOINT,
    "rare": 0,
    **DENSE,
}
HMM = Chain(**OPTIONS)
DICTIONARY = {"u": frozenset({"A"}), "v": frozenset({"A", "B"})}


def raw(rng, sentences: int = 15) -> list[Example]:
    lengths = rng.integers(1, 5, sentences)
    return [example(rng.choice(list("uvw"), length).tolist()) for length in lengths]


def bound_of(chain: Chain, corpus: list[Example], criterion, prior: float):
    model = prepare(chain, corpus)
    distributions = check_multinomials(model)
    size = model.parameters.size
    counts = expected_counts(model.free, corpus, criterion, np.zeros(size), distributions.weights)
    members = distributions.members
    others = np.where(distributions.possible, 0.0, -np.inf)
    alphas = np.where(members, prior, 0.0)
    return VariationalBound(counts, alphas, distributions.groups, members, others), distributions


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("prior", [0.01, 1.0])
def test_the_bound_never_falls(rng, order, prior):
    chain = Chain(**OPTIONS, order=order, dictionary=DICTIONARY)
    tagger = fit(
        chain,
        raw(rng),
        criterion=marginal,
        penalty=Dirichlet(prior),
        optimiser=VariationalBayes(30, 0.0),
    )
    values = np.array([step.value for step in tagger.trace])
    assert len(values) > 5
    assert (np.diff(values) >= -1e-9 * np.abs(values[1:])).all()
    assert values[-1] > values[0]


def dirichlet_multinomial(bound, counts) -> float:
    """The log-probability of counts, with the distributions integrated out."""
    mine, gammaln = bound.members, scipy.special.gammaln
    total = 0.0
    for group in np.unique(bound.groups[mine]):
        inside = mine & (bound.groups == group)
        alphas, seen = bound.prior[inside], counts[inside]
        total += gammaln(alphas.sum()) - gammaln((alphas + seen).sum())
        total += (gammaln(alphas + seen) - gammaln(alphas)).sum()
    return total


def test_complete_data_have_their_exact_probability():
    """With every label known the belief is the posterior, and the bound the evidence itself."""
    corpus = [example(list("uvu"), list("ABA")), example(list("w"), list("B"))]
    bound, _ = bound_of(HMM, corpus, joint, 0.7)
    _, counts = bound.expect(np.zeros(len(bound.prior)))
    value, _ = bound(bound.reestimate(counts))
    assert value == pytest.approx(dirichlet_multinomial(bound, counts))


def test_the_bound_is_below_the_evidence():
    """The evidence is summed over all taggings, the distributions integrated out of each."""
    corpus = [example(list("uv")), example(list("v"))]
    chain = Chain(**OPTIONS, dictionary={"u": frozenset("AB")})
    bound, distributions = bound_of(chain, corpus, marginal, 0.5)
    logs = []
    for tags in product("AB", repeat=3):
        labels = [tags[:2], tags[2:]]
        known = [Example(e.tokens, each) for e, each in zip(corpus, labels, strict=True)]
        _, counts = bound_of(chain, known, joint, 0.5)[0].expect(np.zeros(len(bound.prior)))
        logs.append(dirichlet_multinomial(bound, counts))
    evidence = np.logaddexp.reduce(logs)
    start = distributions.weights(np.arange(1.0, len(bound.prior) + 1))
    solution = VariationalBayes(200, 0.0).maximise(bound, start)
    assert evidence - 2.0 < solution.value < evidence


def test_means_are_distributions(rng):
    corpus = raw(rng)
    chain = Chain(**OPTIONS, dictionary=DICTIONARY)
    tagger = fit(
        chain, corpus, criterion=marginal, penalty=Dirichlet(0.1), optimiser=VariationalBayes(5)
    )
    everything = tagger.model.free.everything().log_partition(tagger.weights)[0]
    assert everything == pytest.approx(0.0, abs=1e-12)
    assert contrast(tagger.model, corpus, marginal)(tagger.weights)[0] < 0
    assert np.isneginf(tagger.weights).sum() == 1  # p(u | B)


def test_small_priors_prefer_few_outcomes(rng):
    """Rare outcomes lose mass that EM would leave them."""
    corpus = raw(rng, 40)
    chain = Chain(**OPTIONS, dictionary=DICTIONARY)

    def entropy(optimiser, penalty) -> float:
        tagger = fit(chain, corpus, criterion=marginal, penalty=penalty, optimiser=optimiser)
        probs = np.exp(tagger.weights[tagger.model.tag_rows.start :])
        inside = probs[probs > 0]
        return float(-(inside * np.log(inside)).sum())

    sparse = entropy(VariationalBayes(300, 1e-9), Dirichlet(0.01))
    assert sparse < entropy(EM(300, 1e-9), Dirichlet(0.01)) + 1e-6


def test_refusals(rng):
    chain = Chain(**OPTIONS, dictionary=DICTIONARY)
    options = {"criterion": marginal, "optimiser": VariationalBayes()}
    with pytest.raises(OptionError, match="prior above 0"):
        fit(chain, raw(rng), penalty=Dirichlet(0.0), **options)
    with pytest.raises(OptionError, match="not for variational Bayes"):
        fit(chain, raw(rng), penalty=Dirichlet(1.0), search=Search(anneal=0.5), **options)
    with pytest.raises(OptionError, match="max_iterations"):
        VariationalBayes(0)
