"""What notebooks show of records."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import weft
from parse_sets import random_examples
from trees import tree
from weft.automata import NEIGHBOURHOODS
from weft.corpora.bundled import bundled, bundled_parse_sets
from weft.lfg.analysis import Analysis, CNode, FValue
from weft.models.posteriors import TagPosteriors
from weft.models.progress import Progress, TrainingTrace
from weft.report.notebook.forests import MOST_DRAWN
from weft.reprs import MOST_TEXT, Pictured
from weft.structures.evidence import Example, Sentence, sentence
from weft.structures.hypergraph import hypergraph
from weft.structures.parse_set import Candidate, Packed, PackedEdge, ParseSet
from weft.structures.tree import Tree, leaves
from weft.unification import FeatureParser, read_fcfg

FEW = weft.LBFGS(max_iterations=2)


def drawn(thing) -> ET.Element:
    """A picture, which is well-formed XML, but for its style, whatever its texts are."""
    found = thing._repr_html_()
    assert "<script" not in found
    return ET.fromstring(re.sub(r"<style>.*?</style>", "", found, flags=re.S))  # noqa: S314


def texts(thing) -> str:
    return " ".join(drawn(thing).itertext())


@pytest.fixture(scope="module")
def tagger():
    corpus = bundled("train")[:30]
    return weft.fit(weft.Chain(), corpus, optimiser=FEW, development=bundled("heldout")[:5])


def test_models_are_cards(tagger):
    shown = texts(tagger)
    assert repr(tagger) in shown
    assert "gaussian:10" in shown
    assert "held-out" in shown
    largest = int(abs(tagger.weights).argmax())
    assert tagger.model.named(np.array([largest]))[0][1] in shown
    assert f"{tagger.weights[largest]:+.3f}" in shown


@pytest.mark.parametrize(
    "make",
    [
        lambda: weft.fit(weft.Tables(), bundled("train")[:20]),
        lambda: weft.fit(weft.Cfg(), [tree("(S (N <a>) (V &b))")], optimiser=FEW),
        lambda: weft.fit(weft.Selection(relevance=0), random_examples(np.random.default_rng(1), 9)),
        lambda: weft.fit(weft.Chain(), [weft.example(["<b>", '"&'], ["<i>", "'"])], optimiser=FEW),
    ],
)
def test_all_kinds_of_models_are_drawn(make):
    model = make()
    assert repr(model) in texts(model)


def test_trees_and_lattices_are_drawn():
    svg = "{http://www.w3.org/2000/svg}"
    words = [each.text for each in drawn(tree("(S (NP dogs) (VP bark))")).iter(f"{svg}text")]
    assert words == ["S", "VP", "bark", "NP", "dogs"]
    assert "dogs" in texts(NEIGHBOURHOODS["del1word"](("dogs", "bark")))


def test_a_forest_has_a_circle_per_vertex_and_a_dot_per_edge():
    forest = hypergraph(4, [(0, ()), (1, ()), (2, (0, 1)), (3, (2, 0)), (3, (1, 2))])
    svg = "{http://www.w3.org/2000/svg}"
    circles = list(drawn(forest).iter(f"{svg}circle"))
    radii = [each.get("r") for each in circles]
    assert radii.count("3") == forest.edge_count
    assert radii.count("12") == forest.vertex_count
    heights = [
        each.get("cy") for each in drawn(forest).iter(f"{svg}circle") if each.get("r") == "12"
    ]
    assert float(heights[3]) < float(heights[2]) < float(heights[0])


def test_what_is_too_large_is_told_instead():
    many = hypergraph(1, [(0, ())] * (MOST_DRAWN + 1))
    assert "would show nothing" in texts(many)
    assert repr(many) in texts(many)
    assert "would show nothing" in texts(Tree("S", ("w",) * 6000))


def test_sentences_show_tags_trees_and_probabilities(tagger):
    example = weft.example(["<old>", "man"], ["JJ", frozenset({"NN", "VB"})])
    assert texts(example).split() == ["<old>", "JJ", "man", "NN|VB"]
    parsed = tree("(S (N a) (V b))")
    assert "N" in texts(Example(sentence(list(leaves(parsed))), parse=parsed)).split()
    found = tagger.posteriors(["The", "man"])
    assert found.words == ("The", "man")
    np.testing.assert_array_equal(found.probs, tagger.marginals([["The", "man"]])[0])
    best = tagger.model.tags[int(found.probs[0].argmax())]
    assert best == found.ranked(2)[0][0][0]
    assert f"{best} {found.probs[0].max():.2f}" in " ".join(texts(found).split())
    small = TagPosteriors(("a",), ("X", "Y"), np.array([[0.999, 0.001]]))
    assert "Y" not in texts(small)


def test_parse_sets_show_which_analysis_is_right():
    shown = texts(bundled_parse_sets()[0])
    assert re.search(r"\b0\s+right\b", shown)
    packed = Packed((PackedEdge("S", "r", words=("a",)),), "S")
    assert "a forest of 1 nodes and 1 edges" in texts(ParseSet("1", "a", packed))
    given = (Candidate(features={"low": 1.0}), Candidate(), Candidate(), Candidate())
    assert "and 1 more" in texts(ParseSet("1", "a", given))


def test_traces_are_curves(tagger):
    assert isinstance(tagger.trace, TrainingTrace)
    assert "iterations 0 to 2" in texts(tagger.trace)
    assert repr(tagger.trace).startswith("<TrainingTrace: 3 iterations, value -")
    assert texts(TrainingTrace([Progress(0, -np.inf, 0.0, None)])) == "no iterations"
    assert texts(TrainingTrace()) == "no iterations"
    assert TrainingTrace(tagger.trace) == tuple(tagger.trace)


def test_pictures_are_for_light_and_dark():
    found = Tree("S", ("a",))._repr_html_()
    for theme in ("prefers-color-scheme: dark", 'data-jp-theme-light="false"', ".vscode-dark"):
        assert theme in found


def test_what_is_pictured_has_a_picture():
    kinds = [each for each in Pictured.__subclasses__() if each.__module__.startswith("weft")]
    from weft.report.notebook.pictures import _PICTURES

    assert {each.__name__ for each in kinds} == {kind.__name__ for kind, _ in _PICTURES}


def test_sentences_without_words_are_shown():
    assert texts(Example(Sentence(((),)))) == ""


def test_deep_trees_are_shown_as_text():
    """Deeper than Python can recurse; and no more text is made than is shown."""
    rules = b"S -> 'a' S\nS -> 'a'"
    forest = FeatureParser(read_fcfg(io.BytesIO(rules))).parse(["a"] * 900)
    deep = CNode("a", value=-1)
    for _ in range(3000):
        deep = CNode("S", (deep,), value=0)
    analysis = Analysis(deep, (FValue(),))
    for thing in (forest, forest[0], analysis):
        assert "too deep to be drawn" in texts(thing)
        assert len(repr(thing)) < 2 * MOST_TEXT + 100
    assert str(forest[0]).count("(") == 900
    assert repr(deep).startswith("CNode('(S (S (S")
    assert str(deep).endswith("a" + ")" * 3000)
