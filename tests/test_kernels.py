"""The compiled core is imported in one place, which another implementation could take."""

from __future__ import annotations

from pathlib import Path

import weft


def test_one_module_imports_the_compiled_core():
    source = Path(weft.__file__).parent
    naming = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*.py")
        if "_native" in path.read_text(encoding="utf-8")
    }
    assert naming == {"kernels.py"}
