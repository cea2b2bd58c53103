"""Criteria of the tags of one sentence: each is what its definition says, sequence by sequence."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from chains import chain_options, random_corpus, random_labels
from weft.criteria import (
    Criterion,
    Total,
    Unit,
    accuracy,
    boosting,
    check_possible,
    complete,
    conditional,
    contrast,
    contrastive,
    expected_accuracy,
    expected_counts,
    input_only,
    joint,
    local_accuracy,
    local_likelihood,
    margin,
    marginal,
    perceptron,
    rival,
    softmax_margin,
)
from weft.derivations import Trellis
from weft.derivations.chain.best import Paths, rivals
from weft.derivations.chain.expand import to_forest
from weft.derivations.chain.tokens import Tokens
from weft.errors import EvidenceError, NotNestedError, OptionError
from weft.features.templates import templates
from weft.inference import tangent
from weft.models import Chain, ChainModel, prepare
from weft.optimise.em import EM
from weft.optimise.lbfgs import LBFGS
from weft.structures.evidence import Evidence, Example, example, sentence
from weft.train import fit

OPTIONS = chain_options()
BEST = (Total.BEST, Total.BEST)
LATENT = Criterion("latent", complete, input_only, totals=(Total.BEST, Total.SUM))
CHARGED_LATENT = replace(LATENT, cost=0.7)
BOOSTED_TOKENS = replace(boosting, unit=Unit.TOKEN)
SCALES = [0.0, 1.0, 30.0, 300.0, 1e6]


@pytest.fixture(params=OPTIONS, ids=str)
def made(request, rng) -> tuple[ChainModel, list[Example]]:
    chain = OPTIONS[request.param]
    corpus = []
    for each in random_corpus(rng):
        allowed = [(chain.dictionary or {}).get(w, chain.open_tags) for w in each.tokens.words]
        full = tuple(
            tag if some is None or tag in some else min(some)
            for some, tag in zip(allowed, each.analysis, strict=True)
        )
        partial = random_labels(rng, len(full))
        labels = tuple(
            tag if mask is not None else None for tag, mask in zip(full, partial, strict=True)
        )
        corpus += [Example(each.tokens, full, each.weight), Example(each.tokens, labels)]
    return prepare(chain, corpus), corpus


class Sequences:
    """All tag sequences of a sentence with their scores, and which of them were observed."""

    def __init__(self, model: ChainModel, each: Example, theta: np.ndarray) -> None:
        self.tags = list(product(model.tags, repeat=len(each.tokens)))
        members = model.derivations([Evidence(each.tokens, tags) for tags in self.tags])
        self.scores = members.log_partition(theta)
        self.right = np.array(
            [
                [
                    label is None or tag in ({label} if isinstance(label, str) else label)
                    for tag, label in zip(tags, each.analysis, strict=True)
                ]
                for tags in self.tags
            ]
        )
        self.observed = self.right.all(axis=1)
        self.wrong = (~self.right).sum(axis=1)


def log_sum(scores: np.ndarray) -> float:
    return float(np.logaddexp.reduce(scores)) if len(scores) else -np.inf


def by_definition(criterion: Criterion, these: Sequences) -> float:
    """t, computed from the list of all sequences."""
    inside = these.scores[these.observed]
    everywhere = these.scores + criterion.cost * these.wrong
    above = max(inside) if criterion.totals[0] is Total.BEST else log_sum(inside)
    if criterion.totals[1] is Total.BEST:
        return above - max(everywhere)
    if criterion.totals[1] is Total.RIVAL:
        outside = these.scores[~these.observed]
        return above - np.logaddexp(above, max(outside, default=-np.inf))
    return above - log_sum(everywhere)


WHOLE = [
    conditional,
    perceptron,
    margin(),
    margin(2.5),
    softmax_margin(),
    softmax_margin(300.0),
    rival,
    LATENT,
    CHARGED_LATENT,
]


@pytest.mark.parametrize("criterion", WHOLE, ids=lambda criterion: criterion.name)
@pytest.mark.parametrize("scale", SCALES)
def test_criteria_are_what_they_say(made, rng, criterion, scale):
    model, corpus = made
    theta = scale * rng.normal(size=model.parameters.size)
    found = contrast(model, corpus, criterion, threads=2).per_example(theta)
    expected = [by_definition(criterion, Sequences(model, each, theta)) for each in corpus]
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-11 * max(scale, 10.0))
    assert (found <= 0).all()


def check_gradient(rng, objective, theta) -> None:
    _, gradient = objective(theta)
    for direction in rng.normal(size=(4, len(theta))):
        above, below = objective(theta + 1e-6 * direction), objective(theta - 1e-6 * direction)
        slope = (above[0] - below[0]) / 2e-6
        assert gradient @ direction == pytest.approx(slope, rel=1e-5, abs=1e-5)


SINGLE = [local_accuracy, local_likelihood, BOOSTED_TOKENS]


@pytest.mark.parametrize(
    "criterion", [*WHOLE, *SINGLE, expected_accuracy, boosting], ids=lambda c: c.name
)
def test_gradients_equal_finite_differences(made, rng, criterion):
    model, corpus = made
    objective = contrast(model, corpus, criterion, threads=2)
    check_gradient(rng, objective, 0.5 * rng.normal(size=model.parameters.size))


@pytest.mark.parametrize("criterion", [*WHOLE, *SINGLE], ids=lambda c: c.name)
def test_threads_do_not_change_a_bit(made, rng, criterion):
    model, corpus = made
    theta = rng.normal(size=model.parameters.size)
    one, two = (contrast(model, corpus * 9, criterion, threads=n)(theta) for n in (1, 3))
    assert one[0] == two[0]
    np.testing.assert_array_equal(one[1], two[1])


# Charges


@pytest.mark.parametrize("scale", SCALES)
def test_charged_sums_are_sums_with_a_cost_on_edges(made, rng, scale):
    """The forest of the uncharged trellis, with the cost in the base weights of its edges."""
    model, corpus = made
    cost = 1.5
    theta = scale * rng.normal(size=model.parameters.size)
    gold = [Evidence(each.tokens, each.analysis) for each in corpus]
    trellis = model.derivations([*gold, *(Evidence(each.tokens) for each in corpus)])
    found = trellis.charged([*gold, *gold], cost)
    coefficients = rng.normal(size=len(trellis))
    values, gradient = found.evaluate(theta, coefficients)
    expected_values = np.empty(len(trellis))
    expected = np.zeros_like(theta)
    for member in range(len(trellis)):
        several = Sequences(model, corpus[member % len(corpus)], theta)
        charges = cost * several.wrong if member >= len(corpus) else 0.0
        kept = several.observed if member < len(corpus) else np.ones(len(several.tags), bool)
        scores = np.where(kept, several.scores + charges, -np.inf)
        expected_values[member] = log_sum(scores)
        shares = np.exp(scores - expected_values[member])
        words = corpus[member % len(corpus)].tokens
        paths = model.derivations([Evidence(words, tags) for tags in several.tags])
        expected += paths.evaluate(theta, coefficients[member] * shares)[1]
    np.testing.assert_allclose(values, expected_values, rtol=1e-11, atol=1e-9)
    np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(found.log_partition(theta), expected_values, rtol=1e-11, atol=1e-9)


def test_a_large_cost_neither_overflows_nor_loses_the_observed(made, rng):
    model, corpus = made
    theta = rng.normal(size=model.parameters.size)
    for cost in (1e3, 1e6):
        value, gradient = contrast(model, corpus, softmax_margin(cost))(theta)
        assert -1.01 * cost * sum(len(e.tokens) * e.weight for e in corpus) - 1e3 <= value < 0
        assert np.isfinite(gradient).all()


# Members without derivations


@pytest.fixture(params=[1, 2], ids=["order1", "order2"])
def cramped(request) -> ChainModel:
    """No sentence begins with I-X, which is all that u may be; w may be O alone."""
    closed = {"u": frozenset({"I-X"}), "w": frozenset({"O"})}
    options = {"templates": templates("word[0]"), "ngrams": "all", "dictionary": closed}
    return prepare(
        Chain(order=request.param, scheme="chunks", **options),
        [example(["v", "v"], ["B-X", "I-X"]), example(["w", "v"], ["O", "O"])],
    )


def test_what_is_impossible_has_no_best_sequence(cramped, rng):
    theta = rng.normal(size=cramped.parameters.size)
    trellis = cramped.trellis([Evidence(sentence(["v", "w"])), Evidence(sentence(["u", "v"]))])
    others = rivals(trellis, trellis.members.sets)
    for several in (Paths(trellis), others):
        values, gradient = several.evaluate(theta, np.array([1.0, 5.0]))
        assert values[1] == -np.inf
        _, alone = several.evaluate(theta, np.array([1.0, 0.0]))
        np.testing.assert_array_equal(gradient, alone)
        np.testing.assert_array_equal(several.log_partition(theta), values)
        assert several.impossible(1) == 0
    # Every sequence of the first sentence was observed, too.
    assert others.log_partition(theta)[0] == -np.inf
    tokens = Tokens(trellis, trellis.members.sets)
    np.testing.assert_array_equal(tokens.log_probs(theta), [0.0, 0.0, -np.inf, -np.inf])
    np.testing.assert_allclose(tokens.gradient(theta, np.zeros(4)), 0.0, atol=1e-12)


def test_where_no_rival_is_left_nothing_is_compared(cramped, rng):
    corpus = [example(["w", "w"], ["O", "O"]), example(["w", "v"], ["O", "B-X"])]
    theta = rng.normal(size=cramped.parameters.size)
    found = contrast(cramped, corpus, rival).per_example(theta)
    assert found[0] == 0.0
    assert found[1] < 0


@pytest.mark.parametrize(
    "criterion",
    [perceptron, margin(), rival, expected_accuracy, local_accuracy, accuracy],
    ids=lambda c: c.name,
)
def test_impossible_examples_are_named(cramped, criterion):
    corpus = [example(["w", "v"], ["O", "O"]), example(["v", "w"], ["O", "B-X"])]
    objective = contrast(cramped, corpus, criterion)
    with pytest.raises(EvidenceError, match="example 2: no tagging is possible at token 2, 'w'"):
        check_possible(objective, corpus, np.zeros(cramped.parameters.size))


# Tokens


def token_log_probs(these: Sequences) -> np.ndarray:
    total = log_sum(these.scores)
    return np.array([log_sum(these.scores[right]) - total for right in these.right.T])


@pytest.mark.parametrize("criterion", SINGLE, ids=lambda c: f"{c.name}-{c.link.name}")
@pytest.mark.parametrize("scale", [0.0, 1.0, 30.0])
def test_token_criteria_are_what_they_say(made, rng, criterion, scale):
    model, corpus = made
    theta = scale * rng.normal(size=model.parameters.size)
    found = contrast(model, corpus, criterion).per_example(theta)
    expected = [
        criterion.link.value(token_log_probs(Sequences(model, each, theta))).sum()
        for each in corpus
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("scale", [300.0, 1e6])
def test_token_log_probs_do_not_underflow(made, rng, scale):
    model, corpus = made
    theta = scale * rng.normal(size=model.parameters.size)
    found = contrast(model, corpus, local_likelihood).per_example(theta)
    expected = [token_log_probs(Sequences(model, each, theta)).sum() for each in corpus]
    assert min(expected) < -700
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * scale)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("link", ["identity", "exponential"])
def test_token_gradients_equal_those_of_members_by_token(made, rng, scale, link):
    """Σ_j g'(t_j) (E[f | y_j observed] - E[f]), one sum a token."""
    model, corpus = made
    theta = scale * rng.normal(size=model.parameters.size)
    criterion = local_likelihood if link == "identity" else local_accuracy
    value, gradient = contrast(model, corpus, criterion)(theta)
    singles = [
        Example(
            each.tokens,
            tuple(label if place == j else None for place, label in enumerate(each.analysis)),
            each.weight,
        )
        for each in corpus
        for j in range(len(each.tokens))
    ]
    by_token = Criterion("by token", complete, input_only, criterion.link)
    expected_value, expected = contrast(model, singles, by_token)(theta)
    assert value == pytest.approx(expected_value, rel=1e-8, abs=1e-9)
    # Exponents of a million have nine digits after the point.
    np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-8 if scale < 1e6 else 1e-6)


