"""Mutations of files: bytes, lines and tokens are changed, repeated, lost and mixed up.

All randomness comes from the generator that is given, so that a seed and a number say an input.
"""

from __future__ import annotations

import gzip
import os
import re
from collections.abc import Callable, Sequence

import numpy as np

SLOWER = 5.0 if "libasan" in os.environ.get("LD_PRELOAD", "") else 1.0
"""How many times as long everything takes where a sanitizer looks at all memory."""

MOST_BYTES = 300_000
"""No mutation makes an input larger, so that all of them take a bounded time."""

NUMBERS = [
    b"0", b"-0", b"-1", b"1", b"nan", b"inf", b"-inf", b"Infinity", b"1e999", b"-1e999", b"1e-999",
    b"9223372036854775807", b"9223372036854775808", b"-9223372036854775809", b"4294967296", b"0.0",
    b"1" * 400, b"9" * 5000, b"0x10", b"1_000", b"1e5", b"\xd9\xa1", b"\xc2\xb2", b".5", b"5.",
    b"+7",
]  # fmt: skip
OPENING = [b"(", b"[", b"{", b'{"a":', b'[{"forest":', b"(S ", b"((((NP ", b'"', b"'"]
BYTES = [
    b"\x00", b"\xff", b"\xc3", b"\xe2\x80\xa8", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\x85",
    b"\xf4\x90\x80\x80",
    b"\r", b"\r\n", b"\x0b", b"\x0c", b"\x1c", b"\xc2\xa0", b"\xf0\x9f\x92\xa9",
    b"\x1f\x8b",
    b"\\", b"\t", b" ", b"\n", b"\n\n", b"#", b"@", b"/", b"|", b":", b"=", b">", b"_", b"?", b"-",
]  # fmt: skip

_TOKEN = re.compile(rb"[^\s()\[\]{},:/|@=\"']+")
_NUMBER = re.compile(rb"[0-9]+(?:\.[0-9]+)?")

Mutation = Callable[[np.random.Generator, bytes, Sequence[bytes]], bytes]


def _pick(rng: np.random.Generator, several: Sequence[bytes]) -> bytes:
    return several[int(rng.integers(len(several)))]


def _at(rng: np.random.Generator, data: bytes) -> int:
    return int(rng.integers(len(data) + 1))


def _many(rng: np.random.Generator, most: int) -> int:
    """A number from 1 to ``most``; small ones are likelier."""
    return int(np.exp(rng.random() * np.log(most + 1)))


def _span(rng: np.random.Generator, data: bytes) -> tuple[int, int]:
    start = _at(rng, data)
    return start, min(len(data), start + _many(rng, max(1, len(data))))


def _insert(rng: np.random.Generator, data: bytes, new: bytes) -> bytes:
    at = _at(rng, data)
    return data[:at] + new + data[at:]


def flip(rng: np.random.Generator, data: bytes, words: Sequence[bytes]) -> bytes:  # noqa: ARG001
    """Change some bytes."""
    changed = bytearray(data)
    for _ in range(min(len(data), _many(rng, 8))):
        changed[int(rng.integers(len(data)))] ^= 1 << int(rng.integers(8))
    return bytes(changed)


def delete(rng: np.random.Generator, data: bytes, words: Sequence[bytes]) -> bytes:  # noqa: ARG001
    """Lose some bytes."""
    start, end = _span(rng, data)
    return data[:start] + data[end:]


def truncate(rng: np.random.Generator, data: bytes, words: Sequence[bytes]) -> bytes:  # noqa: ARG001
    """Lose the end."""
    return data[: _at(rng, data)]


def move(rng: np.random.Generator, data: bytes, words: Sequence[bytes]) -> bytes:  # noqa: ARG001
    """Repeat some bytes elsewhere."""
    start, end = _span(rng, data)
    return _insert(rng, data, data[start:end])


def odd_bytes(rng: np.random.Generator, data: bytes, words: Sequence[bytes]) -> bytes:  # noqa: ARG001
    """Insert bytes that mean something, or are no UTF-8."""
    return _insert(rng, data, _pick(rng, BYTES) * _many(rng, 3))


def noise(rng: np.random.Generator, data: bytes, words: Sequence[bytes]) -> bytes:  # noqa: ARG001
    """Insert any bytes."""
    return _insert(rng, data, rng.bytes(_many(rng, 30)))


def splice(rng: np.random.Generator, data: bytes, words: Sequence[bytes]) -> bytes:
    """Insert something that the format knows."""
    return _insert(rng, data, _pick(rng, words or BYTES))


