"""Chains of reduce moves that lead back to a label: closed forms against every parse, however long.

Enumeration stops after 60 reduce moves in a row: what longer ones weigh is below rounding here.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from stack_models import CYCLIC, NONE, corpus, model_of, pair_grammar, sentences, totals
from stacks import all_parses, probs_of, sums_of
from weft.derivations.chart.chart import Chart
from weft.derivations.stack.forest import right_rows
from weft.derivations.stack.parses import Limits
from weft.derivations.stack.table import REDUCE_1, table_of
from weft.errors import DivergenceError, NotDefined
from weft.grammars.transforms import moves_of, states_of
from weft.models.stack.feature_spec import MoveFeatures
from weft.structures.constituents import Constituents, Span
from weft.structures.evidence import Evidence, sentence
from weft.structures.moves import Reduce
from weft.structures.tree import leaves

LONG = 60
FORMS = ("joint", "conditional")


def every_parse(model, words) -> dict[tuple, float]:
    probs = probs_of(model.table, model.labels, model.looks)
    found = all_parses(words, probs, unaries=LONG)
    assert sum(found.values()) == pytest.approx(sums_of(words, probs).total, rel=1e-9)
    return found


def spans_of(moves) -> list[Span]:
    """The constituents that moves make, one for each reduce move."""
    found, starts, place = [], [], 0
    for move in moves:
        if isinstance(move, Reduce):
            del starts[len(starts) - move.size + 1 :]
            found.append(Span(starts[-1], place, move.label))
        else:
            starts.append(place)
            place += 1
    return found


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("unseen", ["back-off", "lose"])
def test_sums_are_exact(form, unseen):
    model = model_of(CYCLIC, form, unseen)
    probs = probs_of(model.table, model.labels, model.looks)
    several = sentences(4)
    found = totals(model, several)
    assert (found > 0).sum() > 5
    expected = [sums_of(words, probs) for words in several]
    np.testing.assert_allclose(found, [each.total for each in expected], rtol=1e-12)
    forest = model.forest([Evidence(sentence(words)) for words in several], 2)
    np.testing.assert_array_equal(np.exp(forest.log_partition(NONE)), found)
    for parses, each in zip(forest.parses, expected, strict=True):
        np.testing.assert_allclose(np.exp(parses.prefixes), each.prefixes, atol=1e-12)


def test_sums_are_the_charts():
    model = model_of(CYCLIC, "joint")
    rules = pair_grammar(model)
    several = sentences(4)
    chart = Chart(rules, [Evidence(sentence(words)) for words in several])
    expected = np.exp(chart.log_partition(rules.weights))
    np.testing.assert_allclose(totals(model, several), expected, rtol=1e-11)


@pytest.mark.parametrize("form", FORMS)
def test_the_best_parses_are_those_of_all(form):
    model = model_of(CYCLIC, form, "lose")
    some = [words for words in sentences(2) if totals(model, [words])[0] > 0]
    forest = model.forest([Evidence(sentence(words)) for words in some])
    scores, best = forest.best(NONE)
    long = 0
    for place, words in enumerate(some):
        every = every_parse(model, words)
        top = sorted(every.values(), reverse=True)
        assert math.exp(scores[place]) == pytest.approx(top[0])
        assert every[tuple(moves_of(best[place].tree))] == pytest.approx(top[0])
        ranked = forest.kbest(NONE, 25)[place]
        np.testing.assert_allclose([math.exp(score) for score, _ in ranked], top[:25])
        moves = [tuple(moves_of(each.tree)) for _, each in ranked]
        assert len(set(moves)) == 25
        for (score, each), mine in zip(ranked, moves, strict=True):
            assert math.log(every[mine]) == pytest.approx(score)
            assert forest.select(np.array([place])).scores(NONE, [each])[0] == pytest.approx(score)
            long = max(long, *(len(chain) for chain in each.chains.values()))
    assert long > 3


@pytest.mark.parametrize("form", FORMS)
def test_expectations_are_those_of_all_parses(form):
    model = model_of(CYCLIC, form, "lose")
    for words in (("a",), ("a", "b"), ("b", "a")):
        forest = model.forest([Evidence(sentence(words))])
        [found] = forest.spans(NONE)
        every = every_parse(model, words)
        total = sum(every.values())
        expected: Counter[Span] = Counter()
        for moves, prob in every.items():
            for span in spans_of(moves):
                if not span.label.startswith("@"):
                    expected[span] += prob / total
        assert found == pytest.approx(dict(expected), rel=1e-9)
        shares = np.array(list(every.values())) / total
        assert forest.entropy(NONE)[0] == pytest.approx(-(shares * np.log(shares)).sum(), rel=1e-9)


def test_samples_go_round_as_often_as_they_should(rng):
    model = model_of(CYCLIC, "joint", "lose")
    forest = model.forest([Evidence(sentence(("a", "b")))])
    [drawn] = forest.sample(NONE, rng, 4000)
    every = every_parse(model, ("a", "b"))
    total = sum(every.values())
    counts = Counter(tuple(moves_of(each.tree)) for each in drawn)
    assert all(
        math.log(every[tuple(moves_of(each.tree))]) == pytest.approx(each.score) for each in drawn
    )
    for moves, prob in sorted(every.items(), key=lambda pair: -pair[1])[:20]:
        share = prob / total
        spread = math.sqrt(share * (1 - share) / 4000)
        assert counts[moves] / 4000 == pytest.approx(share, abs=5 * spread)
    assert max(map(len, counts)) > 12


@pytest.mark.parametrize("form", FORMS)
def test_a_tree_is_one_parse_also_where_it_goes_round(form):
    texts = [*CYCLIC, "(S (A (B (A (B (A a))))) (B b))"]
    model = model_of(texts, form)
    examples = corpus(texts)
    for beam in (0.0, 0.9):
        kept = replace(model, limits=replace(model.limits, beam=beam))
        found = kept.forest([each.evidence() for each in examples])
        probs = probs_of(model.table, model.labels, model.looks)
        for example, value in zip(examples, found.log_partition(NONE), strict=True):
            moves = model.moves(example.parse)
            pairs = zip(states_of(moves), moves, strict=True)
            assert value == pytest.approx(
                sum(math.log(probs(state)[move]) for state, move in pairs)
            )
        _, best = found.best(NONE)
        answers = zip(examples, best, strict=True)
        assert all(model.answer(each.evidence(), one) == each.parse for each, one in answers)


@pytest.mark.parametrize("form", FORMS)
def test_labels_within_cycles_are_evidence(form):
    model = model_of(CYCLIC, form, "lose")
    words = ("a", "b")
    every = every_parse(model, words)
    trees = [(set(spans_of(moves)), prob) for moves, prob in every.items()]
    cases = [
        [Span(0, 1, "A")],
        [Span(0, 1, "B")],
        [Span(0, 1, "A"), Span(0, 1, "B")],
        [Span(0, 1, "B"), Span(0, 2, "S")],
    ]
    shares = []
    for wanted in cases:
        evidence = Evidence(sentence(words), parse=Constituents(tuple(wanted)))
        forest = model.forest([evidence])
        expected = sum(prob for spans, prob in trees if set(wanted) <= spans)
        shares.append(expected / sum(every.values()))
        assert math.exp(forest.log_partition(NONE)[0]) == pytest.approx(expected, rel=1e-9)
        top = max(prob for spans, prob in trees if set(wanted) <= spans)
        [score], [best] = forest.best(NONE)
        assert math.exp(score) == pytest.approx(top)
        assert set(wanted) <= set(spans_of(moves_of(best.tree)))
        assert forest.impossible(0) is None
    assert 0 < min(shares) < 0.9


def finished(cycles: int | None = None):
    """A parser with normalised features, whose chains have no end, or have one."""
    spec = MoveFeatures(unseen="lose", rare=0, beam=0.0)
    examples = corpus(CYCLIC)
    model, _ = spec.finish(spec.prepare(examples), NONE, examples)
    assert model.limits.cycles is None
    return replace(model, limits=replace(model.limits, cycles=cycles))


def test_features_have_the_same_closed_form(rng):
    model, rounds = finished(), finished(60)
    theta = 0.5 * rng.normal(size=model.parameters.size)
    evidences = [Evidence(sentence(words)) for words in (("a", "b"), ("a",), ("b", "a", "b"))]
    exact, listed = model.forest(evidences), rounds.forest(evidences)
    coefficients = np.array([1.0, -0.5, 2.0])
    value, gradient = exact.evaluate(theta, coefficients)
    many, slope = listed.evaluate(theta, coefficients)
    np.testing.assert_allclose(value, many, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(gradient, slope, atol=1e-8)
    assert abs(gradient).max() > 0.1
    step = 1e-5 * rng.normal(size=len(theta))
    ends = [coefficients @ exact.log_partition(theta + sign * step) for sign in (1, -1)]
    assert ends[0] - ends[1] == pytest.approx(2 * gradient @ step, rel=1e-5)
    np.testing.assert_allclose(exact.entropy(theta), listed.entropy(theta), rtol=1e-8)
    np.testing.assert_allclose(exact.best(theta)[0], listed.best(theta)[0])
    found = exact.follow(theta, coefficients)[1]
    np.testing.assert_allclose(found, listed.follow(theta, coefficients)[1])
    for mine, other in zip(exact.surest(theta), listed.surest(theta), strict=True):
        assert tuple(leaves(mine.tree)) == tuple(leaves(other.tree))
    ranked = [[s for s, _ in some] for some in exact.kbest(theta, 8)]
    np.testing.assert_allclose(ranked, [[s for s, _ in some] for some in listed.kbest(theta, 8)])


def test_wrong_moves_cost_as_often_as_they_are_made():
    """As far as that has an end: where a round costs more than it loses, there is no worst."""
    examples = corpus(CYCLIC)
    forest = finished().forest([Evidence(each.tokens) for each in examples])
    observed = [each.evidence() for each in examples]
    theta = np.zeros(forest.size)
    rows = [right_rows(forest.derive(each)) for each in observed]
    assert all(
        len(right) > len(each.moves) for right, each in zip(rows, forest.parses, strict=True)
    )
    uses = forest.marginals(theta)[1]
    expected = [each[~right].sum() for each, right in zip(uses, rows, strict=True)]
    ends = [forest.charged(observed, cost).log_partition(theta) for cost in (1e-5, -1e-5)]
    np.testing.assert_allclose((ends[0] - ends[1]) / 2e-5, expected, rtol=1e-5)
    assert min(expected) > 0
    with pytest.raises(DivergenceError, match="back to it"):
        forest.charged(observed, 5.0).log_partition(theta)
    with pytest.raises(DivergenceError, match="best parse is infinitely long"):
        forest.charged(observed, 5.0).best(theta)
    with pytest.raises(NotDefined, match="any number of wrong moves"):
        forest.without(observed)


def looping(back: float, out: float, over: float = 0.0):
    """a becomes A, A becomes B, B becomes A or S."""
    model = model_of(["(S (B (A a)))"], "joint", "lose")
    number, labels = model.numbers, len(model.labels)
    scores: dict[tuple[int, int, int], dict[int, float]] = {(0, 0, 0): {number["a"]: 0.0}}
    for top, label, score in (
        ("a", "A", 0.0),
        ("A", "B", over),
        ("B", "A", back),
        ("B", "S", out),
    ):
        mine = scores.setdefault((number[top], 0, 0), {})
        mine[REDUCE_1 * labels + number[label]] = score
    scores[number["S"], 0, 0] = {0: 0.0}
    return replace(model, table=table_of(scores, labels), limits=Limits())


def test_divergence_is_decided_and_named():
    evidence = [Evidence(sentence(("a",)))]
    exact = looping(math.log(0.9), math.log(0.1)).forest(evidence)
    assert exact.log_partition(NONE)[0] == pytest.approx(0.0)
    for back in (0.0, 1.0):
        with pytest.raises(DivergenceError, match=r"lead from (A|B) back to it"):
            looping(back, math.log(0.1)).forest(evidence)
    almost = looping(math.log1p(-1e-12), math.log(1e-12)).forest(evidence)
    assert almost.log_partition(NONE)[0] == pytest.approx(0.0, abs=1e-3)


@pytest.mark.parametrize("over", [-800.0, 800.0, -300.0, 300.0, 0.0])
@pytest.mark.parametrize("loop", [-0.1, -900.0])
def test_numbers_of_any_size_have_sums(over, loop):
    """Also those that are too small or too large to be numbers, and not logarithms."""
    forest = looping(loop - over, -2.0, over).forest([Evidence(sentence(("a",)))])
    expected = over - 2.0 - math.log(-math.expm1(loop))
    assert forest.log_partition(NONE)[0] == pytest.approx(expected, abs=1e-11)


def test_what_never_leaves_a_cycle_is_no_parse():
    """B has no way out, and then the sum over what goes round for ever is not asked for."""
    forest = looping(0.0, -math.inf).forest([Evidence(sentence(("a",)))])
    assert np.isneginf(forest.log_partition(NONE)[0])
    assert forest.impossible(0) == 0


def test_a_narrow_beam_never_finds_more_in_cycles():
    several = sentences(3)
    exact = totals(model_of(CYCLIC, "joint"), several)
    for beam in (1e-9, 1e-3, 0.1, 0.9):
        found = totals(model_of(CYCLIC, "joint", beam=beam), several)
        assert (found <= exact * (1 + 1e-12)).all()
    assert found.sum() < exact.sum()


def test_the_bound_of_free_weights_says_why_labels_are_no_evidence():
    spec = MoveFeatures(rare=0, beam=0.0, normalisation="none", cycles=3)
    model = spec.prepare(corpus(CYCLIC))
    evidence = Evidence(sentence(("a", "b")), parse=Constituents((Span(0, 1, "A"),)))
    with pytest.raises(NotDefined, match="back to it"):
        model.forest([evidence])
