"""What all formats have in common, and how they are chosen."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.corpora import (
    FORMATS,
    Attributes,
    Brackets,
    Columns,
    Conllu,
    Format,
    Record,
    Tagged,
    Text,
    blocks,
    find_format,
    guess_format,
    read_examples,
)
from weft.errors import FormatError, OptionError

Parse = Callable[..., list[Record]]
Refused = Callable[..., FormatError]

WORD = "1\ttime\t_\tNN\t_\t_\t_\t_\t_\t_"
SAMPLES = {
    "conllu": f"{WORD}\n\n",
    "columns": "time NN\nflies VBZ\n\n",
    "tagged": "time/NN flies/VBZ\n",
    "text": "time flies\n",
    "crfsuite": "NN\tw=time\n\n",
    "brackets": "( (S (NP (NN time)) (VBZ flies)))\n",
}
CHOICES = [(FORMATS[name](), text) for name, text in SAMPLES.items()]
each_format = pytest.mark.parametrize(("corpus_format", "text"), CHOICES, ids=list(SAMPLES))


class Counted(io.RawIOBase):
    """An endless stream of one text, which counts how often it was given."""

    def __init__(self, text: str) -> None:
        self.given = 0
        self.text = text.encode()

    def read(self, size: int = -1, /) -> bytes:
        count = size // len(self.text)
        self.given += count
        return self.text * count


@each_format
def test_sentences_come_before_the_file_ends(corpus_format: Format, text: str) -> None:
    stream = Counted(text)
    records: Iterator[Record] = corpus_format.read(stream)
    assert stream.given == 0
    first = next(records)
    before = stream.given
    for _ in range(before // 2):
        assert next(records).lines == first.lines
    assert stream.given == before


@each_format
@pytest.mark.parametrize(
    "variant",
    [
        lambda data: b"\xef\xbb\xbf" + data,
        lambda data: data.replace(b"\n", b"\r\n"),
        lambda data: data.rstrip(b"\n"),
        lambda data: data + b"\n\n \t\n",
        gzip.compress,
    ],
    ids=["mark", "carriage returns", "no last line end", "blank lines", "gzip"],
)
def test_files_that_say_the_same(
    corpus_format: Format, text: str, variant: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    path = tmp_path / "corpus.txt"
    path.write_bytes(variant(text.encode()))
    [record] = corpus_format.read(path)
    tags = record.example.analysis or ["NN", "VBZ"]
    [expected] = corpus_format.read(io.BytesIO(text.encode()))
    rendered = corpus_format.render(record, tags).replace("\r\n", "\n")
    assert rendered == corpus_format.render(expected, tags)
    assert record.example.tokens.source == f"{path}:1"


@given(data=st.data())
@pytest.mark.parametrize("name", [name for name in SAMPLES if name != "brackets"])
def test_line_ends_are_kept(name: str, data: st.DataObject) -> None:
    """Every line of a prediction ends like the line it comes from."""
    corpus_format, lines = FORMATS[name](), (SAMPLES[name] * 3).split("\n")[:-1]
    ends = data.draw(st.tuples(*[st.sampled_from(["\n", "\r\n"])] * len(lines)))
    text = "".join(line + end for line, end in zip(lines, ends, strict=True))
    records = list(corpus_format.read(io.BytesIO(text.encode())))
    tags = [record.example.analysis or ["NN", "VBZ"] for record in records]
    rendered = [corpus_format.render(*pair) for pair in zip(records, tags, strict=True)]
    expected = (
        text if name != "text" else text.replace("time", "time/NN").replace("flies", "flies/VBZ")
    )
    assert "".join(rendered) == expected


@pytest.mark.parametrize("name", [name for name in SAMPLES if name != "brackets"])
def test_a_last_line_without_an_end_gets_that_of_the_others(name: str) -> None:
    corpus_format = FORMATS[name]()
    text = (SAMPLES[name] * 2).replace("\n", "\r\n").rstrip()
    *_, record = corpus_format.read(io.BytesIO(text.encode()))
    rendered = corpus_format.render(record, record.example.analysis or ["NN", "VBZ"])
    assert rendered.count("\n") == rendered.count("\r\n") > 0


def test_line_ends_are_kept_across_blocks_of_the_file() -> None:
    lines = [f"{'w' * (place % 90 + 1)} X" for place in range(5000)]
    text = "\r\n".join(lines) + "\r\n\r\n"
    [record] = Columns().read(io.BytesIO(text.encode()))
    assert Columns().render(record, record.example.analysis) == text


@each_format
@pytest.mark.parametrize("text_without", ["", "\n", " \n\t\n\n"])
def test_no_sentence(corpus_format: Format, text: str, text_without: str, parse: Parse) -> None:
    assert text
    assert parse(corpus_format, text_without) == []
    with pytest.raises(FormatError, match="<stream>: there is no sentence in the file"):
        read_examples(corpus_format, io.BytesIO(text_without.encode()))


@each_format
def test_unlabelled_examples(corpus_format: Format, text: str) -> None:
    examples = read_examples(corpus_format, io.BytesIO(text.encode()), labelled=False)
    assert [example.analysis for example in examples] == [None]


@each_format
def test_endless_sentences_are_given_up(
    corpus_format: Format, text: str, monkeypatch: pytest.MonkeyPatch, refused: Refused
) -> None:
    monkeypatch.setattr(blocks, "LONGEST_BLOCK", 5)
    assert "more than 5 lines" in refused(corpus_format, "\n" * 6 + text).message
    if text.endswith("\n\n"):
        first = text.partition("\n")[0] + "\n"
        assert refused(corpus_format, first * 6).line == 6


@each_format
@given(data=st.binary() | st.text("12-.ab:\\/|_#() \t\n").map(str.encode), labelled=st.booleans())
def test_any_bytes_are_read_or_refused(
    corpus_format: Format, text: str, data: bytes, labelled: bool
) -> None:
    assert text
    with contextlib.suppress(FormatError):
        for record in corpus_format.read(io.BytesIO(data), labelled=labelled):
            assert len(record.example.tokens)
            corpus_format.render(record, ["T"] * len(record.example.tokens))


def test_long_lines_are_shown_in_part(refused: Refused) -> None:
    assert len(str(refused(Conllu(), "x" * 1_000_000))) < 500


class TestNames:
    def test_names(self) -> None:
        expected = [Conllu(), Columns(), Tagged(), Text(), Attributes(), Brackets()]
        assert [find_format(name) for name in FORMATS] == expected

    def test_options(self) -> None:
        assert find_format("conllu", column="xpos") == Conllu("xpos")

    def test_an_unknown_name_lists_the_names(self) -> None:
        with pytest.raises(
            OptionError, match=r"'xml'.*conllu, columns, tagged, text, crfsuite, brackets"
        ):
            find_format("xml")

    def test_an_unknown_option_lists_the_options(self) -> None:
        with pytest.raises(OptionError, match=r"'tagged'.*'column'.*separator, partial"):
            find_format("tagged", column=3)
        with pytest.raises(OptionError, match="its options are none"):
            find_format("text", column=3)


class TestGuesses:
    @pytest.mark.parametrize("name", ["conllu", "tagged", "crfsuite"])
    @pytest.mark.parametrize("suffix", ["", ".gz"])
    def test_by_the_suffix(self, name: str, suffix: str) -> None:
        assert guess_format(f"absent.{name}{suffix}") == find_format(name)

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            (f"# text = time\n{WORD}\n", "conllu"),
            (f"\n{WORD.replace('1', '1-2', 1)}\n{WORD}\n", "conllu"),
            ("time/NN flies/VBZ\n\n1/2/CD\n", "tagged"),
            ("time NN B-NP\nflies VBZ B-VP\n\nlike IN B-PP\n", "columns"),
            ("-DOCSTART- -X- O O\n\n1/2 CD\nin IN\n", "columns"),
            ("New York\tLOC\nis\tO\n", "columns"),
            ("# #\n$ $\n\n# #\n", "columns"),
            ("( ( O\nJohn NNP B\n) ) O\n\nMary NNP B\n", "columns"),
            ("(/-LRB- sic/RB )/-RRB-\n", "tagged"),
            ("( (S (NP (NN time))\n (VP (VBZ flies))))\n(X (UH aye))\n", "brackets"),
            ("(S\n" * 90 + "(NP (DT a) (NN dog))\n" * 50, "brackets"),
        ],
    )
    def test_by_the_first_lines(self, tmp_path: Path, text: str, expected: str) -> None:
        path = tmp_path / "corpus.txt"
        path.write_text(text)
        assert guess_format(path) == find_format(expected)
        path.write_bytes(gzip.compress(text.encode()))
        assert guess_format(path) == find_format(expected)

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "\n",
            "time flies\n",
            "time flies\nlike an arrow\n",
            "a\nb\n",
            "a/ b/B\n",
            "(NP a dog)",
        ],
    )
    def test_nothing_suggests_a_format(self, tmp_path: Path, text: str) -> None:
        path = tmp_path / "corpus"
        path.write_text(text)
        with pytest.raises(FormatError, match="--format") as caught:
            guess_format(path)
        assert caught.value.path == str(path)
        path = tmp_path / "corpus.txt"
        path.write_text(text)
        assert guess_format(path) == find_format("text")

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("The_DT dog_NN\nA_DT cat_NN\n", "tags after '_'"),
            ("The_DT dog_NN barks_VBZ ._.\n\nA_DT cat_NN sleeps_VBZ ._.\n", "tags after '_'"),
            (
                "the dog barks\na cat sleeps\n",
                "they may be columns, a token per line, or sentences",
            ),
            ("The|DT dog|NN\n", r"--format tagged --separator '\|'"),
            ("The__DT dog__NN\n", "--format tagged --separator __;"),
            ('{"id": "s1"}\n', "--recipe parse-selection"),
            ("a A\n" * 1000, "name the format with --format columns or --format text"),
        ],
    )
    @pytest.mark.parametrize("name", ["corpus", "corpus.txt"])
    def test_what_may_be_two_things_is_asked(
        self, tmp_path: Path, name: str, text: str, message: str
    ) -> None:
        path = tmp_path / name
        path.write_text(text)
        with pytest.raises(FormatError, match=message) as caught:
            guess_format(path)
        assert caught.value.path == str(path)

    def test_only_the_first_lines_count(self, tmp_path: Path) -> None:
        path = tmp_path / "corpus.txt"
        path.write_text("a A\n\n" * 1000 + "ragged\n")
        assert guess_format(path) == Columns()

    @pytest.mark.parametrize("name", ["corpus", "corpus.txt"])
    @pytest.mark.parametrize("fault", ["c C\n", "c\n", "c C X more\n"])
    @pytest.mark.parametrize("mark", [" ", "\t"])
    def test_a_fault_does_not_hide_columns(
        self, tmp_path: Path, name: str, fault: str, mark: str
    ) -> None:
        path = tmp_path / name
        path.write_text(("a A X\nb B X\n\n" * 10 + fault).replace(" ", mark))
        assert guess_format(path) == Columns()

    def test_text_is_no_columns_with_faults(self, tmp_path: Path) -> None:
        path = tmp_path / "corpus.txt"
        path.write_text("a dog barks\na cat sleeps\n\n" * 3 + "it rains\n")
        assert guess_format(path) == find_format("text")

    def test_the_suffix_of_the_penn_treebank(self) -> None:
        assert guess_format("wsj_0001.mrg") == Brackets()

    def test_options(self, tmp_path: Path) -> None:
        path = tmp_path / "corpus.txt"
        path.write_text("a A x\nb B x\n")
        assert guess_format(path, column=2) == Columns(2)

    def test_streams_are_not_read(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        stream = io.BytesIO(b"a A\nb B\n")
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(stream))
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        for source in ("-", stream, pipe):
            with pytest.raises(FormatError, match="--format"):
                guess_format(source)
        assert stream.tell() == 0

    def test_missing_files_and_folders(self, tmp_path: Path) -> None:
        for path in (tmp_path, tmp_path / "absent"):
            with pytest.raises(FormatError, match="cannot be read"):
                guess_format(path)


@pytest.mark.parametrize("name", [name for name in SAMPLES if name != "brackets"])
def test_tags_with_carriage_returns_cannot_be_written(name: str) -> None:
    corpus_format = FORMATS[name]()
    [record] = corpus_format.read(io.BytesIO(SAMPLES[name].encode()))
    with pytest.raises(FormatError, match=r"the tag 'X\\r' cannot be written"):
        corpus_format.render(record, ["X\r"] * len(record.example.tokens))


def test_lines_that_were_converted_twice() -> None:
    [record] = Columns().read(io.BytesIO(b"time NN\r\r\nflies VBZ\r\r\n\r\r\n"))
    assert record.example.analysis == ("NN", "VBZ")
    assert Columns().render(record, ["NN", "VBZ"]) == "time NN\r\nflies VBZ\r\n\r\n"
