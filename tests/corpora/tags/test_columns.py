from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.corpora import Columns, Record
from weft.corpora.fields import replace_field, replace_fields, split_columns, split_fields
from weft.errors import FormatError, OptionError

Parse = Callable[..., list[Record]]
Refused = Callable[..., FormatError]

CHUNKS = "He PRP B-NP\nreckons VBZ B-VP\n\nTo TO B-PP\n\n"


@st.composite
def corpora(draw: st.DrawFn) -> str:
    tabbed = draw(st.booleans())
    excluded = "\t\n\r\ufeff" if tabbed else "\t\n\r\ufeff "
    field = st.text(st.characters(exclude_characters=excluded, codec="utf-8"), min_size=1).filter(
        lambda text: text.strip(" ") and not text.startswith("-DOCSTART-")
    )
    width = draw(st.integers(2, 4))
    text = ""
    for _ in range(draw(st.integers(0, 3))):
        text += "\n" * draw(st.integers(0, 2))
        for _ in range(draw(st.integers(1, 3))):
            row = [draw(field) for _ in range(width)]
            text += ("\t" if tabbed else " " * draw(st.integers(1, 3))).join(row) + "\n"
        text += "\n"
    return text


def test_every_column_before_the_last_is_input(parse: Parse) -> None:
    first, second = parse(Columns(), CHUNKS)
    assert first.example.tokens.columns == (("He", "reckons"), ("PRP", "VBZ"))
    assert first.example.analysis == ("B-NP", "B-VP")
    assert first.example.tokens.source == "corpus.txt:1"
    assert second.example.tokens.source == "corpus.txt:4"


def test_columns_count_from_either_end(parse: Parse) -> None:
    for column in (2, -2, "2"):
        record = parse(Columns(column), CHUNKS)[0]
        assert record.example.tokens.columns == (("He", "reckons"),)
        assert record.example.analysis == ("PRP", "VBZ")


def test_chosen_inputs(parse: Parse) -> None:
    record = parse(Columns(1, inputs=(3, 2)), CHUNKS)[0]
    assert record.example.tokens.columns == (("B-NP", "B-VP"), ("PRP", "VBZ"))
    assert record.example.analysis == ("He", "reckons")


@given(text=corpora(), column=st.sampled_from([2, -1]))
def test_round_trip(parse: Parse, text: str, column: int) -> None:
    corpus_format = Columns(column)
    rendered = [corpus_format.render(r, r.example.analysis) for r in parse(corpus_format, text)]
    assert "".join(rendered) == text


@given(text=corpora())
def test_an_added_column_is_read_back(parse: Parse, text: str) -> None:
    records = parse(Columns(), text, labelled=False)
    tags = [["T"] * len(record.example.tokens) for record in records]
    rendered = "".join(map(Columns().render, records, tags))
    for before, after in zip(records, parse(Columns(), rendered), strict=True):
        assert after.example.tokens.columns == before.example.tokens.columns
        assert set(after.example.analysis or ()) == {"T"}


def test_tabs_go_before_spaces(parse: Parse) -> None:
    [record] = parse(Columns(), "New York\tB-LOC\nis  O\n")
    assert record.example.tokens.words == ("New York", "is")
    assert Columns().render(record, ["X", "Y"]) == "New York\tX\nis  Y\n\n"


def test_other_white_space_belongs_to_words(parse: Parse) -> None:
    [record] = parse(Columns(), "10\N{NO-BREAK SPACE}000 CD\n")
    assert record.example.tokens.words == ("10\N{NO-BREAK SPACE}000",)


def test_spacing_is_kept(parse: Parse) -> None:
    [record] = parse(Columns(), "  a   b  \nc d\n")
    assert Columns().render(record, ["x", "y"]) == "  a   x  \nc y\n\n"


def test_documents(parse: Parse) -> None:
    text = "-DOCSTART- -X- O O\n\na A\n\n-DOCSTART-\nb B\n-DOCSTART-\n\nc C\n\n"
    records = parse(Columns(), text)
    assert [r.example.tokens.source for r in records] == [f"corpus.txt:{n}" for n in (3, 6, 9)]
    rendered = "".join(Columns().render(r, r.example.analysis) for r in records)
    # A sentence that a document's start ends gets its blank line.
    assert rendered == text.replace("b B\n", "b B\n\n")


