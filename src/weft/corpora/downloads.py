"""Downloading a file over HTTPS: bounded, and taken up where it broke off.

What has come so far lies in a file whose name ends in ``.part``, with the server's mark of its
version (the ETag) beside it. A later call asks for the rest *if* the file is still of this version
(``Range`` with ``If-Range``); else it starts again.

Reference: Fielding, Nottingham and Reschke (2022), RFC 9110, sections 13.1.5 and 14.
"""

from __future__ import annotations

import contextlib
import http.client
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from weft.errors import LimitError, WeftError, abbreviate

SAFE = ("https",)
"""The ways to fetch a file that nobody on the way can change."""

_SECONDS = 30  # without a byte
_BLOCK = 1 << 16
_DIGITS = 20  # a size that has so many is not believed
_AGAIN = "run the same command again, and it goes on where it stopped"


def download(url: str, path: Path, most: int, schemes: tuple[str, ...] = SAFE) -> None:
    """Fetch a file, or the rest of it.

    Args:
        url: Where it lies.
        path: Where it goes, whole; ``path`` with ``.part`` until then.
        most: How many bytes it may have.
        schemes: How it may be fetched, from there and from wherever that leads to.

    Raises:
        LimitError: If it is larger; nothing is kept of it.
        WeftError: If it cannot be fetched, or only in part, which is kept for the next time.
    """
    part, mark = Path(f"{path}.part"), Path(f"{path}.etag")
    try:
        _check_scheme(url, schemes)
        with _opened(url, part, mark, schemes) as response:
            _write(response, part, mark, most, url)
    except LimitError:
        part.unlink(missing_ok=True)
        raise
    except (urllib.error.URLError, http.client.HTTPException) as e:
        raise WeftError(f"{abbreviate(url, 200)} cannot be fetched: {_reason(e)}") from None
    part.replace(path)
    mark.unlink(missing_ok=True)


def _check_scheme(url: str, schemes: tuple[str, ...]) -> None:
    scheme = urllib.parse.urlsplit(url).scheme
    if scheme not in schemes:
        allowed = " or ".join(schemes)
        raise WeftError(f"{abbreviate(url, 200)} is not fetched: only {allowed} is safe")


def _wanted(part: Path, mark: Path) -> dict[str, str]:
    """What is asked for: all, or what is missing of a version that is known."""
    if not (part.is_file() and mark.is_file() and part.stat().st_size):
        part.unlink(missing_ok=True)
        return {}
    version = mark.read_text(encoding="utf-8")
    return {"Range": f"bytes={part.stat().st_size}-", "If-Range": version}


class _Redirects(urllib.request.HTTPRedirectHandler):
    def __init__(self, schemes: tuple[str, ...]) -> None:
        self._schemes = schemes

    def redirect_request(
        self, req: Any, fp: Any, code: Any, msg: Any, headers: Any, newurl: Any
    ) -> Any:
        _check_scheme(newurl, self._schemes)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _opened(url: str, part: Path, mark: Path, schemes: tuple[str, ...]) -> Any:
    try:
        return _answer(url, _wanted(part, mark), schemes)
    except urllib.error.HTTPError as error:
        # 416: there is no rest. What there is may be whole, or of another version.
        if error.code != http.client.REQUESTED_RANGE_NOT_SATISFIABLE:
            raise
        part.unlink(missing_ok=True)
        return _answer(url, {}, schemes)


def _answer(url: str, headers: dict[str, str], schemes: tuple[str, ...]) -> Any:
    opener = urllib.request.build_opener(_Redirects(schemes))
    request = urllib.request.Request(url, headers={"Accept-Encoding": "identity", **headers})  # noqa: S310
    try:
        with _on_the_network():
            return opener.open(request, timeout=_SECONDS)
    except (ValueError, OverflowError) as error:
        raise WeftError(
            f"{abbreviate(url, 200)} cannot be fetched: the server leads to a bad address "
            f"({abbreviate(str(error))}); `weft data list` names the source"
        ) from None


@contextlib.contextmanager
def _on_the_network() -> Iterator[None]:
    """Errors of the block are the network's, and not those of files, which are OSErrors as well."""
    try:
        yield
    except urllib.error.URLError:
        raise
    except OSError as error:
        raise urllib.error.URLError(error) from None


def _write(response: Any, part: Path, mark: Path, most: int, url: str) -> None:
    resumed = response.status == http.client.PARTIAL_CONTENT
    size = _size_before(response, part, mark, url) if resumed else 0
    announced = response.headers.get("Content-Length", "")
    known = announced.isdecimal() and len(announced) < _DIGITS
    expected = size + int(announced) if known else None
    if expected is not None and expected > most:
        raise LimitError(_too_large(url, most))
    if not resumed:
        _remember(mark, response.headers.get("ETag"))
    with part.open("ab" if resumed else "wb") as stream:
        for block in _blocks(response):
            size += len(block)
            if size > most:
                raise LimitError(_too_large(url, most))
            stream.write(block)
    if expected is not None and size < expected:
        raise http.client.IncompleteRead(b"", expected - size)


def _blocks(response: Any) -> Iterator[bytes]:
    with _on_the_network():
        while block := response.read(_BLOCK):
            yield block


def _size_before(response: Any, part: Path, mark: Path, url: str) -> int:
    """The bytes before an answer that is a part, which must be the part that is missing."""
    size = part.stat().st_size if part.is_file() else 0
    if size and response.headers.get("Content-Range", "").startswith(f"bytes {size}-"):
        return size
    for each in (part, mark):
        each.unlink(missing_ok=True)
    raise WeftError(
        f"{abbreviate(url, 200)} sends another part than was asked for; run the same command "
        "again, and it starts from the beginning"
    )


def _remember(mark: Path, version: str | None) -> None:
    # A weak mark (W/…) does not promise the same bytes.
    if version and version.startswith('"') and len(version) < 200:
        mark.write_text(version, encoding="utf-8")
    else:
        mark.unlink(missing_ok=True)


def _too_large(url: str, most: int) -> str:
    return f"{abbreviate(url, 200)} is larger than {most:,} bytes, and is not fetched"


def _reason(error: Exception) -> str:
    if isinstance(error, urllib.error.HTTPError):
        reason = abbreviate(str(error.reason))
        return f"the server answers {error.code} ({reason}); `weft data list` names the source"
    if isinstance(error, http.client.IncompleteRead):
        return f"it broke off {error.expected or 0:,} bytes before its end; {_AGAIN}"
    found = getattr(error, "reason", None) or error
    return (
        f"{abbreviate(str(found) or type(found).__name__, 200)}; is there a network? Then {_AGAIN}"
    )
