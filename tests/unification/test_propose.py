"""Analyses that a covering grammar draws: their probabilities, and the sums they stand for."""

from __future__ import annotations

import io
import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from weft.commands.unification.proposals import count_rules
from weft.conversions.covering import bound_partition
from weft.corpora.parses.sets import parse_set_line
from weft.criteria import Gaussian, contrast, joint, marginal
from weft.errors import FormatError, OptionError
from weft.features.properties import properties
from weft.models.selection.spec import Sampling, Selection
from weft.structures.parse_set import Candidate, ParseSet
from weft.structures.tree import Tree, subtrees
from weft.train import fit
from weft.unification import FeatureParser, load, pack, read_fcfg
from weft.unification.forest import ROOT
from weft.unification.generate import generate, sentence_of
from weft.unification.propose import (
    Proposals,
    covering,
    propose,
    rule_counts,
    rule_tree,
    universe,
)

RULES = b"""
% start S
# s
S -> NP[N=?n] VP[N=?n]
# det
NP[N=?n] -> D[N=?n] N[N=?n]
# of
NP[N=?n] -> D[N=?n] N[N=?n] 'of' M
# a
D[N=sg] -> 'a'
# the
D -> 'the'
# dog
N[N=sg] -> 'dog'
# dogs
N[N=pl] -> 'dogs'
# mud
M -> 'mud'
# intransitive
VP[N=?n] -> V[N=?n]
# transitive
VP[N=?n] -> V[N=?n] NP
# sees
V[N=sg] -> 'sees'
# see
V[N=pl] -> 'see'
"""
LOCAL = properties("rules entries")


@pytest.fixture(scope="module")
def grammar():
    return read_fcfg(io.BytesIO(RULES))


@pytest.fixture(scope="module")
def every(grammar):
    return list(generate(grammar, 5))


def whole(trees, scores=None):
    """The universe of these analyses."""
    scores = np.zeros(len(trees)) if scores is None else scores
    pairs = zip(trees, scores, strict=True)
    made = [Candidate(Tree(ROOT, (rule_tree(tree),)), {}, float(score)) for tree, score in pairs]
    return ParseSet("all", "", tuple(made))


def drawn(grammar, count, seed=0):
    return propose(grammar, covering(grammar), count, np.random.default_rng(seed))


@pytest.fixture(scope="module")
def samples(grammar):
    """Several universes, drawn independently of each other."""
    return [universe(drawn(grammar, 120, seed)) for seed in range(10)]


def test_draws_are_as_frequent_as_their_probabilities_say(grammar, every):
    found = drawn(grammar, 500)
    probs = {str(tree): math.exp(q) for tree, q in zip(found.trees, found.log_probs, strict=True)}
    seen = Counter(map(str, found.trees))
    assert set(probs) <= set(map(str, every))
    for name, prob in probs.items():
        error = math.sqrt(prob * (1 - prob) / found.tried)
        assert abs(seen[name] / found.tried - prob) < 5 * error
    assert found.deep == 0


def test_what_agreement_forbids_is_never_begun(grammar, every):
    found = drawn(grammar, 100)
    assert len(found.trees) == found.tried
    assert sum(math.exp(q) for q in _probs(found).values()) <= 1 + 1e-9
    assert len({sentence_of(tree) for tree in every}) < 3 * 3 * 3 * 3 * 4


def _probs(found: Proposals) -> dict[str, float]:
    return dict(zip(map(str, found.trees), found.log_probs.tolist(), strict=True))


def test_the_sum_over_draws_stands_for_the_sum_over_all(samples, every):
    sums = [np.logaddexp.reduce([each.score for each in one.analyses]) for one in samples]
    error = np.std(np.exp(sums)) / math.sqrt(len(sums))
    assert abs(np.mean(np.exp(sums)) - len(every)) < 5 * error


