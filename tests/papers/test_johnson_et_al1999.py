import json

import pytest

from weft.corpora import bundled_parse_sets
from weft.errors import OptionError
from weft.features.compile import compile_parses
from weft.models.selection.spec import Selection
from weft.papers import johnson_et_al1999 as paper
from weft.papers.selection.estimators import SelectionCorpus, read_corpus
from weft.papers.selection.features import curve, few_features


@pytest.fixture(scope="module")
def corpus():
    examples = [compile_parses(each, Selection().properties) for each in bundled_parse_sets()[:40]]
    return SelectionCorpus("bundled", examples, None)


@pytest.fixture(scope="module")
def made(corpus):
    return paper.results(corpus, folds=4, steps=1000)


def test_the_tables_have_all_rows(made, corpus):
    record = json.loads(json.dumps(made.as_json()))
    assert record["table1"]["Number of ambiguous sentences"] == 40
    assert list(record["table3"]) == [
        "baseline",
        "pseudo-likelihood",
        "tighter prior",
        "max-correct",
        "max-correct, scaled",
    ]
    shares = [1 / len(each.tokens) for each in corpus.examples]
    assert record["table3"]["baseline"]["correct"] == pytest.approx(sum(shares) / 40)
    assert record["direct"] == {}
    titles = [str(each.title) for each in paper.tables(made)]
    assert [title.partition(":")[0] for title in titles[:3]] == ["Table 1", "Table 2", "Table 3"]


def test_the_scale_changes_likelihood_and_not_choices(made):
    own, scaled = made.rows["max-correct"], made.rows["max-correct, scaled"]
    assert own.accuracy == scaled.accuracy
    assert own.neg_log_pl != scaled.neg_log_pl


def test_the_curve_is_over_all_folds(corpus):
    points = curve(corpus, [1, 3, 10_000], folds=2)
    assert [point.features for point in points] == [1, 3]
    assert all(0 <= point.test <= 1 for point in points)
    assert points[0].training <= points[1].training + 0.2


def test_few_features_for_both_estimators(corpus):
    found = few_features(corpus, [1, 2, 10_000], folds=2, steps=2000)
    assert list(found) == [1, 2]
    for both in found.values():
        assert all(0 <= share <= 1 for share in both)
    # Of one feature only the sign matters, which both find.
    assert found[1][0] == pytest.approx(found[1][1])


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
