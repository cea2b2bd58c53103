"""The compiled core is imported in one place, which another implementation could take."""

from __future__ import annotations

import os
import platform
import re
import shutil
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
@pytest.mark.slow
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


@pytest.mark.skipif(platform.machine() != "x86_64", reason="there is nothing to choose among")
def test_unknown_instruction_sets_are_refused():
    environment = os.environ | {"WEFT_INSTRUCTIONS": "avx2"}
    done = subprocess.run(
        [sys.executable, "-c", "import weft.kernels"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert (
        "ImportError: WEFT_INSTRUCTIONS is base, x86-64-v3 or x86-64-v4, not 'avx2'" in done.stderr
    )


# A kernel from its mark to the end of its body, on one line or down to a brace of its own.
KERNEL = re.compile(
    r"^[^\n#/]*\bWEFT_KERNEL\b[^;{]*?(\w+)\([^;{]*\{(?:[^\n]*\}$|.*?^\})", re.MULTILINE | re.DOTALL
)
SOURCES = {path.name: path.read_text("utf-8") for path in (ROOT / "native").glob("*.[ch]pp")}


def plain_calls(text: str, kernel: str) -> list[str]:
    """Calls of a kernel by its name alone, outside kernels, where the name is of nothing else."""
    rest = KERNEL.sub("", text)
    if re.search(rf"\b(?:void|bool|double) (?:\w+::)?{kernel}\(", rest):
        return []
    return re.findall(rf"(?<![.>\w]){kernel}\([^\n]*", rest)


def test_kernels_are_called_in_the_version_of_the_processor():
    """What is called by its name alone is compiled for the oldest processors, and is slow."""
    names = {name for text in SOURCES.values() for name in KERNEL.findall(text)}
    everywhere = "\n".join(SOURCES.values())
    assert len(names) > 30
    assert {name for name in names if f"{name}>(" not in everywhere} == set()
    found = {
        (file, call)
        for file, text in SOURCES.items()
        for name in names
        for call in plain_calls(text, name)
    }
    assert found == set()


def test_all_kernels_are_looked_at():
    for file, text in SOURCES.items():
        marks = re.findall(r"^(?![#/]).*\bWEFT_KERNEL\b(?! marks)", text, re.MULTILINE)
        assert len(KERNEL.findall(text)) == len(marks), file


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("void f() {\n    dispatch<k>(1);\n}\n", []),
        ("void f() {\n    k(1);\n}\n", ["k(1);"]),
        ("void f() {\n    work.k(1), task(2), weft::k(3);\n}\n", ["k(3);"]),
        (
            "WEFT_KERNEL std::int64_t g(int a) {\n    return k(a);\n}\nvoid f() { k(2); }\n",
            ["k(2); }"],
        ),
        ("WEFT_KERNEL void g(int a) { k(a); }\n", []),
        ("bool k(int a);\nvoid f() { k(1); }\n", []),
    ],
)
def test_plain_calls_are_seen(text, calls):
    assert plain_calls(text, "k") == calls


@pytest.mark.parametrize("chains", [True, False])
def test_loops_in_the_place_of_vectors_compile(chains):
    """What compilers without vectors take; chains and lattices are never in one unit."""
    compiler = os.environ.get("CXX", "c++")
    if shutil.which(compiler) is None:
        pytest.skip("there is no compiler here")
    headers = sorted(file for file, text in SOURCES.items() if KERNEL.search(text))
    unit = "".join(f'#include "{x}"\n' for x in headers if x.startswith("chain") == chains)
    options = ["-std=c++20", "-fsyntax-only", "-DWEFT_PLAIN_VECTORS", "-Inative", "-xc++", "-"]
    done = subprocess.run(
        [compiler, *options], cwd=ROOT, input=unit, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