def test_no_constituent_that_is_drawn_is_part_of_itself():
    rules = b"S -> A[SEM=?x]\nA[SEM=<f(?x)>] -> A[SEM=?x] | B[SEM=?x]\nA[SEM=<u>] -> 'u'"
    grammar = read_fcfg(
        io.BytesIO(rules + b"\nB[SEM=?x] -> A[SEM=?x]\nB[SEM=<v>] -> 'u' | B E\nE ->")
    )
    trees = set(map(str, FeatureParser(grammar).parse("u")))
    assert set(map(str, drawn(grammar, 300).trees)) == trees


def test_counts_move_probabilities(grammar):
    counts = rule_counts([(Tree("s", (Tree("det", ("x",)),)), 10.0)])
    assert counts == {"s": 10.0, "det": 10.0}
    plain, moved = covering(grammar), covering(grammar, counts)
    names = [rule.name for rule in grammar.rules]
    assert moved[names.index("det")] == pytest.approx(math.log(10.5 / 11))
    assert plain[names.index("det")] == pytest.approx(math.log(0.5))
    assert plain[names.index("a")] == moved[names.index("a")]


def test_depth_is_kept_and_told(grammar):
    found = propose(grammar, covering(grammar), 50, np.random.default_rng(0), depth=3)
    assert found.deep + len(found.trees) == 50
    assert all(str(tree) in set(map(str, generate(grammar, 3))) for tree in found.trees)


@pytest.mark.parametrize("numbers", [(0, 9), (1, 0)])
def test_numbers_out_of_range_are_refused(grammar, numbers):
    with pytest.raises(OptionError, match="must be positive"):
        covering(grammar, smoothing=0.0)
    tried, depth = numbers
    with pytest.raises(OptionError, match=r"at least 1|from 1 to"):
        propose(grammar, covering(grammar), tried, np.random.default_rng(0), depth)


def test_a_universe_of_nothing_is_refused():
    with pytest.raises(OptionError, match="none of 7 trials"):
        universe(Proposals((), np.zeros(0), 7, 7))


def corpus(every):
    """Sentences with their only analyses."""
    chosen = [every[place] for place in (0, 3, 3, 10, 17)]
    return [
        ParseSet(str(number), "", whole([tree]).analyses, (0,))
        for number, tree in enumerate(chosen)
    ]


@pytest.mark.parametrize("criterion", [joint, marginal], ids=lambda each: each.name)
@pytest.mark.parametrize("sampling", list(Sampling))
def test_the_drawn_gradient_is_the_exact_one_but_for_chance(samples, every, criterion, sampling):
    exact = Selection(LOCAL, relevance=0, universe=whole(every))
    examples = exact.compile(corpus(every))
    model = exact.prepare(examples)
    rng = np.random.default_rng(3)
    theta = rng.normal(size=len(model.names)) / 2
    value, gradient = contrast(model, examples, criterion)(theta)
    scores = np.array([_score(model, theta, tree) for tree in every])
    assert value == pytest.approx(
        sum(_score(model, theta, every[place]) for place in (0, 3, 3, 10, 17))
        - 5 * np.logaddexp.reduce(scores)
    )

    def gradient_of(sample):
        spec = Selection(LOCAL, relevance=0, universe=sample, sampling=sampling)
        # The names of the exact model, so that coordinates are the same.
        one = type(model)(spec, model.names, model.largest, spec.compiler()(sample).tokens)
        return contrast(one, examples, criterion)(theta)[1]

    # The bias of a ratio, and of where a walk begins, falls as one over the number of draws.
    error = np.std([gradient_of(each) for each in samples], axis=0) / math.sqrt(len(samples))
    assert (error > 0.01).any()
    assert (np.abs(gradient_of(pooled(samples)) - gradient) < 5 * error + 1e-6).all()


def pooled(samples):
    """All draws together."""
    less = math.log(len(samples))
    every = [replace(each, score=each.score - less) for one in samples for each in one.analyses]
    return ParseSet("all", "", tuple(every))