class TestUnlabelled:
    @pytest.mark.parametrize(
        ("corpus_format", "text", "expected"),
        [
            (Columns(3), "a A\n", "a A T\n\n"),
            (Columns(3), "a A x\n", "a A T\n\n"),
            (Columns(3), "a A x y\n", "a A T y\n\n"),
            (Columns(), "a\n", "a T\n\n"),
            (Columns(), "a A\n", "a A T\n\n"),
            (Columns(), "a A \n", "a A T\n\n"),
            (Columns(), "a\tA\n", "a\tA\tT\n\n"),
            (Columns(inputs=(1, 2)), "a A\n", "a A T\n\n"),
            (Columns(inputs=(1, 2)), "a A x\n", "a A T\n\n"),
            (Columns(-2), "a x b\n", "a T b\n\n"),
        ],
    )
    def test_the_label_is_replaced_or_added(
        self, parse: Parse, corpus_format: Columns, text: str, expected: str
    ) -> None:
        [record] = parse(corpus_format, text, labelled=False)
        assert record.example.analysis is None
        assert corpus_format.render(record, ["T"]) == expected

    def test_only_the_label_may_lack(self, refused: Refused) -> None:
        error = refused(Columns(4), "a A\n", labelled=False)
        assert "expected at least 3 columns" in error.message
        assert "found 2" in error.message

    def test_all_lines_or_none(self, refused: Refused) -> None:
        error = refused(Columns(3), "a A x\nb B\n", labelled=False)
        assert error.line == 2
        assert "expected 3 columns" in error.message


@pytest.mark.parametrize(
    ("corpus_format", "text", "line", "column", "message"),
    [
        (Columns(), "a A\n\nb B\nc C x\n", 4, None, "expected 2 columns, as in"),
        (Columns(), "a A\nb\n", 2, None, "but found 1"),
        (Columns(), "a\n", 1, None, "expected at least 2 columns"),
        (Columns(3), "a A\n", 1, None, "expected at least 3 columns"),
        (Columns(inputs=(1, 2)), "a A\n", 1, None, "expected at least 3 columns"),
        (Columns(1, inputs=(4,)), "a A\n", 1, None, "expected at least 4 columns"),
        (Columns(-2), "a A\n", 1, None, "expected at least 3 columns"),
        (Columns(), "a\tA\n\tB\n", 2, 1, "the word is empty"),
        (Columns(), "a\tA\nb\t\n", 2, 3, "the label is empty"),
        (Columns(partial=True), "a\tA\nb\t\n", 2, 3, "'?' if it is unknown"),
        (Columns(partial=True), "a  A||B\n", 1, 4, "empty alternative"),
    ],
)
def test_refusals(
    refused: Refused, corpus_format: Columns, text: str, line: int, column: int, message: str
) -> None:
    error = refused(corpus_format, text)
    assert (error.line, error.column) == (line, column)
    assert message in error.message


def test_partial_labels(parse: Parse) -> None:
    [record] = parse(Columns(partial=True), "a _\nb ?\nc A|B\nd A|A\n")
    assert record.example.analysis == (None, None, frozenset("AB"), "A")


@pytest.mark.parametrize(
    "options",
    [
        {"column": 0},
        {"column": "x"},
        {"column": 1},
        {"inputs": ()},
        {"inputs": (0,)},
        {"inputs": (-1,)},
        {"column": 2, "inputs": (1, 2)},
    ],
)
def test_options_that_make_no_sense(options: dict[str, object]) -> None:
    with pytest.raises(OptionError):
        Columns(**options)


def test_a_space_in_a_tag_needs_tabs(parse: Parse) -> None:
    [record] = parse(Columns(), "a\tA\n")
    assert Columns().render(record, ["A B"]) == "a\tA B\n\n"
    [record] = parse(Columns(), "a A\n")
    with pytest.raises(FormatError, match="cannot be written"):
        Columns().render(record, ["A B"])


LINES = [
    ["a b c", "d e f"],
    ["a b", "c d"],
    ["a  b c"],
    ["a b", "a  b", "a b"],
    ["a\tb c"],
    ["a b", "a\tb"],
    ["a b "],
    [" a b"],
    ["a"],
    ["a", "b"],
    ["a b c d"],
    ["a\N{NO-BREAK SPACE}b c", "\ud800 \N{GRINNING FACE}"],
]


@pytest.mark.parametrize("lines", LINES)
def test_fields_of_many_lines_are_replaced_as_of_each(lines):
    for index in range(len(split_fields(lines[0])) + 1):
        texts = [f"T{number}" for number in range(len(lines))]
        expected = [replace_field(*pair, index) for pair in zip(lines, texts, strict=True)]
        assert replace_fields(lines, texts, index) == "".join(f"{line}\n" for line in expected)


@pytest.mark.parametrize("lines", [*LINES, ["a b", "c"], ["a", "b c d"], ["a b", "c d e", "f"]])
def test_fields_of_many_lines_are_split_as_of_each(lines):
    for width in range(5):
        rows = [split_fields(line) for line in lines]
        even = all(len(fields) == width for fields in rows)
        assert split_columns(lines, width) == (tuple(zip(*rows, strict=True)) if even else None)
