from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.corpora import Conllu, Record
from weft.errors import FormatError, OptionError

Parse = Callable[..., list[Record]]
Refused = Callable[..., FormatError]


def word(identifier: object, form: str = "w", upos: str = "X", xpos: str = "x") -> str:
    return f"{identifier}\t{form}\t_\t{upos}\t{xpos}\t_\t_\t_\t_\t_\n"


SENTENCE = (
    "# sent_id = 1\n"
    "# text = don't go\n"
    + word("1-2", "don't", "_", "_")
    + word(1, "do", "AUX", "VB")
    + word(2, "n't", "PART", "RB")
    + word("2.1", "to", "PART", "TO")
    + word(3, "go", "VERB", "VB")
    + "\n"
)

FIELD = st.text(
    st.characters(exclude_characters="\t\n\r\ufeff", codec="utf-8"), min_size=1, max_size=5
)


@st.composite
def sentences(draw: st.DrawFn) -> str:
    lines = ["\n"] * draw(st.integers(0, 2))
    lines += [f"#{draw(FIELD)}\n" for _ in range(draw(st.integers(0, 2)))]
    for number in range(1, draw(st.integers(1, 4)) + 1):
        if draw(st.booleans()):
            lines.append(word(f"{number}-{number + 1}", draw(FIELD), "_"))
        lines.append("\t".join([str(number), *(draw(FIELD) for _ in range(9))]) + "\n")
        if draw(st.booleans()):
            lines.append(word(f"{number}.1", draw(FIELD), "_"))
    return "".join(lines) + "\n"


def test_words_and_tags(parse: Parse) -> None:
    [record] = parse(Conllu(), SENTENCE)
    assert record.example.tokens.columns == (("do", "n't", "go"),)
    assert record.example.analysis == ("AUX", "PART", "VERB")
    assert record.example.tokens.source == "corpus.txt:4"
    assert record.lines == tuple(SENTENCE.splitlines()[:-1])


def test_columns_have_numbers_and_names(parse: Parse) -> None:
    expected = ("VB", "RB", "VB")
    for column in (5, "5", "xpos", "XPOS"):
        [record] = parse(Conllu(column), SENTENCE)
        assert record.example.analysis == expected


def test_further_inputs(parse: Parse) -> None:
    [record] = parse(Conllu("upos", inputs=("xpos", 3)), SENTENCE)
    assert record.example.tokens.columns[1:] == (("VB", "RB", "VB"), ("_", "_", "_"))


def test_only_the_tags_of_words_change(parse: Parse) -> None:
    [record] = parse(Conllu(), SENTENCE)
    rendered = Conllu().render(record, ["A", "B", "C"])
    expected = SENTENCE.replace("AUX", "A").replace("PART\tRB", "B\tRB").replace("VERB", "C")
    assert rendered == expected


@given(texts=st.lists(sentences(), max_size=4), column=st.integers(3, 10))
def test_round_trip(parse: Parse, texts: list[str], column: int) -> None:
    text = "".join(texts)
    corpus_format = Conllu(column)
    records = parse(corpus_format, text)
    assert len(records) == len(texts)
    assert "".join(corpus_format.render(r, r.example.analysis) for r in records) == text


def test_forms_may_have_spaces(parse: Parse) -> None:
    [record] = parse(Conllu(), word(1, "10 000"))
    assert record.example.tokens.words == ("10 000",)


def test_unlabelled(parse: Parse) -> None:
    [record] = parse(Conllu(), word(1, "w", "") + "\n", labelled=False)
    assert record.example.analysis is None
    assert Conllu().render(record, ["X"]) == word(1, "w", "X") + "\n"


def test_partial_labels(parse: Parse) -> None:
    text = word(1, "a", "_") + word(2, "b", "A|B") + word(3, "c", "A")
    [record] = parse(Conllu(partial=True), text)
    assert record.example.analysis == (None, frozenset("AB"), "A")
    [record] = parse(Conllu(), text)
    assert record.example.analysis == ("_", "A|B", "A")


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        (word(1) + "2\tw\t_\n", 2, None, "expected 10 tab-separated fields but found 3"),
        (word(1) + word(2)[:-1] + "\t_\n", 2, None, "10 tab-separated fields but found 11"),
        ("1 w _ X _ _ _ _ _ _\n", 1, None, "10 tab-separated fields but found 1"),
        (word(1) + word(1), 2, 1, "expected the ID 2 but found '1'"),
        (word(1) + word(3), 2, 1, "expected the ID 2 but found '3'"),
        (word(1) + "\n" + word(2), 3, 1, "expected the ID 1 but found '2'"),
        (word("01"), 1, 1, "expected the ID 1 but found '01'"),
        (word("²"), 1, 1, "expected the ID 1 but found '²'"),
        (word("x"), 1, 1, "expected the ID 1 but found 'x'"),
        (word("2-3") + word(1), 1, 1, "expected the ID 1 but found '2-3'"),
        (word(1) + word("2.1"), 2, 1, "expected the ID 2 but found '2.1'"),
        (word(1) + word(2, ""), 2, 3, "the word is empty"),
        (word(1) + word(2, "w", ""), 2, 7, "the label is empty"),
        ("# text\n" + word("1-2"), 1, None, "the sentence has no word"),
        (word("0.1"), 1, None, "the sentence has no word"),
    ],
)
def test_refusals(refused: Refused, text: str, line: int, column: int, message: str) -> None:
    error = refused(Conllu(), text)
    assert (error.line, error.column) == (line, column)
    assert message in error.message


