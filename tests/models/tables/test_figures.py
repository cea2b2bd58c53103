"""Accuracy of the table models on the Penn Treebank sample; options were chosen on its dev part."""

from __future__ import annotations

import numpy as np
import pytest

from weft.corpora.parts import read_part
from weft.models.tables import Form, Tables, estimate_tables
from weft.structures.evidence import Evidence


@pytest.fixture(scope="module")
def parts(data_folder):
    if not (data_folder / "wsj-sample").is_dir():
        pytest.skip("no Penn Treebank sample among the corpora")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WEFT_DATA", str(data_folder))
        return read_part("wsj-sample", "train"), read_part("wsj-sample", "test")


# Measured independently on the same parts: 94.4, 93.6, 94.9 and 94.1 to 94.4.
@pytest.mark.parametrize(
    ("form", "least"),
    [
        (Form.HMM, 94.4),
        pytest.param(Form.CONDITIONAL, 93.6, marks=pytest.mark.slow),
        pytest.param(Form.PREVIOUS_WORD, 94.9, marks=pytest.mark.slow),
        pytest.param(Form.NEXT_WORD, 94.1, marks=pytest.mark.slow),
        pytest.param(Form.MEALY, 94.4, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_accuracy_on_the_treebank_sample(form, least, parts):
    assert accuracy(Tables(form), *parts) >= least


@pytest.mark.slow
def test_a_second_tag_helps_on_the_treebank_sample(parts):
    first, second = (accuracy(Tables(Form.HMM, order), *parts) for order in (1, 2))
    assert second > first + 0.3


def accuracy(spec, training, test) -> float:
    model = estimate_tables(spec, training)
    probs = model.trellis([Evidence(each.tokens) for each in test]).marginals(model.weights)[1]
    right = [
        model.tags[tag] == gold
        for each, rows in zip(test, probs, strict=True)
        for tag, gold in zip(rows.argmax(axis=1), each.analysis, strict=True)
    ]
    return float(100 * np.mean(right))
