"""Fixtures of all tests: one seed, and the corpora where they are."""

from __future__ import annotations

import functools
import os
from pathlib import Path

import numpy as np
import pytest
import typer.testing
from hypothesis import HealthCheck, settings

# The same examples at every run, and no clock: a busy machine is no bug.
settings.register_profile(
    "weft", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("weft")

# Typer makes the commands out of the signatures whenever one is called: most of the time of a call.
typer.testing._get_command = functools.cache(typer.testing._get_command)

collect_ignore = ["failing_allocations.py"]  # a plugin, which test_native_memory.py sets up

LONG_PAGES = {"conversions.md", "criteria.md", "every-model.md", "optimisers.md", "papers.md"}
"""Pages of the documentation whose examples take seconds, all of them."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if isinstance(item, pytest.DoctestItem) and item.path.name in LONG_PAGES:
            item.add_marker("slow")


_FALLBACK = Path(__file__).parents[2] / "shared" / "data"


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20250131)


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of real corpora: WEFT_DATA, or the one beside a checkout."""
    folder = Path(os.environ.get("WEFT_DATA") or _FALLBACK)
    if not folder.is_dir():
        pytest.skip("no corpora: set WEFT_DATA to a folder that holds them")
    return folder


@pytest.fixture(params=["all", "cells"])
def transitions(request, monkeypatch) -> None:
    """Sums over all transitions, and from cell to cell, however many there are."""
    if request.param == "cells":
        monkeypatch.setattr("weft.derivations.chain.topology._SPARSE", 0)
