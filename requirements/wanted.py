"""Print all that Weft needs: to run, to be built, tested, checked and documented."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any


def wanted(project: Mapping[str, Any]) -> Iterator[str]:
    """The requirements of a pyproject.toml, of all its extras and groups, and its build's."""
    yield from project["build-system"]["requires"]
    # What builds bring along where the system has none.
    yield from ("cmake", "ninja")
    yield from project["project"]["dependencies"]
    for extra in project["project"]["optional-dependencies"].values():
        yield from extra
    for group in project["dependency-groups"].values():
        yield from (each for each in group if isinstance(each, str))


if __name__ == "__main__":
    text = Path(__file__).parents[1].joinpath("pyproject.toml").read_text(encoding="utf-8")
    print("\n".join(wanted(tomllib.loads(text))))
