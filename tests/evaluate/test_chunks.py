"""Chunk scores: answers worked by hand and properties."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.evaluate.chunks import ChunkCounts, chunk_scores
from weft.structures.chunking import spans

TAGS = ["O", "B-NP", "I-NP", "B-VP", "I-VP"]
sentences = st.lists(st.lists(st.sampled_from(TAGS), max_size=8), max_size=5)


def test_a_sentence_worked_by_hand():
    # gold: [NP a b] c [VP d] [NP e f]    predicted: [NP a b] c [VP d] [NP e] [NP f] + [PP g]
    gold = ["B-NP", "I-NP", "O", "B-VP", "B-NP", "I-NP", "O"]
    predicted = ["I-NP", "I-NP", "O", "I-VP", "I-NP", "B-NP", "B-PP"]
    scores = chunk_scores([gold], [predicted])
    assert scores.overall == ChunkCounts(gold=3, predicted=5, correct=2)
    assert dict(scores.types) == {
        "NP": ChunkCounts(gold=2, predicted=3, correct=1),
        "PP": ChunkCounts(gold=0, predicted=1, correct=0),
        "VP": ChunkCounts(gold=1, predicted=1, correct=1),
    }
    assert list(scores.types) == ["NP", "PP", "VP"]
    assert scores.overall.precision == pytest.approx(2 / 5)
    assert scores.overall.recall == pytest.approx(2 / 3)
    assert scores.overall.f1 == pytest.approx(1 / 2)
    assert (scores.types["PP"].precision, scores.types["PP"].recall) == (0.0, 0.0)


def test_same_place_but_other_type_is_wrong():
    scores = chunk_scores([["B-NP", "I-NP"]], [["B-VP", "I-VP"]])
    assert scores.overall == ChunkCounts(gold=1, predicted=1, correct=0)


def test_chunks_do_not_cross_sentences():
    scores = chunk_scores([["B-NP"], ["I-NP"]], [["B-NP"], ["I-NP"]])
    assert scores.overall == ChunkCounts(2, 2, 2)


def test_nothing_scores_zero():
    assert chunk_scores([], []).overall.f1 == 0.0
    assert chunk_scores([["O"]], [["O"]]).overall.precision == 0.0


def test_partly_labelled_sentences_are_not_scored():
    gold = [["B-NP", None], [frozenset({"O", "B-NP"})], ["B-NP"]]
    scores = chunk_scores(gold, [["B-NP", "O"], ["O"], ["B-NP"]])
    assert (scores.overall, scores.sentences) == (ChunkCounts(1, 1, 1), 1)


@given(sentences)
def test_gold_against_itself_is_perfect(gold):
    overall = chunk_scores(gold, gold).overall
    assert overall.f1 == (1.0 if overall.gold else 0.0)


@given(st.data())
def test_counts_are_those_of_span_sets(data):
    gold = data.draw(sentences)
    predicted = [
        data.draw(st.lists(st.sampled_from(TAGS), min_size=len(row), max_size=len(row)))
        for row in gold
    ]
    wanted, made = (
        {(number, *span) for number, row in enumerate(rows) for span in spans(row)}
        for rows in (gold, predicted)
    )
    scores = chunk_scores(gold, predicted)
    assert scores.overall == ChunkCounts(len(wanted), len(made), len(wanted & made))
    precision, recall = scores.overall.precision, scores.overall.recall
    harmonic = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    assert scores.overall.f1 == pytest.approx(harmonic)


def test_different_lengths_are_refused():
    with pytest.raises(ValueError, match="1 gold sentences but 2"):
        chunk_scores([["O"]], [["O"], ["O"]])
    with pytest.raises(ValueError, match="sentence 2 has 2 gold labels but 1"):
        chunk_scores([["O"], ["O", "O"]], [["O"], ["O"]])
