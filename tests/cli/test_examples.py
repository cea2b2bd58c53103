"""Every example runs as it stands."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "examples"


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.[ps]*")), ids=lambda path: path.name)
def test_example(path: Path, tmp_path: Path) -> None:
    program = sys.executable if path.suffix == ".py" else "sh"
    folders = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        [program, str(path)],
        cwd=tmp_path,
        env={**os.environ, "PATH": folders},
        capture_output=True,
        encoding="utf-8",
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout
    assert not list(tmp_path.iterdir())
    assert path.name in (FOLDER / "README.md").read_text(encoding="utf-8")
