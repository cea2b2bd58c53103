from __future__ import annotations

import contextlib
import gzip
import io
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft import files
from weft.errors import FormatError
from weft.files import LONGEST_LINE, EncodedFile, name_of, read_lines, replacing, write_text


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
        assert (refused("a\n".encode("utf-16")).line, refused(b"\xff\xfe").column) == (1, 1)

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
        monkeypatch.setattr(files, "LONGEST_LINE", 200_000)
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


class TestWriting:
    def test_round_trip(self, tmp_path: Path) -> None:
        path = tmp_path / "out.txt"
        with write_text(path) as stream:
            stream.write("naïve\n")
            assert not path.exists()
        assert path.read_bytes() == "naïve\n".encode()
        assert [entry.name for entry in tmp_path.iterdir()] == ["out.txt"]

    def test_gzip_by_name_and_always_the_same(self, tmp_path: Path) -> None:
        paths = [tmp_path / "a.gz", tmp_path / "b.gz"]
        for path in paths:
            with write_text(path) as stream:
                stream.write("text\n")
        first, second = (path.read_bytes() for path in paths)
        assert first == second
        assert gzip.decompress(first) == b"text\n"

    @pytest.mark.parametrize("name", ["out", "out.gz"])
    def test_a_failure_leaves_the_old_file(self, tmp_path: Path, name: str) -> None:
        path = tmp_path / name
        path.write_text("old")
        with pytest.raises(UnicodeEncodeError), write_text(path) as stream:
            stream.write("new" * 100_000 + "\udcff")
        assert path.read_text() == "old"
        assert len(list(tmp_path.iterdir())) == 1

    def test_dash_is_the_standard_output(self, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
        with write_text("-") as stream:
            stream.write("é\n")
        sys.stdout.write("after\n")
        sys.stdout.flush()
        assert capfdbinary.readouterr().out == "é\nafter\n".encode()

    def test_no_such_folder(self, tmp_path: Path) -> None:
        path = tmp_path / "absent" / "out"
        with pytest.raises(FormatError, match="cannot be written: no such file") as caught:
            write_text(path).__enter__()
        assert caught.value.path == str(path)

    def test_over_a_folder(self, tmp_path: Path) -> None:
        with pytest.raises(FormatError, match="cannot be written: is a directory"):
            replacing(tmp_path).__enter__()

    def test_a_link_is_followed(self, tmp_path: Path) -> None:
        target, link = tmp_path / "target", tmp_path / "link"
        link.symlink_to(target)
        with replacing(link) as stream:
            stream.write(b"new")
        assert link.is_symlink()
        assert target.read_bytes() == b"new"

    def test_a_pipe_stays_a_pipe(self, tmp_path: Path) -> None:
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        received: list[bytes] = []
        reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()))
        reader.start()
        with write_text(pipe) as stream:
            stream.write("text\n")
        reader.join()
        assert received == [b"text\n"]
        assert pipe.is_fifo()

    def test_an_error_of_the_block_is_not_ours(self, tmp_path: Path) -> None:
        with pytest.raises(BrokenPipeError), replacing(tmp_path / "out"):
            raise BrokenPipeError

    @pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
    def test_a_file_that_is_replaced_keeps_its_mode(self, tmp_path: Path, mode: int) -> None:
        path = tmp_path / "out"
        path.write_bytes(b"old")
        path.chmod(mode)
        with replacing(path) as stream:
            [temporary] = tmp_path.glob(".out.*.tmp")
            assert stat.S_IMODE(temporary.stat().st_mode) == 0o600  # never more open than the old
            stream.write(b"new")
        assert path.read_bytes() == b"new"
        assert stat.S_IMODE(path.stat().st_mode) == mode

    @pytest.mark.parametrize("umask", [0o022, 0o077])
    def test_a_new_file_has_the_mode_of_the_umask(self, tmp_path: Path, umask: int) -> None:
        before = os.umask(umask)
        try:
            with replacing(tmp_path / "out"):
                pass
        finally:
            os.umask(before)
        assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o666 & ~umask

    def test_other_hard_links_keep_the_old_contents(self, tmp_path: Path) -> None:
        path, other = tmp_path / "out", tmp_path / "other"
        path.write_bytes(b"old")
        other.hardlink_to(path)
        with replacing(path) as stream:
            stream.write(b"new")
        assert (path.read_bytes(), other.read_bytes()) == (b"new", b"old")


