"""What every set of derivations promises: best, k best, samples, marginals, entropy, rivals."""

from __future__ import annotations

import numpy as np
import pytest

from contracts.models import FAMILIES, listing, spans, weights_of
from oracles import finite_difference, log_sum, probs_of
from weft.criteria import CRITERIA, check_possible, contrast
from weft.derivations.best import Best
from weft.derivations.certain import Certain
from weft.derivations.counted import Counted
from weft.derivations.pooled import Pooled
from weft.derivations.union import Union
from weft.errors import EvidenceError, NotDefined
from weft.features.templates import templates
from weft.models import Chain, prepare
from weft.models.families import DATA
from weft.structures.evidence import EVERYTHING, Evidence, OfLength, OneOf, example, sentence
from weft.structures.lattice import lattice

families = pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
MANY = 10_000  # more than any sentence of the table has derivations


def members_of(family, labelled=False, data="complete"):
    corpus = family.corpora[data]
    return corpus, family.model.derivations([each.evidence(labelled) for each in corpus])


def listed_scores(family, example, theta) -> np.ndarray:
    these = listing(family, example, theta)
    return np.sort(these.scores[these.scores > -np.inf])[::-1]


@families
def test_the_best_are_those_of_the_list(family, rng):
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


@families
def test_what_is_observed_is_a_set_like_any_other(family, rng):
    theta = weights_of(family, rng)
    for data in DATA:
        corpus, derivations = members_of(family, labelled=True, data=data)
        values, (scores, _) = derivations.log_partition(theta), derivations.best(theta)
        ranked, drawn = derivations.kbest(theta, MANY), derivations.sample(theta, rng, 2)
        entropies = derivations.entropy(theta)
        for place, each in enumerate(corpus):
            these = listing(family, each, theta)
            mine = these.scores[these.observed & (these.scores > -np.inf)]
            assert values[place] == pytest.approx(log_sum(mine))
            assert scores[place] == pytest.approx(max(mine))
            np.testing.assert_allclose([s for s, _ in ranked[place]], np.sort(mine)[::-1])
            probs = probs_of(mine)
            assert entropies[place] == pytest.approx(-(probs * np.log(probs)).sum(), abs=1e-9)
            assert len(drawn[place]) == 2
            known = {str(one) for _, one in ranked[place]}
            assert {str(one) for one in drawn[place]} <= known


@families
def test_following_the_best_is_climbing_its_score(family, rng):
    if family.kind == "tables":
        return  # which have no gradient
    theta = weights_of(family, rng)
    _, derivations = members_of(family)
    coefficients = rng.normal(size=len(derivations))
    scores, gradient = derivations.follow(theta, coefficients)
    np.testing.assert_allclose(scores, derivations.best(theta)[0])
    for direction in rng.normal(size=(3, len(theta))):
        slope = finite_difference(lambda t: coefficients @ derivations.best(t)[0], theta, direction)
        assert gradient @ direction == pytest.approx(slope, rel=1e-5, abs=1e-6)


@families
def test_samples_come_in_proportion(family):
    rng = np.random.default_rng(5)
    theta = weights_of(family, rng)
    _, derivations = members_of(family)
    ranked, drawn = derivations.kbest(theta, MANY), derivations.sample(theta, rng, 400)
    for several, some in zip(ranked, drawn, strict=True):
        probs = probs_of(np.array([score for score, _ in several]))
        names = [str(each) for _, each in several]
        found = np.array([[str(each) for each in some].count(name) for name in names])
        assert found.sum() == 400
        assert (abs(found - 400 * probs) < 5 * np.sqrt(400 * probs * (1 - probs)) + 3).all()


@families
def test_entropies_are_those_of_the_list(family, rng):
    theta = weights_of(family, rng)
    corpus, derivations = members_of(family)
    found = derivations.entropy(theta)
    for place, each in enumerate(corpus):
        probs = probs_of(listed_scores(family, each, theta))
        assert found[place] == pytest.approx(-(probs * np.log(probs)).sum(), abs=1e-9)


@families
def test_marginals_are_expected_numbers_of_parts(family, rng):
    """How often the parts of all derivations are used, each as likely as it is."""
    theta = weights_of(family, rng)
    _, derivations = members_of(family)
    values, found = derivations.marginals(theta)
    np.testing.assert_allclose(values, derivations.log_partition(theta), atol=1e-10)
    for ranked, mine in zip(derivations.kbest(theta, MANY), found, strict=True):
        probs = probs_of(np.array([score for score, _ in ranked]))
        expected = np.zeros_like(mine)
        for (_, each), prob in zip(ranked, probs, strict=True):
            for part in parts_of(family, each):
                expected[part] += prob
        np.testing.assert_allclose(mine, expected, atol=1e-9)


def parts_of(family, derivation):
    """Where the parts of a derivation stand among marginals."""
    if family.kind in ("chain", "tables"):
        return list(enumerate(derivation.tolist()))
    if family.kind == "grammar":
        return [(span, family.model.labels[label]) for span, label in tree_parts(derivation)]
    return [derivation] if isinstance(derivation, int) else edges_of(derivation)


