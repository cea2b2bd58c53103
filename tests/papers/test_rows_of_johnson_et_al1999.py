"""The rows of Johnson et al. (1999): what is compared with what."""

from __future__ import annotations

import pytest

from weft.papers.experiment import Part, PartOptions
from weft.papers.registry import find_experiments
from weft.papers.results import Verdict


def test_models_of_fewer_features_are_compared_sentence_by_sentence():
    [experiment] = find_experiments(["johnson-et-al-1999/by-features"])
    arguments = {"corpus": "appointments", "most": 40, "sizes": [1, 5], "folds": [0, 1], "of": 2}
    found = experiment.work(arguments, PartOptions(0, 1))
    tested = [each for each in found["points"] if each["part"] == "test"]
    assert [each["features"] for each in tested] == [1, 5, 1, 5]
    for each in tested:
        assert len(each["credits"]) == each["ambiguous"] > 2
        assert sum(each["credits"]) == pytest.approx(each["right"])
        credit = 1.0 if each["features"] == 1 else 0.0  # as if one feature were always right
        each["credits"] = [credit] * each["ambiguous"]
    [finding] = experiment.combine([(Part("a", arguments), found)]).findings
    assert finding.verdict is Verdict.HOLDS  # two folds alone could not tell
    assert finding.ours == "100.00 and 0.00"


def test_the_joint_estimator_is_compared_with_one_of_its_own_prior():
    [experiment] = find_experiments(["johnson-et-al-1999/table-3"])
    names = ("pseudo-likelihood", "tighter prior", "joint")
    one = {name: [-1.0, -2.0] for name in names}
    found = {"credits": {name: [1.0, 0.5] for name in names}, "log_probs": one, "joint": None}
    part = Part("a", {"corpus": "a", "folds": 2})
    claims = [each.claim for each in experiment.combine([(part, found)]).findings]
    assert claims == ["C: tighter prior > joint"]
