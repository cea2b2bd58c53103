"""The table of Johnson (2001), section 3, on the corpus that comes with the package."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

import pytest
from rich.console import Console
from typer import Typer
from typer.testing import CliRunner, Result

from weft import commands
from weft.corpora import read_part
from weft.errors import OptionError
from weft.evaluate.significance import compare_taggings
from weft.models.tagger import Decoder, Tagger
from weft.papers import johnson2001
from weft.papers.johnson2001 import TaggingTable, tables, tagging_table
from weft.recipes import RECIPES, Recipe, find_recipe, fit_recipe, with_settings
from weft.train import fit

FEW = {"iterations": "4"}
NAMES = ["mrf", "crf"]


@pytest.fixture(scope="module")
def made() -> TaggingTable:
    return tagging_table("english", NAMES, settings=FEW, rounds=200, seed=5)


@pytest.fixture(scope="module")
def taggers() -> dict[str, object]:
    train, dev = read_part("english", "train"), read_part("english", "dev")
    plans = {name: with_settings(find_recipe(name), FEW) for name in NAMES}
    return {
        name: fit(
            plan.model,
            train,
            criterion=plan.criterion,
            penalty=plan.penalty,
            optimiser=plan.optimiser,
            development=dev,
        )
        for name, plan in plans.items()
    }


def test_rows_are_those_of_training_and_evaluation(made, taggers) -> None:
    test = read_part("english", "test")
    assert [row.recipe for row in made.rows] == NAMES
    for row in made.rows:
        assert row.scores == commands.assess(taggers[row.recipe], test).scores
        assert row.decoder is Decoder.VITERBI
        assert row.training_seconds > 0
        assert row.tagging_seconds > 0
    assert made.sizes == {"train": (559, 8_192), "dev": (78, 1_096), "test": (139, 1_934)}


def test_neighbours_are_compared(made, taggers) -> None:
    test = read_part("english", "test")
    tags = [taggers[name].tag([each.tokens for each in test]) for name in NAMES]
    comparison, tokens = compare_taggings(
        [each.analysis for each in test], *tags, rounds=200, seed=5
    )
    [pair] = made.tests
    assert (pair.first, pair.second) == ("mrf", "crf")
    assert (pair.sentences, pair.tokens) == (comparison, tokens)
    upper, lower = (row.scores.accuracy for row in made.rows)
    assert pair.sentences.difference == pytest.approx(lower - upper)


@dataclass(frozen=True, slots=True)
class Decoded(Recipe):
    """A recipe that says how it is decoded."""

    decoder: Decoder = Decoder.POSTERIOR


def test_recipes_say_their_decoder(monkeypatch: pytest.MonkeyPatch, taggers) -> None:
    crf = RECIPES["crf"]
    posterior = Decoded("crf", "", crf.model, crf.criterion, crf.penalty, crf.optimiser)
    monkeypatch.setattr(johnson2001, "find_recipe", {"posterior": posterior}.__getitem__)
    [row] = tagging_table("english", ["posterior"], settings=FEW).rows
    assert row.decoder is Decoder.POSTERIOR
    test = read_part("english", "test")
    expected = commands.assess(taggers["crf"], test, decoder=Decoder.POSTERIOR).scores
    viterbi = commands.assess(taggers["crf"], test).scores
    assert row.scores == expected != viterbi


def test_names_and_settings_are_checked_first(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("nothing should be trained")

    monkeypatch.setattr(johnson2001, "fit_recipe", never)
    with pytest.raises(OptionError, match="no recipe 'cfr'"):
        tagging_table("english", ["crf", "cfr"])
    with pytest.raises(OptionError, match="no setting 'ordr'"):
        tagging_table("english", ["crf"], settings={"ordr": "2"})
    with pytest.raises(OptionError, match="a corpus 'english2'"):
        tagging_table("english2", ["crf"])


def test_an_interrupt_ends_it_all(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*given: object, **options: object) -> Tagger:
        def interrupt(_: object) -> None:
            raise KeyboardInterrupt

        return fit_recipe(*given, **{**options, "progress": interrupt})

    monkeypatch.setattr(johnson2001, "fit_recipe", interrupted)
    seen: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        tagging_table("english", NAMES, settings=FEW, watch=seen.append)
    assert seen == NAMES[:1]


def test_all_recipes_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(johnson2001, "RECIPES", {name: RECIPES[name] for name in ("crf", "mrf")})
    seen: list[str] = []
    made = tagging_table("english", settings={"iterations": "1"}, rounds=10, watch=seen.append)
    assert seen == [row.recipe for row in made.rows] == ["crf", "mrf"]


def test_json(made) -> None:
    written = json.loads(json.dumps(made.as_json(), allow_nan=False))
    assert (written["corpus"], written["settings"], written["seed"]) == ("english", FEW, 5)
    assert written["sizes"]["dev"] == {"sentences": 78, "tokens": 1_096}
    first = written["rows"][0]
    assert first["accuracy"] == made.rows[0].scores.accuracy
    assert first["decoder"] == "viterbi"
    assert first["paper_accuracy"] is None
    [pair] = written["tests"]
    assert pair["sentences"]["difference"] == made.tests[0].sentences.difference
    assert pair["tokens"]["only_first"] == made.tests[0].tokens.only_first


def test_tables_for_the_terminal(made) -> None:
    rows = (replace(made.rows[0], recipe="johnson-6"), made.rows[1])
    console = Console(width=100)
    with console.capture() as capture:
        for each in tables(replace(made, rows=rows)):
            console.print(each)
    text = capture.get()
    line = next(line for line in text.splitlines() if "johnson-6" in line)
    assert f"{100 * made.rows[0].scores.accuracy:.2f} %" in line
    assert "96.20 %" in line
    line = next(line for line in text.splitlines() if "mrf → crf" in line)
    pair = made.tests[0]
    for number in (pair.sentences.difference, pair.sentences.low, pair.sentences.high):
        assert f"{100 * number:+.2f}" in line


def run(*arguments: str) -> Result:
    app = Typer()
    app.command()(johnson2001.main)
    return CliRunner().invoke(app, list(arguments))


class TestProgram:
    def test_json_agrees_with_the_function(self, made) -> None:
        chosen = [part for name in NAMES for part in ("--recipe", name)]
        options = ["--corpus", "english", "--set", "iterations=4", "--rounds", "200", "--seed", "5"]
        done = run(*options, *chosen, "--json")
        assert done.exit_code == 0
        assert "training mrf" in done.stderr
        written, expected = json.loads(done.stdout), made.as_json()
        for row in (*written["rows"], *expected["rows"]):
            del row["training_seconds"], row["tagging_seconds"]
        assert written == json.loads(json.dumps(expected))

    def test_tables(self) -> None:
        done = run("--corpus", "english", "--recipe", "crf", "--set", "iterations=1")
        assert done.exit_code == 0
        assert "Accuracy on the test part of english" in done.stdout
        assert "training" not in done.stdout

    @pytest.mark.parametrize(
        ("arguments", "code", "message"),
        [
            (["--corpus", "atis"], 2, "weft: error: there is no corpus 'atis'"),
            (["--recipe", "x"], 2, "weft: error: there is no recipe 'x'"),
            (["--set", "order"], 2, "weft: error: --set order: expected KEY=VALUE"),
            (["--corpus", "ewt"], 1, "weft: error: set the environment variable WEFT_DATA"),
        ],
    )
    def test_errors(
        self, monkeypatch: pytest.MonkeyPatch, arguments: list[str], code: int, message: str
    ) -> None:
        monkeypatch.delenv("WEFT_DATA", raising=False)
        done = run(*arguments)
        assert done.exit_code == code
        assert done.stdout == ""
        assert done.stderr.startswith(message)
