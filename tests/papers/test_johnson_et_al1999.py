from dataclasses import replace

import numpy as np
import pytest

from weft.corpora import bundled_parse_sets
from weft.errors import OptionError
from weft.features.compile import compile_parses
from weft.models.selection.spec import Selection
from weft.papers import johnson_et_al1999 as paper
from weft.papers.selection.estimators import SelectionCorpus, read_corpus
from weft.papers.selection.features import MOST_CORRECT, fold_curve
from weft.papers.selection.joint import JointEstimator, draw_universe
from weft.train.crossvalidation import deal


@pytest.fixture(scope="module")
def corpus():
    examples = [compile_parses(each, Selection().properties) for each in bundled_parse_sets()[:40]]
    return SelectionCorpus("bundled", examples, None)


@pytest.fixture(scope="module")
def judged(corpus):
    return paper.judge_estimators(corpus, folds=4, steps=1000)


def test_all_estimators_are_judged_on_all_sentences(judged, corpus):
    assert list(judged) == [
        "baseline",
        "pseudo-likelihood",
        "tighter prior",
        "max-correct",
        "max-correct, scaled",
        "line search",
        "line search, scaled",
    ]
    shares = [1 / len(each.tokens) for each in corpus.examples]
    assert judged["baseline"].scores().accuracy == pytest.approx(sum(shares) / 40)
    assert judged["pseudo-likelihood"].scores().accuracy > judged["baseline"].scores().accuracy


def test_the_scale_changes_likelihood_and_not_choices(judged):
    own, scaled = judged["max-correct"].scores(), judged["max-correct, scaled"].scores()
    assert own.accuracy == scaled.accuracy
    assert own.neg_log_pl != scaled.neg_log_pl


def test_few_features_for_all_estimators(corpus):
    found = fold_curve(corpus, [1, 3, 10_000], 0, 2, few=1, steps=2000)
    assert list(found) == [1, 3]
    one, three = found[1].judged, found[3].judged
    assert list(one) == ["pseudo-likelihood", *MOST_CORRECT]
    assert list(three) == ["pseudo-likelihood"]
    assert found[1].training.accuracy <= found[3].training.accuracy + 0.2
    test = int((deal(len(corpus.examples), 2, 0) == 0).sum())
    for each in (*one.values(), *three.values()):
        assert len(each.credits) == test
    # Of one feature only the sign matters, which all find.
    for name in MOST_CORRECT:
        assert one[name].credits == pytest.approx(one["pseudo-likelihood"].credits)


@pytest.mark.slow
def test_abneys_estimator_is_beside_the_others():
    read = read_corpus("appointments", Selection(), most=9)
    assert len(read.examples) == 9
    universe = draw_universe("appointments", 12, seed=1, most=9)
    assert 0 < universe.drawn <= universe.tried == 12
    judged = paper.judge_estimators(read, folds=2, steps=100, abney=JointEstimator(universe))
    assert 0 <= judged["joint"].scores().accuracy <= 1
    estimator = JointEstimator(universe)
    selector = estimator(read.examples)
    estimator.judge("joint", selector, read.examples, read.examples)
    zero = replace(selector, weights=np.zeros_like(selector.weights))
    estimator.judge("zero", zero, read.examples, read.examples)
    figures = estimator.figures()
    # It maximises this, on what it has seen.
    assert figures.log_likelihoods["joint"] > figures.log_likelihoods["zero"]
    # Without weights, log p(ω) is minus the log of the sum over all analyses.
    total = np.logaddexp.reduce([each.score for each in universe.analyses.analyses])
    assert figures.log_likelihoods["zero"] == pytest.approx(-9 * total)
    assert 1 <= figures.effective <= universe.drawn
    assert 0 <= figures.accepted <= 1


def test_corpora_have_names():
    with pytest.raises(
        OptionError, match="there is no corpus 'atis'; there are appointments, manuals, vm, ec"
    ):
        read_corpus("atis", Selection())


def test_corpora_are_shuffled_and_direct_ones_known(data_folder, monkeypatch):
    monkeypatch.setenv("WEFT_DATA", str(data_folder))
    profile = read_corpus("krg-kpsg", Selection())
    assert profile.direct is None
    assert len(profile.examples) == 8
    other = read_corpus("krg-kpsg", Selection(), seed=1)
    assert [each.analysis for each in profile.examples] != [
        each.analysis for each in other.examples
    ]


def test_the_beginning_of_a_corpus(data_folder, monkeypatch):
    monkeypatch.setenv("WEFT_DATA", str(data_folder))
    whole, few = (read_corpus("krg-kpsg", Selection(), most=most) for most in (None, 5))
    sources = [[each.tokens.source for each in corpus.examples] for corpus in (whole, few)]
    assert 0 < len(sources[1]) < len(sources[0])
    assert sources[0][: len(sources[1])] == sources[1]


def test_another_maximiser_chooses_otherwise(corpus):
    one, other = (
        paper.judge_estimators(corpus, folds=2, steps=steps, maximiser=name)
        for name, steps in (("annealing", 500), ("line-search", None))
    )
    assert (one["baseline"].credits == other["baseline"].credits).all()
    assert (one["max-correct"].log_probs != other["max-correct"].log_probs).any()
    with pytest.raises(OptionError, match="no maximiser 'luck'"):
        paper.judge_estimators(corpus, folds=2, maximiser="luck")
