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


# Sequences drawn at random, also illegal ones, and what seqeval 1.2.2 (classification_report, not
# strict) says of them: by type and for three averages, precision, recall and F1.
SEQEVAL = {
    "BIO": (
        [
            "O I-PER I-LOC O O B-MISC", "O B-PER B-LOC O B-LOC O O O I-PER",
            "O O O B-LOC I-PER O B-MISC", "O I-LOC", "B-LOC", "O O O B-LOC B-MISC O B-PER",
        ],
        [
            "O I-PER I-LOC O O B-LOC", "O B-PER B-LOC O B-LOC O O O I-PER",
            "O O O B-LOC B-LOC O B-MISC", "O I-LOC", "B-LOC", "B-LOC O O I-PER B-MISC O B-LOC",
        ],
        {
            "LOC": (0.6, 0.8571428571428571, 0.7058823529411764),
            "MISC": (1.0, 0.6666666666666666, 0.8),
            "PER": (0.75, 0.6, 0.6666666666666665),
            "micro avg": (0.6875, 0.7333333333333333, 0.7096774193548386),
            "macro avg": (0.7833333333333333, 0.707936507936508, 0.7241830065359477),
            "weighted avg": (0.73, 0.7333333333333333, 0.7116339869281045),
        },
    ),
    "IOB1": (
        [
            "I-B I-B B-A B-A O O", "B-A O O I-B B-A", "B-A I-B O B-A I-B", "O B-A O",
            "I-B I-A I-A B-A", "B-A O I-A B-A B-A I-B I-A",
        ],
        [
            "I-B I-B B-A B-A O O", "O I-A O I-A O", "I-B I-B O O I-B", "O B-A O",
            "I-B I-A I-A B-A", "B-A I-A I-A O I-A I-B I-A",
        ],
        {
            "A": (0.7, 0.5, 0.5833333333333334),
            "B": (0.8, 0.6666666666666666, 0.7272727272727272),
            "micro avg": (0.7333333333333333, 0.55, 0.6285714285714286),
            "macro avg": (0.75, 0.5833333333333333, 0.6553030303030303),
            "weighted avg": (0.73, 0.55, 0.6265151515151516),
        },
    ),
    "BIOES": (
        [
            "O", "S-X E-X B-X S-Y", "I-X S-X I-X E-X O", "E-X E-X",
            "E-X I-X O B-X O S-Y I-X S-Y", "E-X S-Y B-X S-X O",
        ],
        [
            "S-X", "S-X E-X B-X S-Y", "S-Y S-X I-X I-X O", "E-X S-X",
            "E-X I-X B-X B-X O S-Y S-X S-Y", "E-X S-Y B-X S-X S-X",
        ],
        {
            "X": (0.8235294117647058, 0.9333333333333333, 0.8749999999999999),
            "Y": (0.8, 1.0, 0.888888888888889),
            "micro avg": (0.8181818181818182, 0.9473684210526315, 0.8780487804878049),
            "macro avg": (0.8117647058823529, 0.9666666666666667, 0.8819444444444444),
            "weighted avg": (0.8185758513931888, 0.9473684210526315, 0.877923976608187),
        },
    ),
}  # fmt: skip


@pytest.mark.parametrize("scheme", SEQEVAL)
def test_the_numbers_are_those_of_seqeval(scheme):
    gold, predicted, expected = SEQEVAL[scheme]
    scores = chunk_scores(*([text.split() for text in each] for each in (gold, predicted)))
    found = {**scores.types, "micro avg": scores.overall}
    found |= {"macro avg": scores.macro, "weighted avg": scores.weighted}
    assert {name: (s.precision, s.recall, s.f1) for name, s in found.items()} == {
        name: pytest.approx(figures) for name, figures in expected.items()
    }


def test_means_of_nothing_are_zero():
    nothing = chunk_scores([["O"]], [["O"]])
    assert nothing.macro == nothing.weighted == (0.0, 0.0, 0.0)
