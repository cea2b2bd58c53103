"""``weft plot`` and ``weft report``, of every family."""

from __future__ import annotations

import json
import re
import shlex
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import weft as library
from cli.conftest import Weft
from cli.test_every_model import MORE, TAGGED, TREES
from weft.commands.reporting.recall import recall_command
from weft.corpora import bundled_parses

RECIPES = {
    "crf": ("train.tagged", "--dev", "test.tagged"),
    "hmm": ("train.tagged",),
    "hmm-em": ("train.tagged", "--dictionary-from", "train.tagged", "--set", "restarts=2"),
    "johnson-4": ("train.tagged",),
    "pcfg": ("train.mrg",),
    "shift-reduce-joint": ("train.mrg",),
    "parse-selection": ("train.jsonl", "--penalty", "relative:1", "--set", "properties=rules"),
}
TESTS = {".tagged": "test.tagged", ".mrg": "test.mrg", ".jsonl": "test.jsonl"}
every = pytest.mark.parametrize("recipe", RECIPES)


@pytest.fixture
def files(weft: Weft) -> Weft:
    lines = bundled_parses().read_text().splitlines(keepends=True)
    Path("train.tagged").write_text(TAGGED + MORE)
    Path("test.tagged").write_text("the/DT bird/NN barks/VBZ\ncats/NNS sees/VBP a/DT bark/NN\n")
    Path("train.mrg").write_text("\n".join(TREES[:7]) + "\n")
    Path("test.mrg").write_text("\n".join(TREES[5:]) + "\n")
    Path("train.jsonl").write_text("".join(lines[:40]))
    Path("test.jsonl").write_text("".join(lines[40:80]))
    return weft


def trained(weft: Weft, recipe: str, name: str = "") -> tuple[str, str]:
    """A model and its test file."""
    file, *more = RECIPES[recipe]
    path = name or f"{recipe}.weft"
    done = weft("train", path, "--recipe", recipe, "--train", file, *more, "-q")
    assert done.exit_code == 0, done.output
    return path, TESTS[Path(file).suffix]