@pytest.mark.parametrize("scale", [0.0, 1.0, 300.0])
def test_token_gradients_equal_the_tangent_of_the_forest(made, rng, scale):
    """Σ_j p_j rises with the scores of observed tags as expectations do: Pearlmutter's trick."""
    model, corpus = made
    theta = scale * rng.normal(size=model.parameters.size)
    _, gradient = contrast(model, corpus, local_accuracy)(theta)
    expected = np.zeros_like(theta)
    for each in corpus:
        trellis = model.trellis([Evidence(each.tokens), Evidence(each.tokens, each.analysis)])
        member = to_forest(trellis).members[0]
        direction = np.zeros(member.hypergraph.edge_count)
        for edge, (position, tag) in enumerate(edge_tags(trellis)):
            if position is not None:
                allowed = trellis.sets[trellis.members.sets[1][position]]
                direction[edge] = each.weight * (tag in allowed)
        change = tangent(member.hypergraph, member.weights(theta), direction)[1]
        expected += member.features.gradient(change)
    np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-8)


def edge_tags(trellis: Trellis) -> list[tuple[int | None, int]]:
    """The token and the tag that each edge of the expanded first member leads to, in order."""
    order, boundary = trellis.topology.order, trellis.topology.tags
    allowed = [
        *([[boundary]] * order),
        *(trellis.sets[n] for n in trellis.members.sets[0]),
        [boundary],
    ]
    reached = {(boundary,) * order}
    found: list[tuple[int | None, int]] = [(None, boundary)]
    for position in range(order, len(allowed)):
        steps = product(*allowed[position - order : position + 1])
        after = set()
        for tags in sorted(steps, key=lambda tags: (tags[1:], tags[0])):
            if tags[:-1] in reached and not trellis.topology.forbidden[tags[-2], tags[-1]]:
                last = position == len(allowed) - 1
                found.append((None if last else position - order, tags[-1]))
                after.add(tags[1:])
        reached = after
    return found


