"""What a corpus says of its tags, beside counting by hand."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from weft.models import Chain
from weft.models.chain.labels import Labels
from weft.structures.evidence import example

TAGS = ("A", "B", "C")


@given(
    st.lists(st.lists(st.sampled_from(TAGS), min_size=0, max_size=5), max_size=4),
    st.integers(2, 3),
    st.booleans(),
)
def test_windows_are_those_of_each_sentence(sentences, size, boundaries):
    corpus = [example(["w"] * len(tags), tags) for tags in sentences]
    [section] = Labels(Chain(), TAGS, corpus).sections()
    before, after = (size - 1, 1) if boundaries else (0, 0)
    wanted = set()
    for tags in sentences:
        row = [len(TAGS)] * before + [TAGS.index(tag) for tag in tags] + [len(TAGS)] * after
        wanted |= {tuple(row[n : n + size]) for n in range(len(row) - size + 1)}
    assert [tuple(row) for row in section.windows(size, boundaries).tolist()] == sorted(wanted)