def replace_token(rng: np.random.Generator, data: bytes, words: Sequence[bytes]) -> bytes:
    """Put something else that the format knows in the place of a token."""
    found = list(_TOKEN.finditer(data))
    if not found:
        return splice(rng, data, words)
    match = found[int(rng.integers(len(found)))]
    return data[: match.start()] + _pick(rng, [*words, *BYTES, b""]) + data[match.end() :]


def replace_number(rng: np.random.Generator, data: bytes, words: Sequence[bytes]) -> bytes:
    """Put another number in the place of one, or anywhere."""
    found = list(_NUMBER.finditer(data))
    if not found:
        return splice(rng, data, NUMBERS)
    match = found[int(rng.integers(len(found)))]
    return data[: match.start()] + _pick(rng, [*NUMBERS, *words]) + data[match.end() :]


def lines(rng: np.random.Generator, data: bytes, words: Sequence[bytes]) -> bytes:  # noqa: ARG001
    """Repeat, lose, or swap lines."""
    several = data.split(b"\n")
    one, other = (int(rng.integers(len(several))) for _ in range(2))
    kind = int(rng.integers(4))
    if kind == 0:
        several.insert(other, several[one])
    elif kind == 1:
        del several[one]
    elif kind == 2:
        several[one], several[other] = several[other], several[one]
    else:
        order = rng.permutation(len(several))
        several = [several[place] for place in order.tolist()]
    return b"\n".join(several)


def line_ends(rng: np.random.Generator, data: bytes, words: Sequence[bytes]) -> bytes:  # noqa: ARG001
    """End lines otherwise, all or some of them."""
    if rng.random() < 0.5:
        return data.replace(b"\n", _pick(rng, [b"\r\n", b"\r", b"\n\n", b"\x00\n"]))
    ends = [b"\n", b"\r\n", b"\r\r\n", b"\n"]
    several = data.split(b"\n")
    return b"".join(each + _pick(rng, ends) for each in several)


def repeat(rng: np.random.Generator, data: bytes, words: Sequence[bytes]) -> bytes:
    """Repeat a token, a line or a span very often."""
    start, end = _span(rng, data)
    part = _pick(rng, [data[start:end], *data.split(b"\n")[:50], *words, b"a", b"\n"]) or b" "
    joined = part + _pick(rng, [b"", b" ", b"\n", b"\t", b"|"])
    return _insert(rng, data, joined * max(1, min(_many(rng, 100_000), 200_000 // len(joined))))


def nest(rng: np.random.Generator, data: bytes, words: Sequence[bytes]) -> bytes:  # noqa: ARG001
    """Open very many brackets, and perhaps close them."""
    opening = _pick(rng, OPENING)
    depth = min(_many(rng, 50_000), 200_000 // len(opening))
    closing = _pick(rng, [b"", b")", b"]", b"}", b'"']) * depth
    return _insert(rng, data, opening * depth + _pick(rng, [b"", b"a", b"1"]) + closing)


def mark(rng: np.random.Generator, data: bytes, words: Sequence[bytes]) -> bytes:  # noqa: ARG001
    """Begin with a byte-order mark."""
    return _pick(rng, [b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\x00"]) + data


def encode(rng: np.random.Generator, data: bytes, words: Sequence[bytes]) -> bytes:  # noqa: ARG001
    """Write the text in another encoding."""
    name = ["utf-16", "utf-16-le", "latin-1", "utf-32"][int(rng.integers(4))]
    return data.decode("utf-8", "replace").encode(name, "replace")


def compress(rng: np.random.Generator, data: bytes, words: Sequence[bytes]) -> bytes:
    """Compress it; perhaps damage that, or add a second member."""
    packed = gzip.compress(data, mtime=0)
    kind = rng.random()
    if kind < 0.3:
        return flip(rng, packed, words)
    if kind < 0.5:
        return truncate(rng, packed, words)
    if kind < 0.6:
        return packed + gzip.compress(data[::-1], mtime=0)
    return packed + rng.bytes(3) if kind < 0.7 else packed


_USUAL: tuple[Mutation, ...] = (
    flip, delete, move, odd_bytes, noise, splice, splice, replace_token, replace_token,
    replace_number, replace_number, lines, lines, lines,
)  # fmt: skip
_RARE: tuple[Mutation, ...] = (truncate, line_ends, repeat, nest, mark, encode, compress)


def mutated(rng: np.random.Generator, data: bytes, words: Sequence[bytes] = ()) -> bytes:
    """Return a damaged copy of a file.

    Args:
        rng: What decides how.
        data: The file.
        words: What the format knows: marks, names and values.
    """
    for _ in range(_many(rng, 6)):
        data = _USUAL[int(rng.integers(len(_USUAL)))](rng, data, words)
    if rng.random() < 0.3:
        data = _RARE[int(rng.integers(len(_RARE)))](rng, data, words)
    return data[:MOST_BYTES]
