"""Every family with every criterion on every kind of data: it obeys the laws, or says why not."""

from __future__ import annotations

import pytest

from contracts import laws
from contracts.models import EVERY, FAMILIES, SMOOTH
from weft.criteria import conditional
from weft.models.instances import DATA
from weft.train.grid import cells

families = pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
OFTEN = sorted(laws.OF_CRITERIA.keys() - {"estimation_climbs_or_says_why_not"})


@pytest.mark.parametrize("law", OFTEN)
@pytest.mark.parametrize("criterion", EVERY.values(), ids=EVERY)
@families
def test_laws_of_criteria_hold(law, family, criterion, rng):
    if law not in laws.ONLY_SMOOTH or criterion.name in SMOOTH:
        laws.OF_CRITERIA[law](family=family, criterion=criterion, rng=rng)


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
    found = {(cell.family, cell.criterion, cell.data): cell for cell in cells()}
    assert len(found) == len(FAMILIES) * (len(EVERY) - 2) * len(DATA)
    for (family, criterion, _), cell in found.items():
        assert (cell.reason is None) == (FAMILIES[family].reason(EVERY[criterion]) is None)
        assert cell.reason is None or cell.flat == cell.reason
