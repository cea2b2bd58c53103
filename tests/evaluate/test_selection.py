import itertools

import numpy as np
import pytest

from parse_sets import both_ways, matrix, random_examples
from weft.evaluate.diagnostics import Standing, corpus_size, diagnose
from weft.evaluate.selection import TOP, join_scores, judgements_of, shuffle_analyses
from weft.features.compile import compile_parses
from weft.features.properties import properties
from weft.models.selection.model import prepare_selection
from weft.models.selection.scores import Judge, judge
from weft.models.selection.spec import Selection
from weft.structures.alternatives import Selected, alternatives
from weft.structures.parse_set import Packed, PackedEdge, ParseSet
from weft.train import fit
from weft.train.crossvalidation import BASELINE, ESTIMATED, crossvalidation, deal
from weft.train.selection.choices import SCALED, choices_of, compare_choices

LOCAL = properties("rules grandparents entries")


def prepared(rng, sentences=25, **options):
    corpus = random_examples(rng, sentences, **options)
    return prepare_selection(Selection(relevance=0), corpus), corpus


def plain(model, theta, example):
    """The figures of one sentence, with ties broken in every possible order."""
    scores = example.tokens.base + matrix(model, example.tokens) @ theta
    probs = np.exp(scores - scores.max())
    probs /= probs.sum()
    right = set(example.analysis)
    best = np.flatnonzero(scores == scores.max())
    credit = sum(place in right for place in best) / len(best)
    top = {}
    orders = [
        order
        for order in itertools.permutations(range(len(scores)))
        if all(scores[a] >= scores[b] for a, b in itertools.pairwise(order))
    ]
    for k in TOP:
        top[k] = np.mean([bool(right & set(order[:k])) for order in orders])
    return credit, np.log(probs[list(right)].sum()), top, len(right) < len(scores)


@pytest.mark.parametrize("zero", [True, False])
def test_scores_equal_their_definitions(rng, zero):
    model, corpus = prepared(rng, counts=False)
    # Whole numbers, so that there are ties.
    theta = (
        np.zeros(model.parameters.size)
        if zero
        else rng.integers(-1, 2, model.parameters.size) * 1.0
    )
    expected = [plain(model, theta, each) for each in corpus]
    hard = [each for each in expected if each[3]]
    scores = judge(model, theta, corpus).scores()
    assert (scores.sentences, scores.ambiguous) == (len(corpus), len(hard))
    assert scores.correct == pytest.approx(sum(each[0] for each in hard))
    assert scores.neg_log_pl == pytest.approx(-sum(each[1] for each in hard))
    assert scores.expected_correct == pytest.approx(sum(np.exp(each[1]) for each in hard))
    for k in TOP:
        assert scores.top[k] == pytest.approx(sum(each[2][k] for each in hard))
    assert scores.accuracy == pytest.approx(scores.correct / len(hard))
    assert scores.top_accuracy(1) == pytest.approx(scores.accuracy)
    if zero:
        shares = [len(each.analysis) / len(each.tokens) for each in corpus]
        assert scores.correct == pytest.approx(sum(share for share in shares if share < 1))


def test_a_tie_of_three_counts_a_third():
    tokens = alternatives([{("given", "a"): 1.0}] * 3 + [{}])
    model = prepare_selection(Selection(), [Selected(tokens, (1,))])
    found = judge(model, np.ones(1), [Selected(tokens, (1,))])
    assert found.credits.tolist() == [pytest.approx(1 / 3)]
    assert judge(model, -np.ones(1), [Selected(tokens, (1,))]).credits.tolist() == [0.0]


@pytest.mark.parametrize("seed", range(6))
def test_packed_forests_are_judged_as_lists_are(seed):
    rng = np.random.default_rng(seed)
    pairs = [both_ways(rng, LOCAL)[:2] for _ in range(3)]
    model = prepare_selection(Selection(LOCAL), [flat for _, flat in pairs])
    for theta in (np.zeros(model.parameters.size), rng.normal(size=model.parameters.size)):
        packed = judge(model, theta, [forest for forest, _ in pairs])
        listed = judge(model, theta, [flat for _, flat in pairs])
        np.testing.assert_array_equal(packed.ambiguous, listed.ambiguous)
        np.testing.assert_allclose(packed.credits, listed.credits)
        np.testing.assert_allclose(packed.log_probs, listed.log_probs, atol=1e-9)
        mixed = judge(model, theta, [pairs[0][0], pairs[1][1], pairs[2][0]])
        np.testing.assert_allclose(mixed.credits, listed.credits)


