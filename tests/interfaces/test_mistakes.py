"""Mistakes that newcomers make in Python, and the messages that say what to do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nltk
import pytest

import weft
from weft import commands
from weft.commands.reporting import report_models
from weft.conversions.probabilities import hmm_probabilities
from weft.corpora import bundled
from weft.corpora.bundled import bundled_folder
from weft.errors import WeftError
from weft.interfaces.nltk import NltkTagger, examples_from_nltk

CORPORA = Path(weft.__file__).parent / "corpora"
TEST = bundled_folder() / "test.tagged"
TREES = CORPORA / "trees" / "that.mrg"
PARSES = CORPORA / "parses" / "attachments.jsonl"
PLANS: dict[str, tuple[Path, dict[str, Any]]] = {
    "hmm": (TEST, {}),
    "pcfg": (TREES, {}),
    "shift-reduce-joint": (TREES, {}),
    "parse-selection": (PARSES, {"penalty": "gaussian:1"}),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> SimpleNamespace:
    """Models, each trained on one path that is in no list, and their files."""
    folder = tmp_path_factory.mktemp("models")
    found = {
        recipe: commands.train(folder / f"{recipe}.weft", path, recipe=recipe, **more)
        for recipe, (path, more) in PLANS.items()
    }
    names = {"hmm": "tagger", "pcfg": "parser", "parse-selection": "selector"}
    models = {names.get(recipe, "stack"): each.trained for recipe, each in found.items()}
    files = {names.get(recipe, "stack"): each.path for recipe, each in found.items()}
    return SimpleNamespace(**models, files=SimpleNamespace(**files), sizes=found)


NO_TAGGER = r"a tagger is needed here, and <(Parser|Selector): .*> is none"
MISTAKES: dict[str, tuple[Callable[[Any], Any], str]] = {
    "probabilities of a parser": (lambda m: hmm_probabilities(m.parser), NO_TAGGER),
    "probabilities of a selector": (lambda m: hmm_probabilities(m.selector), NO_TAGGER),
    "a parser for NLTK": (lambda m: NltkTagger(m.parser), NO_TAGGER),
    "assessing a parser": (lambda m: commands.assess(m.parser, bundled("test")), NO_TAGGER),
    "evaluating a parser": (lambda m: commands.evaluate(m.parser, TEST), NO_TAGGER),
    "assessing pairs": (
        lambda m: commands.assess(m.tagger, [[("a", "DT")]]),
        "examples_from_nltk",
    ),
    "a text for NLTK": (
        lambda m: NltkTagger(m.tagger).tag("the dog"),
        "a sentence is a list of words, not the string 'the dog': split it first",
    ),
    "texts for NLTK": (lambda _: examples_from_nltk([["a b"]]), r"must be pairs.*'a b' is none"),
    "a text to tag": (
        lambda m: m.tagger.tag("the dog"),
        r"not the string 'the dog': give \['the dog'\.split\(\)\]",
    ),
    "a text to parse": (lambda m: m.parser.parse("the dog"), "not the string 'the dog': give"),
    "a tagger's file as a parser": (
        lambda m: commands.evaluate_parser(m.files.tagger, TREES),
        r"a parser is needed here, and .*hmm\.weft is none",
    ),
    "a stack parser's rules": (
        lambda m: commands.inspect_parser(m.stack),
        r"a parser with a grammar is needed here, and <StackParser: .*> is none",
    ),
    "a parser as a selector": (
        lambda m: commands.evaluate_selector(m.parser, PARSES),
        r"a selector is needed here, and <Parser: .*> is none",
    ),
    "no such file": (lambda _: commands.evaluate_parser("no.weft", TREES), "no such file"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_told_what_to_do(name, made):
    make, message = MISTAKES[name]
    with pytest.raises(WeftError, match=message):
        make(made)


FILES: dict[str, Callable[[Any], Any]] = {
    "tagger": lambda model: commands.evaluate(model, TEST),
    "parser": lambda model: commands.evaluate_parser(model, TREES),
    "selector": lambda model: commands.evaluate_selector(model, PARSES),
    "parser, rules": lambda model: commands.inspect_parser(model).rules,
    "parser, trees": lambda model: next(commands.parse_file(model, TREES)).reply.answers,
    "selector, ranks": lambda model: next(commands.select_file(model, PARSES)).reply.answers,
    "stack, moves": lambda model: commands.trace_text(model, "sheep sleep").as_json(),
}


@pytest.mark.parametrize("name", FILES)
def test_a_model_may_be_given_by_its_file(name, made):
    kind = name.partition(",")[0]
    ask = FILES[name]
    assert repr(ask(getattr(made.files, kind))) == repr(ask(getattr(made, kind)))


def test_one_path_is_as_good_as_a_list_of_one(made, tmp_path):
    assert made.sizes["hmm"].sentences == 139
    several = commands.train(tmp_path / "m.weft", [TEST, TEST], recipe="hmm")
    assert several.sentences == 2 * 139
    request = commands.Request(str(TEST), raw=TEST)
    assert (list(request.sources), list(request.raw)) == ([str(TEST)], [TEST])
    assert [each.path for each in report_models(made.files.tagger, TEST).models] == [
        made.files.tagger
    ]
    with TEST.open("rb") as stream:
        assert commands.train(tmp_path / "s.weft", stream, recipe="hmm").sentences == 139


def test_trees_are_no_sentences_of_nltk():
    tree = nltk.Tree.fromstring("(S (NP (D the) (N dog)) (VP (V barks)))")
    with pytest.raises(WeftError, match="must be pairs"):
        examples_from_nltk([tree])
    assert examples_from_nltk([tree.pos()])[0].analysis == ("D", "N", "V")
