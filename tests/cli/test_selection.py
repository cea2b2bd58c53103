"""A grammar writer's hundred sentences, from the file to what decides."""

import json
from pathlib import Path

import pytest

from weft.corpora import bundled_parse_sets, bundled_parses
from weft.structures.tree import write_brackets

PARSES = str(bundled_parses())
PROPERTIES = ("--set", "properties=rules dependencies")


@pytest.fixture
def ranker(weft, tmp_path: Path) -> str:
    path = str(tmp_path / "ranker.weft")
    done = weft("train", path, "--recipe", "parse-selection", "--train", PARSES, *PROPERTIES)
    assert done.exit_code == 0, done.output
    assert "Trained on 100 sentences (100 ambiguous, " in done.stderr
    assert f"Saved in {path}" in done.stderr
    return path


def test_from_a_file_to_a_ranking(weft, ranker):
    done = weft("predict", ranker, PARSES, "--top", "1")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(lines) == 100
    assert all(len(line["ranking"]) == 1 for line in lines)
    assert lines[0]["text"] == "the dog sees the cat with the telescope"


def test_evaluation(weft, ranker):
    done = weft("evaluate", ranker, PARSES)
    assert "baseline" in done.stdout
    record = json.loads(weft("evaluate", ranker, PARSES, "--json").stdout)
    assert record["correct"] > 0.9 > record["baseline_correct"]


def test_explanation(weft, ranker):
    done = weft("explain", ranker, PARSES, "s1", "--top", "4")
    assert done.exit_code == 0, done.output
    assert "Why 0 (this) and not 1 (that)" in done.stdout
    assert "the dog sees the cat with the telescope" in done.stdout
    record = json.loads(weft("explain", ranker, PARSES, "s1", "--json").stdout)
    assert record["is_right"] is True
    assert "hd-aj_vp sees_v telescope_n" in [reason["name"] for reason in record["reasons"]]
    missing = weft("explain", ranker, PARSES, "nobody")
    assert missing.exit_code == 1
    assert "no sentence has the id 'nobody'" in missing.stderr


def test_inspection(weft, ranker, tmp_path):
    done = weft("inspect", ranker, "--top", "3", "--kind", "rules")
    assert "Strongest for" in done.stdout
    assert "rules dependencies" in done.stdout
    assert json.loads(weft("inspect", ranker, "--json").stdout)["features"] > 0
    picture = tmp_path / "trace.svg"
    weft("inspect", ranker, "--plot", str(picture))
    assert picture.read_text().startswith("<?xml")


@pytest.mark.slow
def test_crossvalidation(weft):
    plain = ("crossvalidate", PARSES, "--folds", "3", "-q")
    record = json.loads(weft(*plain, "--json", *PROPERTIES).stdout)
    assert record["correct"] > record["baseline_correct"]
    assert record["neg_log_pl"] < record["baseline_neg_log_pl"]
    done = weft(*plain, "--compare", "parse-selection", "--set", "relevance=2")
    assert "parse-selection against parse-selection" in done.stdout
    compared = json.loads(
        weft(*plain, "--compare", "parse-selection", "--json", "--set", "relevance=2").stdout
    )["compared"]
    assert compared["difference"] == 0
    assert compared["p_value"] == 1
    assert weft("crossvalidate", "-", "--compare", "max-correct").exit_code == 2
    assert "3 of 3 folds" in weft("crossvalidate", PARSES, "--folds", "3").stderr


def test_broken_lines_are_told(weft, ranker, tmp_path):
    broken = tmp_path / "broken.jsonl"
    broken.write_text(Path(PARSES).read_text().splitlines()[0] + "\n{}\n")
    done = weft("predict", ranker, str(broken))
    assert done.exit_code == 1
    assert "broken.jsonl:2: 'analyses' must be a list" in done.stderr
    assert len(done.stdout.splitlines()) == 1  # what came before it
    for command in ("predict", "evaluate"):
        done = weft(command, ranker, str(broken), "--skip-broken")
        assert done.exit_code == 0, done.output
        assert "left out: " in done.output
    done = weft(
        "train", str(tmp_path / "m.weft"), "--recipe", "parse-selection", "--train", str(broken),
        "--skip-broken",
    )  # fmt: skip
    assert "left out: " in done.stderr


