from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.corpora import Record, Tagged, Text
from weft.errors import FormatError, OptionError

Parse = Callable[..., list[Record]]
Refused = Callable[..., FormatError]

WORD = st.text(st.characters(exclude_characters=" \t\n\r\ufeff", codec="utf-8"), min_size=1)


@given(
    separator=st.sampled_from(["/", "_", "|"]),
    sentences=st.lists(st.lists(st.tuples(WORD, WORD), min_size=1)),
    blank=st.integers(0, 2),
)
def test_round_trip(
    parse: Parse, separator: str, sentences: list[list[tuple[str, str]]], blank: int
) -> None:
    tagged = [[(w, t.replace(separator, "x")) for w, t in pairs] for pairs in sentences]
    lines = [" ".join(f"{w}{separator}{t}" for w, t in pairs) for pairs in tagged]
    text = "".join("\n" * blank + f"{line}\n" for line in lines)
    records = parse(Tagged(separator), text)
    assert [
        list(zip(r.example.tokens.words, r.example.analysis or (), strict=True)) for r in records
    ] == tagged
    assert "".join(Tagged(separator).render(r, r.example.analysis) for r in records) == text


def test_sources_and_spacing(parse: Parse) -> None:
    first, second = parse(Tagged(), "a/A\n\n  b/B\tc/C \n")
    assert first.example.tokens.source == "corpus.txt:1"
    assert second.example.tokens.source == "corpus.txt:3"
    assert Tagged().render(second, ["X", "Y"]) == "\nb/X c/Y\n"


def test_the_first_unlabelled_sentence_says_whether_there_are_tags(
    parse: Parse, refused: Refused
) -> None:
    [tagged] = parse(Tagged(), "1/2/CD cup/NN\n", labelled=False)
    [plain] = parse(Tagged(), "1/2 cup\n", labelled=False)
    assert tagged.example.tokens.words == plain.example.tokens.words == ("1/2", "cup")
    assert tagged.example.analysis is plain.example.analysis is None
    assert Tagged().render(plain, ["X", "Y"]) == "1/2/X cup/Y\n"
    told = refused(Tagged(), "1/2/CD cup/NN\n1/2 cup\n", labelled=False)
    assert "with --separator, or name the format text if no word has a tag" in str(told)


@pytest.mark.parametrize("first", ["he is here", "/", "/usr/bin ls", "1/ 2"])
def test_raw_text_may_have_separators_of_its_own(parse: Parse, first: str) -> None:
    records = parse(Tagged(), f"{first}\n/\nand/or 1/2\n", labelled=False)
    assert [record.example.tokens.words for record in records] == [
        tuple(first.split()),
        ("/",),
        ("and/or", "1/2"),
    ]


def test_partial_labels(parse: Parse) -> None:
    [record] = parse(Tagged(partial=True), "a/? b/_ c/A|B d/A\n")
    assert record.example.analysis == (None, None, frozenset("AB"), "A")
    [record] = parse(Tagged(), "a/? c/A|B\n")
    assert record.example.analysis == ("?", "A|B")


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("a/A\n\nb/B  c d/D\n", 3, 6, "the token 'c' has no '/'; write it as word/TAG"),
        ("a/A\t/B\n", 1, 5, "the token '/B' has no word before '/'"),
        ("a/A b/\n", 1, 5, "the label is empty"),
        ("a/A b/A|\n", 1, 5, "the label 'A|' has an empty alternative"),
    ],
)
def test_refusals(refused: Refused, text: str, line: int, column: int, message: str) -> None:
    error = refused(Tagged(partial=True), text)
    assert (error.line, error.column) == (line, column)
    assert message in error.message


def test_an_unlabelled_token_needs_a_word(refused: Refused) -> None:
    assert refused(Tagged(), "a/A\nb/B /B\n", labelled=False).column == 5


@pytest.mark.parametrize("separator", ["", " ", "/ ", "\t"])
def test_impossible_separators(separator: str) -> None:
    with pytest.raises(OptionError, match="separator"):
        Tagged(separator)


@pytest.mark.parametrize("tag", ["", "A/B", "A B", "A\tB"])
def test_tags_that_cannot_be_written(parse: Parse, tag: str) -> None:
    for corpus_format in (Tagged(), Text()):
        [record] = parse(corpus_format, "a/A\n")
        with pytest.raises(FormatError, match="cannot be written"):
            corpus_format.render(record, [tag])


class TestText:
    def test_words(self, parse: Parse) -> None:
        first, second = parse(Text(), "time  flies\n\nlike\N{IDEOGRAPHIC SPACE}an arrow\n")
        assert first.example.tokens.words == ("time", "flies")
        assert second.example.tokens.words == ("like", "an", "arrow")
        assert first.example.analysis is None
        assert second.example.tokens.source == "corpus.txt:3"

    def test_lines_stay_aligned(self, parse: Parse) -> None:
        records = parse(Text(), "\na b\n\nc\n", labelled=False)
        rendered = "".join(map(Text().render, records, [["A", "B"], ["C"]]))
        assert rendered == "\na/A b/B\n\nc/C\n"

    def test_a_line_of_other_white_space_has_no_words(self, parse: Parse) -> None:
        assert parse(Text(), "\N{NO-BREAK SPACE}\n\n") == []

    @given(text=st.text(st.characters(codec="utf-8")))
    def test_any_text_can_be_tagged(self, parse: Parse, text: str) -> None:
        for record in parse(Text(), text):
            tags = ["T"] * len(record.example.tokens)
            [again] = parse(Tagged(), Text().render(record, tags))
            assert again.example.tokens.words == record.example.tokens.words