def _score(model, theta, tree):
    tokens = model.selection.compiler()(whole([tree])).tokens
    return float(model.analyses([tokens]).scores(theta, 1)[0])


def test_estimates_from_draws_come_near_the_exact_ones(grammar, every):
    options = {"criterion": joint, "penalty": Gaussian(1.0)}
    exact = fit(Selection(LOCAL, universe=whole(every)), corpus(every), **options)
    sample = universe(drawn(grammar, 900))
    near = fit(Selection(LOCAL, universe=sample), corpus(every), **options)
    assert near.model.names == exact.model.names
    np.testing.assert_allclose(near.weights, exact.weights, atol=0.2)
    assert "worth" in near.notes["universe"]
    assert not np.allclose(near.weights, 0.0, atol=0.3)


def test_packed_analyses_and_draws_share_their_features():
    parser = load(io.BytesIO(RULES))
    sentence = "the dog sees a dog of mud"
    packed = ParseSet("1", sentence, pack(parser.parse(sentence)))
    listed = whole(list(parser.parse(sentence)))
    names = [Selection(LOCAL).compile([each])[0].tokens.names for each in (packed, listed)]
    assert names[0] == names[1]


def test_the_covering_grammar_bounds_the_sum(grammar, every):
    spec = Selection(properties("rules grandparents entries words"), relevance=0)
    model = replace(spec, universe=whole(every)).prepare(spec.compile(corpus(every)))
    theta = np.random.default_rng(5).normal(size=len(model.names))
    exact = np.logaddexp.reduce([_score(model, theta, tree) for tree in every])
    assert bound_partition(grammar, model, theta) >= exact - 1e-9


def test_without_features_the_bound_is_the_sum():
    rules = "\n".join(
        line.replace("[N=?n]", "").replace("[N=sg]", "").replace("[N=pl]", "")
        for line in RULES.decode().splitlines()
    )
    plain = read_fcfg(io.BytesIO(rules.encode()))
    trees = list(generate(plain, 5))
    spec = Selection(properties("rules grandparents entries words"), relevance=0)
    model = replace(spec, universe=whole(trees)).prepare(spec.compile(corpus(trees)))
    theta = np.random.default_rng(5).normal(size=len(model.names))
    exact = np.logaddexp.reduce([_score(model, theta, tree) for tree in trees])
    assert bound_partition(plain, model, theta) == pytest.approx(exact)


def test_a_covering_grammar_that_diverges_says_so():
    rules = read_fcfg(io.BytesIO(b"# twice\nS -> S S\n# once\nS -> 'a'"))
    [tree] = list(generate(rules, 1))
    spec = Selection(LOCAL, relevance=0, universe=whole([tree]))
    model = spec.prepare([])
    zero = np.zeros(len(model.names))
    assert bound_partition(rules, model, zero) == math.inf
    far = Selection(properties("heights"), relevance=0, universe=whole([tree])).prepare([])
    with pytest.raises(OptionError, match="whole trees"):
        bound_partition(rules, far, np.zeros(len(far.names)))


def test_a_forest_counts_rules_as_its_listed_analyses_do(tmp_path):
    parser = load(io.BytesIO(b"S -> S S | 'a' | B\nB -> 'a'"))
    forest = parser.parse(["a", "a", "a"])
    packed = ParseSet("1", "", pack(forest), weight=3.0)
    alone = ParseSet("1", "", packed.analyses, right=(0,))
    file = tmp_path / "sets.jsonl"
    file.write_text(parse_set_line(packed) + "\n")
    found = count_rules(file)
    expected = Counter(
        label for tree in forest for label in (node.label for node in subtrees(rule_tree(tree)))
    )
    assert len(forest) == 16
    assert found.pop("root") == pytest.approx(3.0)
    assert found == {name: pytest.approx(3 * count / 16) for name, count in expected.items()}
    file.write_text(parse_set_line(alone) + "\n")
    with pytest.raises(FormatError, match="no whole analysis"):
        count_rules(file)
