from __future__ import annotations

import io
from collections.abc import Callable

import pytest

from weft.corpora import Format, Record
from weft.errors import FormatError

PATH = "corpus.txt"


def stream_of(text: str) -> io.BytesIO:
    stream = io.BytesIO(text.encode())
    stream.name = PATH
    return stream


@pytest.fixture(scope="session")
def parse() -> Callable[..., list[Record]]:
    """Reads text in a format."""

    def read(corpus_format: Format, text: str, **options: bool) -> list[Record]:
        return list(corpus_format.read(stream_of(text), **options))

    return read


@pytest.fixture(scope="session")
def refused() -> Callable[..., FormatError]:
    """Reads text that is not in a format, and returns the error."""

    def read(corpus_format: Format, text: str, **options: bool) -> FormatError:
        with pytest.raises(FormatError) as caught:
            list(corpus_format.read(stream_of(text), **options))
        assert caught.value.path == PATH
        return caught.value

    return read
