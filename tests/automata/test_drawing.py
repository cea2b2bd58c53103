"""Drawings: where things stand, and that any text can be drawn."""

from __future__ import annotations

import itertools
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from machines import string_sets, trie
from strategies import quick
from weft.automata import NEIGHBOURHOODS, Length, from_lattice, minimise, split_windows, to_lattice
from weft.automata.curves import RADIUS, centres, curves, labels, width_of
from weft.automata.drawing import MOST_DRAWN, to_dot, to_svg
from weft.automata.layout import layout
from weft.errors import LimitError
from weft.structures.lattice import Lattice, arcs_of, lattice

NATURAL = ["natural", "language", "is", "a", "delicate", "thing"]
SVG = "{http://www.w3.org/2000/svg}"

lattices = string_sets.map(
    lambda strings: to_lattice(minimise(from_lattice(trie(sorted(strings)))))
)


def parsed(picture: str) -> ElementTree.Element:
    return ElementTree.fromstring(picture)  # noqa: S314


def texts_of(picture: str) -> list[str]:
    """The words of a picture; each is there twice, once as its rim."""
    shown = [element.text for element in parsed(picture).iter(f"{SVG}text")]
    assert shown[::2] == shown[1::2]
    return shown[::2]


@quick
@given(lattices)
def test_no_two_states_stand_in_one_place_and_arcs_lead_right(strings):
    placed = layout(strings)
    places = list(zip(placed.columns, placed.rows, strict=True))
    assert len(set(places)) == strings.state_count
    for source, _, target in arcs_of(strings):
        assert placed.columns[source] < placed.columns[target]
    assert sorted(set(placed.rows)) == list(range(max(placed.rows) + 1))


@quick
@given(lattices)
def test_the_spine_is_a_longest_string_in_the_first_row(strings):
    placed = layout(strings)
    pairs = {(source, target) for source, _, target in arcs_of(strings)}
    assert set(itertools.pairwise(placed.spine)) <= pairs
    assert len(placed.spine) - 1 == max(map(len, strings.strings())) == max(placed.columns)
    assert {placed.rows[state] for state in placed.spine} == {0}
    assert strings.final[placed.spine[-1]]


def test_the_spine_is_the_sentence():
    strings = NEIGHBOURHOODS["trans1"](["b", "a", "c"])
    symbols = {(s, t): strings.symbols[n] for s, n, t in arcs_of(strings)}
    for words in (["b", "a", "c"], ["a", "b", "c"], ["b", "c", "a"]):
        spine = layout(strings, words).spine
        assert [symbols[pair] for pair in itertools.pairwise(spine)] == words
    # What is not among the longest strings cannot be it.
    assert layout(strings, ["x", "y", "z"]) == layout(strings, ["a"]) == layout(strings)


def test_figure_1():
    """The rows of figure 1 in Smith and Eisner (2005): before a change, amid it, after it."""
    expected = {"del1word": 2, "trans1": 3, "delortrans1": 3, "del1subseq": 2}
    for name, rows in expected.items():
        placed = layout(NEIGHBOURHOODS[name](NATURAL), NATURAL)
        assert max(placed.rows) + 1 == rows
        assert len(placed.spine) == 7


@pytest.mark.parametrize("name", NEIGHBOURHOODS)
@pytest.mark.parametrize(
    "sentence",
    ["natural language is a delicate thing", "the cat saw the cat and the dog", "a a", "a"],
)
def test_arcs_keep_clear_of_states_and_words_of_each_other(name, sentence):
    words = sentence.split()
    strings = NEIGHBOURHOODS[name](words)
    placed = layout(strings, words)
    texts = {(s, t): strings.symbols[n] for s, n, t in arcs_of(strings)}
    states = centres(placed, texts)
    arcs = curves(placed, texts, states)
    assert sorted(curve.ends for curve in arcs) == sorted(texts)
    for curve in arcs:
        start, end = states[curve.ends[0]], states[curve.ends[1]]
        assert np.hypot(*(curve.points[0] - start)) == pytest.approx(RADIUS + 1)
        assert np.hypot(*(curve.points[2] - end)) == pytest.approx(RADIUS + 1)
        for other in set(range(len(states))) - set(curve.ends):
            assert np.hypot(*(curve.samples() - states[other]).T).min() > RADIUS
    placed_words = list(labels(arcs, states))
    assert [label.text for label in placed_words] == [curve.text for curve in arcs]
    middles = np.array([label.middle for label in placed_words])
    apart = np.hypot(*(middles[:, None] - middles).transpose(2, 0, 1))
    assert (apart + 100 * np.eye(len(middles)) > 8).all()