def tree_parts(tree):
    nodes, length = spans(tree)
    order = [(i, j) for i in range(length) for j in range(i + 1, length + 1)]
    return [(order.index((i, j)), label) for label, i, j in nodes if i < j]


def edges_of(derivation):
    return [derivation.edge, *(edge for child in derivation.children for edge in edges_of(child))]


@families
def test_marginals_of_members_that_share_a_sentence_are_kept_apart(family, rng):
    theta = weights_of(family, rng)
    corpus = family.corpora["complete"]
    evidences = [each.evidence(labelled) for each in corpus for labelled in (False, False)]
    derivations = family.model.derivations([*evidences, corpus[0].evidence(labelled=False)])
    values, found = derivations.marginals(theta)
    for place in range(0, len(evidences), 2):
        np.testing.assert_array_equal(found[place], found[place + 1])
        assert values[place] == values[place + 1]
    np.testing.assert_array_equal(found[-1], found[0])


@families
def test_rivals_are_the_best_of_what_was_not_observed(family, rng):
    theta = weights_of(family, rng)
    for data in DATA:
        corpus, derivations = members_of(family, data=data)
        observed = [each.evidence() for each in corpus]
        rivals = derivations.without(observed)
        scores = rivals.log_partition(theta)
        for place, each in enumerate(corpus):
            these = listing(family, each, theta)
            expected = max(these.scores[~these.observed], default=-np.inf)
            assert scores[place] == pytest.approx(expected)


@families
def test_members_are_selected_in_any_order(family, rng):
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
        if family.kind != "tables":
            coefficients = np.array([1.0, 2.0, -0.5])
            shares = np.zeros(len(corpus))
            np.add.at(shares, some, coefficients)
            gradients = [
                chosen.evaluate(theta, coefficients)[1],
                derivations.evaluate(theta, shares)[1],
            ]
            np.testing.assert_allclose(*gradients, atol=1e-10)


@families
def test_nothing_is_impossible_that_has_a_derivation(family):
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


@pytest.fixture(params=[1, 2], ids=["order1", "order2"])
def cramped(request):
    """No sentence begins with I-X, which is all that u may be; w may be O alone."""
    closed = {"u": frozenset({"I-X"}), "v": frozenset({"B-X"}), "w": frozenset({"O"})}
    options = {"templates": templates("word[0]"), "ngrams": "all", "dictionary": closed}
    return prepare(
        Chain(order=request.param, scheme="chunks", **options),
        [example(["v", "u"], ["B-X", "I-X"]), example(["w", "v"], ["O", "B-X"])],
    )


def test_what_is_impossible_ends_at_the_same_token_in_any_set(cramped):
    """A sentence, the same as a lattice, beside a lattice, and among several."""
    for words, place in (("u", 0), ("v w u v", 2), ("w v u u", None), ("v u w u", 3)):
        tokens = words.split()
        path = lattice([(n, word, n + 1) for n, word in enumerate(tokens)], [len(tokens)])
        sets = [
            cramped.derivations([Evidence(sentence(tokens))]),
            cramped.derivations([Evidence(path)]),
            cramped.derivations([Evidence(sentence(tokens)), Evidence(path)]),
            cramped.derivations([Evidence(OneOf((sentence(tokens),)))]),
        ]
        for derivations in sets:
            assert derivations.impossible(0) == place
            value = derivations.log_partition(np.zeros(cramped.parameters.size))[0]
            assert np.isneginf(value) == (place is not None)


def test_what_may_not_end_ends_at_its_last_token():
    """A phrase that has begun goes on: B-X is the last of no sentence, and not followed by B-X."""
    corpus = [example(["v", "u", "v", "u", "w", "x"], ["B-X", "E-X", "B-X", "E-X", "O", "S-X"])]
    for words, lengths in (("v", [0, 1, 1]), ("vux", [None, None, None])):
        tags = {"v": "B-X", "u": "E-X", "x": "S-X"}
        closed = {w: frozenset({tags[w]} if w in words else ()) for w in "vuwx"}
        options = {"templates": templates("word[0]"), "ngrams": "all", "dictionary": closed}
        model = prepare(Chain(scheme="chunks", **options), corpus)
        members = model.derivations([Evidence(OfLength(length)) for length in (1, 2, 3)])
        assert [members.impossible(k) for k in range(3)] == lengths
        path = lattice([(0, "v", 1), (1, "u", 2), (2, "v", 3)], [3])
        for tokens in (sentence(["v", "u", "v"]), path):
            expected = 1 if words == "v" else 2
            assert model.derivations([Evidence(tokens)]).impossible(0) == expected


def test_a_lattice_ends_where_its_furthest_string_does(cramped):
    both = lattice([(0, "u", 1), (0, "v", 1), (1, "w", 2), (2, "u", 3), (3, "v", 4)], [4])
    assert cramped.derivations([Evidence(both)]).impossible(0) == 2


def test_contrastive_criteria_name_the_token_that_is_impossible(cramped):
    corpus = [example(["w", "v"], ["O", "B-X"]), example(["w", "w", "u"], ["O", "O", "I-X"])]
    for name in ("contrastive:trans1", "contrastive:length", "contrastive:corpus", "conditional"):
        objective = contrast(cramped, corpus, CRITERIA[name])
        with pytest.raises(EvidenceError, match=r"example 2: .* at token 3, 'u'"):
            check_possible(objective, corpus, np.zeros(cramped.parameters.size))


