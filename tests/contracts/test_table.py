"""Every family with every criterion on every kind of data: it obeys the laws, or says why not."""

from __future__ import annotations

import numpy as np
import pytest

from contracts import laws
from contracts.models import EVERY, FAMILIES, SMOOTH
from weft.criteria import CRITERIA, conditional
from weft.models.instances import DATA
from weft.train.grid import cells

families = pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
OFTEN = sorted(laws.OF_CRITERIA.keys() - {"estimation_climbs_or_says_why_not"})
NOT_SMOOTH = [each for each in OFTEN if each not in laws.ONLY_SMOOTH]


@pytest.mark.parametrize("criterion", EVERY.values(), ids=EVERY)
@families
def test_laws_of_criteria_hold(family, criterion):
    for law in OFTEN if criterion.name in SMOOTH else NOT_SMOOTH:
        rng = np.random.default_rng(20250131)  # as the fixture: each law alone draws the same
        try:
            laws.OF_CRITERIA[law](family=family, criterion=criterion, rng=rng)
        except Exception as error:
            error.add_note(f"the law that {law.replace('_', ' ')}")
            raise


@pytest.mark.parametrize("law", laws.OF_SUBJECTS)
@families
def test_laws_hold(law, family, rng):
    laws.OF_SUBJECTS[law](family=family, rng=rng)


@pytest.mark.parametrize(
    "family", [each for each in FAMILIES.values() if not each.spec.counted], ids=lambda f: f.name
)
def test_estimation_climbs(family):
    laws.OF_CRITERIA["estimation_climbs_or_says_why_not"](family=family, criterion=conditional)


def test_the_table_is_the_one_of_the_laws():
    """With some criteria; ``what_does_not_exist_says_why`` asks for the reasons of all."""
    several = [CRITERIA[name] for name in ("marginal", "accuracy")]
    found = {(cell.family, cell.criterion, cell.data): cell for cell in cells(criteria=several)}
    assert len(found) == len(FAMILIES) * len(several) * len(DATA)
    for (family, criterion, _), cell in found.items():
        assert (cell.reason is None) == (FAMILIES[family].reason(EVERY[criterion]) is None)
        assert cell.reason is None or cell.flat == cell.reason
