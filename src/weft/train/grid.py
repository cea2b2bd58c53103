"""Which model goes with which criterion, and why not where one does not.

The answer is asked of the models: a criterion exists for a model on some data if it can be made of
a small instance. Where it cannot, the model's own reason is the entry.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from weft.criteria import CRITERIA, Criterion, contrast
from weft.errors import NotDefined
from weft.models.instances import DATA, Instance, instances


class Cell(NamedTuple):
    """One entry of the table.

    Attributes:
        family: The name of the model's family.
        criterion: The criterion's name.
        data: ``complete``, ``partial`` or ``raw``.
        reason: Why the criterion does not exist for the model; None if it does.
        flat: Why it has no gradient, and so nothing to climb; None if it has one.
    """

    family: str
    criterion: str
    data: str
    reason: str | None
    flat: str | None


def undefined(model: Any, corpus: Sequence[Any], criterion: Criterion) -> tuple[str | None, ...]:
    """Return why a criterion has no value, and why it has no gradient; None where it has.

    >>> memm = instances()["chain normalised by steps"]
    >>> undefined(memm.model, memm.corpora["raw"], CRITERIA["marginal"])[0][:59]
    'a model whose steps are normalised given the sentence has n'
    """
    try:
        objective = contrast(model, corpus, criterion, threads=1)
        theta = np.full(model.parameters.size, -1.0)
        objective.per_example(theta)
    except NotDefined as reason:
        return str(reason), str(reason)
    try:
        objective(theta)
    except NotDefined as reason:
        return None, str(reason)
    return None, None


def cells(
    several: Iterable[Instance] | None = None, criteria: Iterable[Criterion] = CRITERIA.values()
) -> Iterator[Cell]:
    """Yield the table of families × criteria × data, row by row.

    >>> packed = [instances()["selection, packed"]]
    >>> [cell.reason for cell in cells(packed, [CRITERIA["margin"]])]
    [None, None, None]
    """
    criteria = list(criteria)
    for family in instances().values() if several is None else several:
        for criterion in criteria:
            for data in DATA:
                found = undefined(family.model, family.corpora[data], criterion)
                yield Cell(family.name, criterion.name, data, *found)
