"""Tagging scores: answers worked by hand and properties."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.evaluate.tagging import tagging_scores

LEXICON = {"the": {"DT"}, "run": {"NN", "VB"}, "dog": ["NN"], "walk": ("VB", "NN")}


def test_two_sentences_worked_by_hand():
    words = [["the", "dog", "run"], ["walk", "zyx", "the", "qqq"]]
    gold = [["DT", "NN", "VB"], ["NN", "JJ", "DT", "JJ"]]
    predicted = [["DT", "NN", "VB"], ["VB", "JJ", "NN", "NN"]]
    scores = tagging_scores(gold, predicted, words, LEXICON)
    assert (scores.tokens, scores.accuracy) == (7, 4 / 7)
    assert (scores.sentences, scores.sentence_accuracy) == (2, 1 / 2)
    assert (scores.known_tokens, scores.known_accuracy) == (5, 3 / 5)
    assert (scores.unknown_tokens, scores.unknown_accuracy) == (2, 1 / 2)
    assert (scores.ambiguous_tokens, scores.ambiguous_accuracy) == (2, 1 / 2)
    assert scores.confusions == ((("DT", "NN"), 1), (("JJ", "NN"), 1), (("NN", "VB"), 1))


def test_confusions_are_most_frequent_first():
    scores = tagging_scores([["A", "B", "B"]], [["C", "C", "C"]], [["x", "y", "z"]], {})
    assert scores.confusions == ((("B", "C"), 2), (("A", "C"), 1))


def test_partial_gold_labels():
    gold = [[None, frozenset({"NN", "VB"}), frozenset({"JJ"}), "NN"], [None], []]
    predicted = [["NN", "VB", "NN", "NN"], ["NN"], []]
    words = [["the", "dog", "run", "zyx"], ["dog"], []]
    scores = tagging_scores(gold, predicted, words, LEXICON)
    assert (scores.tokens, scores.accuracy) == (3, 2 / 3)
    assert (scores.sentences, scores.sentence_accuracy) == (1, 0.0)
    assert (scores.known_tokens, scores.known_accuracy) == (2, 1 / 2)
    assert scores.confusions == ()


def test_unlabelled_tokens_do_not_spoil_a_sentence():
    scores = tagging_scores([[None, "NN"]], [["VB", "NN"]], [["the", "dog"]], LEXICON)
    assert scores.sentence_accuracy == 1.0


def test_no_tokens_no_accuracy():
    scores = tagging_scores([], [], [], LEXICON)
    assert scores.tokens == scores.sentences == scores.known_tokens == 0
    assert scores.accuracy is scores.sentence_accuracy is scores.known_accuracy is None
    assert scores.unknown_accuracy is scores.ambiguous_accuracy is None


@given(st.lists(st.lists(st.tuples(*[st.sampled_from("abcd")] * 3), max_size=6), max_size=4))
def test_known_and_unknown_tokens_make_up_all(rows):
    gold, predicted, words = ([[item[i] for item in row] for row in rows] for i in range(3))
    scores = tagging_scores(gold, predicted, words, {"a": {"a"}, "b": {"a", "b"}})
    right = sum(item[0] == item[1] for row in rows for item in row)
    assert scores.known_tokens + scores.unknown_tokens == scores.tokens
    assert sum(count for _, count in scores.confusions) == scores.tokens - right
    if scores.tokens:
        assert scores.accuracy == right / scores.tokens
    assert tagging_scores(gold, gold, words, {}).accuracy in (1.0, None)


def test_different_lengths_are_refused():
    with pytest.raises(ValueError, match="1 gold, 1 predicted sentences and 0 of words"):
        tagging_scores([["A"]], [["A"]], [], {})
    with pytest.raises(ValueError, match="sentence 1 has 1 gold labels, 2 predicted tags"):
        tagging_scores([["A"]], [["A", "B"]], [["x"]], {})


def test_a_dictionary_says_what_is_ambiguous_whether_known_or_not():
    words = [["the", "run", "zyx", "dog"]]
    gold, predicted = [["DT", "VB", "JJ", "NN"]], [["DT", "VB", "NN", "VB"]]
    scores = tagging_scores(gold, predicted, words, LEXICON, {"zyx", "dog", "never"})
    assert (scores.ambiguous_tokens, scores.ambiguous_accuracy) == (2, 0.0)
    assert (scores.known_tokens, scores.unknown_tokens) == (3, 1)
    assert tagging_scores(gold, predicted, words, LEXICON).ambiguous_tokens == 1