def test_sentences_long_and_short(rng):
    """Scaling holds over many tokens, and one token is enough."""
    words = rng.choice(["u", "v", "w"], 400).tolist()
    tags = rng.choice(["A", "B", "BC"], 400).tolist()
    corpus = [example(words, tags), example(words[:1], tags[:1])]
    for order in (1, 2):
        model = prepare(Chain(order=order, templates=templates("word[0] word[-1]")), corpus)
        theta = rng.normal(size=model.parameters.size)
        check_gradient(rng, contrast(model, corpus, local_likelihood), theta)
        trellis = model.trellis([Evidence(each.tokens) for each in corpus])
        probs = trellis.marginals(theta)[1]
        numbers = [[model.tags.index(tag) for tag in each.analysis] for each in corpus]
        rows = [p[np.arange(len(n)), n].sum() for p, n in zip(probs, numbers, strict=True)]
        found = contrast(model, corpus, local_accuracy).per_example(theta)
        np.testing.assert_allclose(found, rows, rtol=1e-10)


# Accuracy


def test_accuracy_counts_the_examples_that_are_decoded_right(made, rng):
    model, corpus = made
    objective = contrast(model, corpus, accuracy)
    seen = set()
    for _ in range(5):
        theta = rng.normal(size=model.parameters.size)
        right = []
        for each in corpus:
            these = Sequences(model, each, theta)
            right.append(float(these.observed[np.argmax(these.scores)]))
        np.testing.assert_array_equal(objective.per_example(theta), right)
        weights = np.array([each.weight for each in corpus])
        assert objective.value(theta) == pytest.approx(weights @ right)
        seen.update(right)
    assert seen == {0.0, 1.0}


