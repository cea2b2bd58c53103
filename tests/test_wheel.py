"""A wheel and a source distribution are made, and the newcomers' scripts run on the wheel.

The wheel has the core that is built already (`WEFT_PREBUILT`), so that packing takes seconds. The
environment is new: Weft comes from the wheel, and only what it depends on from this environment.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from weft import kernels

ROOT = Path(__file__).parents[1]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (ROOT / "CMakeLists.txt").is_file()
        or importlib.util.find_spec("scikit_build_core") is None,
        reason="needs a checkout and scikit-build-core",
    ),
]


@pytest.fixture(scope="session")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a wheel and a source distribution."""
    folder = tmp_path_factory.mktemp("dist")
    settings = {
        "cmake.define.WEFT_PREBUILT": kernels.kernels.__file__,
        "build-dir": str(folder / "build"),
    }
    make = (
        "import sys, scikit_build_core.build as build\n"
        f"build.build_wheel({str(folder)!r}, {settings!r})\n"
        f"build.build_sdist({str(folder)!r}, {settings!r})\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", make], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="session")
def fresh(dist: Path) -> Path:
    """The Python of a new environment in which the wheel is installed."""
    folder = dist / "env"
    venv.create(folder, with_pip=False, symlinks=os.name != "nt")
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    [wheel] = dist.glob("*.whl")
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", "-q"]
    command += ["--no-deps", "--no-index", str(wheel)]
    subprocess.run(command, check=True, capture_output=True)
    [site] = folder.glob("**/site-packages")
    # A line of a .pth file adds a folder, whose own .pth files are not looked at: an editable Weft
    # that is installed there stays unseen.
    (site / "dependencies.pth").write_text(f"{sysconfig.get_paths()['purelib']}\n")
    return python


def clean() -> dict[str, str]:
    """An environment without paths to this checkout."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def test_the_wheel_is_whole(dist: Path) -> None:
    [wheel] = dist.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        [metadata] = [name for name in names if name.endswith(".dist-info/METADATA")]
        [entries] = [name for name in names if name.endswith("entry_points.txt")]
        told, points = (archive.read(each).decode() for each in (metadata, entries))
    sources = {
        f"weft/{path.relative_to(ROOT / 'src' / 'weft').as_posix()}"
        for path in (ROOT / "src" / "weft").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".so"
    }
    assert sources <= names
    cores = [name for name in names if name.startswith("weft/_native.") and "pyi" not in name]
    assert len(cores) == 1
    assert wheel.name.split("-")[2] == f"cp{sys.version_info.major}{sys.version_info.minor}"
    assert "License-Expression: Apache-2.0" in told
    assert "Provides-Extra: spacy" in told
    assert "weft_tagger = weft.interfaces.spacy:make_tagger" in points


def test_the_source_distribution_has_all_that_tests_read(dist: Path) -> None:
    [packed] = dist.glob("*.tar.gz")
    with tarfile.open(packed) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    folders = ("src", "native", "tests", "docs", "examples", "benchmarks", "requirements", ".ci")
    wanted = {
        path.relative_to(ROOT).as_posix()
        for folder in folders
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and not {"__pycache__", ".hypothesis", "found"} & set(path.parts)
    }
    ours = {name for name in wanted if not name.endswith((".so", ".pyc"))}
    assert ours <= names
    for name in ("CMakeLists.txt", "pyproject.toml", "README.md", "LICENSE", "mkdocs.yml"):
        assert name in names


def test_the_environment_has_the_wheel(fresh: Path, tmp_path: Path) -> None:
    where = "import weft; print(weft.__file__)"
    done = subprocess.run(
        [fresh, "-c", where], cwd=tmp_path, env=clean(), capture_output=True, text=True, check=True
    )
    assert Path(done.stdout.strip()).is_relative_to(fresh.parents[1])


def test_three_newcomers_get_along(fresh: Path, tmp_path: Path) -> None:
    command = [fresh, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--import-mode=importlib"]
    command += ["-c", os.devnull, "--rootdir", tmp_path, ROOT / "tests" / "newcomers"]
    done = subprocess.run(
        command, cwd=tmp_path, env=clean(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout
