"""Chunk notations: known answers, conlleval's own rules, and brute force."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.structures.chunking import forbidden_transitions, is_chunking, spans

BIO = ["O", "B-NP", "I-NP", "B-VP", "I-VP"]
BIOES = ["O", *(f"{prefix}-{kind}" for prefix in "BIES" for kind in ("NP", "VP"))]
BILOU = [{"E": "L", "S": "U"}.get(tag[0], tag[0]) + tag[1:] for tag in BIOES]
WRITERS = {"bio": "BIIB", "bioes": "BIES", "bilou": "BILU"}


def write(chunks, length, scheme):
    """Tag ``length`` tokens with the chunks, which do not overlap."""
    first, inside, last, alone = WRITERS[scheme]
    tags = ["O"] * length
    for start, end, kind in chunks:
        prefixes = alone if end - start == 1 else first + inside * (end - start - 2) + last
        tags[start:end] = [f"{prefix}-{kind}" for prefix in prefixes]
    return tags


def chunkings(length):
    """All sets of chunks of two types over ``length`` tokens."""
    if length == 0:
        return [[]]
    found = [list(rest) for rest in chunkings(length - 1)]
    for width in range(1, length + 1):
        for rest in chunkings(length - width):
            found += [[*rest, (length - width, length, kind)] for kind in ("NP", "VP")]
    return found


def conlleval_spans(tags):
    """The loop and the rules of conlleval for B, I and O, as its script writes them."""
    found, start, before = [], None, ("O", "")
    for position, tag in enumerate([*tags, "O"]):
        now = tuple(tag.split("-", 1)) if "-" in tag else (tag, "")
        pair = before[0] + now[0]
        ends = pair in ("BB", "BO", "IB", "IO") or (before[0] != "O" and before[1] != now[1])
        starts = pair in ("BB", "IB", "OB", "OI") or (now[0] != "O" and before[1] != now[1])
        if ends:
            found.append((start, position, before[1]))
        if starts:
            start = position
        before = now
    return found


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ("", []),
        ("O O", []),
        ("O I-NP I-NP", [(1, 3, "NP")]),
        ("B-NP I-VP", [(0, 1, "NP"), (1, 2, "VP")]),
        ("B-NP B-NP I-NP", [(0, 1, "NP"), (1, 3, "NP")]),
        ("I-NP B-NP", [(0, 1, "NP"), (1, 2, "NP")]),
        ("I-NP O I-NP", [(0, 1, "NP"), (2, 3, "NP")]),
        ("B-NP-SBJ I-NP-SBJ", [(0, 2, "NP-SBJ")]),
        ("B I O I", [(0, 2, ""), (3, 4, "")]),
        ("NN B-NP NN", [(1, 2, "NP")]),
        ("S-NP S-NP", [(0, 1, "NP"), (1, 2, "NP")]),
        ("B-NP I-NP E-NP S-NP B-VP E-VP", [(0, 3, "NP"), (3, 4, "NP"), (4, 6, "VP")]),
        ("B-NP I-NP L-NP U-NP B-VP L-VP", [(0, 3, "NP"), (3, 4, "NP"), (4, 6, "VP")]),
        ("E-NP E-NP", [(0, 1, "NP"), (1, 2, "NP")]),
        ("E-NP I-NP", [(0, 1, "NP"), (1, 2, "NP")]),
        ("B-NP O E-NP", [(0, 1, "NP"), (2, 3, "NP")]),
        ("B-NP S-NP", [(0, 1, "NP"), (1, 2, "NP")]),
    ],
)
def test_spans_of_known_sequences(tags, expected):
    assert spans(tags.split()) == expected


@given(st.lists(st.sampled_from(BIO), max_size=12))
def test_any_bio_sequence_is_read_as_conlleval_reads_it(tags):
    assert spans(tags) == conlleval_spans(tags)


@pytest.mark.parametrize("scheme", WRITERS)
@pytest.mark.parametrize("length", range(5))
def test_spans_read_back_every_chunking(scheme, length):
    for chunks in chunkings(length):
        assert spans(write(chunks, length, scheme)) == chunks


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ({"O", "B-NP", "I-NP"}, True),
        ({"B-NP"}, True),
        ({"O", "S-PER"}, True),
        ({"O", "U-PER", "B-PER", "L-PER"}, True),
        (BIOES, True),
        (BILOU, True),
        (set(), False),
        ({"O"}, False),
        ({"O", "I-NP"}, False),
        ({"O", "NN"}, False),
        ({"O", "B-NP", "NN"}, False),
        ({"O", "B-"}, False),
        ({"O", "B"}, False),
        ({"O", "B-NP", "E-NP", "L-NP"}, False),
        ({"O", "S-NP", "U-NP"}, False),
        ({"O", "B-NP", "X-NP"}, False),
    ],
)
def test_is_chunking(tags, expected):
    assert is_chunking(tags) is expected


@pytest.mark.parametrize(("scheme", "tags"), [("bio", BIO), ("bioes", BIOES), ("bilou", BILOU)])
def test_a_sequence_is_legal_iff_no_transition_is_forbidden(scheme, tags):
    forbidden = forbidden_transitions(tags)
    for length in (1, 2, 3):
        legal = {tuple(write(chunks, length, scheme)) for chunks in chunkings(length)}
        for sequence in itertools.product(tags, repeat=length):
            allowed = forbidden.isdisjoint(itertools.pairwise((None, *sequence, None)))
            assert allowed == (sequence in legal), sequence


def test_forbidden_transitions_by_hand():
    assert forbidden_transitions(["O", "B-A", "I-A", "B-B"]) == {
        ("O", "I-A"),
        ("B-B", "I-A"),
        (None, "I-A"),
    }
    assert forbidden_transitions(["O", "B-A", "E-A"]) == {
        (None, "E-A"),
        ("O", "E-A"),
        ("E-A", "E-A"),
        ("B-A", None),
        ("B-A", "O"),
        ("B-A", "B-A"),
    }


@pytest.mark.parametrize("tags", [{"NN", "VB"}, {"O"}, {"O", "B-ORG", "I-ORG", "I-PER"}])
def test_nothing_is_forbidden_without_chunks_or_in_iob1(tags):
    assert forbidden_transitions(tags) == set()
