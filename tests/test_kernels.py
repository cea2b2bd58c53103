"""The compiled core is imported in one place, which another implementation could take."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
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


ROOT = Path(__file__).parents[1]
# Laws that reach the kernels of chains, lattices, automata, charts, rows, rankers and vectors.
LAWS = (
    "contracts/test_trellis.py::test_best_equals_the_forest",
    "contracts/test_trellis.py::test_entropy_equals_the_forest",
    "contracts/test_trellis_extremes.py::test_any_number_of_tags",
    "contracts/test_tag_criteria.py::test_sentences_long_and_short",
    "contracts/test_lattices.py::test_weights_of_minus_infinity_are_impossible",
    "contracts/test_charts.py::test_sums_equal_the_least_solution",
    "contracts/test_charts.py::test_the_best_tree_is_the_best_of_all",
    "derivations/chain/test_rows.py",
    "inference/test_inside_outside.py",
    "optimise/test_lbfgs.py::test_the_iteration_limit",
)


@pytest.mark.parametrize("limit", ["base", "x86-64-v3"])
def test_kernels_of_older_processors_keep_the_laws(limit):
    environment = os.environ | {"WEFT_INSTRUCTIONS": limit}
    shown = "from weft.kernels import kernels; print(kernels.INSTRUCTIONS)"
    told = subprocess.run(
        [sys.executable, "-c", shown], env=environment, capture_output=True, text=True, check=True
    )
    assert told.stdout.strip() in {"base", limit}  # or less, where the processor has no more
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            *(f"tests/{law}" for law in LAWS),
        ],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout


def test_kernels_are_called_in_the_version_of_the_processor():
    """What is called by its name alone is compiled for the oldest processors, and is slow."""
    sources = {path.name: path.read_text("utf-8") for path in (ROOT / "native").glob("*.[ch]pp")}
    definition = re.compile(r"^WEFT_KERNEL \w+ (\w+)\(", re.MULTILINE)
    kernels_of = {name: definition.findall(text) for name, text in sources.items()}
    assert sum(map(len, kernels_of.values())) > 30
    everywhere = "\n".join(sources.values())
    for name, found in kernels_of.items():
        assert [each for each in found if f"{each}>(" not in everywhere] == [], name