def test_models_of_other_kinds_are_told_apart(weft, ranker, tmp_path):
    done = weft("convert", ranker, "--to", "hmm")
    assert done.exit_code == 1
    assert "holds a 'selector'" in done.stderr
    tagger = tmp_path / "tagger.weft"
    text = tmp_path / "text.tagged"
    text.write_text("a/X b/Y\n")
    weft("train", str(tagger), "--train", str(text))
    done = weft("explain", str(tagger), PARSES, "s1", "--only", "gold")
    assert done.exit_code == 2
    assert "--only is for a model for parse sets, and this model is a tagger" in done.stderr


@pytest.mark.slow
def test_forward_selection_says_what_was_added(weft):
    asked = ("--set", "forward=properties", "--set", "properties=rules,dependencies,entries")
    done = weft("train", "m.weft", "--recipe", "parse-selection", "--train", PARSES, *asked)
    assert done.exit_code == 0, done.output
    assert "Forward selection by 5-fold cross-validation:" in done.stderr
    assert "  nothing: −log PL 83.6, C 45.07 %" in done.stderr
    assert "  + dependencies: −log PL" in done.stderr
    assert "+ entries: −log PL" in done.stderr
    shown = weft("inspect", "m.weft", "--json")
    assert "entries" not in json.loads(shown.stdout)["properties"]
    for wrong, message in (
        (("--set", "forward=all"), "forward=all"),
        (("--set", "forward=properties", "--set", "properties=rules"), "name more of them"),
        (("--set", "forward=properties", "--recipe", "crf"), "has no such setting"),
    ):
        refused = weft("train", "n.weft", "--train", PARSES, "--recipe", "parse-selection", *wrong)
        assert refused.exit_code == 2, refused.output
        assert message in refused.stderr
        assert not Path("n.weft").exists()


@pytest.fixture
def halves(weft):
    """A pcfg of derivations, and the sentences that it has not seen."""
    first = [each.analyses[each.right[0]].tree for each in bundled_parse_sets()[:50]]
    Path("trees.mrg").write_text("".join(write_brackets(tree) + "\n" for tree in first))
    lines = Path(PARSES).read_text().splitlines(keepends=True)
    Path("rest.jsonl").write_text("".join(lines[50:]))
    done = weft("train", "pcfg.weft", "--recipe", "pcfg", "--train", "trees.mrg", "--clean", "top")
    assert done.exit_code == 0, done.output
    return ("--train", "rest.jsonl", "--recipe", "parse-selection", "--penalty", "relative:0.7")


def test_a_parser_is_a_reference(weft, halves):
    done = weft("train", "m.weft", *halves, "--reference", "pcfg.weft")
    assert done.exit_code == 0, done.output
    assert "pcfg.weft knows 31.36 % of the analyses" in done.stderr
    # The model has its reference with it.
    Path("pcfg.weft").rename("gone.weft")
    record = json.loads(weft("evaluate", "m.weft", PARSES, "--json").stdout)
    assert record["baseline_correct"] > 0.6
    assert weft("predict", "m.weft", PARSES).exit_code == 0
    explained = weft("explain", "m.weft", PARSES, "s1", "--top", "30", "--json")
    assert "the reference distribution" in explained.stdout
    Path("gone.weft").rename("pcfg.weft")
    asked = ("crossvalidate", "rest.jsonl", *halves[4:], "--folds", "5", "--json", "--quiet")
    with_it = json.loads(weft(*asked, "--reference", "pcfg.weft").stdout)
    without = json.loads(weft(*asked).stdout)
    assert with_it["baseline_correct"] > without["baseline_correct"]


def test_mistakes_about_references_are_explained(weft, halves):
    parser = ("train", "p.weft", "--recipe", "pcfg", "--train", "trees.mrg")
    assert weft(*parser).exit_code == 0  # functions are cleaned away, and so labels are others
    for asked, code, message in (
        (("--reference", "p.weft"), 2, "knows none of the analyses"),
        (("--reference", "none.weft"), 1, "none.weft: no such file"),
        (("--reference", "rest.jsonl"), 1, "rest.jsonl"),
        (("--reference", "pcfg.weft", "--recipe", "crf"), 2, "which is for parse sets"),
    ):
        refused = weft("train", "n.weft", *halves, *asked)
        assert refused.exit_code == code, refused.output
        assert message in refused.stderr
        assert not Path("n.weft").exists()
    same = weft("train", "pcfg.weft", *halves, "--reference", "pcfg.weft")
    assert same.exit_code == 2
