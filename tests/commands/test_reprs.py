"""What commands return is shown in a line or two, and says what matters."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any

import pytest

import weft
from weft import commands
from weft.conversions.convert import Target
from weft.corpora import bundled
from weft.corpora.bundled import bundled_folder
from weft.models.information import information

CORPORA = Path(weft.__file__).parent / "corpora"
TEST = bundled_folder() / "test.tagged"
TREES = CORPORA / "trees" / "that.mrg"
PARSES = CORPORA / "parses" / "attachments.jsonl"


@pytest.fixture(scope="module")
def models(tmp_path_factory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("models")
    made = {
        "hmm": TEST,
        "pcfg": TREES,
        "parse-selection": PARSES,
        "shift-reduce-joint": TREES,
        "johnson-4": TEST,
    }
    found: dict[str, Any] = {
        name: commands.train(
            folder / f"{name}.weft",
            [path],
            recipe=name,
            penalty="gaussian:1" if name == "parse-selection" else None,
        )
        for name, path in made.items()
    }
    return {**found, "folder": folder}


def file_of(models: dict[str, Any], name: str) -> Path:
    return Path(models[name].path)


RECORDS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "train, tagger": lambda m: m["hmm"],
    "train, parser": lambda m: m["pcfg"],
    "train, selector": lambda m: m["parse-selection"],
    "evaluate": lambda m: commands.evaluate(file_of(m, "hmm"), TEST),
    "evaluate_parser": lambda m: commands.evaluate_parser(m["pcfg"].trained, TREES),
    "evaluate_selector": lambda m: commands.evaluate_selector(m["parse-selection"].trained, PARSES),
    "assess": lambda m: commands.assess(m["hmm"].trained, bundled("test")),
    "inspect": lambda m: commands.inspect(file_of(m, "hmm")),
    "inspect_parser": lambda m: commands.inspect_parser(m["pcfg"].trained),
    "inspect_features": lambda m: commands.inspect_features(m["parse-selection"].trained),
    "explain": lambda m: commands.explain(file_of(m, "hmm"), TEST, "1"),
    "explain, parser": lambda m: commands.explain(file_of(m, "pcfg"), TREES, "1"),
    "crossvalidate": lambda _: commands.crossvalidate(TEST, recipe="hmm", folds=3),
    "crossvalidate, trees": lambda _: commands.crossvalidate(TREES, recipe="pcfg", folds=3),
    "convert": lambda m: commands.convert(file_of(m, "hmm"), Target.MRF, check=TEST),
    "compare_models": lambda m: commands.compare_models(
        [file_of(m, "hmm"), file_of(m, "johnson-4")], TEST
    ),
    "export": lambda m: commands.export(file_of(m, "pcfg"), "grammar"),
    "learning_curve": lambda _: commands.learning_curve(TEST, TEST, sizes=[40, 80], recipe="hmm"),
    "tag_file": lambda m: next(iter(commands.tag_file(file_of(m, "hmm"), TEST))),
    "parse_file": lambda m: next(iter(commands.parse_file(m["pcfg"].trained, TREES))),
    "select_file": lambda m: next(iter(commands.select_file(m["parse-selection"].trained, PARSES))),
    "trace_text": lambda m: commands.trace_text(m["shift-reduce-joint"].trained, "that dog barks"),
    "neighbours_of": lambda _: next(
        iter(commands.neighbours_of(commands.find_neighbourhood("trans1"), [["time", "flies"]]))
    ),
    "recipes": lambda _: commands.recipes(),
    "recipe": lambda _: commands.recipe("hmm"),
    "corpora": lambda _: commands.corpora(),
    "compatibility": lambda _: commands.compatibility(),
    "information": lambda m: information(m["hmm"].trained, bundled("test")[:5]),
}


FACTS = {
    "evaluate": r"<Evaluation: 1,934 tokens, accuracy 0\.9\d{3}>",
    "evaluate_parser": r"<ParserEvaluation: 63 sentences, F1 0\.\d{4}>",
    "evaluate_selector": r"<SelectionEvaluation: 100 sentences, accuracy 0\.\d{4}>",
    "crossvalidate": r"<Validation: hmm, 3 folds, accuracy 0\.8\d{3}>",
    "explain": r"<Explanation: '.*', \d+ answers, \d+ reasons>",
    "information": r"<Information: joint, .* parameters, n 5, log L -[\d.,]+, AIC .*, BIC .*>",
    "train, tagger": r"Training\(trained=<Tagger: .*>, path='.*hmm\.weft', development=None\)",
}


@pytest.mark.parametrize("name", FACTS)
def test_records_say_what_matters(name, models):
    assert re.fullmatch(FACTS[name], repr(RECORDS[name](models)))


GIVEN = ("Chosen", "FileLayout")
"""Records that users make themselves."""


CLASSES = [name for name in commands.__all__ if is_dataclass(getattr(commands, name))]


@pytest.mark.parametrize("name", sorted(set(CLASSES) - set(GIVEN)))
def test_no_record_has_the_repr_of_its_decorator(name):
    record = getattr(commands, name)
    assert not record.__dataclass_params__.repr
    assert record.__repr__ is not object.__repr__


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(each, marks=pytest.mark.slow if each == "compatibility" else ())
        for each in RECORDS
    ],
)
def test_records_are_shown_in_a_line_or_two(name, models):
    record = RECORDS[name](models)
    shown = repr(record)
    assert type(record).__name__ in shown
    assert len(shown) <= 300, shown
    assert not re.search(r"object at 0x|array\(", shown), shown