class TestLeftovers:
    def test_they_are_removed_by_the_next_who_writes(self, tmp_path: Path) -> None:
        for name in (".out.0.tmp", ".out.7.tmp"):
            (tmp_path / name).write_bytes(b"half")
        (tmp_path / ".other.0.tmp").write_bytes(b"half")
        with replacing(tmp_path / "out") as stream:
            stream.write(b"new")
        assert sorted(path.name for path in tmp_path.iterdir()) == [".other.0.tmp", "out"]

    def test_what_is_being_written_is_none(self, tmp_path: Path) -> None:
        path = tmp_path / "out"
        with replacing(path) as first:
            first.write(b"first")
            with replacing(path) as second:
                second.write(b"second")
            assert path.read_bytes() == b"second"
        assert path.read_bytes() == b"first"
        assert list(tmp_path.iterdir()) == [path]

    def test_a_link_there_is_not_followed(self, tmp_path: Path) -> None:
        other = tmp_path / "other"
        other.write_bytes(b"kept")
        (tmp_path / ".out.0.tmp").symlink_to(other)
        with replacing(tmp_path / "out") as stream:
            stream.write(b"new")
        assert other.read_bytes() == b"kept"

    def test_too_many_writers_are_refused(self, tmp_path: Path) -> None:
        with contextlib.ExitStack() as stack:
            for _ in range(files._PLACES):
                stack.enter_context(replacing(tmp_path / "out"))
            with pytest.raises(FormatError, match="too many others are writing it"):
                replacing(tmp_path / "out").__enter__()


class TestFullDisks:
    def test_the_old_file_stays(self, tmp_path: Path) -> None:
        path = tmp_path / "out"
        path.write_bytes(b"old")
        # A limit on the size of files is as good as a full disk, and needs no disk of its own.
        program = (
            "import resource, sys\n"
            "from weft.errors import FormatError\n"
            "from weft.files import replacing\n"
            "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
            "try:\n"
            "    with replacing(sys.argv[1]) as stream:\n"
            "        stream.write(bytes(200_000))\n"
            "except FormatError as error:\n"
            "    print(error)\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True
        )
        assert done.stdout.startswith(f"{path}: cannot be written: file too large; ")
        assert done.stderr == ""
        assert path.read_bytes() == b"old"
        assert list(tmp_path.iterdir()) == [path]

    @pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
    def test_a_device_without_room_is_named(self) -> None:
        message = "/dev/full: cannot be written: no space left on device; make room"
        with pytest.raises(FormatError, match=message), write_text("/dev/full") as stream:
            stream.write("text\n")


KILLED = """
import os, random, signal, sys, time
import numpy as np
from weft.archive import load_archive, save_archive

folder = sys.argv[1]
path = os.path.join(folder, "m.weft")
rng = random.Random(0)
began = time.perf_counter()
save_archive(path, {"kind": "demo", "number": -1}, {"w": np.full(100_000, -1.0)})
duration = time.perf_counter() - began
seen, left = set(), 0
for number in range(100):
    child = os.fork()
    if not child:
        arrays = {"w": np.full(100_000, float(number))}
        while True:
            save_archive(path, {"kind": "demo", "number": number}, arrays)
    time.sleep(rng.uniform(0, 4 * duration))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    manifest, arrays = load_archive(path, "demo")
    assert np.all(arrays["w"] == manifest["number"]), number
    seen.add(manifest["number"])
    temporary = [name for name in os.listdir(folder) if name.endswith(".tmp")]
    assert len(temporary) <= 1, temporary
    left += len(temporary)
save_archive(path, {"kind": "demo", "number": -1}, {"w": np.full(100, -1.0)})
assert os.listdir(folder) == ["m.weft"], os.listdir(folder)
print(len(seen), left)
"""


def test_whoever_is_killed_leaves_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    replaced, cut_short = map(int, done.stdout.split())
    assert replaced > 1  # some were killed after their first file was there
    assert cut_short  # and some while they wrote one


@pytest.mark.parametrize("how", ["line_buffering", "write_through"])
def test_lines_are_not_kept_back_where_they_are_waited_for(how, monkeypatch):
    """At a terminal, and with PYTHONUNBUFFERED, which makes the standard output write through."""
    raw = io.BytesIO()
    output = io.TextIOWrapper(io.BufferedWriter(raw), **{how: True})
    monkeypatch.setattr(sys, "stdout", output)
    with write_text("-") as stream:
        stream.write("time/NN\n")
        assert raw.getvalue() == b"time/NN\n"


@pytest.mark.parametrize(
    ("encoding", "text", "message"),
    [
        ("utf-16", b"a\0\n\0", "the text is not utf-16: UTF-16 stream does not start with BOM"),
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


def test_files_are_written_where_there_are_no_locks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "fcntl", None)  # as on Windows
    path = tmp_path / "out.txt"
    for text in ("one", "two"):
        with files.write_text(path) as stream:
            stream.write(text)
        assert path.read_text() == text
    with pytest.raises(RuntimeError), files.write_text(path):
        raise RuntimeError
    assert (path.read_text(), [each.name for each in tmp_path.iterdir()]) == ("two", ["out.txt"])
