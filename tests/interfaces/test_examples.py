"""Whatever users have as an example is one everywhere, and all else is refused with advice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import nltk
import pytest

import weft
from weft.corpora import bundled
from weft.corpora.bundled import bundled_parse_sets
from weft.corpora.trees.brackets import read_trees
from weft.errors import ExampleError, OptionError, WeftError
from weft.models.examples import tree_example
from weft.models.information import information

RECORDS = list(read_trees(Path(weft.__file__).parent / "corpora" / "trees" / "that.mrg"))
TREES = [each.tree for each in RECORDS]
EXAMPLES = [tree_example(each) for each in TREES]
NLTK = [nltk.Tree.fromstring(repr(each)[len("Tree('") : -len("')")]) for each in TREES]
BARE = [weft.Example(each.tokens, parse=tree) for each, tree in zip(EXAMPLES, NLTK, strict=True)]
GIVEN = {"records": RECORDS, "trees": TREES, "NLTK": NLTK, "examples with trees of NLTK": BARE}
JOINT = weft.Cfg(normalisation="joint")

QUESTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "fit": lambda _, given: weft.fit(JOINT, given).weights.tolist(),
    "log_probs": lambda parser, given: parser.log_probs(given).tolist(),
    "log_sums": lambda parser, given: parser.log_sums(given).complete.tolist(),
    "information": lambda parser, given: information(parser, given).aic,
    "confusion": lambda parser, given: weft.plot.confusion(parser, given).get_title(),
    "calibration": lambda parser, given: [
        line.get_xydata().tolist() for line in weft.plot.calibration(parser, given).lines
    ],
}


@pytest.fixture(scope="module")
def parser() -> weft.Parser:
    return weft.fit(JOINT, EXAMPLES)


@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("given", GIVEN)
def test_a_tree_of_any_kind_is_an_example_everywhere(given, name, parser):
    ask = QUESTIONS[name]
    assert ask(parser, GIVEN[given]) == ask(parser, EXAMPLES)


def test_a_record_keeps_where_it_is_from():
    assert tree_example(RECORDS[0]).tokens.source.endswith("that.mrg:1")


PAIRS = [[("the", "DT"), ("dog", "NN")]]
REFUSED: dict[str, tuple[Any, Any, str]] = {
    "pairs": (weft.Chain(), PAIRS, "examples_from_nltk"),
    "words": (weft.Chain(), [["the", "dog"]], r"weft\.example\(words, tags\)"),
    "NLTK": (weft.Chain(), NLTK, r"not a tree: parsers \(weft\.Cfg\).*weft\.example\("),
    "records": (weft.Tables(), RECORDS, r"not a tree: parsers"),
    "text": (weft.Chain(), ["the dog"], r"not str: give weft\.example"),
    "pairs, parser": (weft.Cfg(), PAIRS, r"a weft\.example or a tree, not list"),
    "pairs, selector": (weft.Selection(), PAIRS, "a parse set, not list: .*read_parse_sets"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_example_is_refused_with_advice(name):
    spec, given, message = REFUSED[name]
    with pytest.raises(ExampleError, match=message):
        weft.fit(spec, given)


@pytest.mark.parametrize("ask", [weft.Tagger.log_probs, weft.Tagger.log_sums, information])
def test_models_refuse_it_too(ask):
    tagger = weft.fit(weft.Chain(), bundled("train")[:2])
    with pytest.raises(ExampleError, match="examples_from_nltk"):
        ask(tagger, PAIRS)


def test_parse_sets_are_examples_of_a_selector():
    sets = bundled_parse_sets()[:20]
    selector = weft.fit(weft.Selection(), sets)
    assert selector.log_probs(sets).tolist() == selector.log_probs(selector.compiled(sets)).tolist()


def test_a_tree_is_no_list_of_tags():
    with pytest.raises(ExampleError, match=r"a tag must be .*not Tree; trees are examples"):
        weft.example(NLTK[0].leaves(), NLTK[0])


def test_a_likelihood_of_answers_needs_some(parser):
    tagged = bundled("test")[:5]
    with pytest.raises(OptionError, match=r"no example has what the joint likelihood"):
        information(parser, tagged)
    raw = [weft.example(each.tokens.words) for each in EXAMPLES[:2]]
    assert information(parser, raw, "marginal").log_likelihood < 0
    assert issubclass(ExampleError, WeftError)
