"""The compiled core is imported in one place, which another implementation could take."""

from __future__ import annotations

import platform
from pathlib import Path

import numpy as np
import pytest

import weft
from weft.kernels import kernels


def resident_pages() -> int:
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="glibc keeps what others give back")
def test_free_memory_is_given_back():
    many = [np.ones(8_000) for _ in range(1_000)]
    last = np.ones(8_000)  # lies above them, so that they are not given back without being asked
    del many
    before = resident_pages()
    kernels.trim_memory()
    assert before - resident_pages() > 5_000  # of 15,625 pages
    assert last.sum() == 8_000


def test_one_module_imports_the_compiled_core():
    source = Path(weft.__file__).parent
    naming = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*.py")
        if "_native" in path.read_text(encoding="utf-8")
    }
    assert naming == {"kernels.py"}
