"""Forests of parses, against every parse written out, every stack, and the chart."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

import weft
from stack_models import (
    CYCLIC,
    NONE,
    TREES,
    corpus,
    model_of,
    pair_grammar,
    sentences,
    totals,
)
from stacks import all_parses, probs_of, sums_of
from trees import tree
from weft.derivations.chart.chart import Chart
from weft.derivations.stack.parses import Stopped
from weft.errors import OptionError
from weft.grammars.sums.partition import partition
from weft.grammars.transforms import moves_of
from weft.models.model import Outcome
from weft.models.stack.feature_spec import MoveFeatures
from weft.models.stack.spec import MoveTables
from weft.models.stack.templates import Contexts, move_templates
from weft.structures.constituents import Constituents, Span
from weft.structures.evidence import Evidence, Example, OfLength, Sentence, sentence
from weft.structures.tree import leaves


def chain_length(moves) -> int:
    longest = length = 0
    for move in moves:
        length = length + 1 if getattr(move, "size", 0) == 1 else 0
        longest = max(longest, length)
    return longest


@pytest.mark.parametrize("form", ["joint", "conditional"])
@pytest.mark.parametrize("unseen", ["back-off", "lose"])
def test_sums_and_best_are_those_of_all_parses(form, unseen):
    model = model_of(TREES, form, unseen)
    probs = probs_of(model.table, model.labels, model.looks)
    several = sentences(4)
    forest = model.forest([Evidence(sentence(words)) for words in several])
    scores, best = forest.best(NONE)
    found = np.exp(forest.log_partition(NONE))
    assert (found > 0).sum() > 5
    for place, words in enumerate(several):
        assert found[place] == pytest.approx(sums_of(words, probs).total, rel=1e-9, abs=1e-15)
        if unseen == "lose":  # and so no move leads back to a label, and parses are few
            every = all_parses(words, probs, unaries=6)
            assert found[place] == pytest.approx(sum(every.values()), abs=1e-15)
            if every:
                top = max(every.values())
                assert math.exp(scores[place]) == pytest.approx(top)
                assert every[tuple(moves_of(best[place].tree))] == pytest.approx(top)


@pytest.mark.parametrize("form", ["joint", "conditional"])
def test_prefixes_are_those_of_all_stacks(form):
    model = model_of(TREES, form)
    probs = probs_of(model.table, model.labels, model.looks)
    for words in sentences(4):
        [parses] = model.forest([Evidence(sentence(words))]).parses
        expected = sums_of(words, probs).prefixes
        np.testing.assert_allclose(np.exp(parses.prefixes), expected, atol=1e-12)


def test_sums_are_the_charts_on_the_grammar_of_pairs():
    model = model_of(TREES, "joint")
    rules = pair_grammar(model)
    several = sentences(4)
    chart = Chart(rules, [Evidence(sentence(words)) for words in several])
    np.testing.assert_allclose(
        totals(model, several), np.exp(chart.log_partition(rules.weights)), rtol=1e-9
    )


def test_all_sentences_sum_to_one_or_the_loss_is_seen():
    for unseen, whole in (("back-off", True), ("lose", False)):
        model = model_of(TREES, "joint", unseen)
        lengths = [Evidence(OfLength(length)) for length in range(1, 13)]
        shares = np.exp(model.derivations(lengths).log_partition(NONE))
        listed = totals(model, sentences(3))
        assert shares[:3].sum() == pytest.approx(listed.sum())
        kept = float(shares.sum())
        sums = partition(pair_grammar(model))
        total = math.exp(sums.log_values[sums.start])
        assert kept <= total + 1e-9
        assert total == pytest.approx(1.0) if whole else total < 0.95


def test_trees_come_back_and_have_the_probability_of_their_moves():
    examples = corpus(TREES)
    for form in ("joint", "conditional"):
        model = model_of(TREES, form)
        forest = model.forest([each.evidence() for each in examples])
        scores, best = forest.best(NONE)
        np.testing.assert_allclose(scores, forest.log_partition(NONE))
        for example, found in zip(examples, best, strict=True):
            assert model.answer(example.evidence(), found) == example.parse
            assert model.covers(example)
        strange = corpus(["(S (C a) (B b))"])[0]
        assert not model.covers(strange)
        assert np.isneginf(model.forest([strange.evidence()]).log_partition(NONE)[0])


def test_a_beam_keeps_the_tree_that_is_known(rng):
    examples = corpus(CYCLIC)
    wide, narrow = (model_of(CYCLIC, "joint", beam=beam) for beam in (0.0, 0.5))
    evidences = [each.evidence(labelled) for each in examples for labelled in (True, False)]
    exact = wide.forest(evidences).log_partition(NONE)
    found = narrow.forest(evidences).log_partition(NONE)
    np.testing.assert_allclose(found[::2], exact[::2])
    assert (found[1::2] >= found[::2] - 1e-12).all()
    assert (found[1::2] <= exact[1::2] + 1e-12).all()
    alone = narrow.forest(evidences[1::2]).log_partition(NONE)
    assert (alone < exact[1::2] - 1e-9).any()
    order = rng.permutation(len(evidences))
    again = narrow.forest([evidences[place] for place in order], 2).log_partition(NONE)
    np.testing.assert_array_equal(again, found[order])


def test_a_narrower_beam_never_finds_more():
    several = sentences(5)
    last = np.full(len(several), np.inf)
    for beam in (0.0, 1e-9, 1e-3, 0.1, 0.9):
        found = totals(model_of(TREES, "joint", beam=beam), several)
        assert (found <= last + 1e-15).all()
        last = found


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        ({"edges": 6}, Stopped.EDGES),
        ({"edges": 40}, Stopped.EDGES),
        ({"bytes": 400}, Stopped.BYTES),
        ({"bytes": 4_000}, Stopped.BYTES),
        ({"seconds": 1e-9}, Stopped.SECONDS),
    ],
)
@pytest.mark.parametrize("texts", [TREES, CYCLIC])
def test_a_search_that_takes_too_much_ends_in_the_best_stack(texts, limits, reason):
    whole = model_of(texts, "joint")
    model = replace(whole, limits=replace(whole.limits, **limits))
    parser = MoveTables().trained(model, Outcome(NONE))
    words = ("a", "a", "b", "a", "b", "a", "b", "b")
    evidence = Evidence(sentence(words))
    [parses] = model.forest([evidence]).parses
    assert parses.stopped is reason
    assert parser.predict([words]) == [None]
    found = parser.closest(words)
    assert found.label == "S"
    assert tuple(leaves(found)) == words
    if reason is not Stopped.SECONDS:  # what is counted is the same with any number of threads
        others = [Evidence(sentence(words[:length])) for length in range(1, 8)]
        alone = model.forest([*others, evidence], 1).parses
        together = model.forest([*others, evidence], 2).parses
        for one, other in zip(alone, together, strict=True):
            assert one.stopped is other.stopped
            np.testing.assert_array_equal(one.items, other.items)
        assert parser.closest(words, 2) == found
    assert whole.forest([evidence]).parses[0].stopped is Stopped.NOT


def test_what_has_no_parse_has_the_best_stack():
    parser = weft.fit(MoveTables(unseen="lose", rare=0), [tree(text) for text in TREES])
    assert parser.predict([("a", "b", "b")]) == [None]
    found = parser.closest(("a", "b", "b"))
    assert tuple(leaves(found)) == ("a", "b", "b")
    assert parser.closest(()) is None
    assert parser.closest(("c",)) is None  # which nothing is known of
    for words in (("c", "a", "b"), ("a", "c", "b"), ("a", "b", "c")):
        assert parser.predict([words]) == [None]
    assert tuple(leaves(parser.closest(("a", "c", "b")))) == ("a", "c", "b")


WORDS = [
    "(S (NP (DT the) (NN dog)) (VP (VBZ barks)))",
    "(S (NP (DT the) (NN cat)) (VP (VBZ sees) (NP (DT the) (NN dog))))",
    "(S (NP (NN fish)) (VP (VBP fish)))",
    "(S (NP (NN fish)) (VP (VBZ sees) (NP (NN fish))))",
]


@pytest.mark.parametrize("form", ["joint", "conditional"])
def test_words_have_the_tags_that_they_may_have(form):
    model = MoveTables(form, rare=1, beam=0.0).prepare(corpus(WORDS))
    probs = probs_of(model.table, model.labels, model.looks)
    words = ("the", "fish", "barked")
    terminals = model.terminals(words)
    expected = 0.0
    for tags in itertools.product(*(model.choices[each] for each in terminals)):
        names = [model.labels[number] for number, _ in tags]
        total = sums_of(names, probs).total
        expected += math.exp(sum(score for _, score in tags)) * total
    assert totals(model, [words])[0] == pytest.approx(expected)
    known = Evidence(sentence(words), ("DT", frozenset({"NN"}), None))
    within = math.exp(model.forest([known]).log_partition(NONE)[0])
    assert 0 < within <= expected * (1 + 1e-12)


def test_moves_with_features_are_distributions_over_words_with_several_tags(rng):
    spec = MoveFeatures(rare=1, beam=0.0)
    examples = corpus(WORDS)
    model, _ = spec.finish(spec.prepare(examples), NONE, examples)
    theta = 0.5 * rng.normal(size=model.parameters.size)
    evidence = Evidence(sentence(("the", "fish", "fish")))
    assert len(model.choices["fish"]) > 1
    total = math.exp(model.forest([evidence]).log_partition(theta)[0])
    assert 0.1 < total <= 1 + 1e-9


def test_terminals_of_tags_sum_to_one():
    joint = MoveTables(rare=1).prepare(corpus(WORDS))
    given = MoveTables("conditional", rare=1).prepare(corpus(WORDS))
    by_tag: dict[int, float] = {}
    for some in joint.choices.values():
        for tag, score in some:
            by_tag[tag] = by_tag.get(tag, 0.0) + math.exp(score)
    assert list(by_tag.values()) == pytest.approx([1.0] * len(by_tag))
    for some in given.choices.values():
        assert sum(math.exp(score) for _, score in some) == pytest.approx(1.0)


def test_constituents_pick_trees():
    model = model_of(TREES, "joint", "lose")
    words = sentence(("a", "a", "b"))

    def some(*spans: Span) -> float:
        evidence = Evidence(words, parse=Constituents(spans))
        return float(np.exp(model.forest([evidence]).log_partition(NONE)[0]))

    whole = some()
    assert whole == pytest.approx(sums_of(words.words, probs_of(model.table, model.labels)).total)
    assert 0 < some(Span(0, 2)) < whole
    assert some(Span(0, 2, "A")) <= some(Span(0, 2))
    assert some(Span(0, 2, "Z")) == 0
    assert some(Span(0, 2), Span(1, 2)) <= some(Span(0, 2))


def test_moves_that_are_normalised_one_by_one_are_estimated_so():
    """The criterion is then the sum over moves; the saved model sums over parses."""
    spec = MoveFeatures(rare=0, beam=0.0)
    examples = corpus(TREES)
    model = spec.prepare(examples)
    theta = np.random.default_rng(3).normal(size=model.parameters.size)
    evidences = [each.evidence() for each in examples]
    by_moves = model.derivations([*evidences, Evidence(examples[0].tokens)]).log_partition(theta)
    exact = replace(model, by_moves=False).derivations(evidences).log_partition(theta)
    assert by_moves[-1] == 0
    np.testing.assert_allclose(by_moves[:-1], exact)
    finished, _ = spec.finish(model, theta, examples)
    assert finished.forest(evidences).log_partition(theta) == pytest.approx(exact)


def test_specifications_say_what_they_do_not_take():
    for wrong in (
        {"beam": 1.0},
        {"beam": -1.0},
        {"rare": -1},
        {"parts": 1},
        {"memory": 0},
        {"seconds": -1},
        {"edges": 0},
    ):
        with pytest.raises(OptionError):
            MoveTables(**wrong)
    with pytest.raises(OptionError, match="no tree"):
        MoveTables().prepare([Example(Sentence((("a",),)))])
    with pytest.raises(OptionError, match="distribution over sentences"):
        MoveFeatures(normalisation="joint")
    many = tuple(f"t{number}" for number in range(100_000))
    Contexts(("⋆", *"abc"), many, ("s1+first+last+next",))
    with pytest.raises(OptionError, match=r"first.* looks at too much together"):
        Contexts(("⋆", *"abc"), many, ("s1+first+last+next+after",))
    with pytest.raises(OptionError, match="no attribute of moves 'nxt': did you mean next"):
        move_templates("s1+nxt")


@pytest.mark.parametrize(
    "spec",
    [
        MoveTables("joint", rare=1, beam=0.0),
        MoveTables("conditional", rare=1, beam=0.0),
        MoveFeatures(rare=1, beam=0.0),
    ],
    ids=["joint", "conditional", "features"],
)
def test_the_first_word_may_have_several_tags(spec):
    """Also where the parser looks ahead to them: no parse is left out."""
    shapes = ["(S (NP (A x)) (V y))", "(S (NP (B x)) (V y))", "(S (NP (B x)) (V z))"]
    examples = corpus([*shapes, "(S (C x) (V z))"] * 3)
    parser = weft.fit(spec, examples)
    found = [each.answer.children[0] for each in parser.kbest([("x", "y")], 9)[0]]
    assert len(found) == 3
    assert all(tree(each) in found for each in ("(C x)", "(NP (A x))", "(NP (B x))"))
    seen = parser.model.derivations([each.evidence() for each in examples])
    assert np.isfinite(seen.log_partition(parser.weights)).all()


def test_interpolated_tables_shift_what_was_not_seen_there():
    """V was never shifted after V, and still the sentence has a parse, and a probability."""
    corpus = [tree("(S (NP N) V)"), tree("(S V N)"), tree("(S (NP N N) V)")] * 4
    words, found = ["V", "V"], {}
    for unseen in ("back-off", "interpolate"):
        parser = weft.fit(MoveTables(unseen=unseen, rare=0, beam=0.0), corpus)
        found[unseen] = parser.log_sums([weft.example(words)])
    assert np.isneginf(found["back-off"].marginal).all()
    assert np.isfinite(found["interpolate"].marginal).all()