@pytest.mark.parametrize(("words", "right_of_last"), [(8, 1), (8, 2), (70, 1)])
def test_equally_good_derivations_are_counted_beyond_those_that_are_listed(words, right_of_last):
    """Every word has two entries, of which one is right; of the last perhaps both."""
    nodes = [f"{k}" for k in range(words)]
    leaves = [PackedEdge(node, f"w_{kind}", (), ("w",)) for node in nodes for kind in "nv"]
    spine = [PackedEdge(f"s{k}", "S", (nodes[k], f"s{k + 1}")) for k in range(words - 1)]
    spine.append(PackedEdge(f"s{words - 1}", "S", (nodes[-1],)))
    right = {*range(0, 2 * words, 2), *range(2 * words, 3 * words)}
    right |= {2 * words - 1} if right_of_last == 2 else set()
    packed = Packed((*leaves, *spine), "s0")
    forest = compile_parses(ParseSet("f", "", packed, tuple(sorted(right))), LOCAL)
    model = prepare_selection(Selection(LOCAL), [forest])
    found = judge(model, np.zeros(model.parameters.size), [forest])
    assert found.ties.tolist() == [min(2**words, 2**62)]
    assert found.right_ties.tolist() == [right_of_last]
    np.testing.assert_allclose(found.credits, [right_of_last / 2**words])


def test_sentences_of_which_nothing_is_known_are_left_out(rng):
    model, corpus = prepared(rng, 6)
    unknown = [Selected(each.tokens) for each in corpus[:2]]
    theta = rng.normal(size=model.parameters.size)
    assert judge(model, theta, [*unknown, *corpus]).scores() == judge(model, theta, corpus).scores()
    assert Judge(model, unknown)(theta).scores().accuracy is None


def test_shuffling_changes_the_order_and_nothing_else(rng):
    model, corpus = prepared(rng)
    theta = rng.normal(size=model.parameters.size)
    other = shuffle_analyses(corpus, seed=1)
    assert [each.analysis for each in other] != [each.analysis for each in corpus]
    one, two = judge(model, theta, corpus), judge(model, theta, other)
    np.testing.assert_array_equal(one.credits, two.credits)
    np.testing.assert_allclose(one.log_probs, two.log_probs)
    fits = [fit(Selection(), each).weights for each in (corpus, other)]
    np.testing.assert_allclose(fits[0], fits[1], atol=1e-6)


def test_folds_are_disjoint_seeded_and_equal():
    for count, folds in ((10, 10), (23, 5), (100, 7)):
        dealt = deal(count, folds, seed=3)
        sizes = np.bincount(dealt, minlength=folds)
        assert sizes.sum() == count
        assert sizes.max() - sizes.min() <= 1
        np.testing.assert_array_equal(dealt, deal(count, folds, seed=3))
    assert (deal(100, 7, seed=3) != deal(100, 7, seed=4)).any()


def test_the_scores_of_folds_sum(rng):
    corpus = random_examples(rng, 30)
    seen = []

    def estimate(part):
        seen.append({id(each.tokens) for each in part})
        return fit(Selection(), part, threads=1)

    judged = choices_of(estimate, scale=True)
    found = crossvalidation(judged, corpus, folds=5, seed=2, threads=1)
    again = crossvalidation(choices_of(estimate), corpus, folds=5, seed=2, threads=3)
    judgements = judgements_of(found.judged[ESTIMATED])
    for name, column in found.judged[ESTIMATED].items():
        np.testing.assert_array_equal(column, again.judged[ESTIMATED][name])
    assert again.judged.keys() == {ESTIMATED, BASELINE}
    for number in range(5):
        tested = {
            id(each.tokens) for each, own in zip(corpus, found.folds, strict=True) if own == number
        }
        assert seen[number] == {id(each.tokens) for each in corpus} - tested
        # What is reported of a sentence is what its own fold's selector says of it.
        rest = [each for each, own in zip(corpus, found.folds, strict=True) if own != number]
        test = [each for each, own in zip(corpus, found.folds, strict=True) if own == number]
        selector = fit(Selection(), rest, threads=1)
        expected = judge(selector.model, selector.weights, test)
        np.testing.assert_array_equal(found.within(number)["credits"], expected.credits)
        assert found.features[number] == len(selector.weights)
    parts = [judgements.pick(found.folds == number) for number in range(5)]
    total = judgements.scores()
    assert total.correct == pytest.approx(sum(part.scores().correct for part in parts))
    assert total.neg_log_pl == pytest.approx(sum(part.scores().neg_log_pl for part in parts))
    assert join_scores(parts).scores().correct == pytest.approx(total.correct)
    scaled = judgements_of(found.judged[SCALED]).scores()
    assert scaled.correct == pytest.approx(total.correct)


