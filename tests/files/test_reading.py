from __future__ import annotations

import gzip
import io
import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft import Chain, example, fit, save
from weft.errors import FormatError
from weft.files import LONGEST_LINE, EncodedFile, encoded, name_of, read_lines, reading


def lines_of(data: bytes) -> list[str]:
    return [text for _, text in read_lines(io.BytesIO(data))]


def refused(data: bytes) -> FormatError:
    with pytest.raises(FormatError) as caught:
        lines_of(data)
    return caught.value


class Recording(io.BytesIO):
    """A stream that knows how much of it was read, in pieces of a given size."""

    def __init__(self, data: bytes, piece: int = 1 << 30) -> None:
        super().__init__(data)
        self.piece = piece
        self.consumed = 0

    def read1(self, size: int | None = -1, /) -> bytes:
        wanted = self.piece if size is None or size < 0 else min(size, self.piece)
        data = super().read1(wanted)
        self.consumed += len(data)
        return data


class TestLines:
    @pytest.mark.parametrize(
        ("data", "expected"),
        [
            (b"", []),
            (b"\n", [""]),
            (b"a", ["a"]),
            (b"a\n", ["a"]),
            (b"a\n\nb", ["a", "", "b"]),
            (b"a\r\nb\r\n", ["a", "b"]),
            (b"a\rb\n", ["a\rb"]),
            ("a\u2028b\x85c\x0bd\n".encode(), ["a\u2028b\x85c\x0bd"]),
        ],
    )
    def test_lines_lose_their_ends_and_nothing_else(self, data: bytes, expected: list[str]) -> None:
        assert lines_of(data) == expected

    def test_lines_are_numbered_from_one(self) -> None:
        assert list(read_lines(io.BytesIO(b"a\nb"))) == [(1, "a"), (2, "b")]

    def test_a_byte_order_mark_is_dropped_at_the_start_only(self) -> None:
        mark = "\ufeff"
        assert lines_of(f"{mark}a\n{mark}b\n".encode()) == ["a", f"{mark}b"]

    @given(
        lines=st.lists(st.text(st.characters(exclude_characters="\r\n\ufeff", codec="utf-8"))),
        piece=st.integers(1, 40),
        packed=st.booleans(),
    )
    def test_the_size_of_the_pieces_makes_no_difference(
        self, lines: list[str], piece: int, packed: bool
    ) -> None:
        data = "".join(f"{line}\r\n" for line in lines).encode()
        stream = Recording(gzip.compress(data) if packed else data, piece)
        assert list(read_lines(stream)) == list(enumerate(lines, 1))

    def test_only_the_beginning_is_read_for_the_first_lines(self) -> None:
        stream = Recording(b"a line\n" * 1_000_000)
        lines = read_lines(stream)
        assert stream.consumed == 0
        assert next(lines) == (1, "a line")
        assert stream.consumed < 100_000

    def test_a_pipe_gives_its_lines_as_they_are_written(self) -> None:
        reading, writing = os.pipe()
        with os.fdopen(reading, "rb") as source, os.fdopen(writing, "wb", 0) as sink:
            lines = read_lines(source)
            sink.write(b"first\n")
            assert next(lines) == (1, "first")
            sink.write(b"second\n")
            assert next(lines) == (2, "second")

    def test_the_callers_stream_stays_open(self) -> None:
        stream = io.BytesIO(b"a\n")
        assert list(read_lines(stream))
        assert not stream.closed

    def test_dash_is_the_standard_input(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("é\n".encode()), "ascii"))
        assert list(read_lines("-")) == [(1, "é")]
        assert not sys.stdin.closed

    def test_names(self, tmp_path: Path) -> None:
        assert name_of(tmp_path / "a") == str(tmp_path / "a")
        with (tmp_path / "a").open("wb") as stream:
            assert name_of(stream) == str(tmp_path / "a")
            with os.fdopen(os.dup(stream.fileno()), "wb") as numbered:
                assert name_of(numbered) == "<stream>"


class TestGzip:
    def test_is_recognised_whatever_the_name(self, tmp_path: Path) -> None:
        path = tmp_path / "corpus.txt"
        path.write_bytes(gzip.compress(b"a\nb\n"))
        assert list(read_lines(path)) == [(1, "a"), (2, "b")]

    def test_text_may_be_called_gz(self, tmp_path: Path) -> None:
        path = tmp_path / "corpus.txt.gz"
        path.write_bytes(b"a\n")
        assert list(read_lines(path)) == [(1, "a")]

    def test_members_follow_each_other_and_zeros_may_pad_them(self) -> None:
        data = gzip.compress(b"a\n") + gzip.compress(b"b\n") + b"\0" * 512
        assert lines_of(data) == ["a", "b"]

    @given(st.binary(min_size=100, max_size=200), st.data())
    def test_truncated(self, noise: bytes, data: st.DataObject) -> None:
        packed = gzip.compress(noise.hex().encode())
        length = data.draw(st.integers(2, len(packed) - 1))
        assert "gzip data ends too early" in refused(packed[:length]).message

    @pytest.mark.parametrize("tail", [b"\xff" * 30, b"garbage"])
    def test_damaged(self, tail: bytes) -> None:
        packed = gzip.compress(b"some text\n" * 100)
        assert "gzip data is damaged" in refused(packed[:20] + tail + packed[20:]).message
        assert "gzip data is damaged" in refused(packed + tail).message

    def test_wrong_checksum(self) -> None:
        packed = bytearray(gzip.compress(b"some text\n"))
        packed[-6] ^= 1
        assert "gzip data is damaged" in refused(bytes(packed)).message


