"""``weft compare``: two models and more on one test file, of every family."""

from __future__ import annotations

import io
import json
import os
import re
from pathlib import Path

import pytest

from cli.conftest import Weft
from cli.test_plot import RECIPES, files, trained
from weft import commands
from weft.commands.comparison import _check_gold
from weft.commands.reporting import report_models
from weft.errors import OptionError
from weft.evaluate.chunks import chunk_scores
from weft.evaluate.significance import compare, compare_taggings, f1, interval

__all__ = ["files"]

PAIRS = {
    "crf": "hmm",
    "hmm-em": "johnson-4",
    "pcfg": "shift-reduce-joint",
    "parse-selection": "parse-selection",
}
OTHERWISE = {"parse-selection": ("--set", "properties=entries")}


def compared(weft: Weft, first: str, second: str) -> tuple[list[str], str]:
    one, test = trained(weft, first)
    file, *more = RECIPES[second]
    options = (*more, *OTHERWISE.get(second, ()))
    done = weft("train", "other.weft", "--recipe", second, "--train", file, *options, "-q")
    assert done.exit_code == 0, done.output
    return [one, "other.weft"], test


@pytest.mark.parametrize(("first", "second"), PAIRS.items())
def test_of_every_family(files: Weft, first: str, second: str) -> None:
    (one, other), test = compared(files, first, second)
    done = files("compare", one, test, other, "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    key = {"Accuracy": "accuracy", "F1": "f1", "Right choices": "correct"}[found["measure"]]
    for path, each in zip((one, other), found["models"], strict=True):
        evaluated = json.loads(files("evaluate", path, test, "--json").stdout)
        assert each["score"] == pytest.approx(evaluated[key])
        assert each["low"] <= each["score"] <= each["high"]
    [tested] = found["comparisons"]
    scores = [each["score"] for each in found["models"]]
    assert tested["difference"] == pytest.approx(scores[1] - scores[0])
    assert tested["low"] <= tested["difference"] <= tested["high"]
    words = files("compare", one, test, other).stdout
    assert f"other against {first}" in words
    assert tested["verdict"] in words
    reported = json.loads(files("report", one, test, other, "--json").stdout)
    assert reported["comparisons"] == found["comparisons"]


CHUNKS = """\
a DT B-NP\nman NN I-NP\nsaw VBD B-VP\n
the DT B-NP\nold JJ I-NP\nsaw NN I-NP\n
dogs NN B-NP\nbark VBD B-VP\nthe DT B-NP\nbark NN I-NP\n
we PRP B-NP\nbark VBD B-VP\n
"""


def answers_of(text: str) -> list[list[str]]:
    """The tags of sentences in columns."""
    blocks = text.strip().split("\n\n")
    return [[line.split()[-1] for line in block.splitlines()] for block in blocks]


def test_tags_are_tested_sentence_by_sentence(files: Weft) -> None:
    """As the library tests what `weft predict` answers."""
    (one, other), test = compared(files, "crf", "hmm")
    [tested] = json.loads(files("compare", one, test, other, "--json").stdout)["comparisons"]
    texts = (Path(test).read_text(), *(files("predict", m, test).stdout for m in (one, other)))
    gold, *answers = (
        [[pair.rsplit("/", 1)[1] for pair in line.split()] for line in text.splitlines()]
        for text in texts
    )
    expected, _ = compare_taggings(gold, *answers)
    assert expected.difference != 0
    assert (tested["p_value"], tested["low"]) == (expected.p_value, expected.low)


@pytest.fixture
def chunkers(weft: Weft, chunker: Path) -> tuple[Path, str]:
    Path("test.txt").write_text(CHUNKS)
    options = ("--recipe", "johnson-4", "--train", "train.txt", "-q")
    assert weft("train", "tables.weft", *options).exit_code == 0
    return chunker, "tables.weft"


def test_chunks_go_by_their_f1(weft: Weft, chunkers: tuple[Path, str]) -> None:
    one, other = chunkers
    found = json.loads(weft("compare", one, "test.txt", other, "--json").stdout)
    assert found["measure"] == "F1"
    gold, counts = answers_of(CHUNKS), []
    for model, each in zip(chunkers, found["models"], strict=True):
        made = answers_of(weft("predict", model, "test.txt").stdout)
        assert each["score"] == pytest.approx(chunk_scores(gold, made).overall.f1)
        assert each["score"] != each["figures"]["accuracy"]
        scores = [chunk_scores([g], [m]).overall for g, m in zip(gold, made, strict=True)]
        counts.append([(s.correct, s.gold, s.predicted) for s in scores])
        assert (each["low"], each["high"]) == interval(counts[-1], f1)
    expected = compare(*counts, f1)
    [tested] = found["comparisons"]
    assert (tested["p_value"], tested["high"]) == (expected.p_value, expected.high)


def test_chunks_go_by_f1_in_every_command(weft: Weft, chunkers: tuple[Path, str]) -> None:
    one, other = chunkers
    assert weft("report", one, "test.txt", other).exit_code == 0
    assert "F1, 95 % interval" in Path("report.html").read_text()
    options = ("--recipe", "johnson-4", "--folds", "2")
    words = weft("crossvalidate", "test.txt", *options, "--compare", "johnson-5", "--json")
    found = json.loads(words.stdout)
    assert found["score"]["name"] == "chunk_f1"
    assert found["score"]["value"] == found["chunk_f1"] != found["accuracy"]
    change = found["compared"]["chunk_f1"] - found["chunk_f1"]
    assert found["compared"]["difference"] == pytest.approx(change)
    curve = commands.learning_curve("train.txt", "test.txt", recipe="johnson-4", sizes=[2])
    assert curve.measure == "F1"
    expected = json.loads(weft("evaluate", other, "test.txt", "--json").stdout)["f1"]
    assert curve.points[0].score == pytest.approx(expected)


def test_without_chunks_to_find_accuracy_it_is(weft: Weft) -> None:
    Path("some.txt").write_text(CHUNKS + ". . O\n\n")
    for recipe in ("johnson-4", "johnson-5"):
        options = ("--recipe", recipe, "--train", "some.txt", "-q")
        assert weft("train", f"{recipe}.weft", *options).exit_code == 0
    Path("none.txt").write_text("the DT O\ndog NN O\n\n")
    done = weft("compare", "johnson-4.weft", "none.txt", "johnson-5.weft", "--json")
    assert json.loads(done.stdout)["measure"] == "Accuracy"


def test_recipes_of_two_families_with_one_score(files: Weft) -> None:
    """As models are compared, so are recipes; and what cannot be is refused before training."""
    options = ("crossvalidate", "train.tagged", "--recipe", "hmm", "--folds", "2")
    done = files(*options, "--compare", "johnson-4", "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    change = found["compared"]["accuracy"] - found["accuracy"]
    assert found["compared"]["difference"] == pytest.approx(change)
    done = files(*options, "--compare", "pcfg", "--work", "kept")
    assert done.exit_code == 2, done.output
    assert "a tagger and a parser have no score in common" in done.stderr.replace("\n", " ")
    assert not Path("kept").exists()


def test_three_models_have_three_tests(files: Weft) -> None:
    (one, other), test = compared(files, "crf", "hmm")
    third, _ = trained(files, "johnson-4")
    words = files("compare", one, test, other, third, "-q")
    assert words.stderr == ""
    for pair in ("other against crf", "johnson-4 against crf", "johnson-4 against other"):
        assert pair in words.stdout
    seeds = [files("compare", one, test, other, "--seed", n, "--json").stdout for n in "001"]
    assert seeds[0] == seeds[1] != seeds[2]


def test_what_cannot_be_compared_is_refused(files: Weft) -> None:
    one, test = trained(files, "crf")
    pcfg, _ = trained(files, "pcfg")
    Path("coarse.map").write_text("D\tDT\nN\tNN NNS\nV\tVBZ VBP\n")
    coarse = ("--tag-map", "coarse.map", "-q")
    assert files("train", "coarse.weft", "--train", "train.tagged", *coarse).exit_code == 0
    Path("other.tagged").write_text("the/X dog/Y\n")
    assert files("train", "xy.weft", "--train", "other.tagged", "-q").exit_code == 0
    for arguments, message in (
        ((one, test, pcfg), "a tagger and a parser have no score in common: leave pcfg.weft out"),
        ((one, pcfg, test), "pcfg.weft: this is a model, and here the file to test on is expected"),
        ((one, test), "Missing argument 'OTHER'"),
        ((one, test, f"./{one}"), "a model is given twice"),
        ((one, test, "coarse.weft"), "reads 'DT NN VBZ', the second 'D N V'"),
        ((one, test, "xy.weft"), "xy.weft has none of the tags that are right here: it has X, Y"),
        ((one, "-", pcfg), "<stdin>: models read it in turns"),
        ((one, test, "xy.weft", "--only", "x"), "--only is for a model for parse sets"),
    ):
        done = files("compare", *arguments)
        assert done.exit_code in (1, 2), done.output
        assert message in done.stderr.replace("\n", " "), done.stderr


def test_what_can_be_read_once_is_refused(files: Weft) -> None:
    (one, other), test = compared(files, "crf", "hmm")
    os.mkfifo("pipe")
    for source, name in (("pipe", "pipe"), ("-", "<stdin>")):
        recipes = ("--recipe", "crf", "--recipe", "hmm")
        for command in (
            ("compare", one, source, other),
            ("report", one, source, other),
            ("plot", "calibration", one, source, other),
            ("plot", "learning", "train.tagged", source, *recipes),
            ("plot", "learning", source, test, *recipes),
            ("crossvalidate", source, "--format", "tagged", "--compare", "hmm"),
            ("crossvalidate", source, "--format", "tagged", "--grid", "order=1|2"),
            ("train", "new.weft", "--train", source, "--dev", test, "--grid", "order=1|2"),
            ("train", "new.weft", "--train", source, "--optimiser", "sgd", "--stream"),
        ):
            done = files(*command)
            assert done.exit_code == 2, (command, done.output)
            told = " ".join(done.stderr.split())
            assert re.search(f"{name}: .* read.* can be read only once: save it", told), command
    stream = io.BytesIO(Path(test).read_bytes())
    for ask in (commands.compare_models, report_models):
        with pytest.raises(OptionError, match="a pipe or stream can be read only once: save it"):
            ask([one, other], stream)


def test_one_model_may_read_a_stream(files: Weft) -> None:
    model, test = trained(files, "crf")
    given = Path(test).read_bytes()
    report_models([model], io.BytesIO(given))
    done = files("report", model, "-", "--format", "tagged", given=given)
    assert done.exit_code == 0, done.output
    assert "&lt;stdin&gt;" in Path("report.html").read_text(encoding="utf-8")


def test_too_few_models_are_refused(files: Weft) -> None:
    one, test = trained(files, "johnson-4")
    for models in ([], [one]):
        with pytest.raises(OptionError, match="give two models or more"):
            commands.compare_models(models, test)
    with pytest.raises(OptionError, match="give a model"):
        report_models([], test)


@pytest.mark.parametrize(("gold", "shown"), [(3, "'3'"), (None, "'None'"), (["a", "b"], "'a b'")])
def test_answers_of_any_kind_are_shown(gold: object, shown: str) -> None:
    """Those of a family of one's own may be numbers."""
    with pytest.raises(OptionError, match=f"the first reads {shown}, the second 'x'"):
        _check_gold("a.weft", "b.weft", [gold], ["x"], "test")


def test_parse_sets_that_are_left_out_are_named(files: Weft) -> None:
    (one, other), test = compared(files, "parse-selection", "parse-selection")
    lines = Path(test).read_text().splitlines(keepends=True)
    Path(test).write_text("".join([*lines[:3], '{"id": "odd"}\n', *lines[3:]]))
    assert files("compare", one, test, other).exit_code == 1
    for command in ("compare", "report"):
        words = files(command, one, test, other, "--skip-broken").stdout
        assert words.count("left out: test.jsonl:4: ") == 1
        found = json.loads(files(command, one, test, other, "--skip-broken", "--json").stdout)
        assert found["sentences"] == len(lines)
        assert [each.partition(": ")[0] for each in found["broken"]] == ["test.jsonl:4"]
    assert "left out: test.jsonl:4: " in Path("report.html").read_text()
    name = json.loads(lines[5])["id"]
    for arguments in (
        ("explain", one, test, name),
        ("plot", "calibration", one, test),
        ("plot", "learning", "train.jsonl", test, "--penalty", "relative:1", "--sizes", "9"),
    ):
        done = files(*arguments, "--skip-broken")
        assert done.exit_code == 0, done.output
        assert done.stderr.count("left out: test.jsonl:4: ") == 1
    done = files("compare", one, test, other, "--skip-broken", "--only", "absent")
    assert done.exit_code == 1
    assert "there is no sentence in the file" in done.stderr


def test_files_that_are_read_otherwise_are_refused(files: Weft) -> None:
    """Trees whose clean-ups differ have other brackets."""
    one, _ = trained(files, "pcfg")
    Path("test.mrg").write_text("(S (NP-SBJ (DT the) (NN dog)) (VP (VBZ barks)))\n")
    options = ("--recipe", "pcfg", "--clean", "top", "--train", "train.mrg", "-q")
    assert files("train", "raw.weft", *options).exit_code == 0
    done = files("compare", one, "test.mrg", "raw.weft")
    assert done.exit_code == 2
    assert "do not read the same answers in test.mrg" in done.stderr
    assert "(S (NP-SBJ (DT the)" in done.stderr
    # Over tags or words, the trees are the same.
    tags = ("--recipe", "pcfg", "--terminals", "tags", "--train", "train.mrg", "-q")
    assert files("train", "tags.weft", *tags).exit_code == 0
    done = files("compare", one, "test.mrg", "tags.weft")
    assert done.exit_code == 0, done.output
