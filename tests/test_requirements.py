"""The lock file: versions of all that Weft needs, and nothing else."""

from __future__ import annotations

import re
import runpy
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
LOCK = (ROOT / "requirements" / "lock.txt").read_text(encoding="utf-8").splitlines()


def wanted() -> list[str]:
    program = runpy.run_path(str(ROOT / "requirements" / "wanted.py"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return sorted(set(program["wanted"](project)))


def test_there_are_versions_only() -> None:
    assert LOCK[0].startswith("#")
    assert [line for line in LOCK[1:] if not re.fullmatch(r"[\w.-]+==[\w.]+", line)] == []


@pytest.mark.parametrize("text", wanted())
def test_what_is_wanted_is_there_and_within_its_bounds(text: str) -> None:
    locked = dict(line.split("==") for line in LOCK[1:])
    versions = {canonicalize_name(name): version for name, version in locked.items()}
    requirement = Requirement(text)
    assert requirement.specifier.contains(versions[canonicalize_name(requirement.name)])
