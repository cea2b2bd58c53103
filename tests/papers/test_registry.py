"""Every table and figure of the papers is a row, and every row makes a result."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from weft.corpora.catalogue import CORPORA
from weft.criteria import CRITERIA
from weft.errors import OptionError
from weft.papers.experiment import Experiment, Part, PartOptions, program_digest
from weft.papers.registry import EXPERIMENTS, PAPERS, find_experiments

WANTED = {
    "johnson-2001": ["figure-1", "figure-2", "section-3", "table-1", "table-2"],
    "johnson-et-al-1999": ["table-1", "table-2", "table-3", "by-features"],
    "smith-eisner-2005": [
        *("figure-1", "figure-2", "table-3", "figure-3", "footnote-7"),
        *("lexical-divergence", "restarts"),
    ],
    "smith-johnson-2007": [
        *("examples", "example-3", "theorem-1", "corollary-1", "least-scaling"),
        *("non-identifiability", "figure-1"),
    ],
    "beyond": ["grid", "learning-curve", "global-joint", "label-bias"],
}
"""What there is to reproduce, in the order of the report."""

SMALL = {"words": 300, "development": 100, "most": 25, "steps": 50, "count": 10, "restarts": 2}
SMALL |= {"iterations": 3, "folds": 2}
"""Arguments that make a quick part quicker."""

LONG = {
    *("johnson-et-al-1999/table-1", "johnson-et-al-1999/by-features"),
    *("smith-eisner-2005/figure-2", "smith-eisner-2005/table-3", "smith-eisner-2005/restarts"),
    *("johnson-et-al-1999/table-2", "johnson-et-al-1999/table-3", "smith-eisner-2005/footnote-7"),
    *("beyond/grid", "beyond/learning-curve", "beyond/global-joint", "beyond/label-bias"),
}
"""What takes seconds even so."""

every = pytest.mark.parametrize(
    "experiment",
    [
        pytest.param(each, marks=pytest.mark.slow if each.name in LONG else ())
        for each in EXPERIMENTS
    ],
    ids=lambda each: each.name,
)


def test_nothing_is_left_out():
    names = [f"{paper}/{each}" for paper, several in WANTED.items() for each in several]
    assert [each.name for each in EXPERIMENTS] == names
    assert list(PAPERS) == list(WANTED)


@every
def test_parts_are_told_apart_and_their_corpora_known(experiment: Experiment):
    known = {each.name.partition("/")[0] for each in CORPORA}
    assert not experiment.corpora(quick=True)
    for quick in (True, False):
        parts = experiment.parts(quick)
        assert len({each.name for each in parts}) == len(parts) > 0
        assert json.loads(json.dumps([dict(each.arguments) for each in parts]))
        assert set(experiment.corpora(quick)) <= known
        keys = {experiment.key(each, 0, dict.fromkeys(known, "")) for each in parts}
        assert len(keys) == len(parts)


def test_the_key_is_of_all_that_matters(monkeypatch):
    [experiment] = find_experiments(["smith-johnson-2007/theorem-1"])
    part = Part("a", {"corpus": "x"}, ("ewt",))
    key, result = experiment.key(part, 0, {"ewt": "1"}), experiment.result_key(["file"])
    assert experiment.key(replace(part, name="b", seconds=9.0), 0, {"ewt": "1"}) == key
    others = [
        experiment.key(part, 1, {"ewt": "1"}),
        experiment.key(part, 0, {"ewt": "2"}),
        experiment.key(replace(part, arguments={"corpus": "y"}), 0, {"ewt": "1"}),
    ]
    assert len({key, *others}) == 4
    [same] = find_experiments(["smith-johnson-2007/corollary-1"])
    assert same.key(part, 0, {"ewt": "1"}) == key  # the same work is done once
    monkeypatch.setattr("weft.papers.experiment.program_digest", lambda: "changed")
    assert experiment.key(part, 0, {"ewt": "1"}) != key
    assert experiment.result_key(["file"]) != result


def test_any_file_of_the_program_matters(monkeypatch, tmp_path):
    monkeypatch.setattr("weft.papers.experiment._PACKAGE", tmp_path)
    (tmp_path / "room").mkdir()
    source, data = tmp_path / "room" / "module.py", tmp_path / "room" / "words.tagged"

    def digest() -> str:
        return program_digest.__wrapped__()

    seen = {digest()}
    for each, text in ((source, "A = 1"), (source, "A = 2"), (data, "the/DT"), (data, "a/DT")):
        each.write_text(text)
        seen.add(digest())
    assert len(seen) == 5
    (tmp_path / "room" / "module.pyc").write_text("compiled")
    assert digest() in seen


def test_experiments_are_found_by_name_and_by_paper():
    assert find_experiments() == list(EXPERIMENTS)
    found = find_experiments(["johnson-2001/table-2", "beyond"])
    assert [each.name for each in found][:2] == ["johnson-2001/table-2", "beyond/grid"]
    with pytest.raises(
        OptionError, match=r"'johnson-2001/table1': did you mean johnson-2001/table-1"
    ):
        find_experiments(["johnson-2001/table1"])


MADE: dict[str, dict[str, object]] = {}


def work(experiment: Experiment, part: Part) -> dict[str, object]:
    """Do a part, or take what another experiment found by the same."""
    key = experiment.key(part, 0, {})
    if key not in MADE:
        found = experiment.work(part.arguments, PartOptions(0, 1))
        MADE[key] = json.loads(json.dumps(found, allow_nan=False))
    return MADE[key]


def smaller(part: Part) -> Part:
    changed = {
        name: SMALL[name] if isinstance(value, int) and name in SMALL else value
        for name, value in part.arguments.items()
    }
    return replace(part, arguments=changed)


@every
def test_every_experiment_makes_a_result(experiment: Experiment):
    parts = [smaller(each) for each in experiment.quick]
    result = experiment.combine([(part, work(experiment, part)) for part in parts])
    written = json.loads(json.dumps(result.as_json(), allow_nan=False))
    assert written["tables"] or written["pictures"] or written["findings"]
    for table in result.tables:
        assert table.rows
    for picture in result.pictures:
        assert picture.svg.startswith("<svg")
        assert picture.svg.rstrip().endswith("</svg>")
    if experiment.paper == "smith-johnson-2007":
        # Theorems, which hold on any corpus.
        assert {str(each.verdict) for each in result.findings} == {"holds"}


@pytest.mark.slow
def test_every_cell_of_the_grid_is_trained_or_has_a_reason():
    [experiment] = find_experiments(["beyond/grid"])
    for part in experiment.quick:
        found = work(experiment, smaller(part))
        trained, reasons = {row["criterion"] for row in found["rows"]}, found["reasons"]
        wanted = set(CRITERIA) | ({"counted"} if "counted" in trained else set())
        assert trained | set(reasons) == wanted, part.name
        assert not trained & set(reasons)
        assert all(reasons.values())


def test_the_grid_heeds_the_seed():
    [experiment] = find_experiments(["beyond/grid"])
    arguments = {"family": "parse-selection", "sentences": 10, "iterations": 3, "steps": 20}
    first, second = (
        experiment.work(arguments, PartOptions(seed, 1))["rows"][0]["baseline"] for seed in (0, 1)
    )
    assert first != second


@every
def test_a_part_alone_makes_a_result(experiment: Experiment):
    """As where all other corpora are missing."""
    part = smaller(experiment.quick[-1])
    assert experiment.combine([(part, work(experiment, part))]) is not None
