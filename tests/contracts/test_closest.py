"""The closest answer breaks the fewest rules, whatever all other weights are, and then is the best.

The definition is enumeration: of all derivations of a sentence, how many weights of -inf each has,
and what its other weights come to.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest

from chains import random_corpus
from contracts.models import FAMILIES
from weft.arrays import broken_and_kept
from weft.derivations.chain.expand import to_forest
from weft.derivations.chart.chart import Chart
from weft.derivations.chart.grammar import chart_grammar
from weft.errors import EvidenceError
from weft.features.templates import templates
from weft.models import Chain, Extent, prepare
from weft.models.options import Normalisation
from weft.models.tagger import Tagger
from weft.structures.derivation import preorder
from weft.structures.evidence import Evidence, example, sentence
from weft.structures.grammar import Rule, Terminal, grammar

SCALES = (1.0, 1e6, 1e10)


def weights_with_rules(rng, size, share):
    """Weights of all sizes, a share of them -inf."""
    theta = rng.normal(size=size) * rng.choice(SCALES, size, p=(0.6, 0.2, 0.2))
    return np.where(rng.random(size) < share, -np.inf, np.clip(theta, -1e10, 1e10))


def is_closest(own, every):
    """Whether an answer's numbers of kept rules and its score are the best of all."""
    counts, scores = (np.asarray(each) for each in every)
    least = counts.max()
    best = scores[np.isclose(counts, least)].max()
    return own[0] == pytest.approx(least) and own[1] == pytest.approx(best, rel=1e-9, abs=1e-9)


LINEAR = [
    name
    for name, each in FAMILIES.items()
    if each.kind in ("chain", "grammar")
    and getattr(each.model, "normalisation", None) is Normalisation.NONE
]


@pytest.mark.parametrize("name", LINEAR)
def test_no_weight_makes_up_for_a_rule(name, rng):
    family, tried = FAMILIES[name], 0
    for share in (0.3, 0.6, 0.9):
        theta = weights_with_rules(rng, family.model.parameters.size, share)
        model, halves = family.trained(theta), broken_and_kept(theta)
        for given in family.corpora["raw"]:
            if model.predict([given.tokens])[0] is not None:
                continue
            every = [family.listing(family.model, given, each).scores for each in halves]
            if not np.isfinite(every[0]).any():  # rules that are no weights leave nothing
                continue
            found = model.closest(given.tokens)
            evidence = model.labelled(family.example(given.tokens, found))
            own = [family.model.derivations([evidence]).log_partition(each) for each in halves]
            assert is_closest([float(each[0]) for each in own], every)
            tried += 1
    assert tried


@pytest.mark.parametrize(
    "name", [n for n, f in FAMILIES.items() if f.kind in ("tables", "selection")]
)
def test_models_without_such_weights_have_no_closest_answer(name, rng):
    family = FAMILIES[name]
    model = family.trained(rng.normal(size=family.model.parameters.size))
    assert model.closest(family.corpora["raw"][0].tokens) is None


@pytest.mark.parametrize("order", [1, 2])
def test_normalised_steps_of_probability_zero_are_rules(order, rng):
    """An HMM's weights that are logs of probabilities are what the same free chain has."""
    chain = Chain(
        order=order,
        templates=templates("word[0]"),
        attributes=Extent.ALL,
        ngrams=Extent.ALL,
        normalisation="joint",
    )
    corpus = [example(each.tokens.words, each.analysis) for each in random_corpus(rng, 20)]
    model, tried = prepare(chain, corpus), 0
    for _ in range(4):
        size = model.parameters.size
        theta = model.distributions.weights(np.where(rng.random(size) < 0.6, 0.0, rng.random(size)))
        hmm, free = Tagger(model, theta), Tagger(model.free, theta)
        for words in product(model.vocabulary, repeat=2):
            if hmm.predict([words])[0] is None and (found := hmm.closest(words)) is not None:
                assert found == free.closest(words)
                tried += 1
    assert tried


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("whole", [False, True], ids=["dictionary", "transitions"])
def test_dictionaries_and_transitions_give_way(order, whole, rng):
    """First the dictionary, then forbidden transitions; each broken rule counts as one."""
    chain = Chain(order=order, templates=templates("word[0]"), attributes=Extent.ALL)
    model = prepare(chain, random_corpus(rng, 30))
    names, size = list(model.tags), model.topology.tags
    for _ in range(12):
        forbidden = rng.random((size + 1, size + 1)) < (0.9 if whole else 0.3)
        if whole:
            forbidden[:, size] = True  # no sentence may end
        forbidden[size, size] = False  # the two boundaries before a sentence
        dictionary = {word: frozenset(rng.choice(names, 1)) for word in model.vocabulary}
        topology = replace(model.topology, forbidden=forbidden)
        theta = weights_with_rules(rng, model.parameters.size, 0.2)
        tagger = Tagger(replace(model, topology=topology, dictionary=dictionary), theta)
        words = tuple(rng.choice(model.vocabulary, 3).tolist())
        tokens, every, rules = sentence(words), list(product(names, repeat=3)), []
        for tags in every:
            path = [size, *(names.index(tag) for tag in tags), size]
            steps = int(sum(forbidden[pair] for pair in pairwise(path)))
            strange = sum(t not in dictionary[w] for w, t in zip(words, tags, strict=True))
            rules.append((steps, strange))
        loose = replace(model, topology=replace(model.topology, forbidden=np.zeros_like(forbidden)))
        members = loose.trellis([Evidence(tokens, tags) for tags in every])
        zeros, scores = (members.log_partition(each) for each in broken_and_kept(theta))
        steps, strange = np.array(rules).T
        for able in ((steps + strange) == 0, steps == 0, np.ones(len(every), np.bool_)):
            if able.any():
                break
        counts = np.where(able, zeros - steps - strange, -np.inf)
        if counts.max() < 0:
            found = every.index(tagger.closest(words))
            assert is_closest((counts[found], scores[found]), (counts, scores))


