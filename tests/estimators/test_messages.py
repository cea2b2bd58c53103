"""Errors of estimators name arguments, in all that is read of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from weft.corpora.bundled import bundled_parse_sets
from weft.errors import EvidenceError, FormatError, OptionError
from weft.estimators import Parser, ParseSelector, Tagger
from weft.estimators.messages import told_in_python


def test_the_message_of_a_format_error_names_arguments_too() -> None:
    with pytest.raises(FormatError) as caught, told_in_python():
        raise FormatError("leave --dev out", path="a.tagged", line=2)
    assert str(caught.value) == "a.tagged:2: leave X_dev out"
    assert caught.value.message == "leave X_dev out"


SENTENCES, TAGS = [["the", "dog"], ["a", "cat"]], [["DT", "NN"], ["DT", "NN"]]
TREES = ["(S (D the) (N dog))", "(S (D a) (N cat))"]
PARSES = bundled_parse_sets()[:6]
QUICK = {"settings": {"iterations": 2}}
GIVEN = {
    Tagger: (SENTENCES, TAGS, QUICK),
    Parser: (SENTENCES, TREES, {}),
    ParseSelector: (PARSES, None, {"penalty": "relative:7", **QUICK}),
}
WORDS = "a sentence is a list of words, not "
INPUTS = {
    Tagger: {
        "the dog": "X is a list of sentences, not 'the dog'",
        ("the", "dog"): rf"X\[0\]: {WORDS}'the'; X has such lists",
        (1, 2): rf"X\[0\]: {WORDS}1;",
        (("the", 1),): r"X\[0\], token 2: all tokens are words, or .*; here are words, and 1$",
        (((), 1),): r"X\[0\], token 2: a token is a word, a dictionary .*, not 1$",
        None: "X is a list of sentences, not None",
    },
    Parser: {
        "the dog": "X is a list of sentences, not 'the dog'",
        ("the", "dog"): rf"X\[0\]: {WORDS}'the'; X has such lists",
        (("the", 1),): r"X\[0\], token 2: a word is a text, not 1",
        None: "X is a list of sentences, not None",
    },
    ParseSelector: {
        "the dog": "X is a list of parse sets, not 'the dog'",
        (("the", "dog"),): r"X\[0\]: expected a parse set, .* not \('the', 'dog'\)",
        None: "X is a list of parse sets, not None",
    },
}
PARAMETERS = [
    ({"penalty": 1.0}, "the penalty is a text such as 'gaussian:10'"),
    ({"penalty": np.int64(1)}, "the penalty is a text such as 'gaussian:10'"),
    ({"penalty": np.float32(1)}, "the penalty is a text such as 'gaussian:10'"),
    ({"penalty": "gausss:1"}, "'gausss:1' is no penalty"),
    ({"threads": "two"}, "threads is a whole number"),
    ({"threads": True}, "threads is a whole number, or None, not True"),
    ({"threads": 0}, "threads must be at least 1"),
    ({"recipe": "crff"}, "did you mean crf"),
    ({"settings": {"iterationz": 2}}, "did you mean iterations"),
    ({"settings": [2]}, "settings are a dictionary"),
    ({"criterion": "conditionall"}, "did you mean conditional"),
]
every = pytest.mark.parametrize("kind", GIVEN)


@every
@pytest.mark.parametrize("method", ["fit", "predict", "predict_marginals", "score"])
def test_inputs_that_are_none(kind: Any, method: str) -> None:
    X, y, options = GIVEN[kind]  # noqa: N806
    estimator = kind(**options).fit(X, y)
    for given, message in INPUTS[kind].items():
        inputs = list(given) if isinstance(given, tuple) else given
        answers = {} if method.startswith("predict") or y is None else {"y": y[: len(given or "")]}
        with pytest.raises(EvidenceError, match=message):
            getattr(estimator, method)(inputs, **answers)


@every
def test_an_array_without_length_is_none(kind: Any) -> None:
    with pytest.raises(EvidenceError, match=r"X is a list of .*, not array\(3\)"):
        kind().fit(np.array(3))


@every
def test_answers_that_are_none(kind: Any) -> None:
    X, y, options = GIVEN[kind]  # noqa: N806
    estimator = kind(**options)
    right = y or [0] * len(X)
    for wrong, message in (
        (right[:1], "inconsistent numbers of samples"),
        ([3.5] * len(X), r"X\[0\].*3\.5"),
        (["x"] * len(X), r"X\[0\](.|\n)*'x'"),
    ):
        for method in (estimator.fit, kind(**options).fit(X, y).score):
            with pytest.raises(ValueError, match=message):
                method(X, wrong)


@every
def test_nothing_at_all(kind: Any) -> None:
    X, y, options = GIVEN[kind]  # noqa: N806
    estimator = kind(**options)
    for method in (estimator.predict, estimator.predict_marginals, estimator.score):
        with pytest.raises(NotFittedError, match=f"This {kind.__name__} instance is not fitted"):
            method(X)
    with pytest.raises(EvidenceError, match="X is empty"):
        estimator.fit([], [])
    estimator.fit(X, y)
    assert estimator.predict([]) == estimator.predict_marginals([]) == []
    with pytest.raises(EvidenceError, match="X is empty"):
        estimator.score([], [])


@every
@pytest.mark.parametrize(("wrong", "message"), PARAMETERS)
def test_parameters_that_are_none(kind: Any, wrong: Any, message: str) -> None:
    X, y, _ = GIVEN[kind]  # noqa: N806
    with pytest.raises(OptionError, match=message) as caught:
        kind(**wrong).fit(X, y)
    assert "--" not in str(caught.value)


def test_a_dictionary_that_is_none() -> None:
    with pytest.raises(OptionError, match=r"as in \{'the': \['DT'\]\}, not \['the'\]"):
        Tagger(dictionary=["the"]).fit(SENTENCES, TAGS)


@pytest.mark.parametrize("method", ["predict", "predict_marginals", "score"])
def test_errors_of_models_name_arguments(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a model says of options, every method speaks of arguments."""
    tagger = Tagger(**QUICK).fit(SENTENCES, TAGS)

    def refuse(*_: Any, **__: Any) -> None:
        raise OptionError("leave --dev out")

    for name in ("nearest", "marginals"):
        monkeypatch.setattr(type(tagger.model_), name, refuse)
    answers = {"y": TAGS} if method == "score" else {}
    with pytest.raises(OptionError, match=r"^leave X_dev out$"):
        getattr(tagger, method)(SENTENCES, **answers)


def test_without_labels_no_file_is_named() -> None:
    with pytest.raises(OptionError, match="give labelled ones, or a criterion") as caught:
        Tagger().fit(SENTENCES)
    assert "train.tagged" not in str(caught.value)
