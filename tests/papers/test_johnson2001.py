"""The table of Johnson (2001), section 3, on the corpus that comes with the package."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from weft import commands
from weft.corpora import read_part
from weft.errors import OptionError
from weft.evaluate.significance import compare_taggings
from weft.models.tagger import Decoder, Tagger
from weft.papers import johnson2001
from weft.papers.johnson2001 import TaggingTable, tagging_table
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
