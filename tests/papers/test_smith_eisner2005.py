"""The experiments of Smith and Eisner (2005) on a little text."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import weft
from weft.corpora.tags.dictionaries_made import dictionary_of
from weft.errors import OptionError
from weft.optimise.lbfgs import LBFGS
from weft.optimise.search import Search
from weft.optimise.solution import Reason
from weft.papers.contrastive.figure2 import PAPER, RANDOM, SIZES
from weft.papers.contrastive.learning import (
    METHODS,
    SUPERVISED,
    Climber,
    Settings,
    first_words,
    learn,
    read_text,
)
from weft.papers.contrastive.reference_optimiser import ScipyLBFGS
from weft.papers.contrastive.restarts import restart_table
from weft.papers.experiment import PartFound, PartOptions
from weft.papers.registry import find_experiments
from weft.papers.rows import learnt as rows_learnt
from weft.papers.rows.compared import share
from weft.papers.rows.learnt import learn_part, learning_part, oracle, plot_by_smoothing, select
from weft.recipes import find_recipe


def learnt(method: str, words: int, **more: object) -> PartFound:
    """What a method finds on the first words of the corpus that comes with the package."""
    part = learning_part("english", words, method, 1.0, **more)
    return learn_part(part.arguments, PartOptions(0, 1))


@pytest.fixture(scope="module")
def made():
    return {method: learnt(method, 600) for method in (*SUPERVISED, *METHODS)}


@pytest.mark.slow
def test_every_method_learns(made):
    for found in made.values():
        assert found["iterations"] >= 1
        assert share(found["all"]) >= share(found["ambiguous"]) > 0.2
        assert found["tokens"] <= 600
        assert 1 < found["tags_per_token"] < 2


@pytest.mark.slow
def test_supervised_taggers_are_ceilings(made):
    found = {method: share(each["ambiguous"]) for method, each in made.items()}
    for method in SUPERVISED:
        assert found[method] > max(found[each] for each in METHODS)
    assert found["crf"] == 1.0


@pytest.mark.slow
def test_the_random_line_is_the_expected_accuracy(made):
    words = [w for e in first_words(read_text("english"), 600) for w in e.tokens.words]
    known = dictionary_of(first_words(read_text("english"), 600))
    sizes = [len(known[word]) for word in words if len(known[word]) > 1]
    assert made["em"]["ambiguous_tokens"] == len(sizes)
    assert made["em"]["random"] == pytest.approx(np.mean([1 / size for size in sizes]))


def test_independent_figures_are_of_one_text():
    [experiment] = find_experiments(["smith-eisner-2005/figure-2"])
    counts = [[1, 2]]
    found = {"tags_per_token": 1.67, "random": 0.5, "development": None, "tokens": 94_084}
    found |= {"ambiguous_tokens": 34_357, "ambiguous": counts, "all": counts}

    def shown(corpus: str, tokens: int, method: str, smoothing: float | None) -> object:
        part = learning_part(corpus, None, method, 1.0, smoothing=smoothing)
        [table] = experiment.combine([(part, {**found, "tokens": tokens})]).tables
        place = [column.name for column in table.columns].index("independent")
        return table.rows[0][place]

    assert shown("wsj-sample", 94_084, "em", 1.0) == 0.701
    for other in (
        ("english", 94_084, "em", 1.0),
        ("wsj-sample", 24_000, "em", 1.0),
        ("wsj-sample", 94_084, "crf", 1.0),
        ("wsj-sample", 94_084, "em", None),
    ):
        assert shown(*other) is None


def test_figure_2_has_the_papers_sizes_and_smoothings():
    [experiment] = find_experiments(["smith-eisner-2005/figure-2"])
    asked = [part.arguments for part in experiment.full]
    for method in set(PAPER) - {RANDOM}:
        own = {
            (each["words"], each["smoothing"])
            for each in asked
            if each["method"] == method and "folds" not in each
        }
        assert own == {(size, each) for size in SIZES for each in (None, 0.1, 1.0, 10.0)}


def test_the_papers_table_of_sizes_stands_beside_ours():
    [experiment] = find_experiments(["smith-eisner-2005/figure-2"])
    found = {"ambiguous_tokens": 9, "tags_per_token": 1.5, "random": 0.5, "development": None}
    parts = [
        (
            learning_part("english", tokens, method, 1.0, **more),
            {**found, "tokens": tokens, "ambiguous": counts, "all": counts},
        )
        for tokens, counts in ((1000, [[1, 2]]), (2000, [[3, 4]]))
        for method, more in (("crf", {}), ("crf", {"folds": 2}), ("em", {}))
    ]
    paper, ours, *_ = experiment.combine(parts).tables
    rows = {row[0]: row[1:] for row in paper.rows}
    assert rows["length"] == ("74.9 (77.4)", "78.7 (81.5)", "78.3 (81.3)", "78.9 (79.3)")
    names = [column.name for column in ours.columns]
    assert names == ["method", "english, 1,000 words", "english, 2,000 words"]
    labels = ("crf, same text", "crf, held out", "em")
    assert ours.rows == tuple((label, "50.0", "75.0") for label in labels)


@pytest.mark.parametrize(
    ("words", "said", "oracle"),
    [
        (12_000, "74.9 and 49.5", 0.774),
        (None, "78.9 and 60.9", 0.793),
        (700, "78.9 and 60.9", 0.793),
    ],
)
def test_the_papers_figures_are_of_the_same_size(words, said, oracle):
    [experiment] = find_experiments(["smith-eisner-2005/figure-2"])
    found = {"ambiguous_tokens": 9, "tags_per_token": 1.5, "random": 0.5, "development": None}
    found |= {"tokens": 700, "ambiguous": [[1, 2]] * 9, "all": [[1, 2]] * 9}
    parts = [(learning_part("english", words, each, 1.0), found) for each in ("length", "em")]
    result = experiment.combine(parts)
    assert [each.paper for each in result.findings] == [said]
    assert result.tables[0].rows[0][:3] == ("length", "1", oracle)


def test_the_model_is_the_papers():
    corpus = first_words(read_text("english"), 300)
    known = dictionary_of(corpus)
    for method in ("hmm", "crf", "em", "trans1"):
        tagger = learn(method, 1.0, corpus, (), known, Settings())
        kinds = [kind.name for kind in tagger.model.parameters.kinds]
        assert kinds == ["trigram", "tag:word[0]"]
    assert learn("em", 1.0, corpus, (), known, Settings()).notes["start"] == "uniform distributions"


def test_both_optimisers_find_the_same_maximum():
    corpus = first_words(read_text("english"), 300)
    values = [
        learn(
            "crf",
            1.0,
            corpus,
            (),
            dictionary_of(corpus),
            Settings(tolerance=1e-12, optimiser=each),
        )
        .trace[-1]
        .value
        for each in Climber
    ]
    assert values[0] == pytest.approx(values[1], rel=1e-7)


def parabola(theta):
    return -float(((theta - 3.0) ** 4).sum()), -4.0 * (theta - 3.0) ** 3


def test_the_reference_optimiser_tells_of_its_steps():
    seen = []
    found = ScipyLBFGS(tolerance=1e-12).maximise(
        parabola, np.zeros(3), lambda step, weights: seen.append((step, weights.copy()))
    )
    assert found.reason is Reason.VALUE
    assert [step for step, _ in seen] == list(found.trace)
    assert [step.iteration for step in found.trace] == list(range(len(seen)))
    assert found.trace[-1].value == found.value == parabola(found.weights)[0]
    np.testing.assert_array_equal(seen[0][1], np.zeros(3))
    np.testing.assert_array_equal(seen[-1][1], found.weights)
    assert LBFGS().maximise(parabola, np.zeros(3)).value == pytest.approx(found.value, abs=1e-6)


def test_the_reference_optimiser_stops_when_it_is_told_to():
    stopped = ScipyLBFGS(1e-12).maximise(parabola, np.zeros(3), lambda step, _: step.iteration == 2)
    assert (stopped.reason, stopped.trace[-1].iteration) == (Reason.STOPPED, 2)
    limited = ScipyLBFGS(1e-12, max_iterations=3).maximise(parabola, np.zeros(3))
    assert (limited.reason, limited.trace[-1].iteration) == (Reason.LIMIT, 3)


@pytest.mark.parametrize("name", ["hmm-em", "contrastive-tagger"])
def test_restarts_are_those_of_a_search(name):
    row = restart_table("english", 3, [name], words=300, seed=5).rows[0]
    corpus = first_words(read_text("english"), 300)
    recipe = find_recipe(name)
    searched = weft.fit(
        replace(
            recipe.model, dictionary=dictionary_of(corpus), templates=weft.templates("word[0]")
        ),
        [replace(example, analysis=None) for example in corpus],
        criterion=recipe.criterion,
        penalty=recipe.penalty,
        optimiser=recipe.optimiser,
        search=Search(restarts=3, seed=5),
    )
    assert row.highest.value == pytest.approx(searched.trace[-1].value, rel=1e-12)
    assert len({climb.value for climb in row.restarts}) == 3
    spread = row.spread
    assert spread["min"] <= spread["mean"] <= spread["max"]
    assert spread["sd"] >= 0


@pytest.mark.parametrize(("restarts", "name"), [(1, "hmm-em"), (2, "pcfg"), (2, "johnson-4")])
def test_what_cannot_be_restarted_is_refused(restarts, name):
    with pytest.raises(OptionError, match=r"at least 2 restarts|does not learn from words"):
        restart_table("english", restarts, [name], words=100)


def test_dilution_adds_tags_and_takes_accuracy():
    whole, less = (learnt("trans1", 600, dilution=each) for each in ("", "count<2"))
    assert less["tags_per_token"] > 5 * whole["tags_per_token"]
    assert share(less["all"]) < share(whole["all"])
    assert less["ambiguous_tokens"] == whole["ambiguous_tokens"]


@pytest.mark.slow
def test_spelling_features_help_with_a_diluted_dictionary():
    plain, spelt = (
        learnt("delortrans1", 3000, dilution="count<2", spelling=each) for each in (False, True)
    )
    assert share(spelt["all"]) > share(plain["all"])


def test_supervised_taggers_are_held_out():
    """Each sentence is tagged by a tagger that did not see its tags."""
    same, apart = (learnt("hmm", 600, **more) for more in ({}, {"folds": 3}))
    assert 0.8 < share(apart["all"]) < share(same["all"])
    assert [count for _, count in apart["all"]] == [count for _, count in same["all"]]
    assert apart["ambiguous_tokens"] == same["ambiguous_tokens"]
    assert apart["development"] is None


def test_more_smoothing_is_farther_to_the_right_for_variances_and_for_counts(monkeypatch):
    weaker = {"crf": (None, 10.0, 1.0, 0.1), "em": (None, 0.1, 1.0, 10.0)}
    rows = {
        method: [
            ({"method": method, "smoothing": each}, {"ambiguous": [[right, 10]]})
            for right, each in enumerate(smoothings)
        ]
        for method, smoothings in weaker.items()
    }
    drawn = []
    monkeypatch.setattr(rows_learnt, "line_plot", lambda *given: drawn.append(given) or "<svg/>")
    plot_by_smoothing("a text", rows)
    [(_, across, _, lines)] = drawn
    assert across.names == ("none", "σ² 10 or λ 0.1", "σ² 1 or λ 1", "σ² 0.1 or λ 10")
    assert "more smoothing →" in across.label
    assert lines["crf"] == lines["em"] == [(0.0, 0.0), (1.0, 10.0), (2.0, 20.0), (3.0, 30.0)]


def test_unknown_methods_are_refused():
    with pytest.raises(OptionError, match="magic"):
        learnt("magic", 100)


@pytest.mark.slow
def test_the_smoothing_is_chosen_without_labels():
    for method in ("em", "length"):
        parts = [
            learning_part("english", 1500, method, 1.0, smoothing=each, development=300)
            for each in (0.01, 100.0)
        ]
        rows = [(part.arguments, learn_part(part.arguments, PartOptions(0, 1))) for part in parts]
        first, second = (found["development"] for _, found in rows)
        assert max(first, second) < 0
        assert first != second
        assert select(rows)[1]["development"] == max(first, second)
        best = max(share(found["all"]) for _, found in rows)
        assert share(oracle(rows, "all")[1]["all"]) == best
    assert select([({}, learnt("em", 200))]) is None


def test_coarse_tags_are_fewer():
    fine, coarse = (learnt("trans1", 500, tag_map=each) for each in (None, "penn-17"))
    assert coarse["tags_per_token"] < fine["tags_per_token"]


@pytest.mark.slow
def test_models_are_best_under_their_own_criterion_without_penalty():
    methods = ["em", "trans1", "length"]
    values = {}
    for method in methods:
        found = learnt(method, 600, smoothing=1e6, criteria=True)
        values[method] = found["criteria"]
        assert sum(found["conditional"]) < 0
    for own in methods:
        finite = {method: each[own] for method, each in values.items() if each[own] is not None}
        assert max(finite, key=finite.__getitem__) == own
        assert all(value < 0 for value in finite.values())
