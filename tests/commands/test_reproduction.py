"""Experiments are run part by part, kept, and written into a report."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from weft.commands import reproduction
from weft.commands.reproduction import reproduce_papers
from weft.errors import FormatError, OptionError, WeftError
from weft.papers.experiment import Experiment, Part
from weft.papers.results import Finding, Gain, Picture, Result, make_table

CALLS: list[str] = []


def double(arguments, options):
    CALLS.append(arguments["name"])
    if arguments.get("broken"):
        raise WeftError("it is broken")
    if arguments.get("faulty"):
        raise ZeroDivisionError
    return {"value": 2 * arguments["value"] + options.seed}


def combine(parts):
    rows = [(part.name, found["value"]) for part, found in parts]
    gain = Gain(0.1, 0.05, 0.2, 0.001)
    return Result(
        (make_table("Doubled", {"part": "", "value": ",d"}, rows),),
        (Picture("a picture", '<svg class="plot"><title>t</title></svg>'),),
        (Finding("<b> & c | d", "here", "1", "2", gain),),
    )


def parts_of(*names, **more):
    return tuple(Part(name, {"name": name, "value": 1, **more}) for name in names)


EXPERIMENT = Experiment("beyond/double", "Doubling", double, combine, parts_of("a", "b"), ())


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs experiments in this process, in a folder of their own."""
    CALLS.clear()
    several: list[Experiment] = [EXPERIMENT]

    def find(names=()):
        return [each for each in several if not names or each.name in names]

    def here(answer, texts, _):
        yield from (
            (place, json.loads(json.dumps(answer(text)))) for place, text in enumerate(texts)
        )

    monkeypatch.setattr(reproduction, "find_experiments", find)
    monkeypatch.setattr(reproduction, "ask_workers", here)

    def run(*experiments, **options):
        several[:] = experiments or [EXPERIMENT]
        return reproduce_papers(**{"out": tmp_path / "out", "quick": True, **options})

    return run


def test_parts_are_done_once(run, tmp_path):
    seen = []
    made = run(told=lambda text, done, total: seen.append((text.split("  ")[1], done, total)))
    assert CALLS == ["a", "b"]
    assert seen == [("beyond/double: a", 1, 2), ("beyond/double: b", 2, 2)]
    assert made.outcomes[0].result.tables[0].rows == (("a", 2), ("b", 2))
    report = (tmp_path / "out" / "quick" / "report.json").read_bytes()
    run()
    assert CALLS == ["a", "b"]
    assert (tmp_path / "out" / "quick" / "report.json").read_bytes() == report
    run(fresh=True)
    assert CALLS == ["a", "b"] * 2


def test_quick_and_full_runs_have_reports_of_their_own(run, tmp_path):
    both = replace(EXPERIMENT, full=parts_of("c"), differs="all of it", differs_quick="some of it")
    for quick in (False, True):
        run(both, quick=quick)
    pages = {each: (tmp_path / "out" / each / "report.md").read_text() for each in (".", "quick")}
    assert "| c | 2 |" in pages["."]
    assert "all of it" in pages["."]
    assert "| a | 2 |" in pages["quick"]
    assert "some of it" in pages["quick"]
    assert "| c | 2 |" not in pages["quick"]
    assert "some of it" not in pages["."]


def test_pictures_of_the_markdown_report_have_captions_and_white_ground(run, tmp_path):
    run()
    folder = tmp_path / "out" / "quick"
    name = "figures/beyond.double.1.svg"
    assert f"![a picture]({name})\n\n*a picture*\n" in (folder / "report.md").read_text()
    assert 'fill="white"' in (folder / name).read_text()


def test_what_matters_is_done_anew(run):
    run()
    run(replace(EXPERIMENT, quick=(*parts_of("a"), *parts_of("b", value=3))))
    assert CALLS == ["a", "b", "b"]
    assert run(seed=1).outcomes[0].result.tables[0].rows[0] == ("a", 3)
    assert CALLS == ["a", "b", "b", "a", "b"]


def test_long_parts_come_first(run):
    parts = [
        replace(part, seconds=long) for part, long in zip(EXPERIMENT.quick, (1, 9), strict=True)
    ]
    made = run(replace(EXPERIMENT, quick=tuple(parts)))
    assert CALLS == ["b", "a"]
    assert [row[0] for row in made.outcomes[0].result.tables[0].rows] == ["a", "b"]


def test_what_was_cut_short_is_done_anew(run, tmp_path):
    run()
    kept = sorted((tmp_path / "out" / "parts").rglob("a.*.json"))
    assert len(kept) == 1
    kept[0].write_text(kept[0].read_text()[:10])
    run()
    assert CALLS == ["a", "b", "a"]


@pytest.mark.parametrize("name", ["a", "double"])
@pytest.mark.parametrize(
    "text",
    [
        *("[]", '{"found": {}}', '{"found": [1], "seconds": 1}', '{"found": {}, "seconds": null}'),
        '{"found": {"tables": [1], "pictures": [], "findings": [], "notes": []}, "seconds": "x"}',
    ],
)
def test_what_has_another_shape_is_done_anew(run, tmp_path, name, text):
    whole = run()
    [kept] = (tmp_path / "out" / "parts").rglob(f"{name}.*.json")
    kept.write_text(text)
    assert run().outcomes[0].result == whole.outcomes[0].result
    assert ["a", "b"] + ["a"] * (name == "a") == CALLS