def test_a_picture_has_every_state_arc_and_word():
    strings = NEIGHBOURHOODS["del1word"](NATURAL)
    picture = to_svg(strings, NATURAL, "an example")
    root = parsed(picture)
    finals = int(strings.final.sum())
    assert len(list(root.iter(f"{SVG}circle"))) == strings.state_count + finals
    assert len(list(root.iter(f"{SVG}polygon"))) == strings.arc_count + 1
    assert sorted(texts_of(picture)) == sorted(strings.symbols[n] for n in strings.arc_symbols)
    assert root.findtext(f"{SVG}title") == "an example"
    width, height = (float(root.get(name)) for name in ("width", "height"))
    top = float(root.get("viewBox").split()[1])
    for circle in root.iter(f"{SVG}circle"):
        assert RADIUS < float(circle.get("cx")) < width - RADIUS
        assert top + RADIUS < float(circle.get("cy")) < top + height - RADIUS
    assert to_svg(strings, NATURAL, "an example") == picture


@quick
@given(st.lists(st.text(min_size=1, max_size=4), min_size=1, max_size=3))
def test_any_text_can_be_drawn(words):
    strings = Lattice.from_sentence(words)
    shown = texts_of(to_svg(strings, words, words[0]))
    assert len(shown) == len(words)
    dot = to_dot(strings, words[0])
    assert len(dot.splitlines()) >= strings.arc_count
    for word in words:
        if word.isprintable() and "\\" not in word and '"' not in word:
            assert word in shown
            assert f'label="{word}"' in dot


def test_markup_is_text():
    words = ["<b>", "R&D", '"', "a\\n", "]]>", "\x00\ud800"]
    picture = to_svg(Lattice.from_sentence(words), words, "<script>&")
    assert texts_of(picture) == [*words[:5], "\ufffd\ufffd"]
    assert "<script>" not in picture
    dot = to_dot(Lattice.from_sentence(words), 'a"; b')
    assert dot.startswith('digraph "a\\"; b" {\n')
    assert 'label="\\""' in dot
    assert 'label="a\\\\n"' in dot


def test_several_words_between_two_states_are_one_arc():
    vocabulary = tuple(f"w{n}" for n in range(3))
    assert texts_of(to_svg(Length(vocabulary)(["w0", "w1"]).lattice())) == ["w0 | w1 | w2"] * 2
    many = tuple(f"w{n}" for n in range(5000))
    assert texts_of(to_svg(Length(many)(["w0"]).lattice())) == ["w0 | w1 | w2 … (5,000 words)"]
    [long] = texts_of(to_svg(Lattice.from_sentence(["x" * 10_000])))
    assert len(long) < 100


def test_lattices_that_are_drawn_otherwise():
    assert texts_of(to_svg(Lattice.from_sentence([]))) == []
    split = split_windows(NEIGHBOURHOODS["trans1"](NATURAL), 1, 1)
    assert len(texts_of(to_svg(split, NATURAL))) == split.arc_count
    chain = Lattice.from_sentence(["a"] * (MOST_DRAWN + 1))
    with pytest.raises(LimitError, match="1,001 arcs would show nothing"):
        to_svg(chain)


def test_wide_words_have_room():
    words = ["Donaudampfschifffahrtsgesellschaft", "i"]
    strings = Lattice.from_sentence(words)
    placed = layout(strings, words)
    texts = dict(zip([(0, 1), (1, 2)], words, strict=True))
    x = centres(placed, texts)[:, 0]
    assert x[1] - x[0] > width_of(words[0])
    bridge = lattice([(0, words[0], 2), (0, "i", 1), (1, "i", 2)], [2])
    x = centres(layout(bridge), {(0, 2): words[0], (0, 1): "i", (1, 2): "i"})[:, 0]
    assert x[2] - x[0] > width_of(words[0])
