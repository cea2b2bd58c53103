import json
import zipfile
from dataclasses import replace

import numpy as np
import pytest

import weft
from parse_sets import both_ways, matrix, random_examples
from weft.corpora import bundled_parse_sets
from weft.criteria import (
    Dirichlet,
    Gaussian,
    accuracy,
    conditional,
    contrast,
    expected_accuracy,
    no_penalty,
)
from weft.errors import EvidenceError, FormatError, OptionError
from weft.features.compile import compile_parses, unpack_parses
from weft.features.properties import Property, properties
from weft.models.selection.model import prepare_selection
from weft.models.selection.selector import with_properties
from weft.models.selection.spec import Selection
from weft.models.storage import load_model, load_tagger, save_model
from weft.optimise.annealing import Annealing
from weft.optimise.conjugate_gradient import ConjugateGradient
from weft.optimise.lbfgs import LBFGS
from weft.optimise.search import Search
from weft.structures.alternatives import Selected, alternatives, row_features
from weft.train import fit, selection_curve, with_scale
from weft.train.selection.spread import Spread

LOCAL = properties("rules grandparents entries")


@pytest.fixture(scope="module")
def selector():
    return fit(Selection(properties("rules dependencies")), bundled_parse_sets())


def test_probabilities_and_ranks_equal_a_plain_softmax(rng):
    corpus = random_examples(rng, 10, base=True)
    selector = fit(Selection(), corpus)
    for each in corpus:
        scores = each.tokens.base + matrix(selector.model, each.tokens) @ selector.weights
        probs = np.exp(scores - scores.max())
        probs /= probs.sum()
        ranking = selector.explain(each.tokens, count=len(scores)).ranking
        assert sorted(one.number for one in ranking) == list(range(len(scores)))
        for one in ranking:
            assert one.probability == pytest.approx(probs[one.number])
            assert one.score == pytest.approx(scores[one.number])
            assert one.rank == 1 + (scores > scores[one.number] + 1e-12).sum()
        np.testing.assert_allclose(
            selector.log_probs([each])[0], np.log(probs[list(each.analysis)].sum()), atol=1e-12
        )
        assert len(selector.kbest([each.tokens], 2)[0]) == min(2, len(scores))


def test_equal_analyses_share_a_rank():
    tokens = alternatives([{("given", "a"): 1.0}, {("given", "b"): 1.0}, {("given", "b"): 1.0}])
    selector = fit(Selection(), [Selected(tokens, (0,))])
    ranking = selector.explain(tokens).ranking
    assert [(one.rank, one.number) for one in ranking] == [(1, 0), (2, 1), (2, 2)]


def test_without_any_weight_there_is_no_ranking():
    tokens = alternatives([{}, {}], [-np.inf, -np.inf], source="file:2")
    selector = fit(Selection(), [Selected(alternatives([{}, {("given", "a"): 1.0}]), (0,))])
    with pytest.raises(EvidenceError, match="file:2: no analysis is possible"):
        selector.explain(tokens)


def test_packed_forests_are_ranked_as_lists_are(rng):
    forest, flat, _ = both_ways(rng, LOCAL)
    selector = fit(Selection(LOCAL), [flat])
    listed = selector.explain(flat.tokens, count=1000).ranking
    packed = selector.explain(forest.tokens, count=len(listed) + 5).ranking
    assert [one.probability for one in packed] == pytest.approx([one.probability for one in listed])
    assert [one.rank for one in packed][:1] == [1]
    assert selector.log_probs([forest])[0] == pytest.approx(selector.log_probs([flat])[0])
    if len(packed) > 1:
        found = selector.explain(forest.tokens)
        # Scores of edges belong to no feature.
        base = [sum(forest.tokens.base[list(one.answer)]) for one in packed[:2]]
        rest = sum(each.difference for each in found.reasons if each.kind == "rest")
        assert rest == pytest.approx(base[0] - base[1], abs=1e-9)


