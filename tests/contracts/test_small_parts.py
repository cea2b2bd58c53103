"""Charts whose scores of spans are made in small parts are those of one part."""

from __future__ import annotations

import numpy as np
import pytest

from contracts.models import FAMILIES, weights_of
from weft.structures.evidence import Evidence, sentence

grammars = pytest.mark.parametrize(
    "family", [each for each in FAMILIES.values() if each.kind == "grammar"], ids=lambda f: f.name
)


@grammars
@pytest.mark.parametrize("most", [1, 100, 200])
def test_parts_change_nothing(family, most, rng):
    theta = weights_of(family, rng)
    corpus = [*family.corpora["complete"], *family.corpora["partial"]] * 2
    observed = [each.evidence() for each in corpus]
    inputs = [each.evidence(labelled=False) for each in corpus]
    whole, parts = family.model.chart(inputs), family.model.chart(inputs, most_scores=most)
    coefficients = rng.normal(size=len(inputs))
    slopes = rng.uniform(0.5, 2.0, size=1000)
    for cost in (0.0, 0.7):
        one, two = whole, parts
        if cost:
            one, two = one.charged(observed, cost), two.charged(observed, cost)
        np.testing.assert_allclose(two.log_partition(theta), one.log_partition(theta))
        for ask in ("evaluate", "follow"):
            (a, b), (c, d) = (getattr(e, ask)(theta, coefficients) for e in (one, two))
            np.testing.assert_allclose(c, a, rtol=1e-12)
            np.testing.assert_allclose(d, b, atol=1e-11)
        (scores, _), (again, trees) = one.best(theta), two.best(theta)
        np.testing.assert_allclose(again, scores, rtol=1e-12)
        for best, ranked in zip(trees, one.kbest(theta, 9), strict=True):
            assert best in [tree for score, tree in ranked if score > ranked[0][0] - 1e-9]
        assert len(two.kbest(theta, 2)) == len(inputs)
        np.testing.assert_allclose(two.entropy(theta), one.entropy(theta), atol=1e-9)
        for a, b in zip(one.marginals(theta)[1], two.marginals(theta)[1], strict=True):
            np.testing.assert_allclose(b, a, atol=1e-12)
    single, several = whole.parts(observed), parts.parts(observed)
    found = single.log_probs(theta)
    np.testing.assert_allclose(several.log_probs(theta), found, atol=1e-12)
    gradients = [each.slope(theta, slopes[: len(found)], found) for each in (single, several)]
    np.testing.assert_allclose(gradients[1], gradients[0], atol=1e-10)
    rivals = [each.without(observed).log_partition(theta) for each in (whole, parts)]
    np.testing.assert_allclose(rivals[1], rivals[0])


@pytest.mark.parametrize("name", ["grammar, phrases", "grammar, free"])
def test_impossible_members_of_any_part_are_named(name):
    family = FAMILIES[name]
    texts = ["n v", "n n p", "d n", "v v v v", "n v n p n", "n zebra"]
    charts = family.model.chart([Evidence(sentence(t.split())) for t in texts], most_scores=1)
    expected = [None, 2, None, 3, None, 1]
    assert [charts.impossible(member) for member in range(len(texts))] == expected
    values = charts.log_partition(np.full(family.model.parameters.size, -1.0))
    assert np.isneginf(values).tolist() == [each is not None for each in expected]