class Page(HTMLParser):
    """The tags and texts of a page, which must be closed."""

    VOID = frozenset({"meta", "br", "hr", "img"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: set[str] = set()
        self.links: set[str] = set()
        self.texts: list[str] = []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if "id" in given:
            assert given["id"] not in self.ids
            self.ids.add(str(given["id"]))
        for key in ("href", "src"):
            if key in given:
                self.links.add(str(given[key]))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


@every
def test_a_report_of_every_family(files: Weft, recipe: str) -> None:
    model, test = trained(files, recipe)
    done = files("report", model, test, "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    [mine] = found["models"]
    evaluated = json.loads(files("evaluate", model, test, "--json").stdout)
    name = {"Accuracy": "accuracy", "F1": "f1", "Right choices": "correct"}[found["measure"]]
    assert mine["score"] == pytest.approx(evaluated[name])
    assert mine["low"] <= mine["score"] <= mine["high"]
    text = Path("report.html").read_text()
    page = Page(text)
    said = " ".join(page.texts)
    for heading in ("Data", "How good", "Calibration", "Errors in context", "make this again"):
        assert heading in said
    assert f"weft report {model} {test}" in said
    assert page.links
    assert all(each.removeprefix("#") in page.ids for each in page.links)
    assert "://" not in text.replace("http://www.w3.org/2000/svg", "")
    assert found["sha256"] in said
    assert mine["sha256"] in said


def test_models_are_compared(files: Weft) -> None:
    first, test = trained(files, "crf")
    second, _ = trained(files, "hmm")
    third, _ = trained(files, "johnson-4")
    done = files("report", first, test, second, third, "--out", "all.html", "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    scores = {each["name"]: each["score"] for each in found["models"]}
    assert [each["models"] for each in found["comparisons"]] == [
        ["crf", "hmm"],
        ["crf", "johnson-4"],
        ["hmm", "johnson-4"],
    ]
    for each in found["comparisons"]:
        one, other = each["models"]
        assert each["difference"] == pytest.approx(scores[other] - scores[one])
        assert 0 < each["p_value"] <= 1
    assert "hmm against crf" in Path("all.html").read_text()
    words = files("report", first, test, second, "--out", "two.html").stdout
    assert words.splitlines()[-1] == "two.html"
    assert "hmm against crf" in words


def test_unknown_words_are_those_that_training_did_not_see(files: Weft) -> None:
    model, test = trained(files, "crf")
    found = json.loads(files("report", model, test, "--json").stdout)["models"][0]["figures"]
    evaluated = json.loads(files("evaluate", model, test, "--json").stdout)
    for key in ("unknown_tokens", "unknown_accuracy"):
        assert found[key] == pytest.approx(evaluated[key])
    assert found["unknown_tokens"] == 1  # bark is seen, cats is not


def test_chunks_are_counted_too(weft: Weft, chunker: Path) -> None:
    found = json.loads(weft("report", chunker, "train.txt", "--json").stdout)["models"][0]
    evaluated = json.loads(weft("evaluate", chunker, "train.txt", "--json").stdout)
    assert found["score"] == found["figures"]["chunk_f1"] == pytest.approx(evaluated["f1"])
    assert evaluated["f1"] > 0
    assert "chunk F1" in Path("report.html").read_text()


def test_models_may_be_called_as_parts_of_the_page_are(files: Weft) -> None:
    names = ("baseline", "ideal", "Data")
    [(first, test), *rest] = [trained(files, "parse-selection", f"{name}.weft") for name in names]
    done = files("report", first, test, *(model for model, _ in rest), "--json")
    assert done.exit_code == 0, done.output
    text = Path("report.html").read_text()
    scores = text[text.index('<h2 id="How good">') : text.index('<h2 id="Calibration">')]
    assert scores.count("<td>baseline</td>") == 2  # the model, and what is one
    drawn = text[text.index('<h2 id="Calibration">') : text.index('<h2 id="model-1">')]
    assert {f">{name}</text>" in drawn for name in (*names, "the ideal")} == {True}
    assert text.count(">Data</a>") == 2


def test_models_of_one_name_have_places_of_their_own(files: Weft) -> None:
    names = ("a/b/m.weft", "a.b/m.weft")
    for name in names:
        Path(name).parent.mkdir(parents=True)
    [(first, test), (second, _)] = [trained(files, "hmm", name) for name in names]
    assert files("report", first, test, second).exit_code == 0
    text = Path("report.html").read_text()
    assert {"model-1", "model-2"} <= Page(text).ids
    assert all(f">{name}</a>" in text for name in names)


def test_all_that_a_model_remembers_is_printed(files: Weft) -> None:
    model, test = trained(files, "crf")
    assert files("report", model, test).exit_code == 0
    # Browsers print what is closed as its summary alone.
    assert re.findall("<details[^>]*>", Path("report.html").read_text()) == ["<details open>"]


def test_wrong_answers_are_shown_beside_right_ones(files: Weft) -> None:
    model, _ = trained(files, "crf")
    Path("test.tagged").write_text("the/DT dog/NNS barks/VBZ\nthe/DT dog/NN barks/VBZ\n")
    assert files("report", model, "test.tagged").exit_code == 0
    text = Path("report.html").read_text()
    assert "<p>1 sentence with a wrong answer" in text
    # NNS is seen in one sentence only, and the model has it.
    assert "the/DT <mark>dog/NN</mark> barks/VBZ" in text
    assert '<p class="right">right: the/DT <mark>dog/NNS</mark> barks/VBZ</p>' in text
    assert "What decided, in log-odds" in text


def test_texts_of_users_are_no_markup(files: Weft) -> None:
    Path("odd.tagged").write_text("<script>/<b> </td>/NN\n" * 3 + "a/<b> b/NN\n")
    assert files("train", "odd.weft", "--train", "odd.tagged", "-q").exit_code == 0
    Path("test.tagged").write_text("<script>/NN </td>/<b>\n")
    assert files("report", "odd.weft", "test.tagged").exit_code == 0
    text = Path("report.html").read_text()
    assert text.count("<script>") == 1  # the page's own, which is empty
    assert "&lt;b&gt;" in text
    Page(text)


def test_a_report_is_written_whole_or_not_at_all(files: Weft) -> None:
    model, test = trained(files, "crf")
    Path("report.html").write_text("before")
    Path("plain.txt").write_text("the dog\n")
    pcfg, trees = trained(files, "pcfg")
    for arguments, message in (
        ((model, "plain.txt", "--format", "text"), "no sentence says what is right"),
        ((model, test, model), "given twice"),
        ((model, test, pcfg), "have no score in common"),
        ((model, test, "--only", "x"), "--only is for a model for parse sets"),
        ((pcfg, trees, "nothing.weft"), "no such file"),
        ((model, "-", pcfg), "<stdin>: models read it in turns"),
        ((model, test, "--out", test), f"^weft: error: {test} is what this command reads"),
        ((model, test, "--out", model), f"^weft: error: {model} is what this command reads"),
        ((model, test, "--json", "--out", "-"), "with --json, name a file"),
    ):
        done = files("report", *arguments)
        assert done.exit_code in (1, 2), done.output
        assert re.search(message, done.stderr), done.stderr
    assert Path("report.html").read_text() == "before"


@pytest.mark.parametrize("recipe", ["crf", "hmm-em", "pcfg", "parse-selection"])
def test_the_command_that_trained_a_model_trains_it_again(files: Weft, recipe: str) -> None:
    model, _ = trained(files, recipe)
    first = library.load(model)
    command = recall_command("again.weft", first.notes)
    assert command is not None
    _, *words = shlex.split(command)
    done = files(*words)
    assert done.exit_code == 0, done.output
    np.testing.assert_array_equal(library.load("again.weft").weights, first.weights)


def test_a_model_of_another_program_has_no_command() -> None:
    assert recall_command("a.weft", {"recipe": "crf", "files": ""}) is None
    assert recall_command("a.weft", {}) is None


PLOTS = {
    "training": ("{model}",),
    "path": ("{model}",),
    "confusion": ("{model}", "{test}"),
    "calibration": ("{model}", "{test}"),
    "transitions": ("{model}",),
    "weights": ("{model}",),
    "marginals": ("{model}", "{test}"),
    "spans": ("{model}", "{test}"),
}
TREES_ONLY = {"pcfg", "shift-reduce-joint"}
REFUSED = {
    "training": ({"johnson-4", "shift-reduce-joint"}, "no trace to draw"),
    "path": ({"johnson-4", "shift-reduce-joint", "pcfg"}, "no (trace|path) to draw"),
    "confusion": ({"parse-selection"}, "analyses of its own"),
    "transitions": ({*TREES_ONLY, "parse-selection"}, "no transitions"),
    "weights": ({"johnson-4", "shift-reduce-joint"}, "no weights"),
    "spans": (set(RECIPES) - TREES_ONLY, "no spans"),
}


@every
def test_every_plot_of_every_family(files: Weft, recipe: str) -> None:
    model, test = trained(files, recipe)
    for kind, arguments in PLOTS.items():
        given = [each.format(model=model, test=test) for each in arguments]
        done = files("plot", kind, *given, "--json")
        refused, reason = REFUSED.get(kind, (set(), ""))
        if recipe in refused:
            assert done.exit_code in (1, 2), (kind, done.output)
            assert re.search(reason, done.stderr), done.stderr
            assert not Path(f"{kind}.svg").exists()
        else:
            assert done.exit_code == 0, (kind, done.output)
            assert json.loads(done.stdout) == {"kind": kind, "picture": f"{kind}.svg"}
            assert "<svg" in Path(f"{kind}.svg").read_text()


def test_a_learning_curve(files: Weft) -> None:
    done = files("plot", "learning", "train.tagged", "test.tagged", "--recipe", "crf", "--recipe",
                 "hmm", "--sizes", "2,6", "--out", "curve.png", "--json")  # fmt: skip
    assert done.exit_code == 0, done.output
    assert Path("curve.png").read_bytes().startswith(b"\x89PNG")
    curves = json.loads(done.stdout)["curves"]
    assert [each["recipe"] for each in curves] == ["crf", "hmm"]
    for each in curves:
        assert [point["size"] for point in each["points"]] == [2, 6]
        assert all(point["low"] <= point["score"] <= point["high"] for point in each["points"])
    files("train", "whole.weft", "--train", "train.tagged", "-q")
    whole = json.loads(files("evaluate", "whole.weft", "test.tagged", "--json").stdout)
    assert curves[0]["points"][-1]["score"] == pytest.approx(whole["accuracy"])


@pytest.mark.parametrize(
    ("train", "test"), [("train.mrg", "test.mrg"), ("train.jsonl", "test.jsonl")]
)
def test_learning_curves_of_other_families(files: Weft, train: str, test: str) -> None:
    recipe = ("--recipe", "pcfg") if train.endswith("mrg") else ("--penalty", "relative:1")
    done = files("plot", "learning", train, test, *recipe, "--json")
    assert done.exit_code == 0, done.output
    [curve] = json.loads(done.stdout)["curves"]
    assert len(curve["points"]) >= 1


def test_mistakes_in_what_is_asked_for(files: Weft) -> None:
    model, test = trained(files, "crf")
    parser, _ = trained(files, "pcfg")
    for arguments, message in (
        (("confusio", model, test), "no kind of plot 'confusio': did you mean confusion"),
        (("confusion", model), "takes MODEL TEST"),
        (("training", model, "--top", "3"), "--top is for weft plot confusion, weights"),
        (("training", model, "--out", "a.doc"), "does not end as a picture's name does"),
        (("training", model, "--out", model), f"^weft: error: {model} is what this command reads"),
        (("learning", "train.tagged", test, "--sizes", "2,x"), "give numbers of sentences"),
        (("learning", "train.tagged", test, "--sizes", "999"), "a part has 1 to 6 sentences"),
        (("weights", model, "--kind", "nothing"), "no kind of feature matches"),
        (("marginals", model, test, "77"), "no sentence has the id '77'"),
        (("restarts", model), r"has the setting restarts \(see `weft recipes crf`\).*restarts=10"),
        (("calibration", model, test, parser), "tagger and a parser have no score in common"),
        (("calibration", model, "-", "other.weft"), "<stdin>: models read it in turns"),
        (("learning", "-", test, "--recipe", "crf", "--recipe", "hmm"), "<stdin>: recipes read it"),
        (("calibration", model, test, "--only", "flag"), "--only is for a model for parse sets"),
    ):
        done = files("plot", *arguments)
        assert done.exit_code in (1, 2), done.output
        assert re.search(message, done.stderr), (arguments, done.stderr)
    assert not list(Path().glob("*.svg"))
    assert not list(Path().glob("*.png"))


def test_several_models_in_one_plot(files: Weft) -> None:
    first, test = trained(files, "crf")
    second, _ = trained(files, "hmm")
    done = files("plot", "calibration", first, test, second, "-o", "both.svg")
    assert done.exit_code == 0, done.output
    assert "Drawn in both.svg" in done.stderr
    text = Path("both.svg").read_text()
    assert "crf: error" in text
    assert "hmm: error" in text


def test_a_sentence_that_is_typed(files: Weft) -> None:
    model, _ = trained(files, "crf")
    done = files("plot", "marginals", model, "-", "--format", "text", given="a dog barks\n")
    assert done.exit_code == 0, done.output
    text = Path("marginals.svg").read_text()
    assert all(f">{word}<" in text for word in ("a", "dog", "barks"))
