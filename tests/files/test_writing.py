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

from weft.errors import FormatError
from weft.files import replacing, write_text, writing


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
            for _ in range(writing._PLACES):
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


# The child kills itself before its call of C number 1, 2, …, until it is done before that.
KILLED = """
import os, signal, sys
import numpy as np
from weft.archive import load_archive, save_archive

folder = sys.argv[1]
path = os.path.join(folder, "m.weft")
save_archive(path, {"kind": "demo", "number": -1}, {"w": np.full(1000, -1.0)})
seen, left, status, number = set(), 0, signal.SIGKILL, 0
while status == signal.SIGKILL:
    number += 1
    child = os.fork()
    if not child:
        calls = 0

        def count(frame, event, argument):
            global calls
            calls += event == "c_call"
            if calls == number:
                os.kill(os.getpid(), signal.SIGKILL)

        sys.setprofile(count)
        save_archive(path, {"kind": "demo", "number": number}, {"w": np.full(1000, float(number))})
        sys.setprofile(None)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    manifest, arrays = load_archive(path, "demo")
    assert np.all(arrays["w"] == manifest["number"]), number
    seen.add(manifest["number"])
    temporary = [name for name in os.listdir(folder) if name.endswith(".tmp")]
    assert len(temporary) <= 1, temporary
    left += len(temporary)
assert not status, status
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
    assert replaced > 2  # some were killed after their file was there
    assert cut_short  # and some while they wrote it


@pytest.mark.parametrize("how", ["line_buffering", "write_through"])
def test_lines_are_not_kept_back_where_they_are_waited_for(how, monkeypatch):
    """At a terminal, and with PYTHONUNBUFFERED, which makes the standard output write through."""
    raw = io.BytesIO()
    output = io.TextIOWrapper(io.BufferedWriter(raw), **{how: True})
    monkeypatch.setattr(sys, "stdout", output)
    with write_text("-") as stream:
        stream.write("time/NN\n")
        assert raw.getvalue() == b"time/NN\n"


def test_files_are_written_where_there_are_no_locks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "fcntl", None)  # as on Windows
    path = tmp_path / "out.txt"
    for text in ("one", "two"):
        with write_text(path) as stream:
            stream.write(text)
        assert path.read_text() == text
    with pytest.raises(RuntimeError), write_text(path):
        raise RuntimeError
    assert (path.read_text(), [each.name for each in tmp_path.iterdir()]) == ("two", ["out.txt"])
