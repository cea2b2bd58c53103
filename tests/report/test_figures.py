from __future__ import annotations

import sys
from pathlib import Path

import pytest

from weft.errors import FormatError, OptionError, WeftError
from weft.models.progress import Progress
from weft.report.figures import plot_trace

TRACE = [Progress(k, -10.0 / (k + 1), 1.0, 0.1 * k, 0.5 if k else None) for k in range(5)]


@pytest.mark.parametrize(
    ("name", "start"), [("trace.png", b"\x89PNG"), ("trace.SVG", b"<?xml"), ("trace.pdf", b"%PDF")]
)
def test_pictures(tmp_path: Path, name: str, start: bytes) -> None:
    plot_trace(tmp_path / name, TRACE)
    assert (tmp_path / name).read_bytes().startswith(start)


def test_the_name_says_what_kind_of_picture(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"end it in \.png, \.svg, \.pdf"):
        plot_trace(tmp_path / "trace.doc", TRACE)


def test_no_trace_is_no_picture(tmp_path: Path) -> None:
    with pytest.raises(WeftError, match="no trace"):
        plot_trace(tmp_path / "trace.png", [])
    assert not list(tmp_path.iterdir())


def test_a_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot be written"):
        plot_trace(tmp_path / "nowhere" / "trace.png", TRACE)


def test_without_matplotlib_the_message_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(WeftError, match=r"pip install 'weft\[plot\]'"):
        plot_trace(tmp_path / "trace.png", TRACE)
    assert not list(tmp_path.iterdir())