class TestRefusals:
    def test_invalid_utf8_is_located(self) -> None:
        error = refused("one\nnaïve id".encode() + b"\xe9\nthree\n")
        assert (error.line, error.column) == (2, 9)
        assert "0xE9" in error.message
        assert "iconv" in error.message

    def test_lines_before_invalid_utf8_are_given(self) -> None:
        lines = read_lines(io.BytesIO(b"one\n\xff\n"))
        assert next(lines) == (1, "one")
        with pytest.raises(FormatError, match=r"<stream>:2:1: "):
            next(lines)

    @given(
        pieces=st.lists(st.sampled_from([b"a", b"\n", b"\r", "é".encode(), b"\xc3", b"\xff"])),
        piece=st.integers(1, 9),
    )
    def test_what_is_not_utf8_is_found_as_line_by_line(
        self, pieces: list[bytes], piece: int
    ) -> None:
        data = b"".join(pieces)
        expected, place = [], None
        for number, raw in enumerate(data.removesuffix(b"\n").split(b"\n") if data else [], 1):
            try:
                expected.append((number, raw.rstrip(b"\r").decode()))
            except UnicodeDecodeError as error:
                place = (number, len(raw[: error.start].decode()) + 1)
                break
        lines = read_lines(Recording(data, piece))
        assert [next(lines) for _ in expected] == expected
        if place is None:
            assert next(lines, None) is None
        else:
            with pytest.raises(FormatError) as caught:
                next(lines)
            assert (caught.value.line, caught.value.column) == place

    def test_utf16(self) -> None:
        for data in ("a\n".encode("utf-16"), b"\xff\xfe", b"\xfe\xff\0a"):
            error = refused(data)
            assert (error.line, error.column) == (1, 1)
            assert error.message.endswith("as --encoding utf-16")
        assert refused(b"a\n\xff\xfe").message.endswith("as --encoding latin-1")

    @pytest.mark.parametrize("encoding", [None, "latin-1"])
    def test_models_are_no_text(self, tmp_path: Path, encoding: str | None) -> None:
        path = tmp_path / "model.weft"
        save(path, fit(Chain(), [example(["time"], ["NN"])]))
        with pytest.raises(FormatError, match=r"model\.weft: this is a model, .* give a text file"):
            list(read_lines(encoded(path, encoding)))

    def test_missing_file(self, tmp_path: Path) -> None:
        path = tmp_path / "absent"
        with pytest.raises(FormatError) as caught:
            list(read_lines(path))
        assert str(caught.value).startswith(f"{path}: cannot be read: no such file")
        assert "\n" not in str(caught.value)

    def test_folder(self, tmp_path: Path) -> None:
        with pytest.raises(FormatError, match="cannot be read: is a directory"):
            list(read_lines(tmp_path))

    def test_permission(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*_: object) -> None:
            raise PermissionError(13, "Permission denied")

        # Not by the file's mode, which the superuser may ignore.
        monkeypatch.setattr(Path, "open", refuse)
        with pytest.raises(FormatError, match="cannot be read: permission denied"):
            list(read_lines(tmp_path / "secret"))

    def test_impossible_name(self) -> None:
        with pytest.raises(FormatError, match="cannot be read"):
            list(read_lines("a\0b"))

    def test_the_longest_line(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(reading, "LONGEST_LINE", 200_000)
        line = b"x" * 200_000
        assert [len(text) for text in lines_of(line + b"\n" + line)] == [200_000, 200_000]
        assert refused(b"a\n" + line + b"x\n").line == 2
        assert refused(b"a\n" + line + b"x").line == 2

    def test_a_bomb_is_given_up_early(self) -> None:
        bomb = gzip.compress(b"\0" * (20 * LONGEST_LINE), 9)
        stream = Recording(bomb, 1024)
        with pytest.raises(FormatError, match=r":1: the line is longer than"):
            next(read_lines(stream))
        assert stream.consumed < len(bomb) / 10


@pytest.mark.parametrize(
    ("encoding", "text", "message"),
    [
        ("utf-16", b"a\0\n\0", r"(the text|byte 0x61) is not utf-16(: .*BOM)?"),
        ("undefined", b"a\n", "the text is not undefined: undefined encoding"),
        ("unicode_escape", rb"one\n \ud800", r"U\+D800, read by unicode_escape, is no character"),
        ("ascii", b"one\n\xe9", "byte 0xE9 is not ascii"),
    ],
)
def test_texts_in_other_encodings_than_said_are_refused(tmp_path, encoding, text, message):
    (tmp_path / "text").write_bytes(text)
    with pytest.raises(FormatError, match=f"{message}; name another") as caught:
        list(read_lines(EncodedFile(tmp_path / "text", encoding)))
    assert caught.value.line == (2 if text.startswith(b"one") else 1)