def test_accuracy_is_refused_by_optimisers_with_its_reason(made):
    model, corpus = made
    objective = contrast(model, corpus, accuracy)
    with pytest.raises(OptionError, match="step function"):
        LBFGS().maximise(objective, np.zeros(model.parameters.size))
    with pytest.raises(OptionError, match="step function"):
        fit(Chain(), corpus, criterion=accuracy)


# What is refused


def test_a_sum_need_not_be_less_than_a_maximum():
    with pytest.raises(NotNestedError, match="the sum of A with the best of B"):
        Criterion("upside down", complete, input_only, totals=(Total.SUM, Total.BEST))
    with pytest.raises(NotNestedError, match="rival"):
        Criterion("both", complete, input_only, totals=(Total.RIVAL, Total.RIVAL))


@pytest.mark.parametrize(
    "options",
    [{"cost": 1.0}, {"totals": (Total.SUM, Total.RIVAL)}, {"unit": Unit.TOKEN}],
    ids=str,
)
def test_what_is_of_tags_is_refused_where_words_vary(options):
    with pytest.raises(OptionError, match="compare 'complete' with 'input'"):
        replace(joint, **options)


def test_what_does_not_go_together_is_refused():
    with pytest.raises(OptionError, match="plain sums"):
        replace(margin(), unit=Unit.TOKEN)
    for cost in (-1.0, np.inf, np.nan):
        with pytest.raises(OptionError, match="finite and ≥ 0"):
            margin(cost)