def test_reasons_have_the_values_of_both_analyses(selector):
    for example in selector.compiled(bundled_parse_sets()[:20]):
        best, *others = (each.answer for each in selector.kbest([example.tokens], 10)[0])
        for other in others:
            found = selector.explain(example.tokens, example, against=other)
            assert found.chosen.number == best
            mine, theirs = (row_features(example.tokens, [each]) for each in (best, other))
            for reason in found.reasons:
                name = reason.kind, reason.name
                assert (reason.chosen, reason.other) == (mine.get(name, 0), theirs.get(name, 0))
                assert reason.weight == selector.weights[selector.model.index[name]]


def test_values_that_agree_are_no_reasons():
    tokens = alternatives(
        [
            {("given", "same"): 0.3, ("given", "a"): 1.0},
            {("given", "same"): 0.1 + 0.2, ("given", "b"): 1.0},
        ]
    )
    selector = fit(Selection(relevance=0), [Selected(tokens, (0,))])
    found = selector.explain(tokens)
    assert {(reason.kind, reason.name) for reason in found.reasons} == {
        ("given", "a"),
        ("given", "b"),
    }


def test_files_keep_everything(selector, tmp_path):
    path = tmp_path / "ranker.weft"
    weft.save(path, selector)
    loaded = weft.load(path)
    assert loaded.model.names == selector.model.names
    assert loaded.model.selection == selector.model.selection
    timeless = tuple(replace(step, seconds=None) for step in selector.trace)
    assert (loaded.trace, loaded.notes) == (timeless, selector.notes)
    np.testing.assert_array_equal(loaded.weights, selector.weights)
    np.testing.assert_array_equal(loaded.model.largest, selector.model.largest)
    with pytest.raises(FormatError, match="holds a 'selector', not a 'tagger'"):
        load_tagger(path)


def test_own_properties_are_given_again(tmp_path):
    own = Property("last", "the last word", of_node=lambda node: node.words[-1:])
    sets = bundled_parse_sets()[:10]
    selector = fit(Selection((own, *properties("rules"))), sets)
    save_model(tmp_path / "own.weft", selector)
    loaded = load_model(tmp_path / "own.weft")
    with pytest.raises(OptionError, match="looks at 'last', a property of its maker's own"):
        loaded.compiled(sets[:1])
    again = with_properties(loaded, [own])
    for one, other in zip(again.compiled(sets), selector.compiled(sets), strict=True):
        assert again.kbest([one.tokens], 9) == selector.kbest([other.tokens], 9)


@pytest.mark.parametrize(
    "change",
    [
        lambda manifest: manifest.update(kinds=["b", "a"]),
        lambda manifest: manifest.update(kinds=[]),
        lambda manifest: manifest.update(relevance=-1),
        lambda manifest: manifest.update(properties=["a b"]),
        lambda manifest: manifest.update(properties=3),
        lambda manifest: manifest.pop("notes"),
    ],
)
def test_damaged_files_are_refused(selector, tmp_path, change):
    good, bad = tmp_path / "good.weft", tmp_path / "bad.weft"
    save_model(good, selector)
    with zipfile.ZipFile(good) as old, zipfile.ZipFile(bad, "w") as new:
        for item in old.infolist():
            content = old.read(item)
            if item.filename == "manifest.json":
                manifest = json.loads(content)
                change(manifest)
                content = json.dumps(manifest).encode()
            new.writestr(item, content)
    with pytest.raises(FormatError):
        load_model(bad)


def test_relevance_leaves_out_what_does_not_decide(rng):
    corpus = random_examples(rng, 12)
    counts = {}
    for each in corpus:
        dense = matrix(prepare_selection(Selection(relevance=0), corpus), each.tokens)
        for column in np.flatnonzero(dense.max(axis=0) > dense.min(axis=0)):
            counts[column] = counts.get(column, 0) + 1
    names = prepare_selection(Selection(relevance=0), corpus).names
    for least in (1, 3, 6):
        kept = prepare_selection(Selection(relevance=least), corpus).names
        assert set(kept) == {names[k] for k, count in counts.items() if count >= least}
    with pytest.raises(OptionError, match="relevance"):
        Selection(relevance=-1)
    with pytest.raises(OptionError, match="same name"):
        Selection(properties("rules") * 2)