def closest_of_two_tags(order, words, weights):
    """The closest answer of a chain that allows none, given weights of words with tags a and b."""
    chain = Chain(order=order, templates=templates("word[0]"), attributes=Extent.ALL)
    model = prepare(chain, [example(words, [tag] * len(words)) for tag in "ab"])
    topology = replace(model.topology, forbidden=np.ones_like(model.topology.forbidden))
    model = replace(model, topology=topology)
    names = [name for _, name in model.named(np.arange(model.parameters.size))]
    known = {
        f"word[0]={w} → {t}": x
        for w, pair in weights.items()
        for t, x in zip("ab", pair, strict=True)
    }
    theta = np.array([known.get(name, 0.0) for name in names])
    return Tagger(model, theta).closest(tuple(words))


@pytest.mark.parametrize("order", [1, 2])
def test_of_equally_good_answers_the_first_is_the_closest(order):
    """Scores that differ in their last digits are equal: of tags, the first are taken."""
    for length in (1, 3):
        for pair in ((0.3, 0.1 + 0.2), (0.1 + 0.2, 0.3)):
            found = closest_of_two_tags(order, ["x"] * length, {"x": pair})
            assert found == ("a",) * length
    # Where sums cancel later, a small share of a large one is a difference.
    weights = {"x": (1e10 - 9, 1e10 - 4), "y": (-1e10, -1e10)}
    assert closest_of_two_tags(order, ["x", "y"], weights) == ("b", "a")


@pytest.mark.parametrize("order", [1, 2])
def test_forests_have_the_same_closest_derivations(order, rng):
    """Also where features have values, so that rules are broken by parts of one."""
    chain = Chain(order=order, templates=templates("word[0]"), attributes=Extent.ALL)
    corpus = random_corpus(rng, 10)
    model = prepare(chain, corpus)
    trellis = model.trellis([each.evidence(labelled=False) for each in corpus])
    forest = to_forest(trellis)
    for share in (0.0, 0.3, 0.6, *[0.9] * 10):
        theta = weights_with_rules(rng, model.parameters.size, share)
        halves = broken_and_kept(theta)
        written = [forest.edge_scores(each) for each in halves]
        paths = zip(corpus, trellis.fewest(theta), strict=True)
        taggings = [Evidence(c.tokens, tuple(model.tags[t] for t in path)) for c, path in paths]
        sums = [model.trellis(taggings).log_partition(each) for each in halves]
        for member, derivation in enumerate(forest.fewest(theta)):
            edges = forest.edge_offsets[member] + np.array(preorder(derivation))
            own = [float(each[edges].sum()) for each in written]
            assert own == pytest.approx([float(each[member]) for each in sums], rel=1e-9, abs=1e-9)


def test_empty_parts_are_chosen_by_rules_first():
    """B is empty by a zero probability and a large weight, or by C, which is possible."""
    rules = grammar(
        [
            Rule("S", ("A", "B")),
            Rule("A", (Terminal("a"),)),
            Rule("B", ()),
            Rule("B", ("C",)),
            Rule("C", ()),
        ]
    )
    chart = Chart(chart_grammar(rules), [Evidence(sentence(["a"]))], 1)
    zero, weights = np.array([0.0, -1.0, -1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1e10, -1e10, 3.0])
    [tree] = chart.fewest(zero, weights)
    assert repr(tree) == "Tree('(S (A a) (B (C)))')"
    zero[3] = zero[4] = -1.0
    [tree] = chart.fewest(zero, weights)
    assert repr(tree) == "Tree('(S (A a) (B))')"


def test_a_token_is_named_by_the_whole_sentence(rng):
    """What a first pass allows depends on the whole sentence, and a beginning has other tags."""
    corpus = random_corpus(rng, 30)
    model = prepare(Chain(templates=templates("word[0]"), attributes=Extent.ALL), corpus)

    class Pass:
        """Allows the first tag at the last token, and the second at all others."""

        def allowed(self, sentences, _=None):
            first, other = (frozenset({tag}) for tag in model.tags[:2])
            return {each: (*[other] * (len(each) - 1), first) for each in sentences}

    theta = np.zeros(model.parameters.size)
    bigrams = model.topology.bigrams
    start = model.topology.bigram_start
    # Into the first tag no step leads; so the last of any sentence has no tag.
    theta[start : start + len(bigrams)][bigrams[:, 1] == 0] = -np.inf
    tagger = Tagger(replace(model, first=Pass()), theta)
    words = tuple(rng.choice(model.vocabulary, 4).tolist())
    with pytest.raises(EvidenceError, match="at token 4, "):
        tagger.tag([words])