def test_paired_tests(rng):
    model, corpus = prepared(rng, 80)
    one = judge(model, rng.normal(size=model.parameters.size), corpus)
    same = compare_choices(one, one)
    assert same.difference == 0
    assert same.p_value == 1
    perfect = judge(model, rng.normal(size=model.parameters.size), corpus)
    perfect.credits[:] = 1.0
    better = compare_choices(one, perfect)
    assert better.difference == pytest.approx(1 - one.scores().accuracy, abs=1e-6)
    assert better.p_value < 0.01


def test_diagnoses_equal_their_definitions(rng):
    model, corpus = prepared(rng, 4, features=8)
    found = diagnose(corpus)
    assert tuple(found.standings) == model.names
    dense = [(matrix(model, each.tokens), list(each.analysis)) for each in corpus]
    for column, name in enumerate(model.names):
        values = [(table[:, column], table[right, column]) for table, right in dense]
        constant = all(len(set(every)) == 1 for every, _ in values)
        highest = all((own >= every.max()).all() for every, own in values)
        lowest = all((own <= every.min()).all() for every, own in values)
        expected = (
            Standing.CONSTANT if constant
            else Standing.MAXIMAL if highest
            else Standing.MINIMAL if lowest
            else Standing.PROPER
        )  # fmt: skip
        assert found.standings[name] is expected
    counts = [found.pseudo_constant, found.pseudo_maximal, found.pseudo_minimal]
    proper = sum(each is Standing.PROPER for each in found.standings.values())
    assert sum(counts) + proper == found.features == found.of_kind("given")
    assert [count for _, count in found.rows()][2:] == counts


def test_last_digits_make_no_difference_between_analyses():
    several = [
        {("given", "same"): 0.3, ("given", "max"): 0.3, ("given", "min"): 0.1 + 0.2},
        {("given", "same"): 0.1 + 0.2, ("given", "max"): 0.1 + 0.2, ("given", "min"): 0.3},
        {("given", "same"): 0.3, ("given", "max"): 0.1, ("given", "min"): 0.9},
    ]
    corpus = [Selected(alternatives(several), (0,))]
    assert diagnose(corpus).standings == {
        ("given", "max"): Standing.MAXIMAL,
        ("given", "min"): Standing.MINIMAL,
        ("given", "same"): Standing.CONSTANT,
    }


def test_what_diagnoses_say_of_weights():
    """A weak penalty lets weights go where the standing says, and holds what is irrelevant."""
    tokens = alternatives(
        [
            {("given", "max"): 2.0, ("given", "same"): 1.0},
            {("given", "same"): 1.0, ("given", "min"): 1.0},
        ]
    )
    found = diagnose([Selected(tokens, (0,))])
    assert found.standings == {
        ("given", "max"): Standing.MAXIMAL,
        ("given", "min"): Standing.MINIMAL,
        ("given", "same"): Standing.CONSTANT,
    }
    selector = fit(Selection(relevance=0), [Selected(tokens, (0,))])
    weights = dict(zip(selector.model.names, selector.weights, strict=True))
    assert weights[("given", "max")] > 0 > weights[("given", "min")]
    assert weights[("given", "same")] == pytest.approx(0, abs=1e-12)


def test_sizes_of_corpora(rng):
    forest, flat, used = both_ways(rng, LOCAL)
    one = Selected(alternatives([{}]))
    assert corpus_size([forest]) == corpus_size([flat])
    size = corpus_size([flat, one, Selected(alternatives([{}, {}, {}]))])
    assert (size.sentences, size.ambiguous, size.analyses) == (3, 2, len(used) + 3)