def test_the_relative_penalty_is_that_of_the_paper(rng):
    corpus = random_examples(rng, 10)
    model = prepare_selection(Selection(), corpus)
    largest = np.max([matrix(model, each.tokens).max(axis=0) for each in corpus], axis=0)
    np.testing.assert_allclose(model.largest, largest)
    theta = rng.normal(size=len(largest))
    cost = Gaussian(49.0, relative=True).objective(model.parameters)(theta)[0]
    assert cost == pytest.approx(-(theta**2 / (2 * (7 * largest) ** 2)).sum())
    with pytest.raises(OptionError, match="does not keep"):
        weft.fit(
            weft.Chain(),
            [weft.example(["a"], ["X"])],
            penalty=Gaussian(49.0, relative=True),
        )


def test_an_l1_penalty_leaves_few_weights(rng):
    corpus = random_examples(rng, 30, features=20)
    free = fit(Selection(), corpus, penalty=no_penalty, optimiser=LBFGS(max_iterations=30))
    few = fit(Selection(), corpus, penalty=no_penalty, optimiser=LBFGS(l1=3.0))
    assert (few.weights != 0).sum() < (free.weights != 0).sum()
    # At the optimum no gradient is larger than the penalty.
    gradient = contrast(few.model, corpus, conditional)(few.weights)[1]
    assert abs(gradient).max() < 3.0 + 0.1


def test_optimisers_agree_through_fit():
    sets = bundled_parse_sets()
    exact = {"tolerance": 0.0, "gradient_tolerance": 1e-7}
    one = fit(Selection(), sets, optimiser=LBFGS(**exact))
    other = fit(Selection(), sets, optimiser=ConjugateGradient(**exact))
    np.testing.assert_allclose(one.weights, other.weights, atol=1e-4)


def test_progress_and_development_and_restarts():
    sets = bundled_parse_sets()
    seen = []
    selector = fit(
        Selection(), sets[:60], development=sets[60:], progress=lambda step: seen.append(step)
    )
    assert [step.progress for step in seen] == list(selector.trace)
    assert all(0 <= step.accuracy <= 1 for step in seen)
    again = fit(
        Selection(),
        sets[:20],
        criterion=expected_accuracy,
        search=Search(restarts=2, choose="entropy"),
    )
    assert again.notes["criterion"] == "expected-accuracy"
    with pytest.raises(OptionError, match="cools by itself"):
        fit(
            Selection(),
            sets[:5],
            criterion=accuracy,
            optimiser=Annealing(steps=10),
            search=Search(anneal=0.5),
        )


def test_one_scale_makes_right_choices_likelier(rng):
    corpus = random_examples(rng, 30)
    selector = fit(Selection(), corpus, criterion=accuracy, optimiser=Annealing(steps=2000))
    scaled, scale = with_scale(selector, corpus)
    np.testing.assert_allclose(scaled.weights, scale * selector.weights)
    assert scale > 0
    penalty = Gaussian(49.0, relative=True).objective(selector.model.parameters)
    objective = contrast(selector.model, corpus, conditional) + penalty
    best = objective(scaled.weights)[0]
    for factor in (0.5, 0.9, 1.1, 2.0):
        assert objective(factor * scaled.weights)[0] <= best + 1e-9


def test_a_scale_is_finite_where_all_choices_are_right():
    tokens = alternatives([{("given", "a"): 1.0}, {("given", "b"): 2.0}])
    corpus = [Selected(tokens, (0,))]
    selector = fit(Selection(), corpus, criterion=accuracy, optimiser=Annealing(steps=2000, seed=1))
    scaled, _ = with_scale(selector, corpus)
    # The slope of log PL along the weights is that of the penalty, −Σ θ²/σ² with σ = 7 and 14.
    gradient = contrast(selector.model, corpus, conditional)(scaled.weights)[1]
    cost = (scaled.weights**2 / np.array([7.0, 14.0]) ** 2).sum()
    assert gradient @ scaled.weights == pytest.approx(cost, rel=1e-3)
    assert abs(scaled.weights).max() < 100