@pytest.mark.parametrize("criterion", [contrastive("trans1"), marginal], ids=lambda c: c.name)
def test_the_best_is_not_found_where_words_vary(rng, criterion):
    corpus = random_corpus(rng)
    plain = {"templates": templates("word[0]"), "ngrams": "all"}
    model = prepare(Chain(**plain), [Example(e.tokens, e.analysis) for e in strip(corpus)])
    with pytest.raises(OptionError, match="single tag sequences"):
        contrast(model, strip(corpus), replace(criterion, totals=BEST))


def strip(corpus: list[Example]) -> list[Example]:
    """The same without attributes of their own."""
    return [example(each.tokens.words, each.analysis, weight=each.weight) for each in corpus]


def test_sums_that_are_one_have_derivations_all_the_same(rng):
    """Tags given the sentence sum to one, and yet there is a best sequence, a rival, a token."""
    corpus = strip(random_corpus(rng))
    model = prepare(Chain(normalisation="conditional"), corpus)
    theta = rng.normal(size=model.parameters.size)
    these = [Sequences(model, each, theta) for each in corpus]
    for criterion in (perceptron, margin(), softmax_margin(), rival, LATENT):
        found = contrast(model, corpus, criterion).per_example(theta)
        np.testing.assert_allclose(found, [by_definition(criterion, each) for each in these])
        check_gradient(rng, contrast(model, corpus, criterion), theta)
    found = contrast(model, corpus, local_likelihood).per_example(theta)
    np.testing.assert_allclose(found, [token_log_probs(each).sum() for each in these])
    found = contrast(model, corpus, accuracy).per_example(theta)
    assert found.tolist() == [each.observed[np.argmax(each.scores)] for each in these]


# Training


HMM = {"templates": templates("word[0]"), "attributes": "all", "ngrams": "all"}
VITERBI = replace(marginal, name="viterbi", totals=(Total.BEST, Total.SUM))


def test_viterbi_em_never_decreases(rng):
    """The best analysis in the place of all of them: hard EM climbs its own objective."""
    corpus = strip(random_corpus(rng, sentences=30))
    words = {"u": frozenset({"A"}), "v": frozenset({"B", "BC"})}
    chain = Chain(normalisation="joint", dictionary=words, **HMM)
    tagger = fit(chain, corpus, criterion=VITERBI, optimiser=EM(max_iterations=8))
    values = [step.value for step in tagger.trace]
    assert len(values) > 2
    assert (np.diff(values) >= -1e-9).all()


def test_viterbi_em_counts_the_best_analysis(rng):
    corpus = strip(random_corpus(rng))
    model = prepare(Chain(**HMM), corpus)
    theta = rng.normal(size=model.parameters.size)
    nothing = np.zeros_like(theta)
    value, counts = expected_counts(model, corpus, VITERBI, nothing, np.copy)(theta)
    weights = np.array([each.weight for each in corpus])
    scores, tags = model.trellis([Evidence(each.tokens) for each in corpus]).best(theta)
    assert value == pytest.approx(weights @ scores)
    best = [
        Evidence(each.tokens, tuple(model.tags[tag] for tag in found))
        for each, found in zip(corpus, tags, strict=True)
    ]
    np.testing.assert_allclose(counts, model.trellis(best).evaluate(theta, weights)[1], atol=1e-12)


TEXT = ["the/D dog/N barks/V", "a/D dog/N bites/V the/D man/N", "the/D man/N barks/V"]


def separable_corpus() -> list[Example]:
    pairs = [[token.split("/") for token in line.split()] for line in TEXT]
    return [example([w for w, _ in line], [t for _, t in line]) for line in pairs]


@pytest.mark.parametrize(
    "criterion",
    [margin(), softmax_margin(), expected_accuracy, boosting, local_accuracy, local_likelihood],
    ids=lambda c: c.name,
)
def test_criteria_learn_what_can_be_learnt(criterion):
    corpus = separable_corpus()
    tagger = fit(Chain(), corpus, criterion=criterion, optimiser=LBFGS(max_iterations=50))
    sentences = [each.tokens for each in corpus]
    assert tagger.tag(sentences) == [each.analysis for each in corpus]


@pytest.mark.parametrize("criterion", [perceptron, rival], ids=lambda c: c.name)
def test_subgradient_steps_separate_what_can_be_separated(criterion):
    """At θ = 0 all sequences are the best, and the perceptron's value is 0: no ascent there."""
    corpus = separable_corpus()
    model = prepare(Chain(), corpus)
    objective = contrast(model, corpus, criterion)
    theta = np.zeros(model.parameters.size)
    for _ in range(30):
        theta += objective(theta)[1]
    assert contrast(model, corpus, accuracy).value(theta) == len(corpus)
