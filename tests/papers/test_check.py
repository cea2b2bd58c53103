"""A kept report beside today's."""

from __future__ import annotations

import copy
import json

import pytest

from weft.papers.check import Compared, compare_reports, same_text
from weft.papers.pages import Reproduced, Reproduction
from weft.papers.results import Finding, Gain, Result, make_table


def outcome(**more: object) -> Reproduced:
    columns = {"model": "", "right": "%", "−log P": ",.0f", "trees": ",d", "Z": ""}
    rows = [("crf", 0.94444, 12_345.4, 10, 1.25), ("hmm", 0.9, 12_345.4, 10, "∞")]
    finding = Finding("crf > hmm", "english", "", "94.44 and 90.00", Gain(0.04, 0.03, 0.05, 0.001))
    result = Result((make_table("10 trees", columns, rows),), findings=(finding,))
    usual = {"name": "a/b", "title": "", "differs": "", "settings": {"one": {"size": (1, 2)}}}
    usual |= {"result": result, "missing": {}, "failed": {}, "seconds": 1.0}
    return Reproduced(**{**usual, **more})  # type: ignore[arg-type]


def report(*outcomes: Reproduced) -> dict[str, object]:
    return Reproduction("1", None, True, 0, outcomes or (outcome(),)).as_json()


def kept_of(*outcomes: Reproduced) -> dict:
    return json.loads(json.dumps(report(*outcomes)))


def found(kept: object, today: object) -> list[tuple[str, str, str, str]]:
    checked = compare_reports(kept, today)
    return [(str(each.of), each.place, each.kept, each.today) for each in checked.differences]


def test_a_report_is_its_own():
    checked = compare_reports(kept_of(), report())
    assert (checked.figures, checked.verdicts, checked.differences) == (9, 1, ())


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        (1, 0.94449, None),
        (1, 0.94463, "crf: right"),
        (2, 12_346.3, None),
        (2, 12_347.4, "crf: −log P"),
        (3, 11, "crf: trees"),
        (4, 1.2501, None),
        (4, 1.26, "crf: Z"),
        (4, "∞", "crf: Z"),
        (4, None, "crf: Z"),
    ],
)
def test_a_figure_differs_by_more_than_its_last_digit(column, value, said):
    kept = kept_of()
    kept["experiments"][0]["result"]["tables"][0]["rows"][0][column] = value
    places = [place for _, place, _, _ in found(kept, report())]
    assert places == ([] if said is None else [f"10 trees, {said}"])


def test_titles_findings_and_verdicts_are_compared():
    kept = kept_of()
    result = kept["experiments"][0]["result"]
    result["tables"][0]["title"] = "11 trees"
    result["findings"][0] |= {"verdict": "not significant", "ours": "94.46 and 90.00"}
    assert found(kept, report()) == [
        ("figure", "11 trees: title", "11 trees", "10 trees"),
        ("verdict", "crf > hmm (english)", "not significant", "holds"),
        ("figure", "crf > hmm (english): here", "94.46 and 90.00", "94.44 and 90.00"),
    ]


def test_other_settings_are_another_experiment():
    kept = kept_of()
    first = kept["experiments"][0]
    first["settings"] = {"one": {"size": [1, 3]}, "two": {}}
    first["result"]["tables"] = []
    said = "one has another size; two is gone"
    assert found(kept, report()) == [("settings", "the experiment", "2 parts", said)]
    new = found({"experiments": []}, report())
    assert new == [(Compared.SETTINGS, "the experiment", "—", "there")]
    [gone] = compare_reports(kept_of(), {"experiments": []}, whole=True).differences
    assert (gone.experiment, gone.kept, gone.today) == ("a/b", "there", "—")
    assert compare_reports(kept_of(), {"experiments": []}).differences == ()


def test_what_is_gone_or_new_is_a_difference_where_no_corpus_is_missing():
    kept = kept_of()
    whole = copy.deepcopy(kept["experiments"][0]["result"])
    whole["tables"][0]["rows"].append(["memm", 0.5, 1.0, 1, None])
    whole["tables"].append({"title": "more", "columns": [], "rows": []})
    whole["findings"].append({**whole["findings"][0], "claim": "memm > hmm"})
    kept["experiments"][0]["result"] = whole
    places = {place for _, place, *_ in found(kept, report())}
    assert places == {
        *(f"10 trees, memm: {each}" for each in ("right", "−log P", "trees", "Z")),
        *("more", "memm > hmm (english)"),
    }
    checked = compare_reports(kept, report(outcome(missing={"ewt": "somewhere"})))
    assert (checked.differences, checked.missing, checked.figures) == ((), ("ewt",), 9)


def test_signs_and_whole_numbers_of_texts_are_exact():
    assert same_text("log Z −1.5 → 2,000.1", "log Z −1.6 → 2,000.2")
    assert not same_text("−1.5", "1.5")
    assert not same_text("5 of 6", "6 of 6")
    assert not same_text("1.5", "1.53")
