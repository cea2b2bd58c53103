"""Estimators in scikit-learn's tools."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pycrfsuite
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import weft
from weft.corpora.bundled import bundled, bundled_parse_sets
from weft.criteria import conditional, joint, marginal
from weft.criteria.views import View, everything, input_only
from weft.errors import EvidenceError, OptionError
from weft.estimators import Parser, ParseSelector, Tagger
from weft.estimators.base import estimator_of
from weft.recipes import RECIPES
from weft.structures.tree import Tree

CORPUS = bundled("train")[:60]
WORDS = [list(each.tokens.words) for each in CORPUS]
TAGS = [list(each.analysis) for each in CORPUS]
PARSES = bundled_parse_sets()[:2]
FEW = {"iterations": 8}
TREES = [f"(S (NP (D the) (N {noun})) (VP (V {verb})))" for noun in "abc" for verb in "xyz"]
SENTENCES = [["the", noun, verb] for noun in "abc" for verb in "xyz"]


def items(sentences):
    """Attributes as users of sklearn-crfsuite write them."""
    return [
        [
            {
                "word": word,
                "upper": word[:1].isupper(),
                "length": len(word) / 10,
                "ends": [word[-1:]],
            }
            for word in words
        ]
        for words in sentences
    ]


def test_a_tagger_is_what_fit_gives():
    ours = Tagger(settings=FEW).fit(WORDS, TAGS)
    plain = weft.fit(weft.Chain(), CORPUS, optimiser=weft.LBFGS(max_iterations=8))
    np.testing.assert_array_equal(ours.model_.weights, plain.weights)
    assert ours.predict(WORDS[:5]) == [list(tags) for tags in plain.tag(WORDS[:5])]
    assert ours.classes_ == list(plain.model.tags)
    assert ours.n_iter_ == plain.trace[-1].iteration
    [first, *_] = ours.predict_marginals(WORDS[:2])
    np.testing.assert_allclose(
        [list(probs.values()) for probs in first], plain.marginals(WORDS[:1])[0]
    )
    right = sum(
        a == b
        for x, y in zip(ours.predict(WORDS), TAGS, strict=True)
        for a, b in zip(x, y, strict=True)
    )
    assert ours.score(WORDS, TAGS) == pytest.approx(right / sum(map(len, TAGS)))


def test_attributes_in_dictionaries_give_crfsuites_tags(tmp_path):
    trainer = pycrfsuite.Trainer(verbose=False)
    for one, tags in zip(items(WORDS), TAGS, strict=True):
        trainer.append(one, tags)
    trainer.set_params({"c1": 0.0, "c2": 1.0})
    trainer.train(str(tmp_path / "m"))
    theirs = pycrfsuite.Tagger()
    theirs.open(str(tmp_path / "m"))
    settings = {"boundaries": False, "tolerance": 1e-8, "period": 10}
    ours = Tagger(penalty="gaussian:0.5", settings=settings).fit(items(WORDS), TAGS)
    test = items([list(each.tokens.words) for each in bundled("test")[:40]])
    assert ours.predict(test) == [theirs.tag(each) for each in test]


def test_labels_of_numpy_are_strings_of_python():
    tags = [np.array(each) for each in TAGS]
    [found] = Tagger(settings=FEW).fit([np.array(each) for each in WORDS], tags).predict(WORDS[:1])
    assert {type(tag) for tag in found} == {str}


@pytest.mark.parametrize("name", ["johnson-4", "hmm-mealy", "hmm", "crf"])
def test_models_of_words_refuse_attributes(name):
    tagger = Tagger(name, settings=FEW if name == "crf" else None).fit(WORDS, TAGS)
    with pytest.raises(EvidenceError, match=r"X\[0\]: attributes are given, and the model looks"):
        tagger.predict(items(WORDS[:2]))
    if name in ("johnson-4", "hmm-mealy"):
        with pytest.raises(EvidenceError, match=r"X\[0\]: attributes are given"):
            Tagger(name).fit(items(WORDS), TAGS)


def test_cross_validation_grids_pipelines_and_pickles():
    pipe = make_pipeline(FunctionTransformer(items), Tagger(settings={"iterations": 5}))
    scores = cross_val_score(pipe, WORDS, TAGS, cv=3)
    assert scores.shape == (3,)
    assert (scores > 0.3).all()
    grid = {"tagger__penalty": ["gaussian:0.001", "gaussian:1"], "tagger__settings__order": [1, 2]}
    search = GridSearchCV(pipe, grid, cv=2).fit(WORDS, TAGS)
    assert search.best_params_["tagger__penalty"] == "gaussian:1"
    best = search.best_estimator_[-1]
    assert best.settings["iterations"] == 5
    assert best.model_.model.topology.order == search.best_params_["tagger__settings__order"]
    again = pickle.loads(pickle.dumps(search.best_estimator_))  # noqa: S301
    assert again.predict(WORDS[:3]) == search.predict(WORDS[:3])


def test_copies_have_the_parameters_and_no_model():
    tagger = Tagger("hmm", criterion=joint, settings={"order": 2}, decoder="posterior")
    copy = clone(tagger.fit(WORDS, TAGS))
    assert copy.get_params() == tagger.get_params()
    assert copy.get_params()["settings__order"] == 2
    assert copy.criterion.denominator is everything
    with pytest.raises(NotFittedError):
        copy.predict(WORDS)
    assert copy.set_params(settings__order=1, penalty="auto").settings == {"order": 1}
    assert tagger.settings == {"order": 2}


@pytest.mark.parametrize("criterion", [conditional, joint, marginal])
def test_criteria_stay_themselves_in_pickles(criterion):
    again = pickle.loads(pickle.dumps(criterion))  # noqa: S301
    assert again.numerator is criterion.numerator
    assert again.denominator is criterion.denominator
    assert again.name == criterion.name


def test_views_of_ones_own_stay_themselves_in_pickles():
    own = View("input", 1, len)
    again = pickle.loads(pickle.dumps(own))  # noqa: S301
    assert again == own != input_only


@pytest.mark.parametrize(
    "name", [name for name in RECIPES if estimator_of(RECIPES[name]) == "Tagger"]
)
def test_every_recipe_of_taggers(name):
    plan = RECIPES[name]
    settings = {} if plan.criterion is None else {"iterations": 2}
    words, tags = WORDS[:12], TAGS[:12]
    known = {
        word: {tag}
        for x, y in zip(words, tags, strict=True)
        for word, tag in zip(x, y, strict=True)
    }
    dictionary = known if plan.criterion is not None else None
    raw = words[:5] if plan.raw else None
    tagger = Tagger(name, settings=settings, raw=raw, dictionary=dictionary).fit(words, tags)
    assert list(map(len, tagger.predict(words))) == list(map(len, words))
    assert 0 <= tagger.score(words, tags) <= 1


@pytest.mark.parametrize(
    "name", [name for name in RECIPES if estimator_of(RECIPES[name]) == "Parser"]
)
def test_every_recipe_of_parsers(name):
    parser = Parser(name).fit(SENTENCES, TREES)
    assert parser.predict([["the", "a", "z"]])[0].label == "S"
    assert parser.score(SENTENCES, TREES) == 1.0
    spans = parser.predict_marginals(SENTENCES[:1])[0]
    assert spans[0, 2, "NP"] == pytest.approx(1.0)


@pytest.mark.parametrize(
    "name", ["pcfg", "wcfg-crf", "shift-reduce-joint", "shift-reduce-maxent", "shift-reduce-global"]
)
def test_parsers_pickle(name):
    parser = Parser(name).fit(SENTENCES, TREES)
    assert parser.predict(SENTENCES[:1])
    again = pickle.loads(pickle.dumps(parser))  # noqa: S301
    assert again.predict(SENTENCES) == parser.predict(SENTENCES)


def test_trees_of_nltk_and_unknown_ones():
    nltk = pytest.importorskip("nltk")
    mixed = [nltk.Tree.fromstring(TREES[0]), TREES[1], *TREES[2:]]
    assert Parser().fit(SENTENCES, mixed).predict(SENTENCES[:1])[0] == Tree(
        "S",
        (
            Tree("NP", (Tree("D", ("the",)), Tree("N", ("a",)))),
            Tree("VP", (Tree("V", ("x",)),)),
        ),
    )
    with pytest.raises(EvidenceError, match=r"X\[1\]: expected a tree, .* not 3"):
        Parser().fit(SENTENCES[:2], [TREES[0], 3])


def test_parse_selection():
    parses = bundled_parse_sets()
    right = [each.right[0] for each in parses]
    selector = ParseSelector(penalty="relative:7").fit(parses[:70], right[:70])
    np.testing.assert_array_equal(
        selector.model_.weights, ParseSelector(penalty="relative:7").fit(parses[:70]).model_.weights
    )
    probs = selector.predict_marginals(parses[70:])
    chosen = selector.predict(parses[70:])
    best = [each.max() for each in probs]
    assert [each[k] for each, k in zip(probs, chosen, strict=True)] == pytest.approx(best, rel=1e-9)
    several = [place for place in range(70, 100) if len(parses[place].analyses) > 1]
    hits = [selector.predict([parses[place]]) == [right[place]] for place in several]
    assert selector.score(parses[70:], right[70:]) == pytest.approx(np.mean(hits))
    wrong = [1 - min(number, 1) for number in right]
    assert ParseSelector(penalty="relative:7").fit(parses, wrong).score(parses) < 0.5
    assert len(cross_val_score(ParseSelector(penalty="relative:7"), parses, right, cv=3)) == 3


@pytest.mark.parametrize(
    ("estimator", "given", "error", "message"),
    [
        (
            Tagger("pcfg"),
            (WORDS, TAGS),
            OptionError,
            "is not for Tagger, but for weft.estimators.Parser",
        ),
        (Tagger("crff"), (WORDS, TAGS), OptionError, "no recipe 'crff'"),
        (Tagger(settings={"ordr": 2}), (WORDS, TAGS), OptionError, "order"),
        (Tagger(settings={"order": 7}), (WORDS, TAGS), OptionError, "order"),
        (Tagger(settings=3), (WORDS, TAGS), OptionError, "settings are a dictionary"),
        (
            Tagger(criterion="joint", settings={"criterion": "margin"}),
            (WORDS, TAGS),
            OptionError,
            "not both",
        ),
        (Tagger("semi-supervised"), (WORDS, TAGS), OptionError, "give raw="),
        (
            Tagger("johnson-4", dictionary={"a": ["b"]}),
            (WORDS, TAGS),
            OptionError,
            "takes no dictionary",
        ),
        (
            Tagger(),
            (["one text"], [["A"]]),
            EvidenceError,
            r"X\[0\]: a sentence is a list of words",
        ),
        (Tagger(), (WORDS, TAGS[1:]), ValueError, "inconsistent numbers of samples"),
        (Tagger(), (WORDS[:1], [["DT"]]), ValueError, r"X\[0\] has 16 tokens but 1 labels"),
        (Tagger(), ([["a", "b"]], ["XY"]), EvidenceError, r"X\[0\]: its labels are a list of tags"),
        (Tagger(), ([["a"]], [3]), EvidenceError, r"X\[0\]: its labels are a list of tags, not 3"),
        (
            Tagger(),
            ([["a"]], [[3]]),
            EvidenceError,
            r"X\[0\], token 1: a label is a text, .* not 3",
        ),
        (Tagger(), ([["a"]], [[{3}]]), EvidenceError, r"X\[0\], token 1: a label is a text"),
        (Tagger(), ([["a"]], [[np.nan]]), EvidenceError, r"X\[0\], token 1: .* not nan"),
        (Tagger(settings={"patience": 3}), (WORDS, TAGS), OptionError, "give X_dev and y_dev"),
        (ParseSelector(), (PARSES, [0, "1"]), EvidenceError, r"X\[1\]: the right .* not '1'"),
        (ParseSelector(), (PARSES, [0, 1.5]), EvidenceError, r"X\[1\]: the right analysis is"),
        (ParseSelector(), ([3], [1]), EvidenceError, r"X\[0\]: expected a parse set, .* not 3"),
        (
            Parser(),
            ([["a"]], ["(S a) (S b)"]),
            EvidenceError,
            "expected one tree in brackets, not 2",
        ),
    ],
)
def test_mistakes_are_named(estimator, given, error, message):
    with pytest.raises(error, match=message):
        estimator.fit(*given)


@pytest.mark.parametrize(
    ("held", "message"),
    [
        ({"X_dev": [], "y_dev": []}, "give X_dev and y_dev"),
        ({"X_dev": WORDS}, "give y_dev"),
        ({"y_dev": TAGS}, "give X_dev, too"),
    ],
)
def test_held_out_examples_are_whole(held, message):
    with pytest.raises(OptionError, match=message):
        Tagger(settings={"patience": 3}).fit(WORDS, TAGS, **held)


def test_a_word_of_a_dictionary_may_have_one_tag():
    tagger = Tagger(dictionary={"the": "DT", "dog": ["NN"]}, settings=FEW)
    assert tagger.fit([["the", "dog"]], [["DT", "NN"]]).classes_ == ["DT", "NN"]


def test_trees_are_scored_by_trees_alone():
    with pytest.raises(OptionError, match="give y"):
        Parser().fit(SENTENCES, TREES).score(SENTENCES)


def test_the_closest_answer_comes_with_a_warning():
    tagger = Tagger("hmm", dictionary={"time": {"N"}, "flies": {"V"}}, penalty="dirichlet:0")
    tagger.fit([["time", "flies"]], [["N", "V"]])
    with pytest.warns(
        UserWarning, match=r"1 of 2 inputs have no possible answer by the model \(X\[1\]\)"
    ):
        assert tagger.predict([["time", "flies"], ["flies", "time"]])[0] == ["N", "V"]


def test_held_out_examples_stop_training():
    held = [list(each.tokens.words) for each in bundled("heldout")[:20]]
    tags = [list(each.analysis) for each in bundled("heldout")[:20]]
    tagger = Tagger(penalty="gaussian:1000", settings={"patience": 1})
    tagger.fit(WORDS, TAGS, X_dev=held, y_dev=tags)
    assert tagger.n_iter_ < Tagger(penalty="gaussian:1000").fit(WORDS, TAGS).n_iter_
    with pytest.raises(OptionError, match="give y"):
        tagger.score(WORDS)


@pytest.mark.slow
def test_only_estimators_import_scikit_learn():
    code = (
        "import sys, weft, weft.commands; weft.fit; assert 'sklearn' not in sys.modules; "
        "weft.estimators; assert 'sklearn' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"recipe": "hmm", "penalty": "auto"}, "penalty='auto' chooses the scale of a Gaussian"),
        ({"recipe": "hmm-em"}, r"random starts, such as settings=\{'restarts': '5'\}"),
        (
            {"settings": {"period": 3}, "optimiser": "sgd"},
            r"^settings=\{'period': '3'\}: the recipe",
        ),
    ],
)
def test_messages_name_arguments(given: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError, match=message) as caught:
        Tagger(**given).fit([["a", "b"]] * 3, [["X", "Y"]] * 3)
    assert "--" not in str(caught.value)
