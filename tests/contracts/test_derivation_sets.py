"""What sets of derivations promise beside the laws: what is impossible, and combinations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from contracts.laws_of_derivations import listed_scores, members_of
from contracts.models import FAMILIES, weights_of
from oracles import finite_difference, log_sum, probs_of
from weft.criteria import CRITERIA, check_possible, contrast
from weft.derivations.best import BestPaths
from weft.derivations.combine import Pooled
from weft.derivations.feature_map import from_lists
from weft.derivations.forest import Forest, Weighted
from weft.derivations.known import Certain, Counted
from weft.errors import EvidenceError, NotDefined
from weft.features.templates import templates
from weft.models import Chain, prepare
from weft.models.forest_model import Edge, LabellingModel
from weft.structures.evidence import (
    EVERYTHING,
    Evidence,
    OfLength,
    OneOf,
    example,
    no_tagging,
    sentence,
)
from weft.structures.hypergraph import hypergraph
from weft.structures.lattice import lattice


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


@dataclass(frozen=True, eq=False)
class Pairs(LabellingModel):
    """Tokens are labelled two at a time, from the left; a sentence is of even length."""

    names: tuple[tuple[str, str], ...] = ()

    def edges(self, words):
        for end in range(2, len(words) + 1, 2):
            for labels in ("AA", "AB"):
                yield Edge(end, [end - 2] * (end > 2), (), end - 2, tuple(labels))
        yield Edge("sentence", [len(words)])


@pytest.mark.parametrize(
    ("tags", "place"), [("AAAB", None), ("ABBA", 2), ("BAAA", 0), ("ABABBB", 4), ("ABAAAB", None)]
)
def test_a_hypergraph_that_knows_its_tokens_names_the_one_that_ends_it(tags, place):
    """A pair that begins with B does not exist."""
    found = Pairs().derivations([Evidence(sentence(list("wwwwww"[: len(tags)])), tuple(tags))])
    assert found.impossible(0) == place


def test_a_hypergraph_that_knows_of_no_tokens_blames_none():
    nothing = Weighted(hypergraph(1, [(0, ())]), np.array([-np.inf]), from_lists([[]], 0))
    assert Forest([nothing], 0).impossible(0) == -1
    assert no_tagging(example(["a"], ["X"]), 4, -1) == "example 5: no tagging is possible"


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
    counted = Counted(from_lists([[0, 2, 0], [1]], 3))
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
    best = BestPaths(derivations)
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
    assert isinstance(derivations, Certain)
    np.testing.assert_array_equal(derivations.log_partition(theta), np.zeros(len(corpus)))
    spelt = family.model.trellis([each.evidence(labelled=False) for each in corpus])
    np.testing.assert_array_equal(derivations.entropy(theta), spelt.entropy(theta))
    with pytest.raises(NotDefined, match="of one sentence"):
        Certain().best(theta)
