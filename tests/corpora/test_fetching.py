"""Corpora are fetched from a server of our own: whole, checked, bounded, and into their folder."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import http.client
import io
import ssl
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from weft.corpora import CORPORA
from weft.corpora.fetching import SUMS, fetch, sums_of
from weft.corpora.sources import ADDRESSES, Address, Download
from weft.errors import FormatError, LimitError, WeftError

LOOPBACK = ("http",)
TEXT = b"time/NN flies/VBZ\n" * 10_000


@dataclass
class Site:
    """A server on the loopback interface, and what it was asked for."""

    url: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    redirects: dict[str, str] = field(default_factory=dict)
    etag: str | None = '"1"'
    cut: int | None = None
    """After this many bytes the connection breaks."""
    ranges: list[str | None] = field(default_factory=list)
    wrong_range: bool = False
    lengthless: bool = False
    unasked: bool = False
    """A part is sent where all was asked for."""
    length: str | None = None
    """What is said of the length, whatever it is."""


def handler(site: Site) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path in site.redirects:
                self.send_response(302)
                self.send_header("Location", site.redirects[self.path])
                self.end_headers()
            elif self.path not in site.files:
                self.send_error(404)
            else:
                self.answer(site.files[self.path])

        def answer(self, body: bytes) -> None:
            wanted = self.headers["Range"]
            site.ranges.append(wanted)
            start = 0
            if wanted and self.headers["If-Range"] == site.etag:
                start = int(wanted.removeprefix("bytes=").removesuffix("-"))
            self.send_response(206 if start or site.unasked else 200)
            if start:
                first = 0 if site.wrong_range else start
                self.send_header("Content-Range", f"bytes {first}-{len(body) - 1}/{len(body)}")
            if site.etag:
                self.send_header("ETag", site.etag)
            if not site.lengthless:
                self.send_header("Content-Length", site.length or str(len(body) - start))
            self.end_headers()
            with contextlib.suppress(ConnectionError):  # who asked may have heard enough
                self.wfile.write(body[start:] if site.cut is None else body[start : site.cut])

        def log_message(self, *_: object) -> None:
            pass

    return Handler


@pytest.fixture
def site() -> Iterator[Site]:
    made = Site()
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler(made))
    made.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield made
    server.shutdown()
    thread.join()
    server.server_close()


def zipped(method: int = zipfile.ZIP_DEFLATED, **members: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return stream.getvalue()


def plain(site: Site, most: int = 1_000_000) -> Address:
    site.files["/a.tagged"] = TEXT
    return Address((Download(f"{site.url}/a.tagged", most),))


def packed(site: Site, most: int = 1_000_000, **members: bytes) -> Address:
    site.files["/a.zip"] = zipped(**members)
    return Address((Download(f"{site.url}/a.zip", most, ("a/*.txt",), "below"),))


def digest_of(**files: bytes) -> str:
    lines = [f"{hashlib.sha256(text).hexdigest()}  {name}\n" for name, text in files.items()]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def test_a_file_arrives_with_its_sums(site: Site, tmp_path: Path) -> None:
    folder = tmp_path / "more" / "corpus"
    found = fetch(plain(site), folder, schemes=LOOPBACK)
    assert (folder / "a.tagged").read_bytes() == TEXT
    assert (folder / SUMS).read_text() == f"{hashlib.sha256(TEXT).hexdigest()}  a.tagged\n"
    assert (found.files, found.known, found.changed) == (1, False, False)
    assert found.digest == digest_of(**{"a.tagged": TEXT})
    assert [path.name for path in folder.parent.iterdir()] == ["corpus"]  # nothing is left over


def test_members_of_an_archive_arrive(site: Site, tmp_path: Path) -> None:
    address = packed(site, **{"a/2.txt": b"two", "a/1.txt": b"one", "b/3.txt": b"three"})
    digest = digest_of(**{"below/1.txt": b"one", "below/2.txt": b"two"})
    found = fetch(replace(address, digest=digest), tmp_path / "c", schemes=LOOPBACK)
    assert (found.digest, found.known) == (digest, True)
    assert sums_of(tmp_path / "c") == (tmp_path / "c" / SUMS).read_text()
    assert {path.name for path in (tmp_path / "c").rglob("*")} == {"below", "1.txt", "2.txt", SUMS}


def test_other_files_than_expected_are_refused(site: Site, tmp_path: Path) -> None:
    address = replace(plain(site), digest="0" * 64)
    with pytest.raises(FormatError, match="not the files that were expected"):
        fetch(address, tmp_path / "c", schemes=LOOPBACK)
    assert list(tmp_path.iterdir()) == []


def test_what_broke_off_goes_on(site: Site, tmp_path: Path) -> None:
    address = plain(site)
    site.cut = 5000
    with pytest.raises(WeftError, match="broke off 175,000 bytes before its end; run the same"):
        fetch(address, tmp_path / "c", schemes=LOOPBACK)
    assert not (tmp_path / "c").exists()
    site.cut = None
    fetch(address, tmp_path / "c", schemes=LOOPBACK)
    assert site.ranges == [None, "bytes=5000-"]
    assert (tmp_path / "c" / "a.tagged").read_bytes() == TEXT


@pytest.mark.parametrize("etag", ['"2"', None])
def test_another_version_starts_again(site: Site, tmp_path: Path, etag: str | None) -> None:
    address = plain(site)
    site.cut = 5000
    site.etag = etag and '"1"'
    with pytest.raises(WeftError, match="broke off"):
        fetch(address, tmp_path / "c", schemes=LOOPBACK)
    site.cut, site.etag = None, etag
    site.files["/a.tagged"] = TEXT.upper()
    fetch(address, tmp_path / "c", schemes=LOOPBACK)
    assert (tmp_path / "c" / "a.tagged").read_bytes() == TEXT.upper()


def test_another_part_than_asked_for_is_refused(site: Site, tmp_path: Path) -> None:
    address = plain(site)
    site.cut, site.wrong_range = 5000, True
    for message in ("broke off", "another part than was asked for"):
        with pytest.raises(WeftError, match=message):
            fetch(address, tmp_path / "c", schemes=LOOPBACK)
    assert not (tmp_path / "c").exists()
    site.cut = None  # the server still does so, and all is asked for
    assert fetch(address, tmp_path / "c", schemes=LOOPBACK).files == 1
    assert site.ranges == [None, "bytes=5000-", None]


def test_a_part_that_nobody_asked_for_is_refused(site: Site, tmp_path: Path) -> None:
    site.unasked = True
    with pytest.raises(WeftError, match=r"another part than was asked for; run .* the beginning"):
        fetch(plain(site), tmp_path / "c", schemes=LOOPBACK)
    assert not (tmp_path / "c").exists()


def test_a_length_without_end_is_not_believed(site: Site, tmp_path: Path) -> None:
    site.length = "9" * 5000
    assert fetch(plain(site), tmp_path / "c", schemes=LOOPBACK).files == 1


@pytest.mark.parametrize(
    "error", [ssl.SSLError("bad record"), OSError(errno.EHOSTUNREACH, "No route to host")]
)
@pytest.mark.parametrize("when", ["begin", "read"])
def test_what_the_network_does_is_not_blamed_on_the_folder(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: str, error: OSError
) -> None:
    def fail(*_: object) -> bytes:
        raise error

    monkeypatch.setattr(http.client.HTTPResponse, when, fail)
    with pytest.raises(WeftError, match=r"cannot be fetched: .*(bad record|No route)") as caught:
        fetch(plain(site), tmp_path / "c", schemes=LOOPBACK)
    assert "make room" not in str(caught.value)


def test_what_the_disk_does_is_not_blamed_on_the_network(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    address = plain(site)
    monkeypatch.setattr("weft.corpora.downloads.Path.write_text", fail)
    with pytest.raises(FormatError, match="cannot be written: no space left on device; make room"):
        fetch(address, tmp_path / "c", schemes=LOOPBACK)


@pytest.mark.parametrize("lengthless", [False, True])
def test_too_much_is_refused(site: Site, tmp_path: Path, lengthless: bool) -> None:
    site.lengthless = lengthless
    with pytest.raises(LimitError, match="larger than 1,000 bytes"):
        fetch(plain(site, most=1000), tmp_path / "c", schemes=LOOPBACK)
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and path.suffix != ".etag"]


def test_what_unpacks_to_too_much_is_refused(site: Site, tmp_path: Path) -> None:
    address = packed(site, most=20_000, **{"a/1.txt": b"0" * 1_000_000})
    assert len(site.files["/a.zip"]) < 20_000
    with pytest.raises(LimitError, match="unpacks to more than 20,000 bytes"):
        fetch(address, tmp_path / "c", schemes=LOOPBACK)
    assert not (tmp_path / "c").exists()


def test_nothing_is_unpacked_outside_the_folder(site: Site, tmp_path: Path) -> None:
    site.files["/a.zip"] = zipped(**{"a/../../../out.txt": b"1", "a//etc/in.txt": b"2"})
    address = Address((Download(f"{site.url}/a.zip", 10_000, ("*",)),))
    fetch(address, tmp_path / "c", schemes=LOOPBACK)
    names = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")}
    assert names == {"c", "c/out.txt", "c/in.txt", f"c/{SUMS}"}


def broken(method: int) -> bytes:
    """An archive whose member cannot be unpacked."""
    data = bytearray(zipped(method, **{"a/1.txt": bytes(range(256)) * 20}))
    data[100:160] = b"\xff" * 60
    return bytes(data)


METHODS = (zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)


@pytest.mark.parametrize(
    "damage", [b"no archive", zipped(**{"b/1.txt": b"1"}), *map(broken, METHODS)]
)
def test_damaged_archives_are_refused_and_fetched_anew(
    site: Site, tmp_path: Path, damage: bytes
) -> None:
    address = packed(site, **{"a/1.txt": b"one"})
    whole = site.files["/a.zip"]
    site.files["/a.zip"] = damage
    with pytest.raises(FormatError, match="the archive is damaged"):
        fetch(address, tmp_path / "c", schemes=LOOPBACK)
    site.files["/a.zip"] = whole
    assert fetch(address, tmp_path / "c", schemes=LOOPBACK).files == 1


@pytest.mark.parametrize("target", ["http://[::bad/x", "http://%s.example/" % ("a" * 70)])
def test_bad_addresses_of_a_server_are_refused(site: Site, tmp_path: Path, target: str) -> None:
    site.redirects["/a.tagged"] = target
    address = Address((Download(f"{site.url}/a.tagged", 1000),))
    with pytest.raises(WeftError, match="cannot be fetched: the server leads to"):
        fetch(address, tmp_path / "c", schemes=LOOPBACK)
    assert not (tmp_path / "c").exists()


@pytest.mark.parametrize("target", ["ftp://127.0.0.1/a", "https://127.0.0.1/a"])
def test_redirects_only_lead_to_safe_places(site: Site, tmp_path: Path, target: str) -> None:
    address = Address((Download(f"{site.url}/moved", 1000),))
    site.redirects["/moved"] = target
    with pytest.raises(WeftError, match="is not fetched: only http is safe"):
        fetch(address, tmp_path / "c", schemes=LOOPBACK)
    site.redirects["/moved"] = f"{site.url}/b"
    site.files["/b"] = b"b"
    assert fetch(address, tmp_path / "c", schemes=LOOPBACK).files == 1


def test_plain_http_is_refused(site: Site, tmp_path: Path) -> None:
    with pytest.raises(WeftError, match="only https is safe"):
        fetch(plain(site), tmp_path / "c")
    assert site.ranges == []


def test_absent_files_and_servers_are_told(site: Site, tmp_path: Path) -> None:
    with pytest.raises(WeftError, match=r"/absent cannot be fetched: the server answers 404"):
        fetch(Address((Download(f"{site.url}/absent", 9),)), tmp_path / "c", schemes=LOOPBACK)
    with pytest.raises(WeftError, match="is there a network"):
        fetch(Address((Download("http://127.0.0.1:9/a", 9),)), tmp_path / "c", schemes=LOOPBACK)


def test_a_folder_stays_unless_forced(site: Site, tmp_path: Path) -> None:
    address = plain(site)
    fetch(address, tmp_path / "c", schemes=LOOPBACK)
    with pytest.raises(WeftError, match="is there already; replace it with --force"):
        fetch(address, tmp_path / "c", schemes=LOOPBACK)
    assert not fetch(address, tmp_path / "c", force=True, schemes=LOOPBACK).changed
    site.files["/a.tagged"] = b"other"
    assert fetch(address, tmp_path / "c", force=True, schemes=LOOPBACK).changed
    assert (tmp_path / "c" / "a.tagged").read_bytes() == b"other"
    assert [path.name for path in tmp_path.iterdir()] == ["c"]


@pytest.mark.parametrize("kept", ["notes.txt", "other/train.tagged", ".hidden"])
def test_files_of_others_are_never_replaced(site: Site, tmp_path: Path, kept: str) -> None:
    address, folder = plain(site), tmp_path / "c"
    fetch(address, folder, schemes=LOOPBACK)
    (folder / kept).parent.mkdir(exist_ok=True)
    (folder / kept).write_text("mine")
    for force in (False, True):
        with pytest.raises(WeftError, match=f"such as {kept}, and is never replaced; name another"):
            fetch(address, folder, force=force, schemes=LOOPBACK)
    assert (folder / kept).read_text() == "mine"
    assert site.ranges == [None]  # nothing more was asked for


def test_files_that_come_while_it_is_fetched_stay(site: Site, tmp_path: Path) -> None:
    folder = tmp_path / "c"
    folder.mkdir()
    with pytest.raises(WeftError, match=r"such as a\.txt, and is never replaced"):
        fetch(
            plain(site),
            folder,
            force=True,
            tell=lambda _: (folder / "a.txt").touch(),
            schemes=LOOPBACK,
        )
    assert (folder / "a.txt").exists()


def test_places_without_a_name(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(WeftError, match="/ cannot be a corpus's folder; name one in it"):
        fetch(plain(site), Path("/"), force=True, schemes=LOOPBACK)
    (tmp_path / "mine").touch()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(WeftError, match="such as mine, and is never replaced"):
        fetch(plain(site), Path(), force=True, schemes=LOOPBACK)
    with pytest.raises(WeftError, match="such as mine, and is never replaced"):
        fetch(plain(site), Path("mine"), force=True, schemes=LOOPBACK)
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_a_damaged_corpus_is_replaced(site: Site, tmp_path: Path) -> None:
    address = packed(site, **{"a/1.txt": b"one", "a/2.txt": b"two"})
    fetch(address, tmp_path / "c", schemes=LOOPBACK)
    (tmp_path / "c" / "below" / "1.txt").write_bytes(b"")
    (tmp_path / "c" / "below" / "2.txt").unlink()
    (tmp_path / "link").symlink_to("c")
    fetch(address, tmp_path / "link", force=True, schemes=LOOPBACK)
    assert (tmp_path / "c" / "below" / "1.txt").read_bytes() == b"one"
    assert {path.name for path in tmp_path.iterdir()} == {"c", "link"}


def test_a_folder_that_cannot_be_made_is_named(site: Site, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FormatError, match=r"file/c: cannot be written: .*; make room"):
        fetch(plain(site), tmp_path / "file" / "c", schemes=LOOPBACK)


def test_every_address_is_of_the_catalogue_and_safe() -> None:
    assert set(ADDRESSES) <= {corpus.name for corpus in CORPORA}
    for address in ADDRESSES.values():
        assert address.digest is None or len(bytes.fromhex(address.digest)) == 32
        for each in address.downloads:
            assert each.url.startswith("https://raw.githubusercontent.com/")
            assert 0 < each.most <= 100_000_000


@pytest.mark.parametrize("name", [name for name, each in ADDRESSES.items() if each.digest])
def test_digests_are_those_of_the_corpora_that_are_here(
    name: str, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from weft.corpora import found_corpus

    monkeypatch.setenv("WEFT_DATA", str(data_folder))
    folder = found_corpus(name)
    if folder is None:
        pytest.skip(f"{name} is not in WEFT_DATA")
    wanted = {
        each.into: [pattern.rpartition("/")[2] for pattern in each.members]
        for each in ADDRESSES[name].downloads
    }
    paths = sorted(
        path.relative_to(folder).as_posix()
        for into, patterns in wanted.items()
        for pattern in patterns
        for path in (folder / into).glob(pattern)
    )
    assert digest_of(**{path: (folder / path).read_bytes() for path in paths}) == (
        ADDRESSES[name].digest
    )
