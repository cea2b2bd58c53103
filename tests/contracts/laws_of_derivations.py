"""What every set of derivations promises: best, k best, samples, marginals, entropy, rivals.

See ``laws.py``.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from contracts.models import weights_of
from oracles import finite_difference, log_sum, probs_of
from weft.criteria import conditional
from weft.models.instances import DATA
from weft.structures.evidence import Evidence
from weft.structures.lattice import lattice

MANY = 10_000  # more than any sentence of the table has derivations


def members_of(family, labelled=False, data="complete"):
    corpus = family.corpora[data]
    return corpus, family.model.derivations([each.evidence(labelled) for each in corpus])


def listed_scores(family, example, theta) -> np.ndarray:
    these = family.listing(family.model, example, theta)
    return np.sort(these.scores[these.scores > -np.inf])[::-1]


def the_best_are_those_of_the_list(family, rng):
    theta = weights_of(family, rng)
    corpus, derivations = members_of(family)
    every, three = derivations.kbest(theta, MANY), derivations.kbest(theta, 3)
    scores, best = derivations.best(theta)
    for place, each in enumerate(corpus):
        expected = listed_scores(family, each, theta)
        found = [score for score, _ in every[place]]
        np.testing.assert_allclose(found, expected, atol=1e-9)
        assert len({str(one) for _, one in every[place]}) == len(expected)  # each once
        np.testing.assert_allclose([s for s, _ in three[place]], expected[:3], atol=1e-9)
        assert scores[place] == pytest.approx(expected[0])
        assert str(best[place]) == str(every[place][0][1])
    assert derivations.kbest(theta, 0) == [[]] * len(corpus)


def what_is_observed_is_a_set_like_any_other(family, rng):
    theta = weights_of(family, rng)
    for data in DATA:
        corpus, derivations = members_of(family, labelled=True, data=data)
        values, (scores, _) = derivations.log_partition(theta), derivations.best(theta)
        ranked, drawn = derivations.kbest(theta, MANY), derivations.sample(theta, rng, 2)
        entropies = derivations.entropy(theta)
        for place, each in enumerate(corpus):
            these = family.listing(family.model, each, theta)
            mine = these.scores[these.observed & (these.scores > -np.inf)]
            assert values[place] == pytest.approx(log_sum(mine))
            assert scores[place] == pytest.approx(max(mine))
            np.testing.assert_allclose([s for s, _ in ranked[place]], np.sort(mine)[::-1])
            probs = probs_of(mine)
            assert entropies[place] == pytest.approx(-(probs * np.log(probs)).sum(), abs=1e-9)
            assert len(drawn[place]) == 2
            known = {str(one) for _, one in ranked[place]}
            assert {str(one) for one in drawn[place]} <= known


def following_the_best_is_climbing_its_score(family, rng):
    if family.flat(conditional):
        return  # which have no gradient
    theta = weights_of(family, rng)
    _, derivations = members_of(family)
    coefficients = rng.normal(size=len(derivations))
    scores, gradient = derivations.follow(theta, coefficients)
    np.testing.assert_allclose(scores, derivations.best(theta)[0])
    for direction in rng.normal(size=(3, len(theta))):
        slope = finite_difference(lambda t: coefficients @ derivations.best(t)[0], theta, direction)
        assert gradient @ direction == pytest.approx(slope, rel=1e-5, abs=1e-6)


def samples_come_in_proportion(family, rng):
    rng = np.random.default_rng(5)
    theta = weights_of(family, rng)
    _, derivations = members_of(family)
    ranked, drawn = derivations.kbest(theta, MANY), derivations.sample(theta, rng, 400)
    for several, some in zip(ranked, drawn, strict=True):
        probs = probs_of(np.array([score for score, _ in several]))
        names = [str(each) for _, each in several]
        often = Counter(map(str, some))
        found = np.array([often[name] for name in names])
        assert found.sum() == 400
        assert (abs(found - 400 * probs) < 5 * np.sqrt(400 * probs * (1 - probs)) + 3).all()


def entropies_are_those_of_the_list(family, rng):
    theta = weights_of(family, rng)
    corpus, derivations = members_of(family)
    found = derivations.entropy(theta)
    for place, each in enumerate(corpus):
        probs = probs_of(listed_scores(family, each, theta))
        assert found[place] == pytest.approx(-(probs * np.log(probs)).sum(), abs=1e-9)


def marginals_are_expected_numbers_of_parts(family, rng):
    """How often the parts of all derivations are used, each as likely as it is."""
    theta = weights_of(family, rng)
    _, derivations = members_of(family)
    values, found = derivations.marginals(theta)
    np.testing.assert_allclose(values, derivations.log_partition(theta), atol=1e-10)
    for ranked, mine in zip(derivations.kbest(theta, MANY), found, strict=True):
        probs = probs_of(np.array([score for score, _ in ranked]))
        expected = np.zeros_like(mine)
        for (_, each), prob in zip(ranked, probs, strict=True):
            for part in family.places(each):
                expected[part] += prob
        np.testing.assert_allclose(mine, expected, atol=1e-9)


def marginals_of_members_that_share_a_sentence_are_kept_apart(family, rng):
    theta = weights_of(family, rng)
    corpus = family.corpora["complete"]
    evidences = [each.evidence(labelled) for each in corpus for labelled in (False, False)]
    derivations = family.model.derivations([*evidences, corpus[0].evidence(labelled=False)])
    values, found = derivations.marginals(theta)
    for place in range(0, len(evidences), 2):
        np.testing.assert_array_equal(found[place], found[place + 1])
        assert values[place] == values[place + 1]
    np.testing.assert_array_equal(found[-1], found[0])


def rivals_are_the_best_of_what_was_not_observed(family, rng):
    theta = weights_of(family, rng)
    for data in DATA:
        corpus, derivations = members_of(family, data=data)
        observed = [each.evidence() for each in corpus]
        rivals = derivations.without(observed)
        scores = rivals.log_partition(theta)
        for place, each in enumerate(corpus):
            these = family.listing(family.model, each, theta)
            expected = max(these.scores[~these.observed], default=-np.inf)
            assert scores[place] == pytest.approx(expected)


def members_are_selected_in_any_order(family, rng):
    theta = weights_of(family, rng)
    for labelled in (False, True):
        corpus, derivations = members_of(family, labelled)
        some = np.array([len(corpus) - 1, 0, 0])
        chosen = derivations.select(some)
        expected = derivations.log_partition(theta)[some]
        np.testing.assert_array_equal(chosen.log_partition(theta), expected)
        scores, shown = derivations.best(theta)
        found, same = chosen.best(theta)
        np.testing.assert_array_equal(found, scores[some])
        assert list(map(str, same)) == [str(shown[member]) for member in some.tolist()]
        if not family.flat(conditional):
            coefficients = np.array([1.0, 2.0, -0.5])
            shares = np.zeros(len(corpus))
            np.add.at(shares, some, coefficients)
            gradients = [
                chosen.evaluate(theta, coefficients)[1],
                derivations.evaluate(theta, shares)[1],
            ]
            np.testing.assert_allclose(*gradients, atol=1e-10)


def nothing_is_impossible_that_has_a_derivation(family):
    theta = np.zeros(family.model.parameters.size) - 1.0
    for data in DATA:
        corpus = family.corpora[data]
        evidences = [each.evidence(labelled) for each in corpus for labelled in (True, False)]
        if family.kind == "chain" and family.model.normalisation != "conditional":
            evidences += [Evidence(lattice([(0, "u", 1), (1, "v", 2)], [1, 2]))]
        derivations = family.model.derivations(evidences)
        possible = np.isfinite(derivations.log_partition(theta))
        assert possible.all()
        assert [derivations.impossible(k) for k in range(len(evidences))] == [None] * len(evidences)
