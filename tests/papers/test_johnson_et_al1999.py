import json
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from weft.corpora import bundled_parse_sets
from weft.errors import OptionError
from weft.evaluate.significance import PairedTest
from weft.features.compile import compile_parses
from weft.models.selection.spec import Selection
from weft.papers import johnson_et_al1999 as paper
from weft.papers.selection.estimators import SelectionCorpus, read_corpus
from weft.papers.selection.features import curve, few_features
from weft.papers.selection.joint import JointEstimator, draw_universe
from weft.papers.selection.verdicts import verdicts_of


@pytest.fixture(scope="module")
def corpus():
    examples = [compile_parses(each, Selection().properties) for each in bundled_parse_sets()[:40]]
    return SelectionCorpus("bundled", examples, None)


VERDICTS = {"holds", "undecided", "the other way round"}


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
        "line search",
        "line search, scaled",
    ]
    assert record["joint"] is None
    assert {each["verdict"] for each in record["verdicts"]} <= VERDICTS
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


def test_verdicts_are_those_of_paired_tests():
    def told(difference, p_value):
        test = PairedTest(0.0, difference, 0.0, 0.0, 0.95, p_value, 0.0, 9)
        [found] = verdicts_of({("a", "b"): test})
        assert (found.better, found.worse, found.points) == ("b", "a", 100 * difference)
        return found.verdict

    assert told(0.1, 0.01) == "holds"
    assert told(-0.1, 0.01) == "the other way round"
    assert told(0.1, 0.05) == told(-0.1, 0.6) == "undecided"


def test_abneys_estimator_is_beside_the_others():
    read = read_corpus("appointments", Selection(), most=9)
    assert len(read.examples) == 9
    universe = draw_universe("appointments", 12, seed=1, most=9)
    assert 0 < universe.drawn <= universe.tried == 12
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


def test_the_program(data_folder, monkeypatch):
    import typer

    monkeypatch.setenv("WEFT_DATA", str(data_folder))
    program = typer.Typer()
    program.command()(paper.main)
    options = ["--corpus", "krg-kpsg", "--folds", "2", "--steps", "500"]
    done = CliRunner().invoke(program, [*options, "--json"])
    assert done.exit_code == 0, done.output
    record = json.loads(done.stdout)
    assert record["table1"]["Number of ambiguous sentences"] == 8
    assert CliRunner().invoke(program, ["--corpus", "none"]).exit_code == 2
    shown = CliRunner().invoke(program, options)
    assert "Table 3: krg-kpsg" in shown.stdout
    other = CliRunner().invoke(program, [*options[:-2], "--maximiser", "line-search", "--json"])
    better = json.loads(other.stdout)
    assert better["table3"]["baseline"] == record["table3"]["baseline"]
    assert better["table3"]["max-correct"] != record["table3"]["max-correct"]
    wrong = CliRunner().invoke(program, [*options[:-2], "--maximiser", "luck"])
    assert (wrong.exit_code, "no maximiser 'luck'" in wrong.output) == (2, True)