def test_a_result_of_another_shape_is_made_anew(run, tmp_path):
    whole = run()
    [kept] = (tmp_path / "out" / "parts").rglob("double.*.json")
    kept.write_text('{"found": {"tables": [{"title": ""}]}, "seconds": 1}')
    assert run().outcomes[0].result == whole.outcomes[0].result


def test_experiments_share_what_they_do_alike(run):
    made = run(EXPERIMENT, replace(EXPERIMENT, name="beyond/twice"))
    assert sorted(CALLS) == ["a", "b"]
    assert [each.name for each in made.outcomes] == ["beyond/double", "beyond/twice"]
    assert made.outcomes[0].result == made.outcomes[1].result


@pytest.mark.parametrize(
    ("fault", "said"), [("broken", "it is broken"), ("faulty", "ZeroDivision")]
)
def test_a_part_that_fails_does_not_end_the_others(run, fault, said):
    parts = (*parts_of("a", **{fault: True}), *parts_of("b"))
    made = run(replace(EXPERIMENT, quick=parts))
    assert list(made.failed) == ["beyond/double: a"]
    assert said in made.failed["beyond/double: a"]
    assert made.outcomes[0].result.tables[0].rows == (("b", 2),)
    run(replace(EXPERIMENT, quick=parts))
    assert CALLS == ["a", "b", "a"]  # what failed is tried again


def test_a_missing_corpus_is_named_while_others_run(run, tmp_path, monkeypatch):
    monkeypatch.delenv("WEFT_DATA", raising=False)
    parts = (*parts_of("a"), replace(parts_of("b")[0], corpora=("ewt",)))
    made = run(replace(EXPERIMENT, full=parts), quick=False, data=tmp_path)
    assert made.missing == {"ewt": "github.com/UniversalDependencies/UD_English-EWT"}
    assert made.outcomes[0].result.tables[0].rows == (("a", 2),)
    assert "The corpus ewt is not here" in (tmp_path / "out" / "report.md").read_text()
    (tmp_path / "ewt").mkdir()
    (tmp_path / "ewt" / "text").write_text("one")
    assert not run(replace(EXPERIMENT, full=parts), quick=False, data=tmp_path).missing
    assert CALLS == ["a", "b"]
    (tmp_path / "ewt" / "text").write_text("two")
    run(replace(EXPERIMENT, full=parts), quick=False, data=tmp_path)
    assert CALLS == ["a", "b", "b"]


def test_nothing_but_missing_corpora_is_a_report_too(run, tmp_path, monkeypatch):
    monkeypatch.delenv("WEFT_DATA", raising=False)
    parts = (replace(parts_of("b")[0], corpora=("ewt",)),)
    made = run(replace(EXPERIMENT, full=parts), quick=False)
    assert made.outcomes[0].result is None
    assert "Doubling" in (tmp_path / "out" / "report.html").read_text()


def test_folders_that_are_none_are_refused(run, tmp_path):
    with pytest.raises(OptionError, match="there is no such folder"):
        run(data=tmp_path / "absent")
    (tmp_path / "file").write_text("")
    with pytest.raises(FormatError, match="name another folder with --out"):
        run(out=tmp_path / "file")


def test_the_page_needs_no_network_and_escapes_what_it_shows(run, tmp_path):
    run()
    page = (tmp_path / "out" / "quick" / "report.html").read_text()
    assert "&lt;b&gt; &amp; c" in page
    assert "<b>" not in page
    outside = set(re.findall(r"(?:src|href)=\"([^\"]*)\"", page))
    assert all(each.startswith("#") for each in outside)
    assert {each[1:] for each in outside} <= set(re.findall(r'id="([^"]*)"', page))
    assert "https://" not in page
    assert "prefers-color-scheme: dark" in page
    assert "@media print" in page
    assert "figure svg { max-width: none; }" in page  # read by scrolling
    assert 'class="verdict holds">holds' in page
    assert ".drawing .label { fill: #1d5f9e; }" in page  # whatever the pictures' own styles say


def test_markdown_has_pictures_beside_it(run, tmp_path):
    run()
    text = (tmp_path / "out" / "quick" / "report.md").read_text()
    assert "<b> & c \\| d" in text
    [name] = re.findall(r"!\[a picture\]\((.*?)\)", text)
    assert (tmp_path / "out" / "quick" / name).read_text().startswith("<svg")
    table = [line for line in text.splitlines() if line.startswith("| a ")]
    assert table == ["| a | 2 |"]


def test_json_has_everything(run, tmp_path):
    made = run(seed=4)
    written = json.loads((tmp_path / "out" / "quick" / "report.json").read_text())
    assert (written["quick"], written["seed"]) == (True, 4)
    [experiment] = written["experiments"]
    assert experiment["settings"] == {name: {"name": name, "value": 1} for name in "ab"}
    [finding] = experiment["result"]["findings"]
    assert (finding["verdict"], finding["gain"]["p_value"]) == ("holds", 0.001)
    assert made.outcomes[0].result.findings[0].claim == finding["claim"]
