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
COUNTED = {"johnson-4": ("train.tagged", ())}
recipes = pytest.mark.parametrize("recipe", TRAIN)
every = pytest.mark.parametrize("recipe", {**TRAIN, **COUNTED})


@pytest.fixture(autouse=True)
def files(weft) -> None:  # noqa: ARG001
    Path("train.tagged").write_text(TAGGED + MORE)
    Path("train.mrg").write_text("\n".join(TREES) + "\n")


def trained(weft, recipe: str, *more: str, name: str = "m.weft"):
    file, options = {**TRAIN, **COUNTED}[recipe]
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


@pytest.mark.slow
def test_a_grid_starts_from_a_model_too(weft):
    trained(weft, "pcfg")
    files = ("--train", "train.mrg", "--dev", "train.mrg", "--start", "m.weft")
    asked = ("--recipe", "pcfg-em", "--set", "rules=trees", "--grid", "tolerance=0.1|0.01")
    done = weft("train", "g.weft", *files, *asked, "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["notes"]["start"] == "16 weights were given"


KEYS = {"sentence", "id", "text", "is_right", "answers", "compared_with", "reasons"}
ANSWER_KEYS = {"number", "rank", "right", "probability", "log_prob", "score", "answer", "shown"}


@every
def test_explanations(weft, recipe):
    """In one schema for all families, and in words."""
    trained(weft, recipe, "-q")
    file = {**TRAIN, **COUNTED}[recipe][0]
    done = weft("explain", "m.weft", file, "--json")
    assert done.exit_code == 0, done.output
    record = json.loads(done.stdout)
    assert record.keys() == KEYS
    assert all(each.keys() == ANSWER_KEYS for each in record["answers"])
    assert record["id"] == ("s1" if file.endswith("jsonl") else "1")
    assert isinstance(record["is_right"], bool)
    second = record["compared_with"]
    if second is not None:
        total = sum(each["log_odds"] for each in record["reasons"])
        assert total == pytest.approx(record["answers"][0]["score"] - second["score"])
        words = weft("explain", "m.weft", file)
        assert f"Why {record['answers'][0]['number']} (this) and not {second['number']} (that)" in (
            words.stdout
        )
        assert f"features together: {total:+.3f}" in words.stdout
    else:
        assert "There is no other answer" in weft("explain", "m.weft", file).stdout


def test_a_typed_sentence_is_explained(weft):
    trained(weft, "crf", "-q")
    done = weft("explain", "m.weft", "-", "--format", "text", "--json", given="a dog barks\n")
    record = json.loads(done.stdout)
    assert (record["is_right"], record["text"]) == (None, "a dog barks")
    assert record["answers"][0]["shown"] == "a/DT dog/NN barks/VBZ"
    assert record["answers"][0]["answer"] == ["DT", "NN", "VBZ"]
    trained(weft, "pcfg", "-q", name="p.weft")
    given = "a cat sees a dog by the cat\n"
    tree = json.loads(
        weft("explain", "p.weft", "-", "--format", "text", "--json", given=given).stdout
    )
    assert len(tree["answers"]) == 2
    assert {each["kind"] for each in tree["reasons"]} == {"rule"}
    assert tree["answers"][0]["answer"] == tree["answers"][0]["shown"]


def test_explanations_that_are_none(weft):
    trained(weft, "crf", "-q")
    trained(weft, "pcfg", "-q", name="p.weft")
    for arguments, code, message in (
        (("m.weft", "train.tagged", "99"), 1, "no sentence has the id '99'; ids here are 1, 2, 3"),
        (("m.weft", "train.tagged", "--against", "999999"), 2, "there is no analysis 999999"),
        (("p.weft", "train.tagged", "--only", "x"), 2, "--only is for a model for parse sets"),
        (("p.weft", "nothing.mrg"), 1, "nothing.mrg"),
        (("m.weft",), 2, "FILE"),
    ):
        done = weft("explain", *arguments)
        assert (done.exit_code, message in done.stderr) == (code, True), done.output
    done = weft("explain", "p.weft", "-", "--format", "text", given="cats fly\n")
    assert done.exit_code == 1
    assert "no analysis is possible" in done.stderr


def test_a_right_tree_that_the_grammar_does_not_have(weft):
    trained(weft, "pcfg", "-q")
    verb = "(VP (VBZ sees) (NP (NN dog) (PP (IN by) (NP (NN dog)))))"
    Path("odd.mrg").write_text(f"(S (NP (DT a) (NN cat)) {verb})\n")
    record = json.loads(weft("explain", "m.weft", "odd.mrg", "--json").stdout)
    assert record["is_right"] is False
    assert record["note"].startswith("the model does not have the right answer")
    assert "Note: the model does not have" in weft("explain", "m.weft", "odd.mrg").stdout


MAIN = {"train.tagged": "accuracy", "train.mrg": "f1"}


@every
def test_crossvalidation(weft, recipe):
    """Figures beside a baseline, fold by fold and together, in JSON and in words."""
    file, options = {**TRAIN, **COUNTED}[recipe]
    asked = ("crossvalidate", file, "--recipe", recipe, "--folds", "3", *options)
    done = weft(*asked, "--json")
    assert done.exit_code == 0, done.output
    assert "3 of 3 folds" in done.stderr
    record = json.loads(done.stdout)
    main = MAIN.get(file, "correct")
    assert record["score"]["name"] == main
    assert record["score"]["value"] == record[main]
    assert len(record["folds"]) == len(record["features"]) == 3
    assert record["score"]["mean"] == pytest.approx(sum(fold[main] for fold in record["folds"]) / 3)
    assert record["score"]["spread"] >= 0
    assert 0 <= record[f"baseline_{main}"] <= 1
    quiet = weft(*asked, "-q", "--threads", "1")
    assert quiet.stderr == ""
    assert "baseline" in quiet.stdout
    assert f"{recipe} over folds" in quiet.stdout
    assert json.loads(weft(*asked, "--json", "--threads", "1").stdout) == record


def test_recipes_and_values_are_compared_on_the_same_folds(weft):
    asked = ("crossvalidate", "train.tagged", "--folds", "3", "-q")
    done = weft(*asked, "--recipe", "hmm", "--compare", "crf")
    assert "crf against hmm" in done.stdout
    record = json.loads(weft(*asked, "--recipe", "hmm", "--compare", "crf", "--json").stdout)
    plain = json.loads(weft(*asked, "--json").stdout)
    assert record["compared"]["accuracy"] == plain["accuracy"]
    assert record["compared"]["difference"] == pytest.approx(plain["accuracy"] - record["accuracy"])
    grid = ("--grid", "penalty=gaussian:0.01|gaussian:10", "--grid", "order=1|2")
    tried = json.loads(weft(*asked, *grid, "--json", "--work", "cv").stdout)
    assert [trial["name"] for trial in tried["trials"]] == [
        f"penalty=gaussian:{variance} order={order}"
        for variance in ("0.01", "10")
        for order in "12"
    ]
    assert tried["accuracy"] == max(trial["accuracy"] for trial in tried["trials"])
    assert tried["trials"][2]["accuracy"] == plain["accuracy"]
    assert json.loads(weft(*asked, *grid, "--json", "--work", "cv").stdout) == tried
    assert f"The best is {tried['chosen']}." in weft(*asked, *grid).stdout


def test_raw_text_is_judged_by_what_can_be_said_of_it(weft):
    words = "the dog barks\na cat sees the dog\nthe cat barks\na dog sees a cat\n"
    Path("raw.txt").write_text(words)
    asked = ("crossvalidate", "raw.txt", "--format", "text", "--folds", "2", "-q")
    dictionary = ("--dictionary-from", "train.tagged")
    record = json.loads(weft(*asked, "--recipe", "hmm-em", *dictionary, "--json").stdout)
    assert record["accuracy"] is None
    assert record["score"]["name"] == "marginal_per_token"
    assert record["score"]["value"] < 0
    none = weft(*asked, "--recipe", "contrastive-tagger", *dictionary)
    assert none.exit_code == 2
    assert "nothing can be said of what was held out" in none.stderr


def test_crossvalidations_that_are_none(weft):
    trees = str(bundled_parses())
    for arguments, code, message in (
        (("train.tagged", "--folds", "99"), 2, "there must be from 2 to 6 folds"),
        (("train.tagged", "--folds", "1"), 2, "--folds"),
        (("train.tagged", "--recipe", "pcfg"), 1, "there are no trees here"),
        (("train.tagged", "--recipe", "crff"), 2, "did you mean crf?"),
        (("train.tagged", "--set", "patience=3"), 2, "looks at held-out examples"),
        (("train.tagged", "--terminals", "tags"), 2, "which is for parsers"),
        (("-", "--grid", "order=1|2"), 2, "can be read only once"),
        (("train.tagged", "--grid", "order=1|2", "--compare", "hmm"), 2, "give one of the two"),
        ((trees, "--compare", "crf", "--folds", "2"), 2, "have no score in common"),
        (("nothing.tagged",), 1, "nothing.tagged"),
    ):
        done = weft("crossvalidate", *arguments, "-q")
        assert (done.exit_code, message in done.stderr) == (code, True), (arguments, done.output)


@pytest.mark.parametrize("recipe", ["crf", "hmm-em", "pcfg"])
def test_progress_for_programs(weft, recipe):
    file = TRAIN[recipe][0]
    done = trained(weft, recipe, "--dev", file, "--progress", "json", "--json")
    steps = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    assert [each["iteration"] for each in steps] == list(range(len(steps)))
    found = json.loads(done.stdout)
    assert steps[-1]["iteration"] == found["iterations"]
    assert steps[found["kept_iteration"]]["value"] == found["value"]
    assert 0 < steps[-1]["accuracy"] <= 1
    assert trained(weft, recipe, "--progress", "xml").exit_code == 2
