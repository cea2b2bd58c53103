"""Laws of choosing among analyses: sums equal enumeration, gradients equal finite differences."""

from dataclasses import replace

import numpy as np
import pytest

from parse_sets import both_ways, matrix, random_examples
from weft.criteria import (
    accuracy,
    boosting,
    check_possible,
    conditional,
    contrast,
    expected_accuracy,
    joint,
    local_accuracy,
    margin,
    perceptron,
    rival,
    softmax_margin,
)
from weft.derivations.analyses import Analyses
from weft.derivations.combine import Pooled, with_rivals
from weft.errors import EvidenceError, NotDefined, OptionError
from weft.features.properties import properties
from weft.models.selection.model import prepare_selection
from weft.models.selection.spec import Selection
from weft.structures.alternatives import Picked, Selected, alternatives
from weft.train import fit

LOCAL = properties("rules grandparents entries")


def prepared(rng, sentences=8, **options):
    corpus = random_examples(rng, sentences, **options)
    return prepare_selection(Selection(relevance=0), corpus), corpus


def log_sum(scores):
    top = scores.max()
    return top if np.isneginf(top) else top + np.log(np.exp(scores - top).sum())


@pytest.mark.parametrize("counts", [False, True])
@pytest.mark.parametrize("scale", [1.0, 1e6])
def test_sums_equal_enumeration(rng, counts, scale):
    model, corpus = prepared(rng, counts=counts, base=True)
    theta = scale * rng.normal(size=model.parameters.size)
    evidences = [each.evidence(labelled) for each in corpus for labelled in (True, False)]
    derivations = model.derivations(evidences, threads=2)
    coefficients = rng.normal(size=len(evidences))
    values, gradient = derivations.evaluate(theta, coefficients)
    expected = np.zeros_like(theta)
    for member, evidence in enumerate(evidences):
        features = matrix(model, evidence.tokens)
        scores = evidence.tokens.base + features @ theta
        rows = list(evidence.analysis or range(len(scores)))
        total = log_sum(scores[rows])
        assert values[member] == pytest.approx(total, rel=1e-12, abs=1e-12)
        expected += coefficients[member] * (np.exp(scores[rows] - total) @ features[rows])
    np.testing.assert_allclose(gradient, expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(derivations.log_partition(theta), values)


def test_threads_do_not_change_a_bit(rng):
    model, corpus = prepared(rng, sentences=300)
    theta = rng.normal(size=model.parameters.size)
    first, *others = (contrast(model, corpus, conditional, threads)(theta) for threads in (1, 2, 5))
    for value, gradient in others:
        assert value == first[0]
        np.testing.assert_array_equal(gradient, first[1])


SMOOTH = [conditional, softmax_margin(), softmax_margin(0.3), expected_accuracy, boosting]
PIECEWISE = [margin(), margin(0.5), perceptron, rival]


@pytest.mark.parametrize("criterion", SMOOTH + PIECEWISE, ids=lambda each: each.name)
def test_gradients_equal_finite_differences(rng, criterion):
    model, corpus = prepared(rng, base=True)
    objective = contrast(model, corpus, criterion)
    theta = rng.normal(size=model.parameters.size)
    _, gradient = objective(theta)
    step = 1e-6
    for j in range(len(theta)):
        move = step * np.eye(len(theta))[j]
        slope = (objective(theta + move)[0] - objective(theta - move)[0]) / (2 * step)
        assert gradient[j] == pytest.approx(slope, rel=1e-5, abs=1e-6)


def by_hand(criterion, scores, right):
    """t of one sentence by plain numpy."""
    is_right = np.isin(np.arange(len(scores)), right)
    charged = scores + np.where(is_right, 0.0, criterion.cost)
    above, below = log_sum(scores[is_right]), log_sum(charged)
    if criterion in (perceptron, margin(), margin(0.5)):
        above, below = scores[is_right].max(), charged.max()
    if criterion is rival:
        others = scores[~is_right]
        best = [others.max()] if len(others) else []
        below = log_sum(np.array([*scores[is_right], *best]))
    return min(above - below, 0.0)


@pytest.mark.parametrize("criterion", SMOOTH + PIECEWISE, ids=lambda each: each.name)
def test_criteria_equal_their_definitions(rng, criterion):
    model, corpus = prepared(rng, base=True)
    theta = rng.normal(size=model.parameters.size)
    expected = [
        by_hand(criterion, each.tokens.base + matrix(model, each.tokens) @ theta, each.analysis)
        for each in corpus
    ]
    weights = np.array([each.weight for each in corpus])
    value = weights @ criterion.link.value(np.array(expected))
    assert contrast(model, corpus, criterion)(theta)[0] == pytest.approx(value, rel=1e-12)
    assert value <= weights.sum()


def test_values_are_not_positive_and_nothing_known_is_worth_nothing(rng):
    model, corpus = prepared(rng)
    theta = rng.normal(size=model.parameters.size)
    objective = contrast(model, corpus, conditional)
    assert (objective.per_example(theta) <= 0).all()
    unknown = [Selected(each.tokens, None, each.weight) for each in corpus]
    value, gradient = contrast(model, unknown, conditional)(theta)
    assert value == 0
    np.testing.assert_allclose(gradient, 0, atol=1e-12)


def test_the_order_of_analyses_changes_nothing():
    rows = [{("given", "a"): 1.0}, {("given", "b"): 1.0}, {("given", "b"): 1.0}]
    for criterion in (conditional, perceptron, margin(), rival):
        found = []
        for order in ([0, 1, 2], [2, 0, 1], [1, 2, 0]):
            tokens = alternatives([rows[k] for k in order])
            example = Selected(tokens, (order.index(0),))
            model = prepare_selection(Selection(), [example])
            found.append(contrast(model, [example], criterion)(np.zeros(2)))
        for value, gradient in found[1:]:
            assert value == pytest.approx(found[0][0])
            np.testing.assert_allclose(gradient, found[0][1])
        # Even where all are alike, a margin leads somewhere.
        assert np.abs(found[0][1]).max() > 0


def test_the_number_of_right_choices_counts_ties_in_part(rng):
    model, corpus = prepared(rng, sentences=20, counts=False)
    objective = contrast(model, corpus, accuracy)
    for theta in (
        np.zeros(model.parameters.size),
        rng.integers(-1, 2, model.parameters.size) * 1.0,
    ):
        expected = []
        for each in corpus:
            scores = matrix(model, each.tokens) @ theta
            best = np.flatnonzero(scores == scores.max())
            expected.append(np.isin(best, each.analysis).mean())
        np.testing.assert_allclose(objective.per_example(theta), expected)
    with pytest.raises(OptionError, match="step function"):
        objective(theta)


@pytest.mark.parametrize("cost", [0.0, 0.7])
def test_rivals_in_one_sweep_equal_pools(rng, cost):
    model, corpus = prepared(rng, base=True)
    # Integers make ties; sentences come in two orders, some without a known analysis.
    theta = rng.integers(-1, 2, model.parameters.size) * 1.0
    corpus = [corpus[place] for place in rng.permutation(len(corpus))]
    corpus[0] = replace(corpus[0], analysis=None)
    narrow = [each.evidence(labelled=True) for each in corpus]
    every = model.derivations([*narrow, *(each.evidence(labelled=False) for each in corpus)])
    every = every.charged([*narrow, *narrow], cost) if cost else every
    which = np.repeat([False, True], len(corpus))
    asked = (every, which, [*range(len(corpus))] * 2, [*narrow, *narrow])
    fast, plain = with_rivals(*asked), with_rivals.dispatch(object)(*asked)
    assert isinstance(fast, Analyses)
    assert isinstance(plain, Pooled)
    coefficients = rng.normal(size=len(which))
    for found, expected in zip(
        fast.evaluate(theta, coefficients), plain.evaluate(theta, coefficients), strict=True
    ):
        np.testing.assert_allclose(found, expected, atol=1e-9)


def test_one_sentence_may_be_in_two_examples_that_disagree():
    tokens = alternatives([{("given", "a"): 1.0}, {("given", "b"): 1.0}])
    corpus = [Selected(tokens, (0,)), Selected(tokens, (1,), 3.0)]
    model = prepare_selection(Selection(), corpus)
    theta = np.array([1.0, 0.0])
    choices = contrast(model, corpus, accuracy)
    assert choices.per_example(theta).tolist() == [1.0, 0.0]
    assert choices.value(theta) == choices.landscape().settle(theta) == 1.0
    log_probs = contrast(model, corpus, conditional).per_example(theta)
    assert np.exp(log_probs).sum() == pytest.approx(1.0)


@pytest.mark.parametrize("seed", range(12))
def test_packed_forests_equal_the_listed_analyses(seed):
    rng = np.random.default_rng(seed)
    forest, flat, used = both_ways(rng, LOCAL)
    model = prepare_selection(Selection(LOCAL, relevance=0), [flat])
    assert prepare_selection(Selection(LOCAL, relevance=0), [forest]).names == model.names
    theta = rng.normal(size=model.parameters.size)
    packed_value, packed_gradient = contrast(model, [forest], conditional)(theta)
    listed_value, listed_gradient = contrast(model, [flat], conditional)(theta)
    assert packed_value == pytest.approx(listed_value, rel=1e-10, abs=1e-10)
    np.testing.assert_allclose(packed_gradient, listed_gradient, rtol=1e-9, atol=1e-9)
    both = [forest.evidence(labelled=False), flat.evidence(labelled=False)]
    values = model.derivations(both).log_partition(theta)
    assert values[0] == pytest.approx(values[1], rel=1e-10)
    assert len(used) > 1


def test_forests_and_lists_go_together(rng):
    forest, flat, _ = both_ways(rng, LOCAL)
    other, other_flat, _ = both_ways(rng, LOCAL)
    model = prepare_selection(Selection(LOCAL), [flat, other_flat])
    theta = rng.normal(size=model.parameters.size)
    mixed = contrast(model, [forest, other_flat, other, flat], conditional)
    plain = contrast(model, [flat, other_flat, other_flat, flat], conditional)
    assert mixed(theta)[0] == pytest.approx(plain(theta)[0])
    np.testing.assert_allclose(mixed(theta)[1], plain(theta)[1], atol=1e-9)
    np.testing.assert_allclose(mixed.per_example(theta), plain.per_example(theta))


def test_what_a_selection_does_not_have_is_refused(rng):
    model, corpus = prepared(rng)
    with pytest.raises(OptionError, match="no distribution over sentences"):
        contrast(model, corpus, joint)
    with pytest.raises(NotDefined, match="no parts that could be right one by one"):
        contrast(model, corpus, local_accuracy)
    with pytest.raises(OptionError, match="compares with 'input'"):
        fit(Selection(), corpus, criterion=joint)


def test_a_right_analysis_without_weight_is_an_error():
    tokens = alternatives([{("given", "a"): 1.0}, {}], [-np.inf, 0.0], source="file:3")
    with pytest.raises(EvidenceError, match="file:3: no right analysis is possible"):
        fit(Selection(), [Selected(tokens, (0,))])


def test_right_edges_that_make_no_analysis_are_an_error(rng):
    """Not an infinite value that no file, line or sentence goes with."""
    forest, _, _ = both_ways(rng, LOCAL)
    tokens = replace(forest.tokens, source="packed:9")
    broken = Selected(tokens, forest.analysis[:1])
    model = prepare_selection(Selection(LOCAL), [forest])
    for criterion in (conditional, perceptron, rival, accuracy, local_accuracy):
        objective = contrast(model, [forest, broken], criterion)
        with pytest.raises(EvidenceError, match="packed:9: no right analysis is possible"):
            check_possible(objective, [forest, broken], np.zeros(model.parameters.size))
    with pytest.raises(EvidenceError, match="packed:9: no right analysis is possible"):
        fit(Selection(LOCAL), [forest, broken])


def test_a_reference_distribution_is_where_weights_begin():
    base = [1.0, -0.5, 0.25]
    tokens = alternatives([{("given", f"f{k}"): 1.0} for k in range(3)], base)
    model = prepare_selection(Selection(), [Selected(tokens, (0,))])
    value = model.derivations([Picked(tokens, (0,)), Picked(tokens)]).log_partition(np.zeros(3))
    assert value[0] - value[1] == pytest.approx(1.0 - log_sum(np.array(base)))


@pytest.mark.parametrize("criterion", [conditional, margin(), rival, boosting])
def test_all_criteria_learn_what_is_easy(criterion):
    corpus = [
        Selected(alternatives([{("given", "a"): 1.0}, {("given", "b"): 1.0}]), (0,)),
        Selected(alternatives([{("given", "b"): 1.0}, {("given", "a"): 2.0}]), (1,)),
    ]
    selector = fit(Selection(), corpus, criterion=criterion)
    assert selector.predict([each.tokens for each in corpus]) == [0, 1]