def test_forward_selection_takes_the_best_first():
    decisive = [
        Selected(
            alternatives(
                [
                    {("given", "good"): 1.0, ("given", f"x{k % 5}"): 1.0},
                    {("given", "bad"): 1.0, ("given", f"x{(k + 1) % 5}"): 1.0},
                ]
            ),
            (0,),
        )
        for k in range(20)
    ]
    points = list(selection_curve(Selection(), decisive, decisive, [1, 2, 4, 100]))
    assert [point.features for point in points] == [1, 2, 4]
    assert points[0].added[0][1] in {"good", "bad"}
    assert points[0].test.accuracy == 1.0
    for point in points:
        assert (point.selector.weights != 0).sum() <= point.features
    added = [name for point in points for name in point.added]
    assert len(set(added)) == len(added) == 4
    losses = [point.training.neg_log_pl for point in points]
    assert losses == pytest.approx(sorted(losses, reverse=True), rel=1e-8)
    for sizes in ([2, 1], [0], [1, 1]):
        with pytest.raises(OptionError, match="grow"):
            selection_curve(Selection(), decisive, decisive, sizes)
    with pytest.raises(OptionError, match="is for EM"):
        selection_curve(Selection(), decisive, decisive, [1], penalty=Dirichlet(1.0))


def test_forward_selection_of_packed_analyses_is_that_of_listed_ones(rng):
    pairs = [both_ways(rng, LOCAL) for _ in range(15)]
    forests, listed = ([pair[k] for pair in pairs] for k in (0, 1))
    curves = [
        selection_curve(Selection(LOCAL), each, each, [1, 3, 9]) for each in (forests, listed)
    ]
    for one, other in zip(*curves, strict=True):
        assert one.added == other.added
        np.testing.assert_allclose(one.selector.weights, other.selector.weights, atol=1e-4)
        assert one.test.neg_log_pl == pytest.approx(other.test.neg_log_pl, rel=1e-5)


@pytest.mark.parametrize("seed", range(4))
def test_variances_in_forests_are_those_of_listed_analyses(seed):
    rng = np.random.default_rng(seed)
    forest, _, _ = both_ways(rng, LOCAL, words=5)
    listed = unpack_parses(forest)
    model = prepare_selection(Selection(LOCAL), [listed])
    theta = rng.normal(size=model.parameters.size)
    one, other = (Spread(model, [each])(theta) for each in (forest, listed))
    dense = matrix(model, listed.tokens)
    probs = np.exp(dense @ theta + listed.tokens.base)
    probs /= probs.sum()
    expected = probs @ dense**2 - (probs @ dense) ** 2
    np.testing.assert_allclose(one, expected, atol=1e-9)
    np.testing.assert_allclose(other, expected, atol=1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_what_a_feature_is_worth_is_the_gain_of_a_quadratic(seed):
    """The first choice is the largest g²/h, with g and h by finite differences."""
    drawn = random_examples(np.random.default_rng(seed), 15, features=8)
    # With one right analysis per sentence, h is the variance among all of them.
    corpus = [Selected(each.tokens, each.analysis[:1], each.weight) for each in drawn]
    model = prepare_selection(Selection(), corpus)
    objective = contrast(model, corpus, conditional)
    size, step = model.parameters.size, 1e-4
    zero = np.zeros(size)
    worth = []
    for j in range(size):
        move = step * np.eye(size)[j]
        up, down, here = (objective(zero + sign * move)[0] for sign in (1, -1, 0))
        slope, bend = (up - down) / (2 * step), -(up + down - 2 * here) / step**2
        worth.append(slope**2 / bend)
    [point] = selection_curve(Selection(), corpus, corpus, [1])
    [name] = point.added  # several may be worth as much
    assert worth[model.index[name]] == pytest.approx(max(worth), rel=1e-4)


def test_compiled_examples_will_do(selector):
    corpus = [
        compile_parses(each, selector.model.selection.properties) for each in bundled_parse_sets()
    ]
    again = fit(selector.model.selection, corpus)
    np.testing.assert_array_equal(again.weights, selector.weights)