def test_lengths_that_no_sentence_has_are_impossible(rng):
    """No sentence begins with I-X, which is all that words may be; but for v, where it may not."""
    corpus = [example(["v", "u"], ["B-X", "I-X"])]
    for tag, expected in (("I-X", [0, 0]), ("B-X", [None, None])):
        closed = {"u": frozenset({"I-X"}), "v": frozenset({tag})}
        options = {"templates": templates("word[0]"), "ngrams": "all", "dictionary": closed}
        model = prepare(Chain(scheme="chunks", **options), corpus)
        members = model.derivations([Evidence(OfLength(1)), Evidence(OfLength(3))])
        assert [members.impossible(k) for k in range(2)] == expected
        values = members.log_partition(rng.normal(size=model.parameters.size))
        assert np.isneginf(values).tolist() == [each is not None for each in expected]


# Combinations


def test_pools_are_sets_of_derivations(rng):
    family = FAMILIES["hidden Markov model"]
    theta = weights_of(family, rng)
    corpus, derivations = members_of(family)
    pools = Pooled(derivations, [[0, 1], [2]])
    scores = [listed_scores(family, each, theta) for each in corpus]
    together = [np.sort(np.concatenate(scores[:2]))[::-1], scores[2]]
    for place, expected in enumerate(together):
        assert pools.log_partition(theta)[place] == pytest.approx(log_sum(expected))
        assert pools.best(theta)[0][place] == pytest.approx(expected[0])
        ranked = pools.kbest(theta, 5)[place]
        np.testing.assert_allclose([score for score, _ in ranked], expected[:5])
        probs = probs_of(expected)
        entropy = -(probs * np.log(probs)).sum()
        assert pools.entropy(theta)[place] == pytest.approx(entropy)
    lengths = {len(each) for each in pools.sample(theta, rng, 50)[0]}
    assert lengths == {2, 3}
    slope = finite_difference(lambda t: pools.best(t)[0].sum(), theta, np.ones_like(theta))
    assert pools.follow(theta, np.ones(2))[1].sum() == pytest.approx(slope, abs=1e-6)
    np.testing.assert_array_equal(
        pools.select(np.array([1])).log_partition(theta), pools.log_partition(theta)[1:]
    )
    for ask in (pools.marginals, lambda _: pools.charged([], 1.0), lambda _: pools.without([])):
        with pytest.raises(NotDefined, match="several sentences"):
            ask(theta)


def test_sums_alone_say_why_they_are_no_more():
    for name in ("free chain of single words", "hidden Markov model", "grammar, free"):
        family = FAMILIES[name]
        theta = np.full(family.model.parameters.size, -2.0)
        for derivations in (
            family.model.derivations([EVERYTHING]),
            family.model.derivations([Evidence(OfLength(2))]),
        ):
            if name == "grammar, free" and np.isfinite(derivations.log_partition(theta)[0]):
                continue  # all sentences of a length are a lattice of trees, which has a best one
            with pytest.raises(NotDefined, match="are of one sentence"):
                derivations.best(theta)


def test_one_derivation_is_its_own_best(rng):
    theta = rng.normal(size=3)
    counted = Counted([[0, 2, 0], [1]], 3)
    scores, shown = counted.best(theta)
    np.testing.assert_array_equal(scores, counted.log_partition(theta))
    assert [each.tolist() for each in shown] == [[0, 2, 0], [1]]
    assert [len(each) for each in counted.sample(theta, rng, 3)] == [3, 3]
    assert counted.select(np.array([1])).log_partition(theta) == theta[1]
    assert not counted.entropy(theta).any()
    assert counted.charged([None, None], 5.0) is counted
    with pytest.raises(NotDefined, match="no rival"):
        counted.without([None, None])


def test_the_best_alone_is_a_set_without_doubt(rng):
    family = FAMILIES["free chain"]
    theta = weights_of(family, rng)
    _, derivations = members_of(family)
    best = Best(derivations)
    assert [len(each) for each in best.kbest(theta, 4)] == [1] * len(best)
    assert [len(each) for each in best.sample(theta, rng, 3)] == [3] * len(best)
    assert not best.entropy(theta).any()
    np.testing.assert_array_equal(
        best.select(np.array([2])).log_partition(theta), derivations.best(theta)[0][2:]
    )


def test_sums_that_are_certain_know_their_derivations(rng):
    family = FAMILIES["chain normalised by steps"]
    theta = weights_of(family, rng)
    corpus, derivations = members_of(family)
    assert isinstance(derivations, Union)
    np.testing.assert_array_equal(derivations.log_partition(theta), np.zeros(len(corpus)))
    spelt = family.model.trellis([each.evidence(labelled=False) for each in corpus])
    np.testing.assert_array_equal(derivations.entropy(theta), spelt.entropy(theta))
    with pytest.raises(NotDefined, match="of one sentence"):
        Certain().best(theta)