def test_an_empty_alternative_is_located(refused: Refused) -> None:
    error = refused(Conllu(partial=True), word(1) + word(2, "ab", "A|"))
    assert (error.line, error.column) == (2, 8)
    assert "empty alternative" in error.message


@pytest.mark.parametrize("column", [0, 11, -1, "pos", 1, "form"])
def test_columns_that_cannot_be_labelled(column: int | str) -> None:
    with pytest.raises(OptionError):
        Conllu(column)


def test_the_label_is_no_input() -> None:
    with pytest.raises(OptionError, match="it is an input"):
        Conllu("upos", inputs=(4,))


def test_an_unknown_column_lists_the_names() -> None:
    with pytest.raises(OptionError, match=r"'pos'.*form, lemma, upos"):
        Conllu("pos")


@pytest.mark.parametrize("tag", ["", "a\tb", "a\nb"])
def test_tags_that_cannot_be_written(parse: Parse, tag: str) -> None:
    [record] = parse(Conllu(), word(1))
    with pytest.raises(FormatError, match=r"corpus\.txt:1: the tag .* cannot be written"):
        Conllu().render(record, [tag])


def test_a_tag_a_token(parse: Parse) -> None:
    [record] = parse(Conllu(), SENTENCE)
    with pytest.raises(ValueError, match=r"corpus\.txt:4 has 3 tokens but 2 tags"):
        Conllu().render(record, ["A", "B"])


def test_comments_alone_lead_the_next_sentence(parse: Parse) -> None:
    text = "# newdoc\n# by = us\n\n\n" + SENTENCE + "# newpar\n\n" + word(1, "w") + "\n"
    first, second = parse(Conllu(), text)
    assert (len(first.example.tokens), second.example.tokens.words) == (3, ("w",))
    assert second.example.tokens.source == "corpus.txt:15"
    rendered = [Conllu().render(each, each.example.analysis) for each in (first, second)]
    assert "".join(rendered) == text


def test_comments_after_the_last_sentence_belong_to_none(parse: Parse) -> None:
    [record] = parse(Conllu(), word(1) + "\n# the end\n\n# indeed")
    assert record.lines == (word(1).rstrip("\n"),)


@pytest.mark.parametrize("column", ["feats", "deps", "misc"])
def test_lists_are_no_sets_of_tags(parse: Parse, column: str) -> None:
    fields = ["1", "go", *"_" * 8]
    fields[Conllu(column)._indices()[0][0]] = "Mood=Imp|Number=Plur"
    for partial in (False, True):
        [record] = parse(Conllu(column, partial=partial), "\t".join(fields))
        assert record.example.analysis == ("Mood=Imp|Number=Plur",)


def featured(identifier: int, upos: str, feats: str) -> str:
    return f"{identifier}\tw\t_\t{upos}\tx\t{feats}\t_\t_\t_\t_\n"


FEATURED = featured(1, "NOUN", "Case=Nom|Number=Sing") + featured(2, "ADV", "_") + "\n"


def test_several_columns_are_one_tag(parse: Parse) -> None:
    [record] = parse(Conllu("upos+feats"), FEATURED)
    assert record.example.analysis == ("NOUN+Case=Nom|Number=Sing", "ADV+_")
    [turned] = parse(Conllu("6+UPOS"), FEATURED)
    assert turned.example.analysis == ("Case=Nom|Number=Sing+NOUN", "_+ADV")


def test_each_part_of_a_tag_goes_back_to_its_column(parse: Parse) -> None:
    [record] = parse(Conllu("upos+feats"), FEATURED)
    tags = ["VERB+Mood=Ind", "X+_"]
    written = featured(1, "VERB", "Mood=Ind") + featured(2, "X", "_") + "\n"
    assert Conllu("upos+feats").render(record, tags) == written
    last = featured(1, "VERB", "a+b") + featured(2, "X", "_") + "\n"
    assert Conllu("upos+feats").render(record, ["VERB+a+b", "X+_"]) == last
    with pytest.raises(FormatError, match=r"'VERB' has not the 2 parts of upos\+feats"):
        Conllu("upos+feats").render(record, ["VERB", "X+_"])


def test_of_several_columns_all_must_be_unknown(parse: Parse) -> None:
    text = featured(1, "_", "_") + featured(2, "_", "Case=Nom") + featured(3, "X", "_") + "\n"
    [record] = parse(Conllu("upos+feats", partial=True), text)
    assert record.example.analysis == (None, "_+Case=Nom", "X+_")


def test_a_plus_sign_in_a_column_that_is_not_the_last(refused: Refused, parse: Parse) -> None:
    text = featured(1, "A", "_") + featured(2, "A+B", "_")
    error = refused(Conllu("upos+feats"), text)
    assert (error.line, error.column) == (2, 7)
    assert "'A+B' has a '+'" in error.message
    assert "name upos last, or alone" in error.message
    [record] = parse(Conllu("feats+upos"), text)
    assert record.example.analysis == ("_+A", "_+A+B")


def test_an_empty_part_is_located(refused: Refused) -> None:
    error = refused(Conllu("upos+feats"), featured(1, "A", ""))
    assert (error.line, error.column) == (1, 11)
    assert "the label is empty" in error.message


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ("upos+pos", "there is no column 'pos'"),
        ("upos+", "there is no column ''"),
        ("upos+form", "'form' cannot be labelled"),
        ("upos+4", "'upos\\+4' names a column twice"),
    ],
)
def test_columns_that_cannot_be_joined(column: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        Conllu(column)
