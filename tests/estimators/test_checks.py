"""scikit-learn's own checks of estimators.

They give rows of numbers. A sentence is made of each row here, a word per number, and what is
answered is made a number again, so that all checks but those of the numbers themselves apply.
"""

from __future__ import annotations

import functools
import warnings

import numpy as np
import pytest
from sklearn.exceptions import SkipTestWarning
from sklearn.utils import estimator_checks

from weft.corpora.bundled import bundled_parse_sets
from weft.estimators import Parser, ParseSelector, Tagger
from weft.structures.tree import Tree

NOT_ABOUT_SENTENCES = {
    "check_estimator_sparse_array": "a sparse matrix has no sentences",
    "check_estimator_sparse_matrix": "a sparse matrix has no sentences",
    "check_estimator_sparse_tag": "a sparse matrix has no sentences",
    "check_sample_weights_not_an_array": "its X is no sequence, and so has no sentences",
}
"""Checks that do not apply, with the reason."""

SKIPPED = {"check_array_api_input", "check_sample_weights_pandas_series"}
"""Checks that scikit-learn skips where pandas or an array interface is not installed."""


class Rows:
    """An estimator whose sentences are rows of numbers, and whose answers are numbers."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = True
        return tags

    def _examples(self, X, y, sample_weight=None):  # noqa: N803
        rows = np.asarray(X)
        texts = [[f"{place}:{value:.0f}" for place, value in enumerate(row)] for row in rows]
        answers = None if y is None else [self.answer(*pair) for pair in zip(texts, y, strict=True)]
        return super()._examples(self.given(texts), answers, sample_weight)

    def given(self, texts):
        return texts


class TaggedRows(Rows, Tagger):
    def answer(self, words, label):
        return [str(label)] * len(words)

    def predict(self, X):  # noqa: N803
        return np.array([float(tags[0]) for tags in super().predict(X)])


class ParsedRows(Rows, Parser):
    def answer(self, words, label):
        return Tree("S", (Tree(f"N{label}", tuple(words)),))

    def predict(self, X):  # noqa: N803
        trees = super().predict(X)
        return np.array([0.0 if tree is None else float(len(str(tree))) for tree in trees])


class SelectedRows(Rows, ParseSelector):
    SETS = bundled_parse_sets()

    def given(self, texts):
        return [self.SETS[len(" ".join(words)) % len(self.SETS)] for words in texts]

    def answer(self, words, label):  # noqa: ARG002
        return 0

    def predict(self, X):  # noqa: N803
        return np.array(super().predict(X), float)

    def predict_marginals(self, X):  # noqa: N803
        return np.array([probs[0] for probs in super().predict_marginals(X)])

    def _inputs(self, X):  # noqa: N803
        return self._examples(X, None)


QUICK = {"settings": {"iterations": 3}}
ESTIMATORS = [TaggedRows(**QUICK), ParsedRows(), SelectedRows(penalty="gaussian:1", **QUICK)]


def named(check):
    return (check.func if isinstance(check, functools.partial) else check).__name__


def checks():
    for estimator in ESTIMATORS:
        for check in estimator_checks._yield_all_checks(estimator, legacy=True):
            if named(check) not in NOT_ABOUT_SENTENCES.keys() | SKIPPED:
                yield pytest.param(
                    estimator, check, id=f"{type(estimator).__name__}-{named(check)}"
                )


@pytest.mark.parametrize(("estimator", "check"), list(checks()))
def test_scikit_learns_checks(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of inputs without an answer, whose closest one is given
        check(type(estimator).__name__, estimator)


@pytest.mark.parametrize("kind", [Tagger, Parser, ParseSelector])
def test_estimators_are_checked_as_they_are_where_no_matrix_is_needed(kind):
    with pytest.warns(SkipTestWarning, match="Can't test"):
        found = estimator_checks.check_estimator(kind())
    assert {each["status"] for each in found} == {"passed"}
