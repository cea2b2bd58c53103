from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.corpora import Attributes, Record
from weft.corpora.tags.crfsuite import escape, parse_attribute, unescape
from weft.errors import FormatError

Parse = Callable[..., list[Record]]
Refused = Callable[..., FormatError]

NAME = st.text(st.characters(exclude_characters="\t\n\r\ufeff", codec="utf-8"), min_size=1).filter(
    lambda text: text.strip(" ")
)
VALUE = st.floats(-1e100, 1e100)
TOKEN = st.tuples(NAME, st.dictionaries(NAME, VALUE, max_size=4))


@given(st.lists(st.lists(TOKEN, min_size=1, max_size=3), max_size=3))
def test_round_trip(parse: Parse, sentences: list[list[tuple[str, dict[str, float]]]]) -> None:
    text = ""
    for tokens in sentences:
        for label, values in tokens:
            attributes = [f"{escape(name)}:{value!r}" for name, value in values.items()]
            text += "\t".join([escape(label), *attributes]) + "\n"
        text += "\n"
    records = parse(Attributes(), text)
    for record, tokens in zip(records, sentences, strict=True):
        assert record.example.analysis == tuple(label for label, _ in tokens)
        assert record.example.tokens.attributes == tuple(values for _, values in tokens)
    assert "".join(Attributes().render(r, r.example.analysis) for r in records) == text


@given(NAME)
def test_escapes_are_undone(name: str) -> None:
    assert unescape(escape(name)) == name
    assert parse_attribute(escape(name)) == (name, 1.0)
    assert parse_attribute(f"{escape(name)}:2.5e-1") == (name, 0.25)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"a\nb", (r"a\nb", 1.0)),
        ("a\\", ("a\\", 1.0)),
        (r"a\\:2", ("a\\", 2.0)),
        (r"a\:2", ("a:2", 1.0)),
        (r"\::.5", (":", 0.5)),
        ("a:+1.", ("a", 1.0)),
    ],
)
def test_escapes_of_crfsuite(text: str, expected: tuple[str, float]) -> None:
    assert parse_attribute(text) == expected


def test_words_are_the_first_attributes(parse: Parse) -> None:
    first, second = parse(Attributes(), "A\tw=a\tx:2\nB\n\n\nC\tw=c:0.5\n")
    assert first.example.tokens.words == ("w=a", "_")
    assert first.example.tokens.attributes == ({"w=a": 1.0, "x": 2.0}, {})
    assert second.example.tokens.source == "corpus.txt:5"


def test_attributes_add_up_and_may_be_empty(parse: Parse) -> None:
    [record] = parse(Attributes(), "A\ta\t\ta:0.5\tb\t\n")
    assert record.example.tokens.attributes == ({"a": 1.5, "b": 1.0},)


def test_unlabelled(parse: Parse) -> None:
    [record] = parse(Attributes(), "\tw=a\nB\tw=b\n", labelled=False)
    assert record.example.analysis is None
    assert Attributes().render(record, ["X", ":"]) == "X\tw=a\n\\:\tw=b\n\n"


def test_partial_labels(parse: Parse) -> None:
    [record] = parse(Attributes(partial=True), "?\ta\n_\ta\nA|B\ta\nA\ta\n")
    assert record.example.analysis == (None, None, frozenset("AB"), "A")


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("A\ta\n\tb\n", 2, 1, "the label is empty"),
        ("A|\ta\n", 1, 1, "empty alternative"),
        ("A\ta\nB\tb\tc:x\n", 2, 5, "the value 'x' is not a finite number"),
        ("A\ta:\n", 1, 3, "the value '' is not a finite number"),
        ("A\ta:nan\n", 1, 3, "'nan' is not a finite number"),
        ("A\ta:-inf\n", 1, 3, "'-inf' is not a finite number"),
        ("A\ta:1e999\n", 1, 3, "'1e999' is not a finite number"),
        ("A\ta:1_0\n", 1, 3, "'1_0' is not a finite number"),
        ("A\ta:٣\n", 1, 3, "'٣' is not a finite number"),
        ("A\ta:b:1\n", 1, 3, "'b:1' is not a finite number; write"),
        ("A\t:1\n", 1, 3, "the attribute ':1' has no name"),
        ("A\ta:1e308\ta:1e308\n", 1, 11, "add up to infinity"),
    ],
)
def test_refusals(refused: Refused, text: str, line: int, column: int, message: str) -> None:
    error = refused(Attributes(partial=True), text)
    assert (error.line, error.column) == (line, column)
    assert message in error.message


def test_tags_that_cannot_be_written(parse: Parse) -> None:
    [record] = parse(Attributes(), "A\ta\n")
    with pytest.raises(FormatError, match="cannot be written"):
        Attributes().render(record, ["A\tB"])
