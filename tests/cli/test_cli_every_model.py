"""What the command line does with models of every family: start from them, compare, explain."""

import json
from pathlib import Path

import pytest

from weft.corpora import bundled_parses

TAGGED = "the/DT dog/NN barks/VBZ\nthe/DT cat/NN sees/VBZ the/DT dog/NN\na/DT dog/NN sees/VBZ\n"
MORE = "a/DT bird/NN sings/VBZ\nthe/DT bird/NN sees/VBZ a/DT cat/NN\ndogs/NNS bark/VBP\n"
TREES = (
    "(S (NP (DT the) (NN dog)) (VP (VBZ barks)))",
    "(S (NP (DT the) (NN cat)) (VP (VBZ sees) (NP (DT the) (NN dog))))",
    "(S (NP (DT a) (NN dog)) (VP (VBZ sees) (NP (DT the) (NN cat))))",
    "(S (NP (DT a) (NN cat)) (VP (VBZ barks)))",
    "(S (NP (NP (DT the) (NN dog)) (PP (IN by) (NP (DT a) (NN cat)))) (VP (VBZ barks)))",
    "(S (NP (DT the) (NN cat)) (VP (VBZ sees) (NP (DT a) (NN dog)) (PP (IN by) (NP (NN dog)))))",
    "(S (NP (NN cat)) (VP (VBZ sees) (NP (NP (DT a) (NN dog)) (PP (IN by) (NP (NN cat))))))",
    "(S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (DT a) (NN cat))))",
)

TRAIN = {
    "crf": ("train.tagged", ()),
    "memm": ("train.tagged", ()),
    "hmm": ("train.tagged", ()),
    "hmm-em": ("train.tagged", ("--dictionary-from", "train.tagged")),
    "pcfg": ("train.mrg", ()),
    "wcfg-crf": ("train.mrg", ()),
    "parse-selection": (str(bundled_parses()), ()),
}
recipes = pytest.mark.parametrize("recipe", TRAIN)


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.tagged").write_text(TAGGED + MORE)
    Path("train.mrg").write_text("\n".join(TREES) + "\n")


def trained(weft, recipe: str, *more: str, name: str = "m.weft"):
    file, options = TRAIN[recipe]
    return weft("train", name, "--recipe", recipe, "--train", file, *options, *more)


@recipes
def test_training_starts_from_a_model(weft, recipe):
    first = trained(weft, recipe, "--json")
    assert first.exit_code == 0, first.output
    done = trained(weft, recipe, "--start", "m.weft", "--json", name="n.weft")
    assert done.exit_code == 0, done.output
    before, after = json.loads(first.stdout), json.loads(done.stdout)
    assert after["iterations"] <= before["iterations"]
    assert after["value"] == pytest.approx(before["value"], rel=1e-3)
    assert after["notes"]["start_file"] == "m.weft"
    assert f"Started from m.weft: {after['notes']['start']}." in done.stderr


def test_starts_that_are_none(weft):
    trained(weft, "crf", name="crf.weft")
    for recipe, code, message in (
        ("pcfg", 2, "the start is a ChainModel, and a GrammarModel is estimated"),
        ("parse-selection", 2, "start from a model of the same family"),
    ):
        done = trained(weft, recipe, "--start", "crf.weft")
        assert (done.exit_code, Path("m.weft").exists()) == (code, False)
        assert message in done.stderr
    for start, code in (("nothing.weft", 1), ("train.tagged", 1)):
        assert trained(weft, "crf", "--start", start).exit_code == code
    tables = weft("train", "t.weft", "--recipe", "johnson-4", "--train", "train.tagged",
                  "--start", "crf.weft")  # fmt: skip
    assert tables.exit_code == 2
    assert "tables are counted" in tables.stderr
    # The model that is read is not replaced.
    assert trained(weft, "crf", "--start", "crf.weft", name="crf.weft").exit_code == 2


def test_a_grid_starts_from_a_model_too(weft):
    trained(weft, "pcfg")
    files = ("--train", "train.mrg", "--dev", "train.mrg", "--start", "m.weft")
    asked = ("--recipe", "pcfg-em", "--set", "rules=trees", "--grid", "tolerance=0.1|0.01")
    done = weft("train", "g.weft", *files, *asked, "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["notes"]["start"] == "16 weights were given"
