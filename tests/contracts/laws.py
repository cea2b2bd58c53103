"""The whole law suite, as functions of a subject: see ``models.py`` for what that is.

A family that is added calls :func:`check` with each of :data:`ALL`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

import pytest

for _name in ("criteria", "derivations", "answers", "explanations"):
    pytest.register_assert_rewrite(f"contracts.laws_of_{_name}")

from contracts import (  # noqa: E402
    laws_of_answers,
    laws_of_criteria,
    laws_of_derivations,
    laws_of_explanations,
)
from contracts.models import EVERY, SMOOTH, Subject  # noqa: E402

Law = Callable[..., None]


def _laws(module: ModuleType, criterion: bool) -> dict[str, Law]:
    """The laws of a module, with a criterion or without; what they take is in their names."""
    found = {}
    for name, law in vars(module).items():
        if getattr(law, "__module__", "") == module.__name__:
            takes = law.__code__.co_varnames[: law.__code__.co_argcount]
            if (
                not {*takes} - {"family", "criterion", "rng"}
                and ("criterion" in takes) is criterion
            ):
                found[name] = _called(law, takes)
    return found


def _called(law: Law, takes: tuple[str, ...]) -> Law:
    return lambda **given: law(**{name: given[name] for name in takes})


OF_CRITERIA: Mapping[str, Law] = _laws(laws_of_criteria, criterion=True)
"""Laws of a subject with each criterion."""

ONLY_SMOOTH = frozenset(
    {
        "batches_add_up_to_the_whole",
        "gradients_equal_finite_differences",
        "parts_on_workers_add_up_to_the_whole",
        "threads_do_not_change_a_bit",
        "weights_of_minus_infinity_give_no_nan",
    }
)
"""Those of criteria that are no step functions."""

OF_SUBJECTS: Mapping[str, Law] = {
    **_laws(laws_of_criteria, criterion=False),
    **_laws(laws_of_derivations, criterion=False),
    **_laws(laws_of_answers, criterion=False),
    **_laws(laws_of_explanations, criterion=False),
}
"""Laws of a subject alone."""

ALL: Mapping[str, Law] = {**OF_CRITERIA, **OF_SUBJECTS}
"""Every law."""


def check(law: str, subject: Subject, rng: Any) -> None:
    """Check a law on a subject, with every criterion that it is about."""
    if law in OF_SUBJECTS:
        OF_SUBJECTS[law](family=subject, rng=rng)
        return
    for criterion in (SMOOTH if law in ONLY_SMOOTH else EVERY).values():
        OF_CRITERIA[law](family=subject, criterion=criterion, rng=rng)
