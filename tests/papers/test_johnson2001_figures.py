"""Johnson (2001), figures 1 and 2."""

from __future__ import annotations

import math
import re

import pytest

from weft.criteria import contrast, joint
from weft.papers.experiment import Part, PartOptions
from weft.papers.johnson2001_parsing import THAT, estimate, read_over_tags
from weft.papers.registry import find_experiments


@pytest.fixture(scope="module")
def pairs():
    [experiment] = find_experiments(["johnson-2001/figure-1"])
    parts = [
        Part(name, {"corpus": THAT, "estimator": name, "iterations": 5}) for name in ("MLE", "MCLE")
    ]
    return [(part, experiment.work(part.arguments, PartOptions(0, 1))) for part in parts]


def test_all_pairs_are_at_most_one(pairs):
    for _, found in pairs:
        strings = found["strings"].values()
        assert 0 < sum(each["p"] for each in strings) < 1
        shares = [sum(each["trees"].values()) for each in strings]
        assert 0 < min(shares) < 0.9 < max(shares) < 1 + 1e-9


def test_pairs_weigh_what_the_joint_criterion_says(pairs):
    parts = {part: read_over_tags(THAT, part) for part in ("train", "dev")}
    parser = estimate("MLE", parts, 5)
    whole = contrast(parser.model, parts["train"], joint).per_example(parser.weights)
    found = pairs[0][1]
    assert sum(found["pairs"]) == pytest.approx(float(whole.sum()))
    logs = [
        math.log(each["p"]) + math.log(share)
        for each in found["strings"].values()
        for share in each["trees"].values()
    ]
    assert max(logs) == pytest.approx(float(whole.max()))
    assert sum(each["count"] for each in found["strings"].values()) == len(parts["train"])


def test_each_estimate_is_the_best_at_what_it_compares(pairs):
    [experiment] = find_experiments(["johnson-2001/figure-1"])
    result = experiment.combine(pairs)
    [finding] = result.findings
    assert str(finding.verdict) == "holds"
    drawn = [picture.svg.count('fill="#1d5f9e"') for picture in result.pictures]
    trees = [sum(len(each["trees"]) for each in found["strings"].values()) for _, found in pairs]
    assert drawn == trees


def test_each_tagger_has_an_arrow_from_all_that_it_conditions_on():
    [experiment] = find_experiments(["johnson-2001/figure-2"])
    [part] = experiment.full
    found = experiment.work(part.arguments, PartOptions())
    arrows = {name: each["svg"].count("<polygon") for name, each in found.items()}
    # Of three tags and words: from tag to tag 2, within a place 3, from a place to the next 2.
    assert arrows == {"(4)": 2 + 3, "(5)": 2 + 3, "(6)": 2 + 3 + 2, "(7)": 2 + 3 + 2}
    up = {
        name: sum(
            float(y) > float(v) for y, v in re.findall(r"M\S+ (\S+)L\S+ (\S+)\"", each["svg"])
        )
        for name, each in found.items()
    }
    assert up == {"(4)": 0, "(5)": 3, "(6)": 2, "(7)": 3}
    assert len(experiment.combine([(part, found)]).pictures) == 4
